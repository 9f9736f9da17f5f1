"""Kernels without a dot that move data between threads: launch and references.

The shapes of what PyTorch's compiler made are constants of the kernels.
"""

import numpy
import torch

from harness import Case, f64

i32 = numpy.int32


def cases(corpus):
    g = torch.Generator(device="cuda").manual_seed(2)
    rand = lambda *s, dtype=torch.float32: torch.rand(*s, device="cuda", generator=g).mul(4).sub(2).to(dtype)
    zeros = lambda *s, dtype=torch.float32: torch.zeros(*s, device="cuda", dtype=dtype)
    half = torch.float16

    def kernel(name, grid, args, outputs, reference, bytes_moved, tolerance):
        return Case.of_kernel(corpus, name, grid, args, outputs, reference, bytes_moved, tolerance)

    def inductor(name, grid, args, outputs, reference, bytes_moved, tolerance):
        return Case.of_inductor(corpus, name, grid, args, outputs, reference, bytes_moved, tolerance)

    rows, n = 16384, 4000
    x, o = rand(rows, n), zeros(rows, n)
    yield kernel("softmax_row", (132 * 2, 1, 1), [o, x, i32(n), i32(n), i32(rows), i32(n)], [o],
                 lambda: [torch.softmax(f64(x), 1)], 8 * rows * n, 1e-6)

    rows, n = 8192, 5008
    a, y, w, b = rand(rows, n, dtype=half), zeros(rows, n, dtype=half), rand(n, dtype=half), rand(n, dtype=half)
    mean, rstd = zeros(rows), zeros(rows)

    def layernorm():
        mu, v = f64(a).mean(1, keepdim=True), f64(a).var(1, correction=0, keepdim=True)
        scale = (v + numpy.float32(1e-5)).rsqrt()
        return [(f64(a) - mu) * scale * f64(w) + f64(b), mu[:, 0], scale[:, 0]]

    yield kernel("layernorm_fwd", (rows, 1, 1), [a, y, w, b, mean, rstd, i32(n), i32(n), numpy.float32(1e-5)], [y, mean, rstd],
                 layernorm, 4 * rows * n, 1e-3)

    c, d = rand(32768, 512), zeros(32768, 512)
    yield kernel("cumsum_rows", (32768 // 4, 1, 1), [c, d, i32(512)], [d], lambda: [f64(c).cumsum(1)], 8 * c.numel(), 1e-5)

    e, k = rand(65536, 1008), zeros(65536, dtype=torch.int32)
    yield kernel("argmax_rows", (65536 // 4, 1, 1), [e, k, i32(1008)], [k], lambda: [f64(e.argmax(1))], 4 * e.numel(), 0.0)

    s, t = rand(65536, 256), zeros(65536, 256)
    yield kernel("sort_rows", (65536, 1, 1), [s, t], [t], lambda: [f64(s.sort(1).values)], 8 * s.numel(), 0.0)

    r, q = rand(16384, 43, 129), zeros(16384)
    yield kernel("reduce_2d_blockptr", (16384, 1, 1), [r, q, i32(16384), i32(43 * 129), i32(129)], [q],
                 lambda: [f64(r).sum((1, 2))], 4 * r.numel(), 5e-5)

    h, counts = torch.randint(0, 64, (1 << 24,), device="cuda", generator=g, dtype=torch.int32), zeros(64, dtype=torch.int32)
    yield kernel("histo", ((1 << 24) // 1024, 1, 1), [h, counts, i32(1 << 24)], [counts],
                 lambda: [f64(torch.bincount(h, minlength=64))], 4 * h.numel(), 0.0)

    v, m = rand(1 << 20), zeros(65)
    yield kernel("atomics", (1 << 10, 1, 1), [v, m, i32(1 << 20)], [m],
                 lambda: [torch.cat([f64(v).view(-1, 64).sum(0), f64(v).max().view(1)])], 4 * v.numel(), 1e-4)

    z, zt = rand(8192, 4096, dtype=half), zeros(4096, 8192, dtype=half)
    yield kernel("transpose", (8192 // 64, 4096 // 64, 1), [z, zt, i32(8192), i32(4096)], [zt], lambda: [f64(z.t())], 4 * z.numel(), 0.0)
    yield from inductor_cases(inductor, rand, zeros, g)


def inductor_cases(inductor, rand, zeros, g):
    half = torch.float16
    n = 64 * 28 * 28 * 16
    image, pooled = rand(16, 64, 56, 56, dtype=half), zeros(16, 64, 28, 28, dtype=half)
    yield inductor("maxpool.0", (n // 1024, 1, 1), [image, pooled, i32(n)], [pooled],
                   lambda: [torch.nn.functional.max_pool2d(f64(image).relu(), 3, 2, 1)], 2 * (image.numel() + n), 0.0)

    tokens = 2 * 256 * 8 * 8
    x, w, cos, sin, o = (rand(tokens, 128, dtype=half), rand(128, dtype=half), rand(256, 128, dtype=half),
                         rand(256, 128, dtype=half), zeros(tokens, 128, dtype=half))

    def rope():
        y = f64(x) * (f64(x).pow(2).mean(1, keepdim=True) + 1e-6).rsqrt() * f64(w)
        at = torch.arange(tokens, device="cuda") // 8 % 256
        return [y * f64(cos)[at] + torch.cat([-y[:, 64:], y[:, :64]], 1) * f64(sin)[at]]

    yield inductor("rms_rope.0", (tokens // 8, 1, 1), [x, w, cos, sin, o, i32(tokens), i32(128)], [o], rope, 4 * x.numel(), 1e-3)

    a, scale, bias, b = rand(512, 1024, dtype=half), rand(1024, dtype=half), rand(1024, dtype=half), zeros(512, 1024, dtype=half)
    yield inductor("ln_gelu.0", (512, 1, 1), [a, scale, bias, b, i32(512), i32(1024)], [b],
                   lambda: [torch.nn.functional.gelu(torch.nn.functional.layer_norm(f64(a), [1024], f64(scale), f64(bias), 1e-5))],
                   4 * a.numel(), 1e-3)

    c, four = rand(8, 32, 784, dtype=half), [rand(32, dtype=half) for _ in range(4)]
    normal = zeros(8, 32, 784, dtype=half)
    stats = [zeros(32), zeros(32), zeros(32, dtype=half), zeros(32, dtype=half)]

    def batch_norm():
        mu, var = f64(c).mean((0, 2)), f64(c).var((0, 2), correction=0)
        inverse = (var + 1e-5).rsqrt()
        column = lambda t: t[None, :, None]
        return [mu, inverse, 0.1 * var * 1.0001595 + 0.9 * f64(four[0]), 0.1 * mu + 0.9 * f64(four[1]),
                (f64(c) - column(mu)) * column(inverse) * column(f64(four[2])) + column(f64(four[3]))]

    yield inductor("bn_train.0", (32, 1, 1), [c, *four, *stats, normal, i32(32), i32(6272)], [*stats, normal], batch_norm,
                   6 * c.numel(), 1e-3)

    p, q, r = rand(1000, 700, dtype=half), rand(700, 1000, dtype=half), zeros(700, 1000, dtype=half)
    yield inductor("transpose_add.0", (1000, 1, 1), [p, q, r, i32(700), i32(1000)], [r], lambda: [2 * (f64(p.t()) + f64(q))],
                   6 * p.numel(), 2e-3)

    target = torch.randint(0, 32000, (512,), device="cuda", generator=g)
    target[::7] = -100
    logits, top, total, loss = rand(512, 32000, dtype=half), rand(512), rand(512).abs() + 1, zeros(1)

    def cross_entropy():
        kept = target >= 0
        picked = f64(logits)[torch.arange(512, device="cuda"), target.clamp(min=0)]
        return [(torch.where(kept, -(picked - f64(top) - f64(total).log()), 0.0).sum() / kept.sum()).view(1)]

    yield inductor("xent.0", (1, 1, 1), [loss, target, logits, top, total, i32(512)], [loss], cross_entropy, 512 * 18, 1e-5)

    u, means = rand(1023, 777, dtype=half), zeros(1023)
    yield inductor("sum_all.2", (1023, 1, 1), [means, u, i32(1023), i32(777)], [means], lambda: [f64(u).mean(1)], 2 * u.numel(), 1e-6)

    v, one = rand(98), zeros(1)
    yield inductor("sum_all.0", (1, 1, 1), [v, one, i32(98)], [one], lambda: [f64(v).sum().view(1)], 4 * 98, 1e-5)

    y, largest = rand(256, 3), zeros(256)
    yield inductor("softmax_big.0", (32, 1, 1), [y, largest, i32(256), i32(3)], [largest], lambda: [f64(y.amax(1))], 16 * 256, 0.0)

    rows = torch.stack([torch.randperm(256, device="cuda", generator=g) for _ in range(64)]).float()
    ordered, where = zeros(64, 256), zeros(64, 256, dtype=torch.int64)
    yield inductor("sort_topk.0", (64, 1, 1), [rows, ordered, where, i32(64), i32(256)], [ordered, where],
                   lambda: [f64(t) for t in rows.sort(1)], 16 * rows.numel(), 0.0)

    table, index, picked = rand(4, 513), torch.randint(-513, 513, (256,), device="cuda", generator=g), zeros(256)
    yield inductor("argmax_gather.1", (2, 1, 1), [index, table, picked, i32(256)], [picked],
                   lambda: [f64(table)[torch.arange(256, device="cuda") // 64, index]], 16 * 256, 0.0)

    ones = zeros(1, dtype=torch.int32)
    yield inductor("flex.1", (1, 1, 1), [ones], [ones], lambda: [f64(torch.ones(1, device="cuda"))], 4, 0.0)
