"""Measures the share of missing synchronization that the race detector finds.

    mutate.py CORPUS [--sample N] [--jobs N] [--table FILE] [--confirm NAIVE] [NAME...]

A mutant is Triton's PTX with one executed barrier, fence, wait, arrive, commit or try_wait loop removed. It counts when
some run without the detector changes an output, hangs or faults. These runs combine the schedules (round robin, adversarial,
16 seeds), effects that land at issue, at the wait or at random, and stores visible to the async proxy at once or at the
fence. The detector must report 95 of 100 such mutants in one round-robin run: a race that the original does not have, or a
fault or deadlock that the emulator names; a run of more than a minute reports nothing.
--sample selects about N places, evenly, and 3 seeds. Exit status 1 when fewer are found; the others are listed.

--confirm runs no mutant without the detector. Instead each mutant, and each original, also runs with NAIVE
(build/*/unit/naive_races), which tests all pairs of accesses of the same run: each reported pair must race there, and each
byte with a race must be reported. Exit status 1 otherwise. Mutants that only fault or deadlock are excluded.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import triton_ptx

PLACE = re.compile(
    r"^(?P<guard>\s*(?:@!?%?\w+\s+)?)(?P<kind>bar\.(?:warp\.)?sync|barrier\.[\w.:]+|fence[\w.:]*|membar[\w.]*"
    r"|cp\.async\.(?:bulk\.)?(?:wait_group|wait_all|commit_group)(?:\.read)?|cp\.async\.mbarrier[\w.]*"
    r"|wgmma\.(?:fence|wait_group|commit_group)|mbarrier\.(?:init|inval|arrive|try_wait|test_wait)[\w.]*)(?P<rest>[^;]*;)")
LOOP = re.compile(r"^\s*@!?%?\w+ bra[\w.]* ")

# Cases with enough iterations for every stage of their pipelines.
CASES = {}


def case(name, grid, **arguments):
    CASES[name] = (grid, arguments)


def matmul(name, element, out, m=144, n=272, k=320, grid="6"):
    case(name, grid, a=f"{element}[{m}x{k}]:rand", b=f"{element}[{k}x{n}]:rand", c=f"{out}[{m}x{n}]:zeros", M=m, N=n,
         K=k, sam=k, sbk=n, scm=n)


matmul("matmul_f16", "f16", "f16", 128, 256, 320, "1")
matmul("matmul_f32_tf32", "f32", "f32", 128, 128, 320, "1")
matmul("matmul_fp8", "f8E4M3FN", "f16", 128, 128, 512, "1")
case("matmul_block_ptr", "1,1", a="f16[128x320]:rand", b="f16[320x256]:rand", c="f16[128x256]:zeros", M=128, N=256, K=320)
case("matmul_dev_desc", "2,1", a="f16[144x320]:rand", b="f16[128x320]:rand", c="f16[144x128]:zeros", M=144, N=128, K=320)
case("matmul_tma_persistent", "1", a_desc="f16[144x320]:rand", b_desc="f16[320x272]:rand", c_desc="f16[144x272]:zeros",
     M=144, N=272, K=320)
case("attn_fwd_d128_full", "1,1", q="f16[384x128]:rand", k="f16[384x128]:rand", v="f16[384x128]:rand",
     o="f16[384x128]:zeros", lse="f32[384]:zeros", scale=0.125, sqz=49152, sqm=128, N=384)
case("attn_fwd_tma_d128", "1,1", q_desc="f16[384x128]:rand", k_desc="f16[384x128]:rand", v_desc="f16[384x128]:rand",
     o_desc="f16[384x128]:zeros", lse="f32[384]:zeros", scale=0.125, N=384)
case("noinline_live_frame", "1", a="f16[64x256]:rand", b="f16[256x64]:rand", c="f32[64x64]:zeros", x="f32[1280]:rand",
     o="f32[1]:zeros", K=256)


def cases_of(name):
    return CASES.get(name) or triton_ptx.CASES[name][1][0]


class Kernel:
    """A kernel's text, its case, and the result of the original."""

    def __init__(self, corpus, name, folder):
        self.name, self.folder = name, folder
        self.path = os.path.join(corpus, "kernels", name)
        self.lines = open(self.path + ".ptx").read().split("\n")
        self.grid, self.arguments = cases_of(name)
        self.outputs = [key for key, value in self.arguments.items() if "[" in str(value)]

    def run(self, lines, work, *options, tool="nereid"):
        """A digest of the outputs, or the message of a failure."""
        os.makedirs(work, exist_ok=True)
        path = os.path.join(work, self.name + ".ptx")
        with open(path, "w") as file:
            file.write("\n".join(lines))
        shutil.copy(self.path + ".ttir", work)
        command = [tool, "run", path, "--on", "emulator", "--grid", self.grid, *options]
        for key, value in self.arguments.items():
            command += ["--arg", f"{key}={value}"]
        for key in self.outputs:
            command += ["--out", f"{key}={work}/{key}.npy"]
        try:
            got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return "hangs"
        if "the detectors disagree" in got.stderr:
            return "disagrees: " + got.stderr.strip()
        digest = hashlib.sha256()
        for key in self.outputs:
            if not os.path.exists(f"{work}/{key}.npy"): # exit status 1 also reports races and frame overwrites
                return "fails: " + got.stderr.strip()[-200:]
            digest.update(open(f"{work}/{key}.npy", "rb").read())
            os.remove(f"{work}/{key}.npy")
        return digest.hexdigest()

    def races(self, lines, work, tool="nereid"):
        """The races as a set, and whether it failed."""
        path = os.path.join(work, "races.jsonl")
        result = self.run(lines, work, "--races", path, tool=tool)
        found = set()
        if os.path.exists(path):
            for line in open(path):
                race = json.loads(line)
                found.add((race["class"], *sorted((race["earlier"]["line"], race["later"]["line"]))))
        return found, result

    def places(self):
        return [(i, match) for i, line in enumerate(self.lines) for match in [PLACE.match(line)] if match]

    def without(self, index, match, instead=""):
        lines = list(self.lines)
        lines[index] = (match["guard"] if instead else "") + instead + lines[index][match.end():]
        if "try_wait" in match["kind"] and not instead and LOOP.match(lines[index + 1]):
            lines[index + 1] = ""
        return lines


