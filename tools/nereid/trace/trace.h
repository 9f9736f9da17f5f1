/* The IR of a compilation after each pass. */
#ifndef NEREID_TOOLS_TRACE_H
#define NEREID_TOOLS_TRACE_H

#include "nereid/compile.h"
#include "tools/nereid/trace/plan.h"
#include "tools/nereid/trace/snapshot.h"

typedef struct tool_step {
  nereid_pipeline_t stage;
  const char *pass;             /* as in the pipeline; null: the input of a list, before its first pass */
  const tool_snapshot_t *after; /* the IR after the pass */
  double milliseconds;          /* wall time of the pass */
} tool_step_t;

/* The first step is the input. */
typedef struct tool_trace {
  const tool_step_t *steps;
  size_t n_steps;
} tool_trace_t;

typedef struct tool_trace_request {
  nereid_view_t text;
  const char *name;
  nereid_compile_options_t options;
  tool_plan_options_t plan;
  tool_plan_keep_t keep; /* keeps stages of the plan; may be null */
  void *keep_data;
} tool_trace_request_t;

/* Compiles the input and takes a snapshot after each pass. On NEREID_ERROR_PROGRAM after diagnostics on stderr, the
 * steps before the error are in `out_trace`. NEREID_ERROR_ARGUMENT and others as nereid_compile. */
NEREID_MUST_USE nereid_status_t tool_trace_run(const tool_trace_request_t *request, nereid_arena_t *arena,
                                               tool_trace_t *out_trace, nereid_message_t *message);

/* Returns "ttir", "ttgir", "frames", "llvm", "finish", "names", "calls", "lines" or "grid". */
const char *tool_trace_stage_name(nereid_pipeline_t stage);

#endif
