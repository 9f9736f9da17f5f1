"""Interrupts a reduction in the middle, checks the case that it leaves, and continues it.

usage: interrupt.py SIGNAL INPUT FOLDER

The command of --test accepts 12 candidates as usual, then writes the file `ready` and sleeps: at this moment the reduction
receives the signal. Its output must be a valid module that is smaller than the input and shows the property, and --resume must
end with as many operations as a reduction without an interruption."""
import os
import re
import signal
import subprocess
import sys
import time

name, source, folder = sys.argv[1:]
number = getattr(signal, name)
SCRIPT = """#!/bin/sh
grep -q tt.reduce "$1" && nereid-opt "$1" >/dev/null 2>&1 || exit 1
[ -e stop ] || exit 0
echo >> accepted
[ $(wc -l < accepted) -le 12 ] && exit 0
echo > ready
exec sleep 60
"""


def write(path, text):
    with open(os.path.join(folder, path), "w") as file:
        file.write(text)


def operations(text):
    return re.search(r"(\d+) operations -> (\d+)", text).groups()


def reduce(*options):
    return ["nereid", "reduce", source, "--test", "./test.sh", *options]


def run(command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def interrupt():
    """Returns what the interrupted reduction printed."""
    write("stop", "")
    # A test runner in the background may ignore SIGINT, which the child would inherit.
    process = subprocess.Popen(reduce("-o", "small.ttir", "-j", "1"), cwd=folder, stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: number == signal.SIGKILL or signal.signal(number, signal.SIG_DFL))
    end = time.monotonic() + 60
    while not os.path.exists(os.path.join(folder, "ready")):
        assert time.monotonic() < end and process.poll() is None, "the reduction did not reach the thirteenth candidate"
        time.sleep(0.01)
    process.send_signal(number)
    printed = process.communicate(timeout=60)[0]
    assert process.returncode == -number, (process.returncode, printed)
    os.remove(os.path.join(folder, "stop"))
    return printed


os.makedirs(folder)
write("test.sh", SCRIPT)
os.chmod(os.path.join(folder, "test.sh"), 0o755)
first, whole = operations(run(reduce("-o", "whole.ttir")))
printed = interrupt()
with open(os.path.join(folder, "small.ttir")) as file:
    text = file.read()
assert text.startswith("// nereid reduce small.ttir --test ./test.sh\n"), text
left = operations(run(["sh", "-c", "nereid reduce small.ttir --test ./test.sh -o again.ttir --candidates 1"]))[0]
assert int(left) < int(first), (left, first)
if number != signal.SIGKILL:
    assert "interrupted: continue with nereid reduce %s -o small.ttir --resume" % source in printed, printed
    assert "operations -> %s, with" % left in printed, printed
    candidates = [name for name in os.listdir(folder) if "candidate" in name or name.endswith(".input")]
    assert not candidates, candidates
before, after = operations(run(["nereid", "reduce", source, "-o", "small.ttir", "--resume"]))
assert (before, after) == (left, whole), (before, after, left, whole)
print("%s: %s operations, %s left, %s after --resume" % (name, first, left, after))
