"""vanish.py FOLDER COMMAND...: runs the command with its standard input, after comments. FOLDER/gone exists when it starts, and is
removed when it has begun to read."""
import os
import subprocess
import sys

gone = os.path.join(sys.argv[1], "gone")
os.makedirs(gone, exist_ok=True)
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)
process.stdin.write(b"// more than a pipe holds\n" * 10000)  # returns when the command has read most of it
process.stdin.flush()
os.rmdir(gone)
process.communicate(sys.stdin.buffer.read())
sys.exit(process.returncode)
