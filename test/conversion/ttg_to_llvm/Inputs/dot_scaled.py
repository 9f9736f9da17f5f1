"""Block-scaled dots of all pairs of formats: the emulator against the interpreter, up to the rounding of sums on
tensor cores.

    dot_scaled.py WORK_DIR COUNT [--ttgir] [RUN-OPTION...]

With --ttgir tensors have layouts before the dots are decomposed, as in a .ttgir file with tt.dot_scaled. The first 49
kernels cover the pairs; scaled operands, packing of fp4, sizes, batches and the type of the scales are random. Needs
nereid and nereid-opt on the PATH.
"""

import array
import math
import os
import random
import struct
import subprocess
import sys

BITS = {"e4m3": 0xF7, "e5m2": 0xDF, "e2m3": 0xFF, "e3m2": 0xFF, "e2m1": 0xFF}  # no infinities, no NaN
FLOATS = {"bf16": "bf16", "fp16": "f16"}
FORMATS = list(BITS) + list(FLOATS)


class Kernel:
    def __init__(self, rng, formats):
        self.rng, self.formats = rng, formats
        self.lines, self.arguments, self.names = [], [], 0
        self.m, self.n, self.k = rng.choice([8, 16, 32]), rng.choice([8, 16, 32]), rng.choice([32, 64, 128])
        self.batch = [2] if rng.random() < 0.2 else []

    def emit(self, text):
        self.names += 1
        self.lines.append("  %%v%d = %s" % (self.names, text))
        return "%%v%d" % self.names

    def type(self, shape, element):
        return "tensor<%s%s>" % ("".join("%dx" % n for n in shape), element)

    def pointers(self, shape, element, fill):
        size = 1
        for n in shape:
            size *= n
        name = "%%p%d" % len(self.arguments)
        self.arguments.append((name, element, "%s[%d]:%s" % (element, size, fill)))
        flat = self.type([size], "!tt.ptr<%s>" % element)
        splat = self.emit("tt.splat %s : !tt.ptr<%s> -> %s" % (name, element, flat))
        at = self.emit("tt.make_range {start = 0 : i32, end = %d : i32} : %s" % (size, self.type([size], "i32")))
        return self.emit("tt.addptr %s, %s : %s, %s" % (splat, at, flat, self.type([size], "i32"))), flat, size

    def load(self, shape, element, fill, mask=0xFF):
        pointers, flat, size = self.pointers(shape, element, fill)
        value, of = self.emit("tt.load %s : %s" % (pointers, flat)), self.type([size], element)
        if mask != 0xFF:
            bits = self.emit("arith.constant dense<%d> : %s" % (mask - 256, of))
            value = self.emit("arith.andi %s, %s : %s" % (value, bits, of))
        return self.emit("tt.reshape %s : %s -> %s" % (value, of, self.type(shape, element))), self.type(shape, element)

    def bitcast(self, value, of, element):
        shape = of[len("tensor<"):].rsplit("x", 1)[0]
        to = "tensor<%sx%s>" % (shape, element)
        return self.emit("tt.bitcast %s : %s -> %s" % (value, of, to)), to

    def operand(self, index):
        """Value, its type, and whether it is packed along k."""
        name, shape, k_packed = self.formats[index], [self.m, self.k] if index == 0 else [self.k, self.n], True
        if name in FLOATS:
            return (*self.load(self.batch + shape, FLOATS[name], "rand"), True)
        if name == "e2m1":
            k_packed = self.rng.random() < 0.6
            shape[1 - index if k_packed else index] //= 2
        value, of = self.load(self.batch + shape, "i8", "randint(-128,128)", BITS[name])
        if name in ("e4m3", "e5m2") and self.rng.random() < 0.7:
            value, of = self.bitcast(value, of, {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2"}[name])
        return value, of, k_packed

    def scale(self, index, e4m3):
        rows = self.n if index else self.m
        if e4m3:
            value, of = self.load(self.batch + [rows, self.k // 16], "i8", "randint(-128,127)", BITS["e4m3"])
            return self.bitcast(value, of, "f8E4M3FN")
        # Up to 1, from 2 up, and NaN (255) or the smallest (0). Bytes are printed as signed integers.
        fill = self.rng.choice(["randint(105,128)", "randint(105,128)", "randint(-128,-105)", "randint(-1,1)"])
        return self.load(self.batch + [rows, self.k // 32], "i8", fill)

    def make(self):
        operands = [self.operand(i) for i in range(2)]
        e4m3 = self.rng.random() < 0.2
        scales = [self.scale(i, e4m3) if self.rng.random() < 0.65 else None for i in range(2)]
        result = self.batch + [self.m, self.n]
        c, of = self.load(result, "f32", "rand")
        texts = ["%s%s" % (o[0], " scale %s" % s[0] if s else "") for o, s in zip(operands, scales)]
        types = ["%s%s" % (o[1], ", %s" % s[1] if s else "") for o, s in zip(operands, scales)]
        packs = "".join(", %s_k_pack = false" % side for side, o in zip(("lhs", "rhs"), operands) if not o[2])
        value = self.emit("tt.dot_scaled %s, %s, %s lhs = %s rhs = %s {fastMath = %s%s} : %s * %s -> %s" % (
            *texts, c, *self.formats, self.rng.choice(["true", "false"]), packs, *types, of))
        pointers, flat, size = self.pointers(result, "f32", "zeros")
        flat_value = self.emit("tt.reshape %s : %s -> %s" % (value, of, self.type([size], "f32")))
        self.lines.append("  tt.store %s, %s : %s" % (pointers, flat_value, flat))

    def text(self):
        parameters = ", ".join("%s: !tt.ptr<%s> {tt.divisibility = 16 : i32}" % (n, e) for n, e, _ in self.arguments)
        return "tt.func public @k(%s) {\n%s\n  tt.return\n}\n" % (parameters, "\n".join(self.lines))

    def run(self, path, engine, options=()):
        out = "%s.%s.npy" % (path, engine)
        command = ["nereid", "run", path, "--on", engine, "--grid", "1", *options]
        for i, (_, _, fill) in enumerate(self.arguments):
            command += ["--arg", "%d=%s" % (i, fill)]
        command += ["--out", "%d=%s" % (len(self.arguments) - 1, out)]
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if got.returncode:
            return got.stderr + " ".join(command)
        words = memoryview(open(out, "rb").read()[-4 * self.size():]).cast("I")
        return [0x7FC00000 if word & 0x7FFFFFFF > 0x7F800000 else word for word in words]

    def size(self):
        return (self.batch or [1])[0] * self.m * self.n


def differences(expected, got):
    """The number of elements that differ by more than the rounding of sums on tensor cores; NaN equals NaN only."""
    floats = [memoryview(array.array("I", words)).cast("B").cast("f") for words in (expected, got)]
    finite = [abs(x) for x in floats[0] if math.isfinite(x)]
    tolerance = 2.0 ** -11 * max(finite, default=0.0)
    def differs(x, y):
        if math.isfinite(x) and math.isfinite(y):
            return abs(x - y) > tolerance
        return math.isnan(x) != math.isnan(y) or (not math.isnan(x) and x != y)
    return sum(differs(x, y) for x, y in zip(*floats))


def laid_out(path):
    """The same kernel with default layouts."""
    passes = ["--convert-triton-to-tritongpu=target=cuda:90 num-warps=4", "--canonicalize", "--cse"]
    subprocess.run(["nereid-opt", path, *passes, "-o", path[:-4] + "ttgir"], check=True)
    return path[:-4] + "ttgir"


def main(directory, count, options):
    os.makedirs(directory, exist_ok=True)
    ttgir = "--ttgir" in options
    options = [option for option in options if option != "--ttgir"]
    wrong, nan = [], 0
    for i in range(count):
        kernel = Kernel(random.Random(i), [FORMATS[i // 7 % 7], FORMATS[i % 7]])
        kernel.make()
        path = os.path.join(directory, "%d.ttir" % i)
        with open(path, "w") as file:
            file.write(kernel.text())
        expected = kernel.run(path, "interpreter")
        got = kernel.run(laid_out(path) if ttgir else path, "emulator", options)
        failed = isinstance(expected, str) or isinstance(got, str)
        elements = 0 if failed else differences(expected, got)
        if failed or elements:
            wrong.append("%s %s\n%s" % (path, kernel.formats, elements or (got if isinstance(got, str) else expected)))
        else:
            nan += 0x7FC00000 in expected
    print("%d kernels, %d wrong, %d with NaN" % (count, len(wrong), nan))
    print("\n".join(wrong[:5]))


main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
