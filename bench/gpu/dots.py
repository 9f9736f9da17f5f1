"""Kernels with dots on a GPU: against float64 references, and beside the faster of two Triton versions in the same run.

    python3 bench/gpu/dots.py --nereid build/release/bin/nereid [--peer FOLDER] [--only matmul_f16,attention_d128_full]
    python3 bench/gpu/dots.py --write-peer FOLDER       on a machine with another Triton version: no GPU needed

The installed Triton makes the .ttir of each kernel of dot_kernels.py; Nereid compiles it. --write-peer writes the cubin,
the .ttir and the options of each kernel with the Triton of that Python: cubins to be carried to the GPU machine and given
with --peer, .ttir for bench/compile. Inputs are random normal. Prints a line
per kernel and the geometric mean of the ratios of times; exit status 1 when a result is wrong.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import dot_kernels


def write_peer(folder, only):
    os.makedirs(folder, exist_ok=True)
    failed = []
    for name, kernel in dot_kernels.kernels().items():
        if only and name not in only:
            continue
        try:
            compiled = dot_kernels.compile_kernel(kernel)
        except Exception as error:  # Triton's exceptions have no common base class
            failed.append(name)
            print(f"{name}: {type(error).__name__}", flush=True)
            continue
        open(os.path.join(folder, name + ".cubin"), "wb").write(compiled.asm["cubin"])
        open(os.path.join(folder, name + ".ttir"), "w").write(compiled.asm["ttir"])
        metadata = compiled.metadata
        described = {"name": metadata.name, "shared": metadata.shared, "version": dot_kernels.triton.__version__,
                     "num_warps": metadata.num_warps, "num_stages": metadata.num_stages,
                     "global_scratch_size": metadata.global_scratch_size}
        json.dump(described, open(os.path.join(folder, name + ".json"), "w"), indent=1)
    print(f"Triton {dot_kernels.triton.__version__}: failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


# --- arguments and references; torch and cupy are imported by main, on the GPU machine only ---


class Problem:
    """Arguments of a launch, its outputs with their float64 references, and its floating-point operations."""

    def __init__(self, grid, args, outputs, reference, operations, tolerance):
        self.grid, self.args, self.outputs = grid, args, outputs
        self.reference, self.operations, self.tolerance = reference, operations, tolerance


def normal(torch, generator, shape, kind, scale=1.0):
    if kind == "*i8":
        return torch.randint(-16, 16, shape, device="cuda", generator=generator, dtype=torch.int8)
    types = {"*fp16": torch.float16, "*bf16": torch.bfloat16, "*fp32": torch.float32, "*fp64": torch.float64,
             "*fp8e4nv": torch.float8_e4m3fn}
    return (torch.randn(shape, device="cuda", generator=generator) * scale).to(types[kind])


def matmul_problem(torch, g, kernel, m, n, k):
    kinds, constants = kernel.types, kernel.constants
    a1, b1 = constants.get("A1", 1), constants.get("B1", 1)
    pitch = k + 1 if kernel.odd else k
    a = normal(torch, g, (m, pitch) if a1 else (k, m), kinds[0])[:, :k] if a1 else normal(torch, g, (k, m), kinds[0]).T
    columns = n + 1 if kernel.odd else n
    b = normal(torch, g, (k, columns), kinds[1])[:, :n] if b1 else normal(torch, g, (n, k), kinds[1]).T
    types = {"*fp16": torch.float16, "*bf16": torch.bfloat16, "*fp32": torch.float32, "*fp64": torch.float64, "*i32": torch.int32}
    c = torch.empty((m, n), device="cuda", dtype=types[kinds[2]])
    grid = (math.ceil(m / constants["BM"]) * math.ceil(n / constants["BN"]), 1, 1)
    strides = [a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1)]
    if kernel.function is dot_kernels.matmul:
        numbers = [m, n, k, *strides[:5]]
    else:
        numbers = [m, n, k, strides[0], strides[2], strides[4]]
    tolerance = {"*fp16": 2e-3, "*bf16": 1e-2, "*fp32": 2e-3, "*fp64": 1e-12, "*i32": 0.0, "*fp8e4nv": 5e-3}
    exact = kernel.constants.get("PRECISION") in ("ieee", "tf32x3")
    limit = 2e-5 if exact and kinds[0] == "*fp32" else max(tolerance[kinds[0]] if kinds[0] in tolerance else 0, tolerance[kinds[2]])
    if kinds[1] == "*i8" and kinds[0] == "*i8":
        limit = 0.0
    return a, b, c, grid, numbers, limit


def problem_of(torch, kernel, size):
    g = torch.Generator(device="cuda").manual_seed(3)
    function, constants = kernel.function, kernel.constants
    d = dot_kernels

    def f64(t):
        return t.double()

    if function in (d.matmul, d.matmul_block_ptr, d.matmul_row_sums):
        m, n, k = (16, size, size) if kernel.name.endswith("small_m") else (size // 2,) * 3 if kernel.types[0] in ("*fp64", "*fp32") and size > 2048 else (size,) * 3
        a, b, c, grid, numbers, limit = matmul_problem(torch, g, kernel, m, n, k)
        extra = [torch.empty(m, device="cuda")] if function is d.matmul_row_sums else []
        return Problem(grid, [a, b, c, *extra, *numbers], [c, *extra], lambda: [f64(a) @ f64(b)] + [f64(a).sum(1)] * len(extra),
                       2 * m * n * k, limit)
    if function in (d.matmul_int4, d.matmul_int8_weights):
        m = n = k = size
        a = normal(torch, g, (m, k), kernel.types[0])
        scales = torch.rand(n, device="cuda", generator=g) * 0.1
        c = torch.empty((m, n), device="cuda", dtype=a.dtype)
        packed = torch.randint(-128, 128, (k // 2 if function is d.matmul_int4 else k, n), device="cuda", generator=g, dtype=torch.int8)

        def weights():
            if function is d.matmul_int8_weights:
                return f64(packed)
            wide = packed.int()
            return torch.cat([(wide & 15) - 8, ((wide >> 4) & 15) - 8]).double()

        grid = (m // constants["BM"] * (n // constants["BN"]), 1, 1)
        return Problem(grid, [a, packed, scales, c, m, n, k, k, n, n], [c], lambda: [f64(a) @ weights() * f64(scales)],
                       2 * m * n * k, 1e-2)
    if function is d.batched:
        batches, m, n, k = 64, 1024, 1024, 1024
        a, b = normal(torch, g, (batches, m, k), "*fp16"), normal(torch, g, (batches, k, n), "*fp16")
        c = torch.empty((batches, m, n), device="cuda", dtype=torch.float16)
        grid = (m // constants["BM"], n // constants["BN"], batches // constants["BB"])
        return Problem(grid, [a, b, c, m, n, k], [c], lambda: [torch.bmm(f64(a), f64(b))], 2 * batches * m * n * k, 2e-3)
    if function is d.expert_matmul:
        experts, tokens, n, k = 8, 8192, 4096, 2048
        x, w = normal(torch, g, (tokens, k), "*bf16"), normal(torch, g, (experts, n, k), "*bf16")
        rows = torch.randperm(tokens, device="cuda", generator=g).to(torch.int32)
        tiles = tokens // constants["BM"]
        owners = torch.randint(0, experts, (tiles,), device="cuda", generator=g, dtype=torch.int32).sort().values
        c = torch.empty((tokens, n), device="cuda", dtype=torch.bfloat16)

        def routed():
            parts = [f64(x[rows[i * constants["BM"]:(i + 1) * constants["BM"]].long()]) @ f64(w[owners[i]]).T for i in range(tiles)]
            return [torch.cat(parts)]

        return Problem((n // constants["BN"], tiles, 1), [x, w, rows, owners, c, n, k], [c], routed, 2 * tokens * n * k, 1e-2)
    if function is d.attention:
        heads, length, width = 32, 4096, constants["D"]
        q, k, v = (normal(torch, g, (heads, length, width), "*fp16") for _ in range(3))
        o = torch.empty_like(q)
        scale = width ** -0.5
        causal = constants["CAUSAL"]

        def attend():
            result = []
            for h in range(heads):
                s = f64(q[h]) @ f64(k[h]).T * scale
                if causal:
                    s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
                result.append(torch.softmax(s, -1) @ f64(v[h]))
            return [torch.stack(result)]

        return Problem((length // constants["BM"], heads, 1), [q, k, v, o, scale, length], [o], attend,
                       4 * heads * length * length * width // (2 if causal else 1), 4e-3)
    if function is d.chunk_scan:
        heads, length, width = 512, 4096, constants["D"]
        q, k, v = (normal(torch, g, (heads, length, width), "*bf16", 0.3) for _ in range(3))
        o = torch.empty_like(q)
        decay = -torch.rand(heads, device="cuda", generator=g) * 0.1 - 0.01

        def scan():
            outs = []
            keep = torch.arange(length, device="cuda", dtype=torch.float64)
            for h in range(2):
                mask = torch.exp2(f64(decay[h]) * (keep[:, None] - keep[None, :])).tril()
                outs.append((f64(q[h]) @ f64(k[h]).T * mask) @ f64(v[h]))
            return [torch.stack(outs)]

        chunk = constants["CHUNK"]
        return Problem((heads, 1, 1), [q, k, v, decay, o, length], [o[:2]], scan,
                       heads * (length // chunk) * (4 * chunk * chunk * width + 4 * chunk * width * width), 3e-2)
    if function is d.decode_latent:
        batch, heads, latent, rope, length = 256, constants["H"], constants["L"], constants["R"], 4096
        q = normal(torch, g, (batch, heads, latent + rope), "*bf16")
        cache = normal(torch, g, (batch, length, latent + rope), "*bf16")
        o = torch.empty((batch, heads, latent), device="cuda", dtype=torch.bfloat16)
        scale = (latent + rope) ** -0.5

        def attend_latent():
            parts = []
            for b in range(batch):
                s = f64(q[b]) @ f64(cache[b]).T * scale
                parts.append(torch.softmax(s, -1) @ f64(cache[b][:, :latent]))
            return [torch.stack(parts)]

        return Problem((batch, 1, 1), [q, cache, o, length, scale], [o], attend_latent,
                       2 * batch * heads * length * (2 * latent + rope), 2e-2)
    raise ValueError(kernel.name)


class Vendor:
    """The vendor's library on the operands of a matmul, measured alternately with the compilers: at 8192 the clock depends
    on the power that the previous kernels drew."""

    def __init__(self, torch, problem):
        self.a, self.b, out = problem.args[:3]
        self.mm, self.out = torch.mm, torch.empty_like(out)

    def launch(self, grid, args):
        self.mm(self.a, self.b, out=self.out)


def error_of(torch, problem):
    """The largest ||got - want|| / ||want|| of the outputs."""
    worst = 0.0
    for got, want in zip(problem.outputs, problem.reference()):
        error = ((got.double() - want).norm() / want.norm()).item()
        worst = max(worst, error if error == error else math.inf)
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="comma-separated kernels")
    parser.add_argument("--skip", default="", help="comma-separated kernels")
    parser.add_argument("--size", type=int, default=4096, help="rows, columns and depth of the matmuls")
    parser.add_argument("--stage", default="ttir", choices=("ttir", "ttgir"), help="the stage of Triton's that Nereid starts from")
    parser.add_argument("--peer", default="", help="folder of --write-peer: cubins of another Triton version")
    parser.add_argument("--write-peer", default="", help="write cubins of this Triton into a folder, and stop")
    parser.add_argument("--keep", default="", help="keep the files of both compilers in this folder")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    if options.write_peer:
        return write_peer(options.write_peer, only)

    import cupy
    import numpy
    import torch
    import harness

    def pass_number(kind, value):
        return numpy.float32(value) if kind == "fp32" else numpy.int32(value)

    stream = torch.cuda.Stream()
    failed, ratios = [], []
    with tempfile.TemporaryDirectory() as temporary, torch.cuda.stream(stream), cupy.cuda.Stream.from_external(stream):
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        for name, kernel in dot_kernels.kernels().items():
            if (only and name not in only) or name in options.skip.split(","):
                continue
            compiled = dot_kernels.compile_kernel(kernel)
            case_path = os.path.join(folder, f"{name}.{options.stage}")
            open(case_path, "w").write(compiled.asm[options.stage])
            for stage in ("ttgir", "ptx"):
                open(os.path.join(folder, f"{name}.triton.{stage}"), "w").write(compiled.asm[stage])
            theirs = os.path.join(folder, name + ".triton.cubin")
            open(theirs, "wb").write(compiled.asm["cubin"])
            problem = problem_of(torch, kernel, options.size)
            problem.args = [value if torch.is_tensor(value) else pass_number(kind, value) for kind, value in zip(kernel.types, problem.args)]
            case = harness.Case(name, case_path, problem.grid, problem.args, problem.outputs, problem.reference, 0, problem.tolerance,
                                {"num_warps": kernel.num_warps, "num_stages": kernel.num_stages})
            try:
                ours = harness.build_nereid(options.nereid, case, folder)
            except subprocess.CalledProcessError:
                failed.append(name)
                print(f"{name:24} does not compile", flush=True)
                continue
            others = [harness.Kernel(theirs, compiled.metadata.name, compiled.metadata.num_warps, compiled.metadata.shared)]
            peer = harness.load_peer(options.peer, case)
            others += [peer] if peer else []
            compilers = len(others)
            others += [Vendor(torch, problem)] if kernel.function is dot_kernels.matmul and set(kernel.types[:3]) in ({dot_kernels.F16}, {dot_kernels.BF16}) else []
            errors = []
            try:
                for launched in (ours, *others[:compilers]):
                    for output in problem.outputs:
                        output.view(torch.uint8).fill_(0x7f) if output.is_contiguous() else output.zero_()
                    launched.launch(problem.grid, problem.args)
                    torch.cuda.synchronize()
                    errors.append(error_of(torch, problem))
                mine, times = harness.compare(ours, others, case, flush, rounds=20)
            except Exception as error:
                failed.append(name)
                print(f"{name:24} {type(error).__name__}: {error}", flush=True)
                if "illegal" in str(error) or "launch failed" in str(error):
                    break
                continue
            times, vendor = times[:compilers], times[compilers:]
            best = min(times)
            ratios.append(best / mine)
            good = errors[0] <= max(problem.tolerance, 1.5 * errors[1])
            failed += [] if good else [name]
            rate = problem.operations * 1e-9
            print(f"{name:24} error {errors[0]:.1e} (Triton {max(errors[1:]):.1e}) {mine * 1e3:9.1f} us {rate / mine:6.1f} TFLOP/s  "
                  f"Triton {' '.join(f'{rate / t:6.1f}' for t in times)}  ratio {best / mine:.3f}{'' if good else ' WRONG'}"
                  f"{''.join(f'  cuBLAS {rate / t:6.1f} ratio {t / mine:.3f}' for t in vendor)}", flush=True)
            del problem, case
            torch.cuda.empty_cache()
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios: {math.prod(ratios) ** (1 / len(ratios)):.3f}; least {min(ratios):.3f}; "
              f"failed: {', '.join(failed) or 'none'}")
    print("device:", torch.cuda.get_device_name())
    clocks = subprocess.run(["nvidia-smi", "--query-gpu=clocks.sm,clocks.max.sm,clocks.mem", "--format=csv,noheader"], capture_output=True, text=True)
    print("clocks (SM, highest SM, memory):", clocks.stdout.strip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
