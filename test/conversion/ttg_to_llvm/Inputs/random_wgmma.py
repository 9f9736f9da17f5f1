"""Random dots of warp groups: the emulator against the interpreter, in every bit, without races.

    random_wgmma.py WORK_DIR SEED COUNT

Each case is a kernel with one ttng.warp_group_dot: element types, tiles, warps, the instruction's N, swizzles, either
dimension contiguous in memory, A in registers, transposed views, stages of rings, slices of buffers, the flag of the
accumulator, asynchronous or not, sums of 8-bit floats in parts, clusters of two CTAs. Values are small integers, so that all sums are exact.
Needs nereid on the PATH.
"""
import os
import random
import subprocess
import sys

HEADER = ('module attributes {"ttg.num-warps" = %d : i32, "ttg.num-ctas" = %d : i32, "ttg.threads-per-warp" = 32 : i32, '
          'ttg.target = "cuda:90"} {\n')
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f8E4M3FN": 8, "f8E5M2": 8, "i8": 8, "i32": 32}
PAIRS = [("f16", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "f32"), ("f32", "f32", "f32"),
         ("f8E4M3FN", "f8E5M2", "f32"), ("f8E5M2", "f8E5M2", "f16"), ("f8E4M3FN", "f8E4M3FN", "f32"), ("i8", "i8", "i32")]


