"""Dots of gathered operands: convolutions and expert routing."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, given, integers, rand, zeros


@triton.jit
def convolution_2d(x, w, bias, y, height, width, channels, filters, out_height, out_width, R: tl.constexpr, S: tl.constexpr,
                   STRIDE: tl.constexpr, PAD: tl.constexpr, DILATION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """x [batch, height, width, channels], w [filters, R, S, channels]; k runs over R, S and the channels at once."""
    pixels = tl.program_id(0) * BM + tl.arange(0, BM)
    outs = tl.program_id(1) * BN + tl.arange(0, BN)
    batch, rest = pixels // (out_height * out_width), pixels % (out_height * out_width)
    row, column = rest // out_width * STRIDE - PAD, rest % out_width * STRIDE - PAD
    depth = tl.arange(0, BK)
    size = R * S * channels
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, size, BK):
        i = start + depth
        c, s, r = i % channels, i // channels % S, i // channels // S
        h, v = row[:, None] + r[None, :] * DILATION, column[:, None] + s[None, :] * DILATION
        inside = (h >= 0) & (h < height) & (v >= 0) & (v < width) & (i[None, :] < size)
        a = tl.load(x + ((batch[:, None] * height + h) * width + v) * channels + c[None, :], inside, 0.0)
        b = tl.load(w + outs[None, :] * size + i[:, None], (i[:, None] < size) & (outs[None, :] < filters), 0.0)
        acc = tl.dot(a, b, acc)
    acc += tl.load(bias + outs, outs < filters, 0.0)[None, :]
    tl.store(y + pixels[:, None] * filters + outs[None, :], acc.to(y.dtype.element_ty), outs[None, :] < filters)


@triton.jit
def convolution_taps(x, w, y, height, width, channels, filters, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A 3 x 3 filter with padding 1: nested loops over the taps and the channels; w [3, 3, channels, filters]."""
    pixels = tl.program_id(0) * BM + tl.arange(0, BM)
    outs = tl.program_id(1) * BN + tl.arange(0, BN)
    row, column = pixels // width, pixels % width
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for r in range(3):
        for s in range(3):
            h, v = row + r - 1, column + s - 1
            inside = (h >= 0) & (h < height) & (v >= 0) & (v < width)
            at = x + (h * width + v)[:, None] * channels + depth[None, :]
            for start in range(0, channels, BK):
                a = tl.load(at + start, inside[:, None], 0.0)
                b = tl.load(w + ((r * 3 + s) * channels + start + depth[:, None]) * filters + outs[None, :])
                acc = tl.dot(a, b, acc)
    tl.store(y + pixels[:, None] * filters + outs[None, :], acc.to(y.dtype.element_ty))


