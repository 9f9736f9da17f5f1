"""Matrix multiplications: orders of the operands, masks, types, splits of K, batches, persistent loops."""

import triton
import triton.language as tl

from .cases import Case, integers, rand, zeros


@triton.jit
def place(m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr, index):
    """The tile of a program: groups of GROUP rows of tiles, each by columns."""
    across = tl.cdiv(n, BN)
    group = index // (GROUP * across)
    height = min(tl.cdiv(m, BM) - group * GROUP, GROUP)
    rest = index % (GROUP * across)
    return group * GROUP + rest % height, rest // height


@triton.jit
def product(a, b, c, m, n, k, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr,
            PRECISION: tl.constexpr, MASKED: tl.constexpr):
    """c = a @ b of any strides; with MASKED no extent is a multiple of its tile."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    at_a = a + rows[:, None] * am + depth[None, :] * ak
    at_b = b + depth[:, None] * bk + columns[None, :] * bn
    acc = tl.zeros((BM, BN), SUM)
    for start in range(0, k, BK):
        if MASKED:
            x = tl.load(at_a, (rows[:, None] < m) & (depth[None, :] < k - start), 0.0)
            y = tl.load(at_b, (depth[:, None] < k - start) & (columns[None, :] < n), 0.0)
        else:
            x = tl.load(at_a)
            y = tl.load(at_b)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=SUM)
        at_a += BK * ak
        at_b += BK * bk
    inside = (rows[:, None] < m) & (columns[None, :] < n) if MASKED else None
    tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty), inside)


@triton.jit
def split_k_atomic(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLITS: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.program_id(2) * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK * SPLITS):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    tl.atomic_add(c + rows[:, None] * n + columns[None, :], acc, sem="relaxed")


@triton.jit
def split_k_workspace(a, b, parts, arrived, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      SPLITS: tl.constexpr):
    """The last program of a tile adds the parts of all."""
    tile = tl.program_id(0)
    rows = (tile // (n // BN)) * BM + tl.arange(0, BM)
    columns = (tile % (n // BN)) * BN + tl.arange(0, BN)
    share = k // SPLITS
    depth = tl.program_id(1) * share + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, share, BK):
        x = tl.load(a + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + (start + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
    inside = rows[:, None] * n + columns[None, :]
    tl.store(parts + tl.program_id(1) * m * n + inside, acc)
    tl.debug_barrier()
    if tl.atomic_add(arrived + tile, 1, sem="acq_rel") == SPLITS - 1:
        total = tl.zeros((BM, BN), tl.float32)
        for part in range(SPLITS):
            total += tl.load(parts + part * m * n + inside, volatile=True)
        tl.store(c + inside, total.to(c.dtype.element_ty))


@triton.jit
def stream_k(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each program executes an equal share of the steps of all tiles and adds partial tiles atomically."""
    steps = k // BK
    total = (m // BM) * (n // BN) * steps
    share = tl.cdiv(total, tl.num_programs(0))
    step = tl.program_id(0) * share
    end = min(step + share, total)
    while step < end:
        tile = step // steps
        first = step % steps
        last = min(steps, first + end - step)
        rows = (tile // (n // BN)) * BM + tl.arange(0, BM)
        columns = (tile % (n // BN)) * BN + tl.arange(0, BN)
        depth = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), tl.float32)
        for i in range(first, last):
            x = tl.load(a + rows[:, None] * k + i * BK + depth[None, :])
            y = tl.load(b + (i * BK + depth[:, None]) * n + columns[None, :])
            acc = tl.dot(x, y, acc)
        tl.atomic_add(c + rows[:, None] * n + columns[None, :], acc, sem="relaxed")
        step += last - first


@triton.jit
def batch_by_program(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + batch * m * k + rows[:, None] * k + start + depth[None, :])
        y = tl.load(b + batch * n * k + columns[None, :] * k + start + depth[:, None])
        acc = tl.dot(x, y, acc)
    tl.store(c + batch * m * n + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def batch_in_tile(a, b, c, m, n, k, BB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  TRANSPOSED: tl.constexpr):
    batches = (tl.program_id(2) * BB + tl.arange(0, BB))[:, None, None]
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BB, BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + batches * m * k + rows[None, :, None] * k + start + depth[None, None, :])
        if TRANSPOSED:
            y = tl.load(b + batches * n * k + columns[None, :, None] * k + start + depth[None, None, :])
            y = tl.permute(y, (0, 2, 1))
        else:
            y = tl.load(b + batches * n * k + (start + depth[None, :, None]) * n + columns[None, None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + batches * m * n + rows[None, :, None] * n + columns[None, None, :], acc.to(c.dtype.element_ty))


@triton.jit
def persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FLATTEN: tl.constexpr):
    tiles = tl.cdiv(m, BM) * tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=FLATTEN):
        row, column = place(m, n, BM, BN, 2, tile)
        rows = row * BM + tl.arange(0, BM)
        columns = column * BN + tl.arange(0, BN)
        depth = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            x = tl.load(a + rows[:, None] * k + start + depth[None, :], rows[:, None] < m, 0.0)
            y = tl.load(b + (start + depth[:, None]) * n + columns[None, :], columns[None, :] < n, 0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty),
                 (rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def persistent_one_loop(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One loop over the steps of all tiles of a program; a tile is stored at its last step."""
    steps = tl.cdiv(k, BK)
    tiles = (m // BM) * (n // BN)
    mine = tl.cdiv(tiles - tl.program_id(0), tl.num_programs(0))
    tile = tl.program_id(0)
    depth = tl.arange(0, BK)
    step = 0
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, mine * steps):
        rows = (tile // (n // BN)) * BM + tl.arange(0, BM)
        columns = (tile % (n // BN)) * BN + tl.arange(0, BN)
        x = tl.load(a + rows[:, None] * k + step * BK + depth[None, :])
        y = tl.load(b + (step * BK + depth[:, None]) * n + columns[None, :])
        acc = tl.dot(x, y, acc)
        step += 1
        if step == steps:
            tl.store(c + rows[:, None] * n + columns[None, :], acc.to(c.dtype.element_ty))
            acc = tl.zeros((BM, BN), tl.float32)
            step = 0
            tile += tl.num_programs(0)


@triton.jit
def by_block_pointers(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    at_a = tl.make_block_ptr(a, (m, k), (k, 1), (row, 0), (BM, BK), (1, 0))
    at_b = tl.make_block_ptr(b, (k, n), (1, k), (0, column), (BK, BN), (0, 1))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k, BK):
        x = tl.load(at_a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(at_b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc)
        at_a = tl.advance(at_a, (0, BK))
        at_b = tl.advance(at_b, (BK, 0))
    at_c = tl.make_block_ptr(c, (m, n), (n, 1), (row, column), (BM, BN), (1, 0))
    tl.store(at_c, acc.to(c.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def by_descriptors(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    of_a = tl.make_tensor_descriptor(a, (m, k), (k, 1), (BM, BK))
    of_b = tl.make_tensor_descriptor(b, (n, k), (k, 1), (BN, BK))
    of_c = tl.make_tensor_descriptor(c, (m, n), (n, 1), (BM, BN))
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        acc = tl.dot(of_a.load([row, start]), of_b.load([column, start]).T, acc)
    of_c.store([row, column], acc.to(c.dtype.element_ty))


def matmul(v):
    return {"c": v.a @ v.b}


def strided(name, kind, out, sums, order="nn", extents=(128, 128, 96), tile=(64, 64, 32), precision=None, masked=False, **more):
    """A case of `product`; `order` has n for row-major and t for column-major operands."""
    m, n, k = extents
    fill = (lambda *shape: integers("i8", -9, 9, *shape)) if kind == "i8" else (lambda *shape: rand(kind, *shape))
    am, ak = (k, 1) if order[0] == "n" else (1, m)
    bk, bn = (n, 1) if order[1] == "n" else (1, k)
    arguments = dict(a=fill(*((m, k) if order[0] == "n" else (k, m))), b=fill(*((k, n) if order[1] == "n" else (n, k))),
                     c=zeros(out, m, n), m=m, n=n, k=k, am=am, ak=ak, bk=bk, bn=bn)
    bm, bn_, bk_ = tile
    constants = dict(BM=bm, BN=bn_, BK=bk_, SUM=sums, PRECISION=precision, MASKED=masked)
    grid = (-(-m // bm), -(-n // bn_))

    def reference(v):
        return {"c": (v.a if order[0] == "n" else v.a.T) @ (v.b if order[1] == "n" else v.b.T)}

    return Case(name, product, grid, arguments, reference, constants, **more)


def cases():
    f32, odd = tl.float32, (70, 90, 75)
    other = (("sm_86", 4, 3), ("sm_89", 8, 4))
    for order in ("nn", "nt", "tn", "tt"):
        yield strided(f"f16_{order}", "f16", "f16", f32, order, more=(("sm_90a", 8, 4), ("sm_80", 1, 2)))
        yield strided(f"bf16_{order}_masked", "bf16", "bf16", f32, order, odd, masked=True, warps=8 if order == "tn" else 4)
        yield strided(f"tf32_{order}", "f32", "f32", f32, order, precision="tf32", tolerance=4e-3, stages=2)
        yield strided(f"e4m3_{order}", "e4m3", "f32", f32, order, tolerance=1e-2, more=other)
        yield strided(f"i8_{order}", "i8", "i32", tl.int32, order, more=other)
    yield strided("f16_large_tile", "f16", "f16", f32, "nn", (128, 256, 128), (128, 256, 64), warps=8,
                  more=(("sm_90a", 8, 1), ("sm_90a", 8, 5)))
    yield strided("f16_128x128x64", "f16", "f16", f32, "nn", (128, 128, 256), (128, 128, 64), stages=4)
    yield strided("f16_sum", "f16", "f16", tl.float16, "nn", tolerance=2e-2)
    yield strided("f16_few_rows", "f16", "f16", f32, "nt", (16, 256, 128), (16, 128, 64), more=(("sm_90a", 2, 5), ("sm_80", 2, 4)))
    yield strided("f16_masked_few_rows", "f16", "f32", f32, "nn", (9, 50, 77), (16, 64, 32), masked=True, warps=2)
    yield strided("f16_narrow", "f16", "f16", f32, "tn", (128, 16, 64), (128, 16, 32), more=(("sm_90a", 1, 3),))
    yield strided("e5m2_nt", "e5m2", "f32", f32, "nt", tolerance=1e-2, more=other)
    yield strided("e5m2_masked", "e5m2", "f32", f32, "nn", odd, masked=True, tolerance=1e-2)
    yield strided("i8_masked", "i8", "i32", tl.int32, "tn", odd, masked=True)
    for precision, tolerance in (("ieee", 1e-5), ("tf32x3", 2e-5), ("bf16x3", 4e-4), ("bf16x6", 2e-5)):
        yield strided(f"f32_{precision}", "f32", "f32", f32, "nt", (64, 64, 64), (32, 64, 32) if precision == "ieee" else (64, 64, 32),
                      precision, tolerance=tolerance)
    yield strided("f32_tf32x3_masked", "f32", "f32", f32, "nn", odd, precision="tf32x3", masked=True, tolerance=2e-5)
    yield strided("f32_ieee_masked", "f32", "f32", f32, "tt", odd, (32, 32, 16), "ieee", masked=True, tolerance=1e-5)
    yield strided("f64_nn", "f64", "f64", tl.float64, "nn", (64, 64, 32), (64, 32, 16))
    yield strided("f64_tt_masked", "f64", "f64", tl.float64, "tt", (30, 41, 23), (32, 32, 16), masked=True, warps=2)

    plain = dict(m=128, n=64, k=128)
    inputs = dict(a=rand("f16", 128, 128), b=rand("f16", 128, 64))
    tile = dict(BM=64, BN=64, BK=32)
    without_m = dict(n=64, k=128)
    yield Case("split_k_atomic", split_k_atomic, (2, 1, 2), {**inputs, "c": zeros("f32", 128, 64), **without_m}, matmul,
               {**tile, "SPLITS": 2})
    yield Case("split_k_workspace", split_k_workspace, (2, 4),
               {**inputs, "parts": zeros("f32", 4, 128, 64), "arrived": zeros("i32", 2), "c": zeros("f16", 128, 64), **plain}, matmul,
               {**tile, "BK": 16, "SPLITS": 4})
    yield Case("stream_k", stream_k, (3,), {**inputs, "c": zeros("f32", 128, 64), **plain}, matmul, tile)
    yield Case("batch_by_program", batch_by_program, (1, 1, 3),
               dict(a=rand("bf16", 3, 64, 64), b=rand("bf16", 3, 64, 64), c=zeros("bf16", 3, 64, 64), m=64, n=64, k=64),
               lambda v: {"c": v.a @ v.b.transpose(0, 2, 1)}, tile, stages=4)
    for name, kind, transposed, batches in (("batch_in_tile", "f16", False, 2), ("batch_in_tile_transposed", "f16", True, 4),
                                            ("batch_in_tile_tf32", "f32", False, 2)):
        shape = (batches, 64, 64)
        yield Case(name, batch_in_tile, (1, 2, 1),
                   dict(a=rand(kind, *shape), b=rand(kind, *shape), c=zeros("f32", *shape), m=64, n=64, k=64),
                   lambda v, transposed=transposed: {"c": v.a @ (v.b.transpose(0, 2, 1) if transposed else v.b)},
                   dict(BB=batches, BM=64, BN=32, BK=32, TRANSPOSED=transposed), tolerance=4e-3, warps=8 if batches == 4 else 4)
    for name, flatten in (("persistent", False), ("persistent_flattened", True)):
        yield Case(name, persistent, (2,), dict(a=rand("f16", 144, 96), b=rand("f16", 96, 112), c=zeros("f16", 144, 112), m=144, n=112, k=96),
                   matmul, {**tile, "FLATTEN": flatten})
    yield Case("persistent_one_loop", persistent_one_loop, (3,),
               dict(a=rand("f16", 128, 64), b=rand("f16", 64, 128), c=zeros("f16", 128, 128), m=128, n=128, k=64), matmul, tile)
    transposed = dict(a=rand("f16", 72, 48), b=rand("f16", 80, 48), m=72, n=80, k=48)
    yield Case("by_block_pointers", by_block_pointers, (2, 2), {**transposed, "c": zeros("f16", 72, 80)},
               lambda v: {"c": v.a @ v.b.T}, tile)
    yield Case("by_descriptors", by_descriptors, (2, 2), {**transposed, "c": zeros("f16", 72, 80)},
               lambda v: {"c": v.a @ v.b.T}, tile, gpu=False)
