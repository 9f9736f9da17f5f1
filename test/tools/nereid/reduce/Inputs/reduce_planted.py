"""Bisects and reduces large kernels with one planted defect each, and prints a table.

usage: reduce_planted.py FOLDER [KIND...]           each defect, or these, in a kernel of 270 operations
       reduce_planted.py FOLDER --corpus KERNELS    one defect in each of five large kernels of a folder of kernels

Files are written to FOLDER.

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
from defects import CORPUS, EXACT, LARGE, TABLE  # noqa: E402


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


def reduce(folder, name, kind, after, what, case):
    planted = "nereid-test-defect{kind=%s}" % kind
    case = [*case, "--insert", "%s after %s" % (planted, after)]
    found, seconds, _ = run(["nereid", "bisect", *case, "--what", what, "-o", name + ".mlir"], folder)
    assert finds(found, planted), (name, found)
    # Other passes increase the counter, too.
    case += ["--pass", planted] if what.startswith("counter=") else []
    reduced, more, used = run(["nereid", "reduce", *case, "--what", what, "-o", name + ".ttir"], folder)
    before, now = map(int, re.match(r"(\d+) operations -> (\d+)", reduced).groups())
    candidates = int(re.search(r"with (\d+) candidates", reduced)[1])
    again = shlex.split(re.search(r"^shown by: (.*)$", reduced, re.M)[1])
    confirmed = finds(run([*again, "-o", name + ".again.mlir"], folder)[0], planted)
    print("| %s | %s | %d | %d | %d | %.0f | %.0f | %.0f |" % (name, what, before, now, candidates, seconds, more, used),
          flush=True)
    return confirmed and now < 40 and now * 10 < before


def defects(kinds):
    for kind, after, what, _ in TABLE:
        words = (EXACT if kind == "drop-load-mask" else LARGE).split()
        # The defect loses a few digits only, which a smaller launch would hide.
        words += ["--tolerance", "1e-5"] if kind == "lose-precision" else []
        # The first barrier of the pipelined kernel is followed by another one, before the first access that it orders.
        words += ["--num-stages", "1"] if kind == "drop-barrier" else []
        if not kinds or kind in kinds:
            yield kind, kind, after, what, [os.path.join(SOURCES, words[0]), *words[1:]]


def kernels(corpus):
    for path, kind, after, what, words in CORPUS:
        name = os.path.basename(path).split(".")[0]
        yield name + ", " + kind, kind, after, what, [os.path.join(corpus, path), *words.split()]


folder, kinds = sys.argv[1], sys.argv[2:]
failed = []
print("| defect | property | operations | reduced to | candidates | bisect, s | reduce, s | processors, s |\n"
      "|---|---|---|---|---|---|---|---|", flush=True)
for row in kernels(kinds[1]) if kinds[:1] == ["--corpus"] else defects(kinds):
    try:
        failed += [] if reduce(folder, *row) else [row[0]]
    except AssertionError as error:
        print("%s: %s" % (row[0], error), file=sys.stderr)
        failed.append(row[0])
assert not failed, failed
