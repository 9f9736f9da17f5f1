"""167 kernels with dots (bench/gpu/zoo) against float64 references.

    python3 bench/gpu/dot_zoo.py --nereid build/release/bin/nereid [--only NAME,NAME]         on a GPU, beside Triton's code
    python3 bench/gpu/dot_zoo.py --nereid build/dev/bin/nereid --on emulator                  without a GPU
    python3 bench/gpu/dot_zoo.py --nereid build/dev/bin/nereid --assemble                     spills and serialized wgmma
    python3 bench/gpu/dot_zoo.py --write test/emulator/dots                                   the tests of CI

The installed Triton (3.6) makes the .ttir; --on emulator and --write need no torch and no cupy. The emulator runs all
configurations of a case with race detection. --write stores each .ttir without locations as a lit test, with random
arguments of nereid. Wrong results of Triton's own code are reported. Exit status 1 when a result of Nereid is wrong or a
kernel does not compile.
"""

import argparse
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

from zoo import cases as zoo_cases
from zoo import families as dot_families


def source_of(case):
    names = case.function.arg_names
    signature, constants, attributes = {}, {}, {}
    for position, name in enumerate(names):
        value = case.constants[name] if name in case.constants else case.arguments[name]
        if name in case.constants or zoo_cases.is_one(value):
            signature[name] = "constexpr"
            constants[(position,)] = value
            continue
        if isinstance(value, zoo_cases.Tensor):
            kind = zoo_cases.TYPES[value.type][0]
            signature[name] = f"tensordesc<{kind}[{','.join(map(str, value.block))}]>" if value.block else "*" + kind
        else:
            signature[name] = "fp32" if isinstance(value, float) else "i32"
        pointer = isinstance(value, zoo_cases.Tensor) and not value.block
        if pointer or (isinstance(value, int) and value % 16 == 0):
            attributes[(position,)] = [["tt.divisibility", 16]]
    return ASTSource(fn=case.function, signature=signature, constexprs=constants, attrs=attributes)


def ttir_of(case):
    """Triton's .ttir, without compiling further."""
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": case.warps, "num_stages": case.stages, "num_ctas": case.ctas})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = source_of(case)
    stages = {}
    backend.add_stages(stages, options, source.language)
    module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    return str(stages["ttir"](module, {}))


def compact(text):
    """The text of a module without locations and indentation, with aliases of tensor types and short names."""
    lines = [line.strip().replace(" attributes {noinline = false}", "") for line in text.splitlines() if not line.startswith("#loc")]
    if "!tt.tensordesc" in text.split("tt.func public", 1)[1].splitlines()[0]:  # parameters of a descriptor share its name
        lines = [re.sub(r' loc\("(\w+)"\(#loc\d*\)\)(?=[,)])', r" name(\1)", line) if "tt.func public" in line else line for line in lines]
    text = re.sub(r' loc\("[^"]*"(\(#loc\d*\))?\)| loc\(callsite\([^()]*\)\)| loc\((#loc\d*|unknown)\)', "", "\n".join(lines) + "\n")
    text = re.sub(r" name\((\w+)\)", r' loc("\1")', text)
    text = re.sub(r"^module \{\n(.*)^\}\n", r"\1", text, flags=re.MULTILINE | re.DOTALL)
    numbers = {}
    arguments = set(re.findall(r"%(\w+): ", "".join(re.findall(r"^tt\.func .*", text, flags=re.MULTILINE))))

    def renamed(match):
        name = match.group(1)
        return match.group(0) if name in arguments else f"%{numbers.setdefault(name, len(numbers))}"

    text = re.sub(r"%(\w+(?:-\d+\w*)?)", renamed, text)  # %c-3_i32 is a constant
    aliases = {}
    for type in sorted(set(re.findall(r"tensor<[0-9x]+(?:x!tt\.ptr<\w+>|x[a-z]\w*)>", text))):
        shape, pointer, element = re.fullmatch(r"tensor<([0-9x]+)x(!tt\.ptr<)?(\w+)>+", type).groups()
        if text.count(type) > 2:
            aliases[type] = f"!{'p_' if pointer else ''}{element}_{shape}"
            text = text.replace(type, aliases[type])
    return "".join(f"{alias} = {type}\n" for type, alias in aliases.items()) + text


