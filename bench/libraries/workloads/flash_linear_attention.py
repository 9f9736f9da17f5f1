"""Operators of flash-linear-attention (fla.ops, fla.modules) on inputs of the sizes of models, for time_workloads.py.

Needs flash-linear-attention and einops in PYTHONPATH. The operators on sequences run forward and backward: with 4 sequences and
16 heads of 64, with 2 sequences and 16 heads of 128, and ("varlen") with sequences of different lengths in one batch. The recurrent
ones get a quarter of the length, since their steps are sequential, and ("decode") one token for each of 128 sequences.
"""

import functools
import importlib
import math

import torch
import torch.nn.functional as F

from workload_tensors import differentiate, tensors

HEADS, SLOTS, FEATURES, MODEL, VOCABULARY = 16, 64, 16, 2048, 32000
GROUP = 4  # query heads per head
PARTS = (0.31, 0.02, 0.17, 0.26, 0.07, 0.17)  # lengths of the sequences of a batch with different lengths


class Sizes:
    """The extents of the inputs, by letter: batch, tokens, heads, head dimension and others."""

    def __init__(self, length, dimension, batch):
        heads = HEADS if length >= 1024 else 2
        self.extents = {"b": batch, "t": length, "h": heads, "q": GROUP * heads, "d": dimension, "m": SLOTS, "f": FEATURES,
                        "n": heads * dimension, "1": 1, "2": 2 * length, "l": math.ceil(math.log2(max(length, 2))) + 1}

    def __getattr__(self, name):
        return self.extents[name]

    def shape(self, letters):
        return [self.extents[letter] for letter in letters]


def keep(values):
    return values


def unit(values):
    return F.normalize(values, dim=-1)


def decay(values):
    return -0.01 - 0.1 * torch.sigmoid(values)


def upper(values):
    return 0.25 + 0.75 * torch.sigmoid(values)


def weak(values):
    return values * 0.1


# Kinds of inputs: letters of the shape, the function that maps normally distributed values, and the type.
KINDS = {
    "normal": ("bthd", keep, None), "unit": ("bthd", unit, None), "unit32": ("bthd", unit, torch.float32),
    "weak": ("bthd", weak, None), "gate": ("bthd", F.logsigmoid, None),
    "gate32": ("bthd", F.logsigmoid, torch.float32), "sigmoid": ("bthd", torch.sigmoid, None),
    "decay": ("bthd", decay, None), "beta": ("bth", torch.sigmoid, None), "beta32": ("bth", torch.sigmoid, torch.float32),
    "head_gate": ("bth", F.logsigmoid, torch.float32),
    "queries": ("btqd", keep, None), "query_gate": ("btq", F.logsigmoid, torch.float32), "query_decay": ("btqd", decay, None),
    "query_beta": ("btq", torch.sigmoid, None),
    "features": ("bthf", keep, None), "slots": ("bthm", keep, None), "slot_gate": ("bthm", F.logsigmoid, None),
    "channels": ("btn", keep, None), "channel_gate": ("btn", F.logsigmoid, None), "double_unit": ("b2hd", unit, None),
    "double": ("b2hd", keep, None), "double_beta": ("b2h", torch.sigmoid, None), "per_head": ("h", decay, torch.float32),
    "head_decay": ("bth", decay, torch.float32),
    "head_weight": ("hd", keep, None), "head_bias": ("n", keep, torch.float32), "diagonal": ("hd", upper, None),
    "shared": ("bt1d", keep, None), "levels": ("bthl", keep, None), "step": ("bth1", weak, None), "state": ("bhdd", weak, torch.float32),
    "channel": ("n", decay, None), "sinks": ("q", keep, torch.float32),
}


def random(shape, function=keep, dtype=None):
    return function(torch.randn(*shape, device="cuda")).to(dtype or torch.bfloat16)


def make(kinds, sizes, dtype):
    """Inputs from words such as q, k:unit or g:gate; a word without a kind is normally distributed."""
    inputs = {}
    for word in kinds.split():
        name, _, kind = word.partition(":")
        letters, function, own = KINDS[kind or "normal"]
        inputs[name] = random(sizes.shape(letters), function, own or dtype)
    return inputs


def infer(function, inputs, **options):
    with torch.no_grad():
        return tensors(function(**inputs, **options))


def boundaries(length, kind=torch.int64):
    """cu_seqlens of sequences of different lengths, which have this number of tokens together."""
    ends = [round(length * sum(PARTS[:count])) for count in range(len(PARTS))] + [length]
    return torch.tensor(ends, dtype=kind, device="cuda")


