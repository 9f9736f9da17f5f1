"""Runs nereid bisect on kernels with one planted defect each, and checks that it names the planted pass.

usage: plant.py FIRST LAST FOLDER    rows FIRST to LAST, exclusive, of the table; files are written to FOLDER"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = "center_rows.ttir --grid 3 --arg x=f32[3x208]:rand --arg out=f32[4x208]:zeros --arg n=200 --arg stride=208"
MATRICES = "--grid 1 --arg a=f16[64x160]:rand --arg b=f16[160x64]:rand --arg c=f32[64x64]:zeros --arg k=160"
DOT = "multiply.ttir " + MATRICES
TMA = "multiply_tma.ttir " + MATRICES

# kind of defect, pass after which it is planted, property, case
TABLE = [
    ("swap-operands", "inline", "numbers", ROWS),
    ("repeat-operand", "triton-combine", "numbers", ROWS),
    ("scale-constant", "convert-triton-to-tritongpu", "numbers", ROWS),
    ("weaken-comparison", "tritongpu-coalesce", "numbers", ROWS),
    ("lose-precision", "loop-invariant-code-motion", "numbers", ROWS + " --tolerance 1e-5"),
    ("reassociate", "canonicalize", "numbers", ROWS),
    ("forget-carried", "tritongpu-remove-layout-conversions", "numbers", ROWS),
    ("shorten-loop", "tritongpu-coalesce", "numbers", ROWS),
    ("change-combiner", "tritongpu-reorder-instructions", "numbers", ROWS),
    ("drop-shuffle", "convert-triton-gpu-to-llvm", "numbers", ROWS),
    ("drop-store", "symbol-dce", "numbers", ROWS),
    ("shift-range", "triton-licm", "numbers", ROWS),
    ("drop-store-mask", "tritongpu-coalesce", "numbers", ROWS),
    ("drop-load-mask", "cse", "fault", ROWS),
    ("shift-shared", "convert-triton-gpu-to-llvm", "fault", ROWS),
    ("keep-phase", "tritongpu-pipeline", "fault", TMA),
    ("early-wait", "tritongpu-pipeline", "race", DOT),
    ("early-dot-wait", "tritongpu-pipeline", "race", DOT),
    ("keep-slot", "tritongpu-pipeline", "race", DOT),
    ("drop-fence", "triton-nvidia-gpu-proxy-fence-insertion", "race", TMA),
    ("drop-barrier", "convert-triton-gpu-to-llvm", "race", ROWS),
    ("forget-alignment", "inline", "counter=warp_instructions.memory", DOT),
    ("crash", "tritongpu-coalesce", "crash", ROWS),
    ("report-error", "tritongpu-coalesce", "compile-error", ROWS),
]


def bisect(kind, after, what, case, folder):
    planted = "nereid-test-defect{kind=%s}" % kind
    words = case.split()
    command = ["nereid", "bisect", os.path.join(HERE, words[0]), *words[1:], "--what", what]
    command += ["--insert", "%s after %s" % (planted, after), "-o", os.path.join(folder, kind + ".mlir")]
    done = subprocess.run(command, capture_output=True, text=True)
    named = [line for line in done.stdout.splitlines() if line.startswith(planted + ": pass ")]
    stopped = "%s: the compiler stops in pass " % what in done.stdout and ", " + planted in done.stdout
    assert done.returncode == 0 and (named or stopped), (command, done.stdout, done.stderr)
    if not kind.startswith(("crash", "report")):
        text = open(os.path.join(folder, kind + ".mlir")).read()
        opt = ["nereid-opt", "-", "--pass-pipeline=builtin.module(%s)" % planted]
        again = subprocess.run(opt, input=text, capture_output=True, text=True)
        assert again.returncode == 0 and again.stdout != text, again.stderr


first, last, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
assert len(TABLE) >= 20
for row in TABLE[first:last]:
    bisect(*row, folder)
