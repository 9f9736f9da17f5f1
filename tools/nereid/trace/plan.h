/* The passes that a command runs: Nereid's lists, edited by options.
 *
 *   --omit tritongpu-prefetch                            without a pass
 *   --insert 'cse after tritongpu-pipeline'              with one more
 *   --pass-pipeline 'builtin.module(cse,canonicalize)'   other passes; Nereid's lists follow from the stage that they
 *                                                        do not reach
 *
 * docs/diff.md describes how a pipeline is divided among the stages. */
#ifndef NEREID_TOOLS_PLAN_H
#define NEREID_TOOLS_PLAN_H

#include "base/arena.h"
#include "base/message.h"
#include "passes/pipeline.h"
#include "tools/nereid/tool.h"

/* The options of the command line. */
typedef struct tool_plan_options {
  const char *pipeline; /* null: Nereid's lists */
  tool_list_t insert, omit;
} tool_plan_options_t;

/* Limits a run to a prefix of the passes. */
typedef bool (*tool_plan_keep_t)(void *user_data, const char *pass);

typedef struct tool_plan {
  nereid_arena_t *arena;
  const tool_plan_options_t *options;
  const char **pipeline; /* passes of options->pipeline; a null ends the list */
  size_t n_pipeline, next;
  bool *used;            /* per item of `insert`, then of `omit` */
  tool_plan_keep_t keep; /* called once per pass in the order of execution; false omits it. May be null */
  void *keep_data;
} tool_plan_t;

/* Parses the passes of the options, before a compilation. NEREID_ERROR_ARGUMENT: malformed, or an unknown pass or
 * option of a pass; NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_plan_validate(const tool_plan_options_t *options, nereid_arena_t *arena,
                                                   nereid_message_t *message);

/* Reads the options. NEREID_ERROR_ARGUMENT: malformed; NEREID_ERROR_MEMORY. Both must outlive the plan. */
NEREID_MUST_USE nereid_status_t tool_plan_initialize(tool_plan_t *plan, const tool_plan_options_t *options,
                                                     nereid_arena_t *arena, nereid_message_t *message);

/* The `edit` of nereid_pipeline_hooks_t; `user_data` is the plan. To be used for one compilation. */
const char *const *tool_plan_edit(void *user_data, nereid_pipeline_t stage, const char *const *passes);

/* After a compilation: NEREID_ERROR_ARGUMENT when an option names a pass that did not run. */
NEREID_MUST_USE nereid_status_t tool_plan_check(const tool_plan_t *plan, nereid_message_t *message);

/* Returns the pass's name without its options, "cse" of "cse{x=1}". A nested pass keeps its anchor. */
nereid_view_t tool_pass_name(const char *pass);

/* Takes a pass out of the plan: an insertion of "cse{x=1}" goes, or "cse" is omitted. False when out of memory. */
NEREID_MUST_USE bool tool_plan_take_out(nereid_arena_t *arena, tool_plan_options_t *options, const char *name);

/* The option rows of the three settings above, for a table of tool_option_t. */
#define TOOL_PLAN_OPTIONS(settings_t, field)                                                                           \
  {"--pass-pipeline", "TEXT", "run these passes, in the syntax of nereid-opt, and Nereid's for the stages after them", \
   TOOL_TEXT, offsetof(settings_t, field.pipeline)},                                                                   \
      {"--insert", "TEXT", "run one more pass: 'PASS after NAME' or 'PASS before NAME'", TOOL_LIST,                    \
       offsetof(settings_t, field.insert)},                                                                            \
  {                                                                                                                    \
    "--omit", "NAME", "do not run the pass with this name", TOOL_LIST, offsetof(settings_t, field.omit)                \
  }

#endif
