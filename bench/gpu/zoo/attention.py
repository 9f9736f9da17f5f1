"""Attention: forward in many variants, backward, and decoding."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, given, integers, rand, rounded, zeros


@triton.jit
def forward(q, k, v, o, logs, slopes, scale, length, keys, heads, shared, cap, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
            CAUSAL: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr, ALIBI: tl.constexpr, SINK: tl.constexpr):
    """q [batch, heads, length, D], k and v [batch, heads / shared, keys, D]; logs are those of the sums of exponentials.
    Neither length nor keys is a multiple of a tile."""
    first, head, batch = tl.program_id(0) * BM, tl.program_id(1), tl.program_id(2)
    rows = first + tl.arange(0, BM)
    columns, d = tl.arange(0, BN), tl.arange(0, D)
    at_q = ((batch * heads + head) * length + rows[:, None]) * D + d[None, :]
    group = (batch * (heads // shared) + head // shared) * keys
    x = tl.load(q + at_q, rows[:, None] < length, 0.0)
    high = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    if SINK:
        high = tl.zeros((BM,), tl.float32) + tl.load(slopes + head)
        total += 1.0
    acc = tl.zeros((BM, D), tl.float32)
    begin = 0
    end = keys
    if WINDOW > 0:
        begin = max(0, (first - WINDOW) // BN * BN)
    if CAUSAL:
        end = min(keys, first + BM)
    for start in range(begin, end, BN):
        inside = start + columns < keys
        y = tl.load(k + (group + start + columns[None, :]) * D + d[:, None], inside[None, :], 0.0)
        s = tl.dot(x, y) * scale
        if CAP:
            s = cap * (2 * tl.sigmoid(2 * s / cap) - 1)
        if ALIBI:
            s -= tl.load(slopes + head) * tl.abs(rows[:, None] - start - columns[None, :])
        visible = inside[None, :]
        if CAUSAL:
            visible = visible & (rows[:, None] >= start + columns[None, :])
        if WINDOW > 0:
            visible = visible & (rows[:, None] - WINDOW < start + columns[None, :])
        s = tl.where(visible, s, -1.0e30)
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fix = tl.exp(high - now)
        total = total * fix + tl.sum(p, 1)
        z = tl.load(v + (group + start + columns[:, None]) * D + d[None, :], inside[:, None], 0.0)
        acc = tl.dot(p.to(v.dtype.element_ty), z, acc * fix[:, None])
        high = now
    tl.store(o + at_q, (acc / total[:, None]).to(o.dtype.element_ty), rows[:, None] < length)
    tl.store(logs + (batch * heads + head) * length + rows, high + tl.log(total), rows < length)


@triton.jit
def forward_aligned(q, k, v, o, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """[heads, length, D], whole tiles; the causal tiles are in a loop of their own."""
    first = tl.program_id(0) * BM
    base = tl.program_id(1).to(tl.int64) * length * D
    rows, columns, d = first + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + base + rows[:, None] * D + d[None, :])
    high = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    scale *= 1.4426950408889634
    for part in tl.static_range(2 if CAUSAL else 1):
        begin = first if part == 1 else 0
        end = first + BM if part == 1 else (first if CAUSAL else length)
        for start in range(begin, end, BN):
            y = tl.load(k + base + (start + columns[:, None]) * D + d[None, :])
            s = tl.dot(x, y.T) * scale
            if part == 1:
                s = tl.where(rows[:, None] >= start + columns[None, :], s, float("-inf"))
            now = tl.maximum(high, tl.max(s, 1))
            p = tl.exp2(s - now[:, None])
            fix = tl.exp2(high - now)
            total = total * fix + tl.sum(p, 1)
            z = tl.load(v + base + (start + columns[:, None]) * D + d[None, :])
            acc = tl.dot(p.to(v.dtype.element_ty), z, acc * fix[:, None])
            high = now
    tl.store(o + base + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def packed_sequences(q, k, v, o, starts, scale, heads, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Sequences of different lengths in one tensor [tokens, heads, D]; causal."""
    tile, head, sequence = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    begin = tl.load(starts + sequence)
    length = tl.load(starts + sequence + 1) - begin
    if tile * BM >= length:
        return
    rows, d = tile * BM + tl.arange(0, BM), tl.arange(0, D)
    at_q = ((begin + rows[:, None]) * heads + head) * D + d[None, :]
    x = tl.load(q + at_q, rows[:, None] < length, 0.0)
    high = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, min((tile + 1) * BM, length), BN):
        columns = start + tl.arange(0, BN)
        y = tl.load(k + ((begin + columns[None, :]) * heads + head) * D + d[:, None], columns[None, :] < length, 0.0)
        s = tl.dot(x, y) * scale
        s = tl.where((rows[:, None] >= columns[None, :]) & (columns[None, :] < length), s, -1.0e30)
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fix = tl.exp(high - now)
        total = total * fix + tl.sum(p, 1)
        z = tl.load(v + ((begin + columns[:, None]) * heads + head) * D + d[None, :], columns[:, None] < length, 0.0)
        acc = tl.dot(p.to(v.dtype.element_ty), z, acc * fix[:, None])
        high = now
    tl.store(o + at_q, (acc / total[:, None]).to(o.dtype.element_ty), rows[:, None] < length)


