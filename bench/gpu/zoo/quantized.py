"""Quantized weights and activations: int4 and int8, scaled fp8, block formats with tl.dot_scaled."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, e2m1, integers, rand, rounded, zeros


@triton.jit
def int4_halves(a, b, scales, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A byte of b has the weights of rows i and i + k / 2."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k // 2, BK):
        packed = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        at = a + rows[:, None] * k + start + depth[None, :]
        acc = tl.dot(tl.load(at), ((packed & 15) - 8).to(a.dtype.element_ty), acc)
        acc = tl.dot(tl.load(at + k // 2), ((packed >> 4 & 15) - 8).to(a.dtype.element_ty), acc)
    acc *= tl.load(scales + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def int4_pairs(a, b, scales, zero, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """A byte of b has the weights of rows 2i and 2i + 1 of a column; a scale and a zero point per GROUP rows."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth, half = tl.arange(0, BK), tl.arange(0, BK // 2)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        packed = tl.load(b + columns[:, None] * (k // 2) + start // 2 + half[None, :])
        weights = tl.reshape(tl.join(packed & 15, packed >> 4 & 15), (BN, BK)).to(tl.float32)
        group = start // GROUP * n + columns
        weights = (weights - tl.load(zero + group)[:, None]) * tl.load(scales + group)[:, None]
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        acc = tl.dot(x, tl.trans(weights.to(a.dtype.element_ty)), acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def int4_words(a, b, scales, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """An int32 of b has the weights of eight rows of a column; each word is loaded eight times and shifted."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        words = tl.load(b + ((start + depth[:, None]) // 8) * n + columns[None, :])
        weights = ((words >> (depth % 8 * 4)[:, None]) & 15) - 8
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        acc = tl.dot(x, weights.to(a.dtype.element_ty), acc)
    acc *= tl.load(scales + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def int8_weights(a, b, scales, c, n, k, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * bk + columns[None, :] * bn)
        acc = tl.dot(x, y.to(a.dtype.element_ty), acc)
    acc *= tl.load(scales + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def requantized(a, b, factors, bias, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """int8 inputs, int32 sums with a bias, int8 results: (sum * factor + 2^15) >> 16, clamped."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.int32) + tl.load(bias + columns)[None, :]
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + columns[None, :] * k + start + depth[:, None])
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    wide = acc.to(tl.int64) * tl.load(factors + columns)[None, :]
    narrow = (wide + 32768) >> 16
    narrow = tl.minimum(tl.maximum(narrow, -128), 127)
    tl.store(c + rows[:, None] * n + columns[None, :], narrow.to(tl.int8))


@triton.jit
def int8_scaled(a, b, of_rows, of_columns, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.int32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc += tl.dot(x, y, out_dtype=tl.int32)
    result = acc.to(tl.float32) * tl.load(of_rows + rows)[:, None] * tl.load(of_columns + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], result.to(c.dtype.element_ty))


@triton.jit
def block_scaled(a, b, of_a, of_b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BLOCK: tl.constexpr):
    """fp8 with a scale per row and BLOCK columns of a, and per BLOCK x BLOCK elements of b (column-major)."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    blocks = k // BLOCK
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + columns[None, :] * k + start + depth[:, None])
        block = start // BLOCK
        left = tl.load(of_a + rows * blocks + block)
        right = tl.load(of_b + columns // BLOCK * blocks + block)
        acc += tl.dot(x, y) * left[:, None] * right[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def fp8_weights(a, b, scales, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """f16 activations, fp8 weights (column-major)."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + columns[None, :] * k + start + depth[:, None])
        acc = tl.dot(x, y.to(a.dtype.element_ty), acc)
    acc *= tl.load(scales + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def quantize_on_the_fly(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows of an f16 tile are scaled to fp8 in the loop; b is fp8."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :]).to(tl.float32)
        high = tl.max(tl.abs(x), 1) / 448.0
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc += tl.dot((x / high[:, None]).to(tl.float8e4nv), y) * high[:, None]
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def scaled(a, of_a, b, of_b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
           PACK_A: tl.constexpr, PACK_B: tl.constexpr, SCALE_A: tl.constexpr, SCALE_B: tl.constexpr):
    """tl.dot_scaled: a scale byte per 32 elements of k; PACK elements in a byte along k. b is column-major."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth_a, depth_b, blocks = tl.arange(0, BK // PACK_A), tl.arange(0, BK // PACK_B), tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * (k // PACK_A) + start // PACK_A + depth_a[None, :])
        y = tl.load(b + columns[None, :] * (k // PACK_B) + start // PACK_B + depth_b[:, None])
        sx = tl.load(of_a + rows[:, None] * (k // 32) + start // 32 + blocks[None, :]) if SCALE_A else None
        sy = tl.load(of_b + columns[:, None] * (k // 32) + start // 32 + blocks[None, :]) if SCALE_B else None
        acc = tl.dot_scaled(x, sx, A, y, sy, B, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


def low(packed):
    return (packed & 15) - 8


def high(packed):
    return (packed >> 4 & 15) - 8


def int4_pairs_of(v):
    k = v.a.shape[1]
    weights = np.stack([v.b & 15, v.b >> 4 & 15], -1).reshape(v.b.shape[0], k)
    repeat = k // v.scales.shape[0]
    weights = (weights - np.repeat(v.zero, repeat, 0).T) * np.repeat(v.scales, repeat, 0).T
    return {"c": v.a @ weights.T}


def int4_words_of(v):
    shifts = np.arange(8)[None, :, None] * 4
    weights = ((v.b[:, None, :] >> shifts) & 15).reshape(-1, v.b.shape[1]) - 8
    return {"c": v.a @ weights * v.scales}


def requantized_of(v):
    wide = (v.a @ v.b.T + v.bias) * v.factors
    return {"c": np.clip((wide + 32768) >> 16, -128, 127)}


def block_scaled_of(v):
    block = v.a.shape[1] // v.of_a.shape[1]
    a = v.a * np.repeat(v.of_a, block, 1)
    b = v.b * np.repeat(np.repeat(v.of_b, block, 0), block, 1)[:v.b.shape[0]]
    return {"c": a @ b.T}


def on_the_fly_of(v):
    total = 0
    for start in range(0, v.a.shape[1], 64):
        x = v.a[:, start:start + 64]
        high = np.abs(x).max(1, keepdims=True) / 448
        total = total + rounded("e4m3", x / high) @ v.b[start:start + 64] * high
    return {"c": total}


def scaled_of(kind_a, kind_b, scale_a, scale_b):
    def widen(values, kind, scale):
        wide = e2m1(values) if kind == "e2m1" else values
        return wide if scale is None else wide * np.repeat(2.0 ** (scale - 127), 32, 1)

    def reference(v):
        return {"c": widen(v.a, kind_a, v.of_a if scale_a else None) @ widen(v.b, kind_b, v.of_b if scale_b else None).T}
    return reference


def scaled_case(name, kind_a, kind_b, scale_a=True, scale_b=True, m=64, n=64, k=128, **more):
    def operand(kind, rows):
        return integers("u8", 0, 256, rows, k // 2) if kind == "e2m1" else rand(kind, rows, k)

    arguments = dict(a=operand(kind_a, m), of_a=integers("u8", 122, 130, m, k // 32), b=operand(kind_b, n),
                     of_b=integers("u8", 122, 130, n, k // 32), c=zeros("f32", m, n), n=n, k=k)
    constants = dict(BM=64, BN=32, BK=64, A=kind_a.replace("f16", "fp16").replace("bfp", "bf"), B=kind_b, PACK_A=2 if kind_a == "e2m1" else 1,
                     PACK_B=2 if kind_b == "e2m1" else 1, SCALE_A=scale_a, SCALE_B=scale_b)
    return Case(name, scaled, (1, 2), arguments, scaled_of(kind_a, kind_b, scale_a, scale_b), constants, tolerance=1e-3, **more)


def cases():
    tile = dict(BM=64, BN=64, BK=32)
    f16 = rand("f16", 64, 128)
    yield Case("int4_halves", int4_halves, (1, 1),
               dict(a=f16, b=integers("i8", -128, 128, 64, 64), scales=rand("f32", 64), c=zeros("f16", 64, 64), n=64, k=128),
               lambda v: {"c": v.a @ np.concatenate([low(v.b), high(v.b)]) * v.scales}, tile, more=(("sm_90a", 8, 5),))
    yield Case("int4_pairs", int4_pairs, (1, 1),
               dict(a=f16, b=integers("u8", 0, 256, 64, 64), scales=rand("f32", 2, 64), zero=rand("f32", 2, 64), c=zeros("f16", 64, 64),
                    n=64, k=128), int4_pairs_of, {**tile, "GROUP": 64}, tolerance=1e-2)
    yield Case("int4_words", int4_words, (1, 1),
               dict(a=rand("bf16", 64, 128), b=integers("i32", -2 ** 31, 2 ** 31, 16, 64), scales=rand("f32", 64), c=zeros("bf16", 64, 64),
                    n=64, k=128), int4_words_of, tile)
    for name, strides in (("int8_weights", (64, 1)), ("int8_weights_transposed", (1, 128))):
        shape = (128, 64) if strides[1] == 1 else (64, 128)
        yield Case(name, int8_weights, (1, 1),
                   dict(a=rand("bf16", 64, 128), b=integers("i8", -128, 128, *shape), scales=rand("f32", 64), c=zeros("bf16", 64, 64),
                        n=64, k=128, bk=strides[0], bn=strides[1]),
                   lambda v, flip=strides[0] == 1: {"c": v.a @ (v.b.T if flip else v.b) * v.scales}, tile, stages=4)
    yield Case("requantized", requantized, (1, 1),
               dict(a=integers("i8", -128, 128, 64, 128), b=integers("i8", -128, 128, 64, 128), factors=integers("i32", 1, 99, 64),
                    bias=integers("i32", -9999, 9999, 64), c=zeros("i8", 64, 64), n=64, k=128), requantized_of, {**tile, "BK": 64},
               more=(("sm_86", 2, 2),))
    yield Case("int8_scaled", int8_scaled, (1, 1),
               dict(a=integers("i8", -128, 128, 64, 128), b=integers("i8", -128, 128, 128, 64), of_rows=rand("f32", 64),
                    of_columns=rand("f32", 64), c=zeros("bf16", 64, 64), n=64, k=128),
               lambda v: {"c": (v.a @ v.b) * v.of_rows[:, None] * v.of_columns}, {**tile, "BK": 64})
    yield Case("block_scaled", block_scaled, (1, 1),
               dict(a=rand("e4m3", 64, 256), b=rand("e4m3", 64, 256), of_a=rand("f32", 64, 2), of_b=rand("f32", 1, 2),
                    c=zeros("bf16", 64, 64), n=64, k=256), block_scaled_of, dict(BM=64, BN=64, BK=128, BLOCK=128),
               more=(("sm_89", 4, 3),))
    yield Case("fp8_weights", fp8_weights, (1, 1),
               dict(a=f16, b=rand("e5m2", 64, 128), scales=rand("f32", 64), c=zeros("f16", 64, 64), n=64, k=128),
               lambda v: {"c": v.a @ v.b.T * v.scales}, tile)
    yield Case("quantize_on_the_fly", quantize_on_the_fly, (1, 1),
               dict(a=f16, b=rand("e4m3", 128, 64), c=zeros("f32", 64, 64), n=64, k=128), on_the_fly_of, {**tile, "BK": 64},
               tolerance=1e-2, more=(("sm_89", 4, 2),))
    yield scaled_case("scaled_e4m3", "e4m3", "e4m3")
    yield scaled_case("scaled_e5m2", "e5m2", "e4m3", more=(("sm_90a", 8, 2),))
    yield scaled_case("scaled_e2m1", "e2m1", "e2m1")
    yield scaled_case("scaled_e2m1_e4m3", "e2m1", "e4m3", scale_b=True)
    yield scaled_case("scaled_bf16_e2m1", "bf16", "e2m1", scale_a=False)
    yield scaled_case("scaled_f16_e2m1", "f16", "e2m1", scale_a=False, more=(("sm_90a", 1, 2),))
