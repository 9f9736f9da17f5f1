"""Collects the kernels that the tests of a library compile, without a GPU: a .ttir and its options for each.

    python bench/libraries/collect.py --out FOLDER [--library NAME] [--configs N] [--cases N] [--seconds N] [--memory GIB] -- PYTEST_ARGUMENTS

Needs PyTorch, Triton 3.6 or later, pytest, and the library and its tests in the current folder. Writes
KERNEL-HASH.ttir and KERNEL-HASH.json (options, library, test) per distinct kernel; bench/libraries/compile.py compiles them.
Of an autotuned kernel N configurations are collected, of a parametrized test N cases. Tests run until their comparisons,
which are disabled: kernels are not launched, so their results have no meaning. Tests of these libraries were collected:

    flash-linear-attention  -- tests/ops                                      with einops, transformers
    Liger-Kernel            -- -o log_cli=false test/transformers             with transformers; PYTHONPATH=src:.
    FlagGems                -- tests                                          with pyyaml, sqlalchemy, scipy; PYTHONPATH=src
                                                                              GEMS_VENDOR=nvidia FLAGGEMS_ENABLE_DISK_CACHE=0
"""

import argparse
import functools
import hashlib
import json
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_gpu  # noqa: E402

fake_gpu.install()

import pytest  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
from triton.backends.compiler import Language  # noqa: E402

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "launch_cooperative_grid", "launch_pdl")


class Collector:
    """A stage hook that writes each ttir and replaces the later stages, and a plugin of pytest."""

    def __init__(self, out, library, cases, seconds):
        self.out, self.library, self.cases, self.seconds = out, library, cases, seconds
        self.seen, self.test, self.failures, self.outcomes = set(), "", {}, {}

    def add_stages(self, backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            return "collect", "collect"
        if language == Language.TRITON:
            stages["ttgir"] = functools.partial(self.write, options)
            for name in ("llir", "ptx"):
                stages[name] = lambda source, metadata: ""
            stages["cubin"] = lambda source, metadata: b""
        return None

    def write(self, options, module, metadata):
        text = str(module)
        settings = {name: getattr(options, name) for name in OPTIONS}
        name = module.get_entry_func_name()
        metadata.update(name=name, shared=0, tmem_size=0, tensordesc_meta=None, global_scratch_size=0,
                        global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1)
        code = "\n".join(line for line in text.splitlines() if not line.startswith("#loc"))
        key = hashlib.sha256((code + repr(settings)).encode()).hexdigest()[:8]
        if key not in self.seen:
            self.seen.add(key)
            path = os.path.join(self.out, f"{name[:60]}-{key}")
            with open(path + ".ttir", "w") as file:
                file.write(text)
            with open(path + ".json", "w") as file:
                json.dump({**settings, "library": self.library, "test": self.test, "triton": triton.__version__}, file)
        return ""

    def pytest_collection_modifyitems(self, items):
        """Keeps some cases of each test, spread over all of them, and disables comparisons."""
        groups = {}
        for item in items:
            groups.setdefault((item.fspath, getattr(item, "originalname", item.name)), []).append(item)
            disable_comparisons(item.module)
        kept = []
        for cases in groups.values():
            step = max(1, -(-len(cases) // self.cases))
            kept += cases[::step]
        items[:] = kept

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        self.test = item.nodeid
        signal.signal(signal.SIGALRM, stop_test)
        signal.alarm(self.seconds)
        outcome = yield
        signal.alarm(0)
        kind = type(outcome.excinfo[1]).__name__ if outcome.excinfo else "ran"
        self.outcomes[kind] = self.outcomes.get(kind, 0) + 1
        if kind not in ("ran", "AssertionError", "Skipped"):
            self.failures.setdefault(f"{kind}: {str(outcome.excinfo[1])[:160]}", []).append(item.nodeid)


class TooSlow(Exception):
    """A test that exceeds the seconds per test."""


def stop_test(*_):
    raise TooSlow()


def disable_comparisons(module):
    for name, value in list(vars(module).items()):
        if callable(value) and "assert" in name and not name.startswith("test"):
            setattr(module, name, lambda *_, **__: None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--library", default=os.path.basename(os.getcwd()))
    parser.add_argument("--configs", type=int, default=3, help="configurations per autotuned kernel")
    parser.add_argument("--cases", type=int, default=3, help="cases per parametrized test")
    parser.add_argument("--seconds", type=int, default=30, help="time limit of a test")
    parser.add_argument("--memory", type=int, default=16, help="GiB of address space of this process; tests that exceed it fail")
    parser.add_argument("pytest", nargs="*")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (arguments.memory << 30, arguments.memory << 30))
    os.makedirs(arguments.out, exist_ok=True)
    del sys.argv[1:]  # some libraries parse it
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    triton.knobs.compilation.always_compile = True
    collector = Collector(os.path.abspath(arguments.out), arguments.library, arguments.cases, arguments.seconds)
    triton.knobs.runtime.add_stages_inspection_hook = collector.add_stages
    fake_gpu.limit_autotuner(arguments.configs)
    torch.testing.assert_close = lambda *_, **__: None
    torch.allclose = torch.equal = lambda *_, **__: True
    torch.set_num_threads(1)
    status = pytest.main(["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:warnings",
                          "--disable-warnings", *arguments.pytest], plugins=[collector])
    for cause, tests in sorted(collector.failures.items(), key=lambda pair: -len(pair[1])):
        print(f"{len(tests):4} {cause.splitlines()[0] if cause else ''}    {tests[0]}")
    print(f"{len(collector.seen)} kernels; tests: {collector.outcomes}; pytest status {int(status)}")


if __name__ == "__main__":
    main()
