/* Search for the first position at which a property holds. */
#ifndef NEREID_TOOLS_SEARCH_H
#define NEREID_TOOLS_SEARCH_H

#include "base/arena.h"

#include <stdbool.h>

typedef enum tool_verdict {
  TOOL_VERDICT_UNASKED,
  TOOL_VERDICT_CLEAN,   /* the property does not hold */
  TOOL_VERDICT_SHOWN,   /* it holds */
  TOOL_VERDICT_UNKNOWN, /* it cannot be determined */
} tool_verdict_t;

/* Returns the verdict at position `k`. */
typedef tool_verdict_t (*tool_question_t)(void *user_data, size_t k);

typedef struct tool_search {
  size_t clean; /* the last position before `shown` that is known to be clean */
  size_t shown; /* the first known position with the property; clean + 1, unless all between are unknown */
  size_t asked; /* number of questions */
} tool_search_t;

/* Finds adjacent positions between `first`, which is clean, and `last`, which has the property: by bisection, where the
 * verdict of a position that is unknown is replaced by that of the next known one. The property may hold elsewhere
 * before `shown`, if it is not monotonic. */
tool_search_t tool_search_run(size_t first, size_t last, tool_question_t ask, void *user_data);

#endif
