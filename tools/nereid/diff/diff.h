/* Declarations shared by the files of `nereid diff`. */
#ifndef NEREID_TOOLS_DIFF_H
#define NEREID_TOOLS_DIFF_H

#include "tools/nereid/diff/report_text.h"

extern const tool_command_t tool_command_diff;

typedef struct diff_settings {
  const char *target, *emit, *kernel, *pass, *function, *op, *with, *color, *other, *save;
  tool_plan_options_t plan;
  int64_t num_warps, num_stages, num_ctas, context; /* the first three: 0 when not given */
  bool json, no_pager, no_fp_fusion, no_global_order, no_warp_specialization, specialize_calls;
} diff_settings_t;

typedef struct diff_view {
  const diff_settings_t *settings;
  const char *input;
  tool_diff_style_t style;
  tool_filter_t filter;
  nereid_arena_t *arena;
} diff_view_t;

/* Returns whether the report shows the changes of this pass: --pass is not given, or is its name. */
bool diff_selects_pass(const diff_settings_t *settings, const char *pass);

/* Traces the compilation of the input with the same options by the build of --other-nereid. NEREID_ERROR_IO: it cannot
 * be run; errors of tool_trace_read. */
NEREID_MUST_USE nereid_status_t diff_trace_other(nereid_arena_t *arena, const diff_settings_t *settings,
                                                 const char *input, tool_trace_t *out_trace, nereid_message_t *message);

/* Reports what each pass of one trace changed. False when out of memory. */
bool diff_print_passes(const diff_view_t *view, const tool_trace_t *trace);

/* Reports where two pipelines diverge: the differences after each pass that both run. `labels`: names of the two. False
 * when out of memory. */
bool diff_print_pair(const diff_view_t *view, const tool_trace_t traces[2], const char *const labels[2]);

#endif
