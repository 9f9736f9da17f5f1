"""Looks for races in Triton's PTX of the corpus, with the cases of triton_ptx.py, and compares with what is expected.

    triton_races.py CORPUS EXPECTED [NAME...]

EXPECTED has a line per kernel that has races: its name, a class, how many pairs of instructions and why. A kernel without
a line has none; several lines of one kernel are for several classes.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

import triton_ptx


def races(path, grid, arguments):
    """The classes with their numbers of pairs; or why it did not run."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as out:
        command = ["nereid", "run", path, "--on", "emulator", "--grid", grid, "--races", out.name]
        for key, value in arguments.items():
            command += ["--arg", f"{key}={value}"]
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = [json.loads(line) for line in out]
    if got.returncode and not found:
        return {}, f"{' '.join(command)}\n{got.stderr[-1000:]}"
    return {(race["class"], race["earlier"]["line"], race["later"]["line"]) for race in found}, None


def expectations(path):
    rows = {}
    for line in open(path):
        words = line.split(None, 3)
        if words and not line.startswith("#"):
            rows.setdefault(words[0], {})[words[1]] = int(words[2])
    return rows


def main(corpus, expected, chosen):
    bad, expected = [], expectations(expected)
    files = {os.path.basename(path)[:-4]: path for path in glob.glob(os.path.join(corpus, "kernels", "*.ptx"))}
    for name in sorted(chosen or files):
        pairs = set()
        for grid, arguments in triton_ptx.CASES[name][1]:
            found, failure = races(files[name], grid, arguments)
            pairs |= set(found)
            if failure and "emulated" not in failure:
                bad.append(failure)
        classes = {}
        for kind, *_ in pairs:
            classes[kind] = classes.get(kind, 0) + 1
        if classes != expected.get(name, {}):
            bad.append(f"{name}: expected {expected.get(name, {})}, found {classes}: {sorted(pairs)[:6]}")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
