"""Runs the tests of a library, or Triton's own, with kernels that Nereid compiles: on the PTX emulator or on the GPU.

    NEREID=build/release/bin/nereid python bench/libraries/run_tests.py [--gpu [--times] | --emulator LIBRARY] [--racecheck]
        [--counters] [--target 90] [--cases N] [--configs N] [--seconds N] [--part I/N] [--report FILE] -- PYTEST_ARGUMENTS

Needs what collect.py needs, and libnereid-launch.so. Of a parametrized test N cases run, spread over all. A case may take
--seconds; the operators of PyTorch take host time, too. With NEREID=0 Triton compiles: a test that fails with both compilers
tests something that this GPU does not have. --part runs one of N parts of the tests, in order to use several processors.
The report has one JSON object per case: test, outcome, error, launches (with --counters), kernels (with --times: for each kernel
the microseconds of its launches on the GPU). bench/libraries/compare_times.py prints two reports side by side.
"""

import argparse
import json
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emulated_gpu  # noqa: E402

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "libnereid-launch.so")


class TooSlow(Exception):
    """A case that exceeds its time."""


def stop_test(*_):
    raise TooSlow()


class Cases:
    """A plugin of pytest that selects cases, limits their time and reports their outcomes."""

    def __init__(self, pytest, arguments):
        self.arguments, self.outcomes = arguments, {}
        self.report = open(arguments.report, "w", encoding="utf-8") if arguments.report else None
        self.part, self.parts = map(int, arguments.part.split("/"))
        self.skipped = pytest.skip.Exception
        self.profile, self.kernels = None, {}

    def pytest_collection_modifyitems(self, items):
        groups = {}
        for item in items:
            groups.setdefault((item.fspath, getattr(item, "originalname", item.name)), []).append(item)
        kept = []
        for cases in groups.values():
            kept += cases[::max(1, -(-len(cases) // self.arguments.cases))]
        items[:] = kept[self.part::self.parts]

    def pytest_runtest_protocol(self, item):
        signal.signal(signal.SIGALRM, stop_test)
        signal.alarm(self.arguments.seconds)

    def pytest_runtest_setup(self, item):
        if self.arguments.times:
            import torch
            self.profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
            self.profile.__enter__()

    def pytest_runtest_teardown(self, item):
        self.stop_profile()

    def stop_profile(self):
        """Ends the measurement of a case, if there is one; self.kernels has its times."""
        self.kernels = {}
        if not self.profile:
            return
        self.profile.__exit__(None, None, None)
        for event in self.profile.events():
            if event.device_type.name == "CUDA":
                self.kernels.setdefault(event.name, []).append(round(event.device_time, 2))
        self.profile = None

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.stop_profile()
        if report.when == "call" or report.outcome != "passed":
            outcome = report.outcome if report.when == "call" or report.outcome == "skipped" else "error"
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
            error = str(report.longrepr)[-4000:] if outcome in ("failed", "error") else ""
            if self.report:
                launches = [] if self.arguments.gpu else emulated_gpu.Launcher.emulator.launches
                print(json.dumps({"test": report.nodeid, "outcome": outcome, "error": error, "launches": launches,
                                  "kernels": self.kernels}),
                      file=self.report, flush=True)
                launches.clear()
        if report.when == "teardown":
            signal.alarm(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true", help="use the GPU; --racecheck, --counters and --target are for the emulator")
    parser.add_argument("--times", action="store_true", help="the report has the times of kernels on the GPU")
    parser.add_argument("--emulator", default=LIBRARY, help="path of libnereid-launch.so")
    parser.add_argument("--racecheck", action="store_true", help="a race is an error")
    parser.add_argument("--counters", action="store_true", help="the report has counters of each launch")
    parser.add_argument("--target", type=int, default=90, help="compute capability that the GPU reports")
    parser.add_argument("--cases", type=int, default=10, help="cases per parametrized test")
    parser.add_argument("--configs", type=int, help="configurations per autotuned kernel; default: all")
    parser.add_argument("--seconds", type=int, default=60, help="time limit of a case")
    parser.add_argument("--part", default="0/1", help="I/N: every N-th case, from the I-th on")
    parser.add_argument("--memory", type=int, default=10, help="GiB of address space")
    parser.add_argument("--report", help="file of the outcomes")
    parser.add_argument("pytest", nargs="*")
    arguments = parser.parse_args()
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    if arguments.gpu:
        emulated_gpu.register_compiler()
    else:
        resource.setrlimit(resource.RLIMIT_AS, (arguments.memory << 30, arguments.memory << 30))
        emulated_gpu.install(os.path.abspath(arguments.emulator), arguments.target, arguments.racecheck, arguments.counters)
    if arguments.configs:
        emulated_gpu.fake_gpu.limit_autotuner(arguments.configs)
    import pytest
    cases = Cases(pytest, arguments)
    del sys.argv[1:]  # some libraries parse it
    status = pytest.main(["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-p", "no:warnings", "--disable-warnings",
                          *arguments.pytest], plugins=[cases])
    print(f"{cases.outcomes}; pytest status {int(status)}")
    if not arguments.gpu:  # handles of CUDA's libraries, such as cuBLAS, do not exist without a GPU: their destruction crashes
        sys.stdout.flush()
        os._exit(int(status))
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
