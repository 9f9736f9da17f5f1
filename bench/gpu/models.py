"""Whole models through torch.compile: Triton's code and Nereid's, against eager mode.

    python3 bench/gpu/models.py --nereid build/release/bin/nereid [--models encoder,unet] [--modes default,max-autotune,tma]
                                [--choices N] [--json FILE] [--keep FOLDER] [--caches FOLDER] [--seconds N] [--compilers triton,nereid]
    python3 bench/gpu/models.py --device cpu      runs eager mode alone, without a GPU: the models themselves are right

Each compiler runs in a process of its own with empty caches; the models, values and inputs are the same. Nereid compiles
through examples/triton_stages.py; what it refuses is compiled by Triton and counted as a failure. --keep receives such kernels.
A row per model, mode and compiler: distinct Triton kernels, their time and the time of all kernels of one step (profiler),
the time of a step (events), and the error: the relative distance (L2) of the output or of the gradients to eager mode in
float32, beside that of eager mode itself. Exit status 1 when Nereid fails or is less precise than 1.5 times Triton.
The modes: max-autotune chooses among Triton's templates for matrix multiplications; tma among those that load through
descriptors only; tma-store among these with stores through descriptors. --choices limits the choices per matrix multiplication,
and so the time of compilation. --caches receives all kernels of both compilers.
"""

import argparse
import copy
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
AUTOTUNE = "max-autotune-no-cudagraphs"
# By name: the mode of torch.compile, and settings of Inductor. The pattern excludes templates for pointers that compete with TMA.
TMA = {"triton.enable_persistent_tma_matmul": True, "test_configs.autotune_choice_name_regex": "tma|bmm|plus|conv|flex|attention"}
MODES = {"default": ("default", {}), "max-autotune": (AUTOTUNE, {}), "tma": (AUTOTUNE, TMA),
         "tma-store": (AUTOTUNE, {**TMA, "triton.enable_template_tma_store": True})}
KERNELS_OF_TRITON = ("triton_", "specialized_")  # Inductor's, and those of model_zoo's own
STEPS = 10


def run_step(forward, case):
    """The output and the gradients of one step."""
    import torch
    for parameter in case.module.parameters():
        parameter.grad = None
    if not case.train:
        with torch.no_grad():
            return [forward(*case.inputs)]
    result = forward(*case.inputs)
    if result.dim():
        weights = torch.randn(result.shape, generator=torch.Generator().manual_seed(1)).to(result.device)
        (result.float() * weights).mean().backward()
    else:
        result.backward()
    return [result.detach()] + [parameter.grad for parameter in case.module.parameters() if parameter.grad is not None]


def in_float32(case):
    wide = copy.copy(case)
    wide.module = copy.deepcopy(case.module).float()
    wide.inputs = [value.float() if value.is_floating_point() else value for value in case.inputs]
    return wide


def distance(found, expected):
    """The larger relative distance of the outputs and of all gradients together; nan where a value is not finite.

    Some gradients are zero but for rounding, such as those of a key's bias, so gradients are not compared one by one.
    """
    parts = [(found[:1], expected[:1]), (found[1:], expected[1:])]
    return max((relative(*part) for part in parts if part[0]), key=lambda value: math.inf if math.isnan(value) else value)


def relative(found, expected):
    difference = sum((one.double() - other.double()).square().sum().item() for one, other in zip(found, expected))
    return math.sqrt(difference / max(1e-60, sum(other.double().square().sum().item() for other in expected)))


def profile(step):
    """Time of all kernels and of Triton's in one step, in milliseconds, and the number of distinct Triton kernels."""
    import torch
    from torch.profiler import ProfilerActivity
    with torch.profiler.profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU], acc_events=True) as record:
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
    times = {}
    for event in record.events():
        is_kernel = not getattr(event, "is_user_annotation", False) and not event.name.startswith(("Memcpy", "Memset"))
        if event.device_type == torch.autograd.DeviceType.CUDA and is_kernel:
            times[event.name] = times.get(event.name, 0) + event.time_range.elapsed_us()
    of_triton = {name: value for name, value in times.items() if name.startswith(KERNELS_OF_TRITON)}
    return sum(times.values()) / STEPS / 1e3, sum(of_triton.values()) / STEPS / 1e3, len(of_triton), of_triton


