# closed_pipe.py STATUS COMMAND…: runs the command with a standard output that nobody reads any more.
import subprocess
import sys

process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
process.stdout.close()
status = process.wait()
if status != int(sys.argv[1]):
    sys.exit(f"exit status {status}, expected {sys.argv[1]}")
