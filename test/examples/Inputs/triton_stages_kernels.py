"""Compiles kernels through examples/triton_stages.py without a GPU and prints what the test checks.

    triton_stages_kernels.py EXAMPLES_FOLDER OUTPUT_FOLDER               needs the command nereid
    triton_stages_kernels.py EXAMPLES_FOLDER OUTPUT_FOLDER --fallback    with a command that refuses every kernel
"""

import os
import re
import sys
import warnings

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.language.extra import libdevice
from triton.runtime.errors import OutOfResources

sys.path.insert(0, sys.argv[1])
import triton_stages  # noqa: E402

ELF = b"\x7fELF"
HOPPER = GPUTarget("cuda", 90, 32)


@triton.jit
def hyperbolic(src, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(src + at, mask=at < n)
    tl.store(out + at, libdevice.cosh(value) * 2.0 + value, mask=at < n)


@triton.jit
def blend(src, out, factor):
    at = tl.arange(0, 256)
    value = tl.load(src + at)
    tl.store(out + at, value * factor + value)


@triton.jit
def gram(a, out, depth, ROWS: tl.constexpr, STEP: tl.constexpr):
    row, column = tl.arange(0, ROWS), tl.arange(0, STEP)
    total = tl.zeros((ROWS, ROWS), tl.float32)
    for start in range(0, depth, STEP):
        tile = tl.load(a + row[:, None] * depth + start + column[None, :])
        total += tl.dot(tile, tile.trans())
    tl.store(out + row[:, None] * ROWS + row[None, :], total)


@triton.jit
def copy_tile(source, out, y):
    tile = source.load([y, 0])
    row, column = tl.arange(0, 16), tl.arange(0, 64)
    tl.store(out + row[:, None] * 64 + column[None, :], tile)


@triton.jit
def reverse(src, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    row = tl.load(src + at)
    tl.store(out + at, tl.gather(row, SIZE - 1 - at, 0))


def compile_kernel(function, signature, constants, target=HOPPER, **options):
    keys = {function.arg_names[i]: kind for i, kind in enumerate(signature)}
    keys.update({name: "constexpr" for name in constants})
    return triton.compile(ASTSource(function, keys, constants), target=target, options=options)


def print_kernel(title, kernel):
    described, ptx = kernel.metadata, kernel.asm["ptx"]
    parameters = len(re.findall(r"\.param ", ptx.split("{", 1)[0]))
    target = re.search(r"[.]target (sm_[0-9a-z]+)", ptx)[1]
    print(f"{title}: name={described.name} warps={described.num_warps} shared={described.shared} "
          f"scratch={described.global_scratch_size},{described.profile_scratch_size} parameters={parameters} "
          f"descriptors={described.tensordesc_meta}")
    print(f"{title}: target={target} ttgir={'#ttg.blocked' in kernel.asm['ttgir']} "
          f"llir={'define ptx_kernel' in kernel.asm['llir']} elf={kernel.asm['cubin'][:4] == ELF} fma={'fma.rn' in ptx} "
          f"maxnreg={'.maxnreg' in ptx} lines={'.loc' in ptx} calls={'.extern .func' in ptx}")


def expect_error(title, kind, run):
    try:
        run()
        print(f"{title}: no error")
    except kind as error:
        print(f"{title}: {type(error).__name__}: {str(error).splitlines()[0]}")


def compile_text(text, folder):
    """Compiles ttgir text, as Triton's own tools do with an edited stage."""
    path = os.path.join(folder, "edited.ttgir")
    with open(path, "w") as file:
        file.write(text)
    return triton.compile(path, target=HOPPER)


MATRIX = ("*fp16", "*fp32", "i32"), {"ROWS": 64, "STEP": 32}


def fall_back():
    expected = compile_kernel(gram, *MATRIX).asm["ptx"]
    triton_stages.register()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = compile_kernel(gram, *MATRIX)
    print("fallback:", result.asm["ptx"] == expected, [str(one.message).splitlines()[0] for one in caught])


def main():
    folder = sys.argv[2]
    tiles = ("tensordesc<fp16[16, 64]>", "*fp16", "i32"), {}
    ptx_of_triton = compile_kernel(gram, *MATRIX).asm["ptx"]
    tile_of_triton = compile_kernel(copy_tile, *tiles)
    triton_stages.register()
    if triton_stages.version() >= (3, 7):
        print("key:", [len(part) for part in knobs.runtime.add_stages_inspection_hook()])
    expect_error("twice", RuntimeError, triton_stages.register)
    row = ("*fp32", "*fp32", "i32")
    print_kernel("hyperbolic", compile_kernel(hyperbolic, row, {"BLOCK": 512}, num_warps=8))
    line = ("*fp32", "*fp32", "fp32"), {}
    print_kernel("fused", compile_kernel(blend, *line))
    print_kernel("options", compile_kernel(blend, *line, GPUTarget("cuda", 80, 32), num_warps=2, maxnreg=64,
                                           enable_fp_fusion=False))
    print("cached by Triton:", compile_kernel(gram, *MATRIX).asm["ptx"] == ptx_of_triton)
    print_kernel("tile", compile_kernel(copy_tile, *tiles))
    print_kernel("tile by pointers", compile_kernel(copy_tile, *tiles, GPUTarget("cuda", 80, 32)))
    edited = compile_text(tile_of_triton.asm["ttgir"], folder).metadata.tensordesc_meta
    given = tile_of_triton.metadata.tensordesc_meta
    print("edited:", [[ours[key] == theirs[key] for key in ours] for ours, theirs in zip(edited, given)])
    expect_error("large", OutOfResources, lambda: compile_kernel(reverse, ("*fp64", "*fp64"), {"SIZE": 65536}))
    expect_error("many", OutOfResources, lambda: compile_kernel(blend, *line, num_warps=64))
    expect_error("old", triton_stages.NereidError, lambda: compile_kernel(blend, *line, GPUTarget("cuda", 75, 32)))


if __name__ == "__main__":
    fall_back() if "--fallback" in sys.argv else main()
