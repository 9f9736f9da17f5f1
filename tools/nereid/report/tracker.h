/* Follows a compilation stage by stage: numbers the operations of each stage, and reads from the locations of the next
 * one from which operations it was made. */
#ifndef NEREID_TOOLS_TRACKER_H
#define NEREID_TOOLS_TRACKER_H

#include "tools/nereid/report/module_text.h"

typedef struct report_tracker {
  report_t *report;
  nereid_view_t input; /* text of the input */
  const char *name;    /* name of the input, for operations without a location */
  bool started;
  report_stage_kind_t stage; /* last stage with numbers */
  report_numbering_t numbering;
} report_tracker_t;

/* The hook `stage` of nereid_session_hooks_t; `user_data` is the tracker. The compilation needs source lines. */
bool report_track(void *user_data, nereid_stage_t stage, MlirOperation module, LLVMModuleRef llvm);

/* The hook `pipeline.checkpoint`: reads the allocation of shared memory. */
bool report_track_pass(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position);

/* track_llvm.c: the same for LLVM IR, whose functions and instructions are numbered. */
bool report_track_llvm(report_tracker_t *tracker, LLVMModuleRef module);

#endif
