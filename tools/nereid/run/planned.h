/* Hooks of a compilation whose lists of passes the command line edits. */
#ifndef NEREID_TOOLS_PLANNED_H
#define NEREID_TOOLS_PLANNED_H

#include "python-free-bindings/compile/session.h"
#include "tools/nereid/trace/plan.h"

typedef struct tool_planned {
  tool_plan_t plan;
  const nereid_session_hooks_t *inner; /* called as well; null: none. Their `edit` is not called */
  nereid_session_hooks_t hooks;
} tool_planned_t;

/* Returns whether the options change anything. */
bool tool_plan_is_given(const tool_plan_options_t *options);

/* Sets planned->hooks, which refer to `planned`; for one compilation. Errors as tool_plan_initialize. */
NEREID_MUST_USE nereid_status_t tool_planned_initialize(tool_planned_t *planned, const tool_plan_options_t *options,
                                                        const nereid_session_hooks_t *inner, nereid_arena_t *arena,
                                                        nereid_message_t *message);

#endif
