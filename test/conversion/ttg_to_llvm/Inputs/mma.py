"""Dots by mma.sync on the emulator against the interpreter: types, shapes, batches, kWidth and ways of the operands.

    mma.py WORK_DIR TARGET COUNT [SEED] [--assemble]

The first kernels go through the types, the rest is drawn: sizes, warps, the order of elements in memory and in the
shared buffer, its encoding, ttg.convert_layout instead of a buffer. Each kernel runs with the race check; with
--assemble it is compiled to a cubin instead. Needs nereid on the PATH.
"""

import os
import random
import subprocess
import sys

# Element: bits, kWidths, result type, tolerance.
TYPES = {
    "f16": (16, (2, 4, 8), "f32", "0.001"),
    "bf16": (16, (2, 4, 8), "f32", "0.001"),
    "f32": (32, (1, 2, 4), "f32", "0.001"),
    "i8": (8, (4, 8, 16), "i32", "0"),
    "f64": (64, (1, 2), "f64", "1e-12"),
    "f64 m8n8k4": (64, (1, 2), "f64", "1e-12"),
    "f16 f16": (16, (2, 4), "f16", "0.05"),
    "f8E4M3FN": (8, (4, 8), "f32", "0.001"),
    "f8E5M2": (8, (4, 8, 16), "f32", "0.001"),
    "f8E5M2 f8E4M3FN": (8, (4,), "f32", "0.001"),
}
NAMES = {"f8E4M3FN": "fp8e4nv", "f8E5M2": "fp8e5"}


