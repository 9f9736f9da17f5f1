"""Matmuls with many tile shapes, stages and warps: Triton's code and Nereid's in turn, in one process.

    python3 bench/gpu/tiles.py --nereid build/release/bin/nereid [--only 'pointers .* 4 warps'] [--sizes 2048,4096]
                               [--processes 14] [--rounds 4]

An autotuner tries configurations that a benchmark of the best one does not show. The kernels: operands through pointers and through
descriptors, a program per tile and persistent ones with a flattened nest. Processes compile all configurations into Triton's cache
first. A row per configuration: both times, their ratio and the error against float32; "-" where a compiler refuses. At the end the
geometric mean and the least ratio per kernel. Exit status 1 when a result of Nereid is wrong.
"""

import argparse
import math
import multiprocessing
import os
import re
import statistics
import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import descriptor_kernels  # noqa: E402
import dot_kernels  # noqa: E402
from compilers import FLUSHED_BYTES, Compiler, microseconds  # noqa: E402

MULTIPROCESSORS = 132
# Rows, columns and depth of a tile, stages, warps.
TILES = [(bm, bn, bk, stages, warps) for bm in (128,) for bn in (128, 256) for bk in (64, 128) for stages in (2, 3, 4)
         for warps in (4, 8)]
SMALL_TILES = [(64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4), (128, 32, 32, 4, 4), (64, 32, 32, 5, 2),
               (32, 64, 32, 5, 2), (64, 256, 128, 4, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (128, 32, 64, 4, 4), (256, 128, 64, 3, 8),
               (64, 64, 64, 4, 4), (64, 64, 32, 3, 4), (64, 128, 128, 3, 4), (32, 128, 64, 4, 4), (16, 128, 128, 4, 4), (16, 64, 64, 5, 4)]


@triton.jit
def persistent_pointers(a, b, c, m, n, k, sam, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T of contiguous rows; each program computes every so many tiles."""
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    rk = tl.arange(0, BK)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True):
        tm, tn = descriptor_kernels.tile_of(tile, tiles_m, tiles_n, 8)
        rm, rn = tm * BM + tl.arange(0, BM), tn * BN + tl.arange(0, BN)
        pa = tl.max_contiguous(tl.multiple_of(tl.where(rm < m, rm, 0), BM), BM)
        pb = tl.max_contiguous(tl.multiple_of(tl.where(rn < n, rn, 0), BN), BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(0, tl.cdiv(k, BK)):
            x = tl.load(a + pa[:, None] * sam + (i * BK + rk)[None, :], mask=rk[None, :] < k - i * BK, other=0.0)
            y = tl.load(b + pb[None, :] * sbn + (i * BK + rk)[:, None], mask=rk[:, None] < k - i * BK, other=0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < m) & (rn[None, :] < n))


FUNCTIONS = {"pointers": dot_kernels.matmul, "persistent pointers": persistent_pointers,
             "descriptors": descriptor_kernels.matmul, "persistent descriptors": descriptor_kernels.persistent}


class Case:
    """c = a @ b.T of square f16 matrices by one kernel with one configuration."""

    def __init__(self, kernel, size, tile):
        self.kernel, self.size, self.tile = kernel, size, tile
        self.name = "{} {} {}x{}x{} {} stages {} warps".format(kernel, size, *tile)

    def arguments(self, matrices):
        """The grid and the arguments of a launch."""
        a, b, c = matrices
        bm, bn, bk = self.tile[:3]
        tiles, n = triton.cdiv(self.size, bm) * triton.cdiv(self.size, bn), self.size
        grid = (min(tiles, MULTIPROCESSORS) if "persistent" in self.kernel else tiles,)
        if "descriptors" in self.kernel:
            a, b, c = (TensorDescriptor.from_tensor(x, block) for x, block in ((a, [bm, bk]), (b, [bn, bk]), (c, [bm, bn])))
        strides = {"pointers": (n, 1, 1, n, n), "persistent pointers": (n, n, n)}.get(self.kernel, ())
        flags = {"pointers": (8, tl.float16, "tf32", 1, 0), "descriptors": (True,),
                 "persistent descriptors": (True, True)}.get(self.kernel, ())
        return grid, (a, b, c, n, n, n, *strides, bm, bn, bk, *flags)

    def launch(self, compiler, matrices):
        grid, arguments = self.arguments(matrices)
        compiler.functions[self.kernel][grid](*arguments, num_stages=self.tile[3], num_warps=self.tile[4])


def cases(sizes, only):
    for size in sizes:
        for kernel in FUNCTIONS:
            for tile in TILES if "persistent" in kernel else [*SMALL_TILES, *TILES]:
                case = Case(kernel, size, tile)
                if re.search(only, case.name):
                    yield case


def matrices_of(size):
    torch.manual_seed(5)
    a, b = (torch.randn((size, size), device="cuda").half() for _ in range(2))
    return a, b, torch.empty_like(a)


def compile_part(options, part):
    """Compiles every so many of the configurations."""
    compilers = [Compiler(None, FUNCTIONS), Compiler(options.nereid, FUNCTIONS)]
    for i, case in enumerate(cases(options.sizes, options.only)):
        for compiler in compilers if i % options.processes == part else ():
            compiler.activate()
            try:
                case.launch(compiler, matrices_of(case.size))
            except Exception:  # it is reported when it is measured
                pass


def measure(case, compilers, rounds, flush):
    """The time and the error of each compiler, or None and why it refuses."""
    matrices, results = matrices_of(case.size), []
    want = matrices[0].float() @ matrices[1].float().T
    for compiler in compilers:
        compiler.activate()
        try:
            matrices[2].zero_()
            case.launch(compiler, matrices)
            results.append([[], ((matrices[2].float() - want).norm() / want.norm()).item()])
        except Exception as error:
            results.append([None, f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"])
    for _ in range(rounds):
        for compiler, (times, _) in zip(compilers, results):
            if times is not None:
                compiler.activate()
                times.append(microseconds(lambda: case.launch(compiler, matrices), flush))
    return [(statistics.median(times) if times else None, error) for times, error in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="a regular expression of rows")
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=[2048, 4096])
    parser.add_argument("--processes", type=int, default=14, help="that compile")
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    parts = [context.Process(target=compile_part, args=(options, part)) for part in range(options.processes)]
    for part in parts:
        part.start()
    for part in parts:
        part.join()
    flush = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device="cuda")
    compilers, ratios, wrong = [Compiler(None, FUNCTIONS), Compiler(options.nereid, FUNCTIONS)], {}, 0
    for case in cases(options.sizes, options.only):
        (theirs, _), (ours, error) = measure(case, compilers, options.rounds, flush)
        shown = [f"{time:8.1f}" if time else f"{'-':>8}" for time in (ours, theirs)]
        ratio = theirs / ours if ours and theirs else None
        if ratio:
            ratios.setdefault(case.kernel, []).append((ratio, case.name))
        wrong += ours is not None and not error < 2e-3
        print(f"{case.name:58}{shown[0]} us  Triton {shown[1]} us  ratio {f'{ratio:.3f}' if ratio else '-':>6}  "
              f"{f'error {error:.1e}' if ours else error}", flush=True)
    for kernel, found in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
        print(f"{kernel}: {len(found)} ratios, geometric mean {mean:.3f}, least {min(found)[0]:.3f} ({min(found)[1]})")
    print(f"device: {torch.cuda.get_device_name()}; wrong: {wrong}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
