"""Dots in every kind of control flow."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, given, integers, rand, zeros


@triton.jit
def skipped_steps(a, b, keep, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A flag per step: the loads and the dot are inside of an scf.if."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        if tl.load(keep + start // BK) != 0:
            x = tl.load(a + rows[:, None] * k + start + depth[None, :])
            y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
            acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def two_branches(a, b, w, keep, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Loads before, a different dot in each branch."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        at = (start + depth[:, None]) * n + columns[None, :]
        if tl.load(keep + start // BK) != 0:
            acc = tl.dot(x, tl.load(b + at), acc)
        else:
            acc = tl.dot(x, tl.load(w + at), acc) * 0.5
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def masked_scores(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr):
    """Only tiles on the diagonal are masked, in an scf.if after the dot; row sums are carried."""
    rows, depth = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, 64)
    x = tl.load(a + rows[:, None] * 64 + depth[None, :])
    total = tl.zeros((BM,), tl.float32)
    for start in range(0, n, BN):
        columns = start + tl.arange(0, BN)
        s = tl.dot(x, tl.load(b + columns[None, :] * 64 + depth[:, None]))
        if start + BN > tl.program_id(0) * BM:
            s = tl.where(rows[:, None] >= columns[None, :], s, 0.0)
        total += tl.sum(s * s, 1)
    tl.store(c + rows, total)


@triton.jit
def until_small(a, b, c, rounds, limit, N: tl.constexpr):
    """A while loop that ends by a value computed from its dots."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    m = tl.load(b + i * N + j)
    x = tl.load(a + i * N + j)
    size = tl.max(tl.max(tl.abs(x).to(tl.float32), 1), 0)
    count = 0
    while size > limit:
        wide = tl.dot(x, m) * 0.1
        size = tl.max(tl.max(tl.abs(wide), 1), 0)
        x = wide.to(x.dtype)
        count += 1
    tl.store(c + i * N + j, x.to(tl.float32) / limit)
    tl.store(rounds, count)


