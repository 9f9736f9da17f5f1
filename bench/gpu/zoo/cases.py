"""Cases of bench/gpu/dot_zoo.py: a JIT function, its arguments, a float64 reference and the configurations to compile.

A tensor is an element type, a shape and a fill. `values` returns its elements as float64 (integers as int64) after rounding
to the type, `encode` the bits of the elements. Strides and sizes are ordinary integers; 1 becomes a compile-time constant
and a multiple of 16 is declared as one, as Triton specializes them.
"""

import zlib
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np

# element type: (Triton's name, numpy's type of the bits, Nereid's name)
TYPES = {"f16": ("fp16", np.float16, "f16"), "bf16": ("bf16", np.uint16, "bf16"), "f32": ("fp32", np.float32, "f32"),
         "f64": ("fp64", np.float64, "f64"), "e4m3": ("fp8e4nv", np.uint8, "fp8e4nv"), "e5m2": ("fp8e5", np.uint8, "fp8e5"),
         "i8": ("i8", np.int8, "i8"), "u8": ("u8", np.uint8, "i8"), "i16": ("i16", np.int16, "i16"),
         "u16": ("u16", np.uint16, "i16"), "i32": ("i32", np.int32, "i32"), "u32": ("u32", np.uint32, "i32"),
         "i64": ("i64", np.int64, "i64"), "u64": ("u64", np.uint64, "i64")}
TOLERANCE = {"f16": 2.0 ** -8, "bf16": 2.0 ** -5, "f32": 1e-3, "f64": 1e-12, "e4m3": 0.5, "e5m2": 1.0}


@dataclass
class Tensor:
    type: str
    shape: tuple
    fill: object  # "rand" in -1 ... 1, "zeros", a number, (low, high) of integers below high, or an array
    block: tuple = None  # the argument is a tensor descriptor of blocks of this shape

    def values(self, name):
        generator = np.random.default_rng(zlib.crc32(name.encode()))
        if isinstance(self.fill, np.ndarray):
            return self.fill.reshape(self.shape)
        if self.fill == "zeros" or isinstance(self.fill, int):
            return np.full(self.shape, 0 if self.fill == "zeros" else self.fill)
        if self.fill == "rand":
            return decode(self.type, encode(self.type, generator.uniform(-1, 1, self.shape)))
        return generator.integers(*self.fill, self.shape).astype(np.int64)

    def spec(self):
        """The argument of `nereid run` without a file; None for an array."""
        if isinstance(self.fill, np.ndarray):
            return None
        fill = f"full({self.fill})" if isinstance(self.fill, int) else self.fill
        fill = fill if isinstance(fill, str) else "randint({},{})".format(*fill)
        return f"{self.typed()}:{fill}"

    def typed(self):
        return f"{TYPES[self.type][2]}[{'x'.join(str(extent) for extent in self.shape)}]"


def rand(type, *shape):
    return Tensor(type, shape, "rand")


def zeros(type, *shape):
    return Tensor(type, shape, "zeros")


def full(type, value, *shape):
    return Tensor(type, shape, value)


def integers(type, low, high, *shape):
    return Tensor(type, shape, (low, high))


def given(type, values):
    values = np.asarray(values, dtype=np.int64)
    return Tensor(type, values.shape, values)


def described(tensor, *block):
    """The tensor as a descriptor argument."""
    return replace(tensor, block=block)


def table_of_floats(exponent_bits, mantissa_bits, bias):
    """The values of all nonnegative codes of a small float without infinities; codes of NaN must not be used."""
    codes = np.arange(1 << (exponent_bits + mantissa_bits))
    exponent, mantissa = codes >> mantissa_bits, codes & ((1 << mantissa_bits) - 1)
    scale = 1 << mantissa_bits
    return np.where(exponent > 0, (1 + mantissa / scale) * 2.0 ** (exponent - bias), mantissa / scale * 2.0 ** (1 - bias))


