/* Runs a pass on one function of a text. */
#ifndef NEREID_TOOLS_LSP_RUN_PASS_H
#define NEREID_TOOLS_LSP_RUN_PASS_H

#include "base/arena.h"
#include "base/message.h"

typedef struct lsp_pass_run {
  const char *text; /* text of the module after the pass */
  const char *diff; /* changes in the form of `nereid diff`; empty: none */
} lsp_pass_run_t;

/* Runs `pipeline`, passes of builtin.module such as "cse" or "a{x=1},b", on the function @`function` of `text` and on
 * the functions that it calls; null: on the whole module. NEREID_ERROR_PROGRAM with a message when the text is not
 * valid or a pass fails, NEREID_ERROR_ARGUMENT when there is no such pass or function, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t lsp_pass_run(nereid_arena_t *arena, nereid_view_t text, const char *pipeline,
                                             const char *function, lsp_pass_run_t *out, nereid_message_t *message);

#endif
