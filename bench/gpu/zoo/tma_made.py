"""Tensor descriptors that a kernel makes: outside of loops, in loops, in branches and in functions."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, described, given, integers, rand, zeros


@triton.jit
def made_in_loop(x, o, m, n, tiles, BM: tl.constexpr, BN: tl.constexpr):
    """The same descriptors in each iteration."""
    for tile in range(tiles):
        a = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
        b = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
        i = (tl.program_id(0) * tiles + tile) * BM
        b.store([i, 0], a.load([i, 0]) * 2)


@triton.jit
def made_per_iteration(x, ends, o, n, groups, BM: tl.constexpr, BN: tl.constexpr):
    """A descriptor of each group of rows, whose number limits its loads and stores."""
    start = 0
    for group in range(groups):
        end = tl.load(ends + group)
        a = tl.make_tensor_descriptor(x + start * n, [end - start, n], [n, 1], [BM, BN])
        b = tl.make_tensor_descriptor(o + start * n, [end - start, n], [n, 1], [BM, BN])
        for i in range(0, end - start, BM):
            v = a.load([i, 0])
            b.store([i, 0], v - tl.sum(v, 0)[None, :])
        start = end


@triton.jit
def made_in_branch(x, y, o, n, flip, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    if flip > tl.program_id(0):
        a = tl.make_tensor_descriptor(x, [n, BN], [BN, 1], [BM, BN])
        o.store([i, 0], a.load([i, 0]))
    else:
        b = tl.make_tensor_descriptor(y, [n, BN], [BN, 1], [BM, BN])
        o.store([i, 0], -b.load([i, 0]))


@triton.jit
def chosen(x, y, o, n, flip, BM: tl.constexpr, BN: tl.constexpr):
    """One of two descriptors, as the result of a branch."""
    i = tl.program_id(0) * BM
    if flip > tl.program_id(0):
        a = tl.make_tensor_descriptor(x, [n, BN], [BN, 1], [BM, BN])
    else:
        a = tl.make_tensor_descriptor(y, [n, BN], [BN, 1], [BM, BN])
    o.store([i, 0], a.load([i, 0]))


@triton.jit
def of_head(q, o, length, WIDTH: tl.constexpr, BM: tl.constexpr):
    """A base that depends on the program."""
    head = tl.program_id(0)
    a = tl.make_tensor_descriptor(q + head * length * WIDTH, [length, WIDTH], [WIDTH, 1], [BM, WIDTH])
    b = tl.make_tensor_descriptor(o + head * length * WIDTH, [length, WIDTH], [WIDTH, 1], [BM, WIDTH])
    for start in range(0, length, BM):
        v = a.load([start, 0]).to(tl.float32)
        p = tl.exp(v - tl.max(v, 1)[:, None])
        b.store([start, 0], (p / tl.sum(p, 1)[:, None]).to(o.dtype.element_ty))


@triton.jit
def stripes(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    """Every second group of columns, as a tensor of three dimensions."""
    a = tl.make_tensor_descriptor(x, [m, n // (2 * BN), BN], [n, 2 * BN, 1], [BM, 1, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1)
    o.store([i, j * BN], tl.reshape(a.load([i, j, 0]), (BM, BN)))


@triton.jit
def one_loop(x, y, bias, o, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = x @ y.T + bias. One loop over the steps of all tiles of a program; branches begin a tile and store it."""
    a = tl.make_tensor_descriptor(x, [m, k], [k, 1], [BM, BK])
    b = tl.make_tensor_descriptor(y, [n, k], [k, 1], [BN, BK])
    columns, steps, programs = tl.cdiv(n, BN), tl.cdiv(k, BK), tl.num_programs(0)
    own = tl.cdiv(tl.cdiv(m, BM) * columns - tl.program_id(0), programs)
    tile, i, j = tl.program_id(0) - programs, 0, 0
    acc = tl.zeros((BM, BN), tl.float32)
    for t in range(own * steps):
        step = t % steps
        if step == 0:
            tile += programs
            i, j = tile // columns * BM, tile % columns * BN
        acc += tl.dot(a.load([i, step * BK]), b.load([j, step * BK]).T)
        if step == steps - 1:
            rows, places = i + tl.arange(0, BM)[:, None], j + tl.arange(0, BN)[None, :]
            keep = (rows < m) & (places < n)
            v = acc + tl.load(bias + tl.broadcast_to(places, (BM, BN)), keep)
            tl.store(o + rows * n + places, v.to(o.dtype.element_ty), keep)
            acc = tl.zeros((BM, BN), tl.float32)


