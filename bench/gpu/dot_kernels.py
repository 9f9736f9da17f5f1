"""Kernels with dots, as people write them, for bench/gpu/dots.py: the same source for every compiler.

This file needs only the triton package. Each Kernel has the JIT function, the type of each argument, the compile-time
constants and the options. `compile_kernel` returns the stages of the Triton of this Python; its ttir is Nereid's input.
"""

from dataclasses import dataclass, field

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget

F16, BF16, F32, F64, FP8, I8, I32 = "*fp16", "*bf16", "*fp32", "*fp64", "*fp8e4nv", "*i8", "i32"


@dataclass
class Kernel:
    name: str
    function: object
    types: list  # of the arguments that are not compile-time constants, in order
    constants: dict
    num_warps: int = 4
    num_stages: int = 3
    odd: tuple = ()  # numbers of arguments that are not multiples of 16
    options: dict = field(default_factory=dict)


# --- matmul ---


@triton.jit
def tile_of(m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = pid // (GROUP * tiles_n)
    first = group * GROUP
    rows = min(tiles_m - first, GROUP)
    inside = pid % (GROUP * tiles_n)
    return first + inside % rows, inside // rows


@triton.jit
def matmul(a, b, c, m, n, k, sam, sak, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, OUT: tl.constexpr, PRECISION: tl.constexpr, A1: tl.constexpr, B1: tl.constexpr):
    """c = a @ b; A1 and B1 name the dimension of stride 1: 0 rows, 1 columns."""
    tm, tn = tile_of(m, n, BM, BN, GROUP)
    rm = (tm * BM + tl.arange(0, BM)) % m
    rn = (tn * BN + tl.arange(0, BN)) % n
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * (sam if A1 else 1) + rk[None, :] * (1 if A1 else sak)
    pb = b + rk[:, None] * (sbk if B1 else 1) + rn[None, :] * (1 if B1 else sbn)
    acc = tl.zeros((BM, BN), tl.int32 if OUT == tl.int32 else tl.float64 if OUT == tl.float64 else tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        x = tl.load(pa, mask=rk[None, :] < k - i * BK, other=0.0)
        y = tl.load(pb, mask=rk[:, None] < k - i * BK, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=acc.dtype)
        pa += BK * (1 if A1 else sak)
        pb += BK * (sbk if B1 else 1)
    om = tm * BM + tl.arange(0, BM)
    on = tn * BN + tl.arange(0, BN)
    tl.store(c + om[:, None] * scm + on[None, :], acc.to(OUT), mask=(om[:, None] < m) & (on[None, :] < n))


@triton.jit
def matmul_block_ptr(a, b, c, m, n, k, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                     GROUP: tl.constexpr):
    tm, tn = tile_of(m, n, BM, BN, GROUP)
    pa = tl.make_block_ptr(a, (m, k), (sam, 1), (tm * BM, 0), (BM, BK), (1, 0))
    pb = tl.make_block_ptr(b, (k, n), (sbk, 1), (0, tn * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(k, BK)):
        acc = tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0, 1)), acc)
        pa = tl.advance(pa, (0, BK))
        pb = tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(c, (m, n), (scm, 1), (tm * BM, tn * BN), (BM, BN), (1, 0))
    tl.store(pc, acc.to(tl.float16), boundary_check=(0, 1))


@triton.jit
def matmul_row_sums(a, b, c, sums, m, n, k, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                    GROUP: tl.constexpr):
    """c = a @ b and the sums of the rows of a."""
    tm, tn = tile_of(m, n, BM, BN, GROUP)
    rm = tm * BM + tl.arange(0, BM)
    rn = tn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]
    pb = b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    for _ in range(0, k, BK):
        x = tl.load(pa)
        acc = tl.dot(x, tl.load(pb), acc)
        total += tl.sum(x.to(tl.float32), 1)
        pa += BK
        pb += BK * sbk
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))
    if tn == 0:
        tl.store(sums + rm, total)


@triton.jit
def matmul_int4(a, b, scales, c, m, n, k, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                GROUP: tl.constexpr):
    """b holds two 4-bit weights in a byte, of rows i and i + k / 2; one scale per column."""
    tm, tn = tile_of(m, n, BM, BN, GROUP)
    rm = tm * BM + tl.arange(0, BM)
    rn = tn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]
    pb = b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k // 2, BK):
        packed = tl.load(pb)
        low = ((packed & 15) - 8).to(tl.float16)
        high = (((packed >> 4) & 15) - 8).to(tl.float16)
        acc = tl.dot(tl.load(pa), low, acc)
        acc = tl.dot(tl.load(pa + k // 2), high, acc)
        pa += BK
        pb += BK * sbk
    acc *= tl.load(scales + rn)[None, :]
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))


