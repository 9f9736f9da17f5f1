"""Runs random kernels of views, loops, conditions, calls, masks and integer arithmetic on the host, and compares results.

    random_views.py SOURCE_DIR WORK_DIR SEED COUNT

Each kernel loads x at the index r, applies the same views to both (and some more to x), and stores x at r: output[r[i]] =
x[i], which Python computes on lists. llc compiles the lowered IR, with PTX of masked accesses and NVVM intrinsics replaced by
functions in LLVM IR and in host_threads.c, which runs it. Needs nereid, mlir-translate, llc and cc on the PATH.
"""

import itertools
import os
import random
import re
import struct
import subprocess
import sys

FORMATS = {"i8": ("b", 8), "i16": ("h", 16), "i32": ("i", 32), "i64": ("q", 64)}
TARGETS = ("sm_80", "sm_90")  # without and with stmatrix

# NVVM intrinsics and the functions of host_threads.c that replace them.
INTRINSICS = {
    "read.ptx.sreg.tid.x": "i32 @host_tid()", "barrier.cta.sync.aligned.all": "void @host_barrier(i32)",
    "bar.warp.sync": "void @host_warp_barrier(i32)", "prmt": "i32 @host_prmt(i32, i32, i32)",
    "shfl.sync.idx.i32": "i32 @host_shfl_idx(i32, i32, i32, i32)"}
MATRICES = r"(ld|st)matrix\.sync\.aligned\.m8n8\.x(\d)(\.trans)?\.b16\.p3"


