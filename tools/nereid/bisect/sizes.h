/* Smaller launches of a kernel. */
#ifndef NEREID_TOOLS_SIZES_H
#define NEREID_TOOLS_SIZES_H

#include "tools/nereid/bisect/probe.h"

/* Returns the settings of the case with every size at most `limit`, a multiple of 16 if it was one, and one CTA per 64
 * of the limit at most, all in `arena`. A size is an integer argument that the kernel compares, divides or uses as the
 * bound of a loop; strides are none, because with smaller ones rows would overlap. `rows`: the tensors have 4 times the
 * limit as their first extent at most, which suits a kernel that does not access the others. */
run_settings_t tool_sizes_limit(nereid_arena_t *arena, const tool_case_t *subject, int64_t limit, bool rows);

/* Returns whether both settings describe the same launch. */
bool tool_sizes_equal(const run_settings_t *a, const run_settings_t *b);

#endif
