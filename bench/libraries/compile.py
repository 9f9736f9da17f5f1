"""Compiles collected kernels with Nereid, and with Triton beside it: counts, failures by cause, times.

    python bench/libraries/compile.py [--nereid COMMAND] [--triton PYTHON] [--targets sm_80,sm_90a] [--every N] FOLDER...

FOLDER has the KERNEL.ttir and KERNEL.json that bench/libraries/collect.py writes. Nereid's time is that of the command, process
start included; Triton's is that of its stages after ttir in a warm process. PYTHON is an interpreter that has triton; without one
only Nereid is measured. A kernel with a tt.dot whose types have a tensor core instruction must use it: such kernels without mma
or wgmma in their PTX are listed. Exit status 1 when a kernel fails that Triton compiles, or without Triton, any kernel.
"""

import argparse
import collections
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

TENSOR_CORE = re.compile(r"\b(wgmma\.mma_async|mma\.sync)")
LIMIT_S = 120

# Runs in PYTHON: a line "PATH CAPABILITY" in, a line of JSON out. Prints of Triton go to stderr.
WORKER = r"""
import json, os, sys, time
answer = os.fdopen(os.dup(1), "w", 1)
os.dup2(2, 1)
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import IRSource, make_backend
for line in sys.stdin:
    path, capability = line.rsplit(" ", 1)
    options = json.load(open(path[:-4] + "json"))
    try:
        target = GPUTarget("cuda", int(capability), 32)
        backend, context = make_backend(target), ir.context()
        parsed = IRSource(path, context, backend)
        names = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion")
        settings = backend.parse_options({name: options[name] for name in names if options.get(name) is not None})
        stages, metadata = {}, {"target": target, **settings.__dict__}
        backend.add_stages(stages, settings, parsed.language)
        module = parsed.make_ir(target, settings, None, None, context)
        start = time.perf_counter()
        for name in ("ttgir", "llir", "ptx", "cubin"):
            module = stages[name](module, metadata)
        result = {"seconds": time.perf_counter() - start, "shared": metadata["shared"]}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    answer.write(json.dumps(result) + "\n")
"""


