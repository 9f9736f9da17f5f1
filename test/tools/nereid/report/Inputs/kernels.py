import triton
import triton.language as tl


@triton.jit
def axpy(x, y, out, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    u = tl.load(x + i, mask=inside)
    v = tl.load(y + i, mask=inside)
    tl.store(out + i, a * u + v, mask=inside)


@triton.jit
def softmax_rows(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    v = tl.load(x + row * columns + i, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (start + k)[None, :])
        right = tl.load(b + (start + k)[:, None] * N + columns[None, :])
        sum = tl.dot(left, right, sum)
    tl.store(c + rows[:, None] * N + columns[None, :], sum.to(tl.float16))


@triton.jit
def attention(q, k, v, out, scale, keys, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + d[None, :])
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    for start in range(0, keys, BN):
        columns = start + tl.arange(0, BN)
        key = tl.load(k + columns[:, None] * D + d[None, :])
        score = tl.dot(query, key.T) * scale
        new = tl.maximum(largest, tl.max(score, 1))
        weight = tl.exp2(score - new[:, None])
        shrink = tl.exp2(largest - new)
        value = tl.load(v + columns[:, None] * D + d[None, :])
        sum = tl.dot(weight.to(tl.float16), value, sum * shrink[:, None])
        total = total * shrink + tl.sum(weight, 1)
        largest = new
    tl.store(out + rows[:, None] * D + d[None, :], (sum / total[:, None]).to(tl.float16))