def wrap(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def tensor(shape, element):
    return "tensor<%sx%s>" % ("x".join(map(str, shape)), element)


def transposed(values, shape, order):
    strides = [1] * len(shape)
    for d in reversed(range(len(shape) - 1)):
        strides[d] = strides[d + 1] * shape[d + 1]
    places = itertools.product(*(range(shape[d]) for d in order))
    return [values[sum(i * strides[order[k]] for k, i in enumerate(place))] for place in places]


class Kernel:
    """The text of a kernel and its expected results."""

    def __init__(self, rng):
        self.rng, self.names, self.lines, self.functions = rng, 0, [], []
        self.bits = rng.randint(0, 12)
        self.size = 1 << self.bits
        self.element = rng.choice(list(FORMATS))
        self.width = FORMATS[self.element][1]
        self.count = rng.randint(0, 3)
        self.data = [wrap(rng.getrandbits(64), self.width) for _ in range(self.size)]
        self.hint = rng.choice(["", " {tt.divisibility = 16 : i32}"])

    def emit(self, text, *arguments):
        self.names += 1
        name = "%%v%d" % self.names
        self.lines.append("  " + name + " = " + text % arguments)
        return name

    def move(self, kind, values, shape):
        """Applies a view to (name, element, list) triples of one shape; returns them and the new shape."""
        rng, to = self.rng, None
        if kind == "reshape":
            to = [1] * rng.randint(1, 4)
            for _ in range(self.bits):
                to[rng.randrange(len(to))] *= 2
            text = "tt.reshape %%s : %%s -> %s"
        elif kind == "trans":
            order = rng.sample(range(len(shape)), len(shape))
            to = [shape[d] for d in order]
            text = "tt.trans %%s {order = array<i32: " + ", ".join(map(str, order)) + ">} : %%s -> %s"
        else:
            axis = rng.randint(0, len(shape))
            to = shape[:axis] + [1] + shape[axis:]
            text = "tt.expand_dims %%s {axis = " + str(axis) + " : i32} : %%s -> %s"
        moved = []
        for name, element, values_of in values:
            made = self.emit(text % tensor(to, element), name, tensor(shape, element))
            moved.append((made, element, transposed(values_of, shape, order) if kind == "trans" else values_of))
        return moved, to

    def compute(self, kind, value, shape):
        name, element, values = value
        of = tensor(shape, element)
        if kind == "add":
            made = self.emit("arith.addi %s, %s : %s", name, name, of)
            return made, element, [wrap(2 * v, self.width) for v in values]
        if kind == "loop":
            made = self.emit(
                "scf.for %%i = %%zero to %%count step %%one iter_args(%%a = %s) -> (%s) : i32 {\n"
                "    %%b = arith.addi %%a, %s : %s\n    scf.yield %%b : %s\n  }", name, of, name, of, of)
            return made, element, [wrap(v * (self.count + 1), self.width) for v in values]
        asked = self.emit("arith.cmpi sgt, %%count, %%one : i32")
        made = self.emit(
            "scf.if %s -> (%s) {\n    %%b = arith.addi %s, %s : %s\n    scf.yield %%b : %s\n  } else {\n"
            "    scf.yield %s : %s\n  }", asked, of, name, name, of, of, name, of)
        return made, element, [wrap(2 * v, self.width) if self.count > 1 else v for v in values]

    def call(self, value, shape):
        """Passes a tensor and a scalar through a noinline function with a view through shared memory."""
        name, element, values = value
        of, caller, self.lines = tensor(shape, element), self.lines, []
        inside = ("%x", element, values)
        if self.rng.random() < 0.5:
            (inside,), other_shape = self.move("trans", [inside], shape)
            back = self.emit("tt.reshape %s : %s -> %s", inside[0], tensor(other_shape, element), of)
            inside = (back, element, inside[2])
        inside = self.compute("add", inside, shape)
        callee, kind = "@helper%d" % len(self.functions), "(%s, i32)" % of
        self.functions.append(
            "tt.func private %s(%%x: %s, %%n: i32) -> %s attributes {noinline = true} {\n%s\n  tt.return %s, %%n : %s, i32\n}\n"
            % (callee, of, kind, "\n".join(self.lines), inside[0], of))
        self.lines = caller
        self.names += 1
        made = "%%v%d" % self.names
        self.lines.append("  %s, %s_n = tt.call %s(%s, %%count) : (%s, i32) -> %s" % (made, made, callee, name, of, kind))
        return made, element, inside[2]

    def pointers(self, base, index, shape):
        of, at = tensor(shape, "!tt.ptr<%s>" % self.element), tensor(shape, "i32")
        splat = self.emit("tt.splat %s : !tt.ptr<%s> -> %s", base, self.element, of)
        return self.emit("tt.addptr %s, %s : %s, %s", splat, index, of, at), of

    def mask(self, index, shape):
        """Nothing, or a mask of the indices below a bound, with the bound."""
        if self.rng.random() < 0.5:
            return None, self.size
        bound = self.rng.randint(0, self.size)
        of = tensor(shape, "i32")
        limit = self.emit("arith.constant dense<%d> : %s", bound, of)
        return self.emit("arith.cmpi slt, %s, %s : %s", index, limit, of), bound

    def build(self):
        rng = self.rng
        range_ = self.emit("tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", self.size, self.size)
        index, shape = (range_, "i32", list(range(self.size))), [self.size]
        for _ in range(rng.randint(0, 3)):
            (index,), shape = self.move(rng.choice(["reshape", "trans", "expand"]), [index], shape)
        places, of = self.pointers("%input", index[0], shape)
        mask, bound = self.mask(index[0], shape)
        other = self.emit("arith.constant dense<7> : %s", tensor(shape, self.element)) if mask else None
        loaded = self.emit("tt.load %s%s : %s", places, ", %s, %s" % (mask, other) if mask else "", of)
        x = (loaded, self.element, [self.data[i] if i < bound else 7 for i in index[2]])
        for _ in range(rng.randint(0, 5)):
            kind = rng.choice(["reshape", "trans", "expand", "add", "loop", "if", "call"])
            if kind == "call":
                x = self.call(x, shape)
            elif kind in ("add", "loop", "if"):
                x = self.compute(kind, x, shape)
            elif len(shape) < 5 and rng.random() < 0.7:
                (x, index), shape = self.move(kind, [x, index], shape)
            elif len(shape) < 5:
                (x,), other_shape = self.move(kind, [x], shape)
                back = self.emit("tt.reshape %s : %s -> %s", x[0], tensor(other_shape, x[1]), tensor(shape, x[1]))
                x = (back, x[1], x[2])
        places, of = self.pointers("%output", index[0], shape)
        mask, bound = self.mask(index[0], shape)
        self.lines.append("  tt.store %s, %s%s : %s" % (places, x[0], ", " + mask if mask else "", of))
        untouched = wrap(int.from_bytes(b"\xee" * 8, "little"), self.width)
        wanted = [untouched] * self.size
        for i, value in zip(index[2], x[2]):
            if i < bound:
                wanted[i] = value
        return wanted

    def text(self):
        argument = "!tt.ptr<%s>%s" % (self.element, self.hint)
        head = "tt.func public @kernel(%%input: %s, %%output: %s, %%count: i32) {\n" % (argument, argument)
        constants = "  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n"
        return "module {\n" + "".join(self.functions) + head + constants + "\n".join(self.lines) + "\n  tt.return\n}\n}\n"


def result_type(register, words):
    return register if words == 1 else "{ %s }" % ", ".join([register] * words)


def returned(prefix, register, words):
    """LLVM IR that returns the values PREFIX0, PREFIX1, ..."""
    if words == 1:
        return "  ret %s %%%s0\n" % (register, prefix)
    result, text, last = result_type(register, words), "", "undef"
    for i in range(words):
        text += "  %%%sr%d = insertvalue %s %s, %s %%%s%d, %d\n" % (prefix, i, result, last, register, prefix, i, i)
        last = "%%%sr%d" % (prefix, i)
    return text + "  ret %s %s\n" % (result, last)


def memory_function(name, store, words, width):
    """LLVM IR of a predicated access, which replaces its PTX."""
    register = "i16" if width == 8 else "i%d" % width
    arguments = ["%s %%w%d" % (register, i) for i in range(words)]
    body = ""
    for i in range(words):
        body += "  %%p%d = getelementptr i%d, ptr %%p, i32 %d\n" % (i, width, i)
        if store:
            body += "  %%n%d = %s\n" % (i, "trunc i16 %%w%d to i8" % i if width == 8 else "bitcast %s %%w%d to %s" %
                                        (register, i, register))
            body += "  store i%d %%n%d, ptr %%p%d\n" % (width, i, i)
        else:
            body += "  %%m%d = load i%d, ptr %%p%d\n" % (i, width, i)
            body += "  %%l%d = %s\n" % (i, "zext i8 %%m%d to i16" % i if width == 8 else "bitcast %s %%m%d to %s" %
                                        (register, i, register))
    if store:
        signature = "define void @%s(ptr %%p, %s, i1 %%on)" % (name, ", ".join(arguments))
        return signature + " {\n  br i1 %on, label %yes, label %no\nyes:\n" + body + "  br label %no\nno:\n  ret void\n}\n"

    signature = "define %s @%s(ptr %%p, i1 %%on, %s)" % (result_type(register, words), name, ", ".join(arguments))
    return (signature + " {\n  br i1 %on, label %yes, label %no\nyes:\n" + body + returned("l", register, words) + "no:\n" +
            returned("w", register, words) + "}\n")


def matrix_function(name, store, words, transposed):
    """LLVM IR of ldmatrix or stmatrix: passes the registers to host_threads.c in memory."""
    places = "  %%a = alloca [%d x i32]\n" % words
    places += "".join("  %%p%d = getelementptr i32, ptr %%a, i32 %d\n" % (i, i) for i in range(words))
    call = "  call void @host_%smatrix(ptr %%p, ptr %%a, i32 %d, i32 %d)\n" % ("st" if store else "ld", words, transposed)
    if store:
        arguments = "".join(", i32 %%w%d" % i for i in range(words))
        stores = "".join("  store i32 %%w%d, ptr %%p%d\n" % (i, i) for i in range(words))
        return "define void @%s(ptr %%p%s) {\n%s  ret void\n}\n" % (name, arguments, places + stores + call)
    loads = "".join("  %%l%d = load i32, ptr %%p%d\n" % (i, i) for i in range(words))
    body = places + call + loads + returned("l", "i32", words)
    return "define %s @%s(ptr %%p) {\n%s}\n" % (result_type("i32", words), name, body)


def for_host(ll):
    """The kernel's LLVM IR for the host."""
    functions = {}

    def access(match):
        kind, words, width = match.group(2), int(match.group(3) or 1), int(match.group(4))
        name = "host_%s%d_%d" % (kind, words, width)
        functions[name] = memory_function(name, kind == "st", words, width)
        return "%s @%s(" % (match.group(1), name)

    def intrinsic(match):
        if match.group(1) in INTRINSICS:
            signature = INTRINSICS[match.group(1)]
            name = re.search(r"@(\w+)", signature).group(1)
            functions[name] = "declare %s\n" % signature
            return "@%s(" % name
        matrices = re.fullmatch(MATRICES, match.group(1))
        if not matrices:
            return match.group(0)
        kind, words, transposed = matrices.group(1), int(matrices.group(2)), bool(matrices.group(3))
        name = "host_%smatrix%d%s" % (kind, words, "_trans" if transposed else "")
        functions[name] = matrix_function(name, kind == "st", words, transposed)
        functions["host_%smatrix" % kind] = "declare void @host_%smatrix(ptr, ptr, i32, i32)\n" % kind
        return "@%s(" % name

    ll = ll.replace("ptx_kernel ", "")
    ll = re.sub(r"@global_smem = .*", "@host_smem = external global [262144 x i8], align 16", ll)
    ll = ll.replace("@global_smem", "@host_smem")
    ll = re.sub(r"ptr addrspace\([13]\)", "ptr", ll)
    ll = re.sub(r"^declare .*@llvm\.nvvm\..*$", "", ll, flags=re.M)
    ll = re.sub(r"@llvm\.nvvm\.([\w.]+)\(", intrinsic, ll)
    ll = re.sub(r'(call [^"@\n]*?) ?asm sideeffect "@\$\d+ (ld|st)\.global(?:\.v(\d))?\.b(\d+) [^"]*", "[^"]*"\(', access, ll)
    ll = re.sub(r"^target (triple|datalayout).*$", "", ll, flags=re.M)
    unknown = re.search(r".*(\basm\b|@llvm\.nvvm\.).*", ll)
    if unknown:
        raise RuntimeError("PTX that is not known here: " + unknown.group(0))
    return ll + "".join(text for _, text in sorted(functions.items()))


def check(source, work, rng, number):
    kernel = Kernel(rng)
    wanted, warps, target = kernel.build(), rng.choice([1, 2, 4, 8]), TARGETS[number % len(TARGETS)]
    path = lambda name: os.path.join(work, name)
    with open(path("%d.ttir" % number), "w") as file:
        file.write(kernel.text())
    run = lambda *command: subprocess.run(command, check=True)
    run("nereid", "compile", path("%d.ttir" % number), "--emit", "llvm", "--num-warps", str(warps), "--target", target,
        "-o", path("k.mlir"))
    run("mlir-translate", "--allow-unregistered-dialect", "--mlir-to-llvmir", path("k.mlir"), "-o", path("k.ll"))
    with open(path("k.ll")) as file:
        ll = for_host(file.read())
    with open(path("host.ll"), "w") as file:
        file.write(ll)
    run("llc", "-O1", "-filetype=obj", "-relocation-model=pic", path("host.ll"), "-o", path("k.o"))
    run("cc", path("host_threads.o"), path("k.o"), "-o", path("run"), "-pthread")
    code = "<%d%s" % (kernel.size, FORMATS[kernel.element][0])
    with open(path("in"), "wb") as file:
        file.write(struct.pack(code, *kernel.data))
    run(path("run"), str(32 * warps), str(kernel.size * kernel.width // 8), path("in"), str(kernel.count), path("out"))
    with open(path("out"), "rb") as file:
        found = struct.unpack(code, file.read())
    wrong = [i for i in range(kernel.size) if found[i] != wanted[i]]
    if wrong:
        print("%s with %d warps for %s: %d of %d elements are wrong, the first is %d: %d, expected %d" %
              (path("%d.ttir" % number), warps, target, len(wrong), kernel.size, wrong[0], found[wrong[0]], wanted[wrong[0]]))
    return not wrong, "@host_smem" in ll


def main():
    source, work, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(work, exist_ok=True)
    driver = os.path.join(source, "test/conversion/ttg_to_llvm/Inputs/host_threads.c")
    subprocess.run(["cc", "-std=c11", "-O1", "-Wall", "-Werror", "-c", driver, "-o", os.path.join(work, "host_threads.o")],
                   check=True)
    rng = random.Random(seed)
    results = [check(source, work, rng, number) for number in range(count)]
    right, exchanges = sum(r[0] for r in results), sum(r[1] for r in results)
    print("%d kernels, %d wrong, %d through shared memory" % (count, count - right, exchanges))
    return right != count


sys.exit(main())
