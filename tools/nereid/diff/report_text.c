/*   tritongpu-coalesce  ttgir 8 of 36, 0.41 ms: 2 added, 1 edited; operations 58 -> 60, conversions 0 -> 2
 *         ... 12 unchanged
 *         %9 = tt.splat %x ...
 *     -   %10 = tt.load %9 : tensor<256x!tt.ptr<f32>, #blocked>
 *     +   %10 = tt.load %8 : tensor<256x!tt.ptr<f32>, #blocked1>
 *     where #blocked1 = #ttg.blocked<{...}> */
#include "tools/nereid/diff/report_text.h"

#include "base/json.h"

#include <ctype.h>

enum { CONTEXT_WIDTH = 110 }; /* bytes of an unchanged operation */

static const char *const marks[] = {[TOOL_CHANGE_NONE] = " ",
                                    [TOOL_CHANGE_ADDED] = "+",
                                    [TOOL_CHANGE_REMOVED] = "-",
                                    [TOOL_CHANGE_MOVED] = ">",
                                    [TOOL_CHANGE_EDITED] = "+"};
static const char *const colors[] = {[TOOL_CHANGE_NONE] = "\033[2m",
                                     [TOOL_CHANGE_ADDED] = "\033[32m",
                                     [TOOL_CHANGE_REMOVED] = "\033[31m",
                                     [TOOL_CHANGE_MOVED] = "\033[36m",
                                     [TOOL_CHANGE_EDITED] = "\033[32m"};

/* --- counts --- */

static bool is_barrier(const tool_op_t *op) {
  static const char *const names[] = {"gpu.barrier",  "ttg.barrier",        "ttg.local_barrier",      "nvvm.barrier0",
                                      "nvvm.barrier", "nvvm.bar.warp.sync", "ttng.warp_group_barrier"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i], op->name) == 0)
      return true;
  return strcmp(op->name, "llvm.call_intrinsic") == 0 && strstr(op->text, "\"llvm.nvvm.barrier");
}

static void count(const tool_snapshot_t *snapshot, int side, tool_diff_counts_t *counts) {
  for (uint32_t i = 1; i < snapshot->n_ops; ++i) {
    const char *name = snapshot->ops[i].name;
    counts->operations[side] += *name != '^';
    counts->conversions[side] += strcmp(name, "ttg.convert_layout") == 0;
    counts->barriers[side] += is_barrier(&snapshot->ops[i]);
  }
}

tool_diff_counts_t tool_diff_count(const tool_match_t *match) {
  tool_diff_counts_t counts = {.operations = {0, 0}};
  for (int change = TOOL_CHANGE_ADDED; change <= TOOL_CHANGE_EDITED; ++change)
    counts.change[change] = tool_match_count(match, (tool_change_t)change);
  counts.change[TOOL_CHANGE_EDITED] += match->after->n_ops && match->change[0] == TOOL_CHANGE_EDITED; /* the module */
  count(match->before, 0, &counts);
  count(match->after, 1, &counts);
  return counts;
}

uint32_t tool_diff_total(const tool_diff_counts_t *counts) {
  uint32_t total = 0;
  for (int change = TOOL_CHANGE_ADDED; change <= TOOL_CHANGE_EDITED; ++change)
    total += counts->change[change];
  return total;
}

void tool_diff_print_counts(const tool_diff_style_t *style, const tool_diff_counts_t *counts) {
  static const char *const names[] = {"operations", "conversions", "barriers"};
  const uint32_t *const pairs[] = {counts->operations, counts->conversions, counts->barriers};
  const char *separator = "";
  for (int change = TOOL_CHANGE_ADDED; change <= TOOL_CHANGE_EDITED; ++change)
    if (counts->change[change]) {
      fprintf(style->out, "%s%u %s", separator, counts->change[change], tool_change_name((tool_change_t)change));
      separator = ", ";
    }
  separator = "; ";
  for (int i = 0; i < 3; ++i)
    if (i == 0 || pairs[i][0] || pairs[i][1]) {
      fprintf(style->out, "%s%s %u", separator, names[i], pairs[i][0]);
      if (pairs[i][0] != pairs[i][1])
        fprintf(style->out, " -> %u", pairs[i][1]);
      separator = ", ";
    }
  fputc('\n', style->out);
}

/* --- rows --- */

static void print_line(const tool_diff_style_t *style, const char *mark, const char *color, uint32_t depth,
                       const char *text, size_t width) {
  const char *shown = tool_aliases_apply(style->aliases, text);
  if (!shown)
    return;
  const size_t size = strlen(shown), printed = width && size > width ? width : size;
  fprintf(style->out, "  %s%s %*s%.*s%s%s\n", style->color ? color : "", mark, (int)(depth > 1 ? 2 * (depth - 1) : 0),
          "", (int)printed, shown, printed < size ? " ..." : "", style->color ? "\033[0m" : "");
}

