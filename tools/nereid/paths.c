/* The suffix begins at the last dot of the file name; a leading dot is part of the name. */
#include "tools/nereid/paths.h"

const char *tool_path_with_suffix(nereid_arena_t *arena, const char *path, const char *suffix) {
  const char *slash = strrchr(path, '/');
  const char *file = slash ? slash + 1 : path;
  const char *dot = strrchr(file, '.');
  size_t kept = dot && dot != file ? (size_t)(dot - path) : strlen(path);
  return nereid_arena_format(arena, "%.*s%s", (int)kept, path, suffix);
}
