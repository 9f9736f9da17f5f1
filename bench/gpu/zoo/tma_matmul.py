"""Tensor descriptors: matrix multiplications."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, described, given, integers, rand, zeros


@triton.jit
def multiplied(
    a,
    b,
    c,
    k,
    SUM: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    A_T: tl.constexpr,
    B_T: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):
    """c = a @ b; a and b may hold their transposes."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), SUM)
    for start in tl.range(0, k, BK, warp_specialize=SPECIALIZE):
        x = a.load([start, i]).T if A_T else a.load([i, start])
        y = b.load([j, start]).T if B_T else b.load([start, j])
        acc = tl.dot(x, y, acc, out_dtype=SUM)
    c.store([i, j], acc.to(c.dtype))


@triton.jit
def batched(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One matrix of a batch per program, by descriptors of three dimensions."""
    p, i, j = tl.program_id(0), tl.program_id(1) * BM, tl.program_id(2) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(tl.reshape(a.load([p, i, start]), (BM, BK)), tl.reshape(b.load([p, start, j]), (BK, BN)), acc)
    c.store([p, i, j], tl.reshape(acc.to(c.dtype), (1, BM, BN)))


@triton.jit
def persistent(
    a,
    b,
    c,
    tiles_m,
    tiles_n,
    k,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    FLATTEN: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN, warp_specialize=SPECIALIZE):
        i, j = tile // tiles_n * BM, tile % tiles_n * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a.load([i, start]), b.load([start, j]), acc)
        c.store([i, j], acc.to(c.dtype))


@triton.jit
def early_exit(a, b, c, live, tiles, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Programs without a tile return; tiles that are not live are skipped."""
    if tl.program_id(0) >= tiles:
        return
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        if tl.load(live + tile) != 0:
            acc = tl.zeros((BM, BN), tl.float32)
            for start in range(0, k, BK):
                acc = tl.dot(a.load([tile * BM, start]), b.load([start, 0]), acc)
            c.store([tile * BM, 0], acc)


@triton.jit
def until_done(a, b, c, order, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A while loop over a list of tiles that ends with a negative number."""
    at = tl.program_id(0)
    tile = tl.load(order + at)
    while tile >= 0:
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a.load([tile * BM, start]), b.load([start, 0]), acc)
        c.store([tile * BM, 0], acc)
        at += tl.num_programs(0)
        tile = tl.load(order + at)


@triton.jit
def subtiles(a, b, c, tiles, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The result is stored in two halves, by one descriptor, in a loop over tiles."""
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a.load([tile * BM, start]), b.load([start, 0]), acc)
        left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
        c.store([tile * BM, 0], left.to(c.dtype))
        c.store([tile * BM, BN // 2], right.to(c.dtype))


@triton.jit
def gated(a, u, w, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Two accumulators in one loop."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    up, gate = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = a.load([i, start])
        up = tl.dot(x, u.load([start, j]), up)
        gate = tl.dot(x, w.load([start, j]), gate)
    c.store([i, j], up * tl.sigmoid(gate))


@triton.jit
def biased(a, b, bias, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A vector by a descriptor of one dimension in the epilogue."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a.load([i, start]), b.load([start, j]), acc)
    c.store([i, j], tl.maximum(acc + bias.load([j])[None, :], 0.0).to(c.dtype))


@triton.jit
def residual(a, b, r, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A matrix that the epilogue loads."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a.load([i, start]), b.load([start, j]), acc)
    c.store([i, j], (acc + r.load([i, j]).to(tl.float32)).to(c.dtype))


@triton.jit
def gram(a, c, k, BM: tl.constexpr, BK: tl.constexpr):
    """Both operands through one descriptor."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BM
    acc = tl.zeros((BM, BM), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a.load([i, start]), a.load([j, start]).T, acc)
    c.store([i, j], acc)


@triton.jit
def one_by_pointers(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A by a descriptor, B by pointers."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    depth, columns = tl.arange(0, BK), j + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a.load([i, start]), tl.load(b + (start + depth)[:, None] * n + columns[None, :]), acc)
    c.store([i, j], acc)


@triton.jit
def chained(a, b, w, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """(a @ b) @ w: two loops in a row, the second with the result of the first."""
    i = tl.program_id(0) * BM
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(a.load([i, start]), b.load([start, 0]), acc)
    middle = acc.to(a.dtype)
    for start in range(0, BN, 64):
        c.store([i, start], tl.dot(middle, w.load([0, start])))


@triton.jit
def nested(a, b, c, d, groups, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Stores at two depths of a nest."""
    j = tl.program_id(0) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for group in range(groups):
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a.load([group * BM, start]), b.load([start, j]), acc)
        c.store([group * BM, j], acc.to(c.dtype))
        total += tl.abs(acc)
    d.store([0, j], total)


@triton.jit
def scaled_steps(a, b, s, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A row of scales per step, by a descriptor of its own."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc += tl.dot(a.load([i, start]), b.load([start, j])) * s.load([start // BK, j])
    c.store([i, j], acc)


@triton.jit
def two_loops(a, b, c, k, split, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Loops of different lengths over one accumulator; the first or the second may be empty."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, split, BK):
        acc = tl.dot(a.load([i, start]), b.load([start, j]), acc)
    acc = acc * 0.5
    for start in range(split, k, BK):
        acc = tl.dot(a.load([i, start]), b.load([start, j]), acc)
    c.store([i, j], acc)


def matmul(v):
    return {"c": v.a.astype(np.float64) @ v.b}


def of_kind(name, kind, out, sums, order="nn", extents=(64, 72, 136), tile=(64, 64, 32), specialize=False, **more):
    m, n, k = extents
    bm, bn, bk = tile
    fill = (lambda *shape: integers("i8", -9, 9, *shape)) if kind == "i8" else (lambda *shape: rand(kind, *shape))
    a = described(fill(m, k), bm, bk) if order[0] == "n" else described(fill(k, m), bk, bm)
    b = described(fill(k, n), bk, bn) if order[1] == "n" else described(fill(n, k), bn, bk)
    arguments = dict(a=a, b=b, c=described(zeros(out, m, n), bm, bn), k=k)
    constants = dict(SUM=sums, BM=bm, BN=bn, BK=bk, A_T=order[0] == "t", B_T=order[1] == "t", SPECIALIZE=specialize)

    def reference(v):
        return {"c": (v.a if order[0] == "n" else v.a.T) @ (v.b if order[1] == "n" else v.b.T)}

    return Case(
        name,
        multiplied,
        (-(-m // bm), -(-n // bn)),
        arguments,
        reference,
        constants,
        code=() if "ctas" in more else ("cp.async.bulk.tensor.2d.shared",),
        **more,
    )


def cases():
    f32 = tl.float32
    for order in ("nn", "nt", "tn", "tt"):
        yield of_kind(f"multiplied_f16_{order}", "f16", "f16", f32, order)
    yield of_kind("multiplied_bf16", "bf16", "bf16", f32, "nt", (100, 64, 144), warps=8)
    yield of_kind("multiplied_tf32", "f32", "f32", f32, "nt", (64, 64, 100), tolerance=5e-3)
    yield of_kind("multiplied_e4m3", "e4m3", "f32", f32, "nt", (64, 64, 160), (64, 64, 64), tolerance=1e-2)
    yield of_kind("multiplied_e5m2", "e5m2", "f32", f32, "nn", (64, 80, 96), tolerance=1e-2)
    yield of_kind("multiplied_i8", "i8", "i32", tl.int32, "nt", (64, 64, 160), (64, 64, 64))
    yield of_kind("multiplied_f64", "f64", "f64", tl.float64, "nn", (40, 40, 40), (32, 32, 16))
    yield of_kind("multiplied_large", "f16", "f16", f32, "nn", (128, 256, 192), (128, 256, 64), warps=8)
    yield of_kind("multiplied_specialized", "f16", "f16", f32, "nt", (128, 72, 520), (128, 64, 64), specialize=True)
    yield of_kind("multiplied_cluster", "f16", "f16", f32, "nn", (128, 128, 128), (128, 64, 32), ctas=2)
    a, b = described(rand("f16", 100, 136), 64, 32), described(rand("f16", 136, 136), 32, 64)
    tile = dict(BM=64, BN=64, BK=32)
    batch = dict(
        a=described(rand("bf16", 3, 64, 72), 1, 64, 32),
        b=described(rand("bf16", 3, 72, 64), 1, 32, 64),
        c=described(zeros("bf16", 3, 64, 64), 1, 64, 64),
        k=72,
    )
    yield Case("batched", batched, (3, 1, 1), batch, matmul, tile, code=("cp.async.bulk.tensor.3d", "wgmma"))
    for name, flatten, specialize in (
        ("persistent", False, False),
        ("persistent_flat", True, False),
        ("persistent_specialized", False, True),
        ("persistent_flat_specialized", True, True),
    ):
        yield Case(
            name,
            persistent,
            (4,),
            dict(a=a, b=b, c=described(zeros("f16", 100, 136), 64, 64), tiles_m=2, tiles_n=3, k=136),
            matmul,
            dict(**tile, FLATTEN=flatten, SPECIALIZE=specialize),
        )
    narrow = dict(
        a=described(rand("f16", 256, 72), 64, 32),
        b=described(rand("f16", 72, 64), 32, 64),
        c=described(zeros("f32", 256, 64), 64, 64),
        k=72,
    )
    live = np.array([1, 0, 1, 1])
    yield Case(
        "early_exit",
        early_exit,
        (3,),
        {**narrow, "live": given("i32", live), "tiles": 4},
        lambda v: {"c": (v.a @ v.b) * np.repeat(live, 64)[:, None]},
        tile,
    )
    yield Case(
        "until_done",
        until_done,
        (2,),
        {**narrow, "order": given("i32", [3, 0, 1, -1, -1, -1])},
        lambda v: {"c": (v.a @ v.b) * np.repeat([1, 1, 0, 1], 64)[:, None]},
        tile,
    )
    yield Case(
        "subtiles",
        subtiles,
        (2,),
        dict(
            a=described(rand("f16", 250, 72), 64, 32),
            b=described(rand("f16", 72, 128), 32, 128),
            c=described(zeros("f16", 250, 128), 64, 64),
            tiles=4,
            k=72,
        ),
        matmul,
        dict(BM=64, BN=128, BK=32),
        warps=8,
    )
    small = dict(a=described(rand("f16", 64, 96), 64, 32), k=96)

    def right():
        return described(rand("f16", 96, 64), 32, 64)

    yield Case(
        "gated",
        gated,
        (1, 1),
        {**small, "u": right(), "w": right(), "c": described(zeros("f32", 64, 64), 64, 64)},
        lambda v: {"c": v.a @ v.u / (1 + np.exp(-(v.a @ v.w)))},
        tile,
    )
    yield Case(
        "biased",
        biased,
        (1, 1),
        {**small, "b": right(), "bias": described(rand("f32", 64), 64), "c": described(zeros("f16", 64, 64), 64, 64)},
        lambda v: {"c": np.maximum(v.a @ v.b + v.bias, 0)},
        tile,
    )
    yield Case(
        "residual",
        residual,
        (1, 1),
        {**small, "b": right(), "r": described(rand("bf16", 64, 64), 64, 64), "c": described(zeros("bf16", 64, 64), 64, 64)},
        lambda v: {"c": v.a @ v.b + v.r},
        tile,
    )
    yield Case(
        "gram",
        gram,
        (2, 2),
        dict(a=described(rand("bf16", 100, 72), 64, 32), c=described(zeros("f32", 100, 100), 64, 64), k=72),
        lambda v: {"c": v.a @ v.a.T},
        dict(BM=64, BK=32),
    )
    yield Case(
        "one_by_pointers",
        one_by_pointers,
        (1, 1),
        {**small, "b": rand("f16", 96, 64), "c": described(zeros("f32", 64, 64), 64, 64), "n": 64},
        matmul,
        tile,
    )
    yield Case(
        "chained",
        chained,
        (2,),
        dict(
            a=described(rand("f16", 100, 72), 64, 32),
            b=described(rand("f16", 72, 64), 32, 64),
            w=described(rand("f16", 64, 64), 64, 64),
            c=described(zeros("f32", 100, 64), 64, 64),
            k=72,
        ),
        lambda v: {"c": v.a @ v.b @ v.w},
        tile,
        tolerance=2e-2,
    )
    yield Case(
        "nested",
        nested,
        (1,),
        dict(
            a=described(rand("f16", 192, 72), 64, 32),
            b=described(rand("f16", 72, 64), 32, 64),
            c=described(zeros("f16", 192, 64), 64, 64),
            d=described(zeros("f32", 64, 64), 64, 64),
            groups=3,
            k=72,
        ),
        lambda v: {"c": v.a @ v.b, "d": np.abs(v.a @ v.b).reshape(3, 64, 64).sum(0)},
        tile,
    )
    yield Case(
        "scaled_steps",
        scaled_steps,
        (1, 1),
        {**small, "b": right(), "s": described(rand("f32", 3, 64), 1, 64), "c": described(zeros("f32", 64, 64), 64, 64)},
        lambda v: {"c": sum(v.a[:, i * 32 : i * 32 + 32] @ v.b[i * 32 : i * 32 + 32] * v.s[i] for i in range(3))},
        tile,
    )
    for split in (0, 32, 96):
        yield Case(
            f"two_loops_{split}",
            two_loops,
            (1, 1),
            {**small, "b": right(), "c": described(zeros("f32", 64, 64), 64, 64), "split": split},
            lambda v: {"c": v.a[:, : v.split] @ v.b[: v.split] * 0.5 + v.a[:, v.split :] @ v.b[v.split :]},
            tile,
        )
    for k in (0, 32):
        yield Case(
            f"persistent_{k // 32}_steps",
            persistent,
            (2,),
            dict(a=a, b=b, c=described(zeros("f16", 100, 136), 64, 64), tiles_m=2, tiles_n=3, k=k),
            lambda v: {"c": v.a[:, : v.k] @ v.b[: v.k]},
            dict(**tile, FLATTEN=True, SPECIALIZE=False),
        )
