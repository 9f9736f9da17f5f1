"""Compares kernels with calls, and warp-specialized kernels, with the interpreter.

    calls.py [--on gpu] FILE...

On the emulator each runs under every warp schedule and every landing time of asynchronous effects, with the race detector
and the frame check; on a GPU once. FILE is a program with an entry in CASES.
"""
import os
import subprocess
import sys

ROWS = ["--grid", "4", "--arg", "0=f32[4x256]:rand", "--arg", "1=f32[4x256]:zeros", "--arg"]
WARPS = ["--grid", "4", "--arg", "0=f32[4x256]:rand", "--arg", "1=f32[16x256]:zeros", "--arg"]
CASES = {
    "calls.ttgir": {
        "diamond": [*ROWS, "2=0"],
        "levels": [*ROWS, "2=0"],
        "loop": [*ROWS, "2=5"],
        "branches": [*ROWS, "2=0"],
        "handed": [*ROWS, "2=0"],
        "flight": [*ROWS, "2=0"],
    },
    "warps.ttgir": {
        "exchanges": [*WARPS, "2=0"],
        "ring": [*WARPS, "2=7"],
        "chain": [*WARPS, "2=5"],
        "loop": [*WARPS, "2=5"],
        "shared_callee": [*WARPS, "2=0"],
        "early": [*WARPS, "2=0"],
        "branch": [*WARPS, "2=0"],
        "counts": [*WARPS, "2=3"],
        "scratch": [*WARPS, "2=0"],
        "plain": [*WARPS, "2=0"],
    },
    "calls.ttir": {
        "registers": "--grid 1 --arg x=f32[128x128]:rand --arg o=f32[128x128]:zeros --arg n=0".split(),
        "blocks_moved": "--grid 4 --arg x=f32[16x256]:rand --arg o=f32[16]:zeros --arg n=4".split(),
        "descriptors": "--grid 4 --arg x=f32[30x32]:rand --arg o=f32[32x32]:zeros --arg n=0".split(),
        "ahead": "--grid 1 --arg x=f32[7x512]:rand --arg o=f32[512]:zeros --arg n=7".split(),
        "returns": "--grid 1 --arg x=f32[7x512]:rand --arg o=f32[512]:zeros --arg n=7".split(),
    },
    "noinline_live_frame.ttir": {
        "kernel": "--grid 1 --arg a=f16[64x128]:rand --arg b=f16[128x64]:rand --arg c=f32[64x64]:zeros"
                  " --arg x=f32[2048]:rand --arg o=f32[1]:zeros --arg K=128".split(),
    },
    "noinline_chain.ttir": {
        "noinline_chain": "--grid 3 --arg x=f32[6144]:rand --arg y=f32[6144]:rand --arg o=f32[96]:zeros".split(),
    },
}
EMULATED = [["--racecheck", "--schedule", schedule, "--landing", landing]
            for schedule in ("round-robin", "random", "adversarial") for landing in ("issue", "wait", "random")]


def run(path, kernel, arguments, engine, how):
    command = ["nereid", "run", path, "--kernel", kernel, "--on", engine, "--check", "interpreter", *arguments, *how]
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if got.returncode:
        print(" ".join(command), *got.stdout.splitlines()[:12], sep="\n")
    return got.returncode == 0


def main(arguments):
    gpu = arguments[:2] == ["--on", "gpu"]
    good = True
    for path in arguments[2:] if gpu else arguments:
        for kernel, case in CASES[os.path.basename(path)].items():
            results = [run(path, kernel, case, "gpu" if gpu else "emulator", how) for how in ([[]] if gpu else EMULATED)]
            print(f"{os.path.basename(path)} {kernel}: {sum(results)} of {len(results)} good", flush=True)
            good = good and all(results)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
