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


def test_arithmetic_of_large_tensors_is_skipped():
    weights = torch.randn(1 << 13, 1 << 13, device="cuda", dtype=torch.float64, requires_grad=True)
    product = weights @ weights
    product.sum().backward()
    assert weights.grad.shape == weights.shape
    small = torch.arange(4, device="cuda", dtype=torch.float32)
    assert (small * 2).tolist() == [0, 2, 4, 6]


def test_implementation_for_cuda_is_called():
    calls = []
    library = torch.library.Library("aten", "IMPL")
    library.impl("sinh", lambda value: calls.append(value) or value, "CUDA")
    torch.sinh(torch.ones(8, device="cuda"))
    library._destroy()
    torch.sinh(torch.ones(8, device="cuda"))
    assert len(calls) == 1
