"""Parts of swizzled, nvmma and padded buffers on the emulator against the interpreter.

    subslices.py WORK_DIR TARGET COUNT [SEED]

A kernel stores a matrix into a slot of a ring, whole or part by part (local_store or cp.async), and loads it whole or
part by part: parts of parts, transposed views, parts that control flow selects, into blocked layouts and operands of
mma.sync. Each kernel runs with the race check. Needs nereid on the PATH.
"""

import os
import random
import subprocess
import sys

TYPES = {"f16": (16, "f16", "rand"), "f32": (32, "f32", "rand"), "i8": (8, "i8", "randint(-128,128)"),
         "f64": (64, "f64", "rand")}
WARPS = 4


def numbers(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


def steps_are_bits(image, size, whole):
    """Whether the verifier accepts parts of this size: `image` gives the slot of an index."""
    while size < whole:
        if bin(image(size)).count("1") != 1:
            return False
        size *= 2
    return True


class Kernel:
    def __init__(self, rng, element):
        self.rng, self.element, self.lines, self.aliases = rng, element, [], []
        self.bits = TYPES[element][0]
        self.shape = [rng.choice([16, 32, 64]), rng.choice([16, 32, 64])]
        self.order = rng.choice([[1, 0], [0, 1]])
        self.encoding = self.buffer()

    def emit(self, text):
        self.lines.append("    %%v%d = %s" % (len(self.lines), text))
        return "%%v%d" % (len(self.lines) - 1)

    def say(self, text):
        self.lines.append("    " + text)

    def alias(self, text):
        self.aliases.append("#e%d = #ttg.%s" % (len(self.aliases), text))
        return "#e%d" % (len(self.aliases) - 1)

    def buffer(self):
        columns, rows = (self.shape[d] for d in self.order)
        width = columns * self.bits // 8
        self.swizzle, self.vector = lambda r: 0, 128  # bits
        kind = self.rng.random()
        if width >= 32 and kind < 0.25:
            span = min(width, 128)
            self.swizzle = lambda r: (r // (128 // span)) % (span // 16) * (128 // self.bits)
            return self.alias("nvmma_shared<{swizzlingByteWidth = %d, transposed = %s, elementBitWidth = %d}>"
                              % (span, "true" if self.order[0] == 0 else "false", self.bits))
        if kind < 0.45:
            return self.alias("padded_shared<[%d:+%d] {order = %s, shape = %s}>"
                              % (columns * self.rng.choice([1, 2]), 128 // self.bits, numbers(self.order), numbers(self.shape)))
        vec = min(self.rng.choice([1, 2, 128 // self.bits, 128 // self.bits]), columns)
        self.vector = vec * self.bits
        phases, period = min(columns // vec, self.rng.choice([2, 4, 8])), self.rng.choice([1, 2])
        self.swizzle = lambda r: r // period % phases * vec
        return self.alias("swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = %s}>"
                          % (vec, period, phases, numbers(self.order)))

    def part(self):
        """Sizes of parts that the verifier accepts, at least 8 in one dimension."""
        while True:
            size = [self.rng.choice([n for n in (4, 8, 16, 32, 64) if n <= whole]) for whole in self.shape]
            row = self.order[1]
            image = lambda r: r << 20 | self.swizzle(r)
            if size[0] * size[1] >= 64 and steps_are_bits(image, size[row], self.shape[row]):
                return size

    def tensor(self, shape, element, encoding):
        return "tensor<%s%s, %s>" % ("".join("%dx" % n for n in shape), element, encoding)

    def memdesc(self, shape, alloc=None, encoding=None):
        view = lambda s: "x".join(str(n) for n in s)
        tail = ", " + view(alloc) if alloc and alloc != shape else ""
        return "!ttg.memdesc<%sx%s, %s, #smem, mutable%s>" % (view(shape), self.element, encoding or self.encoding, tail)

    def layout(self, shape):
        order, rest = self.rng.choice([[1, 0], [0, 1]]), 32
        size, threads, warps = [1, 1], [1, 1], [1, 1]
        size[order[0]] = min(shape[order[0]], self.rng.choice([1, 2, 4, 8]))
        for d in order:
            threads[d] = min(rest, max(1, shape[d] // size[d]))
            rest //= threads[d]
        threads[order[1]] *= rest
        warps[self.rng.choice([0, 1])] = WARPS
        return self.alias("blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>"
                          % (numbers(size), numbers(threads), numbers(warps), numbers(order)))

    def operand(self, shape):
        index, least = self.rng.choice([0, 1]), 256 // self.bits
        if self.element == "f64" or shape[1 - index] < least:
            return self.layout(shape)
        mma = self.alias("nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>")
        return self.alias("dot_op<{opIdx = %d, parent = %s, kWidth = %d}>" % (index, mma, 32 // self.bits))

    def pointers(self, name, shape, at, encoding):
        ranges = []
        for d in (0, 1):
            of = self.tensor([shape[d]], "i32", "#ttg.slice<{dim = %d, parent = %s}>" % (1 - d, encoding))
            value = self.emit("tt.make_range {start = 0 : i32, end = %d : i32} : %s" % (shape[d], of))
            one = [shape[0], 1] if d == 0 else [1, shape[1]]
            to = self.tensor(one, "i32", encoding)
            value = self.emit("tt.expand_dims %s {axis = %d : i32} : %s -> %s" % (value, 1 - d, of, to))
            step = self.emit("arith.constant dense<%d> : %s" % (self.shape[1] if d == 0 else 1, to))
            value = self.emit("arith.muli %s, %s : %s" % (value, step, to))
            ranges.append(self.emit("tt.broadcast %s : %s -> %s" % (value, to, self.tensor(shape, "i32", encoding))))
        of = self.tensor(shape, "i32", encoding)
        offset = self.emit("arith.addi %s, %s : %s" % (*ranges, of))
        first = self.emit("arith.constant dense<%d> : %s" % (at[0] * self.shape[1] + at[1], of))
        offset = self.emit("arith.addi %s, %s : %s" % (offset, first, of))
        to = self.tensor(shape, "!tt.ptr<%s>" % self.element, encoding)
        splat = self.emit("tt.splat %s : !tt.ptr<%s> -> %s" % (name, self.element, to))
        return self.emit("tt.addptr %s, %s : %s, %s" % (splat, offset, to, of)), to

    def view(self, whole, at, size):
        """The part [at, at + size): in one step, in two, or selected from two."""
        kind, shape, value = self.rng.random(), self.shape, whole
        if kind < 0.3 and size != shape:
            middle = [size[0], shape[1]]
            value = self.cut(value, shape, [at[0], 0], middle)
            return self.cut(value, middle, [0, at[1]], size)
        if kind < 0.5 and size != shape and not self.aliases[int(self.encoding[2:])].count("padded"):
            other = [0 if a else n - s for a, n, s in zip(at, shape, size)]
            of = self.memdesc(size, shape)
            yes, no = self.cut(whole, shape, at, size), self.cut(whole, shape, other, size)
            self.say("%%v%d = scf.if %%yes -> (%s) { scf.yield %s : %s } else { scf.yield %s : %s }"
                     % (len(self.lines), of, yes, of, no, of))
            return "%%v%d" % (len(self.lines) - 1)
        return self.cut(value, shape, at, size)

    def cut(self, value, from_shape, at, size):
        return self.emit("ttg.memdesc_subslice %s[%d, %d] : %s -> %s"
                         % (value, *at, self.memdesc(from_shape, self.shape), self.memdesc(size, self.shape)))

    def parts(self, size):
        return [[i, j] for i in range(0, self.shape[0], size[0]) for j in range(0, self.shape[1], size[1])]

    def fill(self, whole):
        size = self.part() if self.rng.random() < 0.6 else self.shape
        copies = self.rng.random() < 0.5 and (self.bits >= 32 or self.order == [1, 0] and self.vector >= 32)
        for at in self.parts(size):
            encoding = self.layout(size)
            if copies:
                wide = max(1, 32 // self.bits)
                encoding = self.alias("blocked<{sizePerThread = [1, %d], threadsPerWarp = [8, 4], warpsPerCTA = [%d, 1], order = [1, 0]}>"
                                      % (wide, WARPS))
            pointers, of = self.pointers("%p0", size, at, encoding)
            view = self.view(whole, at, size) if size != self.shape else whole
            to = self.memdesc(size, self.shape)
            if copies:
                self.emit("ttg.async_copy_global_to_local %s, %s : %s -> %s"
                          % (pointers, view, of, to.replace("!ttg.memdesc", "")))
                continue
            value = self.emit("tt.load %s : %s" % (pointers, of))
            self.say("ttg.local_store %s, %s : %s -> %s" % (value, view, self.tensor(size, self.element, encoding), to))
        self.emit("ttg.async_commit_group")
        self.emit("ttg.async_wait {num = 0 : i32}")

    def empty(self, whole):
        size = self.part() if self.rng.random() < 0.8 else self.shape
        for at in self.parts(size):
            encoding = self.operand(size)
            view = self.view(whole, at, size) if size != self.shape else whole
            of = self.tensor(size, self.element, encoding)
            value = self.emit("ttg.local_load %s : %s -> %s" % (view, self.memdesc(size, self.shape), of))
            to = self.layout(size)
            value = self.emit("ttg.convert_layout %s : %s -> %s" % (value, of, self.tensor(size, self.element, to)))
            pointers, pointers_of = self.pointers("%p1", size, at, to)
            self.say("tt.store %s, %s : %s" % (pointers, value, pointers_of))

    def text(self):
        ring = self.memdesc([2] + self.shape)
        constant = self.emit("arith.constant 1 : i32")
        self.say("%%yes = arith.cmpi sgt, %%n, %s : i32" % constant)
        padded = self.aliases[int(self.encoding[2:])].count("padded")
        if padded:
            whole = self.emit("ttg.local_alloc : () -> %s" % self.memdesc(self.shape))
        else:
            slots = self.emit("ttg.local_alloc : () -> %s" % ring)
            whole = self.emit("ttg.memdesc_index %s[%s] : %s -> %s" % (slots, constant, ring, self.memdesc(self.shape)))
        self.fill(whole)
        self.empty(whole)
        body = [line for line in self.lines]
        return "\n".join(self.aliases + [
            "#smem = #ttg.shared_memory",
            'module attributes {"ttg.num-warps" = %d : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {' % WARPS,
            "  tt.func public @parts(%%p0: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%p1: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%n: i32) {"
            % (self.element, self.element)] + body + ["    tt.return", "  }", "}", ""])

    def run(self, path, target):
        with open(path, "w") as file:
            file.write(self.text())
        size = self.shape[0] * self.shape[1]
        name, fill = TYPES[self.element][1:]
        command = ["nereid", "run", path, "--on", "emulator", "--target", target, "--check", "interpreter", "--racecheck",
                   "--grid", "1", "--tolerance", "0", "--arg", "0=%s[%d]:%s" % (name, size, fill),
                   "--arg", "1=%s[%d]:zeros" % (name, size), "--arg", "2=5"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode:
            print(" ".join("'%s'" % c for c in command), result.stdout, sep="\n")
        return result.returncode == 0


def main():
    work, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    os.makedirs(work, exist_ok=True)
    wrong = 0
    for i in range(count):
        wrong += not Kernel(rng, rng.choice(list(TYPES))).run(os.path.join(work, "%d.ttgir" % i), target)
    print("%d kernels, %d wrong" % (count, wrong))


if __name__ == "__main__":
    main()