def grid_of(case):
    return ",".join(str(extent) for extent in case.grid)


def launch_options(case, run):
    target, warps, stages = run
    clusters = ["--num-ctas", str(case.ctas)] if case.ctas > 1 else []
    return ["--target", target, "--num-warps", str(warps), "--num-stages", str(stages), *clusters]


# --- the emulator ---


def bind(case, folder):
    """Writes the tensors; the arguments of `nereid run`."""
    result = []
    for name, value in case.runtime():
        text = repr(value) if isinstance(value, float) else str(value)
        if isinstance(value, zoo_cases.Tensor):
            path = os.path.join(folder, f"{case.name}.{name}.npy")
            bits = zoo_cases.encode(value.type, value.values(f"{case.name}.{name}"))
            np.save(path, np.ascontiguousarray(bits))
            text = f"{value.typed()}:@{path}"
        result += ["--arg", f"{name}={text}"]
    return result


def runs_of(case, sweep):
    """The configurations of a case; with `sweep` as many random ones."""
    if not sweep:
        return case.runs()
    every = [(target, warps, stages) for target in ("sm_90a", "sm_80") for warps in (1, 2, 4, 8) for stages in (1, 2, 3, 4, 5)]
    return random.Random(f"{case.name} {sweep}").sample(every, sweep)


