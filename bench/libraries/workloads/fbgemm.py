"""Triton kernels of FBGEMM (fp8 and grouped matrix products, mx4, jagged tensors, attention of recommenders), for time_workloads.py.

Needs the folders fbgemm_gpu (with experimental/gemm/triton_gemm, triton and sll), simplicial and ikbo of FBGEMM in PYTHONPATH.
"""

import functools
import importlib

import torch

from workload_tensors import differentiate, random, tensors

BATCH, WIDTH, GROUPS = 64, 128, 16
FP8 = torch.float8_e4m3fn
SHAPES = ((4096, 4096), (4096, 14336), (14336, 4096))  # input and output features
GEMM, SLL = "fbgemm_gpu.experimental.gemm.triton_gemm.", "fbgemm_gpu.sll.triton."


def kernel(path):
    """A function of the library; of an operator of PyTorch the function that it calls."""
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    return getattr(found, "_init_fn", found)


def rowwise(tokens, inner, outer, options):
    """A product of fp8 matrices with a scale for each row. Kernels with TMA descriptors in memory are for other versions of Triton."""
    torch.manual_seed(0)
    quantize = kernel(GEMM + "fp8_gemm.quantize_fp8_row")
    (left, left_scale), (right, right_scale) = quantize(random(tokens, inner)), quantize(random(outer, inner))
    return tensors(kernel(GEMM + "fp8_gemm.matmul_fp8_row")(left, right, left_scale, right_scale, tma_persistent=False, **options))


def blockwise(tokens, inner, outer, block):
    """A product of fp8 matrices with a scale for each block."""
    torch.manual_seed(0)
    importlib.import_module(GEMM + "matmul_perf_model").get_clock_rate_in_khz = lambda: 1_980_000  # an H200; NVML is not required
    quantize = functools.partial(kernel(GEMM + "fp8_gemm.quantize_fp8_block"), block_k=block)
    (left, left_scale), (right, right_scale) = (quantize(random(rows, inner), block_m=block) for rows in (tokens, outer))
    return tensors(kernel(GEMM + "fp8_gemm.matmul_fp8_block")(left, right, left_scale, right_scale, block, block, block))


