"""Kernels of LMDeploy's PyTorch engine (lmdeploy.pytorch.kernels.cuda) on inputs of the sizes of models, for time_workloads.py.

Needs the package lmdeploy in PYTHONPATH. Attention reads a paged cache: decoding has one query for each of 64 sequences, prefill 4
sequences. Mixtures of experts and linear layers get the tokens of one sequence, and 64 tokens ("decode"). Kernels in TileLang are
left out.
"""

import functools
import importlib

import torch

from workload_tensors import random

BLOCK = 64  # tokens of a block of the cache
SEQUENCES, PREFILLED = 64, 4
MODEL, EXPERTS, CHOSEN, INNER = 2048, 64, 6, 1408  # width, experts, experts per token, inner width of an expert
GROUP = 128  # elements that share a scale
FP8 = torch.float8_e4m3fn


def kernel(file, name):
    return getattr(importlib.import_module("lmdeploy.pytorch.kernels.cuda." + file), name)


def scales(*shape):
    return torch.rand(*shape, device="cuda") * 0.01 + 0.001


def integers(low, high, *shape, dtype=torch.int32):
    return torch.randint(low, high, shape, device="cuda", dtype=torch.int32).to(dtype)


def lengths(count, length):
    """Lengths of sequences between a half of a length and all of it."""
    return [length - (index * 37 % 64) * length // 128 for index in range(count)]


class Cache:
    """A paged cache of keys and values: [block, token, head, dimension]."""

    def __init__(self, sizes, heads, dimension, values, dtype, pack=1):
        self.sizes, per = sizes, [-(-size // BLOCK) for size in sizes]
        self.blocks, self.most = sum(per), max(per)
        order = torch.randperm(self.blocks).tolist()
        table = [[order.pop() for _ in range(count)] + [0] * (self.most - count) for count in per]
        self.table = torch.tensor(table, dtype=torch.int32, device="cuda")
        self.keys, self.values = (self.fill(heads, extent // pack, dtype) for extent in (dimension, values))

    def fill(self, heads, extent, dtype):
        shape = (self.blocks, BLOCK, heads, extent)
        return integers(0, 255, *shape, dtype=dtype) if dtype == torch.uint8 else random(*shape, dtype=dtype)


def tensor(values, dtype=torch.int32):
    return torch.tensor(values, dtype=dtype, device="cuda")


def starts(sizes):
    return tensor([sum(sizes[:index]) for index in range(len(sizes))])


def quantized(policy, heads, blocks):
    """The arguments for a quantized cache: int4 (4) and int8 (8) have a scale and a zero point per token and head, fp8 (16) one scale."""
    if not policy:
        return {}
    if policy == 16:
        return {"quant_policy": policy, "k_scales_zeros": scales(1), "v_scales_zeros": scales(1)}
    return {"quant_policy": policy, **{name: random(blocks, BLOCK, heads, 2, scale=0.01) for name in ("k_scales_zeros", "v_scales_zeros")}}


CACHE_TYPE = {0: torch.bfloat16, 4: torch.uint8, 8: torch.uint8, 16: FP8}


def decode(length, heads, group, dimension, values, policy, options):
    torch.manual_seed(0)
    cache = Cache(lengths(SEQUENCES, length), heads, dimension, values, CACHE_TYPE[policy], 2 if policy == 4 else 1)
    if options.get("sinks"):
        options = {"sinks": random(heads * group)}
    held = cache.keys[..., :values] if values < dimension else cache.values  # latent attention: values are a part of the keys
    return [kernel("pagedattention", "flash_attn_with_kvcache")(
        random(SEQUENCES, heads * group, dimension), cache.keys, held, cache_seqlens=tensor(cache.sizes), page_table=cache.table,
        **quantized(policy, heads, cache.blocks), **options)]


def prefill(length, heads, group, dimension, values, options):
    torch.manual_seed(0)
    sizes = lengths(PREFILLED, length)
    total = sum(sizes)
    if options.get("sinks"):
        options = {"sinks": random(heads * group), "causal": True}
    ends = tensor([0] + [sum(sizes[:index + 1]) for index in range(len(sizes))])
    return [kernel("flashattention", "flash_attn_varlen_func")(
        random(total, heads * group, dimension), random(heads, total, dimension), random(heads, total, values),
        cu_seqlens_q=ends, cu_seqlens_k=ends, max_seqlen_q=max(sizes), max_seqlen_k=max(sizes), **options)]


def fill_cache(length, heads, dimension, policy, new):
    """Writes `new` tokens of each sequence to the cache."""
    torch.manual_seed(0)
    sizes = lengths(SEQUENCES if new == 1 else PREFILLED, length)
    added = [min(new, size) for size in sizes]
    cache = Cache(sizes, heads, dimension, dimension, CACHE_TYPE[policy], 2 if policy == 4 else 1)
    kernel("fill_kv_cache", "fill_kv_cache")(
        random(sum(added), heads, dimension), random(sum(added), heads, dimension), cache.keys, cache.values, starts(added),
        tensor(added), tensor(sizes), max(added), cache.table, **quantized(policy, heads, cache.blocks))
    return [cache.keys, cache.values]


def fill_cache_blocked(length, heads, dimension, new):
    torch.manual_seed(0)
    sizes = lengths(SEQUENCES if new == 1 else PREFILLED, length)
    added = [min(new, size) for size in sizes]
    cache = Cache(sizes, heads, dimension, dimension, FP8)
    held = [torch.zeros(cache.blocks, BLOCK, heads, dimension // GROUP, device="cuda") for _ in range(2)]
    ends = tensor([0] + [sum(added[:index + 1]) for index in range(len(added))])
    kernel("fill_kv_cache", "fill_kv_cache_blocked_fp8")(
        random(sum(added), heads, dimension), random(sum(added), heads, dimension), cache.keys, cache.values, *held, ends,
        tensor(sizes), max(added), cache.table, group_size=GROUP)
    return [cache.keys.float(), cache.values.float(), *held]


def flatten_cache(length, heads, dimension, policy, layout):
    torch.manual_seed(0)
    cache = Cache(lengths(PREFILLED, length), heads, dimension, dimension, CACHE_TYPE[policy], 2 if policy == 4 else 1)
    return kernel("flatten_kv_cache", "flatten_kv_cache")(
        cache.keys, cache.values, tensor(cache.sizes), cache.table, start_loc=starts(cache.sizes), out_size=sum(cache.sizes),
        out_dtype=torch.bfloat16, flatten_kv_layout=layout, **quantized(policy, heads, cache.blocks))


def attention(length):
    for name, heads, group, dimension, values in (("gqa", 8, 4, 128, 128), ("mha", 32, 1, 128, 128), ("d64", 8, 8, 64, 64),
                                                  ("latent16", 1, 16, 576, 512), ("latent128", 1, 128, 576, 512)):
        yield f"paged_decode/{name}", functools.partial(decode, length, heads, group, dimension, values, 0, {})
        if "latent" not in name:
            yield f"paged_prefill/{name}", functools.partial(prefill, length, heads, group, dimension, values, {"causal": True})
    for policy, name in ((4, "int4"), (8, "int8"), (16, "fp8")):
        yield f"paged_decode/{name}", functools.partial(decode, length, 8, 4, 128, 128, policy, {})
        yield f"fill_kv_cache/{name}", functools.partial(fill_cache, length, 8, 128, policy, length)
        yield f"flatten_kv_cache/{name}", functools.partial(flatten_cache, length, 8, 128, policy, "hsd")
    for name, options in (("window", {"window_size": 512}), ("sinks", {"sinks": True}), ("softcap", {"softcap": 30.0})):
        yield f"paged_decode/{name}", functools.partial(decode, length, 8, 8, 64, 64, 0, options)
        yield f"paged_prefill/{name}", functools.partial(prefill, length, 8, 8, 64, 64,
                                                         {**options, "causal": True} if name != "sinks" else options)
    yield "paged_prefill/latent", functools.partial(prefill, length // 2, 1, 16, 576, 512, {"causal": True})
    yield "paged_prefill/d192", functools.partial(prefill, length // 2, 16, 1, 192, 128, {"causal": True})
    for new, name in ((length, "prefill"), (1, "decode")):
        yield f"fill_kv_cache/{name}", functools.partial(fill_cache, length, 8, 128, 0, new)
        yield f"fill_kv_cache_blocked_fp8/{name}", functools.partial(fill_cache_blocked, length, 8, 128, new)
    for layout in ("hsd", "shd"):
        yield f"flatten_kv_cache/{layout}", functools.partial(flatten_cache, length, 8, 128, 0, layout)


def routing(tokens):
    """Weights and indices of the chosen experts of each token."""
    weights, indices = torch.rand(tokens, EXPERTS, device="cuda").topk(CHOSEN, dim=-1)
    return weights, indices


def experts(tokens, bias):
    torch.manual_seed(0)
    weights = random(EXPERTS, 2 * INNER, MODEL, scale=0.02), random(EXPERTS, MODEL, INNER, scale=0.02)
    biases = {"w1_bias": random(EXPERTS, 2 * INNER), "w2_bias": random(EXPERTS, MODEL)} if bias else {}
    return [kernel("fused_moe", "fused_moe")(random(tokens, MODEL), *weights, *routing(tokens), topk=CHOSEN, renormalize=True, **biases)]


def experts_fp8(tokens):
    torch.manual_seed(0)
    first, second = random(EXPERTS, 2 * INNER, MODEL, dtype=FP8), random(EXPERTS, MODEL, INNER, dtype=FP8)
    return [kernel("blocked_fp8_fused_moe", "fused_moe_blocked_fp8")(
        random(tokens, MODEL, dtype=FP8), scales(tokens, MODEL // GROUP), first, scales(EXPERTS, 2 * INNER // GROUP, MODEL // GROUP),
        second, scales(EXPERTS, MODEL // GROUP, INNER // GROUP), *routing(tokens), topk=CHOSEN, out_dtype=torch.bfloat16)]


def packed_fp4(*shape):
    """Weights of 4 bits, two in a byte, and a scale for 32 of them."""
    codes = integers(-128, 127, *shape[:-1], shape[-1] // 2, dtype=torch.int8)
    exponents = torch.randint(-9, -6, (*shape[:-1], shape[-1] // 32), device="cuda")
    return codes, torch.pow(torch.full((), 2.0, device="cuda"), exponents).to(torch.float8_e8m0fnu)


def experts_fp4(tokens, limit):
    torch.manual_seed(0)
    inner = 1536
    options = {"swiglu_limit": limit} if limit else {}
    return [kernel("v4_fp4_fused_moe", "fused_moe_v4_fp4")(
        random(tokens, MODEL, dtype=FP8), scales(tokens, MODEL // GROUP), *packed_fp4(EXPERTS, 2 * inner, MODEL),
        *packed_fp4(EXPERTS, MODEL, inner), *routing(tokens), topk=CHOSEN, out_dtype=torch.bfloat16, **options)]


def grouped_fp4(tokens, masked):
    torch.manual_seed(0)
    weights = packed_fp4(EXPERTS, 2 * INNER, MODEL)
    if masked:
        each = -(-tokens * CHOSEN // EXPERTS) * 2
        result = torch.zeros(EXPERTS, each, 2 * INNER, dtype=torch.bfloat16, device="cuda")
        kernel("v4_fp4_grouped_gemm", "m_grouped_fp8_fp4_gemm_nt_masked")(
            (random(EXPERTS, each, MODEL, dtype=FP8), scales(EXPERTS, each, MODEL // GROUP)), weights, result,
            integers(1, each + 1, EXPERTS), each)
        return [result]
    result = torch.zeros(tokens, 2 * INNER, dtype=torch.bfloat16, device="cuda")
    owners = torch.arange(tokens, dtype=torch.int32, device="cuda") * EXPERTS // tokens
    kernel("v4_fp4_grouped_gemm", "m_grouped_fp8_fp4_gemm_nt_contiguous")(
        (random(tokens, MODEL, dtype=FP8), scales(tokens, MODEL // GROUP)), weights, result, owners)
    return [result]


def experts_w8a8(tokens, dtype):
    torch.manual_seed(0)
    first, second = (integers(-127, 127, *shape, dtype=torch.int8) if dtype == torch.int8 else random(*shape, dtype=dtype)
                     for shape in ((EXPERTS, 2 * INNER, MODEL), (EXPERTS, MODEL, INNER)))
    hidden = integers(-127, 127, tokens, MODEL, dtype=torch.int8) if dtype == torch.int8 else random(tokens, MODEL, dtype=dtype)
    return [kernel("w8a8_fused_moe", "fused_moe_w8a8")(
        hidden, scales(tokens, 1), first, scales(EXPERTS, 2 * INNER, 1) * 0.1, second, scales(EXPERTS, MODEL, 1) * 0.1, *routing(tokens),
        topk=CHOSEN, out_dtype=torch.bfloat16, quant_dtype=dtype)]


def linear_awq(tokens, inner, outer):
    torch.manual_seed(0)
    codes = integers(-2**31, 2**31 - 1, inner, outer // 8)
    return [kernel("awq_kernels", "awq_linear")(
        random(tokens, inner, dtype=torch.float16), codes, random(inner // GROUP, outer, dtype=torch.float16, scale=0.01),
        integers(-2**31, 2**31 - 1, inner // GROUP, outer // 8))]


def linear_fp8(tokens, inner, outer):
    torch.manual_seed(0)
    hidden, held = kernel("blocked_gemm_fp8", "quant_fp8")(random(tokens, inner), GROUP, dtype=FP8, trans_scale=True)
    weight, fixed = random(outer, inner, dtype=FP8), scales(outer // GROUP, inner // GROUP)
    return [kernel("blocked_gemm_fp8", "blocked_gemm_fp8")(hidden, held, weight.T, fixed.T, out_dtype=torch.bfloat16)]


def linear_fp8_gluon(tokens, inner, outer):
    torch.manual_seed(0)
    result = torch.empty(tokens, outer, dtype=torch.bfloat16, device="cuda")
    held = scales(inner // GROUP, -(-tokens // 4) * 4).T[:tokens]
    kernel("blocked_fp8_gemm_gluon", "fp8_gemm_nt")(
        (random(tokens, inner, dtype=FP8), held), (random(outer, inner, dtype=FP8), scales(outer // GROUP, inner // GROUP)), result, None)
    return [result]


def linear_w8a8(tokens, inner, outer, dtype, residual):
    torch.manual_seed(0)
    hidden, held = kernel("w8a8_triton_kernels", "per_token_quant_int8")(random(tokens, inner), 1e-7, quant_dtype=dtype)
    weight = integers(-127, 127, outer, inner, dtype=torch.int8) if dtype == torch.int8 else random(outer, inner, dtype=dtype)
    return [kernel("w8a8_triton_kernels", "matmul_kernel_dynamic_quant")(
        hidden, weight, held, scales(outer, 1), residual=random(tokens, outer) if residual else None, output_dtype=torch.bfloat16)]


def linear_static(tokens, inner, outer):
    torch.manual_seed(0)
    return [kernel("w8a8_triton_kernels", "matmul_kernel_static_quant")(
        random(tokens, inner, dtype=FP8), random(outer, inner, dtype=FP8), scales(1), scales(1), output_dtype=torch.bfloat16)]


def adapters(tokens, inner, outer):
    torch.manual_seed(0)
    ranks = (8, 16, 32, 64)
    sizes = lengths(8, tokens // 8)
    return [kernel("fused_lora", "fused_lora")(
        random(sum(sizes), inner), random(sum(ranks), inner), random(sum(ranks), outer), tensor([1] * len(ranks), torch.int64),
        starts(ranks).long(), tensor(ranks, torch.int64), starts(sizes).long(), tensor(sizes, torch.int64),
        tensor([index % len(ranks) for index in range(8)], torch.int64), max(ranks), max(sizes))]


def layers(length):
    """Mixtures of experts and linear layers."""
    for tokens, name in ((length, ""), (SEQUENCES, "/decode")):
        yield "fused_moe" + name, functools.partial(experts, tokens, False)
        yield "fused_moe_bias" + name, functools.partial(experts, tokens, True)
        yield "fused_moe_blocked_fp8" + name, functools.partial(experts_fp8, tokens)
        yield "fused_moe_v4_fp4" + name, functools.partial(experts_fp4, tokens, None)
        yield "fused_moe_v4_fp4_limit" + name, functools.partial(experts_fp4, tokens, 10.0)
        yield "grouped_fp8_fp4_gemm" + name, functools.partial(grouped_fp4, tokens, False)
        yield "grouped_fp8_fp4_gemm_masked" + name, functools.partial(grouped_fp4, tokens, True)
        yield "fused_moe_int8" + name, functools.partial(experts_w8a8, tokens, torch.int8)
        yield "fused_moe_fp8" + name, functools.partial(experts_w8a8, tokens, FP8)
        for shape, (inner, outer) in (("4096x4096", (4096, 4096)), ("4096x14336", (4096, 14336)), ("14336x4096", (14336, 4096))):
            yield f"awq_linear/{shape}{name}", functools.partial(linear_awq, tokens, inner, outer)
            yield f"blocked_gemm_fp8/{shape}{name}", functools.partial(linear_fp8, tokens, inner, outer)
            yield f"blocked_gemm_fp8_gluon/{shape}{name}", functools.partial(linear_fp8_gluon, tokens, inner, outer)
            yield f"int8_linear/{shape}{name}", functools.partial(linear_w8a8, tokens, inner, outer, torch.int8, False)
            yield f"fp8_linear/{shape}{name}", functools.partial(linear_w8a8, tokens, inner, outer, FP8, False)
        yield "int8_linear/residual" + name, functools.partial(linear_w8a8, tokens, 4096, 4096, torch.int8, True)
        yield "fp8_linear/static" + name, functools.partial(linear_static, tokens, 4096, 4096)
    yield "fused_lora", functools.partial(adapters, length, 4096, 4096)


# Functions of tensors: name, file, function, shapes of the inputs, options. Letters: see `simple`.
SIMPLE = [
    ("silu_and_mul", "activation", "silu_and_mul", ("t2i",), {}),
    ("silu_and_mul/moe", "activation", "silu_and_mul", ("c2i",), {}),
    ("rms_norm", "rms_norm", "rms_norm", ("tm", "m"), {}),
    ("rms_norm/wide", "rms_norm", "rms_norm", ("tw", "w"), {}),
    ("rms_norm/heads", "rms_norm", "rms_norm", ("thd", "d"), {}),
    ("rms_norm_dynamic_quant", "w8a8_triton_kernels", "rms_norm_dynamic_quant", ("tm", "m"), {"eps": 1e-6}),
    ("per_token_quant_int8", "w8a8_triton_kernels", "per_token_quant_int8", ("tm",), {"eps": 1e-7}),
    ("quant_fp8", "blocked_gemm_fp8", "quant_fp8", ("tm",), {"group_size": GROUP}),
    ("quant_fp8/scales", "blocked_gemm_fp8", "quant_fp8", ("tm",), {"group_size": GROUP, "scale_fmt": "ue8m0"}),
    ("v4_swiglu_and_quant_fp8", "v4_swiglu_quant", "v4_swiglu_and_quant_fp8", ("t2i",), {"swiglu_limit": 10.0}),
    ("moe_reduce", "fused_moe", "moe_reduce", ("tem", "te"), {}),
    ("apply_rotary_pos_emb", "apply_rotary_pos_emb", "apply_rotary_pos_emb", ("thd", "tkd", "td", "td"), {}),
    ("apply_rotary_pos_emb/complex", "apply_rotary_pos_emb", "apply_rotary_pos_emb", ("thd", "tkd", "ts", "ts"), {"complex_mode": True}),
    ("fused_noaux_tc_routing", "fused_noaux_tc", "fused_noaux_tc_routing", ("tx", "x"), {}),
]


def simple(file, name, shapes, options, length):
    torch.manual_seed(0)
    extents = {"t": [4 * length], "c": [length * CHOSEN], "m": [MODEL], "w": [7168], "2": [], "i": [2 * INNER], "h": [32], "k": [8],
               "d": [128], "s": [64], "e": [CHOSEN], "x": [256]}
    inputs = [random(*(extent for letter in shape for extent in extents[letter])) for shape in shapes]
    results = kernel(file, name)(*inputs, **options)
    return [value.float() for value in (results if isinstance(results, (tuple, list)) else [results])]


def residual_norm(length, width):
    torch.manual_seed(0)
    return list(kernel("rms_norm", "rms_norm")(random(4 * length, width), random(width), residual=random(4 * length, width)))


def route_one_group(length):
    torch.manual_seed(0)
    return list(kernel("fused_single_group_router", "fused_single_group_topk_router")(
        torch.rand(4 * length, 192, device="cuda"), random(192, dtype=torch.float32), num_experts=192, top_k=8,
        routed_scaling_factor=2.5))


def sample(vocabulary):
    torch.manual_seed(0)
    scores = torch.randn(SEQUENCES, vocabulary, device="cuda").softmax(-1).sort(-1, descending=True)
    return [kernel("multinomial_sampling", "multinomial_sampling")(
        scores.values, tensor(list(range(SEQUENCES)), torch.int64), tensor([1] * SEQUENCES, torch.int64), scores.indices)]


def choose(length, new):
    """The largest 2048 scores of each query."""
    torch.manual_seed(0)
    sizes, added = [2 * length] * PREFILLED, [new] * PREFILLED
    return [kernel("bitonic_topk", "bitonic_topk")(torch.randn(sum(added), 2 * length, device="cuda"), tensor(added), tensor(sizes),
                                                   k=2048)]


def score(length, new):
    """Scores of the cached keys for the queries of sparse attention."""
    torch.manual_seed(0)
    count = SEQUENCES if new == 1 else PREFILLED
    cache = Cache(lengths(count, length), 1, GROUP, GROUP, FP8)
    added = [min(new, size) for size in cache.sizes]
    ends = tensor([0] + [sum(added[:index + 1]) for index in range(count)])
    total = sum(added)
    result = kernel("ds_index", "fp8_index")(
        random(total, 64, GROUP, dtype=FP8), scales(total, 64), cache.keys[:, :, 0], scales(cache.blocks, BLOCK), ends,
        tensor(cache.sizes), cache.table, max_q_seqlen=max(added), max_k_seqlen=cache.most * BLOCK, causal=True)
    return [result.nan_to_num(0.0, 0.0, 0.0)]


def gates(length):
    torch.manual_seed(0)
    heads, ratio = 16, 2
    return list(kernel("gated_delta_preprocess", "gated_delta_preprocess")(
        random(1, length, heads, 128), random(1, length, heads, 128), random(1, length, heads * ratio), random(1, length, heads * ratio),
        random(heads * ratio, dtype=torch.float32), torch.rand(heads * ratio, device="cuda"), ratio))


def index_queries(length):
    torch.manual_seed(0)
    return [value.float() for value in kernel("dsa_indexer_preprocess", "prepare_dsa_indexer_q")(
        random(length, 64, 128), random(length, 64), random(length, 64), random(length, 64), 0.1, FP8, True)]


def compress(length, ratio, dimension, new):
    """Compressed keys of DeepSeek V4: a weighted sum of `ratio` tokens, or of twice as many."""
    torch.manual_seed(0)
    overlap = ratio == 4
    width = dimension * (1 + overlap)
    count = SEQUENCES if new == 1 else PREFILLED
    sizes = lengths(count, length)
    added = [min(new, size) for size in sizes]
    ends = tensor([0] + [sum(added[:index + 1]) for index in range(count)], torch.int64)
    total = sum(added)
    states = [random(count, ratio * (1 + overlap), width, dtype=torch.float32) for _ in range(2)]
    result = torch.zeros(total, dimension, dtype=torch.bfloat16, device="cuda")
    shared = (random(total, width), random(total, width), random(ratio, width, dtype=torch.float32), *states,
              torch.arange(count, dtype=torch.int32, device="cuda"), ends, tensor(sizes))
    kernel("v4_compressor", "score_kv")(*shared, result, overlap, max(added))
    kernel("v4_compressor", "fill_compress_state")(*shared)
    return [result, *states]


def others(length):
    for name, file, function, shapes, options in SIMPLE:
        yield name, functools.partial(simple, file, function, shapes, options, length)
    for width in (MODEL, 7168):
        yield f"rms_norm/residual{width}", functools.partial(residual_norm, length, width)
    yield "fused_single_group_topk_router", functools.partial(route_one_group, length)
    for vocabulary in (32000, 128000):
        yield f"multinomial_sampling/{vocabulary}", functools.partial(sample, vocabulary)
    for new, name in ((1, "decode"), (min(256, length), "prefill")):
        yield f"bitonic_topk/{name}", functools.partial(choose, length, new)
        yield f"fp8_index/{name}", functools.partial(score, length, new)
        for ratio, dimension in ((4, 512), (128, 512), (4, 128)):
            yield f"v4_compressor/{ratio}x{dimension}/{name}", functools.partial(compress, length, ratio, dimension,
                                                                                1 if new == 1 else length)
    yield "gated_delta_preprocess", functools.partial(gates, length)
    yield "prepare_dsa_indexer_q", functools.partial(index_queries, length)


def cases(length):
    yield from attention(length)
    yield from layers(length)
    yield from others(length)