SMALL = {"e4m3": table_of_floats(4, 3, 7)[:-1], "e5m2": table_of_floats(5, 2, 15)[:-4], "e2m1": table_of_floats(2, 1, 1)}


def encode(type, values):
    values = np.asarray(values)
    if type == "bf16":
        bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    if type in SMALL:
        table = SMALL[type]
        magnitude = np.abs(values)
        upper = np.clip(np.searchsorted(table, magnitude), 1, len(table) - 1)
        lower = upper - 1
        nearer = magnitude - table[lower] - (table[upper] - magnitude)
        code = np.where((nearer > 0) | ((nearer == 0) & (upper % 2 == 0)), upper, lower)
        return (code | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)
    return values.astype(TYPES[type][1])


def decode(type, bits):
    if type == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if type in SMALL:
        table = SMALL[type]
        return np.where(bits & 0x80, -1.0, 1.0) * table[np.minimum(bits & 0x7F, len(table) - 1)]
    return bits.astype(np.float64 if type[0] == "f" else np.int64)


def e2m1(packed):
    """Two elements per byte along the last dimension, the lower half first."""
    codes = np.stack([packed & 15, packed >> 4 & 15], -1).reshape(*packed.shape[:-1], -1)
    return np.where(codes & 8, -1.0, 1.0) * SMALL["e2m1"][codes & 7]


def rounded(type, values):
    return decode(type, encode(type, values))


@dataclass
class Case:
    name: str
    function: object
    grid: tuple
    arguments: dict  # by name: a Tensor, an int or a float
    reference: object  # from a namespace of float64 arrays by name to the expected outputs by name
    constants: dict = field(default_factory=dict)
    warps: int = 4
    stages: int = 3
    tolerance: float = None  # by the types of the outputs when None
    more: tuple = ()  # further configurations: (target, warps, stages)
    gpu: bool = True  # False: needs scratch memory, which the GPU runner does not allocate
    ctas: int = 1  # CTAs per cluster
    code: tuple = ()  # PTX instructions that the code for sm_90a contains, or does not where they begin with "no "

    def runs(self):
        older = [("sm_80", self.warps, self.stages)] if self.ctas == 1 else []
        return [("sm_90a", self.warps, self.stages), *older, *self.more]

    def tensors(self):
        return {name: value for name, value in self.arguments.items() if isinstance(value, Tensor)}

    def inputs(self):
        """The values of all arguments by name."""
        named = {name: value.values(f"{self.name}.{name}") if isinstance(value, Tensor) else value
                 for name, value in self.arguments.items()}
        return SimpleNamespace(**named)

    def runtime(self):
        """The arguments that the kernel has, in its order."""
        names = [name for name in self.function.arg_names if name in self.arguments]
        return [(name, self.arguments[name]) for name in names if not is_one(self.arguments[name])]

    def error(self, name, got, expected):
        """The largest error of an element, relative to its value or the root mean square, whichever is larger."""
        expected = np.asarray(expected, dtype=np.float64)
        got = np.asarray(got, dtype=np.float64).reshape(expected.shape)
        base = np.maximum(np.abs(expected), np.sqrt(np.mean(expected * expected)))
        error = np.max(np.abs(got - expected) / np.where(base > 0, base, 1))
        return error if error == error else np.inf

    def limit(self, name):
        return self.tolerance if self.tolerance is not None else TOLERANCE.get(self.arguments[name].type, 0.0)


def box(array, first, shape, fill=0.0):
    """The block of `shape` at `first`, with `fill` outside of the array."""
    indices = np.ix_(*(np.arange(start, start + extent) for start, extent in zip(first, shape)))
    inside = np.ones(shape, dtype=bool)
    for index, extent in zip(indices, array.shape):
        inside &= (index >= 0) & (index < extent)
    return np.where(inside, array[tuple(np.clip(index, 0, extent - 1) for index, extent in zip(indices, array.shape))], fill)


def is_one(value):
    return isinstance(value, int) and not isinstance(value, bool) and value == 1
