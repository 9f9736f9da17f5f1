/* The ordered lists of passes. Each line is one pass with its options; $name is a field of the pipeline options.
 *
 *   "convert-x{num-warps=$num-warps}"   ->   convert-x{num-warps=4}
 *
 * Lists are data, so that they can be read at a glance, printed by tools, and pasted into nereid-opt. */
#include "passes/pipeline.h"

#include "passes/pass.h"

/* Requires tt as printed by a front end. Afterwards only noinline functions are called, and the IR is minimal before
 * layouts multiply it. */
/* clang-format off */
static const char *const ttir[] = {
    "inline",
    "triton-rewrite-tensor-pointer",
    "nereid-scalarize-carried-offsets",
    "canonicalize",
    "triton-combine",
    "triton-reorder-broadcast",
    "cse",
    "nereid-single-iteration-loops",
    "loop-invariant-code-motion",
    "triton-licm",
    "triton-loop-unroll",
    "symbol-dce",
    NULL,
};
/* clang-format on */

/* Requires tt. Rewrites descriptors that TMA cannot access. Assigns layouts to tensors, coalesced ones to memory
 * accesses, and propagates them between accesses. Preserves existing encodings. */
static const char *const ttgir[] = {
    ("triton-rewrite-tensor-descriptor-to-pointer{compute-capability=$capability ptx-version=$ptx-version "
     "made=$architecture}"),
    "nereid-drop-unit-dims",
    "cse",
    "loop-invariant-code-motion",
    "triton-loop-aware-cse",
    "nereid-decompose-dot-scaled",
    ("convert-triton-to-tritongpu{target=cuda:$capability num-warps=$num-warps num-ctas=$num-ctas "
     "consumer-warps=$warp-specialization}"),
    "triton-nvidia-gpu-plan-cta",
    "nereid-recurrence-layout",
    "tritongpu-coalesce",
    "tritongpu-F32DotTC{emu-tf32=1}",
    "tritongpu-remove-layout-conversions{provisional-dots=1}",
    "tritongpu-accelerate-matmul{wgmma=$architecture}",
    "tritongpu-remove-layout-conversions{mma-only=1}",
    "tritongpu-optimize-thread-locality",
    "tritongpu-optimize-dot-operands",
    "triton-nvidia-optimize-descriptor-encoding",
    "triton-loop-aware-cse",
    "nereid-hoist-dots",
    "tritongpu-automatic-warp-specialization{enable=$warp-specialization num-stages=$num-stages}",
    "tritongpu-fuse-nested-loops",
    "cse",
    "tritongpu-optimize-accumulator-init",
    "tritongpu-combine-tensor-select-and-if",
    "tritongpu-assign-latencies{num-stages=$num-stages}",
    "tritongpu-schedule-loops",
    "tritongpu-pipeline",
    "canonicalize",
    "triton-loop-aware-cse",
    "tritongpu-prefetch",
    "tritongpu-optimize-dot-operands{before-loops=0}", /* rings have taken the memory */
    "nereid-hoist-loads",
    "tritongpu-coalesce-async-copy",
    "triton-nvidia-tma-lowering",
    "tritongpu-remove-layout-conversions",
    "cse",
    "triton-loop-aware-cse",
    "tritongpu-reduce-data-duplication",
    "tritongpu-reorder-instructions",
    "triton-nvidia-gpu-fence-insertion{compute-capability=$capability}",
    "canonicalize",
    "tritongpu-combine-tensor-select-and-if", /* undoes selects of canonicalization */
    "nereid-shorten-live-ranges",
    "symbol-dce",
    NULL,
};

/* Requires ttg. Afterwards all memory is allocated and the requirements of functions are known. Patterns that convert
 * scf to cf are never rolled back; support for rollback would take gigabytes for a function of 100,000 operations. */
static const char *const frames[] = {
    "nereid-check-mbarriers",
    "nereid-insert-cluster-barriers",
    "nereid-decompose-dot-scaled",
    "tritongpu-allocate-warp-groups{registers=$architecture}",
    "nereid-buffer-gathers",
    "nereid-regular-scans",
    "nereid-guard-async-dots",
    "convert-scf-to-cf{allow-pattern-rollback=0}",
    "allocate-shared-memory",
    "tritongpu-global-scratch-memory-allocation",
    NULL,
};

/* Requires frames. Afterwards everything is a function of the LLVM dialect with the kernel ABI; partitions of warps are
 * regions of it still. Cleanup is left to LLVM, which does it better. */
static const char *const llvm[] = {
    "triton-nvidia-gpu-proxy-fence-insertion{compute-capability=$capability}",
    "convert-triton-gpu-to-llvm{compute-capability=$capability ptx-version=$ptx-version fp-fusion=$fp-fusion "
    "global-order=$global-order wgmma=$architecture kernel-tensors=0}",
    NULL,
};

static const char *const finish[] = {
    "convert-nv-gpu-to-llvm",
    "convert-warp-specialize-to-llvm",
    NULL,
};

/* Only for requested source lines: they cost time in every later stage. */
static const char *const names[] = {
    "nereid-name-inlined",
    NULL,
};

