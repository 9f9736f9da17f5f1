"""Elementwise kernels with loads that have no vectors: Triton's code and Nereid's in turn, in one process.

    python3 bench/gpu/gathers.py --nereid build/release/bin/nereid [--only 'max_pool f16'] [--rounds 4]

Pooling, interpolation, tables, rows of odd length, strided and shifted loads, as PyTorch's Inductor writes them: one index per element,
from which others are computed. A row per kernel, type and size: both times, their ratio and whether the result is that of PyTorch. At
the end the geometric mean and the least ratio. Exit status 1 when a result of Nereid is wrong.
"""

import argparse
import math
import os
import re
import statistics
import sys

import torch
import triton
import triton.language as tl

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compilers import FLUSHED_BYTES, Compiler, microseconds  # noqa: E402

BLOCK = 1024
SIZES = [784 << 10, (784 << 10) * 48]  # elements of the result; the first is in the L2 cache
TYPES = {"f16": torch.float16, "f32": torch.float32}


@triton.jit
def max_pool(a, b, out, X: tl.constexpr):
    """Windows of 3x3 with steps of 2 and a border, from images of 56x56."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    row, column, image = x // 28 % 28, x % 28, x // 784
    result = tl.full([X], float("-inf"), tl.float32)
    for i in tl.static_range(-1, 2):
        for j in tl.static_range(-1, 2):
            r, c = 2 * row + i, 2 * column + j
            inside = (r >= 0) & (r < 56) & (c >= 0) & (c < 56)
            value = tl.load(a + (3136 * image + 112 * row + 2 * column + 56 * i + j), inside, other=float("-inf"))
            result = tl.maximum(result, value.to(tl.float32))
    tl.store(out + x, result)


@triton.jit
def average_pool(a, b, out, X: tl.constexpr):
    """Windows of 2x2, from rows of 224."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    start = a + (x % 112 * 2 + x // 112 * 448)
    first, second, third, fourth = tl.load(start), tl.load(start + 1), tl.load(start + 224), tl.load(start + 225)
    tl.store(out + x, (first.to(tl.float32) + second + third + fourth) * 0.25)


@triton.jit
def bilinear(a, b, out, X: tl.constexpr):
    """Images of 64x64 to 128x128."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    row, column, image = x // 128 % 128 * 0.5, x % 128 * 0.5, x // 16384
    r, c = row.to(tl.int32), column.to(tl.int32)
    below, right = tl.minimum(r + 1, 63), tl.minimum(c + 1, 63)
    at = a + 4096 * image
    first, second = tl.load(at + (64 * r + c)).to(tl.float32), tl.load(at + (64 * r + right)).to(tl.float32)
    third, fourth = tl.load(at + (64 * below + c)).to(tl.float32), tl.load(at + (64 * below + right)).to(tl.float32)
    upper, lower = first + (second - first) * (column - c), third + (fourth - third) * (column - c)
    tl.store(out + x, upper + (lower - upper) * (row - r))


@triton.jit
def nearest(a, b, out, X: tl.constexpr):
    """Images of 32x32 to 64x64."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    tl.store(out + x, tl.load(a + (x // 4096 * 1024 + x // 64 % 64 // 2 * 32 + x % 64 // 2)))


@triton.jit
def gated_pairs(a, b, out, X: tl.constexpr):
    x = tl.program_id(0) * X + tl.arange(0, X)
    tl.store(out + x, tl.load(a + 2 * x) * tl.load(a + 2 * x + 1))


@triton.jit
def odd_rows(a, b, out, X: tl.constexpr):
    """Rows of 769 to rows of 768."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    tl.store(out + x, tl.load(a + (x % 768 + x // 768 * 769)) + tl.load(b + x))


@triton.jit
def table_rows(a, b, out, X: tl.constexpr):
    """Rows of 48 of a table with rows of 49, by their numbers."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    tl.store(out + x, tl.load(a + (49 * tl.load(b + x // 48) + x % 48)))


@triton.jit
def rotary(a, b, out, X: tl.constexpr):
    x = tl.program_id(0) * X + tl.arange(0, X)
    c = x % 64
    cosine = tl.load(b + c)
    tl.store(out + x, tl.load(a + x) * cosine + tl.load(a + (x - c + (c + 32) % 64)) * (1 - cosine))