@triton.jit
def matmul_int8_weights(a, b, scales, c, m, n, k, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr,
                        BK: tl.constexpr, GROUP: tl.constexpr):
    tm, tn = tile_of(m, n, BM, BN, GROUP)
    rm = tm * BM + tl.arange(0, BM)
    rn = tn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :]
    pb = b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb).to(tl.bfloat16), acc)
        pa += BK
        pb += BK * sbk
    acc *= tl.load(scales + rn)[None, :]
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.bfloat16))


@triton.jit
def batched(a, b, c, m, n, k, BB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c[i] = a[i] @ b[i], several i in a tile."""
    rb = tl.program_id(2) * BB + tl.arange(0, BB)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rb[:, None, None] * m * k + rm[None, :, None] * k + rk[None, None, :]
    pb = b + rb[:, None, None] * k * n + rk[None, :, None] * n + rn[None, None, :]
    acc = tl.zeros((BB, BM, BN), tl.float32)
    for _ in range(0, k, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * n
    tl.store(c + rb[:, None, None] * m * n + rm[None, :, None] * n + rn[None, None, :], acc.to(tl.float16))


@triton.jit
def expert_matmul(x, w, rows, experts, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows of x gathered by `rows`, multiplied by the matrix of their expert."""
    tm, tn = tl.program_id(1), tl.program_id(0)
    slots = tm * BM + tl.arange(0, BM)
    rn = tn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    taken = tl.load(rows + slots)
    expert = tl.load(experts + tm).to(tl.int64)
    px = x + taken[:, None] * k + rk[None, :]
    pw = w + expert * n * k + rk[:, None] + rn[None, :] * k
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, k, BK):
        acc = tl.dot(tl.load(px), tl.load(pw), acc)
        px += BK
        pw += BK
    tl.store(c + slots[:, None] * n + rn[None, :], acc.to(tl.bfloat16))


# --- attention ---


@triton.jit
def attention(q, k, v, o, scale, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """[batch * heads, length, D]; exponentials with base 2."""
    tile, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    rm = tile * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, D)
    start = head * length * D
    x = tl.load(q + start + rm[:, None] * D + rd[None, :])
    pk = k + start + rn[None, :] * D + rd[:, None]
    pv = v + start + rn[:, None] * D + rd[None, :]
    high = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.full((BM,), 1.0, tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    factor = scale * 1.4426950408889634
    free = tile * BM if CAUSAL else length
    for n in range(0, free, BN):
        s = tl.dot(x, tl.load(pk))
        now = tl.maximum(high, tl.max(s, 1) * factor)
        p = tl.exp2(s * factor - now[:, None])
        fix = tl.exp2(high - now)
        total = total * fix + tl.sum(p, 1)
        acc = acc * fix[:, None]
        acc = tl.dot(p.to(v.dtype.element_ty), tl.load(pv), acc)
        high = now
        pk += BN * D
        pv += BN * D
    if CAUSAL:
        for n in range(free, free + BM, BN):
            s = tl.dot(x, tl.load(pk)) * factor + tl.where(rm[:, None] >= n + rn[None, :], 0.0, -1.0e6)
            now = tl.maximum(high, tl.max(s, 1))
            p = tl.exp2(s - now[:, None])
            fix = tl.exp2(high - now)
            total = total * fix + tl.sum(p, 1)
            acc = acc * fix[:, None]
            acc = tl.dot(p.to(v.dtype.element_ty), tl.load(pv), acc)
            high = now
            pk += BN * D
            pv += BN * D
    acc = acc / total[:, None]
    tl.store(o + start + rm[:, None] * D + rd[None, :], acc.to(o.dtype.element_ty))


@triton.jit
def chunk_scan(q, k, v, decay, o, length, D: tl.constexpr, CHUNK: tl.constexpr):
    """Linear attention in chunks: state and decay masks between the dots. [heads, length, D]."""
    head = tl.program_id(0).to(tl.int64)
    rc = tl.arange(0, CHUNK)
    rd = tl.arange(0, D)
    base = head * length * D
    rate = tl.load(decay + head)
    inside = tl.where(rc[:, None] >= rc[None, :], tl.exp2(rate * (rc[:, None] - rc[None, :])), 0.0)
    before = tl.exp2(rate * (rc + 1))
    after = tl.exp2(rate * (CHUNK - 1 - rc))
    whole = tl.exp2(rate * CHUNK)
    state = tl.zeros((D, D), tl.float32)
    at = base + rc[:, None] * D + rd[None, :]
    for _ in range(0, length, CHUNK):
        x, y, z = tl.load(q + at), tl.load(k + at), tl.load(v + at)
        s = tl.dot(x, tl.trans(y)) * inside
        r = tl.dot(s.to(x.dtype), z)
        r += tl.dot(x, state.to(x.dtype)) * before[:, None]
        state = state * whole + tl.dot(tl.trans((y * after[:, None]).to(x.dtype)), z)
        tl.store(o + at, r.to(x.dtype))
        at += CHUNK * D


@triton.jit
def decode_latent(q, cache, o, length, scale, H: tl.constexpr, L: tl.constexpr, R: tl.constexpr, BN: tl.constexpr):
    """One query position, H heads that share a cache of L + R columns, of which the first L are the values."""
    b = tl.program_id(0).to(tl.int64)
    rh, rl, rr, rn = tl.arange(0, H), tl.arange(0, L), tl.arange(0, R), tl.arange(0, BN)
    x = tl.load(q + (b * H + rh[:, None]) * (L + R) + rl[None, :])
    y = tl.load(q + (b * H + rh[:, None]) * (L + R) + L + rr[None, :])
    high = tl.full((H,), float("-inf"), tl.float32)
    total = tl.zeros((H,), tl.float32)
    acc = tl.zeros((H, L), tl.float32)
    for n in range(0, length, BN):
        row = cache + (b * length + n + rn) * (L + R)
        kl = tl.load(row[None, :] + rl[:, None])
        s = tl.dot(x, kl)
        s += tl.dot(y, tl.load(row[None, :] + L + rr[:, None]))
        s *= scale * 1.4426950408889634
        now = tl.maximum(high, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        fix = tl.exp2(high - now)
        total = total * fix + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.bfloat16), tl.trans(kl), acc * fix[:, None])
        high = now
    tl.store(o + (b * H + rh[:, None]) * L + rl[None, :], (acc / total[:, None]).to(tl.bfloat16))


