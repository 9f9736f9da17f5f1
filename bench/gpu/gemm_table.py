"""30 GEMM shapes of real models, by tensor descriptors: Nereid's best configuration of five against cuBLAS.

    python3 bench/gpu/gemm_table.py --nereid build/release/bin/nereid [--only decode,lora] [--compile FOLDER]

The kernels are plain loops (descriptor_kernels.py): one tile per program, also transposed for few rows; persistent; tiles whose
number of columns is the sum of two powers of two; and tiles of the last round divided along k. For each shape a model of their
time (time_model) selects five configurations, as the tuner of a library does. Each of these is timed a few times, as a graph; the
fastest one then alternates with torch.matmul. A row per shape: m, n, k, the error against float64 (of some rows), both times in
microseconds, the ratio and the configuration; last the geometric mean of the ratios cuBLAS / Nereid, 1 or more if Nereid is at
least as fast. Exit status 1 when a result is wrong or no configuration compiles. --all times all configurations that fit the
shape instead of five. --compile needs no GPU: it compiles the configurations and runs them on the emulator with small sizes, beside
the interpreter.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import typing

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



class Configuration(typing.NamedTuple):
    """A kernel of descriptor_kernels.py and its tile. Extents of the tile shrink to those of the shape."""

    kernel: str
    m: int
    n: int  # columns of the first dot
    n2: int  # columns of the second one, or 0
    k: int
    warps: int
    stages: int
    constants: tuple = ()  # after those of the tile

    @property
    def width(self):
        return self.n + self.n2

    @property
    def persistent(self):
        return self.kernel.startswith("persistent") or self.kernel == "split_k"


CONFIGURATIONS = (
    Configuration("persistent", 128, 256, 0, 64, 8, 3, (True, True)),
    Configuration("persistent_halves", 128, 256, 0, 64, 8, 3, (16, True)),
    Configuration("persistent_halves", 128, 256, 0, 64, 8, 3, (8, True)),
    Configuration("persistent_halves", 128, 128, 0, 64, 8, 5, (8, True)),
    Configuration("persistent_two_widths", 128, 256, 64, 32, 8, 4),
    Configuration("matmul", 128, 128, 0, 64, 4, 6, (True,)),
    Configuration("matmul", 64, 128, 0, 128, 4, 5, (True,)),
    Configuration("two_widths", 128, 128, 64, 64, 8, 4),
    Configuration("two_widths", 128, 256, 32, 64, 8, 3),
    Configuration("two_widths", 64, 256, 32, 64, 4, 5),
    Configuration("transposed", 64, 64, 0, 128, 4, 5),
    Configuration("transposed", 64, 128, 0, 128, 4, 5),
    Configuration("split_k", 64, 128, 0, 128, 4, 4),
)
TIMED = 5
TRIALS, ROUNDS, CHECKED_ROWS, MULTIPROCESSORS, LEAST_M, LEAST_K, LEAST_N = 5, 20, 64, 132, 16, 16, 8


def power_below(extent):
    return 1 << math.ceil(math.log2(extent))


def fitted(shape, configuration):
    """The configuration with a tile that shrinks to the shape; None if the kernel is for other shapes."""
    m, n, k = shape
    tile = dict(n=min(configuration.n, max(LEAST_N, power_below(n))), k=min(configuration.k, max(LEAST_K, power_below(k))))
    if configuration.kernel == "transposed":  # for few rows
        tile["m"] = max(LEAST_M, power_below(m))
        if tile["m"] > configuration.m:
            return None
    if configuration.n2 and n < configuration.width:
        return None
    if configuration.kernel == "persistent_halves" and tile["n"] < configuration.n:
        return None
    return configuration._replace(**tile)


# Of an H200, from measurements: bytes per second of its memory, operations per second and multiprocessor, and at its power limit.
MEMORY, TENSOR_CORES, POWER_LIMIT = 3.9e12, 6.6e12, 0.76e15


def time_model(shape, configuration):
    """Microseconds that the configuration takes for the shape, with an error of about a tenth."""
    m, n, k = shape
    tiles = triton.cdiv(m, configuration.m) * triton.cdiv(n, configuration.width)
    rounds, steps = triton.cdiv(tiles, MULTIPROCESSORS), triton.cdiv(k, configuration.k)
    rows = configuration.m if configuration.kernel != "transposed" else max(configuration.m, 16)
    operations = 2 * rows * configuration.width * configuration.k * steps
    loaded = 2 * (configuration.m + configuration.width) * configuration.k * steps
    # A multiprocessor reads about 60 bytes per cycle from L2; a second dot with few columns is slower per column.
    tile = max(operations / TENSOR_CORES, loaded / 110e9) * (1.04 if configuration.n2 else 1)
    epilogue = 0.6e-6 if configuration.persistent else 1.2e-6
    time = rounds * (tile + epilogue)
    if configuration.kernel == "split_k" and tiles < MULTIPROCESSORS // 2:
        time = tile / (MULTIPROCESSORS // tiles) + 5e-6
    moved = 2 * (m * k + n * k + m * n)
    busy = 2 * tiles * configuration.m * configuration.width * k / POWER_LIMIT
    limits = (time, moved / MEMORY, busy)
    return 1e6 * (max(limits) + 0.05 * sum(limits))


def configurations_for(shape, every=False):
    """The configurations to time: the fastest ones of the model."""
    candidates = [candidate for candidate in (fitted(shape, c) for c in CONFIGURATIONS) if candidate]
    return candidates if every else sorted(candidates, key=lambda c: time_model(shape, c))[:TIMED]


def short(configuration):
    kernel, m, n, n2, k, warps, stages, _ = configuration
    return f"{kernel} {m}x{n}{f'+{n2}' if n2 else ''}x{k}, {warps} warps, {stages} stages"


def arguments_of(shape, configuration):
    """The kernel's constants, the number of tiles and that of programs."""
    bm, bn, bn2, bk = configuration[1:5]
    tiles = triton.cdiv(shape[0], bm) * triton.cdiv(shape[1], configuration.width)
    constants = (bm, bn, *((bn2,) if bn2 else ()), bk, *configuration.constants)
    programs = MULTIPROCESSORS if configuration.kernel == "split_k" else min(tiles, MULTIPROCESSORS) if configuration.persistent else tiles
    return constants, tiles, programs


