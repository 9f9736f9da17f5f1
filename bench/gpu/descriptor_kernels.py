"""Kernels with tensor descriptors as arguments: matrix multiplication, attention and its backward pass, as plain loops."""

import triton
import triton.language as tl


@triton.jit
def tile_of(tile, tiles_m, tiles_n, GROUP: tl.constexpr):
    group = tile // (GROUP * tiles_n)
    first = group * GROUP
    rows = min(tiles_m - first, GROUP)
    inside = tile % (GROUP * tiles_n)
    return first + inside % rows, inside // rows


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr):
    """c = a @ b; with TRANSPOSED, b holds its transpose."""
    tm, tn = tile_of(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), 8)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        x = a.load([tm * BM, i * BK])
        if TRANSPOSED:
            acc = tl.dot(x, b.load([tn * BN, i * BK]).T, acc)
        else:
            acc = tl.dot(x, b.load([i * BK, tn * BN]), acc)
    c.store([tm * BM, tn * BN], acc.to(c.dtype))


@triton.jit
def persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FLATTEN: tl.constexpr,
               TRANSPOSED: tl.constexpr):
    """c = a @ b; each program computes every so many tiles. With TRANSPOSED, b holds its transpose."""
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN):
        tm, tn = tile_of(tile, tiles_m, tiles_n, 8)
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(0, tl.cdiv(k, BK)):
            x = a.load([tm * BM, i * BK])
            if TRANSPOSED:
                acc = tl.dot(x, b.load([tn * BN, i * BK]).T, acc)
            else:
                acc = tl.dot(x, b.load([i * BK, tn * BN]), acc)
        c.store([tm * BM, tn * BN], acc.to(c.dtype))


@triton.jit
def transposed(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T for few rows of a: each tile is computed as its transpose, so that wgmma has rows of b, of which there are many."""
    tm, tn = tl.program_id(0) % tl.cdiv(m, BM), tl.program_id(0) // tl.cdiv(m, BM)
    acc = tl.zeros((BN, BM), tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        acc = tl.dot(b.load([tn * BN, i * BK]), a.load([tm * BM, i * BK]).T, acc)
    c.store([tm * BM, tn * BN], acc.to(c.dtype).T)


@triton.jit
def persistent_halves(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                      TRANSPOSED: tl.constexpr):
    """c = a @ b; persistent, with a producer warp, and tiles that are stored in two halves. With TRANSPOSED, b holds its transpose."""
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), warp_specialize=True):
        tm, tn = tile_of(tile, tiles_m, tiles_n, GROUP)
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(0, tl.cdiv(k, BK)):
            x = a.load([tm * BM, i * BK])
            if TRANSPOSED:
                acc = tl.dot(x, b.load([tn * BN, i * BK]).T, acc)
            else:
                acc = tl.dot(x, b.load([i * BK, tn * BN]), acc)
        left, right = acc.reshape((BM, 2, BN // 2)).permute(0, 2, 1).split()
        c.store([tm * BM, tn * BN], left.to(c.dtype))
        c.store([tm * BM, tn * BN + BN // 2], right.to(c.dtype))


@triton.jit
def dots_of_two_widths(a, b, b2, m_at, n_at, k, BM: tl.constexpr, BN: tl.constexpr, BN2: tl.constexpr, BK: tl.constexpr):
    """BM rows of a times BN and the next BN2 rows of b; both dots share the rows of a."""
    acc, acc2 = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN2), tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        x = a.load([m_at, i * BK])
        acc = tl.dot(x, b.load([n_at, i * BK]).T, acc)
        acc2 = tl.dot(x, b2.load([n_at + BN, i * BK]).T, acc2)
    return acc, acc2


@triton.jit
def two_widths(a, b, b2, c, c2, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BN2: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T with tiles of BN + BN2 columns, whose number need not be a power of two. b2 and c2 are b and c in blocks of BN2."""
    tm, tn = tile_of(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN + BN2), 8)
    at = tn * (BN + BN2)
    acc, acc2 = dots_of_two_widths(a, b, b2, tm * BM, at, k, BM, BN, BN2, BK)
    c.store([tm * BM, at], acc.to(c.dtype))
    c2.store([tm * BM, at + BN], acc2.to(c.dtype))


@triton.jit
def persistent_two_widths(a, b, b2, c, c2, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BN2: tl.constexpr, BK: tl.constexpr):
    """`two_widths` that is persistent."""
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN + BN2)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True):
        tm, tn = tile_of(tile, tiles_m, tiles_n, 8)
        at = tn * (BN + BN2)
        acc, acc2 = dots_of_two_widths(a, b, b2, tm * BM, at, k, BM, BN, BN2, BK)
        c.store([tm * BM, at], acc.to(c.dtype))
        c2.store([tm * BM, at + BN], acc2.to(c.dtype))


