"""30 GEMM shapes of real models, by tensor descriptors: Nereid's best tile of five against cuBLAS.

    python3 bench/gpu/gemm_table.py --nereid build/release/bin/nereid [--only decode,lora] [--compile FOLDER]

The kernels are plain loops: one tile per program, persistent, persistent with tiles of 192 columns in two accumulators, or persistent
with the tiles of the last round divided along k. Each
configuration that compiles is timed a few times, as a graph; the fastest one then alternates with torch.matmul. A row per shape: m, n, k, the error against float64 (of some rows),
both times in microseconds, the ratio and the configuration; last the geometric mean of the ratios cuBLAS / Nereid, 1 or more
if Nereid is at least as fast. Exit status 1 when a result is wrong or no configuration compiles. --compile needs no GPU: it compiles all
configurations and runs them on the emulator with small sizes, beside the interpreter.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile

import triton

HERE = os.path.dirname(os.path.abspath(__file__))

# name: (m, n, k), with weights of shape (n, k), as models store them.
SHAPES = {
    "llama8b_qkv_prefill": (4096, 6144, 4096),
    "llama8b_out_prefill": (4096, 4096, 4096),
    "llama8b_up_prefill": (4096, 28672, 4096),
    "llama8b_down_prefill": (4096, 4096, 14336),
    "llama8b_qkv_decode": (16, 6144, 4096),
    "llama8b_up_decode": (16, 28672, 4096),
    "llama8b_down_decode": (64, 4096, 14336),
    "llama8b_logits_decode": (32, 128256, 4096),
    "llama70b_up_batch": (256, 7168, 8192),
    "llama70b_down_batch": (256, 8192, 3584),
    "mixtral_gate": (4096, 8, 4096),
    "mixtral_expert": (1024, 14336, 4096),
    "deepseek_q_down": (4096, 1536, 7168),
    "deepseek_kv_down": (4096, 576, 7168),
    "deepseek_q_up": (4096, 24576, 1536),
    "deepseek_expert": (512, 4096, 7168),
    "qwen_qkv_odd": (1000, 4608, 3584),
    "gpt2_fc": (8192, 3072, 768),
    "gpt2_proj": (8192, 768, 3072),
    "gpt2_logits": (1024, 50264, 768),
    "bert_qkv": (16384, 2304, 768),
    "vit_patches": (50432, 768, 768),
    "vit_fc_odd": (12608, 4096, 1024),
    "whisper_frames": (1500, 1280, 5120),
    "lora_down": (8192, 16, 4096),
    "lora_up": (8192, 4096, 16),
    "heads_small_k": (16384, 4096, 64),
    "unet_1x1": (65536, 320, 320),
    "dlrm_bottom": (65536, 512, 16),
    "tall_skinny_gram": (256, 256, 65536),
}
assert len(SHAPES) == 30

# (tile of m, n and k, kernel of descriptor_kernels.py, warps, stages). Tiles of n and k shrink to the shape.
CONFIGURATIONS = (
    ((128, 256, 64), "persistent", 8, 3),
    ((128, 128, 64), "two_widths", 8, 4),
    ((64, 128, 128), "split_k", 4, 4),
    ((64, 256, 64), "split_k", 4, 4),
    ((128, 128, 64), "matmul", 4, 4),
)
TRIALS, ROUNDS, CHECKED_ROWS, MULTIPROCESSORS, LEAST_K, LEAST_N = 5, 20, 64, 132, 16, 8


def power_below(extent):
    return 1 << math.ceil(math.log2(extent))


def tile_for(shape, configuration):
    (bm, bn, bk), kernel, warps, stages = configuration
    _, n, k = shape
    least = 2 * LEAST_N if kernel == "two_widths" else LEAST_N
    return (bm, min(bn, max(least, power_below(n))), min(bk, max(LEAST_K, power_below(k)))), kernel, warps, stages


def arguments_of(shape, tile, kernel):
    """The kernel's constants, the number of tiles and that of programs."""
    width = tile[1] + tile[1] // 2 if kernel == "two_widths" else tile[1]
    tiles = triton.cdiv(shape[0], tile[0]) * triton.cdiv(shape[1], width)
    constants = {"matmul": (*tile, True), "persistent": (*tile, True, True)}.get(kernel, tile)
    programs = {"matmul": tiles, "split_k": MULTIPROCESSORS}.get(kernel, min(tiles, MULTIPROCESSORS))
    return constants, tiles, programs


