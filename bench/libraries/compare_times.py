"""Compares the times of kernels in two reports of run_tests.py --gpu --times, or of time_workloads.py: Nereid's and Triton's.

    python bench/libraries/compare_times.py [--all] [--least MICROSECONDS] NEREID.jsonl... -- TRITON.jsonl...

A row per kernel of a test that both reports have: median times in microseconds and the speedup. Kernels that take less than
--least with both are left out; kernels of PyTorch, which are in both, are the control. Without --all only rows below 0.97. The last
rows are cases that fail in one report only, and cases whose results differ: the weighted sums of time_workloads.py by more than 2 %
of the norm.
"""

import argparse
import json
import math
import re
import statistics
import sys

TOLERANCE = 0.02  # of the norm of a result


def read(paths):
    """Returns {(test, kernel): median microseconds of all launches} of passed tests."""
    times = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                for name, launches in case["kernels"].items() if case["outcome"] == "passed" else ():
                    times.setdefault((case["test"], name), []).extend(launches)
    return {key: statistics.median(launches) for key, launches in times.items()}


def read_cases(paths):
    """Returns {test: case}."""
    cases = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            cases.update((case["test"], case) for case in map(json.loads, lines))
    return cases


def differ(ours, theirs):
    """Whether the results of a case differ; a result may be NaN in both."""
    pairs = list(zip(ours.get("sums", []), theirs.get("sums", [])))
    return any((math.isnan(mine[1]) != math.isnan(other[1])) or abs(mine[0] - other[0]) > TOLERANCE * max(mine[1], other[1])
               for mine, other in pairs)


def compare_results(ours, theirs):
    """Prints failures and cases whose results differ."""
    for name, mine, other in (("the first", ours, theirs), ("the second", theirs, ours)):
        for test in sorted(mine.keys() & other.keys()):
            if mine[test]["outcome"] in ("failed", "error") and other[test]["outcome"] == "passed":
                print(f"fails in {name} report only: {test}: {(mine[test]['error'].strip().splitlines() or [''])[-1][:200]}")
    both = [test for test in sorted(ours.keys() & theirs.keys()) if ours[test]["outcome"] == theirs[test]["outcome"] == "passed"]
    different = [test for test in both if differ(ours[test], theirs[test])]
    for test in different:
        print(f"results differ: {test}")
    failures = [sum(case["outcome"] not in ("passed", "skipped") for case in cases.values()) for cases in (ours, theirs)]
    print(f"cases: {len(both)} pass in both reports, {len(different)} with different results; failures: {failures[0]} and {failures[1]}")


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
    compare_results(read_cases(options.nereid), read_cases(arguments[divider + 1:]))


if __name__ == "__main__":
    main()