def configurations(seeds):
    schedules = [["--schedule", "adversarial"], []] + [["--schedule", "random", "--seed", str(s)] for s in range(1, seeds + 1)]
    landings = [["--landing", "wait"], [], ["--landing", "random"]]
    proxies = [[], ["--proxy-at-fence"]]
    for schedule, landing, proxy in itertools.product(schedules, landings, proxies):
        if "random" in landing and "--seed" not in schedule:
            landing = landing + ["--seed", "99"]
        yield [*schedule, *landing, *proxy]


def judge(kernel, index, match, seeds, expected, known):
    """(executed, counts, reported): the failure without the detector, or None; the detector's report, or None."""
    work = os.path.join(kernel.folder, f"{kernel.name}.{index}")
    try:
        if kernel.run(kernel.without(index, match, "trap;"), work) == expected[()]:
            return None
        lines = kernel.without(index, match)
        races, result = kernel.races(lines, work)
        new = sorted(races - known)
        reported = f"{new[0][0]} {new[0][1]} {new[0][2]}" if new else result if result.startswith("fails") else None
        counts = None
        for options in configurations(seeds):
            right = expected.get(tuple(options))
            got = kernel.run(lines, work, *options) if right else right
            if got != right:
                counts = " ".join(options) or "round robin"
                break
        return counts, reported
    finally:
        shutil.rmtree(work, ignore_errors=True)


def confirm(kernel, index, match, naive, expected, known):
    """(executed, reported races that the original does not have, those that the naive detector confirms, its other
    differences), or None."""
    work = os.path.join(kernel.folder, f"{kernel.name}.{index}")
    try:
        if kernel.run(kernel.without(index, match, "trap;"), work) == expected:
            return None
        lines = kernel.without(index, match)
        races, result = kernel.races(lines, work)
        new = races - known
        if not new and re.match("fails|hangs", result):
            return new, new, ""
        found, result = kernel.races(lines, work, naive)
        return new, new & found, result if result.startswith("disagrees") else ""
    finally:
        shutil.rmtree(work, ignore_errors=True)


