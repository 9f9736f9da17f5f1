"""Kernels of generative recommenders (generative_recommenders.ops.triton, HSTU) of the sizes of models, for time_workloads.py.

Needs the package generative_recommenders in PYTHONPATH. Batches have 32 sequences of different lengths, one after the other.
"""

import functools
import importlib

import torch

from workload_tensors import differentiate, random, tensors

BATCH, HEADS, WIDTH = 32, 4, 512


def kernel(file, name):
    return getattr(importlib.import_module("generative_recommenders.ops.triton.triton_" + file), name)


def jagged(length, batch=BATCH, most=1.0):
    """Offsets of sequences between a half of a length and all of it, and the number of their tokens."""
    sizes = [max(int(most * (length - (index * 37 % 64) * length / 128)), 1) for index in range(batch)]
    ends = [sum(sizes[:index]) for index in range(batch + 1)]
    return torch.tensor(ends, dtype=torch.int64, device="cuda"), ends[-1]


def attention(length, dimension, options):
    torch.manual_seed(0)
    offsets, total = jagged(length)
    options = dict(options)
    if options.pop("targets", False):
        options["num_targets"] = torch.full((BATCH,), 16, dtype=torch.int64, device="cuda")
    inputs = {name: random(total, HEADS, dimension, scale=0.2) for name in "qkv"}
    return differentiate(lambda q, k, v: kernel("hstu_attention", "triton_hstu_mha")(
        N=length, alpha=dimension ** -0.5, q=q, k=k, v=v, seq_offsets=offsets, **options), inputs)


def cached_attention(length, dimension, new):
    torch.manual_seed(0)
    offsets, total = jagged(length)
    with torch.no_grad():
        return [kernel("hstu_attention", "triton_cached_hstu_mha")(
            N=length, alpha=dimension ** -0.5, delta_q=random(BATCH * new, HEADS, dimension), k=random(total, HEADS, dimension),
            v=random(total, HEADS, dimension), seq_offsets=offsets)]


def layer(length, dimension, part):
    """The parts of a layer before and after its attention."""
    torch.manual_seed(0)
    offsets, total = jagged(length, most=0.5)
    inner = HEADS * dimension
    if part == "output":
        inputs = {"attn": random(total, inner), "u": random(total, inner), "x": random(total, WIDTH), "norm_weight": random(inner),
                  "norm_bias": random(inner), "output_weight": random(3 * inner, WIDTH, scale=0.02)}
        return differentiate(lambda **values: kernel("hstu_linear", "triton_hstu_compute_output")(
            **values, eps=1e-6, dropout_ratio=0.1, training=True, concat_u=True, concat_x=True, seed=7), inputs)
    inputs = {"x": random(total, WIDTH), "norm_weight": random(WIDTH), "norm_bias": random(WIDTH),
              "uvqk_weight": random(WIDTH, 4 * inner, scale=0.02), "uvqk_bias": random(4 * inner)}
    return differentiate(lambda **values: kernel("hstu_preprocess_and_attention", "triton_hstu_preprocess_and_attention")(
        **values, norm_eps=1e-6, num_heads=HEADS, attn_dim=dimension, hidden_dim=dimension, max_seq_len=length, seq_offsets=offsets,
        attn_alpha=dimension ** -0.5, num_targets=None, enable_tma=False), inputs)


