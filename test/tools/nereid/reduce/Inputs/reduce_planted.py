"""Bisects and reduces a kernel of 270 operations with one planted defect, for each defect, and prints a table.

usage: reduce_planted.py FOLDER [KIND...]    files are written to FOLDER; without kinds all defects

Columns: seconds of wall time, and of processors (user and system) for the reduction. Each defect must be found in the kernel and in its reduction, which has fewer than 40 operations and less than a tenth of
the kernel's."""
import os
import re
import resource
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "bisect", "Inputs")
sys.path.insert(0, SOURCES)
from defects import EXACT, LARGE, TABLE  # noqa: E402


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, folder):
    start, used = time.monotonic(), processor_time()
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout, time.monotonic() - start, processor_time() - used


def finds(text, planted):
    named = re.search(r"^%s: pass \d+ of \d+ " % re.escape(planted), text, re.M)
    return named or re.search(r"the compiler stops in pass \d+, %s" % re.escape(planted), text)


def reduce(kind, after, what, folder):
    planted = "nereid-test-defect{kind=%s}" % kind
    words = (EXACT if kind == "drop-load-mask" else LARGE).split()
    case = [os.path.join(SOURCES, words[0]), *words[1:], "--insert", "%s after %s" % (planted, after)]
    # The defect loses a few digits only, which a smaller launch would hide.
    case += ["--tolerance", "1e-5"] if kind == "lose-precision" else []
    found, seconds, _ = run(["nereid", "bisect", *case, "--what", what, "-o", kind + ".mlir"], folder)
    assert finds(found, planted), (kind, found)
    if what.startswith("counter="):
        low, high = re.search(r"most, from (\S+) to (\S+)", found).groups()
        what = "%s>%d" % (what, (float(low) + float(high)) / 2)
    reduced, more, used = run(["nereid", "reduce", *case, "--what", what, "-o", kind + ".ttir"], folder)
    before, now = map(int, re.match(r"(\d+) operations -> (\d+)", reduced).groups())
    again = shlex.split(re.search(r"^shown by: (.*)$", reduced, re.M)[1])
    confirmed = finds(run([*again, "-o", kind + ".again.mlir"], folder)[0], planted)
    candidates = int(re.search(r"with (\d+) candidates", reduced)[1])
    print("| %s | %s | %d | %d | %d | %.0f | %.0f | %.0f |" % (kind, what, before, now, candidates, seconds, more, used),
          flush=True)
    return [] if confirmed and now < 40 and now * 10 < before else [kind]


folder, kinds = sys.argv[1], sys.argv[2:]
failed = []
print("| defect | property | operations | reduced to | candidates | bisect, s | reduce, s | processors, s |\n"
      "|---|---|---|---|---|---|---|---|", flush=True)
for row_kind, row_after, row_what, _ in TABLE:
    if kinds and row_kind not in kinds:
        continue
    try:
        failed += reduce(row_kind, row_after, row_what, folder)
    except AssertionError as error:
        print("%s: %s" % (row_kind, error), file=sys.stderr)
        failed.append(row_kind)
assert not failed, failed