@triton.jit
def split_k(a, b, c, sums, counts, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T; persistent. If all programs have `tiles // programs` tiles and fewer remain than half of the programs,
    these are divided along k: parts are added in `sums`, and the last one stores the tile. `sums`, of whole tiles, and
    `counts`, one per tile, are zeros before and after."""
    programs, steps = tl.num_programs(0), tl.cdiv(k, BK)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    whole = tiles_m * tiles_n // programs * programs
    rest = tiles_m * tiles_n - whole
    share = tl.cdiv(steps, programs // max(rest, 1))
    parts = tl.cdiv(steps, share)  # none of them empty
    for item in tl.range(tl.program_id(0), whole + rest * parts, programs, flatten=True):
        tile, first, last = item, 0, steps
        if item >= whole:
            tile = whole + (item - whole) % rest
            first = (item - whole) // rest * share
            last = min(first + share, steps)
        tm, tn = tile_of(tile, tiles_m, tiles_n, 8)
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(first, last):
            acc = tl.dot(a.load([tm * BM, i * BK]), b.load([tn * BN, i * BK]).T, acc)
        if last - first == steps:
            c.store([tm * BM, tn * BN], acc.to(c.dtype))
        else:
            places = sums + tile * BM * BN + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
            tl.atomic_add(places, acc, sem="relaxed")
            tl.debug_barrier()
            done = tl.atomic_add(counts + tile, last - first, sem="acq_rel") + last - first
            if done == steps:
                whole_sum = tl.load(places, cache_modifier=".cg")
                tl.store(places, tl.zeros((BM, BN), tl.float32))
                tl.store(counts + tile, 0)
                c.store([tm * BM, tn * BN], whole_sum.to(c.dtype))


@triton.jit
def block_of(tile, blocks, GROUP: tl.constexpr):
    """The block and the head of a tile: GROUP heads at a time, their last blocks first. In causal attention these have most
    keys; the last tiles to begin are then short, and keys and values of GROUP heads are used while they are in the L2 cache."""
    inside = tile % (GROUP * blocks)
    return blocks - 1 - inside // GROUP, tile // (GROUP * blocks) * GROUP + inside % GROUP


@triton.jit
def attention_of(x, k, v, base, first, scale, end, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """The result for a block of queries: a loop over blocks of keys and values, of which those on the diagonal have a mask."""
    highest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.full((BM,), 0.0, tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    scale *= 1.4426950408889634
    rows = first + tl.arange(0, BM)
    for start in range(0, end, BN):
        s = tl.dot(x, k.load([base + start, 0]).T)
        if CAUSAL:
            if start + BN > first:
                s = tl.where(rows[:, None] >= start + tl.arange(0, BN)[None, :], s, float("-inf"))
        new = tl.maximum(highest, tl.max(s, 1) * scale)
        p = tl.math.exp2(s * scale - new[:, None])
        keep = tl.math.exp2(highest - new)
        total = total * keep + tl.sum(p, 1)
        acc = acc * keep[:, None]
        acc = tl.dot(p.to(v.dtype), v.load([base + start, 0]), acc)
        highest = new
    return acc / total[:, None]


@triton.jit
def attention(q, k, v, o, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, GROUP: tl.constexpr):
    """One block of queries of one head; all heads are rows of one matrix."""
    block, head = block_of(tl.program_id(0), length // BM, GROUP)
    first, base = block * BM, head * length
    x = q.load([base + first, 0])
    r = attention_of(x, k, v, base, first, scale, first + BM if CAUSAL else length, D, BM, BN, CAUSAL)
    o.store([base + first, 0], r.to(o.dtype))


@triton.jit
def attention_persistent(q, k, v, o, scale, length, heads, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
                         GROUP: tl.constexpr):
    """`attention` by as many programs as there are multiprocessors. Rounds of tiles alternate in direction, so that in causal
    attention a program with a long tile gets a short one next."""
    blocks, programs = length // BM, tl.num_programs(0)
    tiles = blocks * heads
    for i in tl.range(tl.program_id(0), tiles, programs, warp_specialize=True):
        turn, tile = i // programs, i
        if CAUSAL:
            last = min(programs * (turn + 1), tiles) - 1
            tile = tl.where(turn % 2 == 1, last - i % programs, i)
        block, head = block_of(tile, blocks, GROUP)
        first, base = block * BM, head * length
        x = q.load([base + first, 0])
        r = attention_of(x, k, v, base, first, scale, first + BM if CAUSAL else length, D, BM, BN, CAUSAL)
        o.store([base + first, 0], r.to(o.dtype))


@triton.jit
def attention_logs(q, k, v, o, logs, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """`attention` that also stores the logarithms (to base 2) of the sums of rows, which the backward pass needs."""
    first, head = tl.program_id(0) * BM, tl.program_id(1)
    base = head * length
    x = q.load([base + first, 0])
    highest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.full((BM,), 0.0, tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    scale *= 1.4426950408889634
    rows = first + tl.arange(0, BM)
    for start in range(0, first + BM if CAUSAL else length, BN):
        s = tl.dot(x, k.load([base + start, 0]).T)
        if CAUSAL:
            s = tl.where(rows[:, None] >= start + tl.arange(0, BN)[None, :], s, float("-inf"))
        new = tl.maximum(highest, tl.max(s, 1) * scale)
        p = tl.math.exp2(s * scale - new[:, None])
        keep = tl.math.exp2(highest - new)
        total = total * keep + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v.load([base + start, 0]), acc * keep[:, None])
        highest = new
    o.store([base + first, 0], (acc / total[:, None]).to(o.dtype))
    tl.store(logs + base + rows, highest + tl.math.log2(total))


@triton.jit
def gradient_sums(o, g, delta, D: tl.constexpr, BM: tl.constexpr):
    """delta: the sums of rows of o * g."""
    first = tl.program_id(0) * BM
    product = o.load([first, 0]).to(tl.float32) * g.load([first, 0]).to(tl.float32)
    tl.store(delta + first + tl.arange(0, BM), tl.sum(product, 1))


@triton.jit
def gradients_kv_of(x, y, q, g, logs, delta, columns, of_k, of_v, scale, base, begin, end, BM: tl.constexpr, MASKED: tl.constexpr):
    """Adds the gradients by the blocks of queries from `begin` to `end`, with transposed scores."""
    for start in range(begin, end, BM):
        rows = start + tl.arange(0, BM)
        r = q.load([base + start, 0])
        p = tl.math.exp2(tl.dot(x, r.T) * (scale * 1.4426950408889634) - tl.load(logs + base + rows)[None, :])
        if MASKED:
            p = tl.where(rows[None, :] >= columns[:, None], p, 0.0)
        h = g.load([base + start, 0])
        of_v = tl.dot(p.to(h.dtype), h, of_v)
        s = p * (tl.dot(y, h.T) - tl.load(delta + base + rows)[None, :])
        of_k = tl.dot(s.to(r.dtype), r, of_k)
    return of_k, of_v


@triton.jit
def gradients_kv(q, k, v, g, logs, delta, dk, dv, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
                 GROUP: tl.constexpr, SPLIT: tl.constexpr):
    """The gradients of one block of keys and values, first blocks first: these have most queries in causal attention. SPLIT: only
    the blocks of queries on the diagonal have a mask, in a loop of their own."""
    blocks = length // BN
    block, head = block_of(tl.program_id(0), blocks, GROUP)
    first, base = (blocks - 1 - block) * BN, head * length
    x, y = k.load([base + first, 0]), v.load([base + first, 0])
    of_k, of_v = tl.zeros((BN, D), tl.float32), tl.zeros((BN, D), tl.float32)
    columns, begin = first + tl.arange(0, BN), 0
    if CAUSAL:
        begin = first + BN if SPLIT else length
        of_k, of_v = gradients_kv_of(x, y, q, g, logs, delta, columns, of_k, of_v, scale, base, first, begin, BM, True)
    if SPLIT or not CAUSAL:
        of_k, of_v = gradients_kv_of(x, y, q, g, logs, delta, columns, of_k, of_v, scale, base, begin, length, BM, False)
    dk.store([base + first, 0], (of_k * scale).to(dk.dtype))
    dv.store([base + first, 0], of_v.to(dv.dtype))


@triton.jit
def gradients_q_of(r, h, k, v, rows, log, part, acc, scale, base, begin, end, BN: tl.constexpr, MASKED: tl.constexpr):
    """Adds the gradients by the blocks of keys and values from `begin` to `end`."""
    for start in range(begin, end, BN):
        x = k.load([base + start, 0])
        p = tl.math.exp2(tl.dot(r, x.T) * (scale * 1.4426950408889634) - log[:, None])
        if MASKED:
            p = tl.where(rows[:, None] >= start + tl.arange(0, BN)[None, :], p, 0.0)
        s = p * (tl.dot(h, v.load([base + start, 0]).T) - part[:, None])
        acc = tl.dot(s.to(x.dtype), x, acc)
    return acc


@triton.jit
def gradients_q(q, k, v, g, logs, delta, dq, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
                GROUP: tl.constexpr):
    """The gradients of one block of queries, last blocks first. BM is a multiple of BN."""
    block, head = block_of(tl.program_id(0), length // BM, GROUP)
    first, base = block * BM, head * length
    r, h = q.load([base + first, 0]), g.load([base + first, 0])
    rows = first + tl.arange(0, BM)
    log, part = tl.load(logs + base + rows), tl.load(delta + base + rows)
    acc = tl.zeros((BM, D), tl.float32)
    acc = gradients_q_of(r, h, k, v, rows, log, part, acc, scale, base, 0, first if CAUSAL else length, BN, False)
    if CAUSAL:
        acc = gradients_q_of(r, h, k, v, rows, log, part, acc, scale, base, first, first + BM, BN, True)
    dq.store([base + first, 0], (acc * scale).to(dq.dtype))
