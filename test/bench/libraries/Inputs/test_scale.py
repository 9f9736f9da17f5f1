"""A library with one autotuned kernel, and its test: what bench/libraries/collect.py collects from."""

import pytest
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64 << i}, num_warps=2 << i) for i in range(3)], key=["n"])
@triton.jit
def scale_rows(src, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(src + at, mask=at < n) * factor, mask=at < n)


@pytest.mark.parametrize("size", [300, 500, 700, 900])
def test_scale(size):
    src = torch.ones(size, device="cuda")
    out = torch.empty_like(src)
    assert src.is_cuda and out.device.type == "cuda"
    scale_rows[(8,)](src, out, size, 3.0)
    torch.testing.assert_close(out, src * 3)