# --- the list ---


def matmul_kernel(name, a, b, c, tile, out, num_warps, num_stages, precision="tf32", a1=1, b1=1, **more):
    bm, bn, bk = tile
    constants = dict(BM=bm, BN=bn, BK=bk, GROUP=8, OUT=out, PRECISION=precision, A1=a1, B1=b1)
    return Kernel(name, matmul, [a, b, c] + [I32] * 8, constants, num_warps, num_stages, **more)


def tiles(bm, bn, bk):
    return dict(BM=bm, BN=bn, BK=bk, GROUP=8)


def kernels():
    """Every kernel, by name."""
    made = [
        matmul_kernel("matmul_f16", F16, F16, F16, (128, 256, 64), tl.float16, 8, 3),
        matmul_kernel("matmul_f16_128x128x64", F16, F16, F16, (128, 128, 64), tl.float16, 4, 4),
        matmul_kernel("matmul_f16_128x128x32", F16, F16, F16, (128, 128, 32), tl.float16, 4, 4),
        matmul_kernel("matmul_f16_64x64", F16, F16, F16, (64, 64, 64), tl.float16, 4, 4),
        matmul_kernel("matmul_f16_tn", F16, F16, F16, (128, 256, 64), tl.float16, 8, 3, b1=0),
        matmul_kernel("matmul_f16_nt", F16, F16, F16, (128, 256, 64), tl.float16, 8, 3, a1=0),
        matmul_kernel("matmul_bf16", BF16, BF16, BF16, (128, 256, 64), tl.bfloat16, 8, 3),
        matmul_kernel("matmul_bf16_xwt", BF16, BF16, BF16, (128, 128, 64), tl.bfloat16, 4, 3, b1=0),
        matmul_kernel("matmul_f16_small_m", F16, F16, F16, (16, 128, 128), tl.float16, 4, 4, b1=0),
        matmul_kernel("matmul_tf32", F32, F32, F32, (128, 128, 32), tl.float32, 8, 4),
        matmul_kernel("matmul_tf32_tn", F32, F32, F32, (128, 128, 32), tl.float32, 8, 4, b1=0),
        matmul_kernel("matmul_tf32x3", F32, F32, F32, (128, 128, 32), tl.float32, 8, 3, "tf32x3", b1=0),
        matmul_kernel("matmul_f32_ieee", F32, F32, F32, (64, 64, 32), tl.float32, 4, 3, "ieee"),
        matmul_kernel("matmul_f32_ieee_128", F32, F32, F32, (128, 128, 16), tl.float32, 8, 3, "ieee"),
        matmul_kernel("matmul_fp8", FP8, FP8, F16, (128, 128, 128), tl.float16, 8, 3),
        matmul_kernel("matmul_fp8_tn", FP8, FP8, F16, (128, 256, 128), tl.float16, 8, 3, b1=0),
        matmul_kernel("matmul_int8", I8, I8, "*i32", (128, 128, 128), tl.int32, 8, 3),
        matmul_kernel("matmul_int8_tn", I8, I8, "*i32", (128, 256, 128), tl.int32, 8, 3, b1=0),
        matmul_kernel("matmul_f64", F64, F64, F64, (64, 64, 16), tl.float64, 4, 3),
        # rows of 2 * 4097 bytes: not multiples of 16
        matmul_kernel("matmul_f16_odd_rows", F16, F16, F16, (128, 128, 64), tl.float16, 8, 3, odd=(3, 4, 5, 6, 7, 8, 9, 10)),
        Kernel("matmul_row_sums", matmul_row_sums, [F16, F16, F16, F32] + [I32] * 6, tiles(128, 256, 64), 8, 3),
        Kernel("matmul_int4", matmul_int4, [F16, I8, F32, F16] + [I32] * 6, tiles(128, 128, 64), 8, 3),
        Kernel("matmul_int8_weights", matmul_int8_weights, [BF16, I8, F32, BF16] + [I32] * 6, tiles(128, 128, 64), 8, 3),
        Kernel("batched_3d", batched, [F16, F16, F16, I32, I32, I32], dict(BB=2, BM=128, BN=64, BK=64), 4, 3),
        Kernel("experts", expert_matmul, [BF16, BF16, "*i32", "*i32", BF16, I32, I32], dict(BM=128, BN=128, BK=64), 8, 4),
        Kernel("experts_4_warps", expert_matmul, [BF16, BF16, "*i32", "*i32", BF16, I32, I32], dict(BM=128, BN=128, BK=64), 4, 3),
        Kernel("experts_128x256", expert_matmul, [BF16, BF16, "*i32", "*i32", BF16, I32, I32], dict(BM=128, BN=256, BK=64), 8, 3),
        Kernel("decode_latent", decode_latent, [BF16, BF16, BF16, I32, "fp32"], dict(H=64, L=512, R=64, BN=32), 8, 2),
        Kernel("chunk_scan_d64", chunk_scan, [BF16, BF16, BF16, F32, BF16, I32], dict(D=64, CHUNK=64), 4, 2),
        Kernel("chunk_scan_d128", chunk_scan, [BF16, BF16, BF16, F32, BF16, I32], dict(D=128, CHUNK=64), 8, 2),
    ]
    for d, warps, stages in ((64, 4, 3), (128, 8, 3)):
        for causal in (False, True):
            made.append(Kernel(f"attention_d{d}_{'causal' if causal else 'full'}", attention, [F16] * 4 + ["fp32", I32],
                               dict(D=d, BM=128, BN=64, CAUSAL=causal), warps, stages))
    # one warp group alone on a multiprocessor
    made.append(Kernel("attention_d128_one_group", attention, [F16] * 4 + ["fp32", I32], dict(D=128, BM=64, BN=128, CAUSAL=False), 4, 3))
    if hasattr(tl, "make_block_ptr"):
        made.append(Kernel("matmul_block_ptr", matmul_block_ptr, [F16] * 3 + [I32] * 6, tiles(128, 256, 64), 8, 3))
    return {kernel.name: kernel for kernel in made}


def source_of(kernel):
    names = kernel.function.arg_names
    runtime = [name for name in names if name not in kernel.constants]
    signature = {name: "constexpr" for name in kernel.constants} | dict(zip(runtime, kernel.types))
    signature = {name: signature[name] for name in names}
    places = {name: names.index(name) for name in runtime}
    aligned = {(places[name],): [["tt.divisibility", 16]] for i, name in enumerate(runtime)
               if i not in kernel.odd and kernel.types[i] != "fp32"}
    constants = {(names.index(name),): value for name, value in kernel.constants.items()}
    return triton.compiler.ASTSource(fn=kernel.function, signature=signature, constexprs=constants, attrs=aligned)


def compile_kernel(kernel, capability=90):
    """The CompiledKernel of the Triton of this Python."""
    options = {"num_warps": kernel.num_warps, "num_stages": kernel.num_stages} | kernel.options
    return triton.compile(source_of(kernel), target=GPUTarget("cuda", capability, 32), options=options)