def confirm_all(kernels, naive, pool):
    """Prints a row for each mutant with races, then the table; returns whether all are confirmed."""
    good, rows, jobs = True, collections.defaultdict(lambda: [0] * 3), []
    for kernel in kernels:
        work = os.path.join(kernel.folder, kernel.name)
        expected = kernel.run(kernel.lines, work)
        known, _ = kernel.races(kernel.lines, work)
        found, result = kernel.races(kernel.lines, work, naive)
        if known - found or result.startswith("disagrees"):
            print(f"{kernel.name}: {sorted(known - found)[:5]} {result}")
            good = False
        jobs += [(kernel, *place, pool.submit(confirm, kernel, *place, naive, expected, known))
                 for place in kernel.chosen]
    for kernel, index, match, job in jobs:
        verdict = job.result()
        if not verdict:
            continue
        reported, confirmed, against = verdict
        for key in (match["kind"], "all"):
            rows[key] = [a + bool(b) for a, b in zip(rows[key], (True, reported, confirmed))]
        good = good and len(confirmed) == len(reported) and not against
        if reported or against:
            print(f"{kernel.name}.ptx:{index + 1}", match["kind"], f"{len(reported)} pairs", f"{len(confirmed)} confirmed",
                  against, sep="\t", flush=True)
    print("| taken away | executed places | a race is reported | confirmed |\n|---|---|---|---|")
    for key in sorted(rows, key=lambda key: (key == "all", key)):
        print(f"| `{key}` | ".replace("`all`", "all") + " | ".join(map(str, rows[key])) + " |")
    return good


def prepare(kernel, seeds):
    """The result of each configuration in which the original is correct."""
    work = os.path.join(kernel.folder, kernel.name)
    expected = {(): kernel.run(kernel.lines, work)}
    if expected[()].startswith("fails"):
        return None, set()
    for options in configurations(seeds):
        got = kernel.run(kernel.lines, work, *options)
        if got == expected[()]:
            expected[tuple(options)] = got
    return expected, kernel.races(kernel.lines, work)[0]


def table(results):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for _, kind, counts, reported in results:
        for key in (kind, "all"):
            row = rows[key]
            row[0] += 1
            row[1] += counts is not None
            row[2] += counts is not None and reported is not None
            row[3] += counts is None and reported is not None
    yield "| taken away | executed places | count | of those reported | reported besides |"
    yield "|---|---|---|---|---|"
    for key in sorted(rows, key=lambda key: (key == "all", key)):
        yield f"| `{key}` | " .replace("`all`", "all") + " | ".join(map(str, rows[key])) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table")
    parser.add_argument("--confirm", metavar="NAIVE")
    options = parser.parse_intermixed_args()
    seeds = 3 if options.sample else 16
    files = sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(options.corpus, "kernels", "*.ptx")))
    results, jobs, total = [], [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernels = [Kernel(options.corpus, name, folder) for name in options.names or files]
        places = [(kernel, *place) for kernel in kernels for place in kernel.places()]
        if options.sample:
            places = places[::max(1, len(places) // options.sample)]
        for kernel in kernels:
            kernel.chosen = [place[1:] for place in places if place[0] is kernel]
        if options.confirm:
            sys.exit(0 if confirm_all([kernel for kernel in kernels if kernel.chosen], options.confirm, pool) else 1)
        chosen = [kernel for kernel in kernels if kernel.chosen]
        ready = dict(zip(chosen, pool.map(lambda kernel: prepare(kernel, seeds), chosen)))
        for kernel, index, match in places:
            expected, known = ready[kernel]
            if expected:
                jobs.append((kernel, index, match, pool.submit(judge, kernel, index, match, seeds, expected, known)))
            else:
                print(f"{kernel.name}: does not run", file=sys.stderr)
        for kernel, index, match, job in jobs:
            verdict = job.result()
            if verdict:
                results.append((f"{kernel.name}.ptx:{index + 1}", match["kind"], *verdict))
                print(*results[-1], sep="\t", flush=True)
    lines = list(table(results))
    survivors = [f"- `{place}` {kind}: {counts}" for place, kind, counts, reported in results if counts and not reported]
    print("\n".join(lines + survivors))
    if options.table:
        with open(options.table, "w") as file:
            file.write("\n".join(lines + [""] + survivors) + "\n")
    counted = [row for row in results if row[2]]
    sys.exit(0 if sum(row[3] is not None for row in counted) >= 0.95 * len(counted) else 1)


if __name__ == "__main__":
    main()
