"""Kernels with warp-specialized loops (`tl.range(..., warp_specialize=True)`): a linear layer and attention.

The functions `*_of_descriptors` receive descriptors; the others make them from pointers, so that torch.compile can call them
like any kernel of the user.
"""

import triton
import triton.language as tl


@triton.jit
def linear_of_descriptors(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T; one tile per program, whose loop over k is divided."""
    rows = tl.cdiv(m, BM)
    i, j = tl.program_id(0) % rows * BM, tl.program_id(0) // rows * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        acc = tl.dot(a.load([i, start]), b.load([j, start]).T, acc)
    c.store([i, j], acc.to(c.dtype))


@triton.jit
def persistent_of_descriptors(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b.T; each program computes every so many tiles, and the loop over tiles is divided."""
    rows = tl.cdiv(m, BM)
    for tile in tl.range(tl.program_id(0), rows * tl.cdiv(n, BN), tl.num_programs(0), warp_specialize=True):
        i, j = tile % rows * BM, tile // rows * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a.load([i, start]), b.load([j, start]).T, acc)
        c.store([i, j], acc.to(c.dtype))


@triton.jit
def attention_of_descriptors(q, k, v, o, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """One block of queries of one head; all heads are rows of one matrix. The loop over keys is divided."""
    first, base = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM, tl.program_id(1) * length
    x = q.load([base + first, 0])
    highest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.full((BM,), 0.0, tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    scale = tl.cast(scale * 1.4426950408889634, tl.float32)  # Inductor passes floats as f64
    rows = first + tl.arange(0, BM)
    for start in tl.range(0, first + BM if CAUSAL else length, BN, warp_specialize=True):
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


@triton.jit
def specialized_linear(x, w, o, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PERSISTENT: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [m, k], [k, 1], [BM, BK])
    b = tl.make_tensor_descriptor(w, [n, k], [k, 1], [BN, BK])
    c = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
    if PERSISTENT:
        persistent_of_descriptors(a, b, c, m, n, k, BM, BN, BK)
    else:
        linear_of_descriptors(a, b, c, m, n, k, BM, BN, BK)


@triton.jit
def specialized_attention(x, y, z, out, scale, length, total, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    q = tl.make_tensor_descriptor(x, [total, D], [D, 1], [BM, D])
    k = tl.make_tensor_descriptor(y, [total, D], [D, 1], [BN, D])
    v = tl.make_tensor_descriptor(z, [total, D], [D, 1], [BN, D])
    o = tl.make_tensor_descriptor(out, [total, D], [D, 1], [BM, D])
    attention_of_descriptors(q, k, v, o, scale, length, D, BM, BN, CAUSAL)


def linear(x, w, persistent=False):
    """x @ w.T of matrices."""
    (m, k), n = x.shape, w.shape[0]
    o = x.new_empty(m, n)
    tiles = triton.cdiv(m, 128) * triton.cdiv(n, 128)
    specialized_linear[(min(tiles, 132) if persistent else tiles,)](x, w, o, m, n, k, 128, 128, 64, persistent, num_warps=4, num_stages=3)
    return o


def attention(q, k, v, causal):
    """Attention of (batch, heads, length, width), which are contiguous."""
    batch, heads, length, width = q.shape
    o = q.new_empty(q.shape)
    specialized_attention[(length // 128, batch * heads)](q, k, v, o, width ** -0.5, length, batch * heads * length, width, 128, 64, causal,
                                                          num_warps=8, num_stages=2)
    return o
