"""Compares the races found in Triton's PTX of the corpus, with the cases of triton_ptx.py and mutate.py, with a list.

    triton_races.py CORPUS EXPECTED [--naive NAIVE] [NAME...]

A line of EXPECTED has a kernel's name, a class, the earlier instructions, the later ones, and the reason. Instructions are
an opcode, a source line and lines of the PTX, "cp.async@kernels.py:115@189,193"; each earlier instruction races with each
later one. The found races must be exactly the listed ones. With --naive, NAIVE (build/*/unit/naive_races) must find the same
races and the pairs of the starred classes: it finds all pairs of a byte. On a difference, the lines for the found races are
printed.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

import mutate
import triton_ptx


def place(side):
    """(cp.async, kernels.py:115, 189) of "cp.async.cg.shared.global [%r1], [%d2], 16;"."""
    opcode = ".".join(side["instruction"].split()[0].rstrip(";").split(".")[:2])
    return opcode, os.path.basename(side["source"].split()[0].rstrip(",")), side["line"]


def races(tool, path, grid, arguments):
    """Class and locations of each race, or the reason why it did not run."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as out:
        command = [tool, "run", path, "--on", "emulator", "--grid", grid, "--races", out.name]
        for key, value in arguments.items():
            command += ["--arg", f"{key}={value}"]
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = [json.loads(line) for line in out]
    failed = got.returncode and (not found or got.returncode != 1)
    return ({(race["class"], place(race["earlier"]), place(race["later"])) for race in found},
            f"{' '.join(command)}\n{got.stderr[-1000:]}" if failed else None)


def all_races(tool, name, path, bad):
    found = set()
    cases = [*triton_ptx.CASES[name][1], *filter(None, [mutate.CASES.get(name)])]
    for grid, arguments in cases:
        pairs, failure = races(tool, path, grid, arguments)
        found |= pairs
        bad += [failure] if failure else []
    return found


def expectations(path):
    """A set of pairs of locations for each kernel and class."""
    rows = collections.defaultdict(set)
    for line in open(path):
        words = line.split(None, 4)
        if not words or line.startswith("#"):
            continue
        sides = [[(*word.split("@")[:2], int(number)) for number in word.split("@")[2].split(",")] for word in words[2:4]]
        rows[words[0], words[1].rstrip("*"), words[1].endswith("*")] |= {(a, b) for a in sides[0] for b in sides[1]}
    return rows


def lines_of(name, found):
    """The lines of EXPECTED for the found races."""
    earlier, later = collections.defaultdict(set), collections.defaultdict(set)
    for kind, a, b in found:
        earlier[kind, a[:2], b].add(a[2])
    for (kind, opcode, b), numbers in earlier.items():
        later[kind, opcode, tuple(sorted(numbers)), b[:2]].add(b[2])
    for (kind, a, numbers, b), others in sorted(later.items()):
        sides = ["@".join([*side, ",".join(map(str, sorted(them)))]) for side, them in ((a, numbers), (b, others))]
        yield f"{name} {kind} {sides[0]} {sides[1]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("expected")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--naive")
    options = parser.parse_intermixed_args()
    bad, rows = [], expectations(options.expected)
    files = {os.path.basename(path)[:-4]: path for path in glob.glob(os.path.join(options.corpus, "kernels", "*.ptx"))}
    for name in sorted(options.names or files):
        for tool in filter(None, ["nereid", options.naive]):
            expected = {(kind, *pair) for (kernel, kind, star), pairs in rows.items() for pair in pairs
                        if kernel == name and (tool != "nereid" or not star)}
            found = all_races(tool, name, files[name], bad)
            for what, pairs in (("expected, not found", expected - found), ("found, not expected", found - expected)):
                bad += [f"{os.path.basename(tool)}, {what}:", *lines_of(name, pairs)] if pairs else []
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
