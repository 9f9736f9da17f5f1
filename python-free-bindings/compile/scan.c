/* MLIR text before MLIR's parser meets what it does not survive.
 *
 *   array<index: 1>           the parser of LLVM 22 asks an index for its width and crashes
 *   !tt.ptr<!tt.ptr<…>>       it calls itself for every bracket: thousands of them are the end of the stack
 *
 * Strings and comments are skipped; what else is wrong the parser says better. */
#include "session.h"

enum { DEEPEST = 1000 }; /* open brackets; a kernel has some dozens */

typedef struct scan {
  const char *at, *end;
  unsigned depth;
} scan_t;

const char *nereid_scan_skip(const char *at, const char *end) {
  if (*at == '"') {
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
      at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
  }
  if (*at == '/' && end - at > 1 && at[1] == '/') {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop : end;
  }
  return at;
}

static bool is_index_array(const char *at, const char *end) {
  return nereid_view_starts_with(nereid_view_of(at, (size_t)(end - at)), nereid_view("array<")) &&
         nereid_view_starts_with(nereid_view_of(at + 6, (size_t)(end - at) - 6), nereid_view("index"));
}

static const char *find_trouble(scan_t *scan) {
  const char *begin = scan->at;
  while (scan->at < scan->end) {
    const char *at = nereid_scan_skip(scan->at, scan->end);
    if (at != scan->at) {
      scan->at = at;
      continue;
    }
    if (strchr("<([{", *at) && *at && ++scan->depth > DEEPEST)
      return "brackets nest deeper than 1000 here; nothing that is compiled needs as many";
    if (strchr(">)]}", *at) && *at && scan->depth && !(*at == '>' && at > begin && at[-1] == '-'))
      scan->depth--;
    if (*at == 'a' && is_index_array(at, scan->end))
      return "an array of index: expected i1, i8, i16, i32, i64 or a float type";
    scan->at++;
  }
  return NULL;
}

bool nereid_scan_text(nereid_compilation_t *compilation) {
  nereid_view_t text = compilation->input;
  scan_t scan = {text.data, text.data + text.size, 0};
  const char *why = find_trouble(&scan);
  unsigned line = 1, column = 1;
  if (!why)
    return true;
  for (const char *at = text.data; at < scan.at; at++) {
    line += *at == '\n';
    column = *at == '\n' ? 1 : column + 1;
  }
  nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, line, column, "%s", why);
  return false;
}
