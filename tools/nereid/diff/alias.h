/* Short names for the long attributes of a text, the same in a whole report.
 *
 *   tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 8], ...}>>   ->   tensor<128x64xf16, #blocked1> */
#ifndef NEREID_TOOLS_ALIAS_H
#define NEREID_TOOLS_ALIAS_H

#include "base/arena.h"
#include "base/vector.h"

typedef struct tool_alias {
  const char *name; /* "#blocked1" */
  const char *text; /* the attribute, with aliases for attributes in it */
  bool printed;     /* mark of the caller, initially false */
} tool_alias_t;

typedef struct tool_aliases {
  nereid_arena_t *arena; /* memory of names and texts; set by the caller, the rest zero */
  NEREID_VECTOR(tool_alias_t) list;
} tool_aliases_t;

/* Returns `text` with aliases, in the arena of `aliases`; null when out of memory. */
const char *tool_aliases_apply(tool_aliases_t *aliases, const char *text);

#endif
