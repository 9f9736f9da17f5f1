"""Checks that programs that write and read the same global memory give the results of program order.

    global_order.py global_order.ttir

Each kernel runs on the emulator with 1 to 16 warps, under every schedule: the race detector must find nothing and the results
must be the interpreter's. Then each barrier is removed in turn, and all of them by --no-global-order: the detector must
report a race.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

BARRIER = re.compile(r"^\s*bar\.(?:warp\.)?sync[^;]*;")
CASES = {  # grid, arguments by position
    "counted": ["3", "i32[3]:zeros", "i32[3072]:randint(0,64)", "i32[3072]:zeros"],
    "binned": ["2", "i32[1536]:randint(0,64)", "i32[512]:zeros", "i32[512]:zeros"],
    "running": ["1", "f32[1280]:rand", "f32[1]:zeros", "f32[1280]:zeros", "5"],
    "turned": ["1", "f32[64x64]:rand", "f32[64x64]:zeros", "f32[64x64]:zeros"],
    "numbered": ["1", "i32[1]:zeros", "i32[1024]:zeros", "4"],
    "chosen": ["1", "i32[1]:zeros", "i32[1]:zeros", "i32[256]:zeros", "0"],
    "numeric": ["1", "i32[2]:zeros", "i32[256]:zeros"],
}
ORDERED_ANYWAY = {"turned"}  # ordered by the barrier of a layout conversion through shared memory in between
SCHEDULES = ["round-robin", "adversarial", "random"]


def run(path, name, *options):
    grid, *arguments = CASES[name]
    command = ["nereid", "run", path, "--kernel", name, "--on", "emulator", "--racecheck", "--grid", grid, *options]
    for i, argument in enumerate(arguments):
        command += ["--arg", f"{i}={argument}"]
    return subprocess.run(command, capture_output=True, text=True)


def check(path, name, warps):
    """Checks every schedule for races and for the interpreter's results."""
    for schedule in SCHEDULES:
        done = run(path, name, "--num-warps", str(warps), "--schedule", schedule, "--check", "interpreter")
        if done.returncode:
            return f"{name}, {warps} warps, {schedule}:\n{done.stdout}{done.stderr}"
    return None


def mutate(path, name, warps, folder):
    """(barriers, those whose removal is not detected)"""
    compiled = os.path.join(folder, f"{name}.{warps}.ptx")
    subprocess.run(["nereid", "compile", path, "--kernel", name, "--num-warps", str(warps), "--target", "sm_90a",
                    "--emit", "ptx", "-o", compiled], check=True)
    lines = open(compiled).read().split("\n")
    places = [i for i, line in enumerate(lines) if BARRIER.match(line)]
    survivors = []
    for place in places:
        mutant = os.path.join(folder, f"{name}.{warps}.{place}.ptx")
        with open(mutant, "w") as file:
            file.write("\n".join(lines[:place] + lines[place + 1:]))
        os.link(compiled + ".json", mutant + ".json")
        if "race:" not in (done := run(mutant, name)).stdout + done.stderr:
            survivors.append(f"{name}, {warps} warps, line {place + 1}: {lines[place].strip()}")
    return len(places), survivors


def main():
    path = sys.argv[1]
    wrong, total = [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        checks = [pool.submit(check, path, name, warps) for name in CASES for warps in (1, 2, 4, 8, 16)]
        mutants = [pool.submit(mutate, path, name, warps, folder) for name in CASES for warps in (1, 4)]
        for name in CASES.keys() - ORDERED_ANYWAY:
            if not run(path, name, "--num-warps", "1", "--no-global-order").returncode:
                wrong.append(f"{name}: no race without the barriers")
        wrong += [text for text in (future.result() for future in checks) if text]
        for future in mutants:
            barriers, survivors = future.result()
            total += barriers
            wrong += survivors
            if not barriers:
                wrong.append("a kernel without a barrier")
    print("\n".join(wrong))
    print(f"{total} barriers, each missed when it is taken away" if not wrong else f"{len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
