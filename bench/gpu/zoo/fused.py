"""Matrix multiplications with fused operations on operands and results."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, rand, rounded, zeros


@triton.jit
def dot_loop(a, b, rows, columns, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The tile of a @ b, both row-major."""
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    return acc


@triton.jit
def epilogue(a, b, bias, residual, c, n, k, alpha, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, KIND: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = dot_loop(a, b, rows, columns, n, k, BM, BN, BK)
    inside = rows[:, None] * n + columns[None, :]
    if KIND == "gelu":
        acc += tl.load(bias + columns)[None, :]
        acc = acc * tl.sigmoid(1.5957691216057308 * (acc + 0.044715 * acc * acc * acc))
    if KIND == "residual":
        acc = tl.maximum(acc + tl.load(bias + columns)[None, :], 0.0) + tl.load(residual + inside).to(tl.float32)
    if KIND == "row_scale":
        acc *= tl.load(bias + rows)[:, None]
    if KIND == "accumulate":
        acc = alpha * acc + 0.5 * tl.load(c + inside).to(tl.float32)
    if KIND == "transposed_store":
        tl.store(c + columns[:, None] * (tl.num_programs(0) * BM) + rows[None, :], tl.trans(acc).to(c.dtype.element_ty))
    else:
        tl.store(c + inside, acc.to(c.dtype.element_ty))


@triton.jit
def row_epilogue(a, b, c, stats, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, KIND: tl.constexpr):
    """Reductions over whole rows of the result: BN is n."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    acc = dot_loop(a, b, rows, columns, n, k, BM, BN, BK)
    inside = rows[:, None] * n + columns[None, :]
    if KIND == "softmax":
        high = tl.max(acc, 1)
        weights = tl.exp(acc - high[:, None])
        total = tl.sum(weights, 1)
        tl.store(c + inside, (weights / total[:, None]).to(c.dtype.element_ty))
        tl.store(stats + rows, high + tl.log(total))
    if KIND == "layer_norm":
        mean = tl.sum(acc, 1) / n
        centered = acc - mean[:, None]
        spread = tl.rsqrt(tl.sum(centered * centered, 1) / n + 1e-5)
        tl.store(c + inside, (centered * spread[:, None]).to(c.dtype.element_ty))
        tl.store(stats + rows, mean)
    if KIND == "rotary":
        left, right = tl.split(tl.reshape(acc, (BM, BN // 2, 2)))
        angle = rows[:, None] * 0.1 + tl.arange(0, BN // 2)[None, :] * 0.05
        cosine, sine = tl.cos(angle), tl.sin(angle)
        turned = tl.join(left * cosine - right * sine, left * sine + right * cosine)
        tl.store(c + inside, tl.reshape(turned, (BM, BN)).to(c.dtype.element_ty))
        tl.store(stats + rows, tl.sum(acc, 1))


@triton.jit
def column_sums(a, b, c, sums, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = dot_loop(a, b, rows, columns, n, k, BM, BN, BK)
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))
    tl.atomic_add(sums + columns, tl.sum(acc, 0))
    tl.atomic_add(sums + n + columns, tl.sum(acc * acc, 0))


@triton.jit
def nearest(a, b, norms, index, distance, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The nearest row of b for each row of a: an inner loop of dots per tile of b, and a running minimum."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    depth = tl.arange(0, BK)
    best = tl.full((BM,), float("inf"), tl.float32)
    where = tl.zeros((BM,), tl.int32)
    for first in range(0, n, BN):
        columns = first + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            x = tl.load(a + rows[:, None] * k + start + depth[None, :])
            y = tl.load(b + columns[None, :] * k + start + depth[:, None])
            acc = tl.dot(x, y, acc)
        far = tl.load(norms + columns)[None, :] - 2 * acc
        low, at = tl.min(far, 1, return_indices=True)
        where = tl.where(low < best, at + first, where)
        best = tl.minimum(best, low)
    tl.store(index + rows, where)
    tl.store(distance + rows, best)


@triton.jit
def normalized_rows(a, b, weight, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """(a / rms(a) * weight) @ b: squares are summed in the loop of dots."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    squares = tl.zeros((BM,), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        wide = x.to(tl.float32)
        squares += tl.sum(wide * wide, 1)
        scaled = (wide * tl.load(weight + start + depth)[None, :]).to(a.dtype.element_ty)
        acc = tl.dot(scaled, tl.load(b + (start + depth[:, None]) * n + columns[None, :]), acc)
    acc *= tl.rsqrt(squares / k + 1e-6)[:, None]
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def gated(x, gate, up, y, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """silu(x @ gate) * (x @ up): two accumulators, one of the operands shared."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    left = tl.zeros((BM, BN), tl.float32)
    right = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        z = tl.load(x + rows[:, None] * k + start + depth[None, :])
        at = (start + depth[:, None]) * n + columns[None, :]
        left = tl.dot(z, tl.load(gate + at), left)
        right = tl.dot(z, tl.load(up + at), right)
    tl.store(y + rows[:, None] * n + columns[None, :], (left * tl.sigmoid(left) * right).to(y.dtype.element_ty))


@triton.jit
def gated_backward(x, gate, up, dy, dgate, dup, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Gradients with respect to both results of the dots, recomputed."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    left = dot_loop(x, gate, rows, columns, n, k, BM, BN, BK)
    right = dot_loop(x, up, rows, columns, n, k, BM, BN, BK)
    at = rows[:, None] * n + columns[None, :]
    g = tl.load(dy + at).to(tl.float32)
    s = tl.sigmoid(left)
    tl.store(dup + at, (g * left * s).to(dup.dtype.element_ty))
    tl.store(dgate + at, (g * right * s * (1 + left * (1 - s))).to(dgate.dtype.element_ty))


@triton.jit
def low_rank(x, w, down, up, y, n, k, scale, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, R: tl.constexpr):
    """x @ w + scale * (x @ down) @ up."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth, rank = tl.arange(0, BK), tl.arange(0, R)
    acc = tl.zeros((BM, BN), tl.float32)
    small = tl.zeros((BM, R), tl.float32)
    for start in range(0, k, BK):
        z = tl.load(x + rows[:, None] * k + start + depth[None, :])
        acc = tl.dot(z, tl.load(w + (start + depth[:, None]) * n + columns[None, :]), acc)
        small = tl.dot(z, tl.load(down + (start + depth[:, None]) * R + rank[None, :]), small)
    u = tl.load(up + rank[:, None] * n + columns[None, :])
    acc = tl.dot((small * scale).to(x.dtype.element_ty), u, acc)
    tl.store(y + rows[:, None] * n + columns[None, :], acc.to(y.dtype.element_ty))


@triton.jit
def two_layers(x, first, second, y, hidden, BM: tl.constexpr, BH: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    """relu(x @ first) @ second, tile by tile of the hidden layer."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    inner, columns, middle = tl.arange(0, K), tl.arange(0, N), tl.arange(0, BH)
    z = tl.load(x + rows[:, None] * K + inner[None, :])
    acc = tl.zeros((BM, N), tl.float32)
    for start in range(0, hidden, BH):
        h = tl.dot(z, tl.load(first + inner[:, None] * hidden + start + middle[None, :]))
        h = tl.maximum(h, 0.0).to(x.dtype.element_ty)
        acc = tl.dot(h, tl.load(second + (start + middle[:, None]) * N + columns[None, :]), acc)
    tl.store(y + rows[:, None] * N + columns[None, :], acc.to(y.dtype.element_ty))


@triton.jit
def masked_operand(a, keep, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """(a where keep) @ b^T, with a mask from memory and a reciprocal factor per column of a."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        at = rows[:, None] * k + start + depth[None, :]
        x = tl.where(tl.load(keep + at) > 0, tl.load(a + at), 0.0)
        y = tl.load(b + columns[:, None] * k + start + depth[None, :])
        acc = tl.dot(x, y.T, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def epilogue_of(kind):
    def reference(v):
        acc = v.a @ v.b
        if kind == "gelu":
            acc = acc + v.bias
            acc = acc * sigmoid(1.5957691216057308 * (acc + 0.044715 * acc ** 3))
        if kind == "residual":
            acc = np.maximum(acc + v.bias, 0) + v.residual
        if kind == "row_scale":
            acc = acc * v.bias[:, None]
        if kind == "accumulate":
            acc = v.alpha * acc + 0.5 * v.c
        return {"c": acc.T if kind == "transposed_store" else acc}
    return reference


def rows_of(kind):
    def reference(v):
        acc = v.a @ v.b
        if kind == "softmax":
            high = acc.max(1, keepdims=True)
            total = np.exp(acc - high).sum(1, keepdims=True)
            return {"c": np.exp(acc - high) / total, "stats": (high + np.log(total))[:, 0]}
        if kind == "layer_norm":
            mean = acc.mean(1, keepdims=True)
            return {"c": (acc - mean) / np.sqrt(acc.var(1, keepdims=True) + 1e-5), "stats": mean[:, 0]}
        angle = np.arange(acc.shape[0])[:, None] * 0.1 + np.arange(acc.shape[1] // 2)[None] * 0.05
        left, right = acc[:, ::2], acc[:, 1::2]
        turned = np.stack([left * np.cos(angle) - right * np.sin(angle), left * np.sin(angle) + right * np.cos(angle)], -1)
        return {"c": turned.reshape(acc.shape), "stats": acc.sum(1)}
    return reference


def nearest_of(v):
    far = v.norms - 2 * v.a @ v.b.T
    return {"index": far.argmin(1), "distance": far.min(1)}


def gated_of(v):
    left = v.x @ v.gate
    return {"y": left * sigmoid(left) * (v.x @ v.up)}


def gated_backward_of(v):
    left, right = v.x @ v.gate, v.x @ v.up
    s = sigmoid(left)
    return {"dup": v.dy * left * s, "dgate": v.dy * right * s * (1 + left * (1 - s))}


def normalized_of(v):
    return {"c": rounded("bf16", v.a * v.weight) @ v.b / np.sqrt((v.a ** 2).mean(1, keepdims=True) + 1e-6)}


def low_rank_of(v):
    return {"y": v.x @ v.w + v.scale * (v.x @ v.down) @ v.up}


def cases():
    tile = dict(BM=64, BN=64, BK=32)
    for i, kind in enumerate(("gelu", "residual", "row_scale", "accumulate", "transposed_store")):
        arguments = dict(a=rand("f16", 64, 128), b=rand("f16", 128, 64), bias=rand("f32", 64), residual=rand("f16", 64, 64),
                         c=rand("f16", 64, 64), n=64, k=128, alpha=0.75)
        yield Case("epilogue_" + kind, epilogue, (1, 1), arguments, epilogue_of(kind), {**tile, "KIND": kind}, stages=1 + i)
    for kind, n in (("softmax", 128), ("layer_norm", 64), ("rotary", 64)):
        yield Case("rows_" + kind, row_epilogue, (2,),
                   dict(a=rand("f16", 128, 64), b=rand("f16", 64, n), c=zeros("f16", 128, n), stats=zeros("f32", 128), n=n, k=64),
                   rows_of(kind), dict(BM=64, BN=n, BK=32, KIND=kind), warps=8 if n == 128 else 4)
    yield Case("column_sums", column_sums, (2, 1),
               dict(a=rand("bf16", 128, 64), b=rand("bf16", 64, 64), c=zeros("bf16", 128, 64), sums=zeros("f32", 2, 64), n=64, k=64),
               lambda v: {"c": v.a @ v.b, "sums": np.stack([(v.a @ v.b).sum(0), ((v.a @ v.b) ** 2).sum(0)])}, tile)
    yield Case("nearest", nearest, (1,),
               dict(a=rand("f16", 64, 64), b=rand("f16", 128, 64), norms=rand("f32", 128), index=zeros("i32", 64),
                    distance=zeros("f32", 64), n=128, k=64), nearest_of, tile)
    yield Case("normalized_rows", normalized_rows, (1, 1),
               dict(a=rand("bf16", 64, 128), b=rand("bf16", 128, 64), weight=rand("f32", 128), c=zeros("bf16", 64, 64), n=64, k=128),
               normalized_of, tile)
    gates = dict(x=rand("f16", 128, 96), gate=rand("f16", 96, 64), up=rand("f16", 96, 64))
    yield Case("gated", gated, (1, 1), {**gates, "y": zeros("f16", 128, 64), "n": 64, "k": 96}, gated_of, {**tile, "BM": 128},
               warps=8, stages=4)
    yield Case("gated_backward", gated_backward, (2, 1),
               {**gates, "dy": rand("f16", 128, 64), "dgate": zeros("f16", 128, 64), "dup": zeros("f16", 128, 64), "n": 64, "k": 96},
               gated_backward_of, tile)
    yield Case("low_rank", low_rank, (1, 1),
               dict(x=rand("f16", 64, 128), w=rand("f16", 128, 64), down=rand("f16", 128, 16), up=rand("f16", 16, 64),
                    y=zeros("f16", 64, 64), n=64, k=128, scale=0.5), low_rank_of, {**tile, "R": 16})
    yield Case("two_layers", two_layers, (1,),
               dict(x=rand("f16", 64, 64), first=rand("f16", 64, 128), second=rand("f16", 128, 32), y=zeros("f16", 64, 32), hidden=128),
               lambda v: {"y": np.maximum(v.x @ v.first, 0) @ v.second}, dict(BM=64, BH=32, K=64, N=32))
    yield Case("masked_operand", masked_operand, (1, 1),
               dict(a=rand("f16", 64, 64), keep=rand("f16", 64, 64), b=rand("f16", 64, 64), c=zeros("f32", 64, 64), n=64, k=64),
               lambda v: {"c": np.where(v.keep > 0, v.a, 0) @ v.b.T}, tile)
