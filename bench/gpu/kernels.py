"""Measures kernels on a GPU against the faster of two Triton versions in the same run, and checks float64 references.

    python3 bench/gpu/kernels.py --nereid build/release/bin/nereid --corpus ../shared/corpus [--only softmax_row,histo]
                                [--peer FOLDER]    the output of compile_peer.py with another version

Prints a line per kernel and the geometric mean of the ratios of times; exit status 1 when a result is wrong or a kernel is
below 0.95 of the speed of the faster Triton. Needs PyTorch, Triton and CuPy; only the benchmarks of this folder do.
"""

import argparse
import itertools
import math
import subprocess
import sys
import tempfile

import cupy
import torch

import classes
import elementwise
import rows
from harness import build_nereid, build_triton, check, compare, load_peer


def measure(nereid, case, folder, flush, peers):
    """Our error, the largest of Triton's, our time and Triton's by version, in milliseconds."""
    ours = build_nereid(nereid, case, folder)
    others = [kernel for kernel in (build_triton(case, folder), load_peer(peers, case)) if kernel]
    errors = []
    for kernel in (ours, *others):
        for output in case.outputs:
            output.zero_()
        kernel.launch(case.grid, case.args)
        torch.cuda.synchronize()
        errors.append(check(case))
    return errors[0], max(errors[1:]), *compare(ours, others, case, flush)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--corpus", default="../shared/corpus")
    parser.add_argument("--only", default="", help="comma-separated kernels")
    parser.add_argument("--peer", default="", help="folder of compile_peer.py: cubins of another Triton version")
    options = parser.parse_args()
    stream = torch.cuda.Stream()
    failed, ratios = [], []
    with tempfile.TemporaryDirectory() as folder, torch.cuda.stream(stream), cupy.cuda.Stream.from_external(stream):
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        for case in itertools.chain(elementwise.cases(options.corpus), rows.cases(options.corpus), classes.cases()):
            if options.only and case.name not in options.only.split(","):
                continue
            try:
                error, their_error, mine, others = measure(options.nereid, case, folder, flush, options.peer)
            except subprocess.CalledProcessError:
                failed.append(case.name)
                print(f"{case.name:18} does not compile", flush=True)
                continue
            other = min(others)
            ratios.append(other / mine)
            good = error <= case.tolerance and ratios[-1] >= 0.95
            failed += [] if good else [case.name]
            print(f"{case.name:18} error {error:.2e} (Triton {their_error:.2e}, tolerance {case.tolerance:.0e})  "
                  f"{mine * 1e3:8.1f} us {case.bytes / mine / 1e6:7.0f} GB/s  Triton {' '.join(f'{t * 1e3:8.1f}' for t in others)} us "
                  f"{case.bytes / other / 1e6:7.0f} GB/s  ratio {ratios[-1]:.3f} {'ok' if good else 'FAILED'}", flush=True)
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios: {math.prod(ratios) ** (1 / len(ratios)):.3f}; failed: {', '.join(failed) or 'none'}")
    print("device:", torch.cuda.get_device_name())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
