"""Compares random programs of noinline functions with the interpreter.

    random_calls.py [--on gpu] ttgir|ttir|warps FIRST COUNT [FOLDER]      programs from FIRST on; FOLDER keeps them

A program has a kernel and up to seven functions; each calls any of the later ones, also in branches and loops. Functions
have tensors, buffers and an integer as arguments, and return tensors and their buffer arguments. They store to buffers and
load elements that other warps stored, gather and reduce through scratch, and copy from global memory asynchronously. All
values are integers, so results are exact. Programs of ttir have no layouts and buffers, which the passes assign. Kernels of
warps also contain ttg.warp_specialize, with partitions of one, two and four warps that do the same on their own buffers.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

HEADER = """#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line2 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#wide2 = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#line1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#wide1 = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!v = tensor<256xi32, #line>
!w = tensor<256xi32, #wide>
!v2 = tensor<256xi32, #line2>
!w2 = tensor<256xi32, #wide2>
!v1 = tensor<256xi32, #line1>
!w1 = tensor<256xi32, #wide1>
!buffer = !ttg.memdesc<256xi32, #plain, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
"""
SOURCE = """!v = tensor<256xi32>
!square = tensor<16x16xi32>
module {
"""
HOW = [["--schedule", "adversarial", "--landing", "wait"], ["--schedule", "random", "--landing", "random"],
       ["--schedule", "round-robin", "--landing", "issue"]]


class Function:
    """The text of one function under construction. `values` and `buffers` are visible at the insertion point."""

    def __init__(self, random_, name, callees, tensors, buffers, results, returned, source, warps=4, partition=""):
        self.random, self.name, self.source, self.warps, self.partition = random_, name, source, warps, partition
        self.all_callees, self.callees = callees, [callee for callee in callees if callee.warps == warps]
        self.n_partitions, self.kept = 0, ()
        self.pointers = f"tensor<256x!tt.ptr<i32>{'' if source else ', #line'}>"
        self.tensors, self.n_buffers, self.results, self.returned = tensors, buffers, results, returned
        self.lines, self.numbered, self.flying, self.specializes = [], 0, [], False
        self.values = [f"%x{i}" for i in range(tensors)]
        self.buffers = [f"%b{i}" for i in range(buffers)]
        self.indent = "  "

    def spelled(self, text):
        """Types for a number of warps, and names of a partition, which is printed in the text of another function."""
        if self.warps != 4:
            text = re.sub(r"(!v|!w|#line)\b", rf"\g<1>{self.warps}", text)
        return re.sub(r"%(\w+)", lambda name: name[0] if name[1] in self.kept else f"%{self.partition}{name[1]}", text)

    def say(self, text):
        self.lines.append(self.indent + self.spelled(text))

    def new(self):
        self.numbered += 1
        return f"%t{self.numbered}"

    def make(self, text):
        result = self.new()
        self.say(f"{result} = {text}")
        return result

    def value(self):
        return self.random.choice(self.values)

    # --- statements ---

    def arithmetic(self):
        op = self.random.choice(["addi", "xori", "subi", "muli"])
        self.values.append(self.make(f"arith.{op} {self.value()}, {self.value()} : !v"))

    def alloc(self):
        self.buffers.append(self.make(f"ttg.local_alloc {self.value()} : (!v) -> !buffer"))

    def store(self):
        if self.buffers:
            self.say(f"ttg.local_store {self.value()}, {self.random.choice(self.buffers)} : !v -> !buffer")

    def load(self):
        if self.buffers:
            wide = self.make(f"ttg.local_load {self.random.choice(self.buffers)} : !buffer -> !w")
            self.values.append(self.make(f"ttg.convert_layout {wide} : !w -> !v"))

    def reverse(self):
        self.values.append(self.make(f"tt.gather {self.value()}[%reversed] {{axis = 0 : i32}} : (!v, !v) -> !v"))

    def reduce(self):
        op = self.random.choice(["addi", "maxsi", "xori"])
        total, a, b, c = self.new(), self.new(), self.new(), self.new()
        self.say(f'{total} = "tt.reduce"({self.value()}) <{{axis = 0 : i32}}> ({{')
        self.say(f"^bb0({a}: i32, {b}: i32):")
        self.say(f"  {c} = arith.{op} {a}, {b} : i32")
        self.say(f"  tt.reduce.return {c} : i32")
        self.say("}) : (!v) -> i32")
        splat = self.make(f"tt.splat {total} : i32 -> !v")
        self.values.append(self.make(f"arith.addi {splat}, {self.value()} : !v"))

    def barrier(self):
        self.say("ttg.local_barrier")

    def choose(self):
        if len(self.buffers) > 1:
            a, b = self.random.sample(self.buffers, 2)
            result = self.new()
            self.say(f"{result} = scf.if %odd -> (!buffer) {{")
            self.say(f"  scf.yield {a} : !buffer")
            self.say("} else {")
            self.say(f"  scf.yield {b} : !buffer")
            self.say("}")
            self.buffers.append(result)

    def copy(self):
        buffer = self.make("ttg.local_alloc : () -> !buffer")
        token = self.make(f"ttg.async_copy_global_to_local %from, {buffer} : {self.pointers} -> !buffer")
        self.make(f"ttg.async_commit_group tokens {token}")
        self.flying.append(buffer)

    def wait(self):
        if self.flying:
            self.make("ttg.async_wait {num = 0 : i32}")
            self.buffers += self.flying
            self.flying = []

    def call(self):
        callee = self.random.choice(self.callees) if self.callees else None
        if not callee or callee.n_buffers and not self.buffers:
            return
        arguments = ["%p", "%n"] + [self.value() for _ in range(callee.tensors)]
        arguments += [self.random.choice(self.buffers) for _ in range(callee.n_buffers)]
        values, buffers = [self.new() for _ in range(callee.results)], [self.new() for _ in callee.returned]
        made = ", ".join(values + buffers)
        self.say(f"{made} = tt.call @{callee.name}({', '.join(arguments)}) : {callee.type()}")
        self.values += values
        self.buffers += buffers

    def turn(self):
        square = self.make(f"tt.reshape {self.value()} : !v -> !square")
        turned = self.make(f"tt.trans {square} {{order = array<i32: 1, 0>}} : !square -> !square")
        self.values.append(self.make(f"tt.reshape {turned} : !square -> !v"))

    def rows(self):
        square, sums, a, b, c = self.make(f"tt.reshape {self.value()} : !v -> !square"), *[self.new() for _ in range(4)]
        axis = self.random.choice([0, 1])
        self.say(f'{sums} = "tt.reduce"({square}) <{{axis = {axis} : i32}}> ({{')
        self.say(f"^bb0({a}: i32, {b}: i32):")
        self.say(f"  {c} = arith.addi {a}, {b} : i32")
        self.say(f"  tt.reduce.return {c} : i32")
        self.say("}) : (!square) -> tensor<16xi32>")
        one = ["16x1", "1x16"][axis ^ 1]
        wide = self.make(f"tt.expand_dims {sums} {{axis = {axis} : i32}} : tensor<16xi32> -> tensor<{one}xi32>")
        full = self.make(f"tt.broadcast {wide} : tensor<{one}xi32> -> !square")
        self.values.append(self.make(f"tt.reshape {self.make(f'arith.addi {full}, {square} : !square')} : !square -> !v"))

    def read(self):
        self.values.append(self.make(f"tt.load %from : {self.pointers}"))

    def nested(self, depth, n, end="scf.yield"):
        """Statements in a region: their values are not visible after it; returns its result."""
        values, buffers, flying, indent = list(self.values), list(self.buffers), self.flying, self.indent
        self.flying, self.indent = [], self.indent + "  "
        self.statements(n, depth + 1)
        self.wait()
        self.say(f"{end} {self.values[-1]} : !v")
        self.values, self.buffers, self.flying, self.indent = values, buffers, flying, indent

    def branch(self, depth):
        number = self.make(f"arith.cmpi sgt, %n, %c{self.random.choice([0, 1, 2])} : i32")
        result = self.new()
        self.say(f"{result} = scf.if {number} -> (!v) {{")
        self.nested(depth, self.random.randint(1, 4))
        self.say("} else {")
        self.nested(depth, self.random.randint(0, 3))
        self.say("}")
        self.values.append(result)

    def loop(self, depth):
        result, i, carried, start = self.new(), self.new(), self.new(), self.value()
        self.say(f"{result} = scf.for {i} = %c0 to %n step %c1 iter_args({carried} = {start}) -> (!v) : i32 {{")
        self.values.append(carried)
        self.nested(depth, self.random.randint(1, 5))
        self.values.pop()
        self.say("}")
        self.values.append(result)

    def specialize(self, depth):
        """A ttg.warp_specialize; each partition begins by reading a buffer and ends by writing it."""
        warps = [self.random.choice([1, 2, 4]) for _ in range(self.random.randint(1, 3))]
        own = [self.make(f"ttg.local_alloc {self.value()} : (!v) -> !buffer") for _ in warps]
        result = self.new()
        self.say(f"{result} = ttg.warp_specialize({', '.join(['%p', '%n'] + own)})")
        self.say("default {")
        self.specializes = False
        self.nested(depth, self.random.randint(0, 5), "ttg.warp_yield")
        self.specializes = True
        self.say("}")
        for i, count in enumerate(warps):
            self.n_partitions += 1
            partition = Function(self.random, "", self.all_callees, 0, len(warps), 0, [], False, count,
                                 f"p{self.n_partitions}_")
            self.lines += partition.part(i, self.indent, self.random.randint(1, 7))
        self.say(f": ({', '.join(['!tt.ptr<i32>', 'i32'] + ['!buffer'] * len(own))}) -> !v")
        self.values.append(result)
        self.buffers += own

    def statements(self, n, depth):
        plain = [self.arithmetic, self.alloc, self.store, self.store, self.load, self.load, self.reverse, self.reduce,
                 self.barrier, self.choose, self.copy, self.wait, self.call, self.call, self.call]
        if self.source:
            plain = [self.arithmetic, self.arithmetic, self.reverse, self.reduce, self.turn, self.rows, self.read,
                     self.call, self.call, self.call]
        for _ in range(n):
            if self.specializes and depth < 2 and self.random.random() < 0.2:
                self.specialize(depth)
            elif depth < 2 and self.random.random() < 0.15:
                self.random.choice([self.branch, self.loop])(depth)
            else:
                self.random.choice(plain)()

    # --- the text ---

    def type(self):
        arguments = ["!tt.ptr<i32>", "i32"] + ["!v"] * self.tensors + ["!buffer"] * self.n_buffers
        results = ["!v"] * self.results + ["!buffer"] * len(self.returned)
        return f"({', '.join(arguments)}) -> ({', '.join(results)})"

    def prologue(self):
        self.say("%c0 = arith.constant 0 : i32")
        self.say("%c1 = arith.constant 1 : i32")
        self.say("%c2 = arith.constant 2 : i32")
        self.say("%last = arith.constant dense<255> : !v")
        self.say("%r = tt.make_range {end = 256 : i32, start = 0 : i32} : !v")
        self.say("%reversed = arith.subi %last, %r : !v")
        self.say("%low = arith.andi %n, %c1 : i32")
        self.say("%odd = arith.cmpi ne, %low, %c0 : i32")
        self.say(f"%s = tt.splat %p : !tt.ptr<i32> -> {self.pointers}")
        self.say(f"%from = tt.addptr %s, %r : {self.pointers}, !v")

    def function(self, n):
        self.prologue()
        self.statements(n, 0)
        self.wait()
        values = [self.value() for _ in range(self.results - 1)] + [self.values[-1]]
        arguments = ["%p: !tt.ptr<i32>", "%n: i32"] + [f"%x{i}: !v" for i in range(self.tensors)]
        arguments += [f"%b{i}: !buffer" for i in range(self.n_buffers)]
        self.say(f"tt.return {', '.join(values + self.returned)} : "
                 f"{', '.join(['!v'] * self.results + ['!buffer'] * len(self.returned))}")
        results = self.type().split(" -> ")[1]
        more = "" if self.warps == 4 else f', "ttg.num-warps" = {self.warps} : i32'
        head = f"tt.func private @{self.name}({', '.join(arguments)}) -> {results} attributes {{noinline = true{more}}} {{"
        return self.spelled(head) + "\n" + "\n".join(self.lines) + "\n}\n"

    def part(self, number, indent, n):
        arguments = ["%p: !tt.ptr<i32>", "%n: i32"] + [f"{buffer}: !buffer" for buffer in self.buffers]
        self.indent, own = indent, self.buffers[number]
        self.say(f"partition{number}({', '.join(arguments)}) num_warps({self.warps}) {{")
        self.indent, self.buffers = indent + "  ", [own]
        self.prologue()
        self.values = ["%r"]
        self.load()
        self.statements(n, 0)
        self.wait()
        self.say(f"ttg.local_store {self.values[-1]}, {own} : !v -> !buffer")
        self.say("ttg.warp_return")
        self.indent = indent
        self.say("}")
        return self.lines

    def kernel(self, n, specializes):
        self.specializes = specializes
        self.prologue()
        self.say(f"%x = tt.load %from : {self.pointers}")
        self.values = ["%x", "%r"]
        if specializes:
            self.specialize(0)
        self.statements(n, 0)
        self.wait()
        for buffer in self.buffers:
            self.values.append(self.make(
                f"ttg.convert_layout {self.make(f'ttg.local_load {buffer} : !buffer -> !w')} : !w -> !v"))
        total = self.values[0]
        for value in self.values[1:]:
            total = self.make(f"arith.addi {self.make(f'arith.muli {total}, %last : !v')}, {value} : !v")
        self.say(f"%so = tt.splat %o : !tt.ptr<i32> -> {self.pointers}")
        self.say(f"%to = tt.addptr %so, %r : {self.pointers}, !v")
        self.say(f"tt.store %to, {total} : {self.pointers}")
        self.say("tt.return")
        return ("tt.func public @k(%p: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {\n" + "\n".join(self.lines) + "\n}\n")


def program(seed, stage):
    draw = random.Random(seed)
    source, specializes = stage == "ttir", stage == "warps"
    functions, texts = [], []
    for i in range(draw.randint(2, 7)):
        tensors, buffers = draw.randint(1, 3), 0 if source else draw.randint(0, 2)
        returned = [f"%b{draw.randrange(buffers)}"] if buffers and draw.random() < 0.4 else []
        function = Function(draw, f"f{i}", list(functions), tensors, buffers, draw.randint(1, 2), returned, source,
                            draw.choice([4, 2, 1]) if specializes else 4)
        texts.append(function.function(draw.randint(2, 8)))
        functions.append(function)
    texts.append(Function(draw, "k", functions, 0, 0, 0, [], source).kernel(draw.randint(4, 10), specializes))
    return (SOURCE if source else HEADER) + "".join(reversed(texts)) + "}\n"


def main():
    gpu = sys.argv[1:3] == ["--on", "gpu"]
    given = sys.argv[3:] if gpu else sys.argv[1:]
    stage, first, count = given[0], int(given[1]), int(given[2])
    engine = ["--on", "gpu"] if gpu else ["--on", "emulator", "--racecheck"]
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given[3] if len(given) > 3 else temporary
        for seed in range(first, first + count):
            path = os.path.join(folder, f"{stage}{seed}.{'ttir' if stage == 'ttir' else 'ttgir'}")
            with open(path, "w") as file:
                file.write(program(seed, stage))
            for how in [[]] if gpu else HOW:
                command = ["nereid", "run", path, *engine, "--check", "interpreter", "--grid", "1",
                           "--arg", "0=i32[256]:arange", "--arg", "1=i32[256]:zeros", "--arg", f"2={seed % 4}", *how]
                if stage == "ttir":
                    command += ["--num-warps", str([4, 1, 8][seed % 3])]
                got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                # The frame check mistakes a buffer argument that the callee writes before its last value was read
                # for an overwritten frame. Real overlaps change the results.
                lines = got.stdout.splitlines()
                good = any(line.startswith("check o ") and line.endswith(": ok") for line in lines)
                if not good or any(line.startswith("race:") for line in lines):
                    print(" ".join(command), *lines[:8], sep="\n")
                    bad += 1
                    break
    print(f"{count} programs, {bad} bad")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