class Triton:
    """Triton in a process of its own, which is started again after a crash."""

    def __init__(self, python):
        self.python, self.process = python, None

    def compile(self, path, target):
        if not self.python:
            return None
        if not self.process or self.process.poll() is not None:
            self.process = subprocess.Popen([self.python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, bufsize=1)
        try:
            self.process.stdin.write(f"{os.path.abspath(path)} {re.sub('[^0-9]', '', target)}\n")
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.process.wait()
            return {"error": "the process of Triton ended"}
        return json.loads(line)


def command_of(nereid, path, target, image, options):
    call = [nereid, "compile", path, "-o", image, "--target", target, "--timeout", str(LIMIT_S), "--assembler-timeout", str(LIMIT_S)]
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        if options.get(name) is not None:
            call += ["--" + name.replace("_", "-"), str(options[name])]
    return call + ([] if options.get("enable_fp_fusion", True) else ["--no-fp-fusion"])


def compile_kernel(nereid, path, target, folder):
    with open(path[:-4] + "json") as file:
        options = json.load(file)
    call = command_of(nereid, path, target, os.path.join(folder, "kernel.cubin"), options)
    start = time.perf_counter()
    done = subprocess.run(call, stderr=subprocess.PIPE, text=True, errors="replace")
    seconds = time.perf_counter() - start
    result = {"seconds": seconds, "status": done.returncode, "log": done.stderr, "call": " ".join(call)}
    if done.returncode == 0:
        with open(os.path.join(folder, "kernel.cubin.json")) as file:
            described = json.load(file)
        result.update({name: described[name] for name in ("shared", "registers", "spill_stores")})
        result["warnings"] = re.findall(r"warning: ([^\n]*)", done.stderr)
    return result


def uses_tensor_cores(nereid, path, target, folder):
    """Whether the PTX of a kernel with a tt.dot has a tensor core instruction; null without a tt.dot."""
    with open(path) as file:
        if not re.search(r"\btt\.dot(_scaled)?\b", file.read()):
            return None
    with open(path[:-4] + "json") as file:
        call = command_of(nereid, path, target, os.path.join(folder, "kernel.ptx"), json.load(file))
    if subprocess.run(call + ["--emit", "ptx"], stderr=subprocess.DEVNULL).returncode:
        return None
    with open(os.path.join(folder, "kernel.ptx")) as file:
        return bool(TENSOR_CORE.search(file.read()))


def cause_of(result):
    """The first error without what differs between kernels: names, positions, sizes."""
    if result["status"] < 0:
        return f"signal {-result['status']}"
    found = re.search(r"error: ([^\n]*)", result["log"])
    return re.sub(r"\d+", "N", re.sub(r"(?<=kernel )'[^']*'", "'K'", found[1]))[:150] if found else f"status {result['status']}"


def measure(arguments):
    triton, rows = Triton(arguments.triton), []
    paths = sorted(path for folder in arguments.folders for path in glob.glob(os.path.join(folder, "*.ttir")))
    with tempfile.TemporaryDirectory() as folder:
        for path in paths[::arguments.every]:
            for target in arguments.targets.split(","):
                ours = compile_kernel(arguments.nereid, path, target, folder)
                theirs = triton.compile(path, target)
                row = {"kernel": os.path.basename(path)[:-5], "path": path, "target": target, "ours": ours, "theirs": theirs}
                if ours["status"] == 0:
                    row["tensor_cores"] = uses_tensor_cores(arguments.nereid, path, target, folder)
                rows.append(row)
                print(".", end="", flush=True, file=sys.stderr)
    print(file=sys.stderr)
    return rows


def report_target(target, rows):
    failed = [row for row in rows if row["ours"]["status"]]
    print(f"{target}: {len(rows)} kernels, {len(rows) - len(failed)} compiled, {len(failed)} failed")
    causes = collections.defaultdict(list)
    for row in failed:
        also = " (Triton also fails)" if row["theirs"] and "error" in row["theirs"] else ""
        causes[cause_of(row["ours"]) + also].append(row)
    for cause, found in sorted(causes.items(), key=lambda pair: -len(pair[1])):
        print(f"  {len(found):4} {cause}\n       {found[0]['ours']['call']}")
    unused = [row["kernel"] for row in rows if row.get("tensor_cores") is False]
    with_dot = sum(row.get("tensor_cores") is not None for row in rows)
    print(f"  with tt.dot: {with_dot}, of these without a tensor core instruction: {len(unused)} {' '.join(unused[:5])}")
    spilling = [row["kernel"] for row in rows if row["ours"].get("spill_stores")]
    print(f"  spilling: {len(spilling)} {' '.join(spilling[:5])}")
    both = [row for row in rows if not row["ours"]["status"] and row["theirs"] and "seconds" in row["theirs"]]
    ratios = sorted((row["ours"]["seconds"] / row["theirs"]["seconds"], row["kernel"]) for row in both)
    if ratios:
        mean = math.exp(sum(math.log(value) for value, _ in ratios) / len(ratios))
        slow = [pair for pair in ratios if pair[0] > 0.5]
        print(f"  time against Triton's: geometric mean {mean:.2f}, worst {ratios[-1][0]:.2f} {ratios[-1][1]}; "
              f"above 0.5: {len(slow)} of {len(ratios)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="nereid")
    parser.add_argument("--triton", metavar="PYTHON")
    parser.add_argument("--targets", default="sm_80,sm_90a")
    parser.add_argument("--every", type=int, default=1, help="compile each Nth kernel")
    parser.add_argument("--json", help="write all results to this file")
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    rows = measure(arguments)
    for target in arguments.targets.split(","):
        report_target(target, [row for row in rows if row["target"] == target])
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 1 if any(row["ours"]["status"] and not (row["theirs"] and "error" in row["theirs"]) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
