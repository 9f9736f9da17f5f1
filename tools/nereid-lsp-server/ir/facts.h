/* Results of analyses on a valid program, computed at the first request. */
#ifndef NEREID_TOOLS_LSP_FACTS_H
#define NEREID_TOOLS_LSP_FACTS_H

#include "tools/nereid-lsp-server/ir/program.h"

/* Returns the axis information of a value of a function, as text in `arena`; null when there is none, or the value does
 * not consist of integers or pointers. */
const char *lsp_facts_axis(lsp_program_t *program, MlirValue value, nereid_arena_t *arena);

/* Returns the bytes of shared memory of the buffers that a value may refer to, one line for each; null when it refers
 * to none, or types have no layouts yet. */
const char *lsp_facts_buffers(lsp_program_t *program, MlirValue value, nereid_arena_t *arena);

/* Returns the bytes of shared memory that an operation needs while it runs, or the size of a function's frame; null
 * when it needs none. */
const char *lsp_facts_memory(lsp_program_t *program, MlirOperation op, nereid_arena_t *arena);

void lsp_facts_destroy(lsp_facts_t *facts);

#endif
