"""Numerical linear algebra and signal processing with dots."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, rand, rounded, zeros


@triton.jit
def gram(x, c, n, k, BM: tl.constexpr, BK: tl.constexpr):
    """x^T x: tiles of the lower triangle, stored twice."""
    i, j = tl.program_id(0), tl.program_id(1)
    if j > i:
        return
    rows, columns, depth = i * BM + tl.arange(0, BM), j * BM + tl.arange(0, BM), tl.arange(0, BK)
    acc = tl.zeros((BM, BM), tl.float32)
    for start in range(0, k, BK):
        a = tl.load(x + (start + depth[:, None]) * n + rows[None, :])
        b = tl.load(x + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(tl.trans(a), b, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))
    if i != j:
        tl.store(c + columns[:, None] * n + rows[None, :], tl.trans(acc).to(c.dtype.element_ty))


@triton.jit
def gram_of_tile(x, c, N: tl.constexpr, K: tl.constexpr):
    """One load for both operands."""
    rows, depth = tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, K)
    a = tl.load(x + rows[:, None] * K + depth[None, :])
    acc = tl.dot(a, tl.trans(a))
    tl.store(c + rows[:, None] * N + tl.arange(0, N)[None, :], acc)


@triton.jit
def fourier(re, im, cosines, sines, out_re, out_im, ROWS: tl.constexpr, N: tl.constexpr):
    """A Fourier transform of rows of length N * N: dots with the matrix of N, twiddle factors, transposition, dots."""
    f, g = tl.arange(0, N), tl.arange(0, N)
    c, s = tl.load(cosines + f[:, None] * N + g[None, :]), tl.load(sines + f[:, None] * N + g[None, :])
    angle = (f[:, None] * g[None, :]).to(tl.float32) * (6.283185307179586 / (N * N))
    turn_c, turn_s = tl.cos(angle), -tl.sin(angle)
    for row in range(ROWS):
        at = (tl.program_id(0) * ROWS + row) * N * N + f[:, None] * N + g[None, :]
        x, y = tl.load(re + at), tl.load(im + at)
        u = tl.dot(c, x, input_precision="ieee") - tl.dot(s, y, input_precision="ieee")
        v = tl.dot(c, y, input_precision="ieee") + tl.dot(s, x, input_precision="ieee")
        u, v = u * turn_c - v * turn_s, u * turn_s + v * turn_c
        x = tl.dot(u, c, input_precision="ieee") - tl.dot(v, s, input_precision="ieee")
        y = tl.dot(u, s, input_precision="ieee") + tl.dot(v, c, input_precision="ieee")
        tl.store(out_re + (tl.program_id(0) * ROWS + row) * N * N + g[None, :] * N + f[:, None], x)
        tl.store(out_im + (tl.program_id(0) * ROWS + row) * N * N + g[None, :] * N + f[:, None], y)


@triton.jit
def fourier_split(re, im, cosines, sines, out_re, out_im, N: tl.constexpr):
    """One dot with the matrix of N, in f16."""
    rows, f = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, N)
    c, s = tl.load(cosines + f[:, None] * N + f[None, :]), tl.load(sines + f[:, None] * N + f[None, :])
    at = rows[:, None] * N + f[None, :]
    x, y = tl.load(re + at), tl.load(im + at)
    tl.store(out_re + at, tl.dot(x, c) - tl.dot(y, s))
    tl.store(out_im + at, tl.dot(x, s, tl.dot(y, c)))


@triton.jit
def solve_blocks(lower, inverses, b, x, n, columns, B: tl.constexpr, C: tl.constexpr):
    """lower @ x = b by blocks: the inverses of the diagonal blocks are given; x is read back by later blocks."""
    r, c = tl.arange(0, B), tl.program_id(0) * C + tl.arange(0, C)
    for i in range(n // B):
        acc = tl.load(b + (i * B + r[:, None]) * columns + c[None, :])
        for j in range(i):
            a = tl.load(lower + (i * B + r[:, None]) * n + j * B + r[None, :])
            done = tl.load(x + (j * B + r[:, None]) * columns + c[None, :])
            acc -= tl.dot(a, done, input_precision="ieee")
        inverse = tl.load(inverses + (i * B + r[:, None]) * B + r[None, :])
        tl.store(x + (i * B + r[:, None]) * columns + c[None, :], tl.dot(inverse, acc, input_precision="ieee"))
        tl.debug_barrier()


@triton.jit
def cumulative_sums(x, y, length, ROWS: tl.constexpr, B: tl.constexpr):
    """Cumulative sums of rows: a triangular matrix of ones per block and a carry."""
    r, c = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, B)
    ones = (c[:, None] <= c[None, :]).to(x.dtype.element_ty)
    carry = tl.zeros((ROWS,), tl.float32)
    for start in range(0, length, B):
        at = r[:, None] * length + start + c[None, :]
        a = tl.load(x + at)
        tl.store(y + at, tl.dot(a, ones) + carry[:, None])
        carry += tl.sum(a.to(tl.float32), 1)


@triton.jit
def chain(a, b, c, d, N: tl.constexpr):
    """(a @ b) @ c: the first result is operand a of the second."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    at = tl.program_id(0) * N * N + i * N + j
    first = tl.dot(tl.load(a + at), tl.load(b + at)).to(a.dtype.element_ty)
    tl.store(d + at, tl.dot(first, tl.load(c + at)).to(d.dtype.element_ty))


