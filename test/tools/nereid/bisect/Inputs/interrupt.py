"""Interrupts nereid bisect after some probes, and prints its report.

usage: interrupt.py SIGNAL PROBES nereid bisect ...    the signal is sent when so many probes were printed by --verbose"""
import signal
import subprocess
import sys

number, probes, command = getattr(signal, sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
process = subprocess.Popen(command + ["--verbose"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
while probes:
    line = process.stderr.readline()
    assert line, "the command ended before the signal"
    probes -= line.startswith("probe: ")
process.send_signal(number)
out, _ = process.communicate()
print(out)
assert process.returncode == -number, process.returncode