@triton.jit
def backward_q(q, k, v, do, logs, delta, dq, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    base = tl.program_id(1) * length
    rows, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    at = (base + rows[:, None]) * D + d[None, :]
    x, g = tl.load(q + at), tl.load(do + at)
    log, mean = tl.load(logs + base + rows), tl.load(delta + base + rows)
    acc = tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else length
    for start in range(0, end, BN):
        columns = start + tl.arange(0, BN)
        y = tl.load(k + (base + columns[:, None]) * D + d[None, :])
        z = tl.load(v + (base + columns[:, None]) * D + d[None, :])
        p = tl.exp(tl.dot(x, y.T) * scale - log[:, None])
        if CAUSAL:
            p = tl.where(rows[:, None] >= columns[None, :], p, 0.0)
        ds = p * (tl.dot(g, z.T) - mean[:, None])
        acc = tl.dot(ds.to(q.dtype.element_ty), y, acc)
    tl.store(dq + at, (acc * scale).to(dq.dtype.element_ty))


@triton.jit
def backward_kv(q, k, v, do, logs, delta, dk, dv, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                CAUSAL: tl.constexpr, FLIPPED: tl.constexpr):
    """With FLIPPED the scores are computed transposed."""
    base = tl.program_id(1) * length
    columns, d = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, D)
    at = (base + columns[:, None]) * D + d[None, :]
    y, z = tl.load(k + at), tl.load(v + at)
    acc_k = tl.zeros((BN, D), tl.float32)
    acc_v = tl.zeros((BN, D), tl.float32)
    begin = tl.program_id(0) * BN if CAUSAL else 0
    for start in range(begin, length, BM):
        rows = start + tl.arange(0, BM)
        x = tl.load(q + (base + rows[:, None]) * D + d[None, :])
        g = tl.load(do + (base + rows[:, None]) * D + d[None, :])
        log, mean = tl.load(logs + base + rows), tl.load(delta + base + rows)
        if FLIPPED:
            p = tl.exp(tl.dot(y, x.T) * scale - log[None, :])
            if CAUSAL:
                p = tl.where(rows[None, :] >= columns[:, None], p, 0.0)
            acc_v = tl.dot(p.to(q.dtype.element_ty), g, acc_v)
            ds = p * (tl.dot(z, g.T) - mean[None, :])
            acc_k = tl.dot(ds.to(q.dtype.element_ty), x, acc_k)
        else:
            p = tl.exp(tl.dot(x, y.T) * scale - log[:, None])
            if CAUSAL:
                p = tl.where(rows[:, None] >= columns[None, :], p, 0.0)
            acc_v = tl.dot(tl.trans(p.to(q.dtype.element_ty)), g, acc_v)
            ds = p * (tl.dot(g, z.T) - mean[:, None])
            acc_k = tl.dot(tl.trans(ds.to(q.dtype.element_ty)), x, acc_k)
    tl.store(dk + at, (acc_k * scale).to(dk.dtype.element_ty))
    tl.store(dv + at, acc_v.to(dv.dtype.element_ty))


