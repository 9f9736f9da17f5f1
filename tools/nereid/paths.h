/* Names of related files: matmul.ttir and matmul.cubin. */
#ifndef NEREID_TOOLS_PATHS_H
#define NEREID_TOOLS_PATHS_H

#include "base/arena.h"

/* Returns `path` with its last suffix replaced, or with `suffix` appended when its file name has none; null when out of
 * memory. "out/a.b.ttir", ".cubin" gives "out/a.b.cubin". */
const char *tool_path_with_suffix(nereid_arena_t *arena, const char *path, const char *suffix);

#endif
