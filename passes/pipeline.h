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
} nereid_pipeline_t;

/* Parameters of the passes; every field must be set. */
typedef struct nereid_pipeline_options {
  int num_warps, num_ctas, num_stages;
  int capability;    /* 90 means sm_90a */
  int ptx_version;   /* 87 means PTX 8.7 */
  bool fp_fusion;    /* allow multiply-add contraction */
  bool global_order; /* barriers order global memory accesses of one program */
  bool registers;    /* the target can move registers between warps: setmaxnreg */
} nereid_pipeline_options_t;

/* The passes of `stage` as the text between "builtin.module(" and ")" of --pass-pipeline, in `arena`. Null when out of
 * memory. */
const char *nereid_pipeline_text(nereid_pipeline_t stage, const nereid_pipeline_options_t *options,
                                 nereid_arena_t *arena);

/* Called before pass `index` of `count`, on the thread that runs the passes; `pass` is its text in the pipeline. False
 * stops the pipeline without a diagnostic. */
typedef bool (*nereid_pipeline_checkpoint_t)(void *user_data, const char *pass, size_t index, size_t count);

/* Appends the passes of `stage` to `manager`, which is anchored on builtin.module. Registers passes first. `checkpoint`
 * may be null; `arena` must outlive the manager. Errors: NEREID_ERROR_MEMORY; NEREID_ERROR_INTERNAL when a pass does
 * not exist or rejects an option. */
NEREID_MUST_USE nereid_status_t nereid_pipeline_add(MlirOpPassManager manager, nereid_pipeline_t stage,
                                                    const nereid_pipeline_options_t *options,
                                                    nereid_pipeline_checkpoint_t checkpoint, void *user_data,
                                                    nereid_arena_t *arena);

#endif
