"""Compiles Triton kernels with Nereid under Triton's own front end (Triton 3.6 to 3.9).

    python examples/triton_stages.py PROGRAM.py [ARGUMENT...]    runs a program; -m MODULE runs a module

or, in a program, before the first launch and before torch.compile:

    import triton_stages
    triton_stages.register()

Triton produces the ttir of each kernel, and the ttgir of a kernel in Gluon. One call of `nereid compile` produces every
later stage, so asm["ttgir"], asm["llir"], asm["ptx"] and asm["cubin"] of a compiled kernel are Nereid's. Triton's launcher
launches the cubin. Kernels with an instrumentation mode stay with Triton.

| variable | effect |
|---|---|
| NEREID | the command; default: `nereid` in PATH |
| NEREID_FLAGS | further options of `nereid compile`, separated by spaces |
| NEREID_FALLBACK=1 | Triton compiles a kernel that Nereid refuses, after a warning; by default a refusal is an error |
| NEREID_RECORD | a folder: the first launch of each compiled kernel is recorded there (docs/recording.md) |
| NEREID_RECORD_LIMIT | bytes of arguments up to which a launch is recorded; default: 64 MiB |

The logger "triton_stages" has Nereid's warnings, such as spills, at level INFO.
"""

import functools
import glob
import hashlib
import json
import logging
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import warnings

from triton import __version__, knobs
from triton.backends.compiler import Language
from triton.backends.nvidia import compiler as nvidia
from triton.runtime.errors import OutOfResources

# Triton's name of a stage, and the folder that --dump-dir writes it to. Nereid accepts each of them as input.
STAGES = {"ttir": "0-ttir", "ttgir": "1-ttgir", "llir": "3-ll", "ptx": "4-ptx", "cubin": "5-cubin"}
SUFFIX = {"llir": ".ll"}
COPIED = ("name", "shared", "global_scratch_size", "global_scratch_align", "profile_scratch_size",
          "profile_scratch_align")
# Element types of tensor maps, numbered as in tensormap.replace (PTX ISA); Triton's launcher converts them.
TMA_TYPES = {"i8": (0, 1), "f8E4M3FN": (0, 1), "f8E5M2": (0, 1), "i16": (1, 2), "i32": (2, 4), "i64": (4, 8),
             "f16": (6, 2), "f32": (7, 4), "f64": (9, 8), "bf16": (10, 2)}
TMA_BOX_LIMIT = 256
MAX_WARPS, WARP_THREADS = 32, 32  # warps of a CTA, threads of a warp


class NereidError(RuntimeError):
    """Nereid refuses a kernel; the message has its diagnostics and the command line."""


def version():
    return tuple(int(part) for part in __version__.split(".")[:2])


def command_options(options, capability):
    """The options of `nereid compile` for the options of a kernel."""
    flags = ["--target", f"sm_{capability}a" if capability >= 90 else f"sm_{capability}"]
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        if getattr(options, name) is not None:
            flags += ["--" + name.replace("_", "-"), str(getattr(options, name))]
    for name, flag in (("launch_cooperative_grid", "--cooperative"), ("launch_pdl", "--pdl")):
        if getattr(options, name):
            flags.append(flag)
    if not options.enable_fp_fusion:
        flags.append("--no-fp-fusion")
    if not knobs.compilation.disable_line_info:
        flags.append("--lineinfo")
    if options.ptx_version:
        flags += ["--ptx-version", f"{options.ptx_version // 10}.{options.ptx_version % 10}"]
    if options.ptx_options:
        flags += ["--ptxas-options", options.ptx_options]
    libraries = dict(options.extern_libs)
    flags += ["--libdevice", libraries.pop("libdevice"), "--ptxas", nvidia.get_ptxas(capability).path]
    if libraries:
        raise NereidError(f"extern_libs has {', '.join(libraries)}; Nereid links libdevice only")
    return flags