def gated_norm(length, groups, options):
    torch.manual_seed(0)
    _, total = jagged(length)
    extent = HEADS if groups else WIDTH
    inputs = {"x": random(total, WIDTH), "u": random(total, WIDTH), "weight": random(extent), "bias": random(extent)}
    heads = {"group_norm": True, "num_heads": HEADS, "linear_dim": WIDTH // HEADS} if groups else {}
    return differentiate(lambda **values: kernel("hstu_linear", "triton_norm_mul_dropout")(
        **values, eps=1e-6, training=True, seed=7, **heads, **options), inputs)


# Functions of tensors: name, file, function, shapes of the inputs, options. t is 32 sequences, w the width, f four times that.
SIMPLE = [
    ("layer_norm", "layer_norm", "triton_layer_norm", "x:tw weight:w bias:w", {"eps": 1e-6}),
    ("layer_norm/narrow", "layer_norm", "triton_layer_norm", "x:td weight:d bias:d", {"eps": 1e-6}),
    ("rms_norm", "layer_norm", "triton_rms_norm", "x:tw weight:w", {"eps": 1e-6}),
    ("rms_norm/silu", "layer_norm", "triton_rms_norm", "x:tw weight:w", {"eps": 1e-6, "silu": True}),
    ("swish_layer_norm", "layer_norm", "triton_swish_layer_norm", "x:tw weight:w bias:w", {"eps": 1e-6, "normalized_shape": [WIDTH]}),
    ("addmm", "addmm", "triton_addmm", "input:f mat1:tw mat2:wf", {}),
    ("addmm/matrix", "addmm", "triton_addmm", "input:tw mat1:tw mat2:ww", {}),
    ("swiglu", "swiglu", "triton_swiglu", "x:tw w_gate:fw w_up:fw", {}),
]


def simple(file, name, kinds, options, length):
    torch.manual_seed(0)
    extents = {"t": jagged(length)[1], "w": WIDTH, "d": 128, "f": 4 * WIDTH}
    inputs = {word.split(":")[0]: random(*(extents[letter] for letter in word.split(":")[1]), scale=0.1) for word in kinds.split()}
    return differentiate(functools.partial(kernel(file, name), **options), inputs)


def jagged_dense(name, length, shape, bias):
    torch.manual_seed(0)
    offsets, total = jagged(length)
    inputs = {"jagged": random(total, WIDTH), "dense": random(BATCH, *shape, scale=0.1)}
    if bias:
        inputs["bias"] = random(BATCH, shape[-1])
    return differentiate(functools.partial(kernel("jagged", name), length, offsets), inputs)


def joined(length, dense):
    torch.manual_seed(0)
    (left, left_total), (right, right_total) = jagged(length), jagged(length, most=0.25)
    if dense:
        inputs = {"values_a": random(BATCH, 64, WIDTH), "values_b": random(right_total, WIDTH)}
        return differentiate(functools.partial(kernel("jagged", "triton_concat_2D_jagged"), 64 + length, offsets_b=right), inputs)
    inputs = {"values_a": random(left_total, WIDTH), "values_b": random(right_total, WIDTH)}
    return differentiate(functools.partial(kernel("jagged", "triton_concat_2D_jagged"), 2 * length, offsets_a=left, offsets_b=right), inputs)


def split(length):
    torch.manual_seed(0)
    (left, left_total), (right, right_total) = jagged(length), jagged(length, most=0.25)
    return differentiate(lambda values: kernel("jagged", "triton_split_2D_jagged")(values, 2 * length, left, right),
                         {"values": random(left_total + right_total, WIDTH)})


def positions(length):
    torch.manual_seed(0)
    offsets, total = jagged(length)
    inputs = {"seq_embeddings": random(total, WIDTH), "pos_embeddings": random(length, WIDTH, dtype=torch.float32),
              "ts_embeddings": random(2048, WIDTH, dtype=torch.float32)}
    times = torch.randint(0, 1 << 20, (total,), device="cuda", dtype=torch.int64).sort().values
    return differentiate(lambda **values: kernel("position", "triton_add_timestamp_positional_embeddings")(
        **values, seq_offsets=offsets, timestamps=times, max_seq_len=length, max_contextual_seq_len=0, seq_lengths=offsets.diff(),
        num_targets=None, interleave_targets=False, time_bucket_fn="sqrt"), inputs)


def cases(length):
    length //= 2
    for dimension in (64, 128):
        for name, options in (("", {}), ("/targets", {"targets": True}), ("/window", {"max_attn_len": max(length // 8, 16)}),
                              ("/context", {"contextual_seq_len": 8}), ("/sorted", {"sort_by_length": True}),
                              ("/tma", {"enable_tma": True})):
            yield f"hstu_mha/d{dimension}{name}", functools.partial(attention, length, dimension, options)
        yield f"cached_hstu_mha/d{dimension}", functools.partial(cached_attention, length, dimension, 16)
        for part in ("input", "output"):
            yield f"hstu_layer/{part}/d{dimension}", functools.partial(layer, length, dimension, part)
    for name, options in (("", {"dropout_ratio": 0.0}), ("/dropout", {"dropout_ratio": 0.1}),
                          ("/concat", {"dropout_ratio": 0.1, "concat_u": True, "concat_x": True, "silu_u": True})):
        yield f"layer_norm_mul{name}", functools.partial(gated_norm, length, False, options)
        yield f"group_norm_mul{name}", functools.partial(gated_norm, length, True, options)
    for name, file, function, kinds, options in SIMPLE:
        yield name, functools.partial(simple, file, function, kinds, options, length)
    yield "jagged_dense_bmm", functools.partial(jagged_dense, "triton_jagged_dense_bmm", length, (WIDTH, WIDTH), False)
    yield "jagged_dense_bmm_add", functools.partial(jagged_dense, "triton_jagged_dense_bmm_add", length, (WIDTH, WIDTH), True)
    yield "jagged_dense_broadcast_add", functools.partial(jagged_dense, "triton_jagged_dense_broadcast_add", length, (WIDTH,), False)
    yield "concat_2D_jagged", functools.partial(joined, length, False)
    yield "concat_2D_jagged/dense", functools.partial(joined, length, True)
    yield "split_2D_jagged", functools.partial(split, length)
    yield "add_timestamp_positional_embeddings", functools.partial(positions, length)