@triton.jit
def flipped(a, b, out, X: tl.constexpr):
    x = tl.program_id(0) * X + tl.arange(0, X)
    tl.store(out + x, tl.load(a + (x // 512 * 512 + 511 - x % 512)))


@triton.jit
def transposed(a, b, out, X: tl.constexpr):
    """Matrices of 512x512."""
    x = tl.program_id(0) * X + tl.arange(0, X)
    tl.store(out + x, tl.load(a + (x // 262144 * 262144 + x % 512 * 512 + x // 512 % 512)))


KERNELS = {function.fn.__name__: function
           for function in (max_pool, average_pool, bilinear, nearest, gated_pairs, odd_rows, table_rows, rotary, flipped, transposed)}


def expected(name, a, b, size):
    """The result of PyTorch, for the first elements; whole images or rows."""
    count = {"max_pool": 784 * 64, "bilinear": 16384 * 8, "transposed": 262144}.get(name, 64 * 48 * 1024 if size > SIZES[0] else size)
    x = torch.arange(min(count, size), device="cuda")
    a = a.double()
    if name == "max_pool":
        return torch.nn.functional.max_pool2d(a[:3136 * 64].view(64, 1, 56, 56), 3, 2, 1).flatten()
    if name == "average_pool":
        at = x % 112 * 2 + x // 112 * 448
        return (a[at] + a[at + 1] + a[at + 224] + a[at + 225]) * 0.25
    if name == "bilinear":
        row, column, image = x // 128 % 128, x % 128, x // 16384 * 4096
        r, c = row // 2, column // 2
        below, right, u, v = (r + 1).clamp(max=63), (c + 1).clamp(max=63), column % 2 * 0.5, row % 2 * 0.5
        upper = a[image + 64 * r + c] * (1 - u) + a[image + 64 * r + right] * u
        lower = a[image + 64 * below + c] * (1 - u) + a[image + 64 * below + right] * u
        return upper * (1 - v) + lower * v
    if name == "rotary":
        c = x % 64
        cosine = b.double()[c]
        return a[x] * cosine + a[x - c + (c + 32) % 64] * (1 - cosine)
    return {"nearest": lambda: a[x // 4096 * 1024 + x // 64 % 64 // 2 * 32 + x % 64 // 2], "gated_pairs": lambda: a[2 * x] * a[2 * x + 1],
            "odd_rows": lambda: a[x % 768 + x // 768 * 769] + b.double()[x], "table_rows": lambda: a[49 * b[x // 48] + x % 48],
            "flipped": lambda: a[x // 512 * 512 + 511 - x % 512],
            "transposed": lambda: a[x % 512 * 512 + x // 512 % 512]}[name]()


def measure(name, dtype, size, compilers, options, flush):
    """The time of each compiler, and whether Nereid's result is right."""
    torch.manual_seed(5)
    a = torch.randn(4 * size + 4096, device="cuda").to(dtype)
    b = torch.randint(0, size // 64, (size // 48 + BLOCK,), device="cuda") if name == "table_rows" else a[size:2 * size].clone()
    out, times = torch.empty(size, dtype=dtype, device="cuda"), ([], [])
    launch = lambda compiler: compiler.functions[name][(size // BLOCK,)](a, b, out, X=BLOCK)
    for compiler in compilers:
        compiler.activate()
        out.zero_()
        launch(compiler)
    want = expected(name, a, b, size)
    error = ((out[:want.numel()].double() - want).norm() / want.norm()).item()
    for _ in range(options.rounds):
        for compiler, found in zip(compilers, times):
            compiler.activate()
            found.append(microseconds(lambda: launch(compiler), flush if size > SIZES[0] else None))
    return *(statistics.median(found) for found in times), error < (1e-3 if dtype == torch.float16 else 1e-6)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="a regular expression of rows")
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    flush = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device="cuda")
    compilers, ratios, wrong = [Compiler(None, KERNELS), Compiler(options.nereid, KERNELS)], [], 0
    for name in KERNELS:
        for type_name, dtype in TYPES.items():
            for size in SIZES:
                row = f"{name} {type_name} {size}"
                if not re.search(options.only, row):
                    continue
                theirs, ours, right = measure(name, dtype, size, compilers, options, flush)
                ratios.append((theirs / ours, row))
                wrong += not right
                print(f"{row:30}{ours:8.1f} us  Triton {theirs:8.1f} us  ratio {theirs / ours:6.3f}  {'right' if right else 'WRONG'}", flush=True)
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
    print(f"{len(ratios)} ratios, geometric mean {mean:.3f}, least {min(ratios)[0]:.3f} ({min(ratios)[1]})")
    print(f"device: {torch.cuda.get_device_name()}; wrong: {wrong}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
