"""Kernels of the classes in which Triton 3.6 or 3.9 was once faster: sums along dimension 0 in a loop, row sorts in the forms
of both front ends, casts to fp8, libdevice. The kernels are in bench/gpu/kernels."""

import os

import numpy
import torch

from harness import Case, f64

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")
OPTIONS = {"num_warps": 4, "num_stages": 3}


def case(name, *rest):
    return Case(name, os.path.join(FOLDER, name + ".ttir"), *rest, OPTIONS)


def cases():
    g = torch.Generator(device="cuda").manual_seed(5)
    rows, columns, i32 = 4096, 16384, numpy.int32
    x = torch.randn(rows, columns, device="cuda", generator=g)
    sums = torch.zeros(columns, device="cuda")
    for name, source in (("column_sums", x), ("column_sums_f16", x.half()), ("column_accumulators", x)):
        tolerance = 0.2 if source.dtype == torch.float16 else 2e-3  # tiles are summed in their type
        yield case(name, (columns // 128, 1, 1), [source, sums, i32(rows), i32(columns)], [sums],
                   lambda source=source: [f64(source).sum(0)], source.numel() * source.element_size(), tolerance)

    ordered = torch.zeros(65536, 256, device="cuda")
    unordered = x.view(-1, 256)[:65536]
    for name in ("row_sort", "row_sort_3_9"):
        yield case(name, (65536 // 4, 1, 1), [unordered, ordered], [ordered], lambda: [f64(unordered.sort(1).values)],
                   8 * ordered.numel(), 0.0)

    n = x.numel()
    narrow = torch.zeros(n, device="cuda", dtype=torch.float8_e4m3fn)
    yield case("fp8_cast_wide", (n // 4096, 1, 1), [x, narrow, i32(n)], [narrow],
               lambda: [f64(x.view(-1).to(torch.float8_e4m3fn).float())], 5 * n, 0.0)

    m = n // 4
    a, b = x.view(-1)[:m], x.view(-1)[m:2 * m]
    out = torch.zeros(m, device="cuda")

    def mix():
        p, q = f64(a), f64(b)
        return [p.tanh() + q.erf() * p.expm1() + q.abs().log1p() + p.abs() ** q]

    yield case("libdevice_mix", (m // 1024, 1, 1), [a, b, out, i32(m)], [out], mix, 12 * m, 1e-3)