static void print_row(const tool_diff_style_t *style, const tool_rows_t *rows, const tool_row_t *row) {
  const tool_op_t *op = tool_row_op(rows, row);
  const uint32_t depth = op->depth - (*op->name == '^');
  const bool has_before = row->change == TOOL_CHANGE_REMOVED || row->change == TOOL_CHANGE_EDITED;
  const char *before = has_before ? tool_match_text(style->aliases->arena, rows->match, row->before) : NULL;
  if (before)
    print_line(style, "-", colors[TOOL_CHANGE_REMOVED], depth, before, 0);
  if (row->change != TOOL_CHANGE_REMOVED)
    print_line(style, marks[row->change], colors[row->change], depth, op->text,
               row->change == TOOL_CHANGE_NONE ? CONTEXT_WIDTH : 0);
}

/* Marks the rows to print: `limit` selected ones, their neighbours and the operations around them. */
static bool *choose_rows(const tool_diff_style_t *style, const tool_rows_t *rows, size_t *out_hidden) {
  bool *shown = nereid_arena_new(style->aliases->arena, bool, rows->n_rows + 1);
  size_t *row_of = nereid_arena_new(style->aliases->arena, size_t, rows->match->after->n_ops + 1);
  size_t chosen = 0;
  *out_hidden = 0;
  if (!shown || !row_of)
    return NULL;
  for (size_t i = 0; i < rows->n_rows; ++i)
    if (rows->rows[i].after != TOOL_NO_MATCH)
      row_of[rows->rows[i].after] = i;
  for (size_t i = 0; i < rows->n_rows; ++i) {
    const tool_row_t *row = &rows->rows[i];
    if (!row->selected)
      continue;
    if (style->limit && chosen++ >= style->limit) {
      ++*out_hidden;
      continue;
    }
    const size_t context = (size_t)style->context, first = i > context ? i - context : 0;
    for (size_t k = first; k <= i + context && k < rows->n_rows; ++k)
      shown[k] |= k == i || rows->rows[k].change == TOOL_CHANGE_NONE;
    for (uint32_t op = row->after; op != TOOL_NO_MATCH && op; op = rows->match->after->ops[op].parent)
      shown[row_of[op]] = true;
  }
  return shown;
}

/* Prints the definitions of aliases whose first use has just been printed. */
static void print_aliases(const tool_diff_style_t *style) {
  for (size_t i = 0; i < style->aliases->list.size; ++i) {
    tool_alias_t *alias = &style->aliases->list.data[i];
    if (!alias->printed)
      fprintf(style->out, "  %swhere %s = %s%s\n", style->color ? colors[TOOL_CHANGE_NONE] : "", alias->name,
              alias->text, style->color ? "\033[0m" : "");
    alias->printed = true;
  }
}

void tool_diff_print_rows(const tool_diff_style_t *style, const tool_rows_t *rows) {
  size_t hidden, skipped = 0;
  const bool *shown = choose_rows(style, rows, &hidden);
  for (size_t i = 0; shown && i < rows->n_rows; ++i) {
    const tool_row_t *row = &rows->rows[i];
    if (!shown[i]) {
      skipped += row->change == TOOL_CHANGE_NONE;
      continue;
    }
    if (skipped)
      fprintf(style->out, "    ... %zu unchanged\n", skipped);
    skipped = 0;
    print_row(style, rows, row);
  }
  if (hidden)
    fprintf(style->out, "    ... %zu more changed operations; --pass or --op prints all that it selects\n", hidden);
  print_aliases(style);
}

/* --- JSON --- */

static void print_member(FILE *out, const char *name, const char *text) {
  fprintf(out, ", \"%s\": ", name);
  if (text)
    nereid_json_print_string(out, nereid_view(text));
  else
    fputs("null", out);
}

static void print_json_row(FILE *out, const tool_rows_t *rows, const tool_row_t *row) {
  const tool_op_t *op = tool_row_op(rows, row);
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  fprintf(out, "{\"change\": \"%s\"", tool_change_name(row->change));
  print_member(out, "operation", op->name);
  print_member(out, "function", tool_row_function(rows, row));
  print_member(out, "before", row->before != TOOL_NO_MATCH ? tool_match_text(&arena, rows->match, row->before) : NULL);
  print_member(out, "after", row->after != TOOL_NO_MATCH ? op->text : NULL);
  print_member(out, "file", op->file);
  fprintf(out, ", \"line\": %u, \"column\": %u}", op->line, op->column);
  nereid_arena_deinitialize(&arena);
}

void tool_diff_print_json(FILE *out, const tool_diff_counts_t *counts, const tool_rows_t *rows) {
  fprintf(out, "\"operations\": [%u, %u], \"conversions\": [%u, %u], \"barriers\": [%u, %u]", counts->operations[0],
          counts->operations[1], counts->conversions[0], counts->conversions[1], counts->barriers[0],
          counts->barriers[1]);
  for (int change = TOOL_CHANGE_ADDED; change <= TOOL_CHANGE_EDITED; ++change)
    fprintf(out, ", \"%s\": %u", tool_change_name((tool_change_t)change), counts->change[change]);
  fputs(", \"changes\": [", out);
  const char *separator = "";
  for (size_t i = 0; i < rows->n_rows; ++i)
    if (rows->rows[i].selected) {
      fputs(separator, out);
      fputs("\n    ", out);
      print_json_row(out, rows, &rows->rows[i]);
      separator = ",";
    }
  fputs("]", out);
}