@triton.jit
def backward_all(q, k, v, do, logs, delta, dq, dk, dv, scale, length, D: tl.constexpr, B: tl.constexpr):
    """One program per tile of keys: dk and dv in registers, dq added atomically."""
    columns, d = tl.program_id(0) * B + tl.arange(0, B), tl.arange(0, D)
    at = columns[:, None] * D + d[None, :]
    y, z = tl.load(k + at), tl.load(v + at)
    acc_k = tl.zeros((B, D), tl.float32)
    acc_v = tl.zeros((B, D), tl.float32)
    for start in range(0, length, B):
        rows = start + tl.arange(0, B)
        inside = rows[:, None] * D + d[None, :]
        x, g = tl.load(q + inside), tl.load(do + inside)
        p = tl.exp(tl.dot(x, tl.trans(y)) * scale - tl.load(logs + rows)[:, None])
        acc_v += tl.dot(tl.trans(p.to(q.dtype.element_ty)), g)
        ds = (p * (tl.dot(g, tl.trans(z)) - tl.load(delta + rows)[:, None]) * scale).to(q.dtype.element_ty)
        acc_k += tl.dot(tl.trans(ds), x)
        tl.atomic_add(dq + inside, tl.dot(ds, y), sem="relaxed")
    tl.store(dk + at, acc_k)
    tl.store(dv + at, acc_v)


@triton.jit
def decode_pages(q, cache_k, cache_v, table, lengths, parts, logs, scale, pages, shared, D: tl.constexpr, G: tl.constexpr,
                 PAGE: tl.constexpr, SPLITS: tl.constexpr):
    """One query per sequence, G padded heads of a group; keys in pages [page, group, PAGE, D]; one program per split."""
    sequence, group, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    groups = tl.num_programs(1)
    heads, d, slots = tl.arange(0, G), tl.arange(0, D), tl.arange(0, PAGE)
    length = tl.load(lengths + sequence)
    of_q = (sequence * groups + group) * shared + heads
    x = tl.load(q + of_q[:, None] * D + d[None, :], heads[:, None] < shared, 0.0)
    high = tl.full((G,), float("-inf"), tl.float32)
    total = tl.zeros((G,), tl.float32)
    acc = tl.zeros((G, D), tl.float32)
    share = tl.cdiv(tl.cdiv(length, PAGE), SPLITS)
    for page in range(split * share, min((split + 1) * share, tl.cdiv(length, PAGE))):
        base = (tl.load(table + sequence * pages + page) * groups + group) * PAGE
        inside = page * PAGE + slots < length
        y = tl.load(cache_k + (base + slots[None, :]) * D + d[:, None], inside[None, :], 0.0)
        s = tl.where(inside[None, :], tl.dot(x, y) * scale, -1.0e30)
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fix = tl.exp(high - now)
        total = total * fix + tl.sum(p, 1)
        z = tl.load(cache_v + (base + slots[:, None]) * D + d[None, :], inside[:, None], 0.0)
        acc = tl.dot(p.to(cache_v.dtype.element_ty), z, acc * fix[:, None])
        high = now
    mine = of_q * SPLITS + split
    filled = total > 0
    total = tl.where(filled, total, 1.0)
    tl.store(parts + mine[:, None] * D + d[None, :], acc / total[:, None], heads[:, None] < shared)
    tl.store(logs + mine, tl.where(filled, high + tl.log(total), -99.0), heads < shared)


@triton.jit
def decode_and_merge(q, k, v, parts, logs, arrived, o, scale, length, D: tl.constexpr, G: tl.constexpr, BN: tl.constexpr,
                     SPLITS: tl.constexpr):
    """Keys are split over programs; the last one merges."""
    group, split = tl.program_id(0), tl.program_id(1)
    heads, d = group * G + tl.arange(0, G), tl.arange(0, D)
    x = tl.load(q + heads[:, None] * D + d[None, :])
    high = tl.full((G,), float("-inf"), tl.float32)
    total = tl.zeros((G,), tl.float32)
    acc = tl.zeros((G, D), tl.float32)
    share = length // SPLITS
    for start in range(split * share, (split + 1) * share, BN):
        columns = group * length + start + tl.arange(0, BN)
        s = tl.dot(x, tl.load(k + columns[None, :] * D + d[:, None])) * scale
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fix = tl.exp(high - now)
        total = total * fix + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype.element_ty), tl.load(v + columns[:, None] * D + d[None, :]), acc * fix[:, None])
        high = now
    at = (heads * SPLITS + split)
    tl.store(parts + at[:, None] * D + d[None, :], acc / total[:, None])
    tl.store(logs + at, high + tl.log(total))
    tl.debug_barrier()
    if tl.atomic_add(arrived + group, 1, sem="acq_rel") == SPLITS - 1:
        best = tl.full((G,), float("-inf"), tl.float32)
        for i in range(SPLITS):
            best = tl.maximum(best, tl.load(logs + heads * SPLITS + i, volatile=True))
        weights = tl.zeros((G,), tl.float32)
        merged = tl.zeros((G, D), tl.float32)
        for i in range(SPLITS):
            weight = tl.exp(tl.load(logs + heads * SPLITS + i, volatile=True) - best)
            weights += weight
            merged += weight[:, None] * tl.load(parts + (heads * SPLITS + i)[:, None] * D + d[None, :], volatile=True)
        tl.store(o + heads[:, None] * D + d[None, :], (merged / weights[:, None]).to(o.dtype.element_ty))