@triton.jit
def chain_right(a, b, c, d, N: tl.constexpr):
    """a @ (b @ c): the first result is operand b of the second."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    at = tl.program_id(0) * N * N + i * N + j
    first = tl.dot(tl.load(b + at), tl.load(c + at)).to(a.dtype.element_ty)
    tl.store(d + at, tl.dot(tl.load(a + at), first).to(d.dtype.element_ty))


@triton.jit
def inverse_by_newton(a, out, steps, N: tl.constexpr):
    """x = x (2 - a x): both operands of the dots are loop-carried."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    m = tl.load(a + tl.program_id(0) * N * N + i * N + j) * 0.02
    one = tl.where(i == j, 1.0, 0.0)
    m += one
    x = one
    for _ in range(steps):
        x = tl.dot(x, 2 * one - tl.dot(m, x, input_precision="ieee"), input_precision="ieee")
    tl.store(out + tl.program_id(0) * N * N + i * N + j, x)


@triton.jit
def orthogonalize(g, out, STEPS: tl.constexpr, N: tl.constexpr, M: tl.constexpr):
    """x = 1.5 x - 0.5 x x^T x, in bf16 with f32 sums: transposed and chained dots of one value."""
    i, j = tl.arange(0, N), tl.arange(0, M)
    x = tl.load(g + i[:, None] * M + j[None, :]).to(tl.float32)
    x = x / tl.sqrt(tl.sum(tl.sum(x * x, 1), 0))
    for _ in range(STEPS):
        narrow = x.to(tl.bfloat16)
        square = tl.dot(narrow, tl.trans(narrow)).to(tl.bfloat16)
        x = 1.5 * x - 0.5 * tl.dot(square, narrow)
    tl.store(out + i[:, None] * M + j[None, :], x)


