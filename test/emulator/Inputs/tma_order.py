"""Checks that TMA and threads that access the same global memory give the results of program order.

    tma_order.py tma_order.ttgir

Each kernel runs on the emulator under every schedule, with copies that complete at once, at random times and at their wait: the
race detector must find nothing and the results must be the interpreter's. Then each wait for writes of TMA, each proxy fence and
each barrier of such a fence is removed in turn: the detector must report a race. Without any of them, by --no-global-order, it must report one,
too.
"""
import os
import re
import subprocess
import sys
import tempfile

ORDER = re.compile(r"^\s*(cp\.async\.bulk\.wait_group 0|fence\.proxy\.async\.global);")
BARRIER = re.compile(r"^\s*bar\.sync[^;]*;")
EXPECTED = {  # waits and fences in the PTX
    "stored": (0, 1),
    "loaded": (1, 0),
    "copied": (1, 0),
    "twice": (1, 0),
    "reduced": (1, 1),
    "repeated": (1, 1),
    "called": (1, 1),
}
RUNS = [("round-robin", "issue"), ("adversarial", "wait"), ("random", "random"), ("random", "wait")]
ARGUMENTS = ["--grid", "1", "--arg", "0=f32[64x32]:rand", "--arg", "1=f32[64x32]:zeros", "--arg", "2=f32[64x32]:zeros"]


def run(path, *options):
    command = ["nereid", "run", path, "--on", "emulator", "--racecheck", *ARGUMENTS, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def has_race(output):
    return "race:" in output or "proxy:" in output


def compile_to_ptx(path, name, out, *options):
    command = ["nereid", "compile", path, "--kernel", name, "--target", "sm_90a", "--emit", "ptx", "-o", out, *options]
    subprocess.run(command, check=True)
    return open(out).read().split("\n")


def check(path, name, folder):
    """The faults of one kernel, and how many removals were reported."""
    wrong = []
    for schedule, landing in RUNS:
        code, output = run(path, "--kernel", name, "--schedule", schedule, "--landing", landing, "--check", "interpreter")
        if code:
            wrong.append(f"{name}, {schedule}, {landing}:\n{output}")
    ptx = os.path.join(folder, f"{name}.ptx")
    lines = compile_to_ptx(path, name, ptx)
    places = [i for i, line in enumerate(lines) if ORDER.match(line)]
    counts = tuple(sum(what in lines[i] for i in places) for what in ("wait_group", "fence"))
    if counts != EXPECTED[name]:
        wrong.append(f"{name}: waits and fences {counts}, expected {EXPECTED[name]}")
    barriers = [next(k for k in range(i, len(lines)) if BARRIER.match(lines[k])) for i in places if "fence" in lines[i]]
    for place in places + barriers:
        mutant = os.path.join(folder, f"{name}.{place}.ptx")
        with open(mutant, "w") as file:
            file.write("\n".join(lines[:place] + lines[place + 1:]))
        os.link(ptx + ".json", mutant + ".json")
        if not has_race(run(mutant)[1]):
            wrong.append(f"{name}, line {place + 1}: {lines[place].strip()}: no race without it")
    if not has_race(run(path, "--kernel", name, "--no-global-order")[1]):
        wrong.append(f"{name}: no race with --no-global-order")
    return wrong, len(places + barriers)


def main():
    wrong, total = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in EXPECTED:
            faults, removals = check(sys.argv[1], name, folder)
            wrong += faults
            total += removals
    print("\n".join(wrong))
    print(f"{len(wrong)} faults, {total} removals")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
