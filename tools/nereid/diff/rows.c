/* Merges the operations of two snapshots. Pairs in the same order divide both lists; between two pairs come the removed
 * operations, then the added and moved ones. */
#include "tools/nereid/diff/rows.h"

#include "base/vector.h"

typedef struct merge {
  nereid_arena_t *arena;
  const tool_match_t *match;
  NEREID_VECTOR(tool_row_t) rows;
} merge_t;

const char *tool_change_name(tool_change_t change) {
  static const char *const names[] = {[TOOL_CHANGE_NONE] = "unchanged",
                                      [TOOL_CHANGE_ADDED] = "added",
                                      [TOOL_CHANGE_REMOVED] = "removed",
                                      [TOOL_CHANGE_MOVED] = "moved",
                                      [TOOL_CHANGE_EDITED] = "edited"};
  return names[change];
}

static void add(merge_t *it, tool_change_t change, uint32_t before, uint32_t after) {
  (void)nereid_vector_push(it->arena, &it->rows, (tool_row_t){change, before, after, false});
}

static void add_after(merge_t *it, uint32_t *next, uint32_t end) {
  for (; *next < end; ++*next)
    add(it, it->match->change[*next], it->match->to_before[*next], *next);
}

static void add_all(merge_t *it) {
  const tool_match_t *match = it->match;
  uint32_t next = 0;
  for (uint32_t i = 0; i < match->before->n_ops; ++i) {
    const uint32_t j = match->to_after[i];
    if (j == TOOL_NO_MATCH)
      add(it, TOOL_CHANGE_REMOVED, i, TOOL_NO_MATCH);
    else if (!match->moved[j])
      add_after(it, &next, j + 1);
  }
  add_after(it, &next, match->after->n_ops);
}

const tool_op_t *tool_row_op(const tool_rows_t *rows, const tool_row_t *row) {
  return row->after != TOOL_NO_MATCH ? &rows->match->after->ops[row->after] : &rows->match->before->ops[row->before];
}

const char *tool_row_function(const tool_rows_t *rows, const tool_row_t *row) {
  const bool is_after = row->after != TOOL_NO_MATCH;
  const tool_snapshot_t *snapshot = is_after ? rows->match->after : rows->match->before;
  uint32_t index = is_after ? row->after : row->before;
  while (snapshot->ops[index].depth > 1)
    index = snapshot->ops[index].parent;
  return snapshot->ops[index].symbol;
}

static bool matches(const regex_t *op, const tool_op_t *entry) {
  return regexec(op, entry->name, 0, NULL, 0) == 0 || regexec(op, entry->text, 0, NULL, 0) == 0;
}

static bool is_selected(const tool_rows_t *rows, const tool_row_t *row, const tool_filter_t *filter) {
  if (row->change == TOOL_CHANGE_NONE)
    return false;
  const char *function = filter->function ? tool_row_function(rows, row) : NULL;
  if (filter->function && (!function || strcmp(function, filter->function) != 0))
    return false;
  return !filter->op || matches(filter->op, tool_row_op(rows, row)) ||
         (row->before != TOOL_NO_MATCH && matches(filter->op, &rows->match->before->ops[row->before]));
}

const tool_rows_t *tool_rows_create(nereid_arena_t *arena, const tool_match_t *match, const tool_filter_t *filter) {
  merge_t it = {.arena = arena, .match = match};
  tool_rows_t *rows = nereid_arena_new(arena, tool_rows_t, 1);
  add_all(&it);
  if (arena->failed)
    return NULL;
  *rows = (tool_rows_t){match, it.rows.data, it.rows.size, 0};
  for (size_t i = 0; i < rows->n_rows; ++i) {
    rows->rows[i].selected = is_selected(rows, &rows->rows[i], filter);
    rows->n_selected += rows->rows[i].selected;
  }
  return rows;
}
