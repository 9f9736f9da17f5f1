"""Linear attention and state-space models in chunks: a state is carried through a loop of dots."""

import numpy as np
import triton
import triton.language as tl

from .cases import Case, rand, zeros


@triton.jit
def linear_attention(q, k, v, decay, o, last, length, D: tl.constexpr, E: tl.constexpr, C: tl.constexpr, DECAY: tl.constexpr):
    """o[t] = q[t] @ sum over s <= t of decay^(t - s) k[s]^T v[s]; [heads, length, D], v of width E."""
    head = tl.program_id(0)
    c, d, e = tl.arange(0, C), tl.arange(0, D), tl.program_id(1) * E + tl.arange(0, E)
    width = tl.num_programs(1) * E
    rate = tl.load(decay + head) * 0.1 - 0.1 if DECAY else 0.0
    within = tl.where(c[:, None] >= c[None, :], tl.exp2(rate * (c[:, None] - c[None, :])), 0.0)
    before, after = tl.exp2(rate * (c + 1)), tl.exp2(rate * (C - 1 - c))
    state = tl.zeros((D, E), tl.float32)
    for start in range(0, length, C):
        at = (head * length + start + c[:, None]) * D + d[None, :]
        x, y = tl.load(q + at), tl.load(k + at)
        at_v = (head * length + start + c[:, None]) * width + e[None, :]
        z = tl.load(v + at_v)
        s = tl.dot(x, tl.trans(y)) * within
        r = tl.dot(s.to(x.dtype), z)
        r += tl.dot(x, state.to(x.dtype)) * before[:, None]
        state = state * tl.exp2(rate * C) + tl.dot(tl.trans((y * after[:, None]).to(x.dtype)), z)
        tl.store(o + at_v, r.to(o.dtype.element_ty))
    tl.store(last + (head * D + d[:, None]) * width + e[None, :], state)


@triton.jit
def gated_linear_attention(q, k, v, gates, o, length, D: tl.constexpr, C: tl.constexpr):
    """A decay per position: exponentials of differences of cumulative sums."""
    head = tl.program_id(0)
    c, d = tl.arange(0, C), tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    for start in range(0, length, C):
        at = (head * length + start + c[:, None]) * D + d[None, :]
        x, y, z = tl.load(q + at), tl.load(k + at), tl.load(v + at)
        sums = tl.cumsum(tl.load(gates + head * length + start + c) * 0.1 - 0.1, 0)
        end = tl.sum(tl.where(c == C - 1, sums, 0.0), 0)
        s = tl.dot(x, tl.trans(y))
        s = tl.where(c[:, None] >= c[None, :], s * tl.exp(sums[:, None] - sums[None, :]), 0.0)
        r = tl.dot(s.to(x.dtype), z) + tl.dot(x, state.to(x.dtype)) * tl.exp(sums)[:, None]
        state = state * tl.exp(end) + tl.dot(tl.trans((y * tl.exp(end - sums)[:, None]).to(x.dtype)), z)
        tl.store(o + at, r.to(o.dtype.element_ty))


@triton.jit
def delta_rule(q, k, v, beta, o, length, D: tl.constexpr, C: tl.constexpr):
    """S += beta k^T (v - k S) position by position, computed in chunks: the triangular inverse is built row by row."""
    head = tl.program_id(0)
    c, d = tl.arange(0, C), tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    for start in range(0, length, C):
        at = (head * length + start + c[:, None]) * D + d[None, :]
        x, y, z = tl.load(q + at), tl.load(k + at), tl.load(v + at)
        strength = tl.load(beta + head * length + start + c) * 0.05 + 0.05
        lower = tl.where(c[:, None] > c[None, :], tl.dot(y, tl.trans(y), input_precision="ieee") * strength[:, None], 0.0)
        inverse = tl.where(c[:, None] == c[None, :], 1.0, 0.0)
        for i in range(1, C):
            row = tl.sum(tl.where(c[:, None] == i, lower, 0.0), 0)
            change = tl.sum(row[:, None] * inverse, 0)
            inverse -= tl.where(c[:, None] == i, change[None, :], 0.0)
        rest = strength[:, None] * (z - tl.dot(y, state, input_precision="ieee"))
        u = tl.dot(inverse, rest, input_precision="ieee")
        scores = tl.where(c[:, None] >= c[None, :], tl.dot(x, tl.trans(y), input_precision="ieee"), 0.0)
        r = tl.dot(x, state, input_precision="ieee") + tl.dot(scores, u, input_precision="ieee")
        state = tl.dot(tl.trans(y), u, state, input_precision="ieee")
        tl.store(o + at, r)


@triton.jit
def chunk_states(k, v, states, length, D: tl.constexpr, C: tl.constexpr):
    """The sum of k^T v of each chunk; one program per chunk."""
    chunk, head = tl.program_id(0), tl.program_id(1)
    c, d = tl.arange(0, C), tl.arange(0, D)
    at = (head * length + chunk * C + c[:, None]) * D + d[None, :]
    state = tl.dot(tl.trans(tl.load(k + at)), tl.load(v + at))
    tl.store(states + ((head * tl.num_programs(0) + chunk) * D + d[:, None]) * D + d[None, :], state)


