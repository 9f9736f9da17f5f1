"""Elementwise kernels on a GPU: against a float64 reference, and beside Triton 3.6 in the same run.

    python3 bench/gpu_elementwise.py --nereid build/release/bin/nereid --corpus ../shared/corpus

Both compilers get the same .ttir; both cubins keep the same ABI, so both are launched by the same driver call and timed
by the same events, in turns, with the L2 cache flushed in between. Prints a line per kernel;
exit status 1 when a result is wrong or a memory-bound kernel is below 0.95 of Triton's bandwidth. Needs PyTorch, Triton
and CuPy; only this benchmark does.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import cupy
import numpy
import torch
import triton
from triton.backends.compiler import GPUTarget

N = 1 << 26  # elements of the memory-bound kernels


def philox_uniform(offsets, seed):
    """The numbers in [0, 1) that tl.rand(seed, offsets) draws: Philox4x32-10, in integers on the CPU."""
    mask = numpy.uint64(0xFFFFFFFF)
    c = [offsets.astype(numpy.uint64), *[numpy.zeros_like(offsets, numpy.uint64) for _ in range(3)]]
    k0, k1 = numpy.uint64(seed & 0xFFFFFFFF), numpy.uint64((seed >> 32) & 0xFFFFFFFF)
    a, b = numpy.uint64(0xD2511F53), numpy.uint64(0xCD9E8D57)
    for _ in range(10):
        p0, p1 = a * c[0], b * c[2]
        h0, l0, h1, l1 = p0 >> numpy.uint64(32), p0 & mask, p1 >> numpy.uint64(32), p1 & mask
        c = [h1 ^ c[1] ^ k0, l1, h0 ^ c[3] ^ k1, l0]
        k0, k1 = (k0 + numpy.uint64(0x9E3779B9)) & mask, (k1 + numpy.uint64(0xBB67AE85)) & mask
    bits = c[0].astype(numpy.uint32).view(numpy.int32).astype(numpy.int64)
    bits = numpy.where(bits < 0, -bits - 1, bits)
    return bits.astype(numpy.float32) * numpy.float32(4.6566126e-10)


def dropout(x, p, seed):
    keep = philox_uniform(numpy.arange(x.shape[0], dtype=numpy.uint32), seed) > p
    return torch.from_numpy(numpy.where(keep, x.double().cpu().numpy() / (1 - p), 0.0)).cuda()


def f64(t):
    return t.double()


class Case:
    """A kernel, its arguments, what it must compute, and the bytes it moves."""

    def __init__(self, name, path, grid, args, outputs, reference, bytes_moved, tolerance, num_warps=4, check_rows=None):
        self.name, self.path, self.grid, self.args = name, path, grid, args
        self.outputs, self.reference, self.bytes, self.tolerance = outputs, reference, bytes_moved, tolerance
        self.num_warps, self.check_rows = num_warps, check_rows


def cases(corpus):
    g = torch.Generator(device="cuda").manual_seed(1)
    rand = lambda *s, dtype=torch.float32: torch.rand(*s, device="cuda", generator=g).mul(4).sub(2).to(dtype)
    index = json.load(open(os.path.join(corpus, "kernels", "index.json")))
    warps = lambda n: index.get(n, {}).get("num_warps", 4)
    kernel = lambda n: os.path.join(corpus, "kernels", n + ".ttir")
    inductor = lambda n: os.path.join(corpus, "inductor", n + ".ttir")
    inductor_warps = lambda n: json.load(open(os.path.join(corpus, "inductor", n + ".json")))["num_warps"]

    x, y, o = rand(N), rand(N), torch.zeros(N, device="cuda")
    yield Case("vector_add", kernel("vector_add"), ((N + 1023) // 1024, 1, 1), [x, y, o, numpy.int32(N)], [o],
               lambda: [f64(x) + f64(y)], 12 * N, 1e-7, warps("vector_add"))

    M, K = 8192, 4096
    a, bias, out = rand(M, K, dtype=torch.bfloat16), rand(K, dtype=torch.bfloat16), torch.zeros(M, K, dtype=torch.bfloat16, device="cuda")
    yield Case("gelu_bias", kernel("gelu_bias"), (M // 32, K // 128, 1), [a, bias, out, numpy.int32(M), numpy.int32(K), numpy.int32(K), numpy.int32(K)],
               [out], lambda: [torch.nn.functional.gelu(f64(a) + f64(bias))], 4 * M * K, 8e-3, warps("gelu_bias"))

    d = torch.zeros(N, device="cuda")
    yield Case("dropout", kernel("dropout"), ((N + 1023) // 1024, 1, 1), [x, d, numpy.int32(N), numpy.float32(0.3), numpy.int32(17)], [d],
               lambda: [dropout(x[: 1 << 20], numpy.float32(0.3), 17)],
               8 * N, 1e-6, warps("dropout"), 1 << 20)

    u, lo = torch.rand(N, device="cuda", generator=g), torch.zeros(N, device="cuda")
    yield Case("libdev", kernel("libdev"), ((N + 1023) // 1024, 1, 1), [u, lo, numpy.int32(N)], [lo],
               lambda: [torch.asin(f64(u)) + f64(u) ** 3 + torch.sin(f64(u)) + torch.tanh(f64(u))], 8 * N, 2e-6, warps("libdev"))

    f8 = torch.zeros(N, dtype=torch.float8_e4m3fn, device="cuda")
    big = rand(N) * 200
    yield Case("fp8_cast", kernel("fp8_cast"), ((N + 1023) // 1024, 1, 1), [big, f8, numpy.int32(N)], [f8],
               lambda: [f64(big.clamp(-448, 448).to(torch.float8_e4m3fn).float())], 5 * N, 0.0, warps("fp8_cast"))

    total = 100003
    p = [torch.rand(total, device="cuda", generator=g) for _ in range(4)]
    q = [torch.zeros(total, device="cuda") for _ in range(3)]

    def adam():
        m = f64(p[0]) * 0.9 + f64(p[1]) * 0.1
        v = f64(p[2]) * 0.999 + f64(p[1]) ** 2 * 1e-3
        return [m, v, f64(p[3]) - m * 1e-3 / (v.sqrt() + 1e-8)]

    yield Case("adam.0", inductor("adam.0"), ((total + 1023) // 1024, 1, 1), [*p, *q, numpy.int32(total)], q, adam, 28 * total, 1e-6,
               inductor_warps("adam.0"))

    tokens, width = 65536, 256
    seed = torch.tensor([123456789012345], device="cuda")
    ids = torch.randint(0, 1000, (tokens,), device="cuda", generator=g)
    table, e = rand(1000, width, dtype=torch.float16), torch.zeros(tokens, width, dtype=torch.float16, device="cuda")

    def embed():
        keep = philox_uniform(numpy.arange(tokens * width, dtype=numpy.uint32), int(seed.item())) > numpy.float32(0.1)
        return [torch.where(torch.from_numpy(keep).cuda().view(tokens, width), f64(table)[ids] * numpy.float32(1.11111116), 0.0)]

    yield Case("embed_drop.0", inductor("embed_drop.0"), (width // 64, tokens // 64, 1),
               [seed, ids, table, e, numpy.int32(0), numpy.int32(tokens), numpy.int32(width)], [e], embed,
               2 * tokens * width * 2 + 8 * tokens, 2e-3, inductor_warps("embed_drop.0"))


def argument(value):
    if torch.is_tensor(value):
        return numpy.uint64(value.data_ptr())
    return value


class Kernel:
    """A cubin and how to launch it: the same for both compilers."""

    def __init__(self, image, name, num_warps, shared):
        self.module = cupy.RawModule(path=image)
        self.function = self.module.get_function(name)
        if shared > 48 * 1024:
            self.function.max_dynamic_shared_size_bytes = shared
        self.threads, self.shared = 32 * num_warps, shared

    def launch(self, grid, args):
        scratch = [numpy.uint64(0), numpy.uint64(0)]
        self.function(grid, (self.threads, 1, 1), tuple(argument(a) for a in args) + tuple(scratch), shared_mem=self.shared)


def build_nereid(nereid, case, folder):
    image = os.path.join(folder, case.name + ".nereid.cubin")
    subprocess.run([nereid, "compile", case.path, "-o", image, "--target", "sm_90a", "--num-warps", str(case.num_warps)], check=True)
    beside = image + ".json" if os.path.exists(image + ".json") else os.path.splitext(image)[0] + ".json"
    meta = json.load(open(beside))
    return Kernel(image, meta["name"], case.num_warps, meta["shared"])


def build_triton(case, folder):
    source = os.path.join(folder, case.name + ".ttir")
    open(source, "w").write(open(case.path).read())
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": case.num_warps})
    image = os.path.join(folder, case.name + ".triton.cubin")
    open(image, "wb").write(compiled.asm["cubin"])
    return Kernel(image, compiled.metadata.name, case.num_warps, compiled.metadata.shared)


def check(case):
    worst = 0.0
    for got, want in zip(case.outputs, case.reference()):
        if case.check_rows:
            got = got[: case.check_rows]
        difference = (got.float().double() - want).abs() / (1 + want.abs())
        if torch.isnan(difference).any():
            return float("nan")
        worst = max(worst, difference.max().item())
    return worst


def time_of(kernel, case, flush):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    start.record()
    kernel.launch(case.grid, case.args)
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


def compare(nereid, other, case, flush, rounds=60):
    times = {nereid: [], other: []}
    for _ in range(rounds):
        for kernel in (nereid, other):
            times[kernel].append(time_of(kernel, case, flush))
    return statistics.median(times[nereid]), statistics.median(times[other])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--corpus", default="../shared/corpus")
    parser.add_argument("--only", default="", help="comma-separated kernels")
    options = parser.parse_args()
    stream = torch.cuda.Stream()
    failed = False
    with tempfile.TemporaryDirectory() as folder, torch.cuda.stream(stream), cupy.cuda.ExternalStream(stream.cuda_stream):
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        for case in cases(options.corpus):
            if options.only and case.name not in options.only.split(","):
                continue
            ours, theirs = build_nereid(options.nereid, case, folder), build_triton(case, folder)
            ours.launch(case.grid, case.args)
            torch.cuda.synchronize()
            error = check(case)
            for output in case.outputs:
                output.zero_()
            theirs.launch(case.grid, case.args)
            torch.cuda.synchronize()
            their_error = check(case)
            mine, other = compare(ours, theirs, case, flush)
            good = error <= case.tolerance and other / mine >= 0.95
            failed |= not good
            print(f"{case.name:14} error {error:.2e} (Triton {their_error:.2e}, tolerance {case.tolerance:.0e})  "
                  f"{mine * 1e3:8.1f} us {case.bytes / mine / 1e6:7.0f} GB/s  Triton {other * 1e3:8.1f} us "
                  f"{case.bytes / other / 1e6:7.0f} GB/s  ratio {other / mine:.3f} {'ok' if good else 'FAILED'}", flush=True)
    print("device:", torch.cuda.get_device_name())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
