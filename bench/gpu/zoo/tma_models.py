"""Tensor descriptors: attention, convolutions and row reductions."""

from types import SimpleNamespace

import numpy as np
import triton
import triton.language as tl

import descriptor_kernels as bench
import specialized_kernels

from .cases import Case, box, described, given, integers, rand, zeros


@triton.jit
def attention(
    q,
    k,
    v,
    o,
    lse,
    length,
    scale,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):
    """One block of queries of one head; the heads are the rows of one matrix."""
    first, base = tl.program_id(0) * BM, tl.program_id(1) * length
    x = q.load([base + first, 0])
    highest, total = tl.full((BM,), float("-inf"), tl.float32), tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    rows = first + tl.arange(0, BM)
    start = max(first - WINDOW, 0) // BN * BN if WINDOW else 0
    for at in tl.range(start, first + BM if CAUSAL else length, BN, warp_specialize=SPECIALIZE):
        s = tl.dot(x, k.load([base + at, 0]).T) * scale
        columns = at + tl.arange(0, BN)
        if CAUSAL:
            s = tl.where(rows[:, None] >= columns[None, :], s, float("-inf"))
        if WINDOW:
            s = tl.where(rows[:, None] - columns[None, :] <= WINDOW, s, float("-inf"))
        new = tl.maximum(highest, tl.max(s, 1))
        shift = tl.where(new == float("-inf"), 0.0, new)
        p, keep = tl.exp(s - shift[:, None]), tl.exp(highest - shift)
        total = total * keep + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v.load([base + at, 0]), acc * keep[:, None])
        highest = new
    o.store([base + first, 0], (acc / total[:, None]).to(o.dtype))
    lse.store([base + first], highest + tl.log(total))


