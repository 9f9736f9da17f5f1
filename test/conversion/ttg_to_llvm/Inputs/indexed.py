"""Gathers, scatters and atomics of swizzled, nvmma and padded buffers on the emulator against the interpreter.

    indexed.py WORK_DIR TARGET COUNT [SEED]

A kernel fills a buffer, whole or part by part, accesses a view of it at indices along one dimension, and stores the
results and the buffer. Indices of a scatter, and of an atomic whose result is used, are a permutation of the elements,
so that the result does not depend on an order. Each kernel runs with the race check. Needs nereid on the PATH.
"""

import os
import random
import subprocess
import sys

import subslices

NUMBERS = {"i16": (16, "i16", "randint(-9,9)"), "i32": (32, "i32", "randint(-9,9)"), "i64": (64, "i64", "randint(-9,9)")}
subslices.TYPES.update(NUMBERS)
FUNCTIONS = {"f": ["fadd", "exch", "max", "min"],
             "i": ["add", "exch", "max", "min", "umax", "umin", "and", "or", "xor"]}


class Kernel(subslices.Kernel):
    def indices(self, axis, size, extent, encoding, permuted):
        """A tensor of indices into `extent` elements along `axis`, of random type and layout."""
        rng = self.rng
        of = self.tensor(size, "i32", encoding)
        if not permuted:
            index = self.emit("tt.load %s : %s" % self.pointers("%p2", size, [0, 0], encoding))
        else:
            index = None
            for d, factor in ((axis, rng.choice([1, 3, 5, 7])), (1 - axis, rng.choice([0, 1, 2, 3]))):
                slice_ = self.tensor([size[d]], "i32", "#ttg.slice<{dim = %d, parent = %s}>" % (1 - d, encoding))
                one = self.tensor([size[0], 1] if d == 0 else [1, size[1]], "i32", encoding)
                value = self.emit("tt.make_range {start = 0 : i32, end = %d : i32} : %s" % (size[d], slice_))
                value = self.emit("tt.expand_dims %s {axis = %d : i32} : %s -> %s" % (value, 1 - d, slice_, one))
                step = self.emit("arith.constant dense<%d> : %s" % (factor, one))
                value = self.emit("arith.muli %s, %s : %s" % (value, step, one))
                value = self.emit("tt.broadcast %s : %s -> %s" % (value, one, of))
                index = self.emit("arith.addi %s, %s : %s" % (index, value, of)) if index else value
        last = self.emit("arith.constant dense<%d> : %s" % (extent - 1, of))
        index = self.emit("arith.andi %s, %s : %s" % (index, last, of))
        kind = rng.choice(["i8", "i16", "i32", "i64"])
        to = self.tensor(size, kind, encoding)
        if kind != "i32":
            index = self.emit("arith.%s %s : %s to %s" % ("extsi" if kind == "i64" else "trunci", index, of, to))
        return index, to

    def pointers(self, name, shape, at, encoding):
        """%p2 has indices, i32, whatever the type of the others."""
        if name != "%p2":
            return super().pointers(name, shape, at, encoding)
        element, self.element = self.element, "i32"
        result = super().pointers(name, shape, at, encoding)
        self.element = element
        return result

    def access(self, whole):
        rng = self.rng
        view = self.part() if rng.random() < 0.5 else self.shape
        at = rng.choice(self.parts(view))
        value = self.view(whole, at, view) if view != self.shape else whole
        axis = rng.choice([0, 1])
        size = [rng.choice([n for n in (1, 4, 16, 32, 64) if n <= self.shape[d] and (d == axis or n <= view[d])])
                for d in (0, 1)]
        kind = rng.choice(["gather", "scatter", "atomic"])
        if self.element == "i8" and kind == "atomic":
            kind = "gather"
        used = rng.random() < 0.5
        permuted = kind == "scatter" or kind == "atomic" and (used or self.element[0] == "f")
        if permuted:
            size[axis] = min(size[axis], view[axis])
        encoding = self.layout(size)
        index, index_of = self.indices(axis, size, view[axis], encoding, permuted)
        buffer, of = self.memdesc(view, self.shape), self.tensor(size, self.element, encoding)
        pointers, pointers_of = self.pointers("%p1", size, [0, 0], encoding)
        if kind == "gather":
            read = self.emit("ttg.local_gather %s[%s] {axis = %d : i32} : %s, %s -> %s"
                             % (value, index, axis, buffer, index_of, of))
            self.say("tt.store %s, %s : %s" % (pointers, read, pointers_of))
            return
        source, source_of = self.pointers("%p0", size, [0, 0], encoding)
        source = self.emit("tt.load %s : %s" % (source, source_of))
        if kind == "scatter":
            self.say("ttg.local_scatter %s[%s], %s {axis = %d : i32} : %s, %s, %s"
                     % (value, index, source, axis, buffer, index_of, of))
            return
        function = rng.choice([f for f in FUNCTIONS[self.element[0]] if permuted or f != "exch"])
        mask, mask_of = "", ""
        if rng.random() < 0.5 and not used:
            bits = self.tensor(size, index_of.split("x")[-1].split(",")[0], encoding)
            limit = self.emit("arith.constant dense<%d> : %s" % (view[axis] // 2, bits))
            mask = ", " + self.emit("arith.cmpi ult, %s, %s : %s" % (index, limit, bits))
            mask_of = ", " + self.tensor(size, "i1", encoding)
        old = self.emit("ttg.local_atomic_scatter_rmw %s, %s[%s], %s%s {axis = %d : i32} : (%s, %s, %s%s) -> %s"
                        % (function, value, index, source, mask, axis, buffer, of, index_of, mask_of, of))
        if used:
            self.say("tt.store %s, %s : %s" % (pointers, old, pointers_of))

    def text(self):
        buffer = self.memdesc(self.shape)
        constant = self.emit("arith.constant 1 : i32")
        self.say("%%yes = arith.cmpi sgt, %%n, %s : i32" % constant)
        whole = self.emit("ttg.local_alloc : () -> %s" % buffer)
        self.fill(whole)
        self.access(whole)
        encoding = self.layout(self.shape)
        of = self.tensor(self.shape, self.element, encoding)
        value = self.emit("ttg.local_load %s : %s -> %s" % (whole, buffer, of))
        pointers, pointers_of = self.pointers("%p3", self.shape, [0, 0], encoding)
        self.say("tt.store %s, %s : %s" % (pointers, value, pointers_of))
        parameters = ["%%p%d: !tt.ptr<%s> {tt.divisibility = 16 : i32}" % (i, "i32" if i == 2 else self.element)
                      for i in range(4)]
        return "\n".join(self.aliases + [
            "#smem = #ttg.shared_memory",
            'module attributes {"ttg.num-warps" = %d : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {'
            % subslices.WARPS,
            "  tt.func public @indexed(%s, %%n: i32) {" % ", ".join(parameters)] + self.lines + ["    tt.return", "  }", "}", ""])

    def run(self, path, target):
        with open(path, "w") as file:
            file.write(self.text())
        size = self.shape[0] * self.shape[1]
        name, fill = subslices.TYPES[self.element][1:]
        command = ["nereid", "run", path, "--on", "emulator", "--target", target, "--check", "interpreter", "--racecheck",
                   "--grid", "1", "--tolerance", "0", "--arg", "0=%s[%d]:%s" % (name, size, fill),
                   "--arg", "1=%s[%d]:zeros" % (name, size), "--arg", "2=i32[%d]:randint(0,64)" % size,
                   "--arg", "3=%s[%d]:zeros" % (name, size), "--arg", "4=5"]
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
        wrong += not Kernel(rng, rng.choice(list(subslices.TYPES))).run(os.path.join(work, "%d.ttgir" % i), target)
    print("%d kernels, %d wrong" % (count, wrong))


if __name__ == "__main__":
    main()
