"""Tensor descriptors: reductions into global memory (cp.reduce.async.bulk.tensor)."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, box, described, full, given, integers, rand, zeros


@triton.jit
def added(x, o, tiles, BM: tl.constexpr):
    """The sum of all blocks of a tall matrix; each program adds several."""
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        o.atomic_add([0, 0], x.load([tile * BM, 0]))


@triton.jit
def extremes(x, low, high, tiles, BM: tl.constexpr):
    """Minima and maxima of all blocks."""
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        v = x.load([tile * BM, 0])
        low.atomic_min([0, 0], v)
        high.atomic_max([0, 0], v)


@triton.jit
def bits(x, every, some, odd, tiles, BM: tl.constexpr):
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        v = x.load([tile * BM, 0])
        every.atomic_and([0, 0], v)
        some.atomic_or([0, 0], v)
        odd.atomic_xor([0, 0], v)


@triton.jit
def column_totals(x, o, tiles, BM: tl.constexpr, BN: tl.constexpr):
    """Column sums of a part of the rows, added to a vector."""
    j = tl.program_id(0) * BN
    total = tl.zeros((BN,), tl.float32)
    for tile in range(tl.program_id(1), tiles, tl.num_programs(1)):
        total += tl.sum(x.load([tile * BM, j]).to(tl.float32), 0)
    o.atomic_add([j], total)


@triton.jit
def split_k(a, b, c, steps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each program multiplies a part of K and adds its result."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.program_id(2), steps, tl.num_programs(2)):
        acc = tl.dot(a.load([i, step * BK]), b.load([step * BK, j]), acc)
    c.atomic_add([i, j], acc)


@triton.jit
def shifted_sums(x, o, shifts, count, BM: tl.constexpr, BN: tl.constexpr):
    """Adds a block at several places, some of them partly or fully past the ends."""
    v = x.load([0, 0])
    for place in range(count):
        shift = tl.load(shifts + place)
        o.atomic_add([shift, shift * 4], v)


@triton.jit
def planes_added(x, o, PADDING: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """All planes of a batch are added to one, through a descriptor that the kernel makes."""
    sums = tl.make_tensor_descriptor(o, [BM, BN], [BN, 1], [BM, BN], padding_option=PADDING)
    sums.atomic_add([0, 0], tl.reshape(x.load([tl.program_id(0), 0, 0]), (BM, BN)))


@triton.jit
def counted(x, o, n, BINS: tl.constexpr, B: tl.constexpr):
    """A histogram per program, added to the common one."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    o.atomic_add([0], tl.histogram(tl.load(x + at, mask=at < n, other=0), BINS, mask=at < n))


@triton.jit
def stored_and_added(x, o, p, tiles, BM: tl.constexpr):
    """A store and a reduction of one value in each iteration."""
    for tile in range(tiles):
        v = x.load([tile * BM, 0])
        o.store([tile * BM, 0], v * 2)
        p.atomic_add([0, 0], v)


def blocks(x, rows=16):
    return x.reshape(-1, rows, x.shape[1])


def fold(operation, v):
    return operation.reduce(blocks(v.x), 0)


def added_case(kind):
    tall = integers(kind, 0, 50, 96, 64) if kind[0] in "iu" else rand(kind, 96, 64)
    arguments = dict(x=described(tall, 16, 64), o=described(zeros(kind, 16, 64), 16, 64), tiles=6)
    return Case(
        f"added_{kind}",
        added,
        (3,),
        arguments,
        lambda v: {"o": blocks(v.x).sum(0)},
        dict(BM=16),
        code=("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add",),
        tolerance={"f16": 0.02, "bf16": 0.1}.get(kind),
    )


def extremes_case(kind, code):
    low, high = (0, 1000) if kind[0] == "u" else (-500, 500)
    tall = integers(kind, low, high, 96, 32) if kind[0] in "iu" else rand(kind, 96, 32)
    start = (lambda value: full(kind, value, 16, 32)) if kind[0] in "iu" else (lambda value: zeros(kind, 16, 32))
    arguments = dict(x=described(tall, 16, 32), low=described(start(high), 16, 32), high=described(start(low), 16, 32), tiles=6)

    def reference(v):
        least, most = fold(np.minimum, v), fold(np.maximum, v)
        return {"low": np.minimum(least, v.low), "high": np.maximum(most, v.high)}

    return Case(f"extremes_{kind}", extremes, (2,), arguments, reference, dict(BM=16), code=code)


