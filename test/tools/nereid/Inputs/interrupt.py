# interrupt.py SIGNAL FOLDER: compiles FOLDER/in.ptx with a ptxas that writes its process id to FOLDER/pid and sleeps,
# sends SIGNAL to nereid meanwhile, and prints nereid's exit status, whether the assembler still runs, and the remaining
# contents of the temporary folder.
import os
import signal
import subprocess
import sys
import time

number = getattr(signal, sys.argv[1])
folder = sys.argv[2]
pid_file, temporary = os.path.join(folder, "pid"), os.path.join(folder, "tmp")
os.makedirs(temporary, exist_ok=True)
if os.path.exists(pid_file):
    os.remove(pid_file)


def wait(done, seconds=20):
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
    return done()


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


command = ["nereid", "compile", os.path.join(folder, "in.ptx"), "-o", os.path.join(folder, "out.cubin")]
environment = dict(os.environ, TMPDIR=temporary, PID_FILE=pid_file)
command += ["--ptxas", os.path.join(folder, "slow")]
# A test runner in the background may ignore SIGINT, which the child would inherit.
process = subprocess.Popen(command, env=environment, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)
                           if number != signal.SIGKILL else None)
assert wait(lambda: os.path.exists(pid_file) and open(pid_file).read().endswith("\n")), "the assembler did not start"
assembler = int(open(pid_file).read())
assert is_running(assembler) and len(os.listdir(temporary)) == 1
process.send_signal(number)
code = process.wait(timeout=20)
print("ended by", signal.Signals(-code).name if code < 0 else f"exit {code}")
print("assembler", "is gone" if wait(lambda: not is_running(assembler)) else "runs")
print("left", len(os.listdir(temporary)))
print("output", os.path.exists(os.path.join(folder, "out.cubin")))
