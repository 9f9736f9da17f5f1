"""Triton's side of bench/compile: CPU time per stage of FILE.ttir, in this process, as JSON on standard output.

    triton_compile.py [--runs N] [--num-warps N] [--num-stages N] FILE...    best of N of each stage, after one to warm up
    triton_compile.py --once FILE                                            compile once, print nothing
"""

import argparse
import json
import resource

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import IRSource, make_backend

TARGET = GPUTarget("cuda", 90, 32)


def cpu_time():
    """Returns milliseconds of CPU time, that of the assembler's process included."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages) * 1e3


def compile_once(path, given):
    times = {}

    def measure(name, function, *arguments):
        start = cpu_time()
        result = function(*arguments)
        times[name] = cpu_time() - start
        return result

    backend = make_backend(TARGET)
    context = ir.context()
    source = measure("read", IRSource, path, context, backend)
    options = backend.parse_options(dict(given))
    stages = {}
    backend.add_stages(stages, options, source.language)
    metadata = {"target": TARGET, **options.__dict__}
    module = source.make_ir(TARGET, options, None, None, context)
    for name, stage in stages.items():
        module = measure(name, stage, module, metadata)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--num-warps", type=int, default=4)
    parser.add_argument("--num-stages", type=int, default=3)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    given = {"num_warps": arguments.num_warps, "num_stages": arguments.num_stages}
    if arguments.once:
        compile_once(arguments.files[0], given)
        return
    rows = {}
    for path in arguments.files:
        compile_once(path, given)
        runs = [compile_once(path, given) for _ in range(arguments.runs)]
        rows[path] = {name: min(run[name] for run in runs) for name in runs[0]}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"version": triton.__version__, "peak_mib": peak, "kernels": rows}))


if __name__ == "__main__":
    main()
