/* The order in which passes run: one list per stage, in pipeline.c. */
#ifndef NEREID_PASSES_PIPELINE_H
#define NEREID_PASSES_PIPELINE_H

#include "base/arena.h"

#include <mlir-c/Pass.h>

/* A part of the compilation that consists of MLIR passes. */
typedef enum nereid_pipeline {
  NEREID_PIPELINE_TTIR,   /* tt as read -> tt, inlined and canonical */
  NEREID_PIPELINE_TTGIR,  /* tt -> ttg with layouts */
  NEREID_PIPELINE_FRAMES, /* ttg -> ttg with branches, its memory allocated */
  NEREID_PIPELINE_LLVM,   /* the same -> llvm and nvvm dialects */
  NEREID_PIPELINE_FINISH, /* the llvm dialect as printed -> the subset that LLVM IR can express */
  NEREID_PIPELINE_NAMES,  /* before ttir, for source lines: records function names */
  NEREID_PIPELINE_CALLS,  /* tt or ttg -> the same, functions cloned by the axis information of their calls */
  NEREID_PIPELINE_LINES,  /* llvm dialect with locations -> with debug information */
  NEREID_PIPELINE_GRID,   /* tt after ttir -> the same, the grid of the kernel derived */
} nereid_pipeline_t;

/* Parameters of the passes; every field must be set. */
typedef struct nereid_pipeline_options {
  int num_warps, num_ctas, num_stages;
  int capability;           /* 80, 86, 87, 89 or 90 */
  int ptx_version;          /* 87 means PTX 8.7 */
  bool fp_fusion;           /* allow multiply-add contraction */
  bool global_order;        /* barriers order global memory accesses of one program */
  bool warp_specialization; /* divide loops between producer and consumer warps */
  bool architecture;        /* the target is sm_90a: wgmma, setmaxnreg, tensormap.replace */
} nereid_pipeline_options_t;

/* The passes of `stage` as the text between "builtin.module(" and ")" of --pass-pipeline, in `arena`. Null when out of
 * memory. */
const char *nereid_pipeline_text(nereid_pipeline_t stage, const nereid_pipeline_options_t *options,
                                 nereid_arena_t *arena);

/* The passes of `stage` as constants, before $name is replaced by the option `name`; a null ends the list. */
const char *const *nereid_pipeline_passes(nereid_pipeline_t stage);

/* A position between the passes of one list. */
typedef struct nereid_pipeline_position {
  nereid_pipeline_t stage;
  const char *pass; /* the pass that follows, as its text in the pipeline; null: the list ends */
  size_t index;     /* its position, from 0 */
  size_t count;     /* the length of the list */
} nereid_pipeline_position_t;

/* Observation and editing of the lists of passes. Zeroed functions have no effect. */
typedef struct nereid_pipeline_hooks {
  /* Called before each pass and after the last one, on the thread that runs the passes. Must not change `module`. False
   * stops the pipeline without a diagnostic. */
  bool (*checkpoint)(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position);
  /* Returns the list to run instead of `passes`, in the same form and valid until the passes have run; null when out of
   * memory. Called once per run of a stage, before its first checkpoint. */
  const char *const *(*edit)(void *user_data, nereid_pipeline_t stage, const char *const *passes);
  void *user_data; /* borrowed, of both functions */
} nereid_pipeline_hooks_t;

/* Appends the passes of `stage` to `manager`, which is anchored on builtin.module. Registers passes first. `hooks` may
 * be null; `hooks` and `arena` must outlive the manager. Errors: NEREID_ERROR_MEMORY; NEREID_ERROR_INTERNAL when a pass
 * does not exist or rejects an option. */
NEREID_MUST_USE nereid_status_t nereid_pipeline_add(MlirOpPassManager manager, nereid_pipeline_t stage,
                                                    const nereid_pipeline_options_t *options,
                                                    const nereid_pipeline_hooks_t *hooks, nereid_arena_t *arena);

#endif
