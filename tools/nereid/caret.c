/* Prints diagnostics with the source line and a caret.
 *
 *   kernel.ttir:7:12: error: expected a mask of the pointer's shape
 *       %4 = tt.load %3, %m : tensor<1024x!tt.ptr<f32>>
 *            ^
 *   kernel.ttir:5:8: note: the mask is defined here
 *
 * The source line is shown when the location is in a readable file: the input itself (also when it came through a pipe)
 * or the source from which the IR was generated. */
#include "tools/nereid/caret.h"

#include "base/file.h"
#include "tools/nereid/jobs/worker.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const severities[] = {"error", "warning", "remark", "note"};
static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;34m", "\033[1;36m"};

/* Returns line `number`, counted from 1, without its line end; empty when there is none. */
static nereid_view_t find_line(nereid_view_t text, unsigned number) {
  const char *at = text.data, *end = text.data + text.size;
  for (; at < end && number > 1; number--) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
  return nereid_view_of(at, at < end ? (size_t)((stop ? stop : end) - at) : 0);
}

static void print_source(const tool_source_t *source, const nereid_diagnostic_t *diagnostic, FILE *out) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_view_t text = source->text;
  bool own = diagnostic->file && strcmp(diagnostic->file, source->name) == 0;
  if (own || (diagnostic->file && nereid_file_read(&arena, diagnostic->file, &text, NULL) == NEREID_OK)) {
    nereid_view_t line = find_line(text, diagnostic->line);
    if (line.size && line.size < 400 && !memchr(line.data, 0, line.size)) {
      fprintf(out, "%.*s\n", (int)line.size, line.data);
      for (unsigned i = 1; i < diagnostic->column && i <= line.size; i++)
        fputc(line.data[i - 1] == '\t' ? '\t' : ' ', out);
      fputs(diagnostic->column ? "^\n" : "", out);
    }
  }
  nereid_arena_deinitialize(&arena);
}

static void print_one(const tool_source_t *source, const nereid_diagnostic_t *diagnostic, FILE *out) {
  bool color = tool_worker_is_on_terminal();
  if (diagnostic->file && diagnostic->line && diagnostic->column)
    fprintf(out, "%s:%u:%u: ", diagnostic->file, diagnostic->line, diagnostic->column);
  else if (diagnostic->file && diagnostic->line)
    fprintf(out, "%s:%u: ", diagnostic->file, diagnostic->line);
  else
    fprintf(out, "%s: ", diagnostic->file ? diagnostic->file : source->name);
  fprintf(out, "%s%s:%s %s\n", color ? colors[diagnostic->severity] : "", severities[diagnostic->severity],
          color ? "\033[0m" : "", diagnostic->message);
  if (diagnostic->line)
    print_source(source, diagnostic, out);
}

/* Formats the message in memory and writes it at once, so that messages of inputs compiled in parallel do not
 * interleave. */
void tool_print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  tool_source_t *source = user_data;
  char *text = NULL;
  size_t size = 0;
  source->errors += diagnostic->severity == NEREID_SEVERITY_ERROR;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return;
  print_one(source, diagnostic, out);
  for (size_t i = 0; i < diagnostic->n_notes; i++)
    print_one(source, &diagnostic->notes[i], out);
  if (fclose(out) == 0)
    fwrite(text, 1, size, stderr);
  free(text);
}
