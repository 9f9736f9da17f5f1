"""A matrix multiplication by TMA with one, two and four CTAs per cluster (clusters.ttir), on a GPU.

    python3 bench/gpu/clusters.py --nereid build/release/bin/nereid [--size 8192]

A row per configuration: tile of a cluster, CTAs, producer warp or pipelined loop, and what `nereid run --bench` prints. Each
configuration is compared with the interpreter at a small size first.
"""
import argparse
import os
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clusters.ttir")
# Rows and columns of a cluster's tile, CTAs, whether a producer warp loads.
CASES = [(128, 256, 1, True), (256, 256, 2, True), (256, 512, 4, True), (128, 256, 1, False), (256, 256, 2, False), (256, 512, 4, False)]


def options(bm, bn, ctas, specialized):
    loop = "tt.warp_specialize" if specialized else "tt.num_stages = 3 : i32"
    return ["--define", f"BM={bm}", "--define", f"BN={bn}", "--define", f"LOOP={loop}", "--target", "sm_90a", "--num-warps", "8",
            "--num-stages", "3", "--num-ctas", str(ctas)]


def arguments(m, n, k):
    return ["--arg", f"a=f16[{m}x{k}]:rand", "--arg", f"b=f16[{k}x{n}]:rand", "--arg", f"c=f16[{m}x{n}]:zeros", "--arg", f"k={k}"]


def run(*command):
    got = subprocess.run(command, capture_output=True, text=True)
    return got.returncode, (got.stdout + got.stderr).strip().split("\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--size", type=int, default=8192)
    args = parser.parse_args()
    size, failed = args.size, False
    for bm, bn, ctas, specialized in CASES:
        name = f"{bm}x{bn}x64, {ctas} CTAs, {'producer warp' if specialized else 'pipelined'}"
        status, lines = run(args.nereid, "run", SOURCE, *options(bm, bn, ctas, specialized), "--on", "gpu", "--check", "interpreter",
                            "--grid", f"{512 // bm},{1024 // bn}", *arguments(512, 1024, 512))
        failed = failed or status != 0
        print(f"{name}: {'right' if status == 0 else lines}", flush=True)
        grid = ["--grid", f"{size // bm},{size // bn}", *arguments(size, size, size), "--on", "gpu", "--bench"]
        _, lines = run(args.nereid, "run", SOURCE, *options(bm, bn, ctas, specialized), *grid)
        print("   ", lines[-1], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
