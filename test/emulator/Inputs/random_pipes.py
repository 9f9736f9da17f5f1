"""Compares random chains of partitions, which pass buffers through mbarriers, with the interpreter.

    random_pipes.py [--on gpu] FIRST COUNT [FOLDER]      programs from FIRST on; FOLDER keeps them

A kernel has two to four stages, one of them the default region, the others partitions of one, two or four warps. Each loads a
tensor from its input ring, computes as the functions of random_calls.py do, and stores the result to its output ring; the last
stage sums the results. Rings have one to three slots, whose indices are computed or loop-carried; a slot is released before
or after the computation, by one arrival or several.
"""
import os
import random
import subprocess
import sys
import tempfile

import random_calls

TYPES = "".join(f"!ring{d} = !ttg.memdesc<{d}x256xi32, #plain, #smem, mutable>\n"
                f"!bars{d} = !ttg.memdesc<{d}x1xi64, #plain, #smem, mutable>\n" for d in (1, 2, 3))
BAR = "!ttg.memdesc<1xi64, #plain, #smem, mutable>"


class Ring:
    def __init__(self, draw, number):
        self.slots, self.number = draw.choice([1, 2, 2, 3]), number
        self.filled, self.given = draw.choice([1, 1, 2, 5]), draw.choice([1, 1, 3])
        self.captures = [(f"%ring{number}", f"!ring{self.slots}"), (f"%full{number}", f"!bars{self.slots}"),
                         (f"%empty{number}", f"!bars{self.slots}")]

    def make(self, kernel):
        for (name, kind), count in zip(self.captures, (0, self.filled, self.given)):
            kernel.say(f"{name} = ttg.local_alloc : () -> {kind}")
            for slot in range(self.slots if count else 0):
                bar = kernel.make(f"ttg.memdesc_index {name}[%c{slot}] : {kind} -> {BAR}")
                kernel.say(f"ttng.init_barrier {bar}, {count} : {BAR}")


class Stage(random_calls.Function):
    """One region, with its input and output rings; None at the ends."""

    def __init__(self, draw, functions, warps, partition, before, behind):
        super().__init__(draw, "", functions, 0, 0, 0, [], False, warps, partition)
        self.before, self.behind = before, behind

    def at(self, ring, which, slot):
        name, kind = ring.captures[which]
        return self.make(f"ttg.memdesc_index {name}[{slot}] : {kind} -> {BAR if which else '!buffer'}")

    def place(self, ring, counted):
        """Slot and parity of iteration %i: computed, or loop-carried."""
        if counted:
            return counted
        slots = self.make(f"arith.constant {ring.slots} : i32")
        turn = self.make(f"arith.divui %i, {slots} : i32")
        return self.make(f"arith.remui %i, {slots} : i32"), self.make(f"arith.andi {turn}, %c1 : i32")

    def next_place(self, ring, slot, parity):
        more, slots = self.make(f"arith.addi {slot}, %c1 : i32"), self.make(f"arith.constant {ring.slots} : i32")
        over = self.make(f"arith.cmpi eq, {more}, {slots} : i32")
        flipped = self.make(f"arith.xori {parity}, %c1 : i32")
        return (self.make(f"arith.select {over}, %c0, {more} : i32"),
                self.make(f"arith.select {over}, {flipped}, {parity} : i32"))

    def give_back(self, place):
        bar = self.at(self.before, 2, place[0])
        times = self.before.given if self.random.random() < 0.3 else 1
        for _ in range(times):
            self.say(f"ttng.arrive_barrier {bar}, {self.before.given // times} : {BAR}")

    def take(self, place):
        self.say(f"ttng.wait_barrier {self.at(self.before, 1, place[0])}, {place[1]} : {BAR}")
        buffer = self.at(self.before, 0, place[0])
        if self.random.random() < 0.5:
            return self.make(f"ttg.local_load {buffer} : !buffer -> !v")
        return self.make(f"ttg.convert_layout {self.make(f'ttg.local_load {buffer} : !buffer -> !w')} : !w -> !v")

    def put(self, value, place):
        slots = self.make(f"arith.constant {self.behind.slots} : i32")
        again = self.make(f"arith.cmpi uge, %i, {slots} : i32")
        other = self.make(f"arith.xori {place[1]}, %c1 : i32")
        self.say(f"ttng.wait_barrier {self.at(self.behind, 2, place[0])}, {other}, {again} : {BAR}")
        self.say(f"ttg.local_store {value}, {self.at(self.behind, 0, place[0])} : !v -> !buffer")
        self.say(f"ttng.arrive_barrier {self.at(self.behind, 1, place[0])}, {self.behind.filled} : {BAR}")

    def step(self, counted):
        places = [self.place(ring, counted.get(ring)) if ring else None for ring in (self.before, self.behind)]
        early = self.random.random() < 0.6
        if self.before:
            self.values = [self.take(places[0])]
            if early:
                self.give_back(places[0])
        else:
            self.values = [self.make(f"arith.muli %r, {self.make('tt.splat %i : i32 -> !v')} : !v"),
                           self.make(f"tt.load %from : {self.pointers}")]
        self.statements(self.random.randint(0, 4), 1)
        self.wait()
        if self.before and not early:
            self.give_back(places[0])
        if self.behind:
            self.put(self.values[-1], places[1])

    def region(self, out):
        """The loop, which sums its results."""
        self.prologue()
        carried, counted = [], {}
        for ring in (self.before, self.behind):
            if ring and self.random.random() < 0.5:
                counted[ring] = (f"%slot{ring.number}", f"%parity{ring.number}")
                carried += [f"{name} = %c0" for name in counted[ring]]
        kinds = ", ".join(["!v"] + ["i32"] * len(carried))
        results = self.new()
        self.say(f"{results}:{1 + len(carried)} = scf.for %i = %c0 to %n step %c1 iter_args("
                 + ", ".join(["%acc = %r"] + carried) + f") -> ({kinds}) : i32 {{")
        indent, self.indent = self.indent, self.indent + "  "
        self.step(counted)
        total = self.make(f"arith.addi {self.make('arith.muli %acc, %last : !v')}, {self.values[-1]} : !v")
        after = [name for ring, place in counted.items() for name in self.next_place(ring, *place)]
        self.say(f"scf.yield {', '.join([total] + after)} : {kinds}")
        self.indent = indent
        self.say("}")
        if out:
            self.say(f"ttg.local_store {results}#0, {out} : !v -> !buffer")
        return f"{results}#0"


