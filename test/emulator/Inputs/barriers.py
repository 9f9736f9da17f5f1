"""Counts the required barriers among those that Nereid inserts.

    barriers.py CORPUS [--rate PERCENT] [--sample N] [--jobs N] [NAME...]

Compiles corpus kernels and runs them under the race detector, which must find nothing, then once for each executed bar.sync
with that barrier removed: 99 of 100 removals must cause a race, a failure or a different result. Kernels with acquire or
release atomics are excluded, because their barriers belong to the program. Prints the other removals with the instructions
before and after. --sample selects about N barriers, evenly. FILE:KERNEL is a kernel of a program in CORPUS with a case in
calls.py.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import calls
import mutate
import triton_ptx

BARRIER = re.compile(r"^\s*(?:@!?%?\w+\s+)?(?:bar|barrier)(?:\.cta)?\.sync[\w.]*\s[^;]*;")


def called(file, name):
    """Grid and arguments of a kernel of calls.py."""
    words = calls.CASES[file][name]
    return words[words.index("--grid") + 1], dict(words[i + 1].split("=", 1) for i in range(len(words)) if words[i] == "--arg")
SMALL = {  # fewer CTAs and iterations than the cases of mutate.py: dots are multiply-adds here
    "matmul_f16": ("1", dict(a="f16[128x96]:rand", b="f16[96x256]:rand", c="f16[128x256]:zeros", M=128, N=256, K=96, sam=96,
                             sbk=256, scm=256)),
    "noinline_chain": ("3", dict(x="f32[3x2048]:rand", y="f32[3x2048]:rand", o="f32[96]:zeros")),
}


class Kernel:
    def __init__(self, corpus, name, folder):
        file, _, self.name = name.rpartition(":")
        self.folder = folder
        self.grid, self.arguments = called(file, self.name) if file else SMALL.get(name) or mutate.cases_of(name)
        self.outputs = [key for key, value in self.arguments.items() if "[" in str(value)]
        self.source = os.path.join(corpus, file or os.path.join("kernels", name + ".ttir"))
        self.compiled = os.path.join(folder, self.name + ".ptx")
        subprocess.run(["nereid", "compile", self.source, "--target", "sm_90a", "--emit", "ptx", "-o", self.compiled] +
                       (["--kernel", self.name] if file else []), check=True)
        self.lines = open(self.compiled).read().split("\n")

    def places(self):
        return [i for i, line in enumerate(self.lines) if BARRIER.match(line)]

    def run(self, lines, key, *options):
        """(digest of the outputs or the message, whether there was a race)"""
        work = os.path.join(self.folder, f"{self.name}.{key}")
        os.makedirs(work)
        try:
            path = os.path.join(work, self.name + ".ptx")
            for beside in os.listdir(self.folder):
                if beside.startswith(self.name + ".ptx"):
                    shutil.copy(os.path.join(self.folder, beside), work)
            shutil.copy(self.source, work)
            with open(path, "w") as file:
                file.write("\n".join(lines))
            command = ["nereid", "run", path, "--on", "emulator", "--grid", self.grid, *options]
            for name, value in self.arguments.items():
                command += ["--arg", f"{name}={value}"]
            for name in self.outputs:
                command += ["--out", f"{name}={work}/{name}.npy"]
            races = os.path.join(work, "races.jsonl")
            got = subprocess.run([*command, "--races", races], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 timeout=300)
            raced = os.path.exists(races) and os.path.getsize(races) > 0
            digest = hashlib.sha256()
            for name in self.outputs:
                if not os.path.exists(f"{work}/{name}.npy"):
                    return "fails: " + got.stderr.strip()[-200:], raced
                digest.update(open(f"{work}/{name}.npy", "rb").read())
            return digest.hexdigest(), raced
        except subprocess.TimeoutExpired:
            return "hangs", False
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def replaced(self, index, text):
        lines = list(self.lines)
        lines[index] = text
        return lines


def judge(kernel, index, expected):
    """None for a barrier that is not executed; else whether its removal is detected."""
    if kernel.run(kernel.replaced(index, "trap;"), index)[0] == expected:
        return None
    result, raced = kernel.run(kernel.replaced(index, ""), index)
    return raced or result != expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rate", type=float, default=99)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernels = [Kernel(options.corpus, name, folder) for name in options.names]
        places = [(kernel, index) for kernel in kernels for index in kernel.places()]
        if options.sample and options.sample < len(places):
            places = places[::len(places) // options.sample]
        expected = {}
        for kernel, (digest, raced) in zip(kernels, pool.map(lambda k: k.run(k.lines, "whole"), kernels)):
            if raced or digest.startswith(("fails", "hangs")):
                sys.exit(f"{kernel.name} as it is: {digest if not raced else 'a race'}")
            expected[kernel.name] = digest
        verdicts = list(pool.map(lambda place: judge(*place, expected[place[0].name]), places))
    reached = [(place, verdict) for place, verdict in zip(places, verdicts) if verdict is not None]
    for (kernel, index), verdict in reached:
        if not verdict:
            print(f"{kernel.name}:{index + 1} is not missed:", *kernel.lines[max(0, index - 2):index + 3], sep="\n  ")
    missed = sum(verdict for _, verdict in reached)
    print(f"{len(reached)} barriers reached of {len(places)}, {missed} missed when they are taken away")
    sys.exit(not reached or 100 * missed < options.rate * len(reached))


if __name__ == "__main__":
    main()
