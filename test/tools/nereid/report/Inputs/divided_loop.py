"""A loop that Triton 3.6 divides among warps. Writes its PTX, with the lines of this file, to divided_loop.ptx:

    python3 divided_loop.py        with triton==3.6.0; no GPU is needed

The mbarriers of the ring, which are initialized twice, and those for its data have the same bytes in shared memory."""
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def divided_loop(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    y = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK, warp_specialize=True):
        acc = tl.dot(x.load([0, start]), y.load([0, start]).T, acc)
    tl.store(c + tl.arange(0, BM)[:, None] * n + tl.arange(0, BN)[None, :], acc)


if __name__ == "__main__":
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"}
    constants = {"BM": 64, "BN": 64, "BK": 64}
    source = ASTSource(divided_loop, {**types, **dict.fromkeys(constants, "constexpr")},
                       constexprs={(divided_loop.arg_names.index(name),): value for name, value in constants.items()})
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4, "num_stages": 3})
    text = re.sub(r"\n\t\.section\b.*", "\n", compiled.asm["ptx"], flags=re.S)
    lines = [re.sub(r"\s*// .*", "", line) for line in text.splitlines() if not re.match(r"\s*(//|\$L__(tmp|func)\w*:|$)", line)]
    text = re.sub(r'\.file\t(\d+) ".*/', r'.file\t\1 "', "\n".join(lines))
    open("divided_loop.ptx", "w").write(text + "\n")
    print(compiled.metadata.shared)