def time_steps(step):
    import torch
    times = []
    for _ in range(3 * STEPS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        step()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def measure(name, mode):
    """The row of one model in this process, whose compiler is set up."""
    import torch
    import model_zoo
    case = model_zoo.build(name, "cuda")
    initial, wide = copy.deepcopy(case.module.state_dict()), in_float32(case)
    exact = run_step(wide.module, wide)
    eager = run_step(case.module, case)
    case.module.load_state_dict(initial)  # running statistics of normalizations
    del wide
    torch._dynamo.reset()
    compiled = torch.compile(case.module, mode=MODES[mode][0], fullgraph=True, dynamic=False)
    start = time.perf_counter()
    found = run_step(compiled, case)
    torch.cuda.synchronize()
    row = {"compile_s": time.perf_counter() - start, "error": distance(found, exact), "eager_error": distance(eager, exact)}
    row["distance_to_eager"] = distance(found, eager)
    for _ in range(3):
        run_step(compiled, case)
    row["step_ms"] = time_steps(lambda: run_step(compiled, case))
    row["kernels_ms"], row["triton_ms"], row["kernels"], row["each_us"] = profile(lambda: run_step(compiled, case))
    return row


def run_child(arguments):
    """Measures models one after the other and prints a line of JSON for each; the parent starts it again after a crash."""
    answer = os.fdopen(os.dup(1), "w", 1)
    os.dup2(2, 1)
    if arguments.child == "nereid":
        sys.path.insert(0, os.path.join(HERE, "..", "..", "examples"))
        import triton_stages
        triton_stages.register()
    import torch
    import torch._inductor.config as config
    from torch._inductor.async_compile import AsyncCompile
    config.fx_graph_cache = False
    config.compile_threads = os.cpu_count()
    AsyncCompile.wait_pool_ready()  # until its workers are ready, Inductor compiles kernels one after the other
    config.test_configs.max_mm_configs = arguments.choices
    torch.cuda.init()
    for item in arguments.models.split(","):
        name, mode = item.split(":")
        # Without autotuning the only choice is the library; Triton's templates lack grouped and transposed convolutions.
        config.max_autotune_gemm_backends = "ATEN,TRITON" if mode == "default" else "TRITON"
        config.max_autotune_conv_backends = "ATEN,TRITON"
        print(json.dumps({"begin": item}), file=answer)
        try:
            with config.patch(MODES[mode][1]):
                row = measure(name, mode)
        except Exception as error:  # of the model, PyTorch, Triton or Nereid: reported as this row's failure
            traceback.print_exc()
            row = {"failure": f"{type(error).__name__}: {str(error)[:2000]}"}
        print(json.dumps({"item": item, **row}), file=answer)


def run_compiler(compiler, items, arguments, rows, store):
    """Fills the rows of one compiler by item, from as many processes as crashes make necessary; calls `store` after each."""
    pending, deadline = list(items), time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"), NEREID_FALLBACK="1",
                           TRITON_CACHE_DIR=os.path.join(folder, "triton"), TMPDIR=folder,
                           NEREID=os.path.abspath(arguments.nereid))
        while pending and time.monotonic() < deadline:
            before = set(refused(folder))
            call = [sys.executable, os.path.abspath(__file__), "--child", compiler, "--models", ",".join(pending)]
            call += ["--choices", str(arguments.choices)] if arguments.choices else []
            child = subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, text=True)
            begun = read_rows(child, rows, folder, before, deadline, store)
            if begun and begun not in rows:
                rows[begun] = {"failure": "out of time" if time.monotonic() >= deadline else "the process ended"}
            elif not begun:
                break
            pending = [item for item in pending if item not in rows]
        if arguments.keep:
            os.makedirs(arguments.keep, exist_ok=True)
            for path in refused(folder):
                shutil.copy(path, arguments.keep)
        if arguments.caches:
            shutil.copytree(os.path.join(folder, "triton"), os.path.join(arguments.caches, compiler), dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*.so", "*.llir"))
    for item in pending:
        rows.setdefault(item, {"failure": "out of time"})
    store()


def refused(folder):
    return glob.glob(os.path.join(folder, "nereid-*.*"))


def read_rows(child, rows, folder, seen, deadline, store):
    """Stores the rows that the child prints; the item that it began last."""
    import threading
    begun = None
    timer = threading.Timer(max(1, deadline - time.monotonic()), child.kill)
    timer.start()
    for line in child.stdout:
        row = json.loads(line)
        if "begin" in row:
            begun = row["begin"]
            continue
        kept = set(refused(folder)) - seen
        seen |= kept
        row["refused"] = len(kept)
        rows[row.pop("item")] = row
        store()
        print(".", end="", file=sys.stderr, flush=True)
    child.wait()
    timer.cancel()
    return begun


def print_item(item, ours, theirs):
    """Two rows of the table; whether Nereid's is right."""
    for compiler, row in (("triton", theirs), ("nereid", ours)):
        if "failure" in row:
            print(f"{item:28}{compiler:8}failed: {row['failure'].splitlines()[0][:120]}")
        else:
            print(f"{item:28}{compiler:8}{row['kernels']:8}{row['refused']:8}{row['triton_ms']:10.3f}{row['kernels_ms']:10.3f}"
                  f"{row['step_ms']:10.3f}{row['compile_s']:9.1f}{row['error']:11.2e}{row['eager_error']:11.2e}")
    if "failure" in ours:
        return "failure" in theirs
    print(f"{item:28}{'ratio':8}{'':16}{ratio(theirs, ours, 'triton_ms'):10}{ratio(theirs, ours, 'kernels_ms'):10}")
    allowed = 1.5 * max(theirs.get("error", 0), ours["eager_error"], 1e-6)
    return ours["error"] <= allowed and not ours["refused"]


def ratio(theirs, ours, key):
    return f"{theirs[key] / ours[key]:.3f}" if theirs.get(key) and ours.get(key) else "-"


def print_means(rows, items):
    for key in ("triton_ms", "kernels_ms"):
        pairs = [(rows["triton"][item].get(key), rows["nereid"][item].get(key)) for item in items]
        logs = [math.log(theirs / ours) for theirs, ours in pairs if theirs and ours]
        if logs:
            print(f"{key}: speedup {math.exp(sum(logs) / len(logs)):.3f} (geometric mean of {len(logs)})")


def check_on_cpu(names):
    """Runs each model in eager mode on the host; exit status 1 when one fails."""
    import model_zoo
    failed = 0
    for name in names:
        try:
            case = model_zoo.build(name, "cpu")
            start = time.perf_counter()
            wide = in_float32(case)
            error = distance(run_step(case.module, case), run_step(wide.module, wide))
            print(f"{name:16}{sum(p.numel() for p in case.module.parameters()) / 1e6:8.2f} M parameters, error of eager mode "
                  f"{error:.2e}, {time.perf_counter() - start:.1f} s", flush=True)
        except Exception:  # each failure is printed with its place
            traceback.print_exc()
            failed = 1
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/bin/nereid")
    parser.add_argument("--models", default="", help="comma-separated, of all modes or as MODEL:MODE; default: all")
    parser.add_argument("--compilers", default="triton,nereid")
    parser.add_argument("--modes", default="default,max-autotune", help="comma-separated: " + ", ".join(MODES))
    parser.add_argument("--choices", type=int, help="most choices per matrix multiplication and template; default: all")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--json", help="write all rows to this file, after each one")
    parser.add_argument("--keep", help="copy kernels that Nereid refused to this folder")
    parser.add_argument("--caches", help="copy the Triton caches of both compilers to this folder")
    parser.add_argument("--seconds", type=int, default=900, help="time limit of each compiler")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        return run_child(arguments)
    sys.path.insert(0, HERE)
    import model_zoo
    names = arguments.models.split(",") if arguments.models else list(model_zoo.MODELS)
    if arguments.device == "cpu":
        return check_on_cpu(names)
    items = [item for name in names for item in ([name] if ":" in name else [f"{name}:{mode}" for mode in arguments.modes.split(",")])]
    rows = {"triton": {}, "nereid": {}}

    def store():
        if arguments.json:
            with open(arguments.json, "w") as file:
                json.dump(rows, file, indent=1)

    for compiler in rows:
        if compiler in arguments.compilers.split(","):
            run_compiler(compiler, items, arguments, rows[compiler], store)
    for row in rows.values():
        for item in items:
            row.setdefault(item, {"failure": "not requested"})
    print(f"\n{'model':28}{'code':8}{'kernels':>8}{'refused':>8}{'triton ms':>10}{'all ms':>10}{'step ms':>10}{'compile s':>9}"
          f"{'error':>11}{'eager':>11}")
    right = [print_item(item, rows["nereid"][item], rows["triton"][item]) for item in items]
    print_means(rows, items)
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
