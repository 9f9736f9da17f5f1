"""Elementwise kernels: launch and references."""

import numpy
import torch

from harness import Case, f64

N = 1 << 26  # elements of the memory-bound kernels


def philox_uniform(offsets, seed):
    """The values of tl.rand(seed, offsets) in [0, 1): Philox4x32-10, in integers on the CPU."""
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


def cases(corpus):
    g = torch.Generator(device="cuda").manual_seed(1)
    rand = lambda *s, dtype=torch.float32: torch.rand(*s, device="cuda", generator=g).mul(4).sub(2).to(dtype)
    kernel = lambda name, *rest, **more: Case.of_kernel(corpus, name, *rest, **more)
    inductor = lambda name, *rest, **more: Case.of_inductor(corpus, name, *rest, **more)

    x, y, o = rand(N), rand(N), torch.zeros(N, device="cuda")
    yield kernel("vector_add", ((N + 1023) // 1024, 1, 1), [x, y, o, numpy.int32(N)], [o],
               lambda: [f64(x) + f64(y)], 12 * N, 1e-7)

    M, K = 8192, 4096
    a, bias, out = rand(M, K, dtype=torch.bfloat16), rand(K, dtype=torch.bfloat16), torch.zeros(M, K, dtype=torch.bfloat16, device="cuda")
    yield kernel("gelu_bias", (M // 32, K // 128, 1), [a, bias, out, numpy.int32(M), numpy.int32(K), numpy.int32(K), numpy.int32(K)],
               [out], lambda: [torch.nn.functional.gelu(f64(a) + f64(bias))], 4 * M * K, 8e-3)

    d = torch.zeros(N, device="cuda")
    yield kernel("dropout", ((N + 1023) // 1024, 1, 1), [x, d, numpy.int32(N), numpy.float32(0.3), numpy.int32(17)], [d],
               lambda: [dropout(x[: 1 << 20], numpy.float32(0.3), 17)],
               8 * N, 1e-6, check_rows=1 << 20)

    u, lo = torch.rand(N, device="cuda", generator=g), torch.zeros(N, device="cuda")
    yield kernel("libdev", ((N + 1023) // 1024, 1, 1), [u, lo, numpy.int32(N)], [lo],
               lambda: [torch.asin(f64(u)) + f64(u) ** 3 + torch.sin(f64(u)) + torch.tanh(f64(u))], 8 * N, 2e-6)

    f8 = torch.zeros(N, dtype=torch.float8_e4m3fn, device="cuda")
    big = rand(N) * 200
    yield kernel("fp8_cast", ((N + 1023) // 1024, 1, 1), [big, f8, numpy.int32(N)], [f8],
               lambda: [f64(big.clamp(-448, 448).to(torch.float8_e4m3fn).float())], 5 * N, 0.0)

    total = 100003
    p = [torch.rand(total, device="cuda", generator=g) for _ in range(4)]
    q = [torch.zeros(total, device="cuda") for _ in range(3)]

    def adam():
        m = f64(p[0]) * 0.9 + f64(p[1]) * 0.1
        v = f64(p[2]) * 0.999 + f64(p[1]) ** 2 * 1e-3
        return [m, v, f64(p[3]) - m * 1e-3 / (v.sqrt() + 1e-8)]

    yield inductor("adam.0", ((total + 1023) // 1024, 1, 1), [*p, *q, numpy.int32(total)], q, adam, 28 * total, 1e-6)

    tokens, width = 65536, 256
    seed = torch.tensor([123456789012345], device="cuda")
    ids = torch.randint(0, 1000, (tokens,), device="cuda", generator=g)
    table, e = rand(1000, width, dtype=torch.float16), torch.zeros(tokens, width, dtype=torch.float16, device="cuda")

    def embed():
        keep = philox_uniform(numpy.arange(tokens * width, dtype=numpy.uint32), int(seed.item())) > numpy.float32(0.1)
        return [torch.where(torch.from_numpy(keep).cuda().view(tokens, width), f64(table)[ids] * numpy.float32(1.11111116), 0.0)]

    yield inductor("embed_drop.0", (width // 64, tokens // 64, 1),
               [seed, ids, table, e, numpy.int32(0), numpy.int32(tokens), numpy.int32(width)], [e], embed,
               2 * tokens * width * 2 + 8 * tokens, 2e-3)