def call(path, kinds, sizes, how, dtype=torch.bfloat16, varlen=False, **options):
    torch.manual_seed(0)
    # The library refuses a kernel that Triton 3.4 to 3.7.0 compiles to wrong code for sm_90 (its issue 640).
    importlib.import_module("fla.ops.common.chunk_o").TRITON_ABOVE_3_7_1 = True
    inputs = make(kinds, sizes, dtype)
    if varlen:
        options["cu_seqlens"] = boundaries(sizes.t)
    module, _, name = path.rpartition(".")
    return how(getattr(importlib.import_module("fla." + module), name), inputs, **options)


# Operators on sequences: module and function, inputs, options, variants.
CHUNKED = [
    ("ops.abc.chunk_abc", "q k v s:slots", {}, ""),
    ("ops.attn.parallel_attn", "q:queries k v", {}, "varlen"),
    ("ops.comba.chunk_comba", "q k p v g:head_gate beta:beta", {"use_qk_l2norm_in_kernel": True}, "varlen"),
    ("ops.delta_rule.chunk_delta_rule", "q k:unit v beta:beta", {}, "varlen state"),
    ("ops.forgetting_attn.parallel_forgetting_attn", "q:queries k v g:query_gate", {}, "varlen"),
    ("ops.gated_delta_product.chunk_gated_delta_product", "q:unit k:double_unit v:double g:head_gate beta:double_beta",
     {"num_householder": 2}, ""),
    ("ops.gated_delta_rule.chunk_gated_delta_rule", "q k v g:head_gate beta:beta", {"use_qk_l2norm_in_kernel": True},
     "varlen state"),
    ("ops.gated_oja_rule.chunk_gated_oja_rule", "q:unit k:unit v:unit gv:gate beta:beta", {}, "varlen"),
    ("ops.gdn2.chunk_gdn2", "q k v g:gate32 b:sigmoid w:sigmoid", {"use_qk_l2norm_in_kernel": True}, "varlen"),
    ("ops.generalized_delta_rule.chunk_dplr_delta_rule", "q k v a:weak b:weak gk:decay", {}, "varlen state"),
    ("ops.generalized_delta_rule.chunk_iplr_delta_rule", "q k v a:weak b:weak", {}, "varlen infer"),
    ("ops.gla.chunk_gla", "q k v g:gate", {}, "varlen state"),
    ("ops.gsa.chunk_gsa", "q k v s:slots g:slot_gate", {}, "varlen"),
    ("ops.hgrn.chunk_hgrn", "x:channels g:channel_gate", {}, ""),
    ("ops.kda.chunk_kda", "q k v g:gate beta:beta", {"use_qk_l2norm_in_kernel": True}, "varlen state"),
    ("ops.lightning_attn.chunk_lightning_attn", "q k v", {"layer_idx": 3, "num_layers": 12}, "varlen"),
    ("ops.linear_attn.chunk_linear_attn", "q k v", {"normalize": False}, ""),
    ("ops.linear_attn.fused_chunk_linear_attn", "q k v", {"normalize": False}, ""),
    ("ops.path_attn.parallel_path_attn", "q:queries k v w:unit32 beta:beta32 g:query_gate", {}, "varlen"),
    ("ops.precond_gated_delta_rule.chunk_precond_gated_delta_rule",
     "q k v g_atk:head_gate g:head_gate beta_atk:beta beta:beta log_atk_scale:per_head", {"x": 1.5}, "varlen"),
    ("ops.precond_kda.chunk_precond_kda",
     "q:unit k:unit v g:gate g_atk:head_gate beta_atk:beta beta:beta log_atk_scale:per_head", {"x": 1.5}, ""),
    ("ops.parallax.parallel_parallax", "q:queries r:queries k v", {}, "varlen"),
    ("ops.retention.chunk_retention", "q k v", {}, "varlen"),
    ("ops.retention.fused_chunk_retention", "q k v", {}, ""),
    ("ops.retention.parallel_retention", "q k v", {}, ""),
    ("ops.rwkv6.chunk_rwkv6", "r k v w:gate u:head_weight", {}, "varlen"),
    ("ops.rwkv7.chunk_rwkv7", "r w:decay k v a:weak b:weak", {}, "varlen"),
    ("ops.simple_gla.chunk_simple_gla", "q k v g:head_gate", {}, "varlen state"),
    ("ops.simple_gla.fused_chunk_simple_gla", "q k v g:head_gate", {}, "varlen"),
    ("ops.simple_gla.parallel_simple_gla", "q k v g:head_gate", {}, "varlen"),
    ("ops.wall_attn.parallel_wall_attn", "q:queries k v g:query_decay", {}, "varlen"),
]
# The same operators with other options: name, then as above.
FURTHER = [
    ("parallel_attn/window", "ops.attn.parallel_attn", "q:queries k v", {"window_size": 512}),
    ("parallel_attn/sinks", "ops.attn.parallel_attn", "q:queries k v sink_bias:sinks", {}),
    ("parallel_attn/gate", "ops.attn.parallel_attn", "q:queries k v g:query_gate", {}),
    ("parallel_parallax/window", "ops.parallax.parallel_parallax", "q:queries r:queries k v", {"window_size": 512}),
    ("parallel_path_attn/no_gate", "ops.path_attn.parallel_path_attn", "q:queries k v w:unit32 beta:beta32", {}),
    ("parallel_wall_attn/window", "ops.wall_attn.parallel_wall_attn", "q:queries k v g:query_decay", {"window_size": 512}),
    ("chunk_gated_delta_rule/values", "ops.gated_delta_rule.chunk_gated_delta_rule",
     "q k v:queries g:query_gate beta:query_beta", {"use_qk_l2norm_in_kernel": True}),
    ("chunk_kda/gate", "ops.kda.chunk_kda", "q k v g beta:beta A_log:per_head dt_bias:head_bias",
     {"use_qk_l2norm_in_kernel": True, "use_gate_in_kernel": True}),
    ("chunk_kda/safe_gate", "ops.kda.chunk_kda", "q k v g:decay beta:beta",
     {"use_qk_l2norm_in_kernel": True, "safe_gate": True, "lower_bound": -5}),
    ("chunk_rwkv7/safe_gate", "ops.rwkv7.chunk_rwkv7", "r w:decay k v a:weak b:weak", {"safe_gate": True, "chunk_size": 64}),
    ("chunk_simple_gla/constant_gate", "ops.simple_gla.chunk_simple_gla", "q k v g_gamma:per_head", {}),
    ("chunk_simple_gla/f32", "ops.simple_gla.chunk_simple_gla", "q k v g:head_gate", {"dtype": torch.float32}),
    ("chunk_gla/f32", "ops.gla.chunk_gla", "q k v g:gate", {"dtype": torch.float32}),
    ("chunk_gla/f16", "ops.gla.chunk_gla", "q k v g:gate", {"dtype": torch.float16}),
    ("chunk_delta_rule/norm", "ops.delta_rule.chunk_delta_rule", "q k v beta:beta", {"use_qk_l2norm_in_kernel": True}),
]
RECURRENT = [
    ("ops.comba.fused_recurrent_comba", "q k p v g:head_gate beta:beta", {"use_qk_l2norm_in_kernel": True}, ""),
    ("ops.delta_rule.fused_recurrent_delta_rule", "q k:unit v beta:beta", {}, "train"),
    ("ops.gated_delta_rule.fused_recurrent_gated_delta_rule", "q k v g:head_gate beta:beta", {"use_qk_l2norm_in_kernel": True}, ""),
    ("ops.gated_oja_rule.fused_recurrent_gated_oja_rule", "q:unit k:unit v:unit gv:gate beta:beta", {}, ""),
    ("ops.gdn2.fused_recurrent_gdn2", "q k v g:gate32 b:sigmoid w:sigmoid", {"use_qk_l2norm_in_kernel": True}, ""),
    ("ops.generalized_delta_rule.fused_recurrent_dplr_delta_rule", "q k v a:weak b:weak gk:decay", {}, ""),
    ("ops.generalized_delta_rule.fused_recurrent_iplr_delta_rule", "q k v a:weak b:weak", {}, "train"),
    ("ops.gla.fused_recurrent_gla", "q k v gk:gate", {}, "train"),
    ("ops.kda.fused_recurrent_kda", "q k v g:gate beta:beta", {"use_qk_l2norm_in_kernel": True}, ""),
    ("ops.lightning_attn.fused_recurrent_lightning_attn", "q k v", {"layer_idx": 3, "num_layers": 12}, "train"),
    ("ops.linear_attn.fused_recurrent_linear_attn", "q k v", {}, "train"),
    ("ops.precond_gated_delta_rule.fused_recurrent_precond_gated_delta_rule",
     "q k v g:head_gate beta:beta g_atk:head_gate beta_atk:beta log_atk_scale:per_head", {"x": 1.5}, ""),
    ("ops.retention.fused_recurrent_retention", "q k v", {}, "train"),
    ("ops.rwkv6.fused_recurrent_rwkv6", "r k v w:gate u:head_weight", {}, "train"),
    ("ops.rwkv7.fused_recurrent_rwkv7", "r w:decay k v a:weak b:weak", {}, ""),
    ("ops.rwkv7.fused_mul_recurrent_rwkv7", "r w:decay k v kk:unit a:sigmoid", {}, ""),
    ("ops.simple_gla.fused_recurrent_simple_gla", "q k v g:head_gate", {}, "train"),
]
# Operators with other inputs: name, function, inputs, options, heads' dimensions, divisor of the length.
SPECIAL = [
    ("fused_chunk_based", "ops.based.fused_chunk_based", "q:features k:features v", {}, (64, 128), 1),
    ("parallel_based", "ops.based.parallel_based", "q:features k:features v", {}, (64, 128), 1),
    ("parallel_rebased", "ops.rebased.parallel_rebased", "q:features k:features v", {}, (64, 128), 1),
    ("chunk_log_linear_attn", "ops.log_linear_attn.chunk_log_linear_attn", "q:shared k:shared v g:head_gate level_scales:levels", {},
     (64, 128), 2),
    ("chunk_mesa_net", "ops.mesa_net.chunk_mesa_net", "q:weak k:unit v:weak g:head_decay beta:beta lamb:diagonal",
     {"max_CG_iteration": 10, "output_final_state": True}, (64, 128), 2),
    ("chunk_ttt_linear", "ops.ttt.chunk_ttt_linear", "q k:unit v w:head_weight b:head_weight eta:step", {}, (64,), 4),
    ("fused_chunk_ttt_linear", "ops.ttt.fused_chunk_ttt_linear", "q k:unit v w:head_weight b:head_weight eta:step", {}, (64,), 4),
    ("fused_recurrent_hgrn", "ops.hgrn.fused_recurrent_hgrn", "x:channels g:channel_gate", {}, (64, 128), 2),
    ("fused_recurrent_gsa", "ops.gsa.fused_recurrent_gsa", "q k v s:slots g:slot_gate", {}, (64, 128), 4),
    ("gate_output_correction", "ops.rwkv7.gate_output_correction.gate_output_correction",
     "o:channels r k r_k:head_weight v g:channels", {}, (64,), 1),
    ("fused_k_rwkv7", "ops.rwkv7.fused_k_update.fused_k_rwkv7", "k:channels a:channels ka:channel", {}, (64,), 1),
    ("fused_gdn_gate", "ops.gated_delta_rule.gate.fused_gdn_gate", "g:head_gate A_log:per_head dt_bias:per_head", {}, (64,), 1),
    ("token_shift", "modules.token_shift.token_shift", "x:channels", {}, (64, 128), 1),
]


