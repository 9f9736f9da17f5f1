"""Writes the kernels of descriptors.py and gemm_table.py as NAME.ttir, with their options in NAME.json, without a GPU.

    python3 bench/gpu/descriptor_ttir.py FOLDER         for bench/compile; requires triton 3.6
"""

import argparse
import json
import os

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

import descriptor_kernels as kernels

F16, FP8 = "fp16", "fp8e4nv"


def tiled(names, blocks, dtypes=None):
    """Descriptors of f16, or of `dtypes`."""
    rows = zip(names, blocks, dtypes or [F16] * len(names))
    return {name: f"tensordesc<{dtype}[{','.join(map(str, block))}]>" for name, block, dtype in rows}


def matmul(function, tile, transposed=False, dtype=F16, columns=None, **constants):
    """`columns`: those of a block of c, if not all of the tile."""
    bm, bn, bk = tile
    blocks = ((bm, bk), (bn, bk) if transposed else (bk, bn), (bm, columns or bn))
    sizes = dict.fromkeys("mnk", "i32")
    return function, tiled("abc", blocks, (dtype, dtype, F16)) | sizes, dict(BM=bm, BN=bn, BK=bk, **constants)


def two_widths(tile):
    bm, bn, bk = tile
    blocks = ((bm, bk), (bn, bk), (bn // 2, bk), (bm, bn), (bm, bn // 2))
    return kernels.two_widths, tiled(("a", "b", "b2", "c", "c2"), blocks) | dict.fromkeys("mnk", "i32"), dict(BM=bm, BN=bn, BN2=bn // 2, BK=bk)


def split_k(tile):
    function, types, constants = matmul(kernels.split_k, tile, transposed=True)
    return function, types | {"sums": "*fp32", "counts": "*i32"}, constants


def attention(width, causal, block):
    """Persistent for a width of 128, as in descriptors.py."""
    bm, bn = block
    blocks = [(rows, width) for rows in (bm, bn, bn, bm)]
    function, more = (kernels.attention_persistent, {"heads": "i32"}) if width == 128 else (kernels.attention, {})
    types = tiled("qkvo", blocks) | {"scale": "fp32", "length": "i32"} | more
    return function, types, dict(D=width, BM=bm, BN=bn, CAUSAL=causal, GROUP=8 if causal else 1)


def gradients(function, names, rows, width, causal, block, **constants):
    """`rows`: those of a block of each descriptor."""
    types = tiled(names, [(count, width) for count in rows])
    more = {"logs": "*fp32", "delta": "*fp32", "scale": "fp32", "length": "i32"}
    return function, types | more, dict(D=width, BM=block[0], BN=block[1], CAUSAL=causal, GROUP=8 if causal else 1, **constants)


def cases():
    """(name, (function, types of arguments, constants), warps, stages)"""
    large, square = (128, 256, 64), (128, 128, 64)
    flags = dict(FLATTEN=False, TRANSPOSED=False)
    yield "matmul_128x256x64", matmul(kernels.matmul, large, TRANSPOSED=False), 8, 3
    yield "matmul_128x128x64", matmul(kernels.matmul, square, TRANSPOSED=False), 4, 4
    yield "matmul_tn_128x256x64", matmul(kernels.matmul, large, True, TRANSPOSED=True), 8, 3
    yield "matmul_fp8_128x256x128", matmul(kernels.matmul, (128, 256, 128), True, FP8, TRANSPOSED=True), 8, 3
    yield "persistent_128x256x64", matmul(kernels.persistent, large, **flags), 8, 3
    yield "persistent_flat_128x256x64", matmul(kernels.persistent, large, **flags | {"FLATTEN": True}), 8, 3
    yield "persistent_halves_128x256x64", matmul(kernels.persistent_halves, large, columns=128, GROUP=16, TRANSPOSED=False), 8, 3
    yield "two_widths_128x192x64", two_widths(square), 8, 4
    yield "split_k_64x256x64", split_k((64, 256, 64)), 4, 4
    for width, block, warps, stages in ((128, (128, 128), 8, 2), (64, (64, 128), 4, 2)):
        for causal in (False, True):
            kind = f"d{width}_{'causal' if causal else 'full'}"
            yield f"attention_{kind}", attention(width, causal, block), warps, stages
            rows = (64, 128, 128, 64, 128, 128)
            of_kv = gradients(kernels.gradients_kv, ("q", "k", "v", "g", "dk", "dv"), rows, width, causal, (64, 128), SPLIT=width == 64)
            yield f"gradients_kv_{kind}", of_kv, 8, 2
            rows = (128, 64, 64, 128, 128)
            of_q = gradients(kernels.gradients_q, ("q", "k", "v", "g", "dq"), rows, width, causal, (128, 64))
            yield f"gradients_q_{kind}", of_q, 8, 2


def source_of(function, types, constants):
    names = function.arg_names
    signature = {name: types.get(name, "constexpr") for name in names}
    plain = [i for i, name in enumerate(names) if signature[name][0] == "*" or signature[name] == "i32"]
    aligned = {(i,): [["tt.divisibility", 16]] for i in plain}
    values = {(names.index(name),): value for name, value in constants.items()}
    return ASTSource(fn=function, signature=signature, constexprs=values, attrs=aligned)


def ttir_of(source, warps, stages):
    target = GPUTarget("cuda", 90, 32)
    backend, context = make_backend(target), ir.context()
    options = backend.parse_options({"num_warps": warps, "num_stages": stages})
    ir.load_dialects(context)
    backend.load_dialects(context)
    passes = {}
    backend.add_stages(passes, options, source.language)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    return str(passes["ttir"](module, {}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    folder = parser.parse_args().folder
    os.makedirs(folder, exist_ok=True)
    for name, (function, types, constants), warps, stages in cases():
        with open(os.path.join(folder, name + ".ttir"), "w") as file:
            file.write(ttir_of(source_of(function, types, constants), warps, stages))
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump({"num_warps": warps, "num_stages": stages, "version": triton.__version__}, file)


if __name__ == "__main__":
    main()