def bits_case(kind):
    tall = dict(
        x=described(integers(kind, 0, 1 << 20, 64, 32), 16, 32), every=described(full(kind, (1 << 21) - 1, 16, 32), 16, 32)
    )
    arguments = {
        **tall,
        "some": described(zeros(kind, 16, 32), 16, 32),
        "odd": described(zeros(kind, 16, 32), 16, 32),
        "tiles": 4,
    }

    def reference(v):
        return {"every": fold(np.bitwise_and, v), "some": fold(np.bitwise_or, v), "odd": fold(np.bitwise_xor, v)}

    return Case(
        f"bits_{kind}",
        bits,
        (2,),
        arguments,
        reference,
        dict(BM=16),
        code=tuple(f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{name}" for name in ("and", "or", "xor")),
    )


def sums_at(v):
    total = np.zeros((40, 96))
    for shift in v.shifts:
        total += box(v.x, (-shift, -4 * shift), (40, 96))
    return {"o": total}


def cases():
    for kind in ("f32", "f16", "bf16", "i32", "u64"):
        yield added_case(kind)
    tma = tuple(f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{name}" for name in ("min", "max"))
    for kind in ("u32", "u64", "f16", "bf16"):
        yield extremes_case(kind, tma)
    for kind in ("i32", "i64"):
        yield extremes_case(kind, ("no cp.reduce.async.bulk",))
        yield bits_case(kind)
    yield Case(
        "column_totals",
        column_totals,
        (2, 2),
        dict(x=described(rand("f16", 100, 120), 32, 64), o=described(zeros("f32", 120), 64), tiles=4),
        lambda v: {"o": v.x.sum(0)},
        dict(BM=32, BN=64),
        code=("cp.reduce.async.bulk.tensor.1d",),
    )
    factors = dict(a=described(rand("f16", 72, 256), 64, 64), b=described(rand("f16", 256, 80), 64, 64))
    yield Case(
        "split_k",
        split_k,
        (2, 2, 2),
        {**factors, "c": described(zeros("f32", 72, 80), 64, 64), "steps": 4},
        lambda v: {"c": v.a @ v.b},
        dict(BM=64, BN=64, BK=64),
        code=("cp.reduce.async.bulk.tensor.2d", "wgmma"),
    )
    yield Case(
        "shifted_sums",
        shifted_sums,
        (2,),
        dict(
            x=described(rand("f32", 32, 32), 32, 32),
            o=described(zeros("f32", 40, 96), 32, 32),
            shifts=given("i32", [0, 20, 50, 8]),
            count=4,
        ),
        lambda v: {"o": 2 * sums_at(v)["o"]},
        dict(BM=32, BN=32),
        tolerance=1e-5,
    )
    for padding in ("zero", "nan"):
        yield Case(
            f"planes_added_{padding}",
            planes_added,
            (3,),
            dict(x=described(rand("f32", 3, 16, 32), 1, 16, 32), o=zeros("f32", 16, 32)),
            lambda v: {"o": v.x.sum(0)},
            dict(PADDING=padding, BM=16, BN=32),
            code=("cp.reduce.async.bulk.tensor.2d",),
        )
    yield Case(
        "counted",
        counted,
        (3,),
        dict(x=integers("i32", 0, 64, 600), o=described(zeros("i32", 64), 64), n=600),
        lambda v: {"o": np.bincount(v.x, minlength=64)},
        dict(BINS=64, B=256),
        code=("cp.reduce.async.bulk.tensor.1d",),
    )
    yield Case(
        "stored_and_added",
        stored_and_added,
        (1,),
        dict(
            x=described(rand("f32", 64, 32), 16, 32),
            o=described(zeros("f32", 64, 32), 16, 32),
            p=described(zeros("f32", 16, 32), 16, 32),
            tiles=4,
        ),
        lambda v: {"o": 2 * v.x, "p": blocks(v.x).sum(0)},
        dict(BM=16),
    )
