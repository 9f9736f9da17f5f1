"""Measures how many mutants of the synchronization of Nereid's own TMA kernels the emulator notices.

    mutate_tma.py FOLDER [--sample N] [--jobs N] [--table FILE] [NAME[@CTAS]...]

FOLDER has tests of bench/gpu/tma_zoo.py (test/emulator/tma); a kernel, its grid and arguments are those of the test's first run,
with CTAS per cluster if given. The kernel is compiled for sm_90a. A mutant deletes one executed mbarrier wait, arrival, expect-tx or init, proxy fence, commit or
wait of bulk groups, or waits for the other phase; in clusters it deletes a barrier of the cluster, arrives at the CTA's own
mbarrier instead of another one's, or omits a CTA of a multicast; barriers.py deletes barriers, mutate.py instructions of wgmma. A mutant is
noticed when a run with the race detector fails (a race, a violated rule, a fault, a deadlock) or changes an output: round robin,
adversarial with effects that land at the wait, and random with stores that reach the async proxy at a fence only. Survivors are
printed with their instruction; those of EQUIVALENT do not count. Exit status 1 when an original fails, or less than 99 % of the
mutants are noticed. --sample tests about N mutants, evenly.

Not deleted: mbarrier.inval, which is required only where the memory is used again; and the empty bulk group after an acquire of
a tensor map, without which assemblers drop the acquire; and fence.mbarrier_init, whose effect a barrier of the cluster that
releases includes here.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

# An instruction with its guard. A wait for an mbarrier is a loop in braces.
PLACE = re.compile(
    r"(?P<wait>\{ \.reg \.pred done; (?:@!?%\w+ bra \w+; )?\w+: mbarrier\.try_wait[\w.:]* done, \[[^]]*\], (?P<phase>%?\w+);[^}]*\})"
    r"|(?:@!?%\w+\s+)?(?P<kind>(?<![\w.])fence[\w.:]*"
    r"|cp\.async\.(?:bulk\.)?(?:wait_group|wait_all|commit_group)(?:\.read)?|cp\.async\.mbarrier\.arrive[\w.]*|mbarrier\.(?:init|arrive)[\w.]*"
    r"|tensormap\.cp_fenceproxy[\w.:]*|mapa[\w.:]*|barrier\.cluster\.arrive[\w.]*"
    r"|cp\.async\.bulk\.tensor[\w.:]*\.multicast::cluster)(?P<operands>[^;]*);")

# Instructions that are required in general: (kernel, mutation): reason.
EQUIVALENT = {
    (name, "cp.async.bulk.wait_group"): "tiles at tile // n and tile % n of a runtime n are disjoint, which is not proven"
    for name in ("persistent_flat", "persistent_0_steps")
} | {
    ("multiplied_specialized", "cp.async.bulk.wait_group.read"): "a copy of the wait for threads that store nothing",
    ("multiplied_specialized", "mbarrier.try_wait"): "a loop for lanes of the producer that copy nothing",
    ("multiplied_f16_nn", "barrier.cluster.arrive.aligned"): "at the end: a CTA has waited for all arrivals and copies of others",
}

RUNS = [[], ["--schedule", "adversarial", "--landing", "wait"],
        ["--schedule", "random", "--landing", "random", "--seed", "3", "--proxy-at-fence"]]
STEPS = ["--steps", "400000"]

NAMES = """copied_tiles two_results reordered outside_nan_f16 added_i32 stored_and_added bits_i64 of_head made_in_loop multiplied_f16_nn
multiplied_large persistent_flat persistent_0_steps early_exit subtiles two_loops_32 attention_causal gradients_kv_causal convolution
log_sums linear_attention multiplied_specialized multiplied_specialized@2 multiplied_specialized@4 persistent_specialized@4
attention_specialized@2 mirrored@2 multiplied_f16_nn@2 persistent_flat@4""".split()


def mutations(line):
    """(name, the line with one instruction changed) for each mutation of a line."""
    for match in PLACE.finditer(line):
        before, after, text = line[:match.start()], line[match.end():], match.group(0)
        kind = "mbarrier.try_wait" if match["wait"] else match["kind"]
        if "fence.proxy.tensormap" in line[:match.start()] or kind.startswith("fence.mbarrier_init"):
            continue
        guard = "" if match["wait"] else text[:match.start("kind") - match.start()]
        if kind.startswith("mapa"):
            to, of = match["operands"].split(",")[:2]
            yield "the own mbarrier", f"{before}{guard}mov.b32{to}, {of};{after}"
            continue
        if kind.endswith("multicast::cluster"):
            mask = match["operands"].rsplit(",", 1)[1].strip()
            smaller = text.replace(f", {mask};", ", fewer;")
            yield "without the first CTA", (f"{before}{{ .reg .b16 fewer; .reg .b16 less; sub.s16 less, {mask}, 1; "
                                            f"and.b16 fewer, {mask}, less; {smaller} }}{after}")
            continue
        yield kind, before + after
        if match["wait"]:
            flipped = text.replace(f", {match['phase']};", ", flipped;").replace(
                "{ .reg .pred done;", f"{{ .reg .pred done; .reg .b32 flipped; xor.b32 flipped, {match['phase']}, 1;")
            yield "other phase", before + flipped + after
        elif "arrive.expect_tx" in kind:
            address = match["operands"].split("[")[1].split("]")[0]
            size = match["operands"].rsplit(",", 1)[1].strip()
            yield "only arrive", f"{before}{guard}mbarrier.arrive.shared.b64 _, [{address}];{after}"
            yield "only expect_tx", f"{before}{guard}mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{address}], {size};{after}"


class Kernel:
    """A kernel of the zoo, its PTX, and the outputs of the original in each configuration."""

    def __init__(self, folder, name, work):
        self.name, self.work = name, work
        kernel, _, ctas = name.partition("@")
        self.source = os.path.join(folder, kernel + ".ttir")
        text = open(self.source).read()
        command = re.search(r"DEFINE: %\{run\} = (.*)", text)[1].split()
        options = re.search(r"RUN: %\{run\} (.*)", text)[1].split()
        self.grid = command[command.index("--grid") + 1]
        self.arguments = [command[i + 1].replace("%S", folder) for i, word in enumerate(command) if word == "--arg"]
        compiled = [word for i, word in enumerate(options)
                    if {word, options[i - 1]} & {"--target", "--num-warps", "--num-stages", "--num-ctas"}]
        compiled += ["--num-ctas", ctas] if ctas else []
        path = os.path.join(work, name + ".ptx")
        subprocess.run(["nereid", "compile", self.source, "--emit", "ptx", "-o", path, *compiled], check=True)
        self.lines = open(path).read().split("\n")
        self.outputs = [argument.split("=")[0] for argument in self.arguments if "[" in argument]
        self.expected = {}

    def run(self, lines, key, *options):
        """(a digest of the outputs or None, a message or None)"""
        work = os.path.join(self.work, f"{self.name}.{key}")
        os.makedirs(work)
        path = os.path.join(work, self.name + ".ptx")
        with open(path, "w") as file:
            file.write("\n".join(lines))
        shutil.copy(os.path.join(self.work, self.name + ".ptx.json"), path + ".json")
        command = ["nereid", "run", path, "--on", "emulator", "--racecheck", "--grid", self.grid, *STEPS, *options]
        for argument in self.arguments:
            command += ["--arg", argument]
        for name in self.outputs:
            command += ["--out", f"{name}={work}/{name}.npy"]
        try:
            got = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return None, "hangs"
        finally:
            digest = hashlib.sha256()
            for name in self.outputs:
                if os.path.exists(f"{work}/{name}.npy"):
                    digest.update(open(f"{work}/{name}.npy", "rb").read())
            shutil.rmtree(work)
        message = (got.stderr.strip() or got.stdout.strip() or "fails").split("\n")[0]
        return digest.hexdigest(), message if got.returncode else None

    def prepare(self):
        for i, options in enumerate(RUNS):
            self.expected[i], message = self.run(self.lines, "original", *options)
            if message:
                return f"{self.name}: the original fails: {message}"
        return None

    def mutants(self):
        return [(i, *mutation) for i, line in enumerate(self.lines) for mutation in mutations(line)]

    def executed(self, index, key):
        lines = list(self.lines)
        lines[index] = "\ttrap;\n" + lines[index]
        return self.run(lines, key)[1] is not None

    def judge(self, index, kind, line):
        """None where the instruction is not executed; otherwise how the mutant is noticed, '' for a survivor."""
        key = f"{index}.{re.sub('[^a-z]', '_', kind)}"
        lines = list(self.lines)
        lines[index] = line
        if kind.startswith("barrier.cluster.arrive"):
            assert "barrier.cluster.wait" in lines[index + 1]
            lines[index + 1] = ""
        for i, options in enumerate(RUNS):
            digest, message = self.run(lines, key, *options)
            if message or digest != self.expected[i]:
                return message or "other results"
        return "" if self.executed(index, key) else None


def table(rows):
    counts = collections.defaultdict(lambda: [0, 0])
    for kind, noticed in rows:
        for key in (kind, "all"):
            counts[key][0] += 1
            counts[key][1] += bool(noticed)
    yield "| mutation | mutants | noticed |"
    yield "|---|---|---|"
    for key in sorted(counts, key=lambda key: (key == "all", key)):
        yield f"| {key if key in ('all', 'other phase') else '`' + key + '`'} | {counts[key][0]} | {counts[key][1]} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table")
    options = parser.parse_intermixed_args()
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernels = [Kernel(options.folder, name, work) for name in options.names or NAMES]
        mutants = [(kernel, *mutant) for kernel in kernels for mutant in kernel.mutants()]
        if options.sample:
            mutants = mutants[::max(1, len(mutants) // options.sample)]
        chosen = [kernel for kernel in kernels if any(kernel is mutant[0] for mutant in mutants)]
        for message in filter(None, pool.map(Kernel.prepare, chosen)):
            failed = True
            print(message)
        verdicts = pool.map(lambda mutant: mutant[0].judge(*mutant[1:]), mutants)
        for (kernel, index, kind, _), noticed in zip(mutants, verdicts):
            if noticed is None:
                continue
            known = EQUIVALENT.get((kernel.name.partition("@")[0], kind))
            if not noticed and known:
                print(f"{kernel.name}.ptx:{index + 1}\t{kind}\tequivalent: {known}", flush=True)
                continue
            rows.append((kind, noticed))
            if not noticed:
                print(f"{kernel.name}.ptx:{index + 1}\t{kind}\t{kernel.lines[index].strip()}", flush=True)
    lines = list(table(rows))
    print("\n".join(lines))
    if options.table:
        with open(options.table, "w") as file:
            file.write("\n".join(lines) + "\n")
    noticed = sum(bool(row[1]) for row in rows)
    sys.exit(1 if failed or noticed < 0.99 * len(rows) else 0)


if __name__ == "__main__":
    main()