@triton.jit
def linear_backward(q, k, v, do, dk, dv, length, D: tl.constexpr, C: tl.constexpr):
    """dk and dv of linear attention without decay: the chunks in reverse order."""
    c, d = tl.arange(0, C), tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    for i in range(length // C):
        start = length - (i + 1) * C
        at = (start + c[:, None]) * D + d[None, :]
        x, y, z, g = tl.load(q + at), tl.load(k + at), tl.load(v + at), tl.load(do + at)
        s = tl.where(c[:, None] <= c[None, :], tl.dot(y, tl.trans(x)), 0.0).to(x.dtype)
        ds = tl.where(c[:, None] <= c[None, :], tl.dot(z, tl.trans(g)), 0.0).to(x.dtype)
        kept = state.to(x.dtype)
        tl.store(dv + at, tl.dot(y, kept, tl.dot(s, g)).to(dv.dtype.element_ty))
        tl.store(dk + at, tl.dot(z, tl.trans(kept), tl.dot(ds, x)).to(dk.dtype.element_ty))
        state = tl.dot(tl.trans(x), g, state)


@triton.jit
def recurrent_cell(x, w, h, bias, steps, B: tl.constexpr, D: tl.constexpr):
    """h = tanh(h @ w + x[t] + bias): the result of each dot is an operand of the next."""
    b, d = tl.arange(0, B), tl.arange(0, D)
    weights = tl.load(w + d[:, None] * D + d[None, :])
    offset = tl.load(bias + d)[None, :]
    state = tl.zeros((B, D), tl.float32)
    for t in range(steps):
        state = tl.dot((state * 0.25).to(w.dtype.element_ty), weights) + offset
        state += tl.load(x + (t * B + b[:, None]) * D + d[None, :]).to(tl.float32)
        state = 2 * tl.sigmoid(2 * state) - 1
    tl.store(h + b[:, None] * D + d[None, :], state)


def linear_of(decays):
    def reference(v):
        length = v.q.shape[1]
        t = np.arange(length)
        rate = (v.decay * 0.1 - 0.1 if decays else v.decay * 0)[:, None, None]
        weights = np.where(t[:, None] >= t, np.exp2(rate * np.minimum(t[:, None] - t, 10 ** 6)), 0)
        weights = np.where(t[:, None] >= t, weights, 0)
        after = np.exp2(rate * (length - 1 - t)[None, :, None])
        return {"o": (v.q @ v.k.swapaxes(1, 2) * weights) @ v.v, "last": (v.k * after).swapaxes(1, 2) @ v.v}
    return reference


def gated_of(v):
    sums = np.cumsum(v.gates * 0.1 - 0.1, 1)
    weights = np.tril(np.exp(np.minimum(sums[:, :, None] - sums[:, None, :], 0)))
    return {"o": (v.q @ v.k.swapaxes(1, 2) * weights) @ v.v}


def delta_of(v):
    o = np.zeros_like(v.q)
    for head in range(len(v.q)):
        state = np.zeros((v.q.shape[2],) * 2)
        for t in range(v.q.shape[1]):
            key = v.k[head, t]
            state += (v.beta[head, t] * 0.05 + 0.05) * np.outer(key, v.v[head, t] - key @ state)
            o[head, t] = v.q[head, t] @ state
    return {"o": o}


def backward_of(v):
    s, ds = np.tril(v.q @ v.k.T), np.tril(v.do @ v.v.T)
    return {"dk": ds.T @ v.q, "dv": s.T @ v.do}


def cell_of(v):
    state = 0 * v.x[0]
    for x in v.x:
        state = np.tanh(state * 0.25 @ v.w + v.bias + x)
    return {"h": state}


def cases():
    for name, kind, decays, d, e, warps in (("linear_attention", "f16", False, 64, 32, 4), ("linear_attention_decay", "bf16", True, 32, 64, 4),
                                            ("linear_attention_d128", "bf16", True, 128, 64, 8)):
        heads = 1 if d == 128 else 2
        yield Case(name, linear_attention, (heads, 2),
                   dict(q=rand(kind, heads, 128, d), k=rand(kind, heads, 128, d), v=rand(kind, heads, 128, 2 * e), decay=rand("f32", heads),
                        o=zeros(kind, heads, 128, 2 * e), last=zeros("f32", heads, d, 2 * e), length=128), linear_of(decays),
                   dict(D=d, E=e, C=64 if d == 128 else 32, DECAY=decays), warps=warps, stages=2 if warps == 8 else 3,
                   tolerance=3e-2 if kind == "bf16" else 6e-3)
    heads = {key: rand("f16", 2, 128, 64) for key in "qkv"}
    yield Case("linear_attention_gated", gated_linear_attention, (2,),
               {**heads, "gates": rand("f32", 2, 128), "o": zeros("f16", 2, 128, 64), "length": 128}, gated_of, dict(D=64, C=64),
               tolerance=6e-3)
    wide = {key: rand("f32", 2, 64, 32) for key in "qkv"}
    yield Case("delta_rule", delta_rule, (2,), {**wide, "beta": rand("f32", 2, 64), "o": zeros("f32", 2, 64, 32), "length": 64}, delta_of,
               dict(D=32, C=16), tolerance=1e-4)
    yield Case("chunk_states", chunk_states, (2, 2), {"k": heads["k"], "v": heads["v"], "states": zeros("f32", 2, 2, 64, 64), "length": 128},
               lambda v: {"states": np.einsum("hctd,hcte->hcde", v.k.reshape(2, 2, 64, 64), v.v.reshape(2, 2, 64, 64))}, dict(D=64, C=64))
    flat = {key: rand("bf16", 128, 64) for key in ("q", "k", "v", "do")}
    yield Case("linear_backward", linear_backward, (1,), {**flat, "dk": zeros("bf16", 128, 64), "dv": zeros("bf16", 128, 64), "length": 128},
               backward_of, dict(D=64, C=64))
    yield Case("recurrent_cell", recurrent_cell, (1,),
               dict(x=rand("f16", 5, 64, 64), w=rand("f16", 64, 64), h=zeros("f32", 64, 64), bias=rand("f32", 64), steps=5), cell_of,
               dict(B=64, D=64), tolerance=6e-3)