@triton.jit(noinline=True)
def step_of(a, b, i, j, k):
    return tl.dot(a.load([i, k]), b.load([k, j]))


@triton.jit
def passed_on(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Descriptors as arguments of a function that is not inlined."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc += step_of(a, b, i, j, start)
    c.store([i, j], acc)


@triton.jit(noinline=True)
def made_by_function(x, i, m, n, BM: tl.constexpr, BN: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
    return a.load([i, 0])


@triton.jit
def made_in_function(x, y, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    v = made_by_function(x, i, m, n, BM, BN)
    o.store([i, 0], v + tl.sum(v, 1)[:, None] * made_by_function(y, i, m, n, BM, BN))


@triton.jit(noinline=True)
def stored_by_function(x, o, i, factor):
    v = x.load([0, 0]) * factor
    o.store([i, 0], v)
    o.store([i + 64, 0], v + 1)


@triton.jit
def store_in_function(x, o):
    stored_by_function(x, o, 0, 1.0)
    stored_by_function(x, o, 16, 2.0)


@triton.jit
def of_three(x, y, z, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    """Several made descriptors at once, one of them without a use in most programs."""
    a = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
    b = tl.make_tensor_descriptor(y, [m, n], [n, 1], [BM, BN])
    c = tl.make_tensor_descriptor(z, [m, n], [n, 1], [BM, BN])
    d = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
    i = tl.program_id(0) * BM
    v = a.load([i, 0]) * b.load([i, 0])
    if tl.program_id(0) == 1:
        v += c.load([i, 0])
    d.store([i, 0], v)


@triton.jit
def grouped(a, b, c, ends, groups, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A matrix multiplication per group of rows, each with its own weights; stores are limited by the group's rows."""
    start = 0
    of_b = tl.make_tensor_descriptor(b, [groups * k, n], [n, 1], [BK, BN])
    j = tl.program_id(0) * BN
    for group in range(groups):
        end = tl.load(ends + group)
        of_a = tl.make_tensor_descriptor(a + start * k, [end - start, k], [k, 1], [BM, BK])
        of_c = tl.make_tensor_descriptor(c + start * n, [end - start, n], [n, 1], [BM, BN])
        for i in range(0, end - start, BM):
            acc = tl.zeros((BM, BN), tl.float32)
            for step in range(0, k, BK):
                acc = tl.dot(of_a.load([i, step]), of_b.load([group * k + step, j]), acc)
            of_c.store([i, j], acc)
        start = end


@triton.jit
def made_per_tile(x, y, w, o, n, k, tiles, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tiles of two matrices in turn, each through descriptors of its own: the store of a tile is in flight when the next begins."""
    b = tl.make_tensor_descriptor(w, [k, n], [n, 1], [BK, BN])
    for tile in range(tiles):
        base = tl.where(tile % 2 == 0, x, y) + tile // 2 * BM * k
        a = tl.make_tensor_descriptor(base, [BM, k], [k, 1], [BM, BK])
        c = tl.make_tensor_descriptor(o + tile * BM * n, [BM, n], [n, 1], [BM, BN])
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(0, k, BK):
            acc = tl.dot(a.load([0, step]), b.load([step, 0]), acc)
        c.store([0, 0], acc)


def centered(v):
    """Each block of 16 rows of a group minus its column sums."""
    out, start = np.zeros_like(v.x), 0
    for end in v.ends:
        for first in range(start, end, 16):
            rows = slice(first, min(first + 16, end))
            out[rows] = v.x[rows] - v.x[rows].sum(0)
        start = end
    return {"o": out}


def softmax(v):
    p = np.exp(v.q - v.q.max(-1, keepdims=True))
    return {"o": p / p.sum(-1, keepdims=True)}


def products(v):
    out, start = np.zeros((v.a.shape[0], v.b.shape[2])), 0
    for group, end in enumerate(v.ends):
        out[start:end] = v.a[start:end] @ v.b[group]
        start = end
    return {"c": out}


def in_turn(v):
    tiles = np.stack([v.x.reshape(-1, 64, v.x.shape[1]), v.y.reshape(-1, 64, v.y.shape[1])], 1)
    return {"o": tiles.reshape(-1, v.x.shape[1]) @ v.w}


def cases():
    made = ("tensormap.replace", "cp.async.bulk.tensor.2d")
    yield Case(
        "made_in_loop",
        made_in_loop,
        (2,),
        dict(x=rand("f32", 120, 32), o=zeros("f32", 120, 32), m=120, n=32, tiles=4),
        lambda v: {"o": 2 * v.x},
        dict(BM=16, BN=32),
        code=made,
    )
    yield Case(
        "made_per_iteration",
        made_per_iteration,
        (1,),
        dict(x=rand("f32", 90, 32), ends=given("i32", [20, 20, 52, 60, 90]), o=zeros("f32", 90, 32), n=32, groups=5),
        centered,
        dict(BM=16, BN=32),
        code=made,
    )
    both = dict(x=rand("f32", 60, 32), y=rand("f32", 60, 32), o=described(zeros("f32", 60, 32), 16, 32), n=60, flip=2)
    yield Case(
        "made_in_branch", made_in_branch, (4,), both, lambda v: {"o": np.concatenate([v.x[:32], -v.y[32:]])}, dict(BM=16, BN=32)
    )
    yield Case(
        "one_loop_of_tiles",
        one_loop,
        (3,),
        dict(x=rand("f16", 136, 96), y=rand("f16", 200, 96), bias=rand("f16", 200), o=zeros("f16", 136, 200), m=136, n=200, k=96),
        lambda v: {"o": v.x @ v.y.T + v.bias},
        dict(BM=64, BN=64, BK=32),
        code=("cp.async.bulk.tensor.2d.shared", "wgmma.wait_group.sync.aligned 1"),
    )
    yield Case("chosen", chosen, (4,), both, lambda v: {"o": np.concatenate([v.x[:32], v.y[32:]])}, dict(BM=16, BN=32))
    yield Case(
        "of_head",
        of_head,
        (3,),
        dict(q=rand("f16", 3, 50, 64), o=zeros("f16", 3, 50, 64), length=50),
        softmax,
        dict(WIDTH=64, BM=16),
        code=made,
    )
    yield Case(
        "stripes",
        stripes,
        (2, 2),
        dict(x=rand("f16", 40, 128), o=described(zeros("f16", 40, 64), 32, 32), m=40, n=128),
        lambda v: {"o": v.x.reshape(40, 2, 2, 32)[:, :, 0].reshape(40, 64)},
        dict(BM=32, BN=32),
        code=("cp.async.bulk.tensor.3d",),
    )
    factors = dict(a=described(rand("f16", 64, 128), 64, 64), b=described(rand("f16", 128, 64), 64, 64))
    yield Case(
        "passed_on",
        passed_on,
        (1, 1),
        {**factors, "c": described(zeros("f32", 64, 64), 64, 64), "k": 128},
        lambda v: {"c": v.a @ v.b},
        dict(BM=64, BN=64, BK=64),
    )
    yield Case(
        "made_in_function",
        made_in_function,
        (2,),
        dict(x=rand("f32", 30, 32), y=rand("f32", 30, 32), o=described(zeros("f32", 30, 32), 16, 32), m=30, n=32),
        lambda v: {"o": v.x + v.x.sum(1, keepdims=True) * v.y},
        dict(BM=16, BN=32),
    )
    yield Case(
        "store_in_function",
        store_in_function,
        (1,),
        dict(x=described(rand("f32", 16, 32), 16, 32), o=described(zeros("f32", 96, 32), 16, 32)),
        lambda v: {"o": np.concatenate([v.x, 2 * v.x, np.zeros((32, 32)), v.x + 1, 2 * v.x + 1])},
    )
    three = dict(x=rand("f32", 40, 32), y=rand("f32", 40, 32), z=rand("f32", 40, 32), o=zeros("f32", 40, 32), m=40, n=32)
    yield Case(
        "of_three",
        of_three,
        (3,),
        three,
        lambda v: {"o": v.x * v.y + np.where((np.arange(40) // 16 == 1)[:, None], v.z, 0)},
        dict(BM=16, BN=32),
        code=made,
    )
    yield Case(
        "grouped",
        grouped,
        (1,),
        dict(
            a=rand("f16", 150, 64),
            b=rand("f16", 3, 64, 64),
            c=zeros("f32", 150, 64),
            ends=given("i32", [70, 80, 150]),
            groups=3,
            n=64,
            k=64,
        ),
        products,
        dict(BM=64, BN=64, BK=32),
        code=made,
    )
    yield Case(
        "made_per_tile",
        made_per_tile,
        (1,),
        dict(x=rand("f16", 128, 96), y=rand("f16", 128, 96), w=rand("f16", 96, 64), o=zeros("f32", 256, 64), n=64, k=96, tiles=4),
        in_turn,
        dict(BM=64, BN=64, BK=32),
        code=made,
    )