@triton.jit
def decode_latent(q, cache, o, length, scale, H: tl.constexpr, L: tl.constexpr, R: tl.constexpr, BN: tl.constexpr):
    """H heads share a cache of L + R columns; the first L are the values."""
    batch = tl.program_id(0)
    heads, latent, rest = tl.arange(0, H), tl.arange(0, L), tl.arange(0, R)
    x = tl.load(q + (batch * H + heads[:, None]) * (L + R) + latent[None, :])
    w = tl.load(q + (batch * H + heads[:, None]) * (L + R) + L + rest[None, :])
    high = tl.full((H,), float("-inf"), tl.float32)
    total = tl.zeros((H,), tl.float32)
    acc = tl.zeros((H, L), tl.float32)
    for start in range(0, length, BN):
        columns = start + tl.arange(0, BN)
        row = cache + (batch * length + columns) * (L + R)
        inside = columns < length
        y = tl.load(row[:, None] + latent[None, :], inside[:, None], 0.0)
        s = tl.dot(x, y.T)
        s = tl.dot(w, tl.load(row[None, :] + L + rest[:, None], inside[None, :], 0.0), s)
        s = tl.where(inside[None, :], s * scale, -1.0e30)
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fix = tl.exp(high - now)
        total = total * fix + tl.sum(p, 1)
        acc = tl.dot(p.to(cache.dtype.element_ty), y, acc * fix[:, None])
        high = now
    tl.store(o + (batch * H + heads[:, None]) * L + latent[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def by_blocks(q, k, v, o, counts, blocks, scale, length, D: tl.constexpr, B: tl.constexpr, MOST: tl.constexpr):
    """Block-sparse: a list of tiles of keys per tile of rows, walked by a while loop."""
    tile, d, inner = tl.program_id(0), tl.arange(0, D), tl.arange(0, B)
    rows = tile * B + inner
    x = tl.load(q + rows[:, None] * D + d[None, :])
    high = tl.full((B,), float("-inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    count = tl.load(counts + tile)
    i = 0
    while i < count:
        columns = tl.load(blocks + tile * MOST + i) * B + inner
        s = tl.dot(x, tl.load(k + columns[None, :] * D + d[:, None])) * scale
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fix = tl.exp(high - now)
        total = total * fix + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype.element_ty), tl.load(v + columns[:, None] * D + d[None, :]), acc * fix[:, None])
        high = now
        i += 1
    tl.store(o + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def int8_scores(q, k, of_q, of_k, v, o, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Scores of int8 operands with a scale per tile; probabilities and values in f16."""
    tile, d = tl.program_id(0), tl.arange(0, D)
    rows = tile * BM + tl.arange(0, BM)
    x = tl.load(q + rows[:, None] * D + d[None, :])
    factor = tl.load(of_q + tile) * scale
    high = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        columns = start + tl.arange(0, BN)
        y = tl.load(k + columns[None, :] * D + d[:, None])
        s = tl.dot(x, y, out_dtype=tl.int32).to(tl.float32) * (factor * tl.load(of_k + start // BN))
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        fix = tl.exp2(high - now)
        total = total * fix + tl.sum(p, 1)
        z = tl.load(v + columns[:, None] * D + d[None, :])
        acc = acc * fix[:, None] + tl.dot(p.to(tl.float16), z)
        high = now
    tl.store(o + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def fp8_values(q, k, v, o, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """fp8 throughout; v is stored [D, length]."""
    d, rows = tl.arange(0, D), tl.program_id(0) * BM + tl.arange(0, BM)
    x = tl.load(q + rows[:, None] * D + d[None, :])
    high = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        columns = start + tl.arange(0, BN)
        s = tl.dot(x, tl.load(k + columns[None, :] * D + d[:, None])) * scale
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        fix = tl.exp2(high - now)
        total = total * fix + tl.sum(p, 1)
        z = tl.load(v + d[None, :] * length + columns[:, None])
        acc = tl.dot(p.to(tl.float8e4nv), z, acc * fix[:, None])
        high = now
    tl.store(o + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


def attend(q, k, v, scale, visible=None, change=lambda s: s, extra=None):
    """The result and the logarithms of the sums; `extra` is one more logit per head, without a value."""
    s = change(q @ k.swapaxes(-1, -2) * scale)
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    wide = s if extra is None else np.concatenate([s, np.broadcast_to(extra[:, None, None], s.shape[:-1] + (1,))], -1)
    high = wide.max(-1, keepdims=True)
    total = np.exp(wide - high).sum(-1, keepdims=True)
    return np.exp(s - high) / total @ v, (high + np.log(total))[..., 0]


def fp8_values_of(v):
    """With probabilities rounded to fp8, relative to the running maximum."""
    s = v.q @ v.k.T * v.scale
    high, total, acc = np.full((len(s), 1), -np.inf), 0, 0
    for start in range(0, s.shape[1], 64):
        tile = s[:, start:start + 64]
        now = np.maximum(high, tile.max(1, keepdims=True))
        p, fix = np.exp2(tile - now), np.exp2(high - now)
        total = total * fix + p.sum(1, keepdims=True)
        acc = acc * fix + rounded("e4m3", p) @ v.v.T[start:start + 64]
        high = now
    return {"o": acc / total}


def forward_case(name, kind="f16", d=64, batch=1, heads=2, shared=1, length=64, keys=None, causal=False, window=0, cap=0.0, alibi=False,
                 sink=False, bm=64, bn=32, **more):
    keys = keys or length
    arguments = dict(q=rand(kind, batch, heads, length, d), k=rand(kind, batch, heads // shared, keys, d),
                     v=rand(kind, batch, heads // shared, keys, d), o=zeros(kind, batch, heads, length, d),
                     logs=zeros("f32", batch, heads, length), slopes=rand("f32", heads), scale=0.5, length=length, keys=keys,
                     heads=heads, shared=shared, cap=float(cap))

    def reference(v):
        rows, columns = np.arange(length)[:, None], np.arange(keys)[None]
        visible = np.ones((length, keys), bool)
        if causal:
            visible &= rows >= columns
        if window:
            visible &= rows - window < columns

        def change(s):
            if cap:
                s = cap * np.tanh(s / cap)
            return s - v.slopes[:, None, None] * np.abs(rows - columns) if alibi else s

        k, values = (np.repeat(t, shared, 1) for t in (v.k, v.v))
        o, logs = attend(v.q, k, values, v.scale, visible, change, None if not sink else np.broadcast_to(v.slopes, (heads,)))
        return {"o": o, "logs": logs}

    constants = dict(D=d, BM=bm, BN=bn, CAUSAL=causal, WINDOW=window, CAP=bool(cap), ALIBI=alibi, SINK=sink)
    return Case(name, forward, (-(-length // bm), heads, batch), arguments, reference, constants,
                tolerance=2e-2 if kind == "bf16" else 4e-3, **more)


def aligned_case(name, d, causal, bm, bn, kind="f16", length=128, **more):
    arguments = {key: rand(kind, 1, length, d) for key in "qkv"} | dict(o=zeros(kind, 1, length, d), scale=0.25, length=length)
    visible = np.tril(np.ones((length, length), bool)) if causal else None
    return Case(name, forward_aligned, (length // bm, 1), arguments, lambda v: {"o": attend(v.q, v.k, v.v, v.scale, visible)[0]},
                dict(D=d, BM=bm, BN=bn, CAUSAL=causal), tolerance=2e-2 if kind == "bf16" else 4e-3, **more)


def backward_case(name, function, outputs, kind="bf16", d=64, length=128, b=64, causal=False, constants=None, out=None, **more):
    arguments = {key: rand(kind, length, d) for key in ("q", "k", "v", "do")}
    arguments |= dict(logs=rand("f32", length), delta=rand("f32", length), scale=0.125, length=length)
    arguments |= {key: zeros(out or kind, length, d) for key in outputs}

    def reference(v):
        p = np.exp(v.q @ v.k.T * v.scale - v.logs[:, None])
        if causal:
            p = np.tril(p)
        ds = p * (v.do @ v.v.T - v.delta[:, None]) * v.scale
        wide = {"dq": ds @ v.k, "dk": ds.T @ v.q, "dv": p.T @ v.do}
        return {key: wide[key] for key in outputs}

    grid = (length // b, 1)
    constants = constants or dict(D=d, BM=b, BN=b, CAUSAL=causal)
    return Case(name, function, grid, arguments, reference, constants, tolerance=3e-2 if kind == "bf16" else 8e-3, **more)


def packed_of(starts, heads):
    def reference(v):
        o = np.zeros_like(v.q)
        for begin, end in zip(starts, starts[1:]):
            q, k, z = (t[begin:end].swapaxes(0, 1) for t in (v.q, v.k, v.v))
            visible = np.tril(np.ones((end - begin,) * 2, bool))
            o[begin:end] = attend(q, k, z, v.scale, visible)[0].swapaxes(0, 1) if end > begin else 0
        return {"o": o}
    return reference


def pages_of(splits, page):
    def reference(v):
        sequences, groups, shared, d = v.q.shape
        parts, logs = np.zeros((sequences, groups, shared, splits, d)), np.full((sequences, groups, shared, splits), -99.0)
        for i in range(sequences):
            share = -(-(-(-v.lengths[i] // page)) // splits)
            for j in range(splits):
                first, last = j * share * page, min((j + 1) * share * page, v.lengths[i])
                if first >= last:
                    continue
                k, z = (t[v.table[i]].swapaxes(0, 1).reshape(groups, -1, d)[:, first:last] for t in (v.cache_k, v.cache_v))
                parts[i, :, :, j], logs[i, :, :, j] = attend(v.q[i], k, z, v.scale)
        return {"parts": parts, "logs": logs}
    return reference


def by_blocks_of(v):
    b = v.q.shape[0] // len(v.counts)
    visible = np.zeros((len(v.q), len(v.k)), bool)
    for i, count in enumerate(v.counts):
        for j in v.blocks[i][:count]:
            visible[i * b:(i + 1) * b, j * b:(j + 1) * b] = True
    return {"o": attend(v.q, v.k, v.v, v.scale, visible)[0]}


def int8_scores_of(v):
    q, k = v.q * np.repeat(v.of_q, 64)[:, None], v.k * np.repeat(v.of_k, 64)[:, None]
    return {"o": attend(q, k, v.v, v.scale * np.log(2))[0]}


def cases():
    yield forward_case("attention_full")
    yield forward_case("attention_causal", "bf16", causal=True, length=96)
    yield forward_case("attention_grouped", heads=4, shared=2, causal=True, stages=4)
    yield forward_case("attention_window", length=160, heads=1, causal=True, window=40, stages=2)
    yield forward_case("attention_softcap", cap=8.0, causal=True, warps=8, bm=128, length=128, heads=1)
    yield forward_case("attention_alibi", alibi=True, causal=True)
    yield forward_case("attention_sink", sink=True, causal=True)
    yield forward_case("attention_ragged", length=50, keys=77, d=32, more=(("sm_86", 4, 1), ("sm_90a", 4, 5)))
    yield forward_case("attention_d128", "bf16", d=128, heads=1, keys=96, bn=64)
    yield forward_case("attention_batch", batch=2, heads=2, length=32, keys=64, d=32, bm=32, warps=2)
    yield aligned_case("attention_d64", 64, False, 128, 64, more=(("sm_90a", 8, 2),))
    yield aligned_case("attention_d64_causal", 64, True, 64, 32, length=192, more=(("sm_89", 4, 4),))
    yield aligned_case("attention_d128_aligned", 128, False, 128, 64, warps=8)
    yield aligned_case("attention_d128_causal", 128, True, 64, 64, "bf16", stages=2)
    yield aligned_case("attention_d256", 256, False, 64, 32, length=64, warps=8, stages=2)
    yield aligned_case("attention_tf32", 32, True, 64, 32, "f32", length=64)
    starts = [0, 37, 37, 101]
    tokens = {key: rand("f16", starts[-1], 2, 64) for key in "qkv"}
    yield Case("attention_packed", packed_sequences, (2, 2, 3),
               {**tokens, "o": zeros("f16", starts[-1], 2, 64), "starts": given("i32", starts), "scale": 0.5, "heads": 2},
               packed_of(starts, 2), dict(D=64, BM=32, BN=32))
    flags = dict(D=64, BM=64, BN=64, CAUSAL=False)
    yield backward_case("backward_q", backward_q, ["dq"], constants={**flags, "BN": 32})
    yield backward_case("backward_q_causal", backward_q, ["dq"], "f16", causal=True, warps=8, stages=2, more=(("sm_90a", 8, 1),))
    yield backward_case("backward_kv", backward_kv, ["dk", "dv"], constants={**flags, "FLIPPED": True})
    yield backward_case("backward_kv_causal", backward_kv, ["dk", "dv"], "f16", causal=True, constants={**flags, "CAUSAL": True, "FLIPPED": True},
                        stages=2)
    yield backward_case("backward_kv_straight", backward_kv, ["dk", "dv"], "f16", constants={**flags, "BM": 32, "FLIPPED": False}, warps=8)
    yield backward_case("backward_all", backward_all, ["dq", "dk", "dv"], "f16", constants=dict(D=64, B=64), out="f32")
    table = dict(cache_k=rand("f16", 8, 2, 16, 64), cache_v=rand("f16", 8, 2, 16, 64), table=integers("i32", 0, 8, 2, 6),
                 lengths=given("i32", [90, 61]))
    yield Case("decode_pages", decode_pages, (2, 2, 3),
               dict(q=rand("f16", 2, 2, 5, 64), **table, parts=zeros("f32", 2, 2, 5, 3, 64), logs=zeros("f32", 2, 2, 5, 3), scale=0.5,
                    pages=6, shared=5), pages_of(3, 16), dict(D=64, G=16, PAGE=16, SPLITS=3), tolerance=4e-3)
    yield Case("decode_and_merge", decode_and_merge, (2, 2),
               dict(q=rand("f16", 2, 16, 64), k=rand("f16", 2, 128, 64), v=rand("f16", 2, 128, 64), parts=zeros("f32", 32, 2, 64),
                    logs=zeros("f32", 32, 2), arrived=zeros("i32", 2), o=zeros("f16", 2, 16, 64), scale=0.5, length=128),
               lambda v: {"o": attend(v.q, v.k, v.v, v.scale)[0]}, dict(D=64, G=16, BN=32, SPLITS=2), warps=2, tolerance=4e-3)
    yield Case("decode_latent", decode_latent, (1,),
               dict(q=rand("bf16", 1, 16, 160), cache=rand("bf16", 1, 80, 160), o=zeros("bf16", 1, 16, 128), length=80, scale=0.25),
               lambda v: {"o": attend(v.q, v.cache, v.cache[..., :128], v.scale)[0]}, dict(H=16, L=128, R=32, BN=32), tolerance=2e-2)
    yield Case("decode_latent_64_heads", decode_latent, (1,),
               dict(q=rand("bf16", 1, 64, 160), cache=rand("bf16", 1, 64, 160), o=zeros("bf16", 1, 64, 128), length=64, scale=0.25),
               lambda v: {"o": attend(v.q, v.cache, v.cache[..., :128], v.scale)[0]}, dict(H=64, L=128, R=32, BN=32), tolerance=2e-2,
               stages=2)
    listed = dict(q=rand("f16", 128, 64), k=rand("f16", 128, 64), v=rand("f16", 128, 64), o=zeros("f16", 128, 64),
                  counts=given("i32", [1, 2, 3, 2]), blocks=given("i32", [[2, 0, 0], [0, 1, 0], [3, 1, 0], [1, 3, 0]]), scale=0.5, length=128)
    yield Case("attention_by_blocks", by_blocks, (4,), listed, by_blocks_of, dict(D=64, B=32, MOST=3), tolerance=4e-3)
    yield Case("attention_int8_scores", int8_scores, (2,),
               dict(q=integers("i8", -99, 99, 128, 64), k=integers("i8", -99, 99, 128, 64), of_q=rand("f32", 2), of_k=rand("f32", 2),
                    v=rand("f16", 128, 64), o=zeros("f16", 128, 64), scale=1e-4, length=128), int8_scores_of,
               dict(D=64, BM=64, BN=64), tolerance=4e-3)
    yield Case("attention_fp8", fp8_values, (1,),
               dict(q=rand("e4m3", 64, 64), k=rand("e4m3", 128, 64), v=rand("e4m3", 64, 128), o=zeros("f16", 64, 64), scale=0.5, length=128),
               fp8_values_of, dict(D=64, BM=64, BN=64), tolerance=5e-2,
               more=(("sm_89", 4, 3),))
