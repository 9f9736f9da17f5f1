import triton
import triton.language as tl


@triton.jit
def gelu(x, y, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    value = tl.load(x + offsets, mask=inside)
    cubic = value + 0.044715 * value * value * value
    result = value * tl.sigmoid(1.5957691216057308 * cubic)
    tl.store(y + offsets, result, mask=inside)
