"""Ops that move elements between threads, with random layouts: the emulator against the interpreter, in every bit.

    random_layouts.py WORK_DIR SEED COUNT OP...        OP: reduce scan convert matrices gather histogram join split
                                          map fp4 loop conflicts moves atomic views shared

Each case is a kernel that loads a tensor in a random blocked, linear or slice encoding, applies the op, and stores the
result; `loop` is a sum over several reductions, which tritongpu-optimize-thread-locality rewrites. The emulator runs it
with encodings, the interpreter without. `conflicts` are conversions without replication, which must have no bank conflicts;
`moves` are conversions within warps, to few registers per thread. `OP~` uses #ttg.generic_linear and its slices only, `OP~2` in clusters of
2^2 CTAs.
Values are small integers, so that sums of floats are exact in any order. Needs nereid and nereid-opt on the PATH.
"""

import json
import math
import os
import random
import re
import subprocess
import sys

HEADER = ('module attributes {"ttg.num-warps" = %d : i32, "ttg.num-ctas" = %d : i32, "ttg.threads-per-warp" = 32 : i32, '
          'ttg.target = "cuda:90"} {\n')


def log2(n):
    return n.bit_length() - 1


class Layouts:
    """Encodings by name; a tensor type's text holds `, #name`, which the interpreter's copy is without."""

    def __init__(self, rng, warps):
        self.rng, self.warps, self.lines, self.only_generic, self.cta_bits = rng, warps, [], False, 0

    def define(self, text):
        name = "#L%d" % len(self.lines)
        self.lines.append("%s = %s" % (name, text))
        return name

    def spread(self, total, rank):
        """Powers of two with the product `total`, one per dimension."""
        sizes = [1] * rank
        while total > 1:
            sizes[self.rng.randrange(rank)] *= 2
            total //= 2
        return sizes

    def blocked(self, shape):
        rank = len(shape)
        order = self.rng.sample(range(rank), rank)
        size = [self.rng.choice([1, 1, 2, 4]) for _ in shape]
        return self.define("#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>" % (
            size, self.spread(32, rank), self.spread(self.warps, rank), order))

    def linear(self, shape):
        """Each index bit is the image of one register, lane or warp bit."""
        units = [(d, 1 << b) for d, n in enumerate(shape) for b in range(log2(n))]
        self.rng.shuffle(units)
        slots = [None] * (5 + log2(self.warps))
        places = self.rng.sample(range(len(slots)), min(len(slots), len(units), self.rng.randint(2, len(slots))))
        for place, unit in zip(places, units):
            slots[place] = unit
        registers = units[len(places):]
        vectors = []
        for unit in slots + registers:
            vector = [0] * len(shape)
            if unit:
                vector[unit[0]] = unit[1]
            vectors.append(vector)
        lane, warp, register = vectors[:5], vectors[5:len(slots)], vectors[len(slots):]
        return self.define("#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>" % (register, lane, warp))

    def doubled(self, shape):
        """Register, lane and warp bits whose images are not independent."""
        vectors = [[1 << b if d == at else 0 for at in range(len(shape))] for d, n in enumerate(shape) for b in range(log2(n))]
        fixed = 5 + log2(self.warps)
        vectors += [list(self.rng.choice(vectors)) for _ in range(self.rng.randint(1, 4)) if vectors]
        vectors += [[0] * len(shape)] * (fixed - len(vectors))
        self.rng.shuffle(vectors)
        return self.define("#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>" % (
            vectors[fixed:], vectors[:5], vectors[5:fixed]))

    def generic(self, shape):
        """Images that are sums: of any coordinates for warps, along one dimension for registers and lanes; some twice."""
        units = [(d, 1 << b) for d, n in enumerate(shape) for b in range(log2(n))]
        self.rng.shuffle(units)
        warps = log2(self.warps)
        fixed = 5 + self.cta_bits + warps
        images = [{unit} for unit in units] + [set() for _ in range(max(0, fixed - len(units)))]
        for image in images:
            if not image and units and self.rng.random() < 0.6:
                image.add(self.rng.choice(units))
        images += [{self.rng.choice(units)} for _ in range(self.rng.choice([0, 0, 1, 2])) if units]
        self.rng.shuffle(images)
        for i, image in enumerate(images):  # adds earlier images: the space that they span is the same
            for other in images[:i]:
                if self.rng.random() < 0.4 and (i >= len(images) - warps or len({d for d, _ in image | other}) <= 1):
                    image ^= other
        vectors = [[sum(step for of, step in image if of == d) for d in range(len(shape))] for image in images]
        lane, vectors = vectors[:5], vectors[5:]
        block, vectors = vectors[:self.cta_bits], vectors[self.cta_bits:]
        return self.define("#ttg.generic_linear<{register = %s, lane = %s, warp = %s, block = %s}>" % (
            vectors[:len(vectors) - warps], lane, vectors[len(vectors) - warps:], block))

    def one(self, shape):
        return self.generic(shape) if self.only_generic else self.linear(shape)

    def distinct(self, rank, register, lane, warp):
        """The bits (dimension, step) of an index."""
        vectors = tuple([[step if d == at else 0 for at in range(rank)] for d, step in units]
                        for units in (register, lane, warp))
        return self.define("#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>" % vectors)

    def mixed(self, length, warp, registers):
        """Lane and register bits that complete those of `warp`, with copies: bits without effect, or with that of another."""
        units = [1 << b for b in range(log2(length)) if 1 << b not in warp]
        lanes = max(0, len(units) - registers)
        lane, register = [*units[:lanes], *[0] * (5 - lanes)], units[lanes:]
        lane = [vector or self.rng.choice([0, 0, 0, *units, *warp, *warp]) for vector in lane]
        self.rng.shuffle(lane)
        return lane, register

    def slice(self, parent, d):
        return self.define("#ttg.slice<{dim = %d, parent = %s}>" % (d, parent))

    def any(self, shape, regular=False):
        kind = self.rng.random()
        if self.only_generic and (kind < 0.85 or kind > 0.9):
            return self.generic(shape)
        if not regular and kind > 0.9:
            return self.doubled(shape)
        if kind < 0.45:
            return self.blocked(shape)
        if kind < 0.85:
            return self.linear(shape)
        d = self.rng.randint(0, len(shape))
        return self.slice(self.any(shape[:d] + [self.rng.choice([2, 8, 32])] + shape[d:], regular), d)


