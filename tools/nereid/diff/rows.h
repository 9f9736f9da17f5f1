/* The rows of a report: all operations of two snapshots in one order. */
#ifndef NEREID_TOOLS_ROWS_H
#define NEREID_TOOLS_ROWS_H

#include "tools/nereid/diff/match.h"

#include <regex.h>

typedef struct tool_row {
  tool_change_t change;
  uint32_t before, after; /* indices; TOOL_NO_MATCH: none */
  bool selected;          /* changed, and not filtered */
} tool_row_t;

typedef struct tool_rows {
  const tool_match_t *match;
  tool_row_t *rows;
  size_t n_rows, n_selected;
} tool_rows_t;

typedef struct tool_filter {
  const char *function; /* null: all */
  const regex_t *op;    /* on the name and the text of an operation; null: all */
} tool_filter_t;

/* Creates the rows: operations of the second snapshot in order, removed ones between them. Null when out of memory. */
const tool_rows_t *tool_rows_create(nereid_arena_t *arena, const tool_match_t *match, const tool_filter_t *filter);

/* Returns the operation of a row: that of the second snapshot, or the removed one. */
const tool_op_t *tool_row_op(const tool_rows_t *rows, const tool_row_t *row);

/* Returns the name of the function of a row; null for an operation outside of functions. */
const char *tool_row_function(const tool_rows_t *rows, const tool_row_t *row);

/* "added", "removed", "moved", "edited" or "unchanged". */
const char *tool_change_name(tool_change_t change);

#endif
