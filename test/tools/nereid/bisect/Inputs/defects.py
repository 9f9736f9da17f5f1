"""The planted defects, with cases for nereid bisect (small kernels) and nereid reduce (a large one)."""

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

# One case with everything that the defects need, for reductions. The tensors have more rows than the kernel uses, so that
# a wrong mask is not a wrong access.
LARGE = ("attend_backward.ttir --grid 2,2 --arg q=f16[480x64]:rand --arg do_map=f16[480x64]:rand --arg out=f16[480x64]:rand "
         "--arg k=f16[240x64]:rand --arg v=f16[240x64]:rand --arg lse=f32[480]:rand --arg bias=f32[2]:rand "
         "--arg dq=f32[896x64]:zeros --arg dk=f32[240x64]:zeros --arg dv=f32[240x64]:zeros --arg queries=208 "
         "--arg keys=112 --arg scale=0.1 --arg slope=0.01 --arg dropped=0.25 --arg seed=7")
# The same with the rows that the kernel uses, where a missing mask is a wrong access.
EXACT = LARGE.replace("[480", "[416").replace("[240", "[224")
