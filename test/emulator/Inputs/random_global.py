"""Checks random programs on global memory with the race detector and against the interpreter.

    random_global.py ttgir|ttir FIRST COUNT [FOLDER]      programs from FIRST on; FOLDER keeps those that fail

A program loads, stores and atomically updates overlapping ranges of two buffers: shifted, reversed, strided, with quotients
and remainders, with loop counters, single elements, and elements at loaded indices. It does so in branches, loops and
noinline functions, whose arguments are both buffers in either order, one of them twice, or the middle of one. Programs of
ttgir use three layouts. Elements of one store have different addresses; atomics on the same address are of one kind, and
their results are unused. So program order determines all results.

Each program also runs without barriers: the detector must find races in at least half of them.
"""
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

LAYOUTS = {"a": "sizePerThread = [1]", "b": "sizePerThread = [4]", "c": "sizePerThread = [2]"}
SCHEDULES = ["adversarial", "random", "round-robin"]
ELEMENTS = 8192


class Body:
    """The text of one function under construction; values[layout] are visible at the insertion point."""

    def __init__(self, random_, layouts, callees):
        self.random, self.layouts, self.callees = random_, layouts, callees
        self.lines, self.numbered, self.indent, self.counters = [], 0, "  ", []
        self.values, self.scalars = {layout: [f"%r{layout}"] for layout in layouts}, ["%n"]

    def say(self, text):
        self.lines.append(self.indent + text)

    def make(self, text):
        self.numbered += 1
        self.say(f"%t{self.numbered} = {text}")
        return f"%t{self.numbered}"

    def dense(self, number, layout):
        return self.make(f"arith.constant dense<{number}> : !v{layout}")

    def binary(self, op, a, b, layout):
        return self.make(f"arith.{op} {a}, {b} : !v{layout}")

    def scalar(self, number):
        return self.make(f"arith.constant {number} : i32")

    # --- addresses ---

    def base(self):
        kind = self.random.random()
        if kind < 0.1:
            return self.make("arith.select %odd, %m, %q : !tt.ptr<i32>")
        return "%m" if kind < 0.7 else "%q"

    def counted(self, layout):
        """The elements' indices, in a loop often a function of its induction variable."""
        index = f"%r{layout}"
        if not self.counters or self.random.random() < 0.3:
            return index
        step = self.scalar(self.random.choice([1, 64, 128, 256, 256]))
        start = self.make(f"arith.muli {self.random.choice(self.counters)}, {step} : i32")
        return self.binary("addi", index, self.make(f"tt.splat {start} : i32 -> !v{layout}"), layout)

    def digits(self, index, layout, distinct):
        low = self.random.choice([7, 12, 24, 100])
        pitch = low + self.random.choice([0, 0, 5] if distinct else [0, 5, -1, -3])
        part = self.binary("remsi", index, self.dense(low, layout), layout)
        row = self.binary("divsi", index, self.dense(low, layout), layout)
        return self.binary("addi", part, self.binary("muli", row, self.dense(pitch, layout), layout), layout)

    def index(self, layout, distinct):
        """A tensor of element indices; with `distinct` no two are equal."""
        kind, index = self.random.random(), self.counted(layout)
        if kind < 0.15:
            index = self.binary("subi", self.dense(2048, layout), index, layout)
        elif kind < 0.3:
            index = self.binary("muli", index, self.dense(self.random.choice([2, 3, 4]), layout), layout)
        elif kind < 0.5:
            index = self.digits(index, layout, distinct)
        elif kind < 0.6 and not distinct:
            loaded = self.random.choice(self.values[layout])
            index = self.binary("andi", loaded, self.dense(self.random.choice([15, 255, 1023]), layout), layout)
        shift = self.random.choice([0, 0, 0, 1, 4, 64, 128, 256])
        return self.binary("addi", index, self.dense(shift, layout), layout) if shift else index

    def pointers(self, layout, distinct):
        splat = self.make(f"tt.splat {self.base()} : !tt.ptr<i32> -> !p{layout}")
        return self.make(f"tt.addptr {splat}, {self.index(layout, distinct)} : !p{layout}, !v{layout}")

    def pointer(self):
        number = self.random.choice(self.scalars + self.counters)
        masked = self.make(f"arith.andi {number}, {self.scalar(self.random.choice([0, 1, 255]))} : i32")
        return self.make(f"tt.addptr {self.base()}, {masked} : !tt.ptr<i32>, i32")

    def mask(self, layout):
        if self.random.random() < 0.7:
            return ""
        limit = self.dense(self.random.choice([100, 128, 200]), layout)
        return ", " + self.make(f"arith.cmpi slt, %r{layout}, {limit} : !v{layout}")

    # --- statements ---

    def load(self):
        layout = self.random.choice(self.layouts)
        pointers, mask = self.pointers(layout, False), self.mask(layout)
        other = f", %r{layout}" if mask else ""
        self.values[layout].append(self.make(f"tt.load {pointers}{mask}{other} : !p{layout}"))

    def store(self):
        layout = self.random.choice(self.layouts)
        pointers, mask = self.pointers(layout, True), self.mask(layout)
        self.say(f"tt.store {pointers}, {self.random.choice(self.values[layout])}{mask} : !p{layout}")

    def atomic(self):
        """The result is used when no other element has the same address."""
        layout, used = self.random.choice(self.layouts), self.random.random() < 0.4
        pointers, value = self.pointers(layout, used), self.random.choice(self.values[layout])
        true = self.make(f"arith.constant dense<true> : !i{layout}")
        old = self.make(f"tt.atomic_rmw add, relaxed, gpu, {pointers}, {value}, {true} : "
                        f"(!p{layout}, !v{layout}, !i{layout}) -> !v{layout}")
        if used:
            self.values[layout].append(old)

    def load_scalar(self):
        self.scalars.append(self.make(f"tt.load {self.pointer()} : !tt.ptr<i32>"))

    def store_scalar(self):
        value = self.make(f"arith.addi {self.random.choice(self.scalars)}, {self.scalar(3)} : i32")
        self.say(f"tt.store {self.pointer()}, {value} : !tt.ptr<i32>")

    def atomic_scalar(self):
        true, value = self.make("arith.constant true"), self.random.choice(self.scalars)
        order = self.random.choice(["relaxed", "relaxed", "acq_rel"])
        old = self.make(f"tt.atomic_rmw add, {order}, gpu, {self.pointer()}, {value}, {true} : "
                        "(!tt.ptr<i32>, i32, i1) -> i32")
        if self.random.random() < 0.5:
            self.scalars.append(old)

    def arithmetic(self):
        layout = self.random.choice(self.layouts)
        a, b = self.random.choice(self.values[layout]), self.random.choice(self.values[layout])
        spread = self.make(f"tt.splat {self.random.choice(self.scalars)} : i32 -> !v{layout}")
        total = self.binary("addi", self.binary("muli", a, self.dense(5, layout), layout), b, layout)
        self.values[layout].append(self.binary("addi", total, spread, layout))

    def call(self):
        if not self.callees:
            return
        middle = self.make(f"tt.addptr %m, {self.scalar(64)} : !tt.ptr<i32>, i32")
        first, second = self.random.choice([("%m", "%q"), ("%q", "%m"), ("%m", "%m"), (middle, "%m")])
        layout = self.layouts[0]
        self.values[layout].append(self.make(
            f"tt.call @{self.random.choice(self.callees)}({first}, {second}, %n, {self.values[layout][-1]}) : "
            f"(!tt.ptr<i32>, !tt.ptr<i32>, i32, !v{layout}) -> !v{layout}"))

    def nested(self, n, depth):
        values, scalars = {layout: list(known) for layout, known in self.values.items()}, list(self.scalars)
        self.indent += "  "
        self.statements(n, depth + 1)
        self.indent, self.values, self.scalars = self.indent[:-2], values, scalars

    def branch(self, depth):
        self.say("scf.if %odd {")
        self.nested(self.random.randint(1, 4), depth)
        if self.random.random() < 0.5:
            self.say("} else {")
            self.nested(self.random.randint(1, 3), depth)
        self.say("}")

    def loop(self, depth):
        zero, one, self.numbered = self.scalar(0), self.scalar(1), self.numbered + 1
        counter = f"%i{self.numbered}"
        self.say(f"scf.for {counter} = {zero} to %n step {one} : i32 {{")
        self.counters.append(counter)
        self.nested(self.random.randint(1, 5), depth)
        self.counters.pop()
        self.say("}")

    def statements(self, n, depth):
        plain = [self.load, self.load, self.load, self.store, self.store, self.store, self.atomic, self.load_scalar,
                 self.store_scalar, self.atomic_scalar, self.arithmetic, self.call]
        for _ in range(n):
            if depth < 2 and self.random.random() < 0.2:
                self.random.choice([self.branch, self.loop, self.loop])(depth)
            else:
                self.random.choice(plain)()

    # --- the text ---

    def prologue(self):
        for layout in self.layouts:
            self.say(f"%r{layout} = tt.make_range {{end = 256 : i32, start = 0 : i32}} : !v{layout}")
        self.say("%odd = arith.trunci %n : i32 to i1")

    def function(self, name, n):
        layout = self.layouts[0]
        self.prologue()
        self.values[layout].append("%x")
        self.statements(n, 1)
        self.say(f"tt.return {self.values[layout][-1]} : !v{layout}")
        head = f"tt.func private @{name}(%m: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32, %x: !v{layout}) -> !v{layout}"
        return head + " attributes {noinline = true} {\n" + "\n".join(self.lines) + "\n}\n"

    def kernel(self, n):
        self.prologue()
        self.statements(n, 0)
        for number, layout in enumerate(self.layouts):
            total = self.values[layout][0]
            for value in self.values[layout][1:]:
                total = self.binary("addi", self.binary("muli", total, self.dense(7, layout), layout), value, layout)
            spread = self.make(f"tt.splat {self.scalars[-1]} : i32 -> !v{layout}")
            splat = self.make(f"tt.splat %o : !tt.ptr<i32> -> !p{layout}")
            index = self.binary("addi", f"%r{layout}", self.dense(256 * number, layout), layout)
            to = self.make(f"tt.addptr {splat}, {index} : !p{layout}, !v{layout}")
            self.say(f"tt.store {to}, {self.binary('addi', total, spread, layout)} : !p{layout}")
        self.say("tt.return")
        head = "tt.func public @k(%m: !tt.ptr<i32>, %q: !tt.ptr<i32>, %o: !tt.ptr<i32>, %n: i32) {\n"
        return head + "\n".join(self.lines) + "\n}\n"


