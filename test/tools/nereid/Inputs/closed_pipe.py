# closed_pipe.py STATUS COMMAND…: runs the command with its standard output connected to a pipe whose read end is closed.
import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
status = subprocess.run(sys.argv[2:], stdout=writer).returncode
if status != int(sys.argv[1]):
    sys.exit(f"exit status {status}, expected {sys.argv[1]}")
