# each.py COMMAND… -- FILE…: runs the command on each file; prints the name of each file on which it fails, and fails.
import subprocess
import sys

words = sys.argv[1:]
command, files = words[: words.index("--")], words[words.index("--") + 1 :]
bad = [file for file in files if subprocess.run(command + [file]).returncode]
for file in bad:
    print("failed:", file)
sys.exit(1 if bad or not files else 0)