@triton.jit
def while_steps(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The loop of a matrix multiplication as a while loop with carried pointers."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    at_a = a + rows[:, None] * k + depth[None, :]
    at_b = b + depth[:, None] * n + columns[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    rest = k
    while rest > 0:
        acc = tl.dot(tl.load(at_a), tl.load(at_b), acc)
        at_a += BK
        at_b += BK * n
        rest -= BK
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit(noinline=True)
def called_step(a, b, start, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    x = tl.load(a + rows[:, None] * k + start + depth[None, :])
    y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
    return tl.dot(x, y)


@triton.jit(noinline=True)
def called_product(a, b, row, column, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    depth = tl.arange(0, BK)
    rows, columns = row + tl.arange(0, BM), column + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    return acc


@triton.jit
def dot_in_function(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc += called_step(a, b, start, n, k, BM, BN, BK)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def loops_in_function(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Two calls of a function with a loop; a reduction between them uses shared memory of the caller."""
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    first = called_product(a, b, 0, 0, n, k, BM, BN, BK)
    scale = 1.0 / (1.0 + tl.max(tl.abs(first), 1))
    second = called_product(a, b, BM, 0, n, k, BM, BN, BK)
    tl.store(c + rows[:, None] * n + columns[None, :], first * scale[:, None])
    tl.store(c + (BM + rows[:, None]) * n + columns[None, :], second * scale[:, None])


@triton.jit
def nested_sums(a, b, c, groups, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """An outer accumulator of a nonlinear function of inner matrix multiplications."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for group in range(groups):
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            x = tl.load(a + (group * BM + rows[:, None]) * k + start + depth[None, :])
            y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
            acc = tl.dot(x, y, acc)
        total += tl.maximum(acc, 0.0)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


@triton.jit
def three_loops(a, b, c, d, k, BM: tl.constexpr, BK: tl.constexpr):
    """(sum over i, j of a[i] @ b[i, j]) @ d with dots at two depths."""
    rows, depth = tl.arange(0, BM), tl.arange(0, BK)
    outer = tl.zeros((BM, BM), tl.float32)
    last = tl.load(d + rows[:, None] * BM + rows[None, :])
    for i in range(2):
        inner = tl.zeros((BM, BM), tl.float32)
        for j in range(2):
            for start in range(0, k, BK):
                x = tl.load(a + (i * BM + rows[:, None]) * k + start + depth[None, :])
                y = tl.load(b + ((i * 2 + j) * k + start + depth[:, None]) * BM + rows[None, :])
                inner = tl.dot(x, y, inner)
        outer = tl.dot(inner.to(a.dtype.element_ty), last, outer)
    tl.store(c + rows[:, None] * BM + rows[None, :], outer)


@triton.jit
def segments(a, b, ends, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The accumulator is stored and reset where a segment of k ends."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    segment = 0
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
        if tl.load(ends + start // BK) != 0:
            tl.store(c + (segment * BM + rows[:, None]) * n + columns[None, :], acc)
            acc = tl.zeros((BM, BN), tl.float32)
            segment += 1


@triton.jit
def unrolled(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FACTOR: tl.constexpr):
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, loop_unroll_factor=FACTOR):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def specialized(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A loop that requests warp specialization."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def annotated(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Stages of its own for the loop, and a last dot of an assumed multiple."""
    tl.assume(k > 0)
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, num_stages=5, disallow_acc_multi_buffer=True):
        x = tl.load(a + rows[:, None] * k + tl.multiple_of(start, BK) + depth[None, :], cache_modifier=".cg")
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :], eviction_policy="evict_last")
        acc += tl.dot(x, y)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def straight_line(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, K: tl.constexpr):
    """All steps unrolled by the front end."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in tl.static_range(K // BK):
        x = tl.load(a + rows[:, None] * K + i * BK + depth[None, :])
        y = tl.load(b + (i * BK + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def backwards(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The last step first, with carried pointers; a and b are loaded one iteration ahead by the program itself."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    at_a = a + rows[:, None] * k + k - BK + depth[None, :]
    at_b = b + (k - BK + depth[:, None]) * n + columns[None, :]
    x, y = tl.load(at_a), tl.load(at_b)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(k - BK, 0, -BK):
        at_a -= BK
        at_b -= BK * n
        next_x, next_y = tl.load(at_a), tl.load(at_b)
        acc = tl.dot(x, y, acc)
        x, y = next_x, next_y
    acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


@triton.jit
def stored_each_step(a, b, c, steps, N: tl.constexpr):
    """Prefix sums of products: the accumulator is stored in every iteration."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for t in range(steps):
        at = t * N * N + i * N + j
        acc = tl.dot(tl.load(a + at), tl.load(b + at), acc)
        tl.store(c + at, acc.to(c.dtype.element_ty))


@triton.jit
def in_place(a, w, steps, B: tl.constexpr, N: tl.constexpr):
    """Rows are overwritten by their product in global memory and read again in the next iteration."""
    i, j, d = tl.arange(0, B)[:, None], tl.arange(0, N)[None, :], tl.arange(0, N)[:, None]
    for t in range(steps):
        x = tl.load(a + i * N + j)
        y = tl.load(w + t * N * N + d * N + j)
        r = tl.dot(x, y) * 0.125
        tl.debug_barrier()
        tl.store(a + i * N + j, r.to(a.dtype.element_ty))
        tl.debug_barrier()


@triton.jit
def selected_accumulator(a, b, which, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Two accumulators, one of which each step selects."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    even = tl.zeros((BM, BN), tl.float32)
    odd = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        if tl.load(which + start // BK) != 0:
            odd = tl.dot(x, y, odd)
        else:
            even = tl.dot(x, y, even)
    tl.store(c + rows[:, None] * n + columns[None, :], even)
    tl.store(c + (BM + rows[:, None]) * n + columns[None, :], odd)


@triton.jit
def indirect_steps(a, b, order, c, n, k, steps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The offset of each step is loaded: a chain of two loads per operand."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(steps):
        start = tl.load(order + i) * BK
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * n + columns[None, :], acc)


def blocks_of(v, block=32):
    return [(v.a[:, i:i + block], v.b[i:i + block]) for i in range(0, v.a.shape[1], block)]


def skipped_of(v):
    return {"c": sum(x @ y for (x, y), keep in zip(blocks_of(v), v.keep) if keep)}


def branches_of(v):
    acc = np.zeros((64, 64))
    for i, keep in enumerate(v.keep):
        part = slice(32 * i, 32 * i + 32)
        acc = acc + v.a[:, part] @ v.b[part] if keep else (acc + v.a[:, part] @ v.w[part]) * 0.5
    return {"c": acc}


def masked_scores_of(v):
    s = v.a @ v.b.T
    seen = np.ones(s.shape, bool)
    for row in range(0, 128, 64):
        for column in range(0, 128, 32):
            if column + 32 > row:
                seen[row:row + 64, column:column + 32] = np.arange(row, row + 64)[:, None] >= np.arange(column, column + 32)
    return {"c": (np.where(seen, s, 0) ** 2).sum(1)}


def until_small_of(v):
    x, count = v.a, 0
    while np.abs(x).max() > v.limit:
        x, count = x @ v.b * 0.1, count + 1
    return {"c": x / v.limit, "rounds": np.array([count])}


def functions_of(v):
    first, second = v.a[:64] @ v.b, v.a[64:] @ v.b
    scale = 1 / (1 + np.abs(first).max(1, keepdims=True))
    return {"c": np.concatenate([first * scale, second * scale])}


def segments_of(v):
    parts, acc = [], 0
    for (x, y), end in zip(blocks_of(v), v.ends):
        acc = acc + x @ y
        if end:
            parts.append(acc)
            acc = 0
    return {"c": np.concatenate(parts)}


def in_place_of(v):
    x = v.a
    for w in v.w:
        x = x @ w * 0.125
    return {"a": x}


def selected_of(v):
    sums = [sum((x @ y for (x, y), one in zip(blocks_of(v), v.which) if bool(one) == odd), np.zeros((64, 64))) for odd in (False, True)]
    return {"c": np.concatenate(sums)}


def indirect_of(v):
    blocks = blocks_of(v)
    return {"c": sum(blocks[i][0] @ blocks[i][1] for i in v.order)}


def cases():
    tile = dict(BM=64, BN=64, BK=32)
    sizes = dict(n=64, k=160)
    ab = dict(a=rand("f16", 64, 160), b=rand("f16", 160, 64))
    c = dict(c=zeros("f32", 64, 64))
    flags = integers("i32", 0, 2, 5)

    def plain(v):
        return {"c": v.a @ v.b}

    yield Case("skipped_steps", skipped_steps, (1,), {**ab, "keep": flags, **c, **sizes}, skipped_of, tile, stages=4)
    yield Case("two_branches", two_branches, (1,), {**ab, "w": rand("f16", 160, 64), "keep": flags, **c, **sizes}, branches_of, tile)
    yield Case("masked_scores", masked_scores, (2,), dict(a=rand("f16", 128, 64), b=rand("f16", 128, 64), c=zeros("f32", 128), n=128, k=64),
               masked_scores_of, dict(BM=64, BN=32))
    yield Case("until_small", until_small, (1,),
               dict(a=rand("f16", 64, 64), b=rand("f16", 64, 64), c=zeros("f32", 64, 64), rounds=zeros("i32", 1), limit=0.01), until_small_of,
               dict(N=64), tolerance=2e-2)
    yield Case("while_steps", while_steps, (1,), {**ab, **c, **sizes}, plain, tile)
    yield Case("dot_in_function", dot_in_function, (1,), {**ab, **c, **sizes}, plain, tile)
    yield Case("loops_in_function", loops_in_function, (1,),
               dict(a=rand("f16", 128, 96), b=rand("f16", 96, 64), c=zeros("f32", 128, 64), n=64, k=96), functions_of, tile)
    yield Case("nested_sums", nested_sums, (1,),
               dict(a=rand("f16", 3, 64, 64), b=rand("f16", 64, 64), **c, groups=3, n=64, k=64),
               lambda v: {"c": np.maximum(v.a @ v.b, 0).sum(0)}, tile, stages=4, more=(("sm_90a", 4, 5),))
    yield Case("three_loops", three_loops, (1,),
               dict(a=rand("bf16", 2, 64, 64), b=rand("bf16", 2, 2, 64, 64), **c, d=rand("bf16", 64, 64), k=64),
               lambda v: {"c": np.einsum("imk,ijkn->mn", v.a, v.b) @ v.d}, dict(BM=64, BK=32), tolerance=3e-2)
    yield Case("segments", segments, (1,), {**ab, "ends": given("i32", [0, 1, 1, 0, 1]), "c": zeros("f32", 192, 64), **sizes}, segments_of, tile)
    for factor in (2, 3):
        yield Case(f"unrolled_by_{factor}", unrolled, (1,), {**ab, **c, **sizes}, plain, {**tile, "FACTOR": factor}, stages=2 + factor % 2)
    yield Case("specialized", specialized, (1,), {**ab, **c, **sizes}, plain, tile)
    yield Case("annotated", annotated, (1,), {**ab, **c, **sizes}, plain, tile)
    yield Case("straight_line", straight_line, (1,), {**ab, **c, "n": 64}, plain, {**tile, "K": 160}, warps=8)
    yield Case("backwards", backwards, (1,), {**ab, **c, **sizes}, plain, tile, stages=2)
    yield Case("stored_each_step", stored_each_step, (1,),
               dict(a=rand("f16", 4, 64, 64), b=rand("f16", 4, 64, 64), c=zeros("f16", 4, 64, 64), steps=4),
               lambda v: {"c": np.cumsum(v.a @ v.b, 0)}, dict(N=64), stages=4)
    yield Case("in_place", in_place, (1,), dict(a=rand("f16", 64, 64), w=rand("f16", 3, 64, 64), steps=3), in_place_of, dict(B=64, N=64),
               tolerance=1e-2)
    yield Case("selected_accumulator", selected_accumulator, (1,), {**ab, "which": flags, "c": zeros("f32", 128, 64), **sizes}, selected_of, tile)
    yield Case("indirect_steps", indirect_steps, (1,), {**ab, "order": integers("i32", 0, 5, 6), **c, **sizes, "steps": 6}, indirect_of, tile,
               stages=4, more=(("sm_86", 2, 5),))
