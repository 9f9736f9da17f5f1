"""Compares the times of kernels in two reports of run_tests.py --gpu --times: the first of Nereid, the second of Triton.

    python bench/libraries/compare_times.py [--all] [--least MICROSECONDS] NEREID.jsonl... -- TRITON.jsonl...

A row per kernel of a test that both reports have: median times in microseconds and the speedup. Kernels that take less than
--least with both are left out; kernels of PyTorch, which are in both, are the control. Without --all only rows below 0.97.
"""

import argparse
import json
import math
import re
import statistics
import sys


def read(paths):
    """Returns {(test, kernel): median microseconds of all launches} of passed tests."""
    times = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                for name, launches in case["kernels"].items() if case["outcome"] == "passed" else ():
                    times.setdefault((case["test"], name), []).extend(launches)
    return {key: statistics.median(launches) for key, launches in times.items()}


def is_library(name):
    """Whether a kernel is not compiled by Triton: C++ names, copies, libraries of the vendor."""
    return "::" in name or "(" in name or name.startswith(("Mem", "void ", "nvjet", "cublas", "cutlass", "cudnn")) \
        or re.match(r"sm\d+_", name) is not None


def main():
    arguments = sys.argv[1:]
    divider = arguments.index("--")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--least", type=float, default=5)
    parser.add_argument("nereid", nargs="+")
    options = parser.parse_args(arguments[:divider])
    ours, theirs = read(options.nereid), read(arguments[divider + 1:])
    speedups, control = [], []
    for test, name in sorted(ours.keys() & theirs.keys()):
        mine, other = ours[test, name], theirs[test, name]
        if max(mine, other) < options.least or min(mine, other) <= 0:
            continue
        (control if is_library(name) else speedups).append(other / mine)
        if not is_library(name) and (options.all or other / mine < 0.97):
            print(f"{other / mine:6.3f}  {mine:9.2f} {other:9.2f}  {name}  {test}")
    for kind, values in (("kernels", speedups), ("of PyTorch", control)):
        if values:
            mean = math.exp(statistics.fmean(map(math.log, values)))
            print(f"{len(values)} {kind}: geometric mean {mean:.3f}, least {min(values):.3f}")


if __name__ == "__main__":
    main()