def emulate(case, nereid, path, folder, engine, sweep):
    """Runs all configurations; the failures."""
    bound, failures = bind(case, folder), []
    expected = case.reference(case.inputs())
    worst = 0.0
    for run in runs_of(case, sweep) if engine == "emulator" else case.runs()[:1]:
        outputs = {name: os.path.join(folder, f"{case.name}.{name}.out.npy") for name in expected}
        command = [nereid, "run", path, "--on", engine, "--grid", grid_of(case), *bound]
        dump = os.path.join(folder, f"{case.name}.{run[0]}")
        if engine == "emulator":
            command += ["--racecheck", "--schedule", "random", "--landing", "random"]
        if engine != "interpreter":
            command += [*launch_options(case, run), "--dump-dir", dump]
        for name, output in outputs.items():
            command += ["--out", f"{name}={output}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failures.append(f"{' '.join(map(str, run))}: {(done.stderr or done.stdout).strip()[:600]}")
            continue
        for name, output in outputs.items():
            got = zoo_cases.decode(case.arguments[name].type, np.load(output).view(zoo_cases.TYPES[case.arguments[name].type][1]))
            error = case.error(name, got, expected[name])
            worst = max(worst, error)
            if not error <= case.limit(name):
                failures.append(f"{' '.join(map(str, run))}: {name}: error {error:.2e}, tolerance {case.limit(name):.2e}")
        if engine != "interpreter" and run[0] == "sm_90a":
            failures += [f"{' '.join(map(str, run))}: expected {text}" for text in unexpected(case, dump)]
    return worst, failures


def unexpected(case, dump):
    """The entries of case.code that do not hold for the PTX in a folder of dumps."""
    if not case.code:
        return []
    text = "".join(open(path).read() for path in glob.glob(os.path.join(dump, "*", "*.ptx")))
    return [entry for entry in case.code if (entry[3:] in text if entry.startswith("no ") else entry not in text)]


def assemble(case, nereid, path, folder):
    """Warnings of the assembler for each configuration: spills, serialized wgmma."""
    failures = []
    for run in case.runs():
        image = os.path.join(folder, f"{case.name}.{run[0]}.ptx")
        done = subprocess.run([nereid, "compile", path, "-o", image, "--emit", "ptx", *launch_options(case, run)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            failures.append(f"{run[0]}: {done.stderr.strip()[:600]}")
            continue
        done = subprocess.run(["ptxas", "-v", "-arch", run[0], image, "-o", os.devnull], capture_output=True, text=True,
                              check=False)
        spilled = [int(count) for count in re.findall(r"(\d+) bytes spill", done.stderr)]
        notes = re.findall(r".*(?:C75\d\d|error|warning).*", done.stderr)
        if done.returncode or any(spilled) or notes:
            registers = re.findall(r"Used (\d+) registers", done.stderr)
            failures.append(f"{' '.join(map(str, run))}: spills {spilled}, registers {registers}, {notes[:2]}")
    return 0.0, failures


# --- a GPU ---


def quietly(compile):
    """The result of Triton's `compile`, or None and its first error; Triton's MLIR prints to the descriptor of stderr."""
    stderr = os.dup(2)
    with tempfile.TemporaryFile("w+") as printed:
        os.dup2(printed.fileno(), 2)
        try:
            return compile(), ""
        except Exception as error:  # of Triton's passes or of the assembler: no common base class
            printed.seek(0)
            lines = [line for line in printed if "error: " in line] or str(error).splitlines() or [""]
            return None, f"{type(error).__name__}: {lines[0].split('error: ')[-1].strip()}"
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)


def triton_kernel(case, folder):
    """Triton's own cubin; None and the reason where it does not compile."""
    import harness
    options = {"num_warps": case.warps, "num_stages": case.stages}
    compiled, reason = quietly(lambda: triton.compile(source_of(case), target=GPUTarget("cuda", 90, 32), options=options))
    if not compiled:
        return None, reason
    image = os.path.join(folder, case.name + ".triton.cubin")
    open(image, "wb").write(compiled.asm["cubin"])
    metadata = compiled.metadata
    return harness.Kernel(image, metadata.name, metadata.num_warps, metadata.shared), ""


def launch(case, kernel):
    """Launches a kernel on fresh tensors; the values of its outputs by name."""
    import torch
    held, arguments = {}, []
    for name, value in case.runtime():
        if isinstance(value, zoo_cases.Tensor):
            bits = np.ascontiguousarray(zoo_cases.encode(value.type, value.values(f"{case.name}.{name}")))
            held[name] = torch.from_numpy(bits.reshape(-1).view(np.uint8).copy()).cuda()
            arguments.append(held[name])
        else:
            arguments.append(np.float32(value) if isinstance(value, float) else np.int32(value))
    torch.cuda.synchronize()
    kernel.launch((*case.grid, 1, 1)[:3], arguments)
    torch.cuda.synchronize()
    return {name: held[name].cpu().numpy() for name in held}


def on_gpu(case, nereid, path, folder):
    """The largest error, failures, and remarks about Triton's own code."""
    import harness
    if not case.gpu:
        return 0.0, [], ["needs scratch memory"]
    options = {"num_warps": case.warps, "num_stages": case.stages}
    ours = harness.build_nereid(nereid, harness.Case(case.name, path, case.grid, [], [], None, 0, 0, options), folder)
    theirs, reason = triton_kernel(case, folder)
    expected = case.reference(case.inputs())
    found = {"Nereid": [], "Triton": [f"Triton: {reason}"] if reason else []}
    worst = 0.0
    for who, kernel in (("Nereid", ours), ("Triton", theirs)):
        got = launch(case, kernel) if kernel else {}
        for name, values in expected.items():
            if name not in got:
                continue
            kind = case.arguments[name].type
            error = case.error(name, zoo_cases.decode(kind, got[name].view(zoo_cases.TYPES[kind][1])), values)
            worst = max(worst, error) if who == "Nereid" else worst
            if not error <= case.limit(name):
                found[who].append(f"{who}: {name}: error {error:.2e}, tolerance {case.limit(name):.2e}")
    return worst, found["Nereid"], found["Triton"]


# --- tests of CI ---

# Ops that the compiler takes from CUDA's libdevice.
LIBDEVICE = re.compile(r"tt\.extern_elementwise|math\.(?!(exp2?|r?sqrt|abs[fi]|floor|ceil|fma)\b)")
HEADER = """// {name}, from bench/gpu/{script}.py --write: the emulator against the interpreter.
"""


def checks_of(case):
    """Lines of FileCheck for case.code."""
    lines = [f"CODE-NOT: {entry[3:]}" if entry.startswith("no ") else f"CODE-DAG: {entry}" for entry in case.code]
    return "".join(f"// {line}\n" for line in lines)


def write_test(case, folder, script, schedules):
    arguments = []
    described = any(tensor.block for tensor in case.tensors().values())
    for position, (name, value) in enumerate(case.runtime()):
        text = repr(value) if isinstance(value, float) else str(value)
        if isinstance(value, zoo_cases.Tensor):
            text = value.spec()
            if not text:
                path = os.path.join(folder, "Inputs", f"{case.name}.{name}.npy")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                np.save(path, np.ascontiguousarray(zoo_cases.encode(value.type, value.fill)))
                text = f"{value.typed()}:@%S/Inputs/{os.path.basename(path)}"
        arguments.append(f"--arg {name if described else position}={text}")
    tolerance = [] if case.tolerance is None else [f"--tolerance {case.tolerance:g}"]
    common = " ".join(["nereid run %s --on emulator --check interpreter --racecheck --grid", grid_of(case), *tolerance, *arguments])
    ttir = ttir_of(case)
    text = HEADER.format(name=case.name, script=script) + f"// DEFINE: %{{run}} = {common}\n"
    if LIBDEVICE.search(ttir):
        text += "// REQUIRES: libdevice\n"
    for run in case.runs():
        for schedule in schedules if run[0] == "sm_90a" else ("",):
            text += f"// RUN: %{{run}} {' '.join(launch_options(case, run))} {schedule}".rstrip() + "\n"
    if case.code:
        text = text.replace("--target sm_90a", "--target sm_90a --dump-dir %t", 1)
        text += f"// RUN: FileCheck %s --check-prefix=CODE --input-file=%t/4-ptx/{case.function.fn.__name__}.ptx\n" + checks_of(case)
    open(os.path.join(folder, case.name + ".ttir"), "w").write(text + compact(ttir))


def main(description, families, script="dot_zoo", schedules=("",), compared=True):
    """The tool for a zoo. `schedules` are the options of the emulator in the tests for sm_90a; `compared`: Triton's code runs on
    a GPU beside Nereid's, otherwise `nereid run` launches the kernels."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--only", default="", help="comma-separated names, or regular expressions")
    parser.add_argument("--on", default="gpu", choices=("gpu", "emulator", "interpreter"))
    parser.add_argument("--sweep", type=int, default=0, help="in the emulator: so many random numbers of warps (1 to 8) and stages (1 to 5)")
    parser.add_argument("--assemble", action="store_true", help="report spills and notes of ptxas; run nothing")
    parser.add_argument("--write", help="write the tests of CI into this folder, and stop")
    parser.add_argument("--keep", help="keep .ttir and other files in this folder")
    options = parser.parse_args()
    only = [re.compile(text) for text in options.only.split(",") if text]
    chosen = [case for case in families.cases() if not only or any(pattern.fullmatch(case.name) for pattern in only)]
    if options.write:
        os.makedirs(options.write, exist_ok=True)
        for stale in [] if only else glob.glob(os.path.join(options.write, "*.ttir")):
            os.remove(stale)
        for case in chosen:
            if case.name not in families.VARIANTS:
                write_test(case, options.write, script, schedules)
        return 0
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for case in chosen:
            try:
                path = os.path.join(folder, case.name + ".ttir")
                open(path, "w").write(ttir_of(case))
                remarks = []
                if options.assemble:
                    worst, failures = assemble(case, options.nereid, path, folder)
                elif options.on == "gpu" and compared:
                    worst, failures, remarks = on_gpu(case, options.nereid, path, folder)
                else:
                    worst, failures = emulate(case, options.nereid, path, folder, options.on, options.sweep)
            except Exception as error:  # of Triton, the driver or the assembler: this case's failure
                worst, remarks, failures = 0.0, [], [f"{type(error).__name__}: {str(error)[:600]}"]
            failed += [case.name] if failures else []
            print(f"{case.name:32} error {worst:.1e}{'' if failures else '  ok'}", flush=True)
            for line in failures + remarks:
                print(f"    {line}", flush=True)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} kernels right" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(__doc__, dot_families))
