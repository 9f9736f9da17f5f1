"""Runs nereid bisect on kernels with one planted defect each, and checks that it names the planted pass.

usage: plant.py FIRST LAST FOLDER    rows FIRST to LAST, exclusive, of the table; files are written to FOLDER"""
import os
import subprocess
import sys

from defects import TABLE

HERE = os.path.dirname(os.path.abspath(__file__))
def bisect(kind, after, what, case, folder):
    planted = "nereid-test-defect{kind=%s}" % kind
    words = case.split()
    command = ["nereid", "bisect", os.path.join(HERE, words[0]), *words[1:], "--what", what]
    command += ["--insert", "%s after %s" % (planted, after), "-o", os.path.join(folder, kind + ".mlir")]
    done = subprocess.run(command, capture_output=True, text=True)
    named = [line for line in done.stdout.splitlines() if line.startswith(planted + ": pass ")]
    stopped = "%s: the compiler stops in pass " % what in done.stdout and ", " + planted in done.stdout
    assert done.returncode == 0 and (named or stopped), (command, done.stdout, done.stderr)
    if not kind.startswith(("crash", "report")):
        text = open(os.path.join(folder, kind + ".mlir")).read()
        opt = ["nereid-opt", "-", "--pass-pipeline=builtin.module(%s)" % planted]
        again = subprocess.run(opt, input=text, capture_output=True, text=True)
        assert again.returncode == 0 and again.stdout != text, again.stderr


first, last, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
assert len(TABLE) >= 20
for row in TABLE[first:last]:
    bisect(*row, folder)