def grouped(tokens, inner, outer, fp8):
    """Products of groups of rows, each with a matrix of its own."""
    torch.manual_seed(0)
    sizes = torch.tensor([tokens // GROUPS] * GROUPS, dtype=torch.int32, device="cuda")
    options = {"_use_warp_specialization": False}
    if not fp8:
        return tensors(kernel(GEMM + "grouped_gemm.grouped_gemm")(random(tokens, inner), random(GROUPS * outer, inner), sizes, **options))
    quantize = kernel(GEMM + "fp8_gemm.quantize_fp8_row")
    (left, left_scale), (right, right_scale) = quantize(random(tokens, inner)), quantize(random(GROUPS * outer, inner))
    return tensors(kernel(GEMM + "grouped_gemm.grouped_gemm_fp8_rowwise")(left, right, sizes, left_scale, right_scale, **options))


def quantize(path, shapes, options, length):
    torch.manual_seed(0)
    extents = {"t": 4 * length, "w": 4096}
    with torch.no_grad():
        return tensors(kernel(path)(*[random(*(extents[letter] for letter in shape)) for shape in shapes], **options))


def restore(length):
    torch.manual_seed(0)
    packed = kernel("fbgemm_gpu.triton.quantize.triton_quantize_mx4")(random(length, 4096, dtype=torch.float32))
    return [packed, kernel("fbgemm_gpu.triton.quantize.triton_dequantize_mx4")(packed)]


def jagged(length):
    """Lengths and offsets of sequences between a half of a length and all of it, and the number of their tokens."""
    sizes = [length - (index * 37 % 64) * length // 128 for index in range(BATCH)]
    ends = [sum(sizes[:index]) for index in range(BATCH + 1)]
    lengths, offsets = (torch.tensor(values, dtype=torch.int64, device="cuda") for values in (sizes, ends))
    return lengths, offsets, ends[-1]


def attend(length, dtype):
    torch.manual_seed(0)
    _, offsets, total = jagged(length)
    shape = (4, total, WIDTH)
    inputs = {"q_weights": random(*shape, dtype=dtype, scale=0.1), "k_weights": random(*shape, dtype=dtype, scale=0.1),
              "v_weights": random(*shape, dtype=dtype)}
    return differentiate(lambda **values: kernel(SLL + "triton_multi_head_jagged_flash_attention.multi_head_jagged_flash_attention")(
        **values, offsets=offsets, max_seq_len=length), inputs)


def attend_basic(length, mask):
    """Attention without heads."""
    torch.manual_seed(0)
    _, offsets, total = jagged(length)
    inputs = {"q": random(total, WIDTH, dtype=torch.float32, scale=0.1), "k": random(total, WIDTH, dtype=torch.float32, scale=0.1),
              "v": random(total, WIDTH, dtype=torch.float32)}
    return differentiate(lambda q, k, v: kernel(SLL + "triton_jagged_flash_attention_basic.jagged_flash_attention_basic")(
        q, k, v, offsets, length, use_mask=mask), inputs)


def attend_dense(length, targets):
    torch.manual_seed(0)
    _, offsets, total = jagged(length)
    inputs = {"q": random(total, WIDTH, dtype=torch.float32, scale=0.1), "k": random(BATCH, WIDTH, targets, dtype=torch.float32),
              "v": random(total, WIDTH, dtype=torch.float32), "attn_bias": random(BATCH, length, targets, dtype=torch.float32)}
    return differentiate(lambda **values: kernel(SLL + "triton_jagged_dense_flash_attention.jagged_dense_flash_attention")(
        **values, offsets=offsets, max_seq_len=length), inputs)


def multiply(length, dense, dtype):
    torch.manual_seed(0)
    _, offsets, total = jagged(length)
    name = "jagged_dense_bmm" if dense else "jagged_jagged_bmm"
    inputs = {"x": random(total, WIDTH, dtype=dtype), "y": random(*((BATCH, WIDTH, WIDTH) if dense else (total, WIDTH)), dtype=dtype)}
    return differentiate(lambda x, y: kernel(f"{SLL}triton_jagged_bmm.{name}")(x, y, offsets, length, True, use_fbgemm_kernel=False),
                         inputs)


def normalize(length):
    torch.manual_seed(0)
    _, offsets, total = jagged(length)
    return differentiate(lambda x: kernel(SLL + "triton_jagged_softmax.jagged_softmax")(x, offsets, length, use_fbgemm_kernel=False),
                         {"x": random(total, WIDTH, dtype=torch.float32)})


def pairs(length, part):
    """Jagged matrices with a row and a column for each token of a sequence: products that write and read them."""
    torch.manual_seed(0)
    lengths, offsets, total = jagged(length)
    squares = lengths * lengths
    starts = torch.cat([torch.zeros(1, dtype=torch.int64, device="cuda"), squares.cumsum(0)])
    count = int(starts[-1])
    if part == "write":
        return differentiate(lambda x, y: kernel(SLL + "triton_jagged_bmm_jagged_out.jagged_jagged_bmm_jagged_out")(
            x, y, lengths, offsets, lengths, offsets, squares, starts, length), {
                "x": random(total, WIDTH, dtype=torch.float32), "y": random(total, WIDTH, dtype=torch.float32)})
    if part == "read":
        return differentiate(lambda x, y: kernel(SLL + "triton_jagged_bmm_jagged_out.array_jagged_bmm_jagged_out")(
            x, y, squares, starts, lengths, offsets, lengths, offsets, length), {
                "x": random(count, dtype=torch.float32, scale=0.1), "y": random(total, WIDTH, dtype=torch.float32)})
    if part == "softmax":
        return differentiate(lambda x: kernel(SLL + "triton_jagged_softmax.jagged2_softmax")(x, offsets, starts, length, False),
                             {"x": random(count, dtype=torch.float32)})
    return differentiate(lambda values: kernel(SLL + "triton_jagged2_to_padded_dense.jagged2_to_padded_dense")(values, starts, length),
                         {"values": random(count, dtype=torch.float32)})


def simplicial(length, dimension, first, second):
    """Attention to pairs of keys in two windows."""
    torch.manual_seed(0)
    heads = 64
    return tensors(kernel("simplicial.ops.triton.fwd.triton_fwd")(
        random(1, length, heads, dimension), *[random(1, length, 1, dimension) for _ in range(4)], first, second))


def candidates(length, dimension):
    """Attention of candidates' queries to the tokens of their users."""
    torch.manual_seed(0)
    users, each, queries, heads = 8, 16, 64, 4
    owners = torch.arange(users * each, device="cuda", dtype=torch.int32) // each
    return tensors(kernel("ikbo.ops.triton_ikbo_fa.triton_flash_attn_ikbo_tma")(
        random(users * each * queries, heads, dimension), random(users * length, heads, dimension),
        random(users * length, heads, dimension), owners, queries, length))


def products(length):
    for inner, outer in SHAPES:
        for tokens in (64, length):
            name = f"{inner}x{outer}/{tokens}"
            yield f"matmul_fp8_row/{name}", functools.partial(rowwise, tokens, inner, outer, {})
            yield f"matmul_fp8_block/{name}", functools.partial(blockwise, tokens, inner, outer, 128)
        yield f"matmul_fp8_row/accurate/{inner}x{outer}", functools.partial(rowwise, length, inner, outer, {"fp8_fast_accum": False})
    for tokens in (64 * GROUPS, length):
        for fp8 in (False, True):
            yield f"grouped_gemm{'_fp8' if fp8 else ''}/{tokens}", functools.partial(grouped, tokens, 2048, 2048, fp8)


QUANTIZED = [
    ("quantize_fp8_row", GEMM + "fp8_gemm.quantize_fp8_row", ("tw",), {}),
    ("quantize_fp8_packed_row", GEMM + "fp8_gemm.quantize_fp8_packed_row", ("tw",), {}),
    ("quantize_fp8_block", GEMM + "fp8_gemm.quantize_fp8_block", ("tw",), {}),
    ("quantize_fp8_block/128", GEMM + "fp8_gemm.quantize_fp8_block", ("tw",), {"block_m": 128, "block_k": 128}),
    ("quantize_fp8_group", GEMM + "fp8_gemm.quantize_fp8_group", ("tw",), {}),
    ("silu_quantize_mx4_unpack", GEMM + "fp4_quantize.triton_silu_quantize_mx4_unpack", ("tw", "tw"), {}),
    ("rms_quantize_mx4_unpack", GEMM + "fp4_quantize.triton_rms_quantize_mx4_unpack", ("tw", "tw"), {}),
    ("quantize_mx4", "fbgemm_gpu.triton.quantize.triton_quantize_mx4", ("tw",), {}),
]


def cases(length):
    yield from products(length)
    for name, path, shapes, options in QUANTIZED:
        yield name, functools.partial(quantize, path, shapes, options, length)
    yield "dequantize_mx4", functools.partial(restore, length)
    tokens = max(length // 8, 32)
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        yield f"multi_head_jagged_flash_attention/{name}", functools.partial(attend, tokens, dtype)
        yield f"jagged_dense_bmm/{name}", functools.partial(multiply, tokens, True, dtype)
        yield f"jagged_jagged_bmm/{name}", functools.partial(multiply, tokens, False, dtype)
    for mask in (False, True):
        yield f"jagged_flash_attention_basic/{'mask' if mask else 'full'}", functools.partial(attend_basic, tokens, mask)
    yield "jagged_dense_flash_attention", functools.partial(attend_dense, tokens, 64)
    yield "jagged_softmax", functools.partial(normalize, tokens)
    for part in ("write", "read", "softmax", "pad"):
        yield f"jagged_pairs/{part}", functools.partial(pairs, tokens, part)
    for dimension in (64, 128):
        yield f"simplicial/d{dimension}", functools.partial(simplicial, length // 4, dimension, 32, 256)
        yield f"ikbo_flash_attention/d{dimension}", functools.partial(candidates, length // 4, dimension)