@triton.jit
def backward_q(q, k, v, g, lse, delta, dq, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """The gradients of all queries, added by each block of keys (reductions in a loop)."""
    at = tl.program_id(0) * BN
    x, y = k.load([at, 0]), v.load([at, 0])
    for start in range(0, length, BM):
        p = tl.exp(tl.dot(q.load([start, 0]), x.T) * scale - lse.load([start])[:, None])
        s = p * (tl.dot(g.load([start, 0]), y.T) - delta.load([start])[:, None])
        dq.atomic_add([start, 0], tl.dot(s.to(x.dtype), x) * scale)


@triton.jit
def convolution(x, w, o, H: tl.constexpr, W: tl.constexpr, C: tl.constexpr, F: tl.constexpr):
    """3x3, zeros outside: nine shifted boxes of an image (image, row, column, channel)."""
    image, row = tl.program_id(0), tl.program_id(1) * H
    acc = tl.zeros((H * W, F), tl.float32)
    for tap in range(9):
        pixels = x.load([image, row + tap // 3 - 1, tap % 3 - 1, 0])
        acc = tl.dot(tl.reshape(pixels, (H * W, C)), tl.reshape(w.load([tap, 0, 0]), (C, F)), acc)
    o.store([image, row, 0, 0], tl.reshape(acc.to(o.dtype), (1, H, W, F)))


@triton.jit
def depthwise(x, w, o, BM: tl.constexpr, BC: tl.constexpr, TAPS: tl.constexpr):
    """A causal convolution over time, one filter per channel."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BC
    acc = tl.zeros((BM, BC), tl.float32)
    for tap in tl.static_range(TAPS):
        acc += x.load([i - tap, j]).to(tl.float32) * w.load([tap, j])
    o.store([i, j], acc.to(o.dtype))


@triton.jit
def layer_norm(x, w, b, o, n, BM: tl.constexpr, BN: tl.constexpr):
    """Rows of up to BN columns; those outside read as zero."""
    i = tl.program_id(0) * BM
    v = x.load([i, 0]).to(tl.float32)
    mean = tl.sum(v, 1) / n
    centered = tl.where(tl.arange(0, BN)[None, :] < n, v - mean[:, None], 0.0)
    deviation = tl.sqrt(tl.sum(centered * centered, 1) / n + 1e-5)
    o.store([i, 0], (centered / deviation[:, None] * w.load([0])[None, :] + b.load([0])[None, :]).to(o.dtype))


@triton.jit
def log_sums(x, o, n, BM: tl.constexpr, BN: tl.constexpr):
    """log(sum(exp(row))) in one pass over blocks; NaN outside, which the maximum and the sum drop."""
    i = tl.program_id(0) * BM
    highest, total = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32)
    for start in tl.range(0, n, BN, num_stages=3):
        v = x.load([i, start])
        v = tl.where(start + tl.arange(0, BN)[None, :] < n, v, float("-inf"))
        new = tl.maximum(highest, tl.max(v, 1))
        total = total * tl.exp(highest - new) + tl.sum(tl.exp(v - new[:, None]), 1)
        highest = new
    o.store([i], highest + tl.log(total))


@triton.jit
def paged(q, k, v, pages, o, count, scale, PAGE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr):
    """Attention over pages of keys and values in the order of a table."""
    x = q.load([0, 0])
    total, acc = tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    for i in range(count):
        page = tl.load(pages + i)
        p = tl.exp(tl.dot(x, tl.reshape(k.load([page, 0, 0]), (PAGE, D)).T) * scale)
        total += tl.sum(p, 1)
        acc = tl.dot(p.to(x.dtype), tl.reshape(v.load([page, 0, 0]), (PAGE, D)), acc)
    o.store([0, 0], acc / total[:, None])


@triton.jit
def linear_attention(q, k, v, o, length, D: tl.constexpr, B: tl.constexpr):
    """A state that each chunk reads and updates."""
    state = tl.zeros((D, D), tl.float32)
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    for start in range(0, length, B):
        x, y, z = q.load([start, 0]), k.load([start, 0]), v.load([start, 0])
        s = tl.where(i >= j, tl.dot(x, y.T), 0.0)
        o.store([start, 0], tl.dot(x, state.to(x.dtype)) + tl.dot(s.to(x.dtype), z))
        state = tl.dot(y.T, z, state)


def probabilities(v, scale, causal=False, window=0):
    heads = v.q.shape[0] // v.length
    q, k = (t.reshape(heads, v.length, -1) for t in (v.q, v.k))
    s = q @ k.transpose(0, 2, 1) * scale
    distance = np.arange(v.length)[:, None] - np.arange(v.length)[None, :]
    if causal:
        s = np.where(distance >= 0, s, -np.inf)
    if window:
        s = np.where(distance <= window, s, -np.inf)
    highest = s.max(-1, keepdims=True)
    p = np.exp(s - highest)
    total = p.sum(-1, keepdims=True)
    return p / total, (highest + np.log(total)).reshape(-1)


def attention_case(name, width, causal=False, window=0, length=128, heads=2, kind="f16", specialize=False, **more):
    def tensor(fill, rows):
        return described(fill(kind, heads * length, width), rows, width)

    arguments = dict(
        q=tensor(rand, 64),
        k=tensor(rand, 32),
        v=tensor(rand, 32),
        o=tensor(zeros, 64),
        lse=described(zeros("f32", heads * length), 64),
        length=length,
        scale=0.25,
    )

    def reference(v):
        p, lse = probabilities(v, 0.25, causal, window)
        return {"o": (p @ v.v.reshape(heads, length, width)).reshape(-1, width), "lse": lse}

    constants = dict(D=width, BM=64, BN=32, CAUSAL=causal, WINDOW=window, SPECIALIZE=specialize)
    return Case(
        name,
        attention,
        (length // 64, heads),
        arguments,
        reference,
        constants,
        code=("cp.async.bulk.tensor.2d.shared", "wgmma"),
        **more,
    )


SCALE = 0.125


def gradients(v):
    p = np.exp(v.q @ v.k.T * SCALE - v.lse[:, None])
    s = p * (v.g @ v.v.T - v.delta[:, None]) * SCALE
    return {"dq": s @ v.k}


def backward_arguments(outputs):
    matrices = {name: described(rand("f16", 128, 64), 64, 64) for name in "qkvg"}
    rows = {name: described(rand("f32", 128), 64) for name in ("lse", "delta")}
    return {
        **matrices,
        **rows,
        **{name: described(zeros("f32", 128, 64), 64, 64) for name in outputs},
        "length": 128,
        "scale": SCALE,
    }


LN2 = np.log(2.0)


def of_heads(v, causal):
    """p, (dq, dk, dv) of all heads, from logarithms to base 2 and delta as they are given."""
    heads = v.q.shape[0] // v.length
    q, k, u, g = (t.reshape(heads, v.length, -1) for t in (v.q, v.k, v.v, v.g))
    p = np.exp(q @ k.transpose(0, 2, 1) * SCALE - v.logs.reshape(heads, -1, 1) * LN2)
    p = np.tril(p) if causal else p
    s = p * (g @ u.transpose(0, 2, 1) - v.delta.reshape(heads, -1, 1)) * SCALE
    return {
        name: t.reshape(-1, q.shape[2])
        for name, t in dict(dq=s @ k, dk=s.transpose(0, 2, 1) @ q, dv=p.transpose(0, 2, 1) @ g).items()
    }


def benchmarks(kind, causal):
    """The kernels of bench/gpu/descriptors.py for attention and its backward pass."""
    heads, length, width, rows, columns = 2, 128, 64, 64, 64

    def matrix(fill, block):
        return described(fill("f16", heads * length, width), block, width)

    def reference(v):
        p, lse = probabilities(v, SCALE, causal)
        return {"o": (p @ v.v.reshape(heads, length, width)).reshape(-1, width), "logs": lse / LN2}

    sizes = dict(D=width, BM=rows, BN=columns, CAUSAL=causal)
    forward = dict(q=matrix(rand, rows), k=matrix(rand, columns), v=matrix(rand, columns), o=matrix(zeros, rows))
    code = ("cp.async.bulk.tensor.2d.shared", "wgmma")
    yield Case(
        f"logs_{kind}",
        bench.attention_logs,
        (length // rows, heads),
        {**forward, "logs": zeros("f32", heads * length), "scale": SCALE, "length": length},
        reference,
        sizes,
        code=code,
    )
    for function, grid, more in ((bench.attention, (4,), {}), (bench.attention_persistent, (3,), {"heads": heads})):
        yield Case(
            f"{function.fn.__name__}_ordered_{kind}",
            function,
            grid,
            {**forward, "scale": SCALE, "length": length, **more},
            lambda v: {"o": reference(v)["o"]},
            {**sizes, "GROUP": 2 if causal else 1},
            warps=8,
            code=code,
        )
    given = dict(q=matrix(rand, rows), k=matrix(rand, columns), v=matrix(rand, columns), g=matrix(rand, rows))
    given.update(logs=rand("f32", heads * length), delta=rand("f32", heads * length), scale=SCALE, length=length)
    order = dict(GROUP=2 if causal else 1)
    of_kv = (bench.gradients_kv, ("dk", "dv"), columns, {**order, "SPLIT": causal})
    for function, outputs, block, more in (of_kv, (bench.gradients_q, ("dq",), rows, order)):
        yield Case(
            f"{function.fn.__name__}_{kind}",
            function,
            (length // block * heads,),
            {**given, **{name: matrix(zeros, block) for name in outputs}},
            lambda v, outputs=outputs: {name: values for name, values in of_heads(v, causal).items() if name in outputs},
            {**sizes, **more},
            warps=8,
            stages=2,
            tolerance=2e-2,
            code=code,
        )
    if not causal:
        yield Case(
            "gradient_sums",
            bench.gradient_sums,
            (4,),
            dict(o=matrix(rand, rows), g=matrix(rand, rows), delta=zeros("f32", heads * length)),
            lambda v: {"delta": (v.o * v.g).sum(1)},
            dict(D=width, BM=rows),
        )


def specialized_cases():
    """The kernels of bench/gpu/specialized_kernels.py: made descriptors, loops that are divided."""
    code = ("cp.async.bulk.tensor.2d.shared", "setmaxnreg")
    for name, m, n in (("linear", 128, 128), ("persistent", 160, 144)):
        yield Case(
            f"specialized_{name}",
            specialized_kernels.specialized_linear,
            (3,) if name == "persistent" else (4,),
            dict(x=rand("f16", m, 96), w=rand("f16", n, 96), o=zeros("f16", m, n), m=m, n=n, k=96),
            lambda v: {"o": v.x @ v.w.T},
            dict(BM=64, BN=64, BK=32, PERSISTENT=name == "persistent"),
            code=code,
        )
    for causal in (False, True):

        def reference(v, causal=causal):
            p, _ = probabilities(SimpleNamespace(q=v.x, k=v.y, length=128), SCALE, causal)
            return {"out": (p @ v.z.reshape(2, 128, 64)).reshape(-1, 64)}

        matrices = {name: rand("f16", 256, 64) for name in "xyz"}
        yield Case(
            f"specialized_attention_{'causal' if causal else 'full'}",
            specialized_kernels.specialized_attention,
            (1, 2),
            {**matrices, "out": zeros("f16", 256, 64), "scale": SCALE, "length": 128, "total": 256},
            reference,
            dict(D=64, BM=128, BN=64, CAUSAL=causal),
            warps=8,
            stages=2,
            code=code,
        )


def convolved(v):
    images, height, width, _ = v.x.shape
    out = 0
    for tap in range(9):
        shifted = box(v.x, (0, tap // 3 - 1, tap % 3 - 1, 0), v.x.shape)
        out = out + shifted @ v.w[tap]
    return {"o": out}


def normalized(v):
    centered = v.x - v.x.mean(1, keepdims=True)
    return {"o": centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5) * v.w + v.b}


def of_pages(v):
    k, u = (t[v.pages].reshape(-1, 64) for t in (v.k, v.v))
    p = np.exp(v.q @ k.T * SCALE)
    return {"o": p @ u / p.sum(1, keepdims=True)}


def recurrent(v):
    return {"o": np.tril(v.q @ v.k.T) @ v.v}


def cases():
    yield attention_case("attention_full", 64)
    yield attention_case("attention_causal", 128, causal=True, heads=1)
    yield attention_case("attention_window", 64, causal=True, window=40, length=192, heads=1, kind="bf16")
    yield attention_case("attention_specialized", 64, specialize=True, warps=8, heads=1)
    yield Case(
        "attention_backward_q",
        backward_q,
        (2,),
        backward_arguments(("dq",)),
        lambda v: {"dq": gradients(v)["dq"]},
        dict(BM=64, BN=64, D=64),
        tolerance=5e-3,
        code=("cp.async.bulk.tensor.2d.shared", "cp.reduce.async.bulk.tensor.2d", "wgmma"),
    )
    for causal in (False, True):
        yield from benchmarks("causal" if causal else "full", causal)
    yield from specialized_cases()
    yield Case(
        "convolution",
        convolution,
        (2, 2),
        dict(
            x=described(rand("f16", 2, 8, 16, 32), 1, 4, 16, 32),
            w=described(rand("f16", 9, 32, 32), 1, 32, 32),
            o=described(zeros("f16", 2, 8, 16, 32), 1, 4, 16, 32),
        ),
        convolved,
        dict(H=4, W=16, C=32, F=32),
        code=("cp.async.bulk.tensor.4d",),
    )
    yield Case(
        "depthwise",
        depthwise,
        (3, 1),
        dict(
            x=described(rand("f16", 80, 64), 32, 64),
            w=described(rand("f32", 4, 64), 1, 64),
            o=described(zeros("f16", 80, 64), 32, 64),
        ),
        lambda v: {"o": sum(box(v.x, (-t, 0), (80, 64)) * v.w[t] for t in range(4))},
        dict(BM=32, BC=64, TAPS=4),
    )
    yield Case(
        "layer_norm",
        layer_norm,
        (3,),
        dict(
            x=described(rand("f16", 20, 200), 8, 256),
            w=described(rand("f32", 200), 256),
            b=described(rand("f32", 200), 256),
            o=described(zeros("f16", 20, 200), 8, 256),
            n=200,
        ),
        normalized,
        dict(BM=8, BN=256),
    )
    yield Case(
        "log_sums",
        log_sums,
        (2,),
        dict(x=described(rand("f32", 30, 200), 16, 64), o=described(zeros("f32", 32), 16), n=200),
        lambda v: {"o": np.pad(np.log(np.exp(v.x).sum(1)), (0, 2), constant_values=np.log(200))},
        dict(BM=16, BN=64),
    )
    yield Case(
        "paged",
        paged,
        (1,),
        dict(
            q=described(rand("f16", 64, 64), 64, 64),
            k=described(rand("f16", 6, 32, 64), 1, 32, 64),
            v=described(rand("f16", 6, 32, 64), 1, 32, 64),
            pages=given("i32", [4, 1, 5]),
            o=described(zeros("f32", 64, 64), 64, 64),
            count=3,
            scale=SCALE,
        ),
        of_pages,
        dict(PAGE=32, D=64, BM=64),
        tolerance=5e-3,
    )
    yield Case(
        "linear_attention",
        linear_attention,
        (1,),
        dict(
            q=described(rand("bf16", 192, 64), 64, 64),
            k=described(rand("bf16", 192, 64), 64, 64),
            v=described(rand("bf16", 192, 64), 64, 64),
            o=described(zeros("f32", 192, 64), 64, 64),
            length=192,
        ),
        recurrent,
        dict(D=64, B=64),
        tolerance=2e-2,
    )
