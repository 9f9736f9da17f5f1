# compile_all.py OUT INPUT…: every input compiles to PTX, or is rejected with exit status 1 and a located error, without
# an output file.
import os
import re
import subprocess
import sys

out, wrong = sys.argv[1], 0
for path in sys.argv[2:]:
    done = subprocess.run(["nereid", "compile", path, "--emit", "ptx", "-o", out], stderr=subprocess.PIPE, text=True)
    written = os.path.exists(out)
    located = re.search(r"^\S+:\d+:\d+: error: ", done.stderr, re.MULTILINE)
    if done.returncode == 0 and written:
        os.remove(out)
    elif done.returncode != 1 or not located or written:
        wrong += 1
        print(f"{path}: exit status {done.returncode}, {'a' if written else 'no'} result\n{done.stderr[:2000]}")
sys.exit(1 if wrong else 0)
