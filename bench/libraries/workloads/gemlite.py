"""Linear layers with quantized weights (gemlite) of the sizes of models, for time_workloads.py.

Needs gemlite and tqdm in PYTHONPATH. A row per format of weights and inputs; 1 to 8 tokens select kernels for matrices and vectors and
for split reductions, more tokens the matrix multiplication.
"""

import functools

import torch

SHAPES = ((4096, 4096), (4096, 14336), (14336, 4096))  # input and output features


def integers(high, *shape):
    return torch.randint(0, high, shape, device="cuda", dtype=torch.int32).to(torch.uint8)


def grouped(processor, bits, group, dtype, inner, outer):
    """Weights of a few bits, with a scale and a zero point for a group of them."""
    count = inner // (group or inner)
    scales = torch.rand(outer, count, device="cuda").to(dtype) * 0.01
    zeros = torch.full((outer, count), 2.0 ** (bits - 1), device="cuda").to(dtype)
    return processor(device="cuda", dtype=dtype).from_weights(integers(2 ** bits, outer, inner), scales, zeros)


def whole(processor, dtype, inner, outer, **options):
    """Weights of 8 bits that the library quantizes, with a scale for each output feature."""
    return processor(device="cuda", dtype=dtype, **options).from_weights((torch.randn(outer, inner, device="cuda") * 0.02).to(dtype))


def small_floats(processor, dtype, inner, outer):
    """Weights of 4 or 8 bits in groups of 32 with a scale that is a power of two, from a layer."""
    layer = torch.nn.Linear(inner, outer, bias=False, device="cuda", dtype=dtype)
    torch.nn.init.normal_(layer.weight, std=0.02)
    return processor(device="cuda", dtype=dtype).from_linear(layer, del_orig=False)


# Name of the class in gemlite.helper, function above, its arguments.
FORMATS = {
    "int8": ("A16W8_INT8", whole, ()), "fp8": ("A16W8_FP8", whole, ()),
    "int8_int8": ("A8W8_INT8_dynamic", whole, ()), "fp8_fp8": ("A8W8_FP8_dynamic", whole, ()),
    "int8_groups": ("A16W8_HQQ_INT", grouped, (8, 128)), "int4": ("A16W4_HQQ_INT", grouped, (4, 128)),
    "int4_64": ("A16W4_HQQ_INT", grouped, (4, 64)), "int4_channel": ("A16W4_HQQ_INT", grouped, (4, None)),
    "int2": ("A16W2_HQQ_INT", grouped, (2, 128)), "int1": ("A16W1_HQQ_INT", grouped, (1, 128)),
    "fp8_int4": ("A8W4_HQQ_INT_dynamic", grouped, (4, 128)), "fp8_int2": ("A8W2_HQQ_INT_dynamic", grouped, (2, 128)),
    "mxfp8": ("A16W8_MXFP", small_floats, ()), "mxfp4": ("A16W4_MXFP", small_floats, ()),
    "mxfp8_mxfp8": ("A8W8_MXFP_dynamic", small_floats, ()), "mxfp8_mxfp4": ("A8W4_MXFP_dynamic", small_floats, ()),
}


def linear(name, tokens, dtype, inner, outer):
    from gemlite import helper
    torch.manual_seed(0)
    kind, build, arguments = FORMATS[name]
    with torch.no_grad():
        layer = build(getattr(helper, kind), *arguments, dtype, inner, outer)
        return [layer(torch.randn(tokens, inner, device="cuda").to(dtype))]


def cases(length):
    for name in FORMATS:
        for inner, outer in SHAPES:
            if (inner, outer) != SHAPES[0] and name not in ("int4", "fp8_fp8", "int8_int8", "mxfp4"):
                continue
            for tokens in (1, 8, 64, length):
                yield f"{name}/{inner}x{outer}/{tokens}", functools.partial(linear, name, tokens, torch.bfloat16, inner, outer)
    for name in ("int4", "int2", "fp8"):
        for tokens in (1, 64, length):
            yield f"{name}/f16/{tokens}", functools.partial(linear, name, tokens, torch.float16, *SHAPES[0])
