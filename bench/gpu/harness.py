"""Runs kernels on a GPU, compares results with float64 references and times with Triton in the same run: the installed
version, and cubins that compile_peer.py compiled with another one.

All compilers get the same .ttir, and all cubins have the same ABI, so all are launched by the same driver call and timed by
the same events, alternately, with the L2 cache flushed in between.
"""

import json
import os
import statistics
import subprocess

import cupy
import numpy
import torch
import triton
from triton.backends.compiler import GPUTarget

import peer
import timing


def f64(t):
    return t.double()


class Case:
    """A kernel, its arguments, its reference, and its memory traffic in bytes."""

    def __init__(self, name, path, grid, args, outputs, reference, bytes_moved, tolerance, options, check_rows=None):
        self.name, self.path, self.grid, self.args = name, path, grid, args
        self.outputs, self.reference, self.bytes, self.tolerance = outputs, reference, bytes_moved, tolerance
        self.options, self.check_rows = {key: options[key] for key in ("num_warps", "num_stages")}, check_rows

    @classmethod
    def of_kernel(cls, corpus, name, *rest, **more):
        options = json.load(open(os.path.join(corpus, "kernels", "index.json"))).get(name, {"num_warps": 4, "num_stages": 3})
        return cls(name, os.path.join(corpus, "kernels", name + ".ttir"), *rest, options, **more)

    @classmethod
    def of_inductor(cls, corpus, name, *rest, **more):
        options = json.load(open(os.path.join(corpus, "inductor", name + ".json")))
        return cls(name, os.path.join(corpus, "inductor", name + ".ttir"), *rest, options, **more)


def argument(value):
    if torch.is_tensor(value):
        return numpy.uint64(value.data_ptr())
    return value


class Kernel:
    """A cubin and its launch parameters."""

    def __init__(self, image, name, num_warps, shared):
        self.module = cupy.RawModule(path=image)
        self.function = self.module.get_function(name)
        if shared > 48 * 1024:
            self.function.max_dynamic_shared_size_bytes = shared
        self.threads, self.shared = 32 * num_warps, shared

    def launch(self, grid, args):
        scratch = [numpy.uint64(0), numpy.uint64(0)]
        self.function(grid, (self.threads, 1, 1), tuple(argument(a) for a in args) + tuple(scratch), shared_mem=self.shared)


def build_nereid(nereid, case, folder):
    image = os.path.join(folder, case.name + ".nereid.cubin")
    subprocess.run([nereid, "compile", case.path, "-o", image, "--target", "sm_90a", "--num-warps", str(case.options["num_warps"]), "--num-stages", str(case.options["num_stages"])], check=True)
    beside = image + ".json" if os.path.exists(image + ".json") else os.path.splitext(image)[0] + ".json"
    meta = json.load(open(beside))
    return Kernel(image, meta["name"], meta["total_num_warps"], meta["shared"])


def build_triton(case, folder):
    source = os.path.join(folder, case.name + ".ttir")
    open(source, "w").write(open(case.path).read())
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=case.options)
    image = os.path.join(folder, case.name + ".triton.cubin")
    open(image, "wb").write(compiled.asm["cubin"])
    return Kernel(image, compiled.metadata.name, case.options["num_warps"], compiled.metadata.shared)


def load_peer(folder, case):
    """The kernel compiled by another Triton version; None without `folder` or without the kernel in it."""
    found = peer.read(folder, case.name) if folder else None
    return Kernel(found[0], found[1]["name"], found[1]["num_warps"], found[1]["shared"]) if found else None


def check(case):
    worst = 0.0
    for got, want in zip(case.outputs, case.reference()):
        if case.check_rows:
            got = got[: case.check_rows]
        difference = (got.float().double() - want).abs() / (1 + want.abs())
        if torch.isnan(difference).any():
            return float("nan")
        worst = max(worst, difference.max().item())
    return worst


def time_of(kernel, case, flush):
    return timing.microseconds(lambda: kernel.launch(case.grid, case.args), flush) * 1e-3


def middle(times):
    """The mean of the middle half: event timestamps are coarse, so the median of short kernels is unstable."""
    times = sorted(times)
    return statistics.fmean(times[len(times) // 4: -(len(times) // 4)])


def compare(nereid, others, case, flush, rounds=60):
    """Our time and those of `others`, in milliseconds, measured alternately."""
    kernels = [nereid, *others]
    times = {kernel: [] for kernel in kernels}
    if time_of(nereid, case, flush) < 0.02:
        rounds = 300
    for i in range(rounds):
        for kernel in kernels if i % 2 else reversed(kernels):
            times[kernel].append(time_of(kernel, case, flush))
    return middle(times[nereid]), [middle(times[kernel]) for kernel in others]
