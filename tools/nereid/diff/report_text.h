/* Output of `nereid diff`: text for a terminal, or JSON. */
#ifndef NEREID_TOOLS_REPORT_TEXT_H
#define NEREID_TOOLS_REPORT_TEXT_H

#include "tools/nereid/diff/alias.h"
#include "tools/nereid/diff/rows.h"
#include "tools/nereid/trace/trace.h"

#include <stdio.h>

typedef struct tool_diff_style {
  FILE *out;
  bool color;
  int context;  /* unchanged operations around a changed one */
  size_t limit; /* changed operations of one pass; 0: any number */
  tool_aliases_t *aliases;
} tool_diff_style_t;

/* Counts of one pass. */
typedef struct tool_diff_counts {
  uint32_t change[TOOL_CHANGE_EDITED + 1];
  uint32_t operations[2], conversions[2], barriers[2]; /* before, after */
} tool_diff_counts_t;

/* Counts the changes, and the operations of both snapshots. */
tool_diff_counts_t tool_diff_count(const tool_match_t *match);

/* Returns the number of changed operations. */
uint32_t tool_diff_total(const tool_diff_counts_t *counts);

/* Prints "3 added, 1 moved; operations 120 -> 122, conversions 1 -> 2". */
void tool_diff_print_counts(const tool_diff_style_t *style, const tool_diff_counts_t *counts);

/* Prints the selected rows with context, and the aliases that they use for the first time. */
void tool_diff_print_rows(const tool_diff_style_t *style, const tool_rows_t *rows);

/* Prints the counts and the selected rows as the members of a JSON object: "operations": [1, 2], ..., "changes": []. */
void tool_diff_print_json(FILE *out, const tool_diff_counts_t *counts, const tool_rows_t *rows);

#endif
