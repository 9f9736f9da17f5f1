"""many_loops.py LOOPS MEBIBYTES: prints "ok" when nereid compiles a function of many loops with less memory.

The module is compiled down to the LLVM dialect. Needs nereid on the PATH.
"""

import resource
import subprocess
import sys


def module(loops):
    yield "tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {\n"
    yield "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
    for i in range(loops):
        yield "  scf.for %%i%d = %%c0 to %%n step %%c1 : i32 {\n" % i
        for j in range(4):
            yield "    %%a%d_%d = tt.addptr %%p, %%i%d : !tt.ptr<f32>, i32\n" % (i, j, i)
            yield "    tt.store %%a%d_%d, %%f : !tt.ptr<f32>\n" % (i, j)
        yield "  }\n"
    yield "  tt.return\n}\n"


def main(loops, limit):
    text = "".join(module(loops)).replace("%n: i32) {", "%n: i32, %f: f32) {")
    subprocess.run(["nereid", "compile", "-", "--emit", "llvm", "-o", "/dev/null"], input=text, text=True, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print("ok" if used < limit else "%d MiB" % used)


main(int(sys.argv[1]), int(sys.argv[2]))