def tensor_map(parameter):
    """What Triton's launcher encodes a tensor map from, for a descriptor that the kernel receives by value."""
    mode, element, shape = re.fullmatch(r"tensordesc(_im2col)?<(\w+)\[([\dx]+)\]>", parameter["type"]).groups()
    code, size = TMA_TYPES[element]
    box = [min(int(extent), TMA_BOX_LIMIT) for extent in shape.split("x")]
    if mode:
        box[0] = int(shape.split("x")[0])  # pixels
    if parameter.get("swizzle"):
        box[-1] = parameter["swizzle"] // size
    return {"swizzle": (0, 32, 64, 128).index(parameter.get("swizzle", 0)), "elem_size": size, "elem_type": code,
            "block_size": box, "fp4_padded": parameter.get("fp4_padded", False),
            "is_im2col": bool(mode)}


def describe_descriptors(signature):
    """An entry per descriptor; None where all descriptors were rewritten to pointers."""
    groups = {p["group"]: tensor_map(p) if p["role"] == "descriptor" else None
              for p in signature or () if p["role"] in ("descriptor", "base")}
    entries = [groups[group] for group in sorted(groups)]
    return entries if any(entries) else None


def has_pointers(signature):
    """Whether Nereid rewrote a descriptor to a pointer: on targets without TMA, or where TMA cannot access its blocks."""
    return any(p["role"] == "base" for p in signature or ())


def rewrite_descriptors(module):
    """The text of a ttir module without descriptors.

    Nereid rewrites descriptor arguments to pointers with the parameters of Triton 3.6. Later launchers pass one flag more,
    so there Triton's own pass does the rewriting.
    """
    passes = nvidia.ir.pass_manager(module.context)
    nvidia.passes.ttir.add_rewrite_tensor_descriptor_to_pointer(passes)
    passes.run(module, "descriptors")
    return str(module)


class Kernel:
    """The stages of one kernel after ttir. The first that runs calls the command, the others return what it dumped."""

    def __init__(self, stages, options, capability, command, flags, fallback):
        self.triton, self.options, self.capability = dict(stages), options, capability
        self.command, self.flags, self.fallback = command, flags, fallback
        self.outputs = {}

    def run_stage(self, name, source, metadata):
        before = list(STAGES)[list(STAGES).index(name) - 1]
        if self.outputs is not None and self.outputs.get(before) is not source:  # the first stage, or an edited text
            try:
                self.compile(before, source, metadata)
            except NereidError as error:
                if not self.fallback or isinstance(source, str):
                    raise
                warnings.warn(f"compiled by Triton: {error}")
                self.outputs = None
        return self.outputs[name] if self.outputs is not None else self.triton[name](source, metadata)

    def compile(self, stage, source, metadata):
        described = self.run_command(stage, str(source))
        if stage == "ttir" and version() >= (3, 7) and has_pointers(described and described["signature"]):
            described = self.run_command(stage, rewrite_descriptors(source))
        self.outputs[stage] = source
        if described:
            self.describe(described, metadata)

    def run_command(self, stage, text):
        """Sets the outputs; returns the metadata. PTX does not carry the properties that the launcher requires: None."""
        with tempfile.TemporaryDirectory(prefix="nereid-") as folder:
            path = os.path.join(folder, "kernel" + SUFFIX.get(stage, "." + stage))
            with open(path, "w") as file:
                file.write(text)
            image, dumps = os.path.join(folder, "kernel.cubin"), os.path.join(folder, "dumps")
            call = [self.command, "compile", path, "-o", image, "--dump-dir", dumps,
                    *command_options(self.options, self.capability), *self.flags]
            done = subprocess.run(call, stderr=subprocess.PIPE, text=True, errors="replace")
            if done.returncode:
                self.refuse(call, path, done.stderr)
            if done.stderr:
                logging.getLogger("triton_stages").info(done.stderr.strip())
            self.outputs = {name: read_stage(dumps, name) for name in STAGES}
            if stage == "ptx":
                return None
            with open(image + ".json") as file:
                return json.load(file)

    def describe(self, described, metadata):
        metadata.update({name: described[name] for name in COPIED})
        metadata["shared"] = max(described["shared"], getattr(self.options, "min_shared_mem", None) or 0)
        metadata["num_warps"] = described["total_num_warps"]
        metadata["tmem_size"] = 0
        metadata["tensordesc_meta"] = describe_descriptors(described["signature"])

    def refuse(self, call, path, log):
        """Raises the error; too many threads or too much shared memory is Triton's own, which its autotuner handles."""
        memory = re.search(r"needs (\d+) bytes of shared memory.*, the target has (\d+)", log)
        if memory:
            raise OutOfResources(int(memory[1]), int(memory[2]), "shared memory")
        if self.options.num_warps > MAX_WARPS:
            raise OutOfResources(WARP_THREADS * self.options.num_warps, WARP_THREADS * MAX_WARPS, "threads")
        kept = tempfile.NamedTemporaryFile("w", prefix="nereid-", suffix=os.path.splitext(path)[1], delete=False)
        with kept, open(path) as file:
            kept.write(file.read() + "".join(f"// {line}\n" for line in [" ".join(call), *log.splitlines()]))
        raise NereidError(f"{log}\n{' '.join(call).replace(path, kept.name)}")


