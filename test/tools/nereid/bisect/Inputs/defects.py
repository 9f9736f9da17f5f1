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

# Large kernels: path in the corpus, defect, pass after which it is planted, property, options.
CORPUS = [
    ("inductor/sort_topk.0.ttir", "drop-shuffle", "convert-triton-gpu-to-llvm", "numbers",
     "--grid 4 --num-warps 2 --arg in_ptr0=f32[4x256]:rand --arg out_ptr0=f32[4x256]:zeros "
     "--arg out_ptr2=i64[4x256]:zeros --arg xnumel=64 --arg r0_numel=256"),
    ("kernels/sort_rows.ttir", "drop-barrier", "convert-triton-gpu-to-llvm", "race",
     "--grid 3 --arg x=f32[3x256]:rand --arg o=f32[3x256]:zeros"),
    ("inductor/embed_drop.0.ttir", "scale-constant", "convert-triton-to-tritongpu", "numbers",
     "--grid 4,1 --arg in_ptr0=i64[3]:randint(0,1000000) --arg in_ptr1=i64[64]:randint(-1000,1000) "
     "--arg in_ptr2=f16[1000x256]:rand --arg out_ptr1=f16[64x256]:zeros --arg load_seed_offset=1 --arg ynumel=64 "
     "--arg xnumel=256"),
    ("inductor/maxpool.0.ttir", "shift-range", "triton-licm", "numbers",
     "--grid 2 --arg in_ptr0=f16[3x56x56]:rand --arg out_ptr0=f16[2176]:zeros --arg xnumel=50176"),
    ("kernels/dropout.ttir", "drop-store-mask", "tritongpu-coalesce", "numbers",
     "--grid 2 --arg x=f32[4096]:rand --arg o=f32[4096]:ones --arg n=1600 --arg p=0.25 --arg seed=99"),
]
