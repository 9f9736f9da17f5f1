"""Records launches through examples/triton_recording.py without a GPU: Triton compiles, a stand-in launches.

usage: triton_recording_launch.py EXAMPLES_FOLDER OUTPUT_FOLDER"""

import array
import logging
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

sys.path.insert(0, sys.argv[1])
import triton_recording  # noqa: E402


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


class Storage:
    def __init__(self, data):
        self.data = data

    def nbytes(self):
        return len(self.data) * self.data.itemsize

    def cpu(self):
        return self.data.tobytes()


class Tensor:
    """A part of an array on the host, with the methods that a recording calls."""

    def __init__(self, values, offset=0):
        self.data, self.offset = array.array("f", values), offset

    def untyped_storage(self):
        return Storage(self.data)

    def storage_offset(self):
        return self.offset

    def element_size(self):
        return self.data.itemsize


class Matrix:
    """A library's class on top of a tensor."""

    def __init__(self, tensor=None):
        if tensor:
            self.storage = tensor

    def data_ptr(self):
        return 0


def launch(function, x, out, n, factor, BLOCK, grid, warmup):
    signature = {"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}
    kernel = triton.compile(ASTSource(function, signature, {"BLOCK": BLOCK}), target=GPUTarget("cuda", 90, 32),
                            options={"num_warps": 2})
    out = getattr(out, "storage", out)
    for i in range(n):
        out.data[i] = x.data[x.offset + i] * factor
    return kernel


logging.basicConfig(stream=sys.stdout, format="%(message)s")
JITFunction.run = launch
triton_recording.register(sys.argv[2], 4096)
x, out = Tensor(range(200), offset=8), Tensor([0] * 192)
for _ in range(2):  # the second launch is not recorded
    scale[lambda bound: (triton.cdiv(bound["n"], bound["BLOCK"]),)](x, Matrix(out), 150, 0.5, BLOCK=64)
scale[(1,)](Tensor([0] * 2048), out, 64, 2.0, BLOCK=32)
scale[(1,)](Matrix(), Tensor([0] * 64), 0, 2.0, BLOCK=16)