def kernel(draw, functions):
    n = draw.randint(2, 4)
    default, rings = draw.randrange(n), [Ring(draw, i) for i in range(n - 1)]
    text = Stage(draw, functions, 4, "", None, None)
    text.prologue()
    for ring in rings:
        ring.make(text)
    outs = [(f"%out{i}", "!buffer") for i in range(n)]
    for name, kind in outs:
        text.say(f"{name} = ttg.local_alloc : () -> {kind}")
    captures = [("%p", "!tt.ptr<i32>"), ("%n", "i32")] + [c for ring in rings for c in ring.captures] + outs
    stages = [Stage(draw, functions, 4 if i == default else draw.choice([1, 2, 4]), f"s{i}_",
                    rings[i - 1] if i else None, rings[i] if i < n - 1 else None) for i in range(n)]
    text.say(f"%sum = ttg.warp_specialize({', '.join(name for name, _ in captures)})")
    text.say("default {")
    stages[default].kept = [name[1:] for name, _ in captures]
    given = stages[default].region(None)
    stages[default].say(f"ttg.warp_yield {given} : !v")
    text.lines += stages[default].lines
    text.say("}")
    for number, i in enumerate(i for i in range(n) if i != default):
        stages[i].say(f"partition{number}({', '.join(f'{name}: {kind}' for name, kind in captures)}) "
                      f"num_warps({stages[i].warps}) {{")
        stages[i].region(outs[i][0])
        stages[i].say("ttg.warp_return")
        text.lines += stages[i].lines
        text.say("}")
    text.say(f": ({', '.join(kind for _, kind in captures)}) -> !v")
    total = "%sum"
    for i, (out, _) in enumerate(outs):
        if i != default:
            value = text.make(f"ttg.local_load {out} : !buffer -> !v")
            total = text.make(f"arith.addi {text.make(f'arith.muli {total}, %last : !v')}, {value} : !v")
    text.say(f"%so = tt.splat %o : !tt.ptr<i32> -> {text.pointers}")
    text.say(f"%to = tt.addptr %so, %r : {text.pointers}, !v")
    text.say(f"tt.store %to, {total} : {text.pointers}")
    return "tt.func public @k(%p: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {\n" + "\n".join(text.lines) + "\n  tt.return\n}\n"


def program(seed):
    draw = random.Random(seed)
    functions, texts = [], []
    for i in range(draw.randint(0, 4)):
        function = random_calls.Function(draw, f"f{i}", list(functions), draw.randint(1, 2), 0, 1, [], False,
                                         draw.choice([4, 2, 1]))
        texts.append(function.function(draw.randint(2, 6)))
        functions.append(function)
    return (random_calls.HEADER.replace("module", TYPES + "module", 1) + kernel(draw, functions) + "".join(texts) + "}\n")


def main():
    gpu = sys.argv[1:3] == ["--on", "gpu"]
    given = sys.argv[3:] if gpu else sys.argv[1:]
    first, count = int(given[0]), int(given[1])
    engine = ["--on", "gpu"] if gpu else ["--on", "emulator", "--racecheck"]
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given[2] if len(given) > 2 else temporary
        for seed in range(first, first + count):
            path = os.path.join(folder, f"pipes{seed}.ttgir")
            with open(path, "w") as file:
                file.write(program(seed))
            for how in [[]] if gpu else random_calls.HOW:
                command = ["nereid", "run", path, *engine, "--check", "interpreter", "--grid", "1",
                           "--arg", "0=i32[256]:arange", "--arg", "1=i32[256]:zeros", "--arg", f"2={seed % 8}", *how]
                got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if got.returncode:
                    print(" ".join(command), *got.stdout.splitlines()[:8], sep="\n")
                    bad += 1
                    break
    print(f"{count} programs, {bad} bad")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