class Kernel:
    def __init__(self, rng):
        self.rng, self.names, self.lines, self.outs = rng, 0, [], []
        self.warps = rng.choice([1, 2, 4, 4, 8, 16, 32])
        self.layouts = Layouts(rng, self.warps)
        self.parameters, self.passes, self.counts = [], [], False

    def type(self, shape, element, encoding):
        return "tensor<%s%s, %s>" % ("".join("%dx" % n for n in shape), element, encoding)

    def emit(self, text):
        self.names += 1
        self.lines.append("  %%v%d = %s" % (self.names, text))
        return "%%v%d" % self.names

    def coordinate(self, shape, encoding, d):
        """The coordinate along `d` of every element."""
        steps, dims, at = [], list(range(len(shape))), encoding
        for other in reversed(range(len(shape))):
            if other != d:
                steps.append((dims.index(other), at, list(dims)))
                at = self.layouts.slice(at, dims.index(other))
                dims.remove(other)
        value = self.emit("tt.make_range {start = 0 : i32, end = %d : i32} : %s" % (shape[d], self.type([shape[d]], "i32", at)))
        have = [shape[d]]
        for axis, outer, _ in reversed(steps):
            wide = have[:axis] + [1] + have[axis:]
            value = self.emit("tt.expand_dims %s {axis = %d : i32} : %s -> %s" % (
                value, axis, self.type(have, "i32", at), self.type(wide, "i32", outer)))
            have, at = wide, outer
        if have != shape:
            value = self.emit("tt.broadcast %s : %s -> %s" % (value, self.type(have, "i32", at), self.type(shape, "i32", at)))
        return value

    def index(self, shape, encoding):
        of, total = self.type(shape, "i32", encoding), None
        for d in range(len(shape)):
            part, stride = self.coordinate(shape, encoding, d), 1
            for n in shape[d + 1:]:
                stride *= n
            scale = self.emit("arith.constant dense<%d> : %s" % (stride, of))
            part = self.emit("arith.muli %s, %s : %s" % (part, scale, of))
            total = self.emit("arith.addi %s, %s : %s" % (total, part, of)) if total else part
        return total

    def pointers(self, element, shape, encoding, fill):
        size = 1
        for n in shape:
            size *= n
        name = "%%p%d" % len(self.parameters)
        self.parameters.append((name, element, size, fill))
        of = self.type(shape, "!tt.ptr<%s>" % element, encoding)
        splat = self.emit("tt.splat %s : !tt.ptr<%s> -> %s" % (name, element, of))
        return self.emit("tt.addptr %s, %s : %s, %s" % (splat, self.index(shape, encoding), of,
                                                        self.type(shape, "i32", encoding))), of

    def load(self, element, shape, encoding, low=-8, high=9):
        """Small integers of any type."""
        pointers, of = self.pointers("i32", shape, encoding, "randint(%d,%d)" % (low, high))
        return self.convert_to(self.emit("tt.load %s : %s" % (pointers, of)), element, shape, encoding)

    def convert_to(self, value, element, shape, encoding):
        """From i32."""
        source, to = self.type(shape, "i32", encoding), self.type(shape, element, encoding)
        if element == "i1":
            zero = self.emit("arith.constant dense<0> : %s" % source)
            return self.emit("arith.cmpi sgt, %s, %s : %s" % (value, zero, source))
        op = {"i8": "trunci", "i16": "trunci", "i64": "extsi"}.get(element, "sitofp")
        return value if element == "i32" else self.emit("arith.%s %s : %s to %s" % (op, value, source, to))

    def store(self, value, element, shape, encoding):
        if element == "i1":
            value = self.emit("arith.extui %s : %s to %s" % (value, self.type(shape, "i1", encoding), self.type(shape, "i8", encoding)))
            element = "i8"
        pointers, of = self.pointers(element, shape, encoding, "zeros")
        self.outs.append(len(self.parameters) - 1)
        self.lines.append("  tt.store %s, %s : %s" % (pointers, value, of))

    def store_scalar(self, value, element):
        name = "%%p%d" % len(self.parameters)
        self.parameters.append((name, element, 1, "zeros"))
        self.outs.append(len(self.parameters) - 1)
        self.lines.append("  tt.store %s, %s : !tt.ptr<%s>" % (name, value, element))

    def shape(self, most=11, rank=None):
        rank = rank or self.rng.choice([1, 1, 2, 2, 3, 3, 4, 5])
        shape = [1] * rank
        for _ in range(self.rng.randint(0, most)):
            shape[self.rng.randrange(rank)] *= 2
        return shape

    def element(self):
        return self.rng.choice(["i32", "f32", "f32", "i64", "f64", "i8", "i16", "f16", "bf16", "i1"])

    # --- regions: (elements, lines, commutative) ---

    def region(self, commutative):
        """Elements, and a region over two tuples of them."""
        kind = self.rng.choice(["one", "one", "arg", "three"] + ([] if commutative else ["affine", "checked", "costly"]))
        if kind == "arg":
            element = self.rng.choice(["f32", "i32", "f16"])
            greater = "arith.cmpf ogt" if element[0] == "f" else "arith.cmpi sgt"
            equal = "arith.cmpf oeq" if element[0] == "f" else "arith.cmpi eq"
            return [element, "i32"], [
                "%%g = %s, %%a0, %%b0 : %s" % (greater, element), "%%e = %s, %%a0, %%b0 : %s" % (equal, element),
                "%t = arith.cmpi slt, %a1, %b1 : i32", "%s = arith.andi %e, %t : i1", "%w = arith.ori %g, %s : i1",
                "%%r0 = arith.select %%w, %%a0, %%b0 : %s" % element, "%r1 = arith.select %w, %a1, %b1 : i32"]
        if kind == "three":
            return ["f32", "i64", "i8"], ["%r0 = arith.addf %a0, %b0 : f32", "%r1 = arith.maxsi %a1, %b1 : i64",
                                          "%r2 = arith.xori %a2, %b2 : i8"]
        if kind in ("affine", "costly"):  # composition of x -> a1 x + a0: associative, not commutative
            detour = ["%%d%d = arith.%s %%%s, %%a0 : i32" % (i, ["addi", "subi"][i % 2], "d%d" % (i - 1) if i else "b0")
                      for i in range(12 if kind == "costly" else 0)]
            return ["i32", "i32"], detour + ["%t = arith.muli %a0, %b1 : i32", "%r0 = arith.addi %t, %" + ("d11" if detour else "b0") + " : i32",
                                             "%r1 = arith.muli %a1, %b1 : i32"]
        if kind == "checked":  # with an effect: it must not run for the first element
            return ["i32"], ["%r0 = arith.maxsi %a0, %b0 : i32", "%ok = arith.cmpi sge, %r0, %a0 : i32",
                             'tt.assert %ok, "maximum" : i1']
        element = self.element()
        if element[0] in "fb":
            op = self.rng.choice(["maxnumf", "maximumf", "minimumf"] + ["addf"] * (element != "bf16"))
        else:
            op = self.rng.choice(["andi", "ori", "xori"] + (["addi", "maxsi", "minui"] if element != "i1" else []))
        return [element], ["%%r0 = arith.%s %%a0, %%b0 : %s" % (op, element)]

    def combine(self, name, attributes, sources, elements, lines, of, results):
        arguments = ", ".join("%%%s%d: %s" % (side, i, e) for side in "ab" for i, e in enumerate(elements))
        self.names += 1
        made = "%%v%d" % self.names
        self.lines.append('  %s%s = "tt.%s"(%s) <{%s}> ({\n  ^bb0(%s):\n    %s\n    tt.%s.return %s : %s\n  }) : (%s) -> (%s)' % (
            made, ":%d" % len(elements) if len(elements) > 1 else "", name, ", ".join(sources), attributes, arguments,
            "\n    ".join(lines), name, ", ".join("%%r%d" % i for i in range(len(elements))), ", ".join(elements),
            ", ".join(of), ", ".join(results)))
        return [made + ("#%d" % i if len(elements) > 1 else "") for i in range(len(elements))]

    # --- the ops ---

    def reduce(self):
        shape, (elements, lines) = self.shape(), self.region(True)
        encoding, axis = self.layouts.any(shape), self.rng.randrange(len(shape))
        sources = [self.load(e, shape, encoding) for e in elements]
        rest = shape[:axis] + shape[axis + 1:]
        inner = self.layouts.slice(encoding, axis) if rest else None
        results = [self.type(rest, e, inner) if rest else e for e in elements]
        made = self.combine("reduce", "axis = %d : i32" % axis, sources, elements, lines,
                            [self.type(shape, e, encoding) for e in elements], results)
        for value, element in zip(made, elements):
            if rest:
                self.store(value, element, rest, inner)
            elif element == "i1":
                self.store_scalar(self.emit("arith.extui %s : i1 to i8" % value), "i8")
            else:
                self.store_scalar(value, element)

    def loop(self):
        shape, element = self.shape(), self.element()
        encoding, axis = self.layouts.any(shape), self.rng.randrange(len(shape))
        op = self.rng.choice(["maxnumf", "minnumf", "maximumf", "minimumf"] + ["addf"] * (element != "bf16") if element[0] in "fb" else
                             ["addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"])
        rest = shape[:axis] + shape[axis + 1:]
        inner = self.layouts.slice(encoding, axis) if rest else None
        of = self.type(rest, element, inner) if rest else element
        start = self.load("i32", shape, encoding)
        if rest:
            init = self.load(element, rest, inner)
        else:
            init = self.emit("arith.constant " + ("true" if element == "i1" else "%s : %s" % ("3.0" if element[0] in "fb" else "3", element)))
        bounds = [self.emit("arith.constant %d : i32" % n) for n in (0, self.rng.randint(0, 3), 1)]
        self.names += 1
        made = "%%v%d" % self.names
        self.lines.append("  %s = scf.for %%i = %s to %s step %s iter_args(%%sum = %s) -> (%s) : i32 {" % (made, *bounds, init, of))
        i = self.emit("tt.splat %%i : i32 -> %s" % self.type(shape, "i32", encoding))
        value = self.emit("arith.addi %s, %s : %s" % (start, i, self.type(shape, "i32", encoding)))
        value = self.convert_to(value, element, shape, encoding)
        part, = self.combine("reduce", "axis = %d : i32" % axis, [value], [element], ["%%r0 = arith.%s %%a0, %%b0 : %s" % (op, element)],
                             [self.type(shape, element, encoding)], [of])
        both = ["%sum", part]
        self.rng.shuffle(both)
        self.lines.append("  scf.yield %s : %s\n  }" % (self.emit("arith.%s %s, %s : %s" % (op, *both, of)), of))
        if rest:
            self.store(made, element, rest, inner)
        elif element == "i1":
            self.store_scalar(self.emit("arith.extui %s : i1 to i8" % made), "i8")
        else:
            self.store_scalar(made, element)
        self.passes = ["--tritongpu-optimize-thread-locality"]

    def scan(self):
        shape, (elements, lines) = self.shape(), self.region(False)
        if len(lines) > 10:  # many registers for each lane
            self.warps = self.layouts.warps = self.rng.choice([1, 1, 2])
            while math.prod(shape) < 1024:
                shape[self.rng.randrange(len(shape))] *= 2
        encoding, axis = self.layouts.any(shape), self.rng.randrange(len(shape))
        sources = [self.load(e, shape, encoding) for e in elements]
        of = [self.type(shape, e, encoding) for e in elements]
        made = self.combine("scan", "axis = %d : i32, reverse = %s" % (axis, self.rng.choice(["true", "false"])), sources,
                            elements, lines, of, of)
        for value, element in zip(made, elements):
            self.store(value, element, shape, encoding)

    def convert(self):
        shape, element = self.shape(), self.element()
        first, second = self.layouts.any(shape), self.layouts.any(shape)
        if self.rng.random() < 0.1:
            return self.convert_pointers(shape, first, second)
        value = self.load(element, shape, first)
        value = self.emit("ttg.convert_layout %s : %s -> %s" % (value, self.type(shape, element, first),
                                                               self.type(shape, element, second)))
        self.store(value, element, shape, second)

    def moves(self):
        element, warp_bits = self.element(), log2(self.warps)
        length = 1 << warp_bits + self.rng.randint(2, 6)
        units = [1 << b for b in range(log2(length))]
        self.rng.shuffle(units)
        warp, layouts = units[:warp_bits], []
        for registers in (self.rng.randint(1, 3), self.rng.randint(0, 2)):
            lane, register = self.layouts.mixed(length, warp, max(registers, log2(length) - len([v for v in warp if v]) - 5))
            layouts.append(self.layouts.define("#ttg.linear<{register = %s, lane = %s, warp = %s, block = []}>" % tuple(
                [[vector] for vector in vectors] for vectors in (register, lane, warp))))
            warp = [0 if vector in lane and self.rng.random() < 0.7 else vector for vector in warp]
        value = self.load(element, [length], layouts[0])
        value = self.emit("ttg.convert_layout %s : %s -> %s" % (value, self.type([length], element, layouts[0]),
                                                               self.type([length], element, layouts[1])))
        self.store(value, element, [length], layouts[1])

    def conflicts(self):
        element, rank = self.rng.choice(["f32", "f16", "i8", "i64"]), self.rng.choice([1, 2, 2, 3])
        warp_bits = log2(self.warps)
        dims = [self.rng.randrange(rank) for _ in range(5 + warp_bits + self.rng.randint(0, 5))]
        shape = [1 << dims.count(d) for d in range(rank)]
        layouts = []
        for _ in range(2):
            units = [(d, 1 << b) for d in range(rank) for b in range(log2(shape[d]))]
            self.rng.shuffle(units)
            layouts.append(self.layouts.distinct(rank, units[5 + warp_bits:], units[:5], units[5:5 + warp_bits]))
        value = self.load(element, shape, layouts[0])
        value = self.emit("ttg.convert_layout %s : %s -> %s" % (value, self.type(shape, element, layouts[0]),
                                                               self.type(shape, element, layouts[1])))
        self.store(value, element, shape, layouts[1])
        self.counts = True

    def has_conflicts(self, counters):
        """A request needs one wavefront, or one per 128 bytes."""
        return any(counters["shared_wavefronts"][way] > max(counters["shared_requests"][way], counters["shared_bytes"][way] // 128)
                   for way in ("load", "store"))

    def convert_pointers(self, shape, first, second):
        pointers, of = self.pointers("i32", shape, first, "randint(-100,100)")
        to = self.type(shape, "!tt.ptr<i32>", second)
        pointers = self.emit("ttg.convert_layout %s : %s -> %s" % (pointers, of, to))
        self.store(self.emit("tt.load %s : %s" % (pointers, to)), "i32", shape, second)

    def matrices(self):
        """A conversion in which ldmatrix or stmatrix applies to one side."""
        element = self.rng.choice(["f16", "f16", "i16", "i8", "f32", "i32"])
        word = {"8": 2, "6": 1, "2": 0}[element[-1]]
        warp_bits = log2(self.warps)
        total = 5 + warp_bits + self.rng.randint(4, 5)
        rows = self.rng.randint(2, total - 2)
        units = [(0, 1 << b) for b in range(rows)] + [(1, 1 << b) for b in range(total - rows)]
        self.rng.shuffle(units)
        lane, warp, register = units[:5], units[5:5 + warp_bits], units[5 + warp_bits:]
        near = lane[2:] if word == 1 and self.rng.random() < 0.6 else register[:word] + lane[:2]
        others = [unit for unit in units if unit not in near]
        self.rng.shuffle(others)
        shape = [1 << rows, 1 << (total - rows)]
        layouts = [self.layouts.distinct(2, near + others[5 + warp_bits:], others[:5], others[5:5 + warp_bits]),
                   self.layouts.distinct(2, register, lane, warp)]
        self.rng.shuffle(layouts)
        value = self.load(element, shape, layouts[0])
        value = self.emit("ttg.convert_layout %s : %s -> %s" % (value, self.type(shape, element, layouts[0]),
                                                               self.type(shape, element, layouts[1])))
        self.store(value, element, shape, layouts[1])

    def gather(self):
        shape, element = self.shape(), self.element()
        axis, index = self.rng.randrange(len(shape)), self.rng.choice(["i32", "i32", "i8", "i16", "i64"])
        if index == "i8":
            shape[axis] = min(shape[axis], 128)
        wanted = list(shape)
        wanted[axis] = 1 << self.rng.randint(0, 6)
        first, second = self.layouts.any(shape), self.layouts.any(wanted)
        if wanted == shape and self.rng.random() < 0.5:
            second = first
        source, at = self.load(element, shape, first), self.load(index, wanted, second, 0, shape[axis])
        value = self.emit("tt.gather %s[%s] {axis = %d : i32} : (%s, %s) -> %s" % (
            source, at, axis, self.type(shape, element, first), self.type(wanted, index, second),
            self.type(wanted, element, second)))
        self.store(value, element, wanted, second)

    def histogram(self):
        shape, bins = self.shape(rank=1), [1 << self.rng.randint(0, 9)]
        encoding, to = self.layouts.any(shape), self.layouts.any(bins)
        index, counts = self.rng.choice(["i32", "i32", "i64", "i16"]), self.rng.choice(["i32", "i32", "i64"])
        source = self.load(index, shape, encoding, 0, bins[0] + self.rng.choice([1, 1, 5]))
        of, mask = self.type(shape, index, encoding), ""
        if self.rng.random() < 0.5:
            mask = ", " + self.load("i1", shape, encoding)
        value = self.emit("tt.histogram %s%s : %s -> %s" % (source, mask, of, self.type(bins, counts, to)))
        self.store(value, counts, bins, to)

    def pairs(self, shape):
        """A linear encoding of `shape`, and the one with an additional last dimension of 2 in registers."""
        half = self.layouts.one(shape)
        text = self.layouts.lines[-1].split(" = ", 1)[1]
        wide = re.sub(r"\[(\d+(?:, \d+)*)\]", r"[\1, 0]", text)
        at = ", ".join(["0"] * len(shape)) + ", 1"
        registers = wide.split("register = [", 1)[1]
        separator = "" if registers.startswith("]") else ", "
        return half, self.layouts.define(wide.replace("register = [", "register = [[%s]%s" % (at, separator), 1))

    def join(self):
        shape, element = self.shape(8), self.element()
        half, wide = self.pairs(shape)
        values = [self.load(element, shape, half) for _ in range(2)]
        value = self.emit("tt.join %s, %s : %s -> %s" % (*values, self.type(shape, element, half),
                                                         self.type(shape + [2], element, wide)))
        self.store(value, element, shape + [2], wide)

    def split(self):
        shape, element = self.shape(8), self.element()
        half, wide = self.pairs(shape)
        if self.layouts.only_generic and self.rng.random() < 0.5:  # warps with exchanged pairs
            before, warps, after = re.fullmatch("(.* warp = )(.*)(, block = .*)", self.layouts.lines[-1]).groups()
            self.layouts.lines[-1] = before + re.sub(r"0\]", lambda _: self.rng.choice(["0]", "1]"]), warps) + after
        value = self.load(element, shape + [2], wide)
        self.names += 1
        made = "%%v%d" % self.names
        self.lines.append("  %s:2 = tt.split %s : %s -> %s" % (made, value, self.type(shape + [2], element, wide),
                                                              self.type(shape, element, half)))
        for i in range(2):
            self.store("%s#%d" % (made, i), element, shape, half)

    def fp4(self):
        """Bytes in a linear encoding, and their nibbles in the one with an additional register bit: the lowest of `axis`."""
        shape, element = self.shape(9), self.rng.choice(["f16", "bf16"])
        axis, bytes_of = self.rng.randrange(len(shape)), self.layouts.one(shape)
        parts = self.vectors_of(bytes_of)
        for vectors in parts.values():
            for vector in vectors:
                vector[axis] *= 2
        parts["register"].insert(0, [int(d == axis) for d in range(len(shape))])
        wide = self.define_like(bytes_of, parts)
        to = shape[:axis] + [2 * shape[axis]] + shape[axis + 1:]
        source = self.load("i8", shape, bytes_of, -128, 128)
        value = self.emit("ttg.fp4_to_fp %s {axis = %d : i32} : %s -> %s" % (
            source, axis, self.type(shape, "i8", bytes_of), self.type(to, element, wide)))
        self.store(value, element, to, wide)

    def map(self):
        shape, pack = self.shape(), self.rng.choice([1, 2, 4])
        shape[-1] = max(shape[-1], pack)
        order = list(reversed(range(len(shape))))
        size = [1] * (len(shape) - 1) + [self.rng.choice([n for n in (1, 2, 4) if n >= pack])]
        encoding = self.layouts.define("#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>" % (
            size, self.layouts.spread(32, len(shape)), self.layouts.spread(self.warps, len(shape)), order))
        source, of = self.load("i32", shape, encoding), self.type(shape, "i32", encoding)
        arguments = ["%%a%d" % i for i in range(pack)]
        lines, results = ["%zero = arith.constant 0 : i32", "%%c = arith.cmpi sgt, %s, %%zero : i32" % arguments[0]], []
        for i, name in enumerate(arguments):
            lines += ["%%s%d = scf.if %%c -> (i32) {" % i, "  %%m%d = arith.muli %s, %s : i32" % (i, name, arguments[-1]),
                      "  scf.yield %%m%d : i32" % i, "} else {", "  scf.yield %s : i32" % name, "}"]
            results.append("%%s%d" % i)
        value = self.emit('"tt.map_elementwise"(%s) <{pack = %d : i32}> ({\n  ^bb0(%s):\n    %s\n    '
                          'tt.map_elementwise.return %s : %s\n  }) : (%s) -> %s' % (
                              source, pack, ", ".join(a + ": i32" for a in arguments), "\n    ".join(lines),
                              ", ".join(results), ", ".join(["i32"] * pack), of, of))
        self.store(value, "i32", shape, encoding)

    def atomic(self):
        """Adds each element once, and uses the result."""
        shape, element = self.shape(8), self.rng.choice(["i32", "i64", "f32"])
        encoding = self.layouts.any(shape)
        value = self.load(element, shape, encoding)
        pointers, of = self.pointers(element, shape, encoding, "ones")
        self.outs.append(len(self.parameters) - 1)
        mask = self.load("i1", shape, encoding)
        old = self.emit("tt.atomic_rmw %s, acq_rel, gpu, %s, %s, %s : (%s, %s, %s) -> %s" % (
            "fadd" if element == "f32" else "add", pointers, value, mask, of, self.type(shape, element, encoding),
            self.type(shape, "i1", encoding), self.type(shape, element, encoding)))
        if self.rng.random() < 0.5:
            zero = self.emit("arith.constant dense<0%s> : %s" % (".0" if element == "f32" else "", self.type(shape, element, encoding)))
            old = self.emit("arith.select %s, %s, %s : %s, %s" % (mask, old, zero, self.type(shape, "i1", encoding),
                                                                self.type(shape, element, encoding)))
            self.store(old, element, shape, encoding)

    def vectors_of(self, encoding):
        """The inputs of the linear or generic encoding, and their vectors."""
        text = self.layouts.lines[int(encoding[2:])].split(" = ", 1)[1]
        return eval(re.sub(r"#ttg.\w+<\{(.*), block = \[\]\}>", r"dict(\1)", text))

    def define_like(self, encoding, vectors):
        kind = re.search(r"#ttg.\w+", self.layouts.lines[int(encoding[2:])])[0]
        return self.layouts.define(kind + "<{register = %(register)s, lane = %(lane)s, warp = %(warp)s, block = []}>" % vectors)

    def views(self):
        """A transposition, and a reshape if registers and lanes still move along one dimension."""
        shape, element = self.shape(), self.element()
        encoding = self.layouts.generic(shape)
        value, vectors = self.load(element, shape, encoding), self.vectors_of(encoding)
        order = self.rng.sample(range(len(shape)), len(shape))
        to = [shape[d] for d in order]
        second = self.define_like(encoding, {k: [[v[d] for d in order] for v in of] for k, of in vectors.items()})
        value = self.emit("tt.trans %s {order = array<i32: %s>} : %s -> %s" % (
            value, ", ".join(map(str, order)), self.type(shape, element, encoding), self.type(to, element, second)))
        self.store(value, element, to, second)
        flat = math.prod(shape)
        line = self.define_like(encoding, {k: [[sum(c * math.prod(to[i + 1:]) for i, c in enumerate(v[d] for d in order))] for v in of]
                                              for k, of in vectors.items()})
        value = self.emit("tt.reshape %s : %s -> %s" % (value, self.type(to, element, second), self.type([flat], element, line)))
        self.store(value, element, [flat], line)

    def shared(self):
        """Through a buffer: stored in one encoding, loaded in another."""
        shape, element = self.shape(), self.rng.choice(["i32", "f16", "i8", "f64"])
        first, second = self.layouts.any(shape), self.layouts.any(shape)
        order = list(reversed(range(len(shape))))
        self.layouts.lines += ["#S = #ttg.swizzled_shared<{vec = %d, perPhase = 1, maxPhase = %d, order = %s}>" % (
            *self.rng.choice([(1, 1), (1, 4), (4, 8)]), order), "#smem = #ttg.shared_memory"]
        value = self.load(element, shape, first)
        of = "!ttg.memdesc<%s%s, #S, #smem>" % ("".join("%dx" % n for n in shape), element)
        self.lines.append("  %%buffer = ttg.local_alloc %s : (%s) -> %s" % (value, self.type(shape, element, first), of))
        value = self.emit("ttg.local_load %%buffer : %s -> %s" % (of, self.type(shape, element, second)))
        self.store(value, element, shape, second)

    # --- running ---

    def text(self, with_encodings):
        parameters = ", ".join("%s: !tt.ptr<%s> {tt.divisibility = 16 : i32}" % (n, e) for n, e, _, _ in self.parameters)
        text = "\n".join(self.layouts.lines) + "\n" + HEADER % (self.warps, 1 << self.layouts.cta_bits) + "tt.func public @k(%s) {\n%s\n  tt.return\n}\n}\n" % (
            parameters, "\n".join(self.lines))
        if not with_encodings:
            text = re.sub(r"^  %buffer = .*\n|^#(S|smem) = .*\n", "", text, flags=re.M)
            stored = re.search(r"%buffer = ttg.local_alloc (%\w+) ", "\n".join(self.lines))
            text = re.sub(r"^  (%\w+) = ttg.local_load %buffer : .* -> (\S+ #L\d+>)$",
                          lambda found: "  %s = ttg.convert_layout %s : %s -> %s" % (found[1], stored[1], found[2], found[2]),
                          text, flags=re.M)
        return text if with_encodings else re.sub(r", #L\d+", "", re.sub(
            r"^#L.*\n|attributes \{.*?\} ", "", re.sub(r"^  (%\w+) = ttg.convert_layout (%\w+) : (\S+ #L\d+>).*", r"  \1 = tt.reshape \2 : \3 -> \3",
                                                        text, flags=re.M), flags=re.M))

    def run(self, path, engine, options=()):
        command = ["nereid", "run", path, "--on", engine, "--grid", "1", *options]
        for i, (_, element, size, fill) in enumerate(self.parameters):
            command += ["--arg", "%d=%s[%d]:%s" % (i, element, size, fill)]
        outs = {i: "%s.%s.%d.npy" % (path, engine, i) for i in self.outs}
        for i, file in outs.items():
            command += ["--out", "%d=%s" % (i, file)]
        got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if got.returncode:
            return got.stderr + " ".join(command)
        if "--counters" in command and self.has_conflicts(json.loads(got.stdout[got.stdout.index("{"):got.stdout.rindex("}") + 1])):
            return "bank conflicts: " + " ".join(command)
        return [open(file, "rb").read() for file in outs.values()]


def main(directory, seed, count, ops):
    os.makedirs(directory, exist_ok=True)
    wrong = []
    for i in range(count):
        op = ops[i % len(ops)]
        kernel = Kernel(random.Random("%d %d" % (seed, i)))
        op, cta_bits = re.fullmatch(r"(\w+)(?:~(\d*))?", op).groups()
        kernel.layouts.only_generic, kernel.layouts.cta_bits = cta_bits is not None, int(cta_bits or 0)
        getattr(kernel, op)()
        paths = [os.path.join(directory, "%s%d.%s" % (op, i, end)) for end in ("ttgir", "ttir")]
        for path, with_encodings in zip(paths, (True, False)):
            with open(path, "w") as file:
                file.write(kernel.text(with_encodings))
        if kernel.passes:
            subprocess.run(["nereid-opt", paths[0], *kernel.passes, "-o", paths[0] + ".out"], check=True)
            os.replace(paths[0] + ".out", paths[0])
        schedule = ["--counters"] if kernel.counts else ["--racecheck", "--schedule", ["round-robin", "adversarial", "random"][i % 3]]
        expected, got = kernel.run(paths[1], "interpreter"), kernel.run(paths[0], "emulator", schedule)
        if isinstance(expected, str) or expected != got:
            wrong.append("%s\n%s" % (paths[0], got if isinstance(got, str) else expected if isinstance(expected, str) else ""))
    print("%d kernels, %d wrong" % (count, len(wrong)))
    print("\n".join(wrong[:5]))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
