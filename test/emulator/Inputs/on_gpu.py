"""Runs Triton's PTX of the corpus on a GPU and on the emulator, and compares the outputs.

    on_gpu.py CORPUS [NAME...]

Kernels without approximate instructions and float atomics must be equal in all bits, including sums on tensor cores: the PTX is
assembled without contraction. The others must be within the tolerance that triton_ptx.py gives the kernel.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import triton_ptx

LOOSE = re.compile(r"\.approx|div\.full|\b(red|atom)\.[\w.:]*\.(f16|bf16|f16x2|bf16x2|f32|f64)\b")


def run(path, engine, grid, arguments, folder, more):
    """The engine's output tensors, in files; None and the message when it failed."""
    command = ["nereid", "run", path, "--on", engine, "--grid", grid, *more]
    files = {}
    for key, value in arguments.items():
        command += ["--arg", f"{key}={value}"]
        if "[" in str(value):
            files[key] = os.path.join(folder, f"{key}.{engine}.npy")
            command += ["--out", f"{key}={files[key]}"]
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    good = got.returncode == 0 or "\nframe: " in "\n" + got.stderr + got.stdout  # the frame check's exit status is 1
    return (files, got.stdout) if good else (None, f"{' '.join(command)}\n{got.stdout}{got.stderr}")


def check(name, path, grid, arguments, tolerance):
    exact = not LOOSE.search(open(path).read())
    tolerance = max(tolerance, 2.0**-21)  # an approximate instruction is off by an ulp or two
    without_contraction = ["--ptxas-options", "--fmad=false"]
    with tempfile.TemporaryDirectory() as folder:
        if not exact:
            files, said = run(path, "gpu", grid, arguments, folder, [*without_contraction, "--check", "emulator",
                                                                     "--tolerance", str(tolerance)])
            return (files is not None, f"within {tolerance}", said)
        gpu, said = run(path, "gpu", grid, arguments, folder, without_contraction)
        emulator, said_too = run(path, "emulator", grid, arguments, folder, []) if gpu else (None, "")
        if not gpu or not emulator:
            return (False, "equal", said + said_too)
        different = [key for key in gpu if open(gpu[key], "rb").read() != open(emulator[key], "rb").read()]
        return (not different, "equal", f"{name}: other bits in {different}")


def main(corpus, chosen):
    bad = []
    for path in sorted(glob.glob(os.path.join(corpus, "kernels", "*.ptx"))):
        name = os.path.basename(path)[:-4]
        if chosen and name not in chosen:
            continue
        tolerance, cases = triton_ptx.CASES[name]
        results = [check(name, path, grid, arguments, tolerance) for grid, arguments in cases]
        good = all(result[0] for result in results)
        print(f"{name:24} {results[0][1]:14} {len(results)} cases {'ok' if good else 'FAILED'}", flush=True)
        bad += [result[2] for result in results if not result[0]]
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main(sys.argv[1], sys.argv[2:])
