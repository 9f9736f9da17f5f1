"""The Triton source of this folder's kernels. Generates their .ttir and .ptx:

    python3 kernels.py        with triton==3.6.0; no GPU is needed

Debug information is omitted, and so are locations other than names."""
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

KERNELS = {}


def kernel(signature, num_ctas=1, **constants):
    def add(function):
        KERNELS[function.__name__] = (triton.jit(function), signature, num_ctas, constants)
        return function
    return add


@kernel({"x": "*i32", "o": "*i32", "c": "*i32", "n": "i32"}, B=256)
def atomic_functions(x, o, c, n, B: tl.constexpr):
    """All atomic operations, masked, with many threads at one address; a lock around a sum."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, m, 0)
    tl.atomic_add(o + (v & 7), 1, m)
    tl.atomic_max(o + 8 + (v & 7), v, m)
    tl.atomic_min(o + 16 + (v & 7), v, m)
    tl.atomic_or(o + 24 + (v & 7), v, m)
    tl.atomic_xor(o + 32 + (v & 7), v, m)
    tl.atomic_and(o + 40 + (v & 7), v, m)
    while tl.atomic_cas(c, 0, 1) == 1:
        pass
    tl.store(c + 1, tl.load(c + 1) + tl.sum(v))
    tl.debug_barrier()
    tl.atomic_xchg(c, 0)


@kernel({"x": "*i32", "index": "*i32", "o": "*i32"}, M=32, N=64)
def gather_both_ways(x, index, o, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + i)
    j = tl.load(index + i)
    tl.store(o + i, tl.gather(v, j % M, 0) + tl.gather(v, j, 1))


@kernel({"x": "*fp32", "e4": "*fp8e4nv", "e5": "*fp8e5", "b": "*bf16", "h": "*fp16", "o": "*fp32"}, B=256)
def conversions(x, e4, e5, b, h, o, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    e, f, g, z = a.to(tl.float8e4nv), a.to(tl.float8e5), a.to(tl.bfloat16), a.to(tl.float16, fp_downcast_rounding="rtz")
    tl.store(e4 + i, e)
    tl.store(e5 + i, f)
    tl.store(b + i, g * g)
    tl.store(h + i, z)
    tl.store(o + i, e.to(tl.float32) + f.to(tl.float32) + g.to(tl.float32) + z.to(tl.float32) +
             a.to(tl.uint8).to(tl.float32) + (a * 100).to(tl.int16).to(tl.float32))


@kernel({"x": "*fp32", "o": "*fp32", "M": "i32", "N": "i32"}, BM=32, BN=32)
def transpose_tiles(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Tensor maps created on the device, tiles past the end."""
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    e = tl.make_tensor_descriptor(o, shape=[N, M], strides=[M, 1], block_shape=[BN, BM])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    e.store([j, i], tl.trans(d.load([i, j])))


@kernel({"x": "*fp32", "o": "*fp32", "M": "i32", "N": "i32"}, BM=32, BN=32)
def add_tiles(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Reductions by TMA."""
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    e = tl.make_tensor_descriptor(o, shape=[BM, N], strides=[N, 1], block_shape=[BM, BN])
    e.atomic_add([0, tl.program_id(1) * BN], d.load([tl.program_id(0) * BM, tl.program_id(1) * BN]))


@kernel({"x": "*i8", "o": "*i8"}, B=512)
def gray_code(x, o, B: tl.constexpr):
    """Inline assembly on four bytes at once."""
    i = tl.arange(0, B)
    v = tl.load(x + i)
    r = tl.inline_asm_elementwise("{ .reg .b32 t; shr.u32 t, $1, 1; and.b32 t, t, 0x7f7f7f7f; xor.b32 $0, t, $1; }",
                                  "=r,r", [v], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(o + i, r)


@kernel({"x": "*fp64", "y": "*fp64", "o": "*fp64"}, M=32, N=32, K=16)
def dot_f64(x, y, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(y + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], tl.dot(a, b, out_dtype=tl.float64))


@kernel({"x": "*i8", "y": "*i8", "o": "*i32"}, M=64, N=64, K=64)
def dot_i8(x, y, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(y + tl.arange(0, N)[None, :] * K + tl.arange(0, K)[:, None])
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], tl.dot(a, b))


@kernel({"x": "*bf16", "scale": "*u8", "y": "*bf16", "o": "*fp32"}, M=64, N=32, K=64)
def dot_scaled(x, scale, y, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(y + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    s = tl.load(scale + tl.arange(0, M)[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :],
             tl.dot_scaled(a, s, "bf16", b, None, "bf16"))


@kernel({"x": "*fp16", "y": "*fp16", "o": "*fp32", "K": "i32"}, num_ctas=2, M=128, N=128, BK=64)
def dot_in_clusters(x, y, o, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """Two CTAs share a program."""
    sum = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(x + tl.arange(0, M)[:, None] * K + k + tl.arange(0, BK)[None, :])
        b = tl.load(y + (k + tl.arange(0, BK)[:, None]) * N + tl.arange(0, N)[None, :])
        sum = tl.dot(a, b, sum)
    tl.store(o + tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], sum)


def strip_ptx(text):
    text = re.sub(r"\n\t\.(file|section)\b.*", "\n", text, flags=re.S)
    lines = [line for line in text.splitlines() if not re.match(r"\s*(\.loc\b|//|\$L__(tmp|func|pc)\w*:|$)", line)]
    return "\n".join(re.sub(r"\s*// .*", "", line) for line in lines) + "\n"


def strip_ttir(text):
    text = re.sub(r"^#loc.*\n", "", text, flags=re.M)
    text = re.sub(r" loc\((callsite\(#loc\d* at #loc\d*\)|#loc\d*|\"\w+\"\(callsite[^)]*\)+)\)", "", text)
    return re.sub(r'loc\("(\w+)"\(#loc\d*\)\)', r'loc("\1")', text)


if __name__ == "__main__":
    for name, (function, signature, num_ctas, constants) in KERNELS.items():
        positions = {(function.arg_names.index(key),): value for key, value in constants.items()}
        types = {**signature, **dict.fromkeys(constants, "constexpr")}
        compiled = triton.compile(ASTSource(function, types, constexprs=positions), target=GPUTarget("cuda", 90, 32),
                                  options={"num_ctas": num_ctas})
        open(f"{name}.ptx", "w").write(strip_ptx(compiled.asm["ptx"]))
        open(f"{name}.ttir", "w").write(strip_ttir(compiled.asm["ttir"]))