def blocks_of(configuration):
    """The descriptors of a kernel: (name of the tensor, block)."""
    bm, bn, bn2, bk = configuration[1:5]
    if bn2:
        return [("a", [bm, bk]), ("b", [bn, bk]), ("b", [bn2, bk]), ("c", [bm, bn]), ("c", [bm, bn2])]
    return [("a", [bm, bk]), ("b", [bn, bk]), ("c", [bm, bn // 2 if configuration.kernel == "persistent_halves" else bn])]


# --- a GPU ---


def best_launch(torch, timing, kernels, describe, shape, tensors, flush, configurations, verbose):
    """(microseconds, configuration, a function that launches it) of the fastest of `configurations`."""
    a, b, c = tensors
    best = (math.inf, None, None)
    for configuration in configurations:
        constants, tiles, programs = arguments_of(shape, configuration)
        arguments = [describe({"a": a, "b": b, "c": c}[name], block) for name, block in blocks_of(configuration)]
        if configuration.kernel == "split_k":
            elements = tiles * configuration.m * configuration.n
            arguments += [torch.zeros(elements, device="cuda"), torch.zeros(tiles, device="cuda", dtype=torch.int32)]

        def launch(it=configuration, programs=programs, arguments=arguments, constants=constants):
            getattr(kernels, it.kernel)[(programs,)](*arguments, *shape, *constants, num_warps=it.warps, num_stages=it.stages)

        try:
            launch = timing.recorded(launch)
        except Exception as error:  # of Triton's front end, Nereid or the driver: this configuration does not count
            print(f"    {short(configuration)}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            continue
        time = statistics.median(timing.microseconds(launch, flush) for _ in range(TRIALS))
        if verbose:
            print(f"    {time:8.1f} us, model {time_model(shape, configuration):8.1f}  {short(configuration)}")
        if time < best[0]:
            best = (time, configuration, launch)
    return best


def compare(torch, timing, kernels, describe, name, flush, every):
    """(ratio, whether the result is right)"""
    shape = SHAPES[name]
    m, n, k = shape
    generator = torch.Generator(device="cuda").manual_seed(7)
    a, b = (torch.randn(size, device="cuda", generator=generator).half() for size in ((m, k), (n, k)))
    c, d = (torch.empty((m, n), device="cuda", dtype=torch.float16) for _ in range(2))
    configurations = configurations_for(shape, every)
    _, configuration, launch = best_launch(torch, timing, kernels, describe, shape, (a, b, c), flush, configurations, verbose=every)
    if not launch:
        print(f"{name:24} no configuration compiles")
        return None, False
    c.fill_(float("nan"))
    launch()
    want = a[:CHECKED_ROWS].double() @ b.double().T
    error = ((c[:CHECKED_ROWS].double() - want).norm() / want.norm()).item()
    good = error < 5e-3 and not torch.isnan(c).any().item()
    calls, times = (launch, timing.recorded(lambda: torch.matmul(a, b.T, out=d))), ([], [])
    for i in range(ROUNDS):
        for j in (0, 1) if i % 2 else (1, 0):
            times[j].append(timing.microseconds(calls[j], flush))
    ours, theirs = (statistics.median(series) for series in times)
    print(
        f"{name:24} {m:6} {n:6} {k:6}  error {error:.1e}{'' if good else ' WRONG'}  {ours:8.1f} us  cuBLAS {theirs:8.1f} us  "
        f"ratio {theirs / ours:.3f}  {short(configuration)}",
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
    import timing
    from triton.tools.tensor_descriptor import TensorDescriptor

    torch.cuda.set_stream(torch.cuda.Stream())
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    ratios, failed = [], []
    for name in names:
        ratio, good = compare(torch, timing, kernels, TensorDescriptor.from_tensor, name, flush, options.all)
        ratios += [ratio] if ratio else []
        failed += [] if good else [name]
    if ratios:
        print(
            f"geometric mean of {len(ratios)} shapes: {math.exp(statistics.fmean(map(math.log, ratios))):.3f} of cuBLAS's speed"
        )
    return 1 if failed else 0


# --- no GPU ---


def small(shape, configuration):
    """A shape of few tiles with the same remainders of the tile."""
    tile = (configuration.m, configuration.width, configuration.k)
    return tuple(extent if extent <= 2 * block else block + (extent % block or block) for extent, block in zip(shape, tile))


def stored_apart(configuration):
    """The reference for kernels with two descriptors of c, which here are tensors of their own: columns of each width."""
    if not configuration.n2:
        return lambda v: {"c": v.a @ v.b.T}

    def reference(v):
        first = [column % configuration.width < configuration.n for column in range(v.b.shape[0])]
        return {"c": v.a @ v.b.T * first, "c2": v.a @ v.b2.T * [not inside for inside in first]}

    return reference


def emulated_case(name, shape, configuration, kernels):
    """A case of dot_zoo.py with small sizes."""
    from zoo.cases import Case, described, rand, zeros

    m, n, k = shape
    constants, tiles, programs = arguments_of(shape, configuration)
    function = getattr(kernels, configuration.kernel)
    sizes = {"a": (m, k), "b": (n, k), "c": (m, n)}
    arguments = {}
    for argument, (tensor, block) in zip(function.arg_names, blocks_of(configuration)):
        arguments[argument] = described((zeros if tensor == "c" else rand)("f16", *sizes[tensor]), *block)
    if configuration.kernel == "split_k":
        arguments |= dict(sums=zeros("f32", tiles * configuration.m * configuration.n), counts=zeros("i32", tiles))
    case = Case(
        name,
        function,
        (4,) if configuration.persistent else (programs,),
        arguments | dict(m=m, n=n, k=k),
        stored_apart(configuration),
        dict(zip(function.arg_names[-len(constants) :], constants)),
        warps=configuration.warps,
        stages=configuration.stages,
    )
    case.runs = lambda: [("sm_90a", configuration.warps, configuration.stages)]
    return case


def without_gpu(options, names):
    import dot_zoo
    import descriptor_kernels as kernels

    failed, seen = [], set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.compile or temporary
        os.makedirs(folder, exist_ok=True)
        for name in names:
            for number, configuration in enumerate(configurations_for(SHAPES[name], options.all)):
                shape = small(SHAPES[name], configuration)
                if (shape, configuration) in seen:
                    continue
                seen.add((shape, configuration))
                case = emulated_case(f"{name}_{number}", shape, configuration, kernels)
                path = os.path.join(folder, case.name + ".ttir")
                open(path, "w").write(dot_zoo.ttir_of(case))
                worst, failures = dot_zoo.emulate(case, options.nereid, path, folder, "emulator", 0)
                failed += [case.name] if failures else []
                result = " ".join(failures) or "ok"
                print(f"{case.name:26} {'x'.join(map(str, shape)):16} {short(configuration):48} error {worst:.1e} {result}", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="comma-separated parts of names")
    parser.add_argument("--compile", nargs="?", const="", help="no GPU: compile and emulate; keep the files in this folder")
    parser.add_argument("--all", action="store_true", help="all configurations that fit, with their times")
    options = parser.parse_args()
    names = [name for name in SHAPES if not options.only or any(part in name for part in options.only.split(","))]
    return on_gpu(options, names) if options.compile is None else without_gpu(options, names)


if __name__ == "__main__":
    sys.exit(main())
