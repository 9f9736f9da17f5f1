# exits.py STATUS COMMAND…: runs the command with its output; exits 0 when the command exits with exactly that status.
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    print(f"exit status {status}, expected {sys.argv[1]}")
sys.exit(0 if status == int(sys.argv[1]) else 1)
