/* Reads the lines of the source program that locations refer to.
 *
 *   loc("kernels.py":107:24)   ->   kernels.py, lines 95 to 130, as far as locations refer to them
 */
#include "tools/nereid/report/source_lines.h"

#include "base/file.h"

#include <stdlib.h>

enum { MAX_LINES = 2000 }; /* lines of one file; a longer file is shown without the lines between */

static nereid_view_t read_file(report_t *report, const char *path, const char *folder) {
  nereid_message_t message;
  nereid_view_t text = {NULL, 0};
  const char *slash = strrchr(path, '/');
  const char *here = folder ? nereid_arena_format(report->arena, "%s/%s", folder, slash ? slash + 1 : path) : NULL;
  if (here && nereid_file_read(report->arena, here, &text, &message) == NEREID_OK)
    return text;
  return nereid_file_read(report->arena, path, &text, &message) == NEREID_OK ? text : nereid_view_of(NULL, 0);
}

static int by_line(const void *a, const void *b) {
  const report_place_t *one = a, *other = b;
  const int files = (one->file > other->file) - (one->file < other->file);
  return files ? files : (one->line > other->line) - (one->line < other->line);
}

/* Returns the text of line `number`, counted from 1; an empty one when the text is shorter. */
static nereid_view_t line_of(nereid_view_t text, uint32_t number) {
  const char *at = text.data, *end = at ? at + text.size : at;
  for (uint32_t line = 1; at && at < end; ++line) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    if (line == number)
      return nereid_view_of(at, (size_t)(stop - at));
    at = stop + 1;
  }
  return nereid_view_of(NULL, 0);
}

typedef NEREID_VECTOR(report_line_t) rows_t;

static void add_row(report_t *report, rows_t *rows, nereid_view_t text, report_place_t place) {
  const report_line_t row = {.text = line_of(text, place.line), .op = NULL, .file = place.file, .line = place.line};
  (void)nereid_vector_push(report->arena, rows, row);
}

/* Adds the rows of one file; places[0..n) are its referred lines in order. */
static void add_file(report_t *report, rows_t *rows, const char *folder, const report_place_t *places, size_t n) {
  const nereid_view_t text = read_file(report, report->files.data[places[0].file], folder);
  const bool fills = text.data && places[n - 1].line - places[0].line < MAX_LINES;
  if (!text.data)
    report_add_message(report, "note", REPORT_SOURCE,
                       "the source file '%s' was not found: its lines are shown without text (--source FOLDER)",
                       report->files.data[places[0].file]);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t stop = fills && i + 1 < n ? places[i + 1].line : places[i].line + 1;
    for (uint32_t line = places[i].line; line < stop; ++line)
      add_row(report, rows, text, (report_place_t){places[i].file, line});
  }
}

/* Returns, for each place in the order of report->places, its row. */
static const uint32_t *find_rows(const report_t *report, const rows_t *rows) {
  uint32_t *row_of = nereid_arena_new(report->arena, uint32_t, report->places.size + 1);
  for (size_t i = 0; row_of && i < report->places.size; ++i)
    for (uint32_t row = 1; row < rows->size; ++row)
      if (rows->data[row].file == report->places.data[i].file && rows->data[row].line == report->places.data[i].line)
        row_of[i + 1] = row;
  return row_of;
}

static bool replace_parents(report_t *report, report_stage_kind_t first, const uint32_t *row_of) {
  report_stage_t *stage = &report->stages[first];
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    report_line_t *line = &stage->lines[i];
    uint32_t *rows = nereid_arena_new(report->arena, uint32_t, line->n_parents + (size_t)1);
    if (!rows)
      return false;
    for (uint32_t k = 0; k < line->n_parents; ++k)
      rows[k] = row_of[line->parents[k]];
    line->parents = rows;
  }
  return true;
}

bool report_add_source(report_t *report, report_stage_kind_t first, const char *folder) {
  const size_t n = report->places.size;
  rows_t rows = {NULL, 0, 0};
  report_place_t *sorted = nereid_arena_new(report->arena, report_place_t, n + 1);
  if (!n)
    report_add_message(report, "note", REPORT_STAGES,
                       "the input has no locations of source lines: the report has no source");
  if (!n || !sorted)
    return sorted != NULL;
  memcpy(sorted, report->places.data, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, by_line);
  (void)nereid_vector_push(report->arena, &rows, (report_line_t){.op = NULL});
  for (size_t i = 0, k; i < n; i = k) {
    for (k = i; k < n && sorted[k].file == sorted[i].file;)
      ++k;
    add_file(report, &rows, folder, sorted + i, k - i);
  }
  const uint32_t *row_of = find_rows(report, &rows);
  report->stages[REPORT_SOURCE] =
      (report_stage_t){.lines = rows.data, .n_lines = (uint32_t)rows.size - 1, .language = "python"};
  return row_of && !report->arena->failed && replace_parents(report, first, row_of);
}