@triton.jit
def convolution_1d(x, w, y, length, channels, filters, taps, STRIDE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Causal: x [length, channels], w [taps, filters, channels]."""
    times = tl.program_id(0) * BM + tl.arange(0, BM)
    outs = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for tap in range(taps):
        at = times * STRIDE - taps + 1 + tap
        for start in range(0, channels, BK):
            a = tl.load(x + at[:, None] * channels + start + depth[None, :], at[:, None] >= 0, 0.0)
            b = tl.load(w + (tap * filters + outs[None, :]) * channels + start + depth[:, None])
            acc = tl.dot(a, b, acc)
    tl.store(y + times[:, None] * filters + outs[None, :], acc.to(y.dtype.element_ty))


@triton.jit
def convolution_input_gradient(dy, w, dx, height, width, channels, filters, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Of a 3 x 3 filter with stride 2 and padding 1: only every second tap meets an output. w [filters, 3, 3, channels]."""
    pixels = tl.program_id(0) * BM + tl.arange(0, BM)
    ins = tl.program_id(1) * BN + tl.arange(0, BN)
    row, column = pixels // width, pixels % width
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for tap in range(9):
        h, v = row + 1 - tap // 3, column + 1 - tap % 3
        inside = (h >= 0) & (v >= 0) & (h % 2 == 0) & (v % 2 == 0) & (h // 2 < height // 2) & (v // 2 < width // 2)
        at = (h // 2 * (width // 2) + v // 2)[:, None] * filters
        for start in range(0, filters, BK):
            a = tl.load(dy + at + start + depth[None, :], inside[:, None], 0.0)
            b = tl.load(w + ((start + depth[:, None]) * 9 + tap) * channels + ins[None, :])
            acc = tl.dot(a, b, acc)
    tl.store(dx + pixels[:, None] * channels + ins[None, :], acc.to(dx.dtype.element_ty))


@triton.jit
def experts(x, w, slots, owners, weights, y, n, k, tokens, TOP: tl.constexpr, SCALED: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr):
    """Rows of x by slot // TOP, times the matrix [n, k] of the tile's expert; slots of `tokens` or more are padding."""
    tile = tl.program_id(0)
    slot = tl.load(slots + tile * BM + tl.arange(0, BM))
    real = slot < tokens
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    owner = tl.load(owners + tile).to(tl.int64)
    at_x = x + (slot // TOP)[:, None] * k + depth[None, :]
    at_w = w + owner * n * k + columns[None, :] * k + depth[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        a = tl.load(at_x, real[:, None] & (depth[None, :] < k - start), 0.0)
        b = tl.load(at_w, depth[:, None] < k - start, 0.0)
        acc = tl.dot(a, b, acc)
        at_x += BK
        at_w += BK
    if SCALED:
        acc *= tl.load(weights + slot, real, 0.0)[:, None]
    tl.store(y + slot[:, None] * n + columns[None, :], acc.to(y.dtype.element_ty), real[:, None])


@triton.jit
def groups_of_rows(x, w, ends, y, n, k, GROUPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Groups of rows of different sizes, each with its matrix [k, n]: programs walk over the tiles of all groups."""
    tile = tl.program_id(0)
    passed = 0
    begin = 0
    for group in range(GROUPS):
        end = tl.load(ends + group)
        across = tl.cdiv(n, BN)
        here = tl.cdiv(end - begin, BM) * across
        while (tile >= passed) & (tile < passed + here):
            inner = tile - passed
            rows = begin + inner // across * BM + tl.arange(0, BM)
            columns = inner % across * BN + tl.arange(0, BN)
            depth = tl.arange(0, BK)
            acc = tl.zeros((BM, BN), tl.float32)
            for start in range(0, k, BK):
                a = tl.load(x + rows[:, None] * k + start + depth[None, :], rows[:, None] < end, 0.0)
                b = tl.load(w + (group * k + start + depth[:, None]) * n + columns[None, :])
                acc = tl.dot(a, b, acc)
            tl.store(y + rows[:, None] * n + columns[None, :], acc.to(y.dtype.element_ty), rows[:, None] < end)
            tile += tl.num_programs(0)
        passed += here
        begin = end


@triton.jit
def embedding_gradient(index, dy, dw, tokens, D: tl.constexpr, V: tl.constexpr, BK: tl.constexpr):
    """One-hot rows of indices, transposed, times the gradients."""
    entries = tl.program_id(0) * V + tl.arange(0, V)
    d, t = tl.arange(0, D), tl.arange(0, BK)
    acc = tl.zeros((V, D), tl.float32)
    for start in range(0, tokens, BK):
        hot = (entries[:, None] == tl.load(index + start + t)[None, :]).to(dy.dtype.element_ty)
        acc = tl.dot(hot, tl.load(dy + (start + t[:, None]) * D + d[None, :]), acc)
    tl.store(dw + entries[:, None] * D + d[None, :], acc)


@triton.jit
def joint_histogram(first, second, counts, n, A: tl.constexpr, B: tl.constexpr, BK: tl.constexpr):
    """Counts of pairs by a dot of one-hot int8 matrices."""
    a, b, i = tl.arange(0, A), tl.arange(0, B), tl.arange(0, BK)
    acc = tl.zeros((A, B), tl.int32)
    for start in range(0, n, BK):
        rows = (a[:, None] == tl.load(first + start + i, start + i < n, -1)[None, :]).to(tl.int8)
        columns = (tl.load(second + start + i, start + i < n, -1)[:, None] == b[None, :]).to(tl.int8)
        acc = tl.dot(rows, columns, acc, out_dtype=tl.int32)
    tl.store(counts + a[:, None] * B + b[None, :], acc)


@triton.jit
def gathered_rows_dot(x, y, left, right, c, k, B: tl.constexpr, BK: tl.constexpr):
    """Scores of rows of x and y that index lists select."""
    i, depth = tl.arange(0, B), tl.arange(0, BK)
    at_x, at_y = tl.load(left + tl.program_id(0) * B + i), tl.load(right + tl.program_id(0) * B + i)
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, k, BK):
        a = tl.load(x + at_x[:, None] * k + start + depth[None, :])
        b = tl.load(y + at_y[:, None] * k + start + depth[None, :])
        acc = tl.dot(a, tl.trans(b), acc, input_precision="tf32")
    tl.store(c + (tl.program_id(0) * B + i[:, None]) * B + i[None, :], acc)


def convolve(x, w, stride, pad, dilation):
    """x [batch, height, width, channels], w [filters, R, S, channels]."""
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    _, r, s, _ = w.shape
    out = [(size - dilation * (taps - 1) - 1) // stride + 1 for size, taps in zip(x.shape[1:3], (r, s))]
    y = np.zeros((x.shape[0], *out, len(w)))
    for i in range(r):
        for j in range(s):
            part = x[:, i * dilation:i * dilation + stride * out[0]:stride, j * dilation:j * dilation + stride * out[1]:stride]
            y += part[:, :out[0], :out[1]] @ w[:, i, j].T
    return y


def convolution_case(name, channels, filters, r, s, stride, pad, dilation=1, size=8, kind="f16", **more):
    out = [(size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1 for taps in (r, s)]
    batch = 64 // np.gcd(64, out[0] * out[1])
    arguments = dict(x=rand(kind, batch, size, size, channels), w=rand(kind, filters, r, s, channels), bias=rand("f32", filters),
                     y=zeros(kind, batch, *out, filters), height=size, width=size, channels=channels, filters=filters, out_height=out[0],
                     out_width=out[1])
    arguments = {key: int(value) if isinstance(value, np.integer) else value for key, value in arguments.items()}
    return Case(name, convolution_2d, (int(batch * out[0] * out[1] // 64), -(-filters // 64)), arguments,
                lambda v: {"y": convolve(v.x, v.w, stride, pad, dilation) + v.bias},
                dict(R=r, S=s, STRIDE=stride, PAD=pad, DILATION=dilation, BM=64, BN=64, BK=32), **more)


def convolution_1d_of(stride, taps):
    def reference(v):
        x = np.pad(v.x, ((taps - 1, 0), (0, 0)))
        outs = len(v.x) // stride
        return {"y": sum(x[tap:tap + stride * outs:stride][:outs] @ v.w[tap].T for tap in range(taps))}
    return reference


def input_gradient_of(v):
    height, width = 2 * v.dy.shape[0], 2 * v.dy.shape[1]
    dx = np.zeros((height + 2, width + 2, v.w.shape[3]))
    for r in range(3):
        for s in range(3):
            dx[r:r + height:2, s:s + width:2] += v.dy @ v.w[:, r, s]
    return {"dx": dx[1:-1, 1:-1]}


def experts_of(top, block, is_scaled):
    def reference(v):
        y = np.zeros(v.y.shape)
        for i, slot in enumerate(v.slots):
            if slot < v.tokens:
                y[slot] = v.x[slot // top] @ v.w[v.owners[i // block]].T * (v.weights[slot] if is_scaled else 1)
        return {"y": y}
    return reference


def groups_of(v):
    starts = [0, *v.ends[:-1]]
    return {"y": np.concatenate([v.x[a:b] @ w for a, b, w in zip(starts, v.ends, v.w)])}


def joint_of(v):
    counts = np.zeros(v.counts.shape)
    np.add.at(counts, (v.first, v.second), 1)
    return {"counts": counts}


def one_hot_of(v):
    dw = np.zeros(v.dw.shape)
    np.add.at(dw, v.index, v.dy)
    return {"dw": dw}


def gathered_of(v):
    b = v.c.shape[1]
    parts = [v.x[v.left[i:i + b]] @ v.y[v.right[i:i + b]].T for i in range(0, len(v.left), b)]
    return {"c": np.concatenate(parts)}


def cases():
    yield convolution_case("convolution_3x3", 32, 64, 3, 3, 1, 1)
    yield convolution_case("convolution_3x3_stride_2", 16, 40, 3, 3, 2, 1, kind="bf16")
    yield convolution_case("convolution_1x1", 64, 64, 1, 1, 1, 0, stages=4)
    yield convolution_case("convolution_5x3_few_channels", 3, 32, 5, 3, 1, 2, size=12, stages=2)
    yield convolution_case("convolution_dilated", 16, 64, 3, 3, 1, 2, dilation=2, warps=8)
    tile = dict(BM=64, BN=64, BK=32)
    yield Case("convolution_taps", convolution_taps, (1, 1),
               dict(x=rand("f16", 8, 8, 64), w=rand("f16", 3, 3, 64, 64), y=zeros("f16", 8, 8, 64), height=8, width=8, channels=64, filters=64),
               lambda v: {"y": convolve(v.x[None], v.w.transpose(3, 0, 1, 2), 1, 1, 1)[0]}, tile)
    for name, stride in (("convolution_1d", 1), ("convolution_1d_stride_2", 2)):
        yield Case(name, convolution_1d, (1, 1),
                   dict(x=rand("bf16", 64 * stride, 64), w=rand("bf16", 4, 64, 64), y=zeros("bf16", 64, 64), length=64 * stride, channels=64,
                        filters=64, taps=4), convolution_1d_of(stride, 4), {**tile, "STRIDE": stride})
    yield Case("convolution_input_gradient", convolution_input_gradient, (1, 1),
               dict(dy=rand("f16", 4, 4, 32), w=rand("f16", 32, 3, 3, 64), dx=zeros("f16", 8, 8, 64), height=8, width=8, channels=64, filters=32),
               input_gradient_of, tile)
    order = np.random.default_rng(4).permutation(50).tolist()
    slots = order[:20] + [64] * 12 + order[20:] + [64] * 2
    for name, top, is_scaled in (("experts", 2, False), ("experts_scaled", 1, True)):
        yield Case(name, experts, (2, 1),
                   dict(x=rand("bf16", 64 // top, 72), w=rand("bf16", 4, 64, 72), slots=given("i32", slots), owners=given("i32", [3, 1]),
                        weights=rand("f32", 64), y=zeros("bf16", 64, 64), n=64, k=72, tokens=64), experts_of(top, 32, is_scaled),
                   dict(TOP=top, SCALED=is_scaled, BM=32, BN=64, BK=32))
    yield Case("groups_of_rows", groups_of_rows, (2,),
               dict(x=rand("f16", 110, 64), w=rand("f16", 3, 64, 64), ends=given("i32", [30, 30, 110]), y=zeros("f16", 110, 64), n=64, k=64),
               lambda v: groups_of(v), dict(GROUPS=3, BM=64, BN=32, BK=32))
    yield Case("embedding_gradient", embedding_gradient, (2,),
               dict(index=integers("i32", 0, 128, 96), dy=rand("f16", 96, 64), dw=zeros("f32", 128, 64), tokens=96), one_hot_of,
               dict(D=64, V=64, BK=32))
    yield Case("joint_histogram", joint_histogram, (1,),
               dict(first=integers("i32", 0, 64, 200), second=integers("i32", 0, 32, 200), counts=zeros("i32", 64, 32), n=200), joint_of,
               dict(A=64, B=32, BK=64))
    yield Case("gathered_rows", gathered_rows_dot, (2,),
               dict(x=rand("f32", 40, 64), y=rand("f32", 40, 64), left=integers("i32", 0, 40, 128), right=integers("i32", 0, 40, 128),
                    c=zeros("f32", 128, 64), k=64), gathered_of, dict(B=64, BK=32), tolerance=4e-3)
