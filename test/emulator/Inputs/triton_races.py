"""Looks for races in Triton's PTX of the corpus, with the cases of triton_ptx.py, and compares with what is expected.

    triton_races.py CORPUS EXPECTED [NAME...]

EXPECTED has lines of a kernel's name, a class, the earlier and the later instruction's opcode, and why. All races of a
kernel have a line, and all lines a race.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

import triton_ptx


def opcode(side):
    """cp.async of "cp.async.cg.shared.global [%r1], [%d2], 16;"."""
    return ".".join(side["instruction"].split()[0].rstrip(";").split(".")[:2])


def races(path, grid, arguments):
    """Class and opcodes of each race; or why it did not run."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as out:
        command = ["nereid", "run", path, "--on", "emulator", "--grid", grid, "--races", out.name]
        for key, value in arguments.items():
            command += ["--arg", f"{key}={value}"]
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = [json.loads(line) for line in out]
    if got.returncode and not found:
        return {}, f"{' '.join(command)}\n{got.stderr[-1000:]}"
    return {(race["class"], opcode(race["earlier"]), opcode(race["later"])) for race in found}, None


def expectations(path):
    rows = {}
    for line in open(path):
        words = line.split(None, 4)
        if words and not line.startswith("#"):
            rows.setdefault(words[0], set()).add(tuple(words[1:4]))
    return rows


def main(corpus, expected, chosen):
    bad, expected = [], expectations(expected)
    files = {os.path.basename(path)[:-4]: path for path in glob.glob(os.path.join(corpus, "kernels", "*.ptx"))}
    for name in sorted(chosen or files):
        pairs = set()
        for grid, arguments in triton_ptx.CASES[name][1]:
            found, failure = races(files[name], grid, arguments)
            pairs |= set(found)
            if failure:
                bad.append(failure)
        if pairs != expected.get(name, set()):
            bad.append(f"{name}: expected {sorted(expected.get(name, []))}, found {sorted(pairs)}")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
