/* Corresponding operations and values of two snapshots. */
#ifndef NEREID_TOOLS_MATCH_H
#define NEREID_TOOLS_MATCH_H

#include "tools/nereid/trace/snapshot.h"

enum { TOOL_NO_MATCH = UINT32_MAX };

typedef enum tool_change {
  TOOL_CHANGE_NONE,    /* equal but for the names of values */
  TOOL_CHANGE_ADDED,   /* only in the second snapshot */
  TOOL_CHANGE_REMOVED, /* only in the first */
  TOOL_CHANGE_MOVED,   /* equal, at another place */
  TOOL_CHANGE_EDITED,  /* other attributes, types or operands, or another number of results */
} tool_change_t;

typedef struct tool_match {
  const tool_snapshot_t *before, *after;
  uint32_t *to_after;    /* per operation of `before`: the corresponding one, or TOOL_NO_MATCH */
  uint32_t *to_before;   /* per operation of `after` */
  uint32_t *value_after; /* per value of `before`: the corresponding one, or TOOL_NO_MATCH */
  bool *moved;           /* per operation of `after` */
  tool_change_t *change; /* per operation of `after`; of `before`, those without a match are removed */
} tool_match_t;

/* Matches functions by name and the operations of each by structure and location. Null when out of memory. */
const tool_match_t *tool_match_create(nereid_arena_t *arena, const tool_snapshot_t *before,
                                      const tool_snapshot_t *after);

/* The text of operation `op` of `before`, with the names that its values have in `after`; a value without a
 * correspondence is marked: %5'. Null when out of memory. */
const char *tool_match_text(nereid_arena_t *arena, const tool_match_t *match, uint32_t op);

/* The number of operations of `after` that differ, and of `before` that are removed; modules are not counted. */
uint32_t tool_match_count(const tool_match_t *match, tool_change_t change);

#endif
