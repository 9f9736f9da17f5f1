"""Tensor descriptors: copies of blocks of 1 to 5 dimensions and all element types, inside and outside of the tensors."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, box, described, given, integers, rand, rounded, zeros


@triton.jit
def tripled(x, o, row, column, WIDE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Three times the block that is `row` rows and `column` columns away."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    v = x.load([i + row, j + column]).to(WIDE)
    o.store([i, j], (v * 3).to(o.dtype))


@triton.jit
def line(x, o, shift, B: tl.constexpr):
    """One dimension, in blocks of several boxes."""
    i = tl.program_id(0) * B
    o.store([i], x.load([i + shift]) + x.load([i]))


@triton.jit
def swapped_planes(x, o, BP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Transposes each matrix of a batch."""
    p, i, j = tl.program_id(0) * BP, tl.program_id(1) * BM, tl.program_id(2) * BN
    o.store([p, j, i], tl.trans(x.load([p, i, j]), 0, 2, 1))


@triton.jit
def pooled(x, o, H: tl.constexpr, W: tl.constexpr, C: tl.constexpr):
    """The maxima of 2x2 pixels of images (image, row, column, channel)."""
    image, row, column = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    v = x.load([image, row * H, column * W, 0])
    pairs = tl.max(tl.reshape(v, (H // 2, 2, W // 2, 2, C)), 3)
    o.store([image, row * (H // 2), column * (W // 2), 0], tl.reshape(tl.max(pairs, 1), (1, H // 2, W // 2, C)))


@triton.jit
def reordered(x, o, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr, E: tl.constexpr):
    """Five dimensions, the second and the third exchanged."""
    a, b = tl.program_id(0) * A, tl.program_id(1) * B
    v = x.load([a, b, 0, 0, 0])
    o.store([a, 0, b, 0, 0], tl.permute(v, (0, 2, 1, 3, 4)))


@triton.jit
def outside(x, rows, columns, o, count, m, n, s, BM: tl.constexpr, BN: tl.constexpr, PADDING: tl.constexpr):
    """The number of NaN and the sum of the other elements of blocks at given places."""
    a = tl.make_tensor_descriptor(x, [m, n], [s, 1], [BM, BN], padding_option=PADDING)
    for place in range(count):
        v = a.load([tl.load(rows + place), tl.load(columns + place)]).to(tl.float32)
        number = v == v
        tl.store(o + place * 2, tl.sum(tl.sum(1 - number.to(tl.int32), 1), 0).to(tl.float32))
        tl.store(o + place * 2 + 1, tl.sum(tl.sum(tl.where(number, v, 0.0), 1), 0))


@triton.jit
def outside_planes(x, o, p, m, n, BP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """NaN outside of a tensor of three dimensions, replaced by 7."""
    a = tl.make_tensor_descriptor(x, [p, m, n], [m * n, n, 1], [BP, BM, BN], padding_option="nan")
    i, j = tl.program_id(0) * BM - 3, tl.program_id(1) * BN - 8
    v = a.load([-1, i, j])
    o.store([0, i + 3, j + 8], tl.where(v == v, v, 7.0))


@triton.jit
def placed(x, o, rows, columns, count, BM: tl.constexpr, BN: tl.constexpr):
    """Stores a block at given places, inside, at the edges and past the ends of the tensor."""
    v = x.load([0, 0])
    for place in range(count):
        o.store([tl.load(rows + place), tl.load(columns + place)], v + place.to(tl.float32))


@triton.jit
def copied_tiles(x, o, tiles, BM: tl.constexpr):
    """A loop of loads, each stored unchanged."""
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        o.store([tile * BM, 0], x.load([tile * BM, 0]))


@triton.jit
def overlapping_tiles(x, o, tiles, BM: tl.constexpr):
    """Each store overwrites half of the previous one, which must be complete."""
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        o.store([tile * (BM // 2), 0], x.load([tile * BM, 0]))


@triton.jit
def transposed_tiles(x, o, tiles, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    for tile in range(tiles):
        o.store([tile * BN, i], x.load([i, tile * BN]).T)


@triton.jit
def two_results(x, y, o, p, tiles, BM: tl.constexpr):
    """Two stores per iteration, of sum and difference."""
    for tile in range(tiles):
        i = (tl.program_id(0) * tiles + tile) * BM
        a, b = x.load([i, 0]), y.load([i, 0])
        o.store([i, 0], a + b)
        p.store([i, 0], a - b)


@triton.jit
def interleaved(x, y, o, BM: tl.constexpr, BN: tl.constexpr):
    """The columns of two tensors alternate."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    o.store([i, 2 * j], tl.reshape(tl.join(x.load([i, j]), y.load([i, j])), (BM, 2 * BN)))


@triton.jit
def halves(x, o, p, BM: tl.constexpr, BN: tl.constexpr):
    """Even and odd columns, apart."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    even, odd = tl.split(tl.reshape(x.load([i, 2 * j]), (BM, BN, 2)))
    o.store([i, j], even)
    p.store([i, j], odd)


@triton.jit
def one_image(x, o, BM: tl.constexpr, BN: tl.constexpr):
    """Blocks of one image of a batch, used as matrices."""
    image, i = tl.program_id(0), tl.program_id(1) * BM
    v = tl.reshape(x.load([image, i, 0]), (BM, BN))
    o.store([image, i, 0], tl.reshape(v - tl.sum(v, 1)[:, None] / BN, (1, BM, BN)))


@triton.jit
def in_place(x, tiles, BM: tl.constexpr, BN: tl.constexpr):
    """Loads and stores through one descriptor; each block depends on the previous one."""
    j = tl.program_id(0) * BN
    for tile in range(1, tiles):
        x.store([tile * BM, j], x.load([tile * BM, j]) + x.load([(tile - 1) * BM, j]))


@triton.jit
def windows(x, o, count, STEP: tl.constexpr, WIDTH: tl.constexpr, BM: tl.constexpr):
    """Overlapping windows of a signal: a matrix whose rows share elements."""
    signal = tl.make_tensor_descriptor(x, [count, WIDTH], [STEP, 1], [BM, WIDTH])
    i = tl.program_id(0) * BM
    v = signal.load([i, 0])
    tl.store(o + i + tl.arange(0, BM), tl.sum(v.to(tl.float32), 1), mask=i + tl.arange(0, BM) < count)


@triton.jit
def stencil(x, o, BM: tl.constexpr, BN: tl.constexpr):
    """Five blocks, four of them shifted by a row or by 16 bytes."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    v = x.load([i - 1, j]) + x.load([i + 1, j]) + x.load([i, j - 4]) + x.load([i, j + 4])
    o.store([i, j], v * 0.25 - x.load([i, j]))


@triton.jit
def stencil_by_one(x, o, n, BM: tl.constexpr, BN: tl.constexpr):
    """Blocks shifted by one element, which TMA does not load: through pointers. The counter has known remainders, too."""
    i = tl.program_id(0) * BM
    for j in range(0, n, BN):
        o.store([i, j], x.load([i, j - 1]) - 2 * x.load([i, j]) + x.load([i, j + 1]))


@triton.jit
def before_the_first(x, o, BM: tl.constexpr, BN: tl.constexpr):
    """A store that begins before the first row: through pointers."""
    o.store([-3, tl.program_id(0) * BN], x.load([0, tl.program_id(0) * BN]))


@triton.jit
def mirrored(x, o, tiles, BM: tl.constexpr):
    """Blocks in the opposite order, each with its rows reversed."""
    for tile in range(tiles):
        o.store([(tiles - 1 - tile) * BM, 0], tl.flip(x.load([tile * BM, 0]), 0))


KINDS = {
    "f16": tl.float32,
    "bf16": tl.float32,
    "f32": tl.float32,
    "f64": tl.float64,
    "e4m3": tl.float32,
    "e5m2": tl.float32,
    "i8": tl.int32,
    "u8": tl.int32,
    "i16": tl.int32,
    "u16": tl.int32,
    "i32": tl.int32,
    "u32": tl.int32,
    "i64": tl.int64,
    "u64": tl.int64,
}


def of_kind(kind):
    row, column = (-5, -16) if kind in ("f16", "i8", "u64") else (3, 16)
    fill = (
        (lambda *shape: rand(kind, *shape))
        if kind[0] in "fbe"
        else (lambda *shape: integers(kind, 0 if kind[0] == "u" else -9, 40, *shape))
    )
    arguments = dict(x=described(fill(50, 80), 32, 32), o=described(zeros(kind, 50, 80), 32, 32), row=row, column=column)

    def reference(v):
        return {"o": rounded(kind, 3 * box(v.x, (row, column), (50, 80)))}

    return Case(
        f"tripled_{kind}",
        tripled,
        (2, 3),
        arguments,
        reference,
        dict(WIDE=KINDS[kind], BM=32, BN=32),
        code=("cp.async.bulk.tensor.2d.shared", "cp.async.bulk.tensor.2d.global"),
    )


def sums(v, kind, shape, nan):
    extended = np.pad(v.x, 200, constant_values=np.nan if nan else 0)
    blocks = [extended[200 + r : 200 + r + shape[0], 200 + c : 200 + c + shape[1]] for r, c in zip(v.rows, v.columns)]
    return {"o": np.array([[np.isnan(block).sum(), np.nansum(block)] for block in blocks]).reshape(-1)}


def all_outside(kind, padding):
    rows, columns = given("i32", [0, -3, -32, 40, 20, 100, -100, 5]), given("i32", [0, 16, 0, 16, 48, 0, 16, -32])
    arguments = dict(x=rand(kind, 40, 64), rows=rows, columns=columns, o=zeros("f32", 16), count=8, m=40, n=64, s=64)
    code = (
        ("no cp.async.bulk.tensor",) if kind in ("e4m3", "e5m2") and padding == "nan" else ("cp.async.bulk.tensor.2d.shared",)
    )
    return Case(
        f"outside_{padding}_{kind}",
        outside,
        (1,),
        arguments,
        lambda v: sums(v, kind, (32, 32), padding == "nan"),
        dict(BM=32, BN=32, PADDING=padding),
        code=code,
    )


def stored_at_places(v):
    wide = np.pad(np.zeros((40, 64)), 200)
    for place, (row, column) in enumerate(zip(v.rows, v.columns)):
        wide[200 + row : 232 + row, 200 + column : 232 + column] = v.x + place
    return {"o": wide[200:240, 200:264]}


def placed_case():
    rows, columns = given("i32", [0, 30, 20, 40, 3, 70, 35]), given("i32", [32, 0, 16, 0, 48, 0, 60])
    arguments = dict(
        x=described(rand("f32", 32, 32), 32, 32), o=described(zeros("f32", 40, 64), 32, 32), rows=rows, columns=columns, count=7
    )
    return Case(
        "placed", placed, (1,), arguments, stored_at_places, dict(BM=32, BN=32), code=("cp.async.bulk.tensor.2d.global",)
    )


def cases():
    for kind in KINDS:
        yield of_kind(kind)
    for kind, padding in (("f16", "nan"), ("f32", "nan"), ("e4m3", "nan"), ("bf16", "zero"), ("e5m2", "zero")):
        yield all_outside(kind, padding)
    yield placed_case()
    yield Case(
        "line_f32",
        line,
        (2,),
        dict(x=described(rand("f32", 900), 512), o=described(zeros("f32", 900), 512), shift=-8),
        lambda v: {"o": v.x + box(v.x, (-8,), (900,))},
        dict(B=512),
        code=("cp.async.bulk.tensor.1d",),
    )
    yield Case(
        "line_i64",
        line,
        (3,),
        dict(x=described(integers("i64", -99, 99, 150), 64), o=described(zeros("i64", 150), 64), shift=100),
        lambda v: {"o": v.x + box(v.x, (100,), (150,))},
        dict(B=64),
        warps=2,
    )
    yield Case(
        "swapped_planes",
        swapped_planes,
        (2, 2, 2),
        dict(x=described(rand("bf16", 3, 20, 24), 2, 16, 16), o=described(zeros("bf16", 3, 24, 20 + 4), 2, 16, 16)),
        lambda v: {"o": np.pad(v.x.transpose(0, 2, 1), ((0, 0), (0, 0), (0, 4)))},
        dict(BP=2, BM=16, BN=16),
        code=("cp.async.bulk.tensor.3d",),
    )
    yield Case(
        "pooled",
        pooled,
        (2, 2, 2),
        dict(x=described(rand("f32", 2, 8, 32, 8), 1, 4, 16, 8), o=described(zeros("f32", 2, 4, 16, 8), 1, 2, 8, 8)),
        lambda v: {"o": v.x.reshape(2, 4, 2, 16, 2, 8).max((2, 4))},
        dict(H=4, W=16, C=8),
        code=("cp.async.bulk.tensor.4d",),
    )
    yield Case(
        "reordered",
        reordered,
        (2, 2),
        dict(
            x=described(integers("i16", -999, 999, 3, 3, 2, 4, 8), 2, 2, 2, 4, 8),
            o=described(zeros("i16", 3, 2, 3, 4, 8), 2, 2, 2, 4, 8),
        ),
        lambda v: {"o": v.x.transpose(0, 2, 1, 3, 4)},
        dict(A=2, B=2, C=2, D=4, E=8),
        code=("cp.async.bulk.tensor.5d",),
    )
    yield Case(
        "outside_planes",
        outside_planes,
        (2, 2),
        dict(x=rand("f32", 3, 20, 24), o=described(zeros("f32", 4, 32, 32), 4, 16, 16), p=3, m=20, n=24),
        lambda v: {"o": box(v.x, (-1, -3, -8), (4, 32, 32), 7.0)},
        dict(BP=4, BM=16, BN=16),
    )
    yield Case(
        "copied_tiles",
        copied_tiles,
        (2,),
        dict(x=described(rand("f16", 300, 64), 32, 64), o=described(zeros("f16", 300, 64), 32, 64), tiles=10),
        lambda v: {"o": v.x},
        dict(BM=32),
        code=("no cp.async.bulk.wait_group 0",),
    )
    yield Case(
        "overlapping_tiles",
        overlapping_tiles,
        (1,),
        dict(x=described(rand("f16", 128, 64), 32, 64), o=described(zeros("f16", 80, 64), 32, 64), tiles=4),
        lambda v: {"o": np.concatenate([v.x.reshape(4, 32, 64)[:, :16].reshape(64, 64), v.x[112:]])},
        dict(BM=32),
        code=("cp.async.bulk.wait_group 0",),
    )
    yield Case(
        "transposed_tiles_i8",
        transposed_tiles,
        (2,),
        dict(x=described(integers("i8", -99, 99, 100, 144), 64, 32), o=described(zeros("i8", 144, 112), 32, 64), tiles=5),
        lambda v: {"o": np.pad(v.x.T, ((0, 0), (0, 12)))},
        dict(BM=64, BN=32),
    )
    yield Case(
        "transposed_tiles_f32",
        transposed_tiles,
        (2,),
        dict(x=described(rand("f32", 64, 70 + 2), 32, 32), o=described(zeros("f32", 72, 64), 32, 32), tiles=3),
        lambda v: {"o": v.x.T},
        dict(BM=32, BN=32),
        warps=8,
    )
    pair = dict(x=described(rand("f16", 128, 64), 16, 64), y=described(rand("f16", 128, 64), 16, 64))
    yield Case(
        "two_results",
        two_results,
        (2,),
        {**pair, "o": described(zeros("f16", 128, 64), 16, 64), "p": described(zeros("f16", 128, 64), 16, 64), "tiles": 4},
        lambda v: {"o": v.x + v.y, "p": v.x - v.y},
        dict(BM=16),
        code=("no cp.async.bulk.wait_group 0",),
    )
    yield Case(
        "interleaved",
        interleaved,
        (1, 2),
        dict(
            x=described(rand("bf16", 20, 64), 32, 32),
            y=described(rand("bf16", 20, 64), 32, 32),
            o=described(zeros("bf16", 20, 128), 32, 64),
        ),
        lambda v: {"o": np.stack([v.x, v.y], -1).reshape(20, 128)},
        dict(BM=32, BN=32),
    )
    yield Case(
        "halves",
        halves,
        (1, 2),
        dict(
            x=described(rand("f32", 20, 128), 32, 64),
            o=described(zeros("f32", 20, 64), 32, 32),
            p=described(zeros("f32", 20, 64), 32, 32),
        ),
        lambda v: {"o": v.x[:, ::2], "p": v.x[:, 1::2]},
        dict(BM=32, BN=32),
    )
    yield Case(
        "one_image",
        one_image,
        (2, 2),
        dict(x=described(rand("f32", 2, 50, 64), 1, 32, 64), o=described(zeros("f32", 2, 50, 64), 1, 32, 64)),
        lambda v: {"o": v.x - v.x.mean(2, keepdims=True)},
        dict(BM=32, BN=64),
    )
    yield Case(
        "in_place",
        in_place,
        (2,),
        dict(x=described(rand("f32", 64, 64), 16, 32), tiles=4),
        lambda v: {"x": np.cumsum(v.x.reshape(4, 16, 64), 0).reshape(64, 64)},
        dict(BM=16, BN=32),
        code=("no cp.async.bulk.tensor",),
    )
    yield Case(
        "windows",
        windows,
        (2,),
        dict(x=rand("f16", 16 * 50 + 48), o=zeros("f32", 50), count=50),
        lambda v: {"o": np.array([v.x[16 * i : 16 * i + 64].sum() for i in range(50)])},
        dict(STEP=16, WIDTH=64, BM=32),
        code=("cp.async.bulk.tensor.2d",),
    )
    yield Case(
        "stencil",
        stencil,
        (2, 2),
        dict(x=described(rand("f32", 60, 60), 32, 32), o=described(zeros("f32", 60, 60), 32, 32)),
        lambda v: {"o": sum(box(v.x, at, (60, 60)) for at in ((-1, 0), (1, 0), (0, -4), (0, 4))) * 0.25 - v.x},
        dict(BM=32, BN=32),
    )
    yield Case(
        "stencil_by_one",
        stencil_by_one,
        (2,),
        dict(x=described(rand("f32", 60, 64), 32, 32), o=described(zeros("f32", 60, 64), 32, 32), n=64),
        lambda v: {"o": box(v.x, (0, -1), (60, 64)) - 2 * v.x + box(v.x, (0, 1), (60, 64))},
        dict(BM=32, BN=32),
        code=("no cp.async.bulk.tensor.2d.shared",),
    )
    yield Case(
        "before_the_first",
        before_the_first,
        (2,),
        dict(x=described(rand("f32", 32, 64), 32, 32), o=described(zeros("f32", 40, 64), 32, 32)),
        lambda v: {"o": np.pad(v.x[3:], ((0, 11), (0, 0)))},
        dict(BM=32, BN=32),
        code=("no cp.async.bulk.tensor.2d.global",),
    )
    yield Case(
        "mirrored",
        mirrored,
        (1,),
        dict(x=described(rand("f32", 64, 32), 16, 32), o=described(zeros("f32", 64, 32), 16, 32), tiles=4),
        lambda v: {"o": v.x[::-1]},
        dict(BM=16),
    )
    tall = dict(x=described(integers("i8", -40, 40, 600, 48), 512, 32), o=described(zeros("i8", 600, 48), 512, 32))
    yield Case(
        "tripled_tall",
        tripled,
        (2, 2),
        {**tall, "row": 3, "column": 0},
        lambda v: {"o": 3 * box(v.x, (3, 0), (600, 48))},
        dict(WIDE=tl.int32, BM=512, BN=32),
        warps=8,
    )
    wide = dict(x=described(rand("f32", 12, 700), 8, 512), o=described(zeros("f32", 12, 700), 8, 512))
    yield Case(
        "tripled_wide",
        tripled,
        (2, 2),
        {**wide, "row": 0, "column": -300},
        lambda v: {"o": 3 * box(v.x, (0, -300), (12, 700))},
        dict(WIDE=tl.float32, BM=8, BN=512),
    )
    few = dict(x=described(rand("f16", 9, 64), 2, 64), o=described(zeros("f16", 9, 64), 2, 64))
    yield Case(
        "tripled_few_rows",
        tripled,
        (5, 1),
        {**few, "row": -2, "column": 0},
        lambda v: {"o": 3 * box(v.x, (-2, 0), (9, 64))},
        dict(WIDE=tl.float32, BM=2, BN=64),
        warps=1,
    )