@triton.jit
def hadamard(x, y, ROWS: tl.constexpr, N: tl.constexpr):
    """Rows times the matrix of signs (-1)^popcount(i & j), computed and exact."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    both = i & j
    parity = both ^ both >> 4
    parity = parity ^ parity >> 2
    parity = (parity ^ parity >> 1) & 1
    signs = (1 - 2 * parity).to(x.dtype.element_ty)
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * N + j
    tl.store(y + at, tl.dot(tl.load(x + at), signs))


@triton.jit
def complex_product(ar, ai, br, bi, cr, ci, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Three dots in place of four."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    p = tl.zeros((BM, BN), tl.float32)
    q = tl.zeros((BM, BN), tl.float32)
    r = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        at_a = rows[:, None] * k + start + depth[None, :]
        at_b = (start + depth[:, None]) * n + columns[None, :]
        a, b, c, d = tl.load(ar + at_a), tl.load(ai + at_a), tl.load(br + at_b), tl.load(bi + at_b)
        p = tl.dot(a, c, p)
        q = tl.dot(b, d, q)
        r = tl.dot(a + b, c + d, r)
    at = rows[:, None] * n + columns[None, :]
    tl.store(cr + at, p - q)
    tl.store(ci + at, r - p - q)


@triton.jit
def distances(x, y, d, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Squared distances of rows; the norms are summed in the same loop."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    left = tl.zeros((BM,), tl.float32)
    right = tl.zeros((BN,), tl.float32)
    for start in range(0, k, BK):
        a = tl.load(x + rows[:, None] * k + start + depth[None, :])
        b = tl.load(y + columns[:, None] * k + start + depth[None, :])
        acc = tl.dot(a, tl.trans(b), acc, input_precision="tf32x3")
        left += tl.sum(a * a, 1)
        right += tl.sum(b * b, 1)
    tl.store(d + rows[:, None] * n + columns[None, :], left[:, None] + right[None, :] - 2 * acc)


def solve_of(v):
    return {"x": np.linalg.solve(np.tril(v.lower), v.b)}


def solve_case():
    """A lower triangular matrix with a known inverse of each diagonal block: block = 1 + s, s strictly lower with s^2 = 0."""
    n, b, columns = 64, 16, 32

    def full(v):
        lower, x = np.array(v.lower), np.zeros((n, columns))
        for i in range(0, n, b):
            x[i:i + b] = v.inverses[i:i + b] @ (v.b[i:i + b] - lower[i:i + b, :i] @ x[:i])
        return {"x": x}

    return Case("solve_blocks", solve_blocks, (1,),
                dict(lower=rand("f32", n, n), inverses=rand("f32", n, b), b=rand("f32", n, columns), x=zeros("f32", n, columns), n=n,
                     columns=columns), full, dict(B=b, C=columns), tolerance=1e-4)


def fourier_of(v):
    spectrum = (v.re + 1j * v.im).reshape(-1, 16, 16)
    matrix = v.cosines + 1j * v.sines
    angle = np.outer(np.arange(16), np.arange(16)) * 2 * np.pi / 256
    half = matrix @ spectrum * np.exp(-1j * angle)
    result = (half @ matrix).swapaxes(1, 2)
    return {"out_re": result.real, "out_im": result.imag}


def fourier_split_of(v):
    result = (v.re + 1j * v.im) @ (v.cosines + 1j * v.sines)
    return {"out_re": result.real, "out_im": result.imag}


def newton_of(v):
    return {"out": np.linalg.inv(np.eye(v.a.shape[1]) + 0.02 * v.a)}


def orthogonal_of(v):
    x = v.g / np.sqrt((v.g ** 2).sum())
    for _ in range(4):
        x = 1.5 * x - 0.5 * x @ x.T @ x
    return {"out": x}


def hadamard_of(v):
    n = v.x.shape[1]
    bits = np.array([[bin(i & j).count("1") for j in range(n)] for i in range(n)])
    return {"y": v.x @ (-1.0) ** bits}


def cumulative_of(v):
    return {"y": np.cumsum(v.x, 1)}


def complex_of(v):
    return {"cr": v.ar @ v.br - v.ai @ v.bi, "ci": v.ar @ v.bi + v.ai @ v.br}


def distances_of(v):
    return {"d": ((v.x[:, None] - v.y[None]) ** 2).sum(2)}


def cases():
    yield Case("gram", gram, (2, 2), dict(x=rand("f16", 64, 128), c=zeros("f32", 128, 128), n=128, k=64), lambda v: {"c": v.x.T @ v.x},
               dict(BM=64, BK=32))
    yield Case("gram_of_tile", gram_of_tile, (2,), dict(x=rand("bf16", 128, 64), c=zeros("f32", 128, 64)),
               lambda v: {"c": np.concatenate([t @ t.T for t in v.x.reshape(2, 64, 64)])}, dict(N=64, K=64), more=(("sm_90a", 8, 1),))
    waves = dict(re=rand("f32", 4, 256), im=rand("f32", 4, 256), cosines=rand("f32", 16, 16), sines=rand("f32", 16, 16),
                 out_re=zeros("f32", 4, 256), out_im=zeros("f32", 4, 256))
    yield Case("fourier", fourier, (2,), waves, fourier_of, dict(ROWS=2, N=16), tolerance=1e-4, warps=2)
    wide = {key: rand("f16", 64, 64) for key in ("re", "im", "cosines", "sines")} | dict(out_re=zeros("f32", 64, 64), out_im=zeros("f32", 64, 64))
    yield Case("fourier_split", fourier_split, (1,), wide, fourier_split_of, dict(N=64))
    yield solve_case()
    yield Case("cumulative_sums", cumulative_sums, (1,), dict(x=rand("f16", 64, 256), y=zeros("f32", 64, 256), length=256), cumulative_of,
               dict(ROWS=64, B=64))
    square = {key: rand("f16", 64, 64) for key in "abc"} | dict(d=zeros("f16", 64, 64))
    yield Case("chain", chain, (1,), square, lambda v: {"d": v.a @ v.b @ v.c}, dict(N=64))
    yield Case("chain_right", chain_right, (1,), square, lambda v: {"d": v.a @ (v.b @ v.c)}, dict(N=64), warps=8)
    yield Case("inverse_by_newton", inverse_by_newton, (2,), dict(a=rand("f32", 2, 32, 32), out=zeros("f32", 2, 32, 32), steps=5), newton_of,
               dict(N=32), tolerance=1e-4)
    yield Case("orthogonalize", orthogonalize, (1,), dict(g=rand("f32", 64, 128), out=zeros("f32", 64, 128)), orthogonal_of,
               dict(STEPS=4, N=64, M=128), tolerance=3e-2)
    yield Case("hadamard", hadamard, (1,), dict(x=rand("f16", 64, 128), y=zeros("f32", 64, 128)), hadamard_of, dict(ROWS=64, N=128))
    parts = dict(ar=rand("f32", 64, 64), ai=rand("f32", 64, 64), br=rand("f32", 64, 64), bi=rand("f32", 64, 64), cr=zeros("f32", 64, 64),
                 ci=zeros("f32", 64, 64), n=64, k=64)
    yield Case("complex_product", complex_product, (1, 1), parts, complex_of, dict(BM=64, BN=64, BK=32), tolerance=8e-3)
    yield Case("distances", distances, (1, 1), dict(x=rand("f32", 64, 64), y=rand("f32", 64, 64), d=zeros("f32", 64, 64), n=64, k=64),
               distances_of, dict(BM=64, BN=64, BK=32), tolerance=2e-5)
