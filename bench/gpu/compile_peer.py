"""Compiles kernels with the installed Triton for a GPU on another machine: NAME.cubin and NAME.json per .ttir.

    python3 bench/gpu/compile_peer.py --nereid-opt build/release/bin/nereid-opt --corpus ../shared/corpus --out peer-3.9

Needs a Triton wheel and no GPU. Copy the folder to the GPU machine and pass it to bench/gpu/kernels.py --peer, which measures
the cubins and Nereid's in one run. Each kernel is the .ttir that the other compilers get, printed in the spelling of this
Triton version. Exit status 1 when a kernel does not compile; its name is printed and it is skipped.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend

OPTIONS = ("num_warps", "num_stages")


def kernels(corpus):
    """(name, path, options) of every .ttir of the corpus and of this folder that the benchmarks use."""
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels", "*.ttir"))):
        yield os.path.splitext(os.path.basename(path))[0], path, {"num_warps": 4, "num_stages": 3}
    index = json.load(open(os.path.join(corpus, "kernels", "index.json")))
    for path in sorted(glob.glob(os.path.join(corpus, "kernels", "*.ttir"))):
        name = os.path.splitext(os.path.basename(path))[0]
        yield name, path, index.get(name, {"num_warps": 4, "num_stages": 3})
    for path in sorted(glob.glob(os.path.join(corpus, "inductor", "*.ttir"))):
        yield os.path.splitext(os.path.basename(path))[0], path, json.load(open(path[:-4] + "json"))


def compile_kernel(source, options):
    """The cubin and its metadata, by the compiler stages, which do not require a driver."""
    target = GPUTarget("cuda", 90, 32)
    from triton._C.libtriton import ir
    from triton.compiler.compiler import IRSource
    backend, context = make_backend(target), ir.context()
    parsed = IRSource(source, context, backend)
    settings = backend.parse_options({key: options[key] for key in OPTIONS})
    stages, metadata = {}, {"target": target, **settings.__dict__}
    backend.add_stages(stages, settings, parsed.language)
    module = parsed.make_ir(target, settings, None, None, context)
    for stage in stages.values():
        module = stage(module, metadata)
    return module, metadata


def write_peer(name, path, options, nereid_opt, out):
    version = ".".join(triton.__version__.split(".")[:2])
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, name + ".ttir")
        subprocess.run([nereid_opt, "--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix", path, "-o", source,
                        "--print-triton-version=" + version], check=True)
        cubin, metadata = compile_kernel(source, options)
    open(os.path.join(out, name + ".cubin"), "wb").write(cubin)
    described = {"name": metadata["name"], "shared": metadata["shared"], "version": triton.__version__,
                 "num_warps": options["num_warps"], "global_scratch_size": metadata.get("global_scratch_size", 0)}
    json.dump(described, open(os.path.join(out, name + ".json"), "w"), indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nereid-opt", default="build/release/bin/nereid-opt")
    parser.add_argument("--corpus", default="../shared/corpus")
    parser.add_argument("--only", default="", help="comma-separated kernels")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    failed = []
    for name, path, options in kernels(arguments.corpus):
        if arguments.only and name not in arguments.only.split(","):
            continue
        try:
            write_peer(name, path, options, arguments.nereid_opt, arguments.out)
        except Exception as error:  # Triton's exceptions have no common base class
            failed.append(name)
            print(f"{name}: {type(error).__name__}", flush=True)
    print(f"Triton {triton.__version__}: failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