def numbers(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


class Kernel:
    def __init__(self, rng, key, target):
        self.rng, self.target, self.lines, self.aliases, self.arguments = rng, target, [], [], []
        bits, widths, self.sum, self.tolerance = TYPES[key]
        parts = key.split()
        self.a_type = parts[0]
        self.b_type = parts[1] if len(parts) > 1 and parts[1].startswith("f8") else parts[0]
        self.instruction = [8, 8] if "m8n8k4" in parts else [16, 8]
        self.bits, self.width = bits, rng.choice(widths)
        tile = self.width * 8 if rng.random() < 0.8 else self.width * 4
        self.m, self.n = rng.choice([16, 32, 64, 8]), rng.choice([8, 16, 32, 64])
        self.k = tile * rng.choice([1, 1, 2, 4])
        self.batch = [2] if rng.random() < 0.2 else []
        self.warps = rng.choice([(1, 1), (2, 1), (1, 2), (2, 2), (4, 1)])

    def emit(self, text):
        self.lines.append("    %%v%d = %s" % (len(self.lines), text))
        return "%%v%d" % (len(self.lines) - 1)

    def alias(self, text):
        self.aliases.append("#e%d = #ttg.%s" % (len(self.aliases), text))
        return "#e%d" % (len(self.aliases) - 1)

    def tensor(self, shape, element, encoding):
        return "tensor<%s%s, %s>" % ("".join("%dx" % n for n in shape), element, encoding)

    def axis(self, shape, dim, stride, encoding):
        """The coordinate along `dim` times `stride`, of the whole shape."""
        others, chain = [d for d in range(len(shape)) if d != dim], [encoding]
        for d in reversed(others):
            chain.append("#ttg.slice<{dim = %d, parent = %s}>" % (d, chain[-1]))
        at = [shape[dim]]
        value = self.emit("tt.make_range {start = 0 : i32, end = %d : i32} : %s" % (shape[dim], self.tensor(at, "i32", chain.pop())))
        of = self.tensor(at, "i32", "#ttg.slice<{dim = %d, parent = %s}>" % (others[0], chain[-1]))
        for d in others:
            at = at[:d] + [1] + at[d:]
            to = self.tensor(at, "i32", chain.pop())
            value = self.emit("tt.expand_dims %s {axis = %d : i32} : %s -> %s" % (value, d, of, to))
            of = to
        step = self.emit("arith.constant dense<%d> : %s" % (stride, of))
        value = self.emit("arith.muli %s, %s : %s" % (value, step, of))
        return self.emit("tt.broadcast %s : %s -> %s" % (value, of, self.tensor(shape, "i32", encoding)))

    def pointers(self, shape, element, order, encoding, fill):
        name, of = "%%p%d" % len(self.arguments), self.tensor(shape, "i32", encoding)
        size, strides = 1, {}
        for d in order:
            strides[d] = size
            size *= shape[d]
        self.arguments.append((name, element, "%s[%d]:%s" % (NAMES.get(element, element), size, fill)))
        offset = self.axis(shape, 0, strides[0], encoding)
        for d in range(1, len(shape)):
            offset = self.emit("arith.addi %s, %s : %s" % (offset, self.axis(shape, d, strides[d], encoding), of))
        to = self.tensor(shape, "!tt.ptr<%s>" % element, encoding)
        splat = self.emit("tt.splat %s : !tt.ptr<%s> -> %s" % (name, element, to))
        return self.emit("tt.addptr %s, %s : %s, %s" % (splat, offset, to, of)), to

    def blocked(self, shape, order):
        rank = len(shape)
        size, threads, warps, left = [1] * rank, [1] * rank, [1] * rank, 32
        size[order[0]] = min(shape[order[0]], max(1, self.rng.choice([32, 64, 128]) // self.bits))
        for d in order:
            threads[d] = min(left, max(1, shape[d] // size[d]))
            left //= threads[d]
        threads[order[-1]] *= left
        warps[order[-1]] = self.warps[0] * self.warps[1]
        return self.alias("blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>"
                          % (numbers(size), numbers(threads), numbers(warps), numbers(order)))

    def buffer(self, shape, order):
        row = shape[order[0]] * self.bits // 8
        if row >= 32 and len(shape) == 2 and shape[order[1]] >= 8 and self.rng.random() < 0.3:
            return self.alias("nvmma_shared<{swizzlingByteWidth = %d, transposed = %s, elementBitWidth = %d}>"
                              % (min(row, 128), "true" if order[0] == 0 else "false", self.bits))
        vec = self.rng.choice([1, 4, 128 // self.bits, 128 // self.bits])
        vec = min(vec, shape[order[0]])
        most = shape[order[0]] // vec
        return self.alias("swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = %s}>"
                          % (vec, self.rng.choice([1, 2]), min(most, 8), numbers(order)))

    def operand(self, index, shape, element, parent):
        rank, inner = len(shape), self.rng.choice([0, 1])
        order = [rank - 1, rank - 2] if inner else [rank - 2, rank - 1]
        order += list(range(rank - 3, -1, -1))
        source = self.blocked(shape, order)
        pointers, of = self.pointers(shape, element, order, source, "rand" if element != "i8" else "randint(-128,128)")
        value, of = self.emit("tt.load %s : %s" % (pointers, of)), self.tensor(shape, element, source)
        to = self.tensor(shape, element, "#ttg.dot_op<{opIdx = %d, parent = %s, kWidth = %d}>" % (index, parent, self.width))
        if self.rng.random() < 0.3:
            return self.emit("ttg.convert_layout %s : %s -> %s" % (value, of, to)), to
        memory = "!ttg.memdesc<%s%s, %s, #smem>" % ("".join("%dx" % n for n in shape), element, self.buffer(shape, order))
        buffer = self.emit("ttg.local_alloc %s : (%s) -> %s" % (value, of, memory))
        return self.emit("ttg.local_load %s : %s -> %s" % (buffer, memory, to)), to

    def text(self):
        rank = 2 + len(self.batch)
        parent = self.alias("nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = %s, instrShape = %s}>"
                            % (numbers([1] * len(self.batch) + list(self.warps)), numbers([1] * len(self.batch) + self.instruction)))
        a, a_of = self.operand(0, self.batch + [self.m, self.k], self.a_type, parent)
        b, b_of = self.operand(1, self.batch + [self.k, self.n], self.b_type, parent)
        shape, order = self.batch + [self.m, self.n], list(range(rank - 1, -1, -1))
        pointers, pointer_of = self.pointers(shape, self.sum, order, parent, "rand" if self.sum != "i32" else "randint(-99,99)")
        of = self.tensor(shape, self.sum, parent)
        c = self.emit("tt.load %s : %s" % (pointers, pointer_of))
        d = self.emit("tt.dot %s, %s, %s, inputPrecision = tf32 : %s * %s -> %s" % (a, b, c, a_of, b_of, of))
        self.lines.append("    tt.store %s, %s : %s" % (pointers, d, pointer_of))
        parameters = ", ".join("%s: !tt.ptr<%s> {tt.divisibility = 16 : i32}" % p[:2] for p in self.arguments)
        return "\n".join(self.aliases + [
            "#smem = #ttg.shared_memory",
            'module attributes {"ttg.num-warps" = %d : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {'
            % (self.warps[0] * self.warps[1]),
            "  tt.func public @dot(%s) {" % parameters] + self.lines + ["    tt.return", "  }", "}", ""])

    def run(self, path, assemble):
        with open(path, "w") as file:
            file.write(self.text())
        if assemble:
            return subprocess.run(["nereid", "compile", path, "--target", self.target, "--emit", "cubin", "-o", path + ".cubin"]).returncode == 0
        command = ["nereid", "run", path, "--on", "emulator", "--target", self.target, "--check", "interpreter", "--racecheck",
                   "--grid", "1", "--tolerance", self.tolerance]
        for number, (_, _, value) in enumerate(self.arguments):
            command += ["--arg", "%d=%s" % (number, value)]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode:
            print(" ".join("'%s'" % c for c in command), result.stdout, sep="\n")
        return result.returncode == 0


def main():
    work, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    os.makedirs(work, exist_ok=True)
    keys = [key for key in TYPES if target >= "sm_89" or not key.startswith("f8")]
    wrong = 0
    for i in range(count):
        wrong += not Kernel(rng, keys[i % len(keys)], target).run(os.path.join(work, "%d.ttgir" % i), "--assemble" in sys.argv)
    print("%d kernels, %d wrong" % (count, wrong))


main()
