"""Triton's code and Nereid's of the same kernels in one process, and the time of a launch."""

import os
import statistics
import sys

import torch
import triton
from triton import knobs
from triton.backends.nvidia import compiler as nvidia

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples"))
import triton_stages  # noqa: E402

RUNS, FLUSHED_BYTES, HEAD_START_CYCLES = 10, 256 << 20, 3_000_000
HASH = nvidia.CUDABackend.hash


class Compiler:
    """Triton, or Nereid below its front end: functions of its own, and the state of Triton while they are compiled."""

    def __init__(self, nereid, functions):
        knobs.runtime.add_stages_inspection_hook = None
        nvidia.CUDABackend.hash = HASH
        if nereid:
            os.environ["NEREID"] = nereid
            triton_stages.register()
        self.state = knobs.runtime.add_stages_inspection_hook, nvidia.CUDABackend.hash
        self.functions = {name: triton.JITFunction(function.fn) for name, function in functions.items()}

    def activate(self):
        knobs.runtime.add_stages_inspection_hook, nvidia.CUDABackend.hash = self.state


def microseconds(run, flush):
    """The median time of some runs, each after `flush`, a tensor larger than the L2 cache, is written; None: with a warm cache."""
    begin, end = ([torch.cuda.Event(enable_timing=True) for _ in range(RUNS)] for _ in range(2))
    torch.cuda._sleep(HEAD_START_CYCLES)  # the host enqueues faster than the GPU executes from here on
    for i in range(RUNS):
        if flush is not None:
            flush.zero_()
        begin[i].record()
        run()
        end[i].record()
    torch.cuda.synchronize()
    return 1e3 * statistics.median(b.elapsed_time(e) for b, e in zip(begin, end))