def sequences(length):
    """Forward and backward passes of the operators on sequences."""
    for dimension, batch in ((64, 4), (128, 2)):
        batch = batch if length >= 1024 else 1
        sizes, packed = Sizes(length, dimension, batch), Sizes(batch * length, dimension, 1)
        short = Sizes(max(length // 4, 1), dimension, batch)
        for path, kinds, options, variants in CHUNKED:
            name = f"{path.split('.')[-1]}/d{dimension}"
            how = infer if "infer" in variants else differentiate
            yield name, functools.partial(call, path, kinds, sizes, how, **options)
            if "varlen" in variants:
                yield name + "/varlen", functools.partial(call, path, kinds, packed, how, varlen=True, **options)
            if "state" in variants:
                yield name + "/state", functools.partial(call, path, kinds + " initial_state:state", sizes, how,
                                                         output_final_state=True, **options)
        for name, path, kinds, options in FURTHER:
            yield f"{name}/d{dimension}", functools.partial(call, path, kinds, sizes, differentiate, **options)
        for path, kinds, options, variants in RECURRENT:
            name = f"{path.split('.')[-1]}/d{dimension}"
            yield name, functools.partial(call, path, kinds, short, differentiate if variants else infer, **options)
            decode = Sizes(1, dimension, 128 if length >= 1024 else 2)
            decode.extents.update(h=sizes.h, n=sizes.n)
            yield name + "/decode", functools.partial(call, path, kinds + " initial_state:state", decode, infer,
                                                      output_final_state=True, **options)
        for name, path, kinds, options, dimensions, divisor in SPECIAL:
            if dimension in dimensions:
                yield f"{name}/d{dimension}", functools.partial(call, path, kinds, Sizes(max(length // divisor, 64), dimension, batch),
                                                                differentiate, **options)


def select_blocks(batch, length, heads, count, size):
    """For each token and head, `count` of the blocks before it in order, -1 where there are fewer."""
    blocks = -(-length // size)
    last = torch.arange(length, device="cuda") // size
    allowed = torch.arange(blocks, device="cuda")[None] <= last[:, None]
    scores = torch.rand(batch, length, heads, blocks, device="cuda").masked_fill(~allowed[None, :, None], -1.0)
    values, indices = scores.topk(min(count, blocks), dim=-1)
    return indices.masked_fill(values < 0, -1).sort(-1)[0]


def sparse_attention(length, dimension, compressed):
    from fla.ops.nsa import parallel_nsa
    torch.manual_seed(0)
    heads, group = 4, 16
    inputs = {"q": random((1, length, heads * group, dimension)), "k": random((1, length, heads, dimension)),
              "v": random((1, length, heads, dimension))}
    if compressed:
        inputs.update({name: random((1, length, heads * group), torch.sigmoid) for name in ("g_cmp", "g_slc")})
        return differentiate(parallel_nsa, inputs, block_counts=16, block_size=64)
    return differentiate(parallel_nsa, inputs, block_indices=select_blocks(1, length, heads, 16, 64), block_counts=16, block_size=64)


def deltaformer(length, dimension):
    """The attention after the operator's own kernels is PyTorch's."""
    from fla.ops.deltaformer import parallel

    def attend(q, k, v, causal, **_):
        swapped = (value.transpose(1, 2) for value in (q, k, v))
        return F.scaled_dot_product_attention(*swapped, is_causal=causal).transpose(1, 2)

    parallel.flash_attn_func = attend
    return call("ops.deltaformer.deltaformer_attn", "q k v beta:beta", Sizes(max(length // 2, 64), dimension, 1), differentiate)


def attention_residuals(length, count):
    from fla.ops.attnres import fused_attnres
    torch.manual_seed(0)
    parts = {f"part{index}": random((1, length, MODEL)) for index in range(count)}
    inputs = {"query": random((MODEL,)), "rms_weight": random((MODEL,)), **parts}
    return differentiate(lambda query, rms_weight, **parts: fused_attnres(query, list(parts.values()), rms_weight), inputs)


def rwkv4(length):
    from fla.ops.rwkv4 import fused_recurrent_rwkv4
    torch.manual_seed(0)
    shape = (4, length // 4, MODEL)
    inputs = {"w": random((MODEL,), weak, torch.float32), "u": random((MODEL,), weak, torch.float32),
              "k": random(shape, dtype=torch.float32), "v": random(shape, dtype=torch.float32)}
    return differentiate(lambda w, u, k, v: fused_recurrent_rwkv4(w, u, k, v, torch.zeros(4, 3, 1, MODEL, device="cuda")), inputs)


def channel_mixing(length):
    from fla.ops.rwkv7.channel_mixing import channel_mixing_rwkv7
    torch.manual_seed(0)
    inputs = {"x": random((4, length, MODEL)), "x_prev": random((4, MODEL)), "x_k": random((1, 1, MODEL)),
              "key_weight": random((MODEL, MODEL), weak), "value_weight": random((MODEL, MODEL), weak)}
    return differentiate(channel_mixing_rwkv7, inputs, inplace=False)


def token_mixing(length):
    from fla.ops.rwkv7.fused_addcmul import fused_addcmul_rwkv7
    torch.manual_seed(0)
    names = ("xr", "xw", "xk", "xv", "xa", "xg")
    inputs = {"hidden_states": random((4, length, MODEL)), "delta": random((4, length, MODEL)),
              **{name: random((1, 1, MODEL)) for name in names}}
    return differentiate(fused_addcmul_rwkv7, inputs)


def decoding(length, dimension, gate):
    """One query of each sequence."""
    from fla.ops.attn.decoding import attn_decoding_one_step
    torch.manual_seed(0)
    heads, count = HEADS // 2, len(PARTS)
    inputs = {"q": random((1, count, GROUP * heads, dimension)), "k": random((1, 4 * length, heads, dimension)),
              "v": random((1, 4 * length, heads, dimension))}
    if gate:
        inputs["g"] = random((1, 4 * length, GROUP * heads), F.logsigmoid, torch.float32)
    return infer(attn_decoding_one_step, inputs, cu_seqlens=boundaries(4 * length))


def parallax_decoding(length, dimension):
    from fla.ops.parallax.decode import parallax_decode
    torch.manual_seed(0)
    heads, batch = 4, 16
    inputs = {name: random((batch, 1, GROUP * heads, dimension)) for name in ("q", "r")}
    inputs.update({name: random((batch, length, heads, dimension)) for name in ("k", "v")})
    return infer(parallax_decode, inputs)


def mesa_decoding(dimension):
    from fla.ops.mesa_net import mesa_net_decoding_one_step
    torch.manual_seed(0)
    shape, square = (64, HEADS, dimension), (64, HEADS, dimension, dimension)
    inputs = {"q": random(shape), "k": random(shape, unit), "v": random(shape), "g": random(shape[:2], F.logsigmoid, torch.float32),
              "lamb": random(shape[1:], upper), "beta": random(shape[:2], torch.sigmoid),
              "prev_h_kk": torch.eye(dimension, device="cuda").expand(square).contiguous(), "prev_h_kv": random(square, weak, torch.float32)}
    return infer(mesa_net_decoding_one_step, inputs, max_CG_iteration=10)


def operators(length):
    """Operators whose inputs are not those of the tables."""
    for dimension in (64, 128):
        yield f"parallel_nsa/d{dimension}", functools.partial(sparse_attention, length, dimension, False)
        yield f"parallel_nsa/d{dimension}/compressed", functools.partial(sparse_attention, length, dimension, True)
        yield f"deltaformer_attn/d{dimension}", functools.partial(deltaformer, length, dimension)
        yield f"attn_decoding_one_step/d{dimension}", functools.partial(decoding, length, dimension, False)
        yield f"attn_decoding_one_step/d{dimension}/gate", functools.partial(decoding, length, dimension, True)
        yield f"parallax_decode/d{dimension}", functools.partial(parallax_decoding, length, dimension)
        yield f"mesa_net_decoding_one_step/d{dimension}", functools.partial(mesa_decoding, dimension)
    for count in (4, 8):
        yield f"fused_attnres/{count}", functools.partial(attention_residuals, length, count)
    yield "fused_recurrent_rwkv4", functools.partial(rwkv4, length)
    yield "channel_mixing_rwkv7", functools.partial(channel_mixing, length)
    yield "fused_addcmul_rwkv7", functools.partial(token_mixing, length)


# Functions without gradients: name, function, shapes of the positional inputs, type, options.
PLAIN = [
    ("chunk_local_cumsum/scalar", "ops.utils.chunk_local_cumsum", ("btq",), torch.float32, {"chunk_size": 64}),
    ("chunk_local_cumsum/reverse", "ops.utils.chunk_local_cumsum", ("btq",), torch.float32, {"chunk_size": 64, "reverse": True}),
    ("chunk_local_cumsum/vector", "ops.utils.chunk_local_cumsum", ("bthd",), torch.float32, {"chunk_size": 64}),
    ("chunk_local_cumsum/vector_bf16", "ops.utils.chunk_local_cumsum", ("bthd",), None, {"chunk_size": 64}),
    ("chunk_global_cumsum/scalar", "ops.utils.chunk_global_cumsum", ("btq",), torch.float32, {}),
    ("chunk_global_cumsum/vector", "ops.utils.chunk_global_cumsum", ("bthd",), torch.float32, {}),
    ("chunk_global_cumsum/reverse", "ops.utils.chunk_global_cumsum", ("bthd",), torch.float32, {"reverse": True}),
    ("softmax_fwd", "ops.utils.softmax_fwd", ("bthm",), None, {}),
    ("softmax_bwd", "ops.utils.softmax_bwd", ("bthm", "bthm"), None, {}),
    ("logsumexp_fwd", "ops.utils.logsumexp_fwd", ("btn",), None, {}),
    ("matmul", "ops.utils.matmul", ("tn", "nt"), None, {}),
    ("matmul/f32", "ops.utils.matmul", ("tn", "nt"), torch.float32, {}),
    ("addmm", "ops.utils.addmm", ("tt", "tn", "nt"), None, {}),
]


def plain(path, shapes, dtype, options, length):
    torch.manual_seed(0)
    sizes = Sizes(length, 64, 4 if length >= 1024 else 1)
    module, _, name = path.rpartition(".")
    with torch.no_grad():
        return tensors(getattr(importlib.import_module("fla." + module), name)(
            *[random(sizes.shape(shape), dtype=dtype) for shape in shapes], **options))


def inverse(length, size):
    from fla.ops.utils import solve_tril
    torch.manual_seed(0)
    rows = torch.arange(length, device="cuda") % size
    below = torch.arange(size, device="cuda")[None] < rows[:, None]
    return [solve_tril(random((4, length, HEADS, size), weak, torch.float32) * below[None, :, None])]


def packing(length):
    from fla.ops.utils import pack_sequence, unpack_sequence
    torch.manual_seed(0)
    bounds = boundaries(length)
    packed = differentiate(lambda x: pack_sequence(x, bounds), {"x": random((len(PARTS), int(bounds.diff().max()), MODEL))})
    return packed + differentiate(lambda x: unpack_sequence(x, bounds), {"x": random((length, MODEL))})


def pooling(length, varlen):
    from fla.ops.utils import mean_pooling
    torch.manual_seed(0)
    bounds = boundaries(4 * length) if varlen else None
    shape = (1, 4 * length, HEADS, 64) if varlen else (4, length, HEADS, 64)
    return differentiate(lambda x: mean_pooling(x, chunk_size=64, cu_seqlens=bounds), {"x": random(shape)})


def utilities(length):
    for name, path, shapes, dtype, options in PLAIN:
        yield name, functools.partial(plain, path, shapes, dtype, options, length)
    for size in (16, 32, 64):
        yield f"solve_tril/{size}", functools.partial(inverse, length, size)
    yield "pack_sequence", functools.partial(packing, length)
    yield "mean_pooling", functools.partial(pooling, length, False)
    yield "mean_pooling/varlen", functools.partial(pooling, length, True)


# fla.modules: name, function, inputs as pairs of a name and a shape, options. T is 4 times the length, M the model's width.
MODULES = [
    ("layer_norm", "layernorm.layer_norm", "x:TM weight:M bias:M", {}),
    ("layer_norm/residual", "layernorm.layer_norm", "x:TM weight:M bias:M residual:TM", {"prenorm": True}),
    ("rms_norm", "layernorm.rms_norm", "x:TM weight:M", {"bias": None}),
    ("rms_norm/residual", "layernorm.rms_norm", "x:TM weight:M residual:TM", {"bias": None, "prenorm": True}),
    ("rms_norm/heads", "layernorm.rms_norm", "x:THD weight:D", {"bias": None}),
    ("group_norm", "layernorm.group_norm", "x:TM weight:M bias:M", {"num_groups": HEADS}),
    ("layer_norm_linear", "layernorm.layer_norm_linear", "x:TM norm_weight:M norm_bias:M linear_weight:MM linear_bias:M", {}),
    ("rms_norm_linear", "layernorm.rms_norm_linear", "x:TM norm_weight:M linear_weight:MM", {"norm_bias": None, "linear_bias": None}),
    ("layernorm_fn/gate", "layernorm_gated.layernorm_fn", "x:TM weight:M bias:M z:TM", {}),
    ("rmsnorm_fn/gate", "layernorm_gated.rmsnorm_fn", "x:TM weight:M z:TM", {"bias": None}),
    ("rmsnorm_fn/groups", "layernorm_gated.rmsnorm_fn", "x:TM weight:M z:TM",
     {"bias": None, "group_size": 256, "norm_before_gate": False}),
    ("layer_norm_gated", "fused_norm_gate.layer_norm_gated", "x:TM g:TM weight:M bias:M", {}),
    ("rms_norm_gated", "fused_norm_gate.rms_norm_gated", "x:TM g:TM weight:M", {"bias": None}),
    ("rms_norm_gated/heads", "fused_norm_gate.rms_norm_gated", "x:THD g:THD weight:D", {"bias": None}),
    ("rms_norm_gated/sigmoid", "fused_norm_gate.rms_norm_gated", "x:THD g:THD weight:D", {"bias": None, "activation": "sigmoid"}),
    ("rms_norm_gated/residual", "fused_norm_gate.rms_norm_gated", "x:TM g:TM weight:M residual:TM", {"bias": None, "prenorm": True}),
    ("rms_norm_swish_gate_linear", "fused_norm_gate.rms_norm_swish_gate_linear", "x:TM g:TM norm_weight:M linear_weight:MM",
     {"norm_bias": None, "linear_bias": None}),
    ("l2norm", "l2norm.l2norm", "x:TM", {}),
    ("l2norm/heads", "l2norm.l2norm", "x:THD", {}),
    ("fused_bitlinear", "fused_bitlinear.layer_norm_linear_quant_fn", "x:TM norm_weight:M linear_weight:MM",
     {"norm_bias": None, "linear_bias": None, "is_rms_norm": True}),
    ("sigmoid", "activations.sigmoid", "x:TM", {}),
    ("logsigmoid", "activations.logsigmoid", "x:TM", {}),
    ("swish", "activations.swish", "x:TM", {}),
    ("gelu", "activations.fast_gelu_impl", "x:TM", {}),
    ("bias_gelu", "activations.bias_gelu_impl", "y:TM bias:M", {}),
    ("squared_relu", "activations.sqrelu", "x:TM", {}),
    ("swiglu", "activations.swiglu", "x:TM y:TM", {}),
    ("sigmoidglu", "activations.sigmoidglu", "x:TM y:TM", {}),
    ("powglu", "activations.powglu", "x:TM y:TM", {}),
    ("swiglu_linear", "activations.swiglu_linear", "x:TM y:TM weight:MM bias:M", {}),
]


def module(path, kinds, options, length):
    torch.manual_seed(0)
    extents = {"T": 4 * length, "M": MODEL, "H": HEADS, "D": MODEL // HEADS}
    file, name = path.split(".")
    function = getattr(importlib.import_module("fla.modules." + file), name)
    inputs = {word.split(":")[0]: random([extents[letter] for letter in word.split(":")[1]]) for word in kinds.split()}
    if isinstance(getattr(function, "__self__", None), type):  # apply of an autograd function has positional arguments
        return differentiate(lambda **values: function(*values.values()), inputs)
    return differentiate(function, inputs, **options)


def rotary(length, dimension, interleaved, varlen):
    from fla.modules.rotary import rotary_embedding
    torch.manual_seed(0)
    shape = (1, 4 * length, HEADS, dimension) if varlen else (4, length, HEADS, dimension)
    angles = torch.randn(4 * length, dimension // 2, device="cuda")
    bounds = boundaries(4 * length) if varlen else None
    return differentiate(lambda x: rotary_embedding(x, angles.cos().bfloat16(), angles.sin().bfloat16(), interleaved=interleaved,
                                                    cu_seqlens=bounds), {"x": random(shape)})


def convolution(length, width, activation, varlen, state=False):
    from fla.modules.convolution import causal_conv1d
    torch.manual_seed(0)
    inputs = {"x": random((1, 4 * length, MODEL) if varlen else (4, length, MODEL)), "weight": random((MODEL, width)),
              "bias": random((MODEL,)), "residual": random((1, 4 * length, MODEL) if varlen else (4, length, MODEL))}
    options = {"initial_state": random((4, MODEL, width)), "output_final_state": True} if state else {}
    if varlen:
        options["cu_seqlens"] = boundaries(4 * length)
    return differentiate(causal_conv1d, inputs, activation=activation, **options)


def convolution_step():
    from fla.modules.conv.triton.ops import causal_conv1d_update
    torch.manual_seed(0)
    return infer(causal_conv1d_update, {"x": random((128, 1, MODEL)), "cache": random((128, MODEL, 4)),
                                        "weight": random((MODEL, 4)), "bias": random((MODEL,))}, activation="silu")


def targets(count):
    return torch.randint(0, VOCABULARY, (count,), device="cuda")


def cross_entropy(length, options):
    from fla.modules.fused_cross_entropy import cross_entropy_loss
    torch.manual_seed(0)
    goal = targets(length)
    return differentiate(lambda logits: cross_entropy_loss(logits, goal, **options), {"logits": random((length, VOCABULARY))})


def linear_cross_entropy(length, **options):
    from fla.modules.fused_linear_cross_entropy import fused_linear_cross_entropy_loss
    torch.manual_seed(0)
    goal = targets(length)
    inputs = {"x": random((length, MODEL // 2)), "weight": random((VOCABULARY, MODEL // 2), weak)}
    return differentiate(lambda x, weight: fused_linear_cross_entropy_loss(x, goal, weight, **options), inputs)


def divergence(length):
    from fla.modules.fused_kl_div import fused_kl_div_loss
    torch.manual_seed(0)
    shape = (VOCABULARY, MODEL // 2)
    fixed = random((length, MODEL // 2)), random(shape, weak)
    inputs = {"x": random((length, MODEL // 2)), "weight": random(shape, weak)}
    return differentiate(lambda x, weight: fused_kl_div_loss(x, fixed[0], weight, fixed[1]), inputs)


def policy(length):
    from fla.modules.grpo import fused_grpo_loss
    torch.manual_seed(0)
    batch, tokens = 4, length // 4
    answers = torch.randint(0, VOCABULARY, (batch, tokens + 32), device="cuda")
    mask = torch.ones(batch, tokens, device="cuda", dtype=torch.int32)
    reference, advantages = random((batch, tokens), weak, torch.float32) - 10, random((batch,), dtype=torch.float32)
    return differentiate(lambda logits: fused_grpo_loss(logits, reference, answers, advantages, completion_mask=mask),
                         {"logits": random((batch, tokens + 1, VOCABULARY))})


def decay_gate(length, dimension):
    from fla.ops.kda.gate import fused_kda_gate
    torch.manual_seed(0)
    inputs = {"g": random((4, length, HEADS, dimension)), "A_log": random((HEADS,), decay, torch.float32),
              "dt_bias": random((HEADS * dimension,), weak, torch.float32)}
    return differentiate(fused_kda_gate, inputs)


def modules(length):
    for name, path, kinds, options in MODULES:
        yield name, functools.partial(module, path, kinds, options, length)
    for dimension in (64, 128):
        yield f"rotary/d{dimension}", functools.partial(rotary, length, dimension, False, False)
        yield f"rotary/d{dimension}/interleaved", functools.partial(rotary, length, dimension, True, False)
        yield f"rotary/d{dimension}/varlen", functools.partial(rotary, length, dimension, False, True)
        yield f"fused_kda_gate/d{dimension}", functools.partial(decay_gate, length, dimension)
    for width in (3, 4):
        yield f"causal_conv1d/{width}", functools.partial(convolution, length, width, "silu", False)
    yield "causal_conv1d/linear", functools.partial(convolution, length, 4, None, False)
    yield "causal_conv1d/varlen", functools.partial(convolution, length, 4, "silu", True)
    yield "causal_conv1d/state", functools.partial(convolution, length, 4, "silu", False, True)
    yield "causal_conv1d_update", convolution_step
    yield "cross_entropy", functools.partial(cross_entropy, length, {})
    yield "cross_entropy/smoothing", functools.partial(cross_entropy, length, {"label_smoothing": 0.1, "lse_square_scale": 1e-4})
    yield "linear_cross_entropy", functools.partial(linear_cross_entropy, length)
    yield "linear_cross_entropy/softcap", functools.partial(linear_cross_entropy, length, logit_softcapping=30.0)
    yield "kl_div", functools.partial(divergence, length)
    yield "grpo", functools.partial(policy, length)


def cases(length):
    yield from sequences(length)
    yield from operators(length)
    yield from utilities(length)
    yield from modules(length)
