"""Times the kernels of a library on inputs of the sizes of models, compiled by Nereid or by Triton. Needs a GPU.

    NEREID=build/release/bin/nereid python bench/libraries/time_workloads.py WORKLOADS [--position PERCENT] [--jobs N]
        [--only REGEX] [--seconds N] [--length N] [--report FILE] [--collect FOLDER | --emulator [LIBRARY]]

WORKLOADS is a Python file, such as workloads/flash_linear_attention.py, whose `cases(length)` yields pairs of a name and a function;
`length` is the number of tokens of a sequence. The function makes inputs with a fixed seed, calls the library and returns its results
and gradients. The library has to be in PYTHONPATH. NEREID=0 selects Triton.

First --jobs processes run the cases once, so that all kernels are in Triton's cache: TRITON_CACHE_DIR, or a temporary folder. Then one
process runs each case: once to warm up and 5 times under torch.profiler, with a flushed L2 cache. After a fault of the GPU another
process continues. The report has the format of run_tests.py --times, for compare_times.py: the microseconds of each kernel, as
NAME#HASH with a hash of its source, constants and grid, and "sums": for each result a weighted sum and the norm.

With --position every autotuned kernel uses the configuration at this percentage of its list, or the next one that fits the GPU, so that
two compilers get the same kernels. --collect writes the ttir and options of the kernels for compile.py, without a GPU. --emulator
runs the cases on the PTX emulator, without times; a small --length keeps that short.
"""

import argparse
import concurrent.futures
import gc
import hashlib
import json
import multiprocessing
import os
import re
import runpy
import signal
import sys
import tempfile
import time
import traceback
import warnings

import torch
import triton
from torch.utils._pytree import tree_flatten
from triton.runtime.errors import OutOfResources

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emulated_gpu  # noqa: E402

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "libnereid-launch.so")
REPETITIONS = 5
FLUSHED = 256 << 20  # bytes, several times the L2 cache
NAME = 120  # characters of a name in the report; C++ names are longer
PIECE = 1 << 24  # elements of a result that are summed at a time
MARGIN = 60  # seconds that a case may take beyond its limit before its process is ended


class TooSlow(Exception):
    """A case that exceeds its time."""


def stop_case(*_):
    raise TooSlow()


def read_cases(options):
    found = runpy.run_path(options.workloads)["cases"](options.length)
    return [(name, function) for name, function in found if re.search(options.only, name)]


def use_position(percent):
    """Autotuned kernels use the configuration at a percentage of their list, without tuning."""

    def run(tuner, *args, **kwargs):
        tuner.nargs = dict(zip(tuner.arg_names, args))
        configs = list(tuner.prune_configs(kwargs)) if len(tuner.configs) > 1 else tuner.configs
        first = round((len(configs) - 1) * percent / 100)
        for config in configs[first:] + configs[:first]:
            try:
                tuner.best_config = config
                if config.pre_hook is not None:
                    config.pre_hook({**tuner.nargs, **kwargs, **config.all_kwargs()})
                result = tuner.fn.run(*args, **kwargs, **config.all_kwargs())
                tuner.nargs = None
                return result
            except OutOfResources as error:
                refusal = error
        raise refusal

    triton.runtime.autotuner.Autotuner.run = run


class Launches:
    """The launches of Triton's kernels in order: pairs of a name and a hash of source, constants and grid."""

    def __init__(self):
        self.log = log = []

        class Launcher(triton.runtime.driver.active.launcher_cls):
            def __init__(self, source, metadata):
                super().__init__(source, metadata)
                self.kernel, self.identity = metadata.name, f"{source.hash()} {metadata.num_stages}"

            def __call__(self, x, y, z, *arguments):
                if x * y * z:
                    log.append((self.kernel, hashlib.sha256(f"{self.identity} {x} {y} {z}".encode()).hexdigest()[:6]))
                super().__call__(x, y, z, *arguments)

        triton.runtime.driver.active.launcher_cls = Launcher

    def times(self, profile):
        """{NAME#HASH: microseconds of each launch}; a kernel that another launcher launches, too, keeps its name."""
        events, hashes, times = {}, {}, {}
        for event in sorted(profile.events(), key=lambda event: event.time_range.start):
            if event.device_type.name == "CUDA":
                events.setdefault(event.name, []).append(round(event.device_time, 2))
        for name, key in self.log:
            hashes.setdefault(name, []).append(key)
        for name, found in events.items():
            keys = hashes.get(name, [])
            names = [f"{name}#{key}" for key in keys] if len(keys) == len(found) else [name[:NAME]] * len(found)
            for key, duration in zip(names, found, strict=True):
                times.setdefault(key, []).append(duration)
        return times


def summarize(results):
    """A weighted sum and the norm of each result. Errors of the elements change the sum by about the norm of the errors."""
    sums = []
    for tensor in tree_flatten(results)[0]:
        if isinstance(tensor, torch.Tensor):
            total = norm = 0.0
            for start, piece in enumerate(tensor.detach().reshape(-1).split(PIECE)):
                piece = piece.double()
                indices = torch.arange(piece.numel(), dtype=torch.float64, device=piece.device)
                total += (piece * torch.cos(indices + start * PIECE)).sum().item()
                norm += piece.square().sum().item()
            sums.append([total, norm ** 0.5])
    return sums


