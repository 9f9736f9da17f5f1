"""Kernels with host tensor descriptors through Triton's launcher: Triton's code, Nereid's, and the vendor's library.

    python3 bench/gpu/descriptors.py --nereid build/release/bin/nereid [--only matmul,persistent] [--size 8192]

Each compiler runs in a process of its own; Nereid compiles through examples/triton_stages.py. A row per kernel and
configuration: error against float64 (of some rows or of one head), TFLOP/s with the median of the runs, the spread (distance of the
quartiles over the median), and TFLOP/s of cuBLAS or PyTorch's attention in turn with the kernel. The clock follows power, so ratios to
the library in turn are more exact than those of the two processes. Runs are graphs: their time contains none of the host, which makes
tensor maps at each launch from Python. Exit status 1 when a result is wrong or a kernel fails.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from descriptor_kernels import attention, attention_logs, attention_persistent, gradient_sums, gradients_kv, gradients_q
from descriptor_kernels import matmul, persistent, persistent_halves
from specialized_kernels import attention_of_descriptors, linear_of_descriptors, persistent_of_descriptors

import timing

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS, CHECKED_ROWS, MULTIPROCESSORS = 20, 512, 132
HEADS = 32
# By width: rows of queries, rows of keys, heads that causal attention computes together, options. Of 128: one persistent CTA per
# multiprocessor, with a producer; of 64: three CTAs without one.
ATTENTION = {128: (128, 128, HEADS, {"num_warps": 8, "num_stages": 2}), 64: (64, 128, 16, {"num_warps": 4, "num_stages": 2})}
# By width: rows of queries and keys in the kernels of keys and values and of queries, with options; whether causal attention has a
# loop of its own for the diagonal. Of 64, the second: at most 168 registers leave three CTAs.
BACKWARD = {
    128: {"": ((64, 128), (128, 64), {"num_warps": 8, "num_stages": 2}, {"num_warps": 8, "num_stages": 2}, False)},
    64: {"": ((64, 128), (128, 64), {"num_warps": 8, "num_stages": 2}, {"num_warps": 8, "num_stages": 2}, True),
         "_4_warps": ((64, 64), (128, 64), {"num_warps": 4, "num_stages": 2, "maxnreg": 168}, {"num_warps": 8, "num_stages": 3}, True)},
}
CAUSAL_GROUP = 8  # heads that the causal backward pass computes together


def describe(tensor, block):
    return TensorDescriptor.from_tensor(tensor, block)


class Case:
    def prepare(self):
        """Launches what the measured kernels need."""


class Matmul(Case):
    def __init__(self, name, function, size, tile, dtype=torch.float16, transposed=False, **options):
        self.name, self.function, self.options = f"{name}_{size}", function, options
        self.persistent, self.halves = function not in (matmul, linear_of_descriptors), function is persistent_halves
        m = n = k = size
        self.tile, self.dims = tile, (m, n, k)
        generator = torch.Generator(device="cuda").manual_seed(5)
        self.a, b = (torch.randn((m, k), device="cuda", generator=generator).to(dtype) for _ in range(2))
        self.b = b.T if transposed else b
        self.c = torch.empty((m, n), device="cuda", dtype=torch.float16)
        bm, bn, bk = tile
        blocks = [bn, bk] if transposed else [bk, bn]
        self.arguments = [describe(self.a, [bm, bk]), describe(b, blocks), describe(self.c, [bm, bn // 2 if self.halves else bn]), m, n, k, bm, bn, bk]
        self.tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
        self.operations = 2 * m * n * k
        self.transposed = transposed
        self.vendor = (lambda: torch.mm(self.a, self.b)) if dtype == torch.float16 else None

    def run(self):
        flags = {matmul: (self.transposed,), persistent: (self.options.get("flatten", False), False),
                 persistent_halves: (16, self.transposed)}.get(self.function, ())
        options = {key: value for key, value in self.options.items() if key != "flatten"}
        grid = min(self.tiles, MULTIPROCESSORS) if self.persistent else self.tiles
        self.function[(grid,)](*self.arguments, *flags, **options)

    def error(self):
        want = self.a[:CHECKED_ROWS].double() @ self.b.double()
        return ((self.c[:CHECKED_ROWS].double() - want).norm() / want.norm()).item()


class Attention(Case):
    def __init__(self, name, width, causal, length=8192, heads=HEADS, function=None, **options):
        bm, bn, group, usual = ATTENTION[width]
        self.name, self.options, self.causal = name, options or usual, causal
        self.function = function or (attention_persistent if width == 128 else attention)
        generator = torch.Generator(device="cuda").manual_seed(6)
        self.q, self.k, self.v = (torch.randn((heads, length, width), device="cuda", generator=generator).half() for _ in range(3))
        self.o = torch.empty_like(self.q)
        rows = [tensor.view(-1, width) for tensor in (self.q, self.k, self.v, self.o)]
        self.scale = width ** -0.5
        blocks = [bm, bn, bn, bm]
        descriptors = [describe(t, [r, width]) for t, r in zip(rows, blocks)]
        counts = [length, heads] if self.function is attention_persistent else [length]
        order = [] if function else [group if causal else 1]
        self.arguments = [*descriptors, self.scale, *counts, width, bm, bn, causal, *order]
        tiles = length // bm
        self.grid = (tiles, heads) if function else (MULTIPROCESSORS if width == 128 else tiles * heads,)
        self.operations = 4 * heads * length * length * width // (2 if causal else 1)
        self.vendor = lambda: torch.nn.functional.scaled_dot_product_attention(*(t[None] for t in (self.q, self.k, self.v)), is_causal=causal)

    def run(self):
        self.function[self.grid](*self.arguments, **self.options)

    def error(self):
        scores = self.q[-1].double() @ self.k[-1].double().T * self.scale
        if self.causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu_(1), float("-inf"))
        want = torch.softmax(scores, -1) @ self.v[-1].double()
        return ((self.o[-1].double() - want).norm() / want.norm()).item()


class Backward(Case):
    """The three gradients of attention, by three kernels; the operations are those of five matrix multiplications."""

    def __init__(self, name, width, causal, tiles, length=8192, heads=HEADS):
        (bm, bn), (cm, cn), options_kv, options_q, split = BACKWARD[width][tiles]
        self.name, self.causal, self.width = name, causal, width
        generator = torch.Generator(device="cuda").manual_seed(6)
        q, k, v, g = (torch.randn((heads, length, width), device="cuda", generator=generator).half() for _ in range(4))
        o, dq, dk, dv = (torch.empty_like(q) for _ in range(4))
        self.q, self.k, self.v, self.g, self.results = q, k, v, g, (dq, dk, dv)
        logs, delta = (torch.empty(heads * length, device="cuda") for _ in range(2))
        self.scale = width ** -0.5
        flat = [tensor.view(-1, width) for tensor in (q, k, v, g, o, dq, dk, dv)]

        def described(rows):
            return [describe(tensor, [count, width]) for tensor, count in zip(flat, rows)]

        fq, fk, fv, _, fo, _, _, _ = described([128] * 8)
        forward = (fq, fk, fv, fo, logs, self.scale, length, width, 128, 128, causal)
        self.prepare = lambda: attention_logs[(length // 128, heads)](*forward, num_warps=8, num_stages=2)
        group = CAUSAL_GROUP if causal else 1
        sums = described([64] * 8)
        self.sums = lambda: gradient_sums[(heads * length // 64,)](sums[4], sums[3], delta, width, 64, num_warps=4)
        kq, kk, kv, kg, _, _, kdk, kdv = described([bm, bn, bn, bm, bm, bm, bn, bn])
        self.of_kv = lambda: gradients_kv[(length // bn * heads,)](kq, kk, kv, kg, logs, delta, kdk, kdv, self.scale, length, width, bm, bn, causal,
                                                                   group, split, **options_kv)
        qq, qk, qv, qg, _, qdq, _, _ = described([cm, cn, cn, cm, cm, cm, cn, cn])
        self.of_q = lambda: gradients_q[(length // cm * heads,)](qq, qk, qv, qg, logs, delta, qdq, self.scale, length, width, cm, cn, causal, group,
                                                                 **options_q)
        self.operations = 10 * heads * length * length * width // (2 if causal else 1)
        leaves = [tensor[None].detach().requires_grad_() for tensor in (q, k, v)]
        out = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal)
        self.vendor = lambda: torch.autograd.grad(out, leaves, g[None], retain_graph=True)

    def run(self):
        self.sums()
        self.of_kv()
        self.of_q()

    def error(self):
        q, k, v, g = (tensor[-1].double() for tensor in (self.q, self.k, self.v, self.g))
        scores = q @ k.T * self.scale
        if self.causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu_(1), float("-inf"))
        p = torch.softmax(scores, -1)
        s = p * (g @ v.T - (p @ v * g).sum(-1, keepdim=True)) * self.scale
        expected = (s @ k, s.T @ q, p.T @ g)
        return max(((got[-1].double() - want).norm() / want.norm()).item() for got, want in zip(self.results, expected))


def cases(size):
    f8 = torch.float8_e4m3fn
    yield lambda: Matmul("matmul_128x256x64", matmul, size, (128, 256, 64), num_warps=8, num_stages=3)
    yield lambda: Matmul("matmul_128x128x64", matmul, size, (128, 128, 64), num_warps=4, num_stages=4)
    yield lambda: Matmul("matmul_tn_128x256x64", matmul, size, (128, 256, 64), transposed=True, num_warps=8, num_stages=3)
    yield lambda: Matmul("matmul_fp8_128x256x128", matmul, size, (128, 256, 128), dtype=f8, transposed=True, num_warps=8, num_stages=3)
    yield lambda: Matmul("persistent_128x256x64", persistent, size, (128, 256, 64), num_warps=8, num_stages=3)
    yield lambda: Matmul("persistent_flat_128x256x64", persistent, size, (128, 256, 64), num_warps=8, num_stages=3, flatten=True)
    yield lambda: Matmul("persistent_halves_128x256x64", persistent_halves, size, (128, 256, 64), num_warps=8, num_stages=3)
    for warps in (4, 8):
        wide = (128, 256, 64) if warps == 8 else (128, 128, 64)
        options = dict(transposed=True, num_warps=warps, num_stages=3)
        yield lambda: Matmul(f"specialized_k_{warps}_warps", linear_of_descriptors, size, wide, **options)
        yield lambda: Matmul(f"specialized_tiles_{warps}_warps", persistent_of_descriptors, size, wide, **options)
    for width, causal, warps in ((128, False, 8), (128, True, 8), (64, False, 4), (64, True, 4)):
        name = f"specialized_attention_d{width}_{'causal' if causal else 'full'}"
        yield lambda: Attention(name, width, causal, function=attention_of_descriptors, num_warps=warps, num_stages=2)
    for length in (8192, 4096):
        for width in (128, 64):
            for causal in (False, True):
                name = f"attention_d{width}_{'causal' if causal else 'full'}_{length}"
                yield lambda: Attention(name, width, causal, length)
    for width in (128, 64):
        for causal in (False, True):
            for tiles in BACKWARD[width]:
                yield lambda: Backward(f"backward_d{width}_{'causal' if causal else 'full'}{tiles}", width, causal, tiles)


def measure(case, flush):
    case.prepare()
    case.run()
    torch.cuda.synchronize()
    row = {"error": case.error()}
    calls = [timing.recorded(call) for call in (case.run, case.vendor) if call]
    times = [[] for _ in calls]
    for i in range(ROUNDS):
        for j in range(len(calls)) if i % 2 else reversed(range(len(calls))):
            times[j].append(timing.microseconds(calls[j], flush))
    rates = [case.operations * 1e-6 / statistics.median(series) for series in times]
    quarter, median, three_quarters = statistics.quantiles(times[0], n=4)
    return row | {"rate": rates[0], "vendor": rates[1] if case.vendor else None, "spread": (three_quarters - quarter) / median}


def run_child(options):
    if options.child == "nereid":
        sys.path.insert(0, os.path.join(HERE, "..", "..", "examples"))
        import triton_stages
        triton_stages.register()
    torch.cuda.set_stream(torch.cuda.Stream())
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    for make in cases(options.size):
        case = make()
        if options.only and not any(part in case.name for part in options.only.split(",")):
            continue
        try:
            row = measure(case, flush)
        except Exception as error:  # of Triton, Nereid or the driver: this row's failure
            row = {"failure": f"{type(error).__name__}: {str(error)[:600]}"}
        print(json.dumps({"name": case.name, **row}), flush=True)
        del case
        torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="comma-separated parts of kernel names")
    parser.add_argument("--size", type=int, default=8192, help="rows, columns and depth of the matmuls")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return run_child(options)
    rows, failed = {}, False
    for compiler in ("triton", "nereid"):
        call = [sys.executable, os.path.abspath(__file__), "--child", compiler, "--only", options.only, "--size", str(options.size)]
        environment = dict(os.environ, NEREID=os.path.abspath(options.nereid), TRITON_CACHE_DIR=f"/tmp/descriptors-{compiler}-{os.getpid()}")
        output = subprocess.run(call, env=environment, stdout=subprocess.PIPE, text=True).stdout
        rows[compiler] = {row["name"]: row for row in map(json.loads, filter(None, output.splitlines()))}
    for name, theirs in rows["triton"].items():
        ours = rows["nereid"].get(name, {"failure": "the process ended"})
        failed |= "failure" in ours or not ours["error"] < 5e-3 + 2 * theirs.get("error", 0)
        if "failure" in ours or "failure" in theirs:
            print(f"{name:32} Nereid {ours}  Triton {theirs}")
            continue
        vendor = ""
        if ours["vendor"]:
            vendor = (f"  library {ours['vendor']:6.1f} ratio {ours['rate'] / ours['vendor']:.3f}"
                      f" (Triton's {theirs['rate'] / theirs['vendor']:.3f})")
        print(f"{name:32} error {ours['error']:.1e} (Triton {theirs['error']:.1e})  {ours['rate']:6.1f} TFLOP/s (spread {ours['spread']:.1%})  "
              f"Triton {theirs['rate']:6.1f} (spread {theirs['spread']:.1%}) ratio {ours['rate'] / theirs['rate']:.3f}{vendor}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
