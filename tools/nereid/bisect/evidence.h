/* What `nereid bisect` shows of a pass: the operations that it touched, the IR before it, how to run it. */
#ifndef NEREID_TOOLS_EVIDENCE_H
#define NEREID_TOOLS_EVIDENCE_H

#include "tools/nereid/bisect/probe.h"

#include <stdio.h>

/* Prints the changes of pass number `index` (from 0) when the passes up to it run, and those required after it; with
 * `full`, when all passes run. As JSON: an object, or nothing. */
void tool_evidence_print_changes(const tool_case_t *subject, size_t index, bool full, int64_t context, FILE *out,
                                 bool json);

/* Sets out_changed[i], for i below `n`, to whether pass i changes the IR of MLIR when all passes run. */
void tool_evidence_find_changes(const tool_case_t *subject, bool *out_changed, size_t n);

/* Writes the IR before pass `index` and returns the path, in `arena`; null when it cannot be written, with the reason
 * in `outcome`, which is overwritten. `output`: the path, or null for one in the current folder. */
const char *tool_evidence_write_ir(const tool_case_t *subject, nereid_arena_t *arena, const char *output,
                                   const char *pass, size_t index, bool full, tool_outcome_t *outcome);

#endif
