"""many_loads.py LOADS MEBIBYTES: prints "ok" when tritongpu-coalesce processes a sum of many loads with less memory.

Needs nereid-opt on the PATH.
"""

import resource
import subprocess
import sys


def module(loads):
    yield '#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n'
    yield 'module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {\n'
    yield "tt.func public @k(%p: tensor<1024x!tt.ptr<f16>, #b>, %s0: tensor<1024xf16, #b>) -> tensor<1024xf16, #b> {\n"
    yield "  %c = arith.constant dense<1> : tensor<1024xi32, #b>\n"
    yield "  %q = tt.addptr %p, %c : tensor<1024x!tt.ptr<f16>, #b>, tensor<1024xi32, #b>\n"
    for i in range(loads):
        yield "  %%x%d = tt.load %%q : tensor<1024x!tt.ptr<f16>, #b>\n" % i
        yield "  %%s%d = arith.addf %%s%d, %%x%d : tensor<1024xf16, #b>\n" % (i + 1, i, i)
    yield "  tt.return %%s%d : tensor<1024xf16, #b>\n}\n}\n" % loads


def main(loads, limit):
    command = ["nereid-opt", "-", "--tritongpu-coalesce", "-o", "/dev/null"]
    subprocess.run(command, input="".join(module(loads)), text=True, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print("ok" if used < limit else "%d MiB" % used)


main(int(sys.argv[1]), int(sys.argv[2]))