class Kernel:
    def __init__(self, rng):
        self.rng, self.lines, self.encodings, self.n = rng, [], [], 0
        self.a, self.b, self.d = rng.choice(PAIRS)
        self.warps = rng.choice([[4, 1], [8, 1], [4, 2], [8, 2], [4, 4]])
        bits = BITS[self.a]
        self.k = 256 // bits * rng.choice([1, 2, 4, 8])
        self.rows = 64 * rng.choice([1, 1, 2, 4])
        self.columns = rng.choice([8, 16, 32, 64, 128, 256])
        while self.rows * self.columns > 128 * 128:
            self.rows, self.columns = max(64, self.rows // 2), self.columns // 2
        instruction = rng.choice([n for n in (8, 16, 32, 64, 128, 256) if n <= max(8, self.columns)])
        self.split = rng.choice([None] * 6 + [0, 1]) # the dimension of the result that CTAs divide
        if self.split == 0:
            self.rows = max(self.rows, 128)
        elif self.split == 1:
            self.columns, instruction = max(self.columns, 16), min(instruction, max(8, self.columns // 2))
        self.mma = self.encoding("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = %s, instrShape = "
                                 "[16, %d, %d]%s}>" % (self.warps, instruction, 256 // bits, self.ctas([0, 1])))
        self.smem = self.encoding("#ttg.shared_memory")

    def encoding(self, text):
        self.encodings.append("#e%d = %s" % (len(self.encodings), text))
        return "#e%d" % (len(self.encodings) - 1)

    def ctas(self, dims):
        """The part of an encoding that divides a tensor among CTAs: `dims` are its dimensions in the result's."""
        return "" if self.split is None else ", CGALayout = [[%d, %d]]" % tuple(d == self.split for d in dims)

    def blocked(self, dims):
        size = self.rng.choice([[1, 4], [1, 16], [4, 4], [8, 2], [16, 4], [2, 1]])
        order = self.rng.choice([[1, 0], [0, 1]])
        return self.encoding("#ttg.blocked<{sizePerThread = %s, threadsPerWarp = [4, 8], warpsPerCTA = [%d, 1], order = %s%s}>" % (
            size, self.warps[0] * self.warps[1], order, self.ctas(dims)))

    def emit(self, text):
        self.n += 1
        self.lines.append("  %%v%d = %s" % (self.n, text))
        return "%%v%d" % self.n

    def pointers(self, name, element, shape, layout):
        """Pointers to the elements of a row-major matrix."""
        parts = []
        for dim in range(2):
            of = "#ttg.slice<{dim = %d, parent = %s}>" % (1 - dim, layout)
            r = self.emit("tt.make_range {start = 0 : i32, end = %d : i32} : tensor<%dxi32, %s>" % (shape[dim], shape[dim], of))
            thin = "tensor<%s, %s>" % ("%dx1xi32" % shape[0] if dim == 0 else "1x%dxi32" % shape[1], layout)
            r = self.emit("tt.expand_dims %s {axis = %d : i32} : tensor<%dxi32, %s> -> %s" % (r, 1 - dim, shape[dim], of, thin))
            if dim == 0:
                c = self.emit("arith.constant dense<%d> : %s" % (shape[1], thin))
                r = self.emit("arith.muli %s, %s : %s" % (r, c, thin))
            parts.append(self.emit("tt.broadcast %s : %s -> tensor<%dx%dxi32, %s>" % (r, thin, *shape, layout)))
        offsets = self.emit("arith.addi %s, %s : tensor<%dx%dxi32, %s>" % (*parts, *shape, layout))
        of = "tensor<%dx%dx!tt.ptr<%s>, %s>" % (*shape, element, layout)
        base = self.emit("tt.splat %s : !tt.ptr<%s> -> %s" % (name, element, of))
        return self.emit("tt.addptr %s, %s : %s, tensor<%dx%dxi32, %s>" % (base, offsets, of, *shape, layout)), of

    def load(self, name, element, shape, layout):
        pointers, of = self.pointers(name, element, shape, layout)
        return self.emit("tt.load %s : %s" % (pointers, of))

    def swizzle(self, element, contiguous):
        return self.rng.choice([s for s in (32, 64, 128) if s * 8 // BITS[element] <= contiguous])

    def nvmma(self, element, transposed, swizzle, dims):
        return self.encoding("#ttg.nvmma_shared<{swizzlingByteWidth = %d, transposed = %s, elementBitWidth = %d%s}>" % (
            swizzle, str(transposed).lower(), BITS[element], self.ctas(dims)))

    def buffer(self, name, element, shape, transposed, dims):
        """A buffer with the matrix `name`; `transposed`: dimension 0 is contiguous."""
        view, turned = self.rng.choice(["plain", "trans", "ring"] + ["slice"] * (self.split is None)), False
        if view == "trans":
            shape, transposed, turned, dims = shape[::-1], not transposed, True, dims[::-1]
        whole = list(shape)
        if view == "slice":
            whole[1 if transposed else 0] *= 2
        contiguous = 0 if transposed else 1
        extent = shape[contiguous] // (2 if self.split is not None and dims[contiguous] == self.split else 1)
        enc = self.nvmma(element, transposed, self.swizzle(element, extent), dims)
        blocked = self.blocked(dims)
        value = self.load(name, element, shape, blocked)
        tensor = "tensor<%dx%dx%s, %s>" % (*shape, element, blocked)
        of = "!ttg.memdesc<%dx%dx%s, %s, %s, mutable>" % (*shape, element, enc, self.smem)
        if view == "ring":
            ring = "!ttg.memdesc<2x%dx%dx%s, %s, %s, mutable>" % (*shape, element, enc, self.smem)
            base = self.emit("ttg.local_alloc : () -> %s" % ring)
            at = self.emit("ttg.memdesc_index %s[%%stage] : %s -> %s" % (base, ring, of))
            self.lines.append("  ttg.local_store %s, %s : %s -> %s" % (value, at, tensor, of))
        elif view == "slice":
            large = "!ttg.memdesc<%dx%dx%s, %s, %s, mutable>" % (*whole, element, enc, self.smem)
            base = self.emit("ttg.local_alloc : () -> %s" % large)
            of = "!ttg.memdesc<%dx%dx%s, %s, %s, mutable, %dx%d>" % (*shape, element, enc, self.smem, *whole)
            offsets = [w - s for w, s in zip(whole, shape)]
            at = self.emit("ttg.memdesc_subslice %s[%d, %d] : %s -> %s" % (base, *offsets, large, of))
            self.lines.append("  ttg.local_store %s, %s : %s -> %s" % (value, at, tensor, of))
        else:
            of = of.replace(", mutable", "")
            at = self.emit("ttg.local_alloc %s : (%s) -> %s" % (value, tensor, of))
        if turned:
            swizzle = int(self.encodings[int(enc[2:])].split("Width = ")[1].split(",")[0])
            other = "!ttg.memdesc<%dx%dx%s, %s, %s>" % (*shape[::-1], element, self.nvmma(element, not transposed, swizzle, dims[::-1]), self.smem)
            at = self.emit("ttg.memdesc_trans %s {order = array<i32: 1, 0>} : %s -> %s" % (at, of, other))
            of = other
        self.shapes[name] = shape
        return at, of

    def operand(self, name, element, shape, k_dim):
        k_contiguous = BITS[element] != 16 or self.rng.random() < 0.5
        if not k_contiguous and shape[1 - k_dim] * BITS[element] < (256 if self.split is None else 512):
            k_contiguous = True
        if k_dim == 1 and self.rng.random() < 0.3:
            layout = "#ttg.dot_op<{opIdx = 0, parent = %s, kWidth = %d}>" % (self.mma, 32 // BITS[element])
            self.shapes[name] = shape
            return self.load(name, element, shape, layout), "tensor<%dx%dx%s, %s>" % (*shape, element, layout)
        dims = [0, None] if k_dim == 1 else [None, 1]
        return self.buffer(name, element, shape, k_contiguous == (k_dim == 0), dims)

    def make(self):
        self.shapes = {"%c": [self.rows, self.columns]}
        a, of_a = self.operand("%a", self.a, [self.rows, self.k], 1)
        b, of_b = self.operand("%b", self.b, [self.k, self.columns], 0)
        d = "tensor<%dx%dx%s, %s>" % (self.rows, self.columns, self.d, self.mma)
        pointers, of = self.pointers("%c", self.d, [self.rows, self.columns], self.mma)
        c = self.emit("tt.load %s : %s" % (pointers, of))
        use = self.rng.choice(["", "", ", %use", ", %true", ", %false"])
        attributes = ["inputPrecision = 0 : i32"]
        if BITS[self.a] == 8 and self.d == "f32":
            attributes.append("maxNumImpreciseAcc = %d : i32" % self.rng.choice([32, 64, 1 << 30]))
        asynchronous = self.rng.random() < 0.5
        if asynchronous:
            attributes.append("isAsync = true")
        v = self.emit("ttng.warp_group_dot %s, %s, %s%s {%s} : %s * %s -> %s" % (
            a, b, c, use, ", ".join(attributes), of_a.replace("!ttg.memdesc", "!ttg.memdesc"), of_b, d))
        if asynchronous:
            v = self.emit("ttng.warp_group_dot_wait %s {pendings = 0 : i32} : %s" % (v, d))
        self.lines.append("  tt.store %s, %s : %s" % (pointers, v, of))
        return self

    def text(self):
        parameters = ", ".join("%s: !tt.ptr<%s> {tt.divisibility = 16 : i32}" % (n, e)
                               for n, e in (("%a", self.a), ("%b", self.b), ("%c", self.d)))
        constants = "  %true = arith.constant true\n  %false = arith.constant false\n  %zero = arith.constant 0 : i32\n" \
                    "  %use = arith.cmpi sgt, %stage, %zero : i32\n"
        return "\n".join(self.encodings) + "\n" + HEADER % (self.warps[0] * self.warps[1], 1 if self.split is None else 2) + \
            "tt.func public @k(%s, %%stage: i32) {\n%s%s\n  tt.return\n}\n}\n" % (parameters, constants, "\n".join(self.lines))

    def command(self, path, schedule):
        command = ["nereid", "run", path, "--on", "emulator", "--check", "interpreter", "--racecheck", "--tolerance", "0",
                   "--grid", "1", "--schedule", schedule, "--landing", self.rng.choice(["issue", "wait", "random"])]
        for i, (name, element) in enumerate((("%a", self.a), ("%b", self.b), ("%c", self.d))):
            command += ["--arg", "%d=%s[%dx%d]:randint(-3,3)" % (i, element, *self.shapes[name])]
        return command + ["--arg", "3=%d" % self.rng.randrange(2)]


def main(directory, seed, count):
    os.makedirs(directory, exist_ok=True)
    wrong = []
    for i in range(count):
        kernel = Kernel(random.Random("%d %d" % (seed, i))).make()
        path = os.path.join(directory, "dot%d.ttgir" % i)
        with open(path, "w") as file:
            file.write(kernel.text())
        command = kernel.command(path, ["round-robin", "adversarial", "random"][i % 3])
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if got.returncode:
            wrong.append("%s\n%s" % (" ".join(command), got.stdout))
    print("%d kernels, %d wrong" % (count, len(wrong)))
    print("\n".join(wrong[:3]))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
