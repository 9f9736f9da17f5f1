"""Inputs, results and gradients of the workloads that time_workloads.py runs."""

import torch

FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)


def random(*shape, dtype=torch.bfloat16, scale=1.0):
    """Normally distributed values on the GPU."""
    return (torch.randn(*shape, device="cuda") * scale).to(dtype)


def tensors(results):
    """The tensors of nested results, in order; floats of 8 bits, which PyTorch cannot sum, are widened."""
    if isinstance(results, (tuple, list)):
        return [value for result in results for value in tensors(result)]
    if not isinstance(results, torch.Tensor):
        return []
    return [results.float() if results.dtype in FP8 else results]


def differentiate(function, inputs, **options):
    """The results of a function, and the gradients of its floating-point inputs for random gradients of the results."""
    leaves = [value.requires_grad_() for value in inputs.values() if isinstance(value, torch.Tensor) and value.is_floating_point()]
    results = tensors(function(**inputs, **options))
    outputs = [value for value in results if value.requires_grad]
    gradients = torch.autograd.grad(outputs, leaves, [torch.randn_like(value) for value in outputs], allow_unused=True)
    return results + tensors(gradients)