def measure(function, launches):
    """Times of kernels, and sums of results."""
    function()
    flush = torch.empty(FLUSHED, dtype=torch.int8, device="cuda")
    torch.cuda.synchronize()
    launches.log.clear()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(REPETITIONS):
            flush.zero_()
            results = function()
            torch.cuda.synchronize()
    return launches.times(profile), summarize(results)


def run_case(function, options, launches, timed):
    """The report of a case; its name is missing."""
    report = {"outcome": "passed", "error": "", "kernels": {}, "sums": []}
    signal.alarm(options.seconds)
    try:
        if timed:
            report["kernels"], report["sums"] = measure(function, launches)
        else:
            results = function()
            report["sums"] = summarize(results) if options.emulator else []
            torch.cuda.synchronize()
    except Exception:
        report.update(outcome="failed", error=traceback.format_exc()[-4000:])
    signal.alarm(0)
    gc.collect()
    return report


def is_broken():
    """Whether a fault has made the GPU unusable for this process."""
    try:
        torch.cuda.empty_cache()
        torch.cuda.synchronize()
        return False
    except Exception:
        return True


def work(options, indices, timed, channel):
    """Runs cases in this process and sends their reports, up to a fault of the GPU."""
    warnings.showwarning = lambda *_, **__: None  # Triton resets filters
    prepare(options)
    launches, cases = Launches(), read_cases(options)
    signal.signal(signal.SIGALRM, stop_case)
    for index in indices:
        name, function = cases[index]
        channel.send({"test": name, **run_case(function, options, launches, timed)})
        if is_broken():
            break
    channel.close()
    sys.stdout.flush()
    os._exit(0)  # destructors fail after a fault


def supervise(options, names, indices, timed, receive):
    """Runs cases in a process, and in another one after each fault."""
    context, indices = multiprocessing.get_context("spawn"), list(indices)
    while indices:
        channel, end = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(options, indices, timed, end))
        process.start()
        end.close()
        try:
            while indices and channel.poll(options.seconds + MARGIN):
                receive(channel.recv())
                del indices[0]
            process.kill()
        except EOFError:
            pass
        process.join()
        if process.exitcode and indices:
            receive({"test": names[indices.pop(0)], "outcome": "error", "error": f"the process ended: {process.exitcode}",
                     "kernels": {}, "sums": []})


def prepare(options):
    """The device and the compiler of this process."""
    if options.emulator:
        emulated_gpu.install(os.path.abspath(options.emulator))
    else:
        emulated_gpu.register_compiler()
    if options.position is not None:
        use_position(options.position)


def run(options):
    names = [name for name, _ in read_cases(options)]
    outcomes, started = {}, time.time()
    if not options.emulator:
        shares = [range(part, len(names), options.jobs) for part in range(options.jobs)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
            list(threads.map(lambda share: supervise(options, names, share, False, lambda report: None), shares))
        print(f"{len(names)} cases compiled in {time.time() - started:.0f} s", flush=True)
    with open(options.report or os.devnull, "w", encoding="utf-8") as file:
        def receive(report):
            outcomes[report["outcome"]] = outcomes.get(report["outcome"], 0) + 1
            print(json.dumps(report), file=file, flush=True)
            if report["outcome"] != "passed":
                print(f"{report['test']}: {report['error'].strip().splitlines()[-1][:200]}", flush=True)

        supervise(options, names, range(len(names)), not options.emulator, receive)
    print(f"{outcomes}; {time.time() - started:.0f} s")


def collect(options):
    """Writes the ttir of all kernels, as collect.py does for the tests of a library."""
    import collect as collection  # activates the GPU that is not there
    warnings.showwarning = lambda *_, **__: None  # Triton resets filters
    os.makedirs(options.collect, exist_ok=True)
    library = os.path.splitext(os.path.basename(options.workloads))[0]
    collector = collection.Collector(os.path.abspath(options.collect), library, 0, options.seconds)
    triton.knobs.compilation.always_compile = True
    triton.knobs.runtime.add_stages_inspection_hook = collector.add_stages
    if options.position is not None:
        use_position(options.position)
    else:
        collection.fake_gpu.limit_autotuner(3)
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, stop_case)
    failures = 0
    for collector.test, function in read_cases(options):
        signal.alarm(options.seconds)
        before = len(collector.seen)
        try:
            function()
        except Exception as error:
            failures += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{collector.test}: {type(error).__name__}: {str(error)[:300]} ({place.filename}:{place.lineno})")
        signal.alarm(0)
        print(f"{collector.test}: {len(collector.seen) - before} kernels", flush=True)
        gc.collect()
    print(f"{len(collector.seen)} kernels; {failures} cases failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", help="Python file with the cases")
    parser.add_argument("--position", type=float, help="percentage of the list of configurations of an autotuned kernel; default: tune")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that compile")
    parser.add_argument("--only", default="", help="regular expression of the names of cases")
    parser.add_argument("--seconds", type=int, default=120, help="time limit of a case")
    parser.add_argument("--length", type=int, default=4096, help="tokens of a sequence")
    parser.add_argument("--report", help="file of the times")
    parser.add_argument("--collect", help="folder of the ttir; nothing is launched")
    parser.add_argument("--emulator", nargs="?", const=LIBRARY, help="run on the emulator; path of libnereid-launch.so")
    options = parser.parse_args()
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="workloads-") as folder:
        os.environ.setdefault("TRITON_CACHE_DIR", folder)
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(folder, "inductor"))
        if options.collect:
            collect(options)
        else:
            run(options)


if __name__ == "__main__":
    main()
