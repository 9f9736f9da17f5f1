/* Names of files that belong together: matmul.cubin and matmul.json. */
#ifndef NEREID_TOOLS_PATHS_H
#define NEREID_TOOLS_PATHS_H

#include "base/arena.h"

/* `path` with its last suffix replaced, or with `suffix` appended when its file name has none; null when memory is
 * out. "out/a.b.cubin", ".json" gives "out/a.b.json". */
const char *tool_path_with_suffix(nereid_arena_t *arena, const char *path, const char *suffix);

#endif