def read_stage(folder, name):
    found = glob.glob(os.path.join(folder, STAGES[name], "*"))
    if not found:
        return None
    with open(found[0], "rb") as file:
        data = file.read()
    return data if name == "cubin" else data.decode()


def register():
    """Makes Nereid compile every kernel of this process from here on."""
    command = shutil.which(os.environ.get("NEREID", "nereid"))
    if not command:
        raise FileNotFoundError("the command nereid is not in PATH: set NEREID to its path")
    if knobs.runtime.add_stages_inspection_hook is not None:
        raise RuntimeError("another stage hook is registered; Triton supports one")
    flags = os.environ.get("NEREID_FLAGS", "").split()
    fallback = os.environ.get("NEREID_FALLBACK", "0") not in ("", "0")
    file = os.stat(os.path.realpath(command))
    identity = hashlib.sha256(repr((command, file.st_size, file.st_mtime_ns, flags, fallback)).encode()).hexdigest()

    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:  # Triton 3.7 and later request the part of the cache key and its hash
            return identity, identity
        if not getattr(options, "instrumentation_mode", ""):
            kernel = Kernel(stages, options, capability, command, flags, fallback)
            front = "ttgir" if language == Language.GLUON else "ttir"  # the last stage of Triton's front end
            later = list(STAGES)[list(STAGES).index(front) + 1:]
            stages.update({name: functools.partial(kernel.run_stage, name) for name in later})
        return None

    knobs.runtime.add_stages_inspection_hook = hook
    # Triton 3.6 and PyTorch's caches: the key has the backend's hash and nothing of the hook.
    backend_hash = nvidia.CUDABackend.hash
    nvidia.CUDABackend.hash = lambda backend: f"{backend_hash(backend)}-nereid-{identity}"
    if os.environ.get("NEREID_RECORD"):
        import triton_recording
        triton_recording.register(os.environ["NEREID_RECORD"], int(os.environ.get("NEREID_RECORD_LIMIT", 1 << 26)))
    # PyTorch's compile workers inherit the hook only when they are forked.
    os.environ["TORCHINDUCTOR_WORKER_START"] = "fork"
    if "torch._inductor.config" in sys.modules:
        sys.modules["torch._inductor.config"].worker_start_method = "fork"


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    sys.modules["triton_stages"] = sys.modules["__main__"]
    register()
    del sys.argv[0]
    if sys.argv[0] == "-m":
        del sys.argv[0]
        sys.path[0] = os.getcwd()
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