def program(kind, seed):
    source, number = kind == "ttir", random.Random(f"{kind} {seed}")
    warps = number.choice([1, 2, 4, 4, 8])
    layouts, text = [""] if source else list(LAYOUTS), ""
    for layout in layouts:
        encoding = "" if source else f", #{layout}"
        if not source:
            text += (f"#{layout} = #ttg.blocked<{{{LAYOUTS[layout]}, threadsPerWarp = [32], warpsPerCTA = [{warps}], "
                     "order = [0]}>\n")
        for name, element in ("v", "i32"), ("i", "i1"), ("p", "!tt.ptr<i32>"):
            text += f"!{name}{layout} = tensor<256x{element}{encoding}>\n"
    attributes = ("" if source else f'attributes {{"ttg.num-warps" = {warps} : i32, "ttg.num-ctas" = 1 : i32, '
                  '"ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} ')
    text += f"module {attributes}{{\n"
    callees = []
    for i in range(number.choice([0, 0, 1, 2])):
        text += Body(number, layouts, list(callees)).function(f"f{i}", number.randint(2, 5))
        callees.append(f"f{i}")
    text += Body(number, layouts, callees).kernel(number.randint(4, 14)) + "}\n"
    options = ["--arg", f"m=i32[{ELEMENTS}]:randint(0,1000)", "--arg", f"q=i32[{ELEMENTS}]:randint(0,1000)",
               "--arg", "o=i32[1024]:zeros", "--arg", f"n={number.randint(0, 4)}", "--seed", str(seed)]
    return text, options + (["--num-warps", str(warps)] if source else [])