/* Only on request: wider accesses at the price of more code. */
static const char *const calls[] = {
    "nereid-clone-by-axis-info",
    NULL,
};

static const char *const lines[] = {
    "enable-line-info",
    "extract-variable-info",
    NULL,
};

/* Only on request. Before layouts, and before descriptors become pointers. */
static const char *const grid[] = {
    "nereid-derive-grid",
    NULL,
};

static const char *const *const stages[] = {ttir, ttgir, frames, llvm, finish, names, calls, lines, grid};

const char *const *nereid_pipeline_passes(nereid_pipeline_t stage) {
  return stages[stage];
}

/* Replaces each $name in `step`. */
static const char *with_options(const char *step, const nereid_pipeline_options_t *options, nereid_arena_t *arena) {
  const struct {
    const char *name;
    int value;
  } variables[] = {
      {"$num-warps", options->num_warps},
      {"$num-ctas", options->num_ctas},
      {"$num-stages", options->num_stages},
      {"$capability", options->capability},
      {"$ptx-version", options->ptx_version},
      {"$fp-fusion", options->fp_fusion},
      {"$architecture", options->architecture},
      {"$global-order", options->global_order},
      {"$warp-specialization", options->warp_specialization},
  };
  for (size_t i = 0; step && i < sizeof variables / sizeof *variables; i++) {
    const char *found = strstr(step, variables[i].name);
    if (!found)
      continue;
    const char *rest = found + strlen(variables[i].name);
    step = nereid_arena_format(arena, "%.*s%d%s", (int)(found - step), step, variables[i].value, rest);
    i--; /* the same variable may follow */
  }
  return step;
}

const char *nereid_pipeline_text(nereid_pipeline_t stage, const nereid_pipeline_options_t *options,
                                 nereid_arena_t *arena) {
  const char *text = "";
  for (const char *const *step = stages[stage]; *step && text; step++) {
    const char *pass = with_options(*step, options, arena);
    text = pass ? nereid_arena_format(arena, "%s%s%s", text, *text ? "," : "", pass) : NULL;
  }
  return text;
}

static void ignore(MlirStringRef text, void *data) {
  (void)text;
  (void)data;
}

/* --- checkpoints: external passes between the passes, which do not change the IR --- */

typedef struct checkpoint {
  const nereid_pipeline_hooks_t *hooks;
  nereid_pipeline_position_t position;
} checkpoint_t;

static void run_checkpoint(MlirOperation op, MlirExternalPass pass, void *data) {
  const checkpoint_t *checkpoint = data;
  if (!checkpoint->hooks->checkpoint(checkpoint->hooks->user_data, op, &checkpoint->position))
    mlirExternalPassSignalFailure(pass);
}

static void do_nothing(void *data) {
  (void)data;
}

static void *share(void *data) {
  return data;
}

static bool add_checkpoint(MlirOpPassManager manager, const checkpoint_t *checkpoint, nereid_arena_t *arena) {
  static const _Alignas(8) char identity = 0;
  static const MlirExternalPassCallbacks callbacks = {
      .construct = do_nothing, .destruct = do_nothing, .clone = share, .run = run_checkpoint};
  const MlirStringRef name = mlirStringRefCreateFromCString("nereid-checkpoint");
  checkpoint_t *copy = nereid_arena_new(arena, checkpoint_t, 1);
  if (!copy)
    return false;
  *copy = *checkpoint;
  mlirOpPassManagerAddOwnedPass(manager,
                                mlirCreateExternalPass(mlirTypeIDCreate(&identity), name, name, name,
                                                       mlirStringRefCreateFromCString(""), 0, NULL, callbacks, copy));
  return true;
}

static nereid_status_t add_pass(MlirOpPassManager manager, const char *pass) {
  const MlirStringRef text = mlirStringRefCreateFromCString(pass);
  return mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(manager, text, ignore, NULL)) ? NEREID_OK
                                                                                               : NEREID_ERROR_INTERNAL;
}

nereid_status_t nereid_pipeline_add(MlirOpPassManager manager, nereid_pipeline_t stage,
                                    const nereid_pipeline_options_t *options, const nereid_pipeline_hooks_t *hooks,
                                    nereid_arena_t *arena) {
  const char *const *steps = hooks && hooks->edit ? hooks->edit(hooks->user_data, stage, stages[stage]) : stages[stage];
  const bool observed = hooks && hooks->checkpoint;
  checkpoint_t here = {.hooks = hooks, .position.stage = stage};
  nereid_pipeline_position_t *at = &here.position;
  nereid_status_t status = NEREID_OK;
  if (!steps)
    return NEREID_ERROR_MEMORY;
  while (steps[at->count])
    at->count++;
  nereid_passes_register();
  for (; at->index < at->count && status == NEREID_OK; at->index++) {
    at->pass = with_options(steps[at->index], options, arena);
    if (!at->pass || (observed && !add_checkpoint(manager, &here, arena)))
      return NEREID_ERROR_MEMORY;
    status = add_pass(manager, at->pass);
  }
  at->pass = NULL;
  if (status == NEREID_OK && observed && !add_checkpoint(manager, &here, arena))
    return NEREID_ERROR_MEMORY;
  return status;
}
