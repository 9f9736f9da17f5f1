"""Tensor descriptors: rows by index (gather, scatter). TMA has them from sm_100 on, so they are accessed through pointers."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, box, described, given, integers, rand, zeros

POINTERS = ("no cp.async.bulk.tensor",)


@triton.jit
def gathered(x, rows, o, column, B: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * B
    o.store([i, 0], x.gather(tl.load(rows + i + tl.arange(0, B)), column))


@triton.jit
def gathered_made(x, rows, o, m, n, B: tl.constexpr, BN: tl.constexpr):
    """NaN in rows and columns outside."""
    i = tl.program_id(0) * B
    a = tl.make_tensor_descriptor(x, [m, n], [n, 1], [1, BN], padding_option="nan")
    v = a.gather(tl.load(rows + i + tl.arange(0, B)), tl.program_id(1) * BN)
    o.store([i, tl.program_id(1) * BN], tl.where(v == v, v, 9.0))


@triton.jit
def scattered(x, rows, o, column, B: tl.constexpr):
    i = tl.program_id(0) * B
    o.scatter(x.load([i, 0]), tl.load(rows + i + tl.arange(0, B)), column)


@triton.jit
def bags(table, items, o, length, B: tl.constexpr, BN: tl.constexpr):
    """The sum of `length` rows of a table for each of B bags."""
    bag = tl.program_id(0) * B + tl.arange(0, B)
    total = tl.zeros((B, BN), tl.float32)
    for item in range(length):
        total += table.gather(tl.load(items + bag * length + item), 0)
    o.store([tl.program_id(0) * B, 0], total)


@triton.jit
def routed(x, w, rows, o, steps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A matrix multiplication of gathered rows, scattered back to their places."""
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    at = tl.load(rows + i + tl.arange(0, BM))
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(steps):
        acc = tl.dot(x.gather(at, step * BK), w.load([step * BK, j]), acc)
    o.scatter(acc.to(o.dtype), at, j)


def cases():
    rows = given("i32", [5, 0, 39, 17, 5, 2, 30, 8, 11, 1, 38, 20, 3, 4, 7, 9])
    yield Case(
        "gathered",
        gathered,
        (2,),
        dict(x=described(rand("f32", 40, 64), 1, 32), rows=rows, o=described(zeros("f32", 16, 32), 8, 32), column=16),
        lambda v: {"o": v.x[v.rows, 16:48]},
        dict(B=8, BN=32),
    )
    beyond = given("i32", [5, -1, 40, 17, 5, 2, 100, 8, 11, 1, 38, -9, 3, 4, 7, 9])

    def edges(v):
        return {"o": np.concatenate([box(v.x, (row, 0), (1, 64), 9.0) for row in v.rows])}

    yield Case(
        "gathered_made",
        gathered_made,
        (1, 2),
        dict(x=rand("f32", 40, 48), rows=beyond, o=described(zeros("f32", 16, 64), 16, 32), m=40, n=48),
        edges,
        dict(B=16, BN=32),
    )
    permutation = given("i32", np.random.default_rng(3).permutation(16))
    yield Case(
        "scattered",
        scattered,
        (2,),
        dict(x=described(rand("bf16", 16, 32), 8, 32), rows=permutation, o=described(zeros("bf16", 16, 64), 1, 32), column=32),
        lambda v: {"o": np.pad(v.x[np.argsort(v.rows)], ((0, 0), (32, 0)))},
        dict(B=8),
    )
    places = given("i32", [3, 30, -1, 0, 1, 12, 16, 8])
    yield Case(
        "scattered_outside",
        scattered,
        (1,),
        dict(
            x=described(integers("i32", 1, 99, 8, 32), 8, 32), rows=places, o=described(zeros("i32", 16, 48), 1, 32), column=24
        ),
        lambda v: {
            "o": np.stack(
                [
                    box(v.x[list(v.rows).index(row)][None] if row in v.rows else np.zeros((1, 32)), (0, -24), (1, 48))[0]
                    for row in range(16)
                ]
            )
        },
        dict(B=8),
    )
    yield Case(
        "bags",
        bags,
        (2,),
        dict(
            table=described(rand("f32", 30, 32), 1, 32),
            items=integers("i32", 0, 30, 16, 5),
            o=described(zeros("f32", 16, 32), 8, 32),
            length=5,
        ),
        lambda v: {"o": v.table[v.items].sum(1)},
        dict(B=8, BN=32),
    )
    shuffled = given("i32", np.random.default_rng(4).permutation(128))
    yield Case(
        "routed",
        routed,
        (2, 1),
        dict(
            x=described(rand("f16", 128, 128), 1, 64),
            w=described(rand("f16", 128, 64), 64, 64),
            rows=shuffled,
            o=described(zeros("f32", 128, 64), 1, 64),
            steps=2,
        ),
        lambda v: {"o": v.x @ v.w},
        dict(BM=64, BN=64, BK=64),
    )