def blocks_of(tile, kernel):
    """The descriptors of a kernel: (name of the tensor, block)."""
    bm, bn, bk = tile
    if kernel == "two_widths":
        return [("a", [bm, bk]), ("b", [bn, bk]), ("b", [bn // 2, bk]), ("c", [bm, bn]), ("c", [bm, bn // 2])]
    return [("a", [bm, bk]), ("b", [bn, bk]), ("c", [bm, bn])]


# --- a GPU ---


def recorded(torch, call):
    """`call` as a graph: a launch from Python takes longer than the small kernels run."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()

    def replay(_memory=call):  # the graph does not keep the tensors of the call
        graph.replay()

    return replay


def time_of(torch, call, flush):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e3


def best_launch(torch, kernels, describe, shape, tensors, flush):
    """(microseconds, configuration, a function that launches it) of the fastest configuration."""
    a, b, c = tensors
    best = (math.inf, None, None)
    for configuration in CONFIGURATIONS:
        tile, kernel, warps, stages = tile_for(shape, configuration)
        constants, tiles, programs = arguments_of(shape, tile, kernel)
        bm, bn, _ = tile
        arguments = [describe({"a": a, "b": b, "c": c}[name], block) for name, block in blocks_of(tile, kernel)]
        if kernel == "split_k":
            arguments += [torch.zeros(tiles * bm * bn, device="cuda"), torch.zeros(tiles, device="cuda", dtype=torch.int32)]

        def launch(kernel=kernel, programs=programs, arguments=arguments, constants=constants, warps=warps, stages=stages):
            getattr(kernels, kernel)[(programs,)](*arguments, *shape, *constants, num_warps=warps, num_stages=stages)

        try:
            launch = recorded(torch, launch)
        except Exception as error:  # of Triton's front end, Nereid or the driver: this configuration does not count
            print(f"    {configuration}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            continue
        time = statistics.median(time_of(torch, launch, flush) for _ in range(TRIALS))
        if time < best[0]:
            best = (time, configuration, launch)
    return best


def compare(torch, kernels, describe, name, flush):
    """(ratio, whether the result is right)"""
    shape = SHAPES[name]
    m, n, k = shape
    generator = torch.Generator(device="cuda").manual_seed(7)
    a, b = (torch.randn(size, device="cuda", generator=generator).half() for size in ((m, k), (n, k)))
    c, d = (torch.empty((m, n), device="cuda", dtype=torch.float16) for _ in range(2))
    _, configuration, launch = best_launch(torch, kernels, describe, shape, (a, b, c), flush)
    if not launch:
        print(f"{name:24} no configuration compiles")
        return None, False
    c.fill_(float("nan"))
    launch()
    want = a[:CHECKED_ROWS].double() @ b.double().T
    error = ((c[:CHECKED_ROWS].double() - want).norm() / want.norm()).item()
    good = error < 5e-3 and not torch.isnan(c).any().item()
    calls, times = (launch, recorded(torch, lambda: torch.matmul(a, b.T, out=d))), ([], [])
    for i in range(ROUNDS):
        for j in (0, 1) if i % 2 else (1, 0):
            times[j].append(time_of(torch, calls[j], flush))
    ours, theirs = (statistics.median(series) for series in times)
    print(
        f"{name:24} {m:6} {n:6} {k:6}  error {error:.1e}{'' if good else ' WRONG'}  {ours:8.1f} us  cuBLAS {theirs:8.1f} us  "
        f"ratio {theirs / ours:.3f}  {configuration}",
        flush=True,
    )
    return theirs / ours, good


def on_gpu(options, names):
    import torch

    sys.path.insert(0, os.path.join(HERE, "..", "..", "examples"))
    os.environ["NEREID"] = os.path.abspath(options.nereid)
    import triton_stages

    triton_stages.register()
    import descriptor_kernels as kernels
    from triton.tools.tensor_descriptor import TensorDescriptor

    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    ratios, failed = [], []
    for name in names:
        ratio, good = compare(torch, kernels, TensorDescriptor.from_tensor, name, flush)
        ratios += [ratio] if ratio else []
        failed += [] if good else [name]
    if ratios:
        print(
            f"geometric mean of {len(ratios)} shapes: {math.exp(statistics.fmean(map(math.log, ratios))):.3f} of cuBLAS's speed"
        )
    return 1 if failed else 0


# --- no GPU ---


def small(shape, tile):
    """A shape of few tiles with the same remainders of the tile."""
    return tuple(extent if extent <= 2 * block else block + (extent % block or block) for extent, block in zip(shape, tile))


def two_results(bn):
    """What two_widths stores to tensors of their own: columns of each width."""

    def reference(v):
        first = [column % (bn + bn // 2) < bn for column in range(v.b.shape[0])]
        return {"c": v.a @ v.b.T * first, "c2": v.a @ v.b2.T * [not inside for inside in first]}

    return reference


def without_gpu(options, names):
    import numpy as np
    import dot_zoo
    from zoo.cases import Case, described, rand, zeros
    import descriptor_kernels as kernels

    failed, seen = [], set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.compile or temporary
        os.makedirs(folder, exist_ok=True)
        for name in names:
            for number, configuration in enumerate(CONFIGURATIONS):
                tile, kernel, warps, stages = tile_for(SHAPES[name], configuration)
                m, n, k = small(SHAPES[name], tile)
                if (m, n, k, tile, kernel) in seen:
                    continue
                seen.add((m, n, k, tile, kernel))
                bm, bn, bk = tile
                arguments = dict(
                    a=described(rand("f16", m, k), bm, bk),
                    b=described(rand("f16", n, k), bn, bk),
                    c=described(zeros("f16", m, n), bm, bn),
                    m=m,
                    n=n,
                    k=k,
                )
                constants, tiles, programs = arguments_of((m, n, k), tile, kernel)
                function = getattr(kernels, kernel)
                if kernel == "two_widths":
                    arguments |= dict(b2=described(rand("f16", n, k), bn // 2, bk), c2=described(zeros("f16", m, n), bm, bn // 2))
                if kernel == "split_k":
                    arguments |= dict(sums=zeros("f32", tiles * bm * bn), counts=zeros("i32", tiles))
                case = Case(
                    f"{name}_{number}",
                    function,
                    (programs,) if kernel == "matmul" else (4,),
                    arguments,
                    two_results(bn) if kernel == "two_widths" else lambda v: {"c": v.a @ v.b.T},
                    dict(zip(function.arg_names[-len(constants) :], constants)),
                    warps=warps,
                    stages=stages,
                )
                case.runs = lambda warps=warps, stages=stages: [("sm_90a", warps, stages)]
                path = os.path.join(folder, case.name + ".ttir")
                open(path, "w").write(dot_zoo.ttir_of(case))
                worst, failures = dot_zoo.emulate(case, options.nereid, path, folder, "emulator", 0)
                failed += [case.name] if failures else []
                print(f"{case.name:32} {m}x{n}x{k} error {worst:.1e} {' '.join(failures) or 'ok'}", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="comma-separated parts of names")
    parser.add_argument("--compile", nargs="?", const="", help="no GPU: compile and emulate; keep the files in this folder")
    options = parser.parse_args()
    names = [name for name in SHAPES if not options.only or any(part in name for part in options.only.split(","))]
    return on_gpu(options, names) if options.compile is None else without_gpu(options, names)


if __name__ == "__main__":
    sys.exit(main())