def run(path, *options):
    command = ["nereid", "run", path, "--grid", "1", "--on", "emulator", "--racecheck", *options]
    return subprocess.run(command, capture_output=True, text=True)


def check(kind, seed, folder):
    """The error, and whether there are races without the barriers."""
    text, options = program(kind, seed)
    path = os.path.join(folder, f"{seed}.{kind}")
    with open(path, "w") as file:
        file.write(text)
    schedule = SCHEDULES[seed % len(SCHEDULES)]
    done = run(path, *options, "--check", "interpreter", "--schedule", schedule)
    races = "race:" in (without := run(path, *options, "--no-global-order")).stdout + without.stderr
    if done.returncode:
        return f"{kind} {seed}, {schedule} {' '.join(options)}:\n{done.stdout}{done.stderr}", races
    os.remove(path)
    return None, races


def main():
    kind, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = sys.argv[4] if len(sys.argv) > 4 else temporary
        os.makedirs(folder, exist_ok=True)
        results = list(pool.map(lambda seed: check(kind, seed, folder), range(first, first + count)))
    wrong, raced = [text for text, _ in results if text], sum(races for _, races in results)
    print("\n".join(wrong))
    print(f"{count} programs, {len(wrong)} wrong; without barriers {raced} have races")
    return bool(wrong) or raced * 2 < count


if __name__ == "__main__":
    sys.exit(main())
