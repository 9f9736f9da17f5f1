/* Collects MLIR's diagnostics. Operations have the location of their text, so each message is at a line of the document
 * even where the IR has loc("kernel.py":3:1). */
#include "tools/nereid-lsp-server/ir/program.h"

#include "python-free-bindings/compile/scan.h"
#include "python-free-bindings/compile/session.h"

/* Finds the first location in a file; that of the text is the only one that the parser and the verifier have. */
static bool find_place(MlirLocation location, unsigned *out_line, unsigned *out_column, int depth) {
  if (mlirLocationIsAFileLineColRange(location)) {
    *out_line = (unsigned)mlirLocationFileLineColRangeGetStartLine(location);
    *out_column = (unsigned)mlirLocationFileLineColRangeGetStartColumn(location);
    return true;
  }
  if (depth > 0 && mlirLocationIsAName(location))
    return find_place(mlirLocationNameGetChildLoc(location), out_line, out_column, depth - 1);
  if (depth > 0 && mlirLocationIsACallSite(location))
    return find_place(mlirLocationCallSiteGetCallee(location), out_line, out_column, depth - 1);
  return false;
}

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$' || c == '-';
}

/* Returns the end of the name, the string or the single character at `start`. */
static size_t end_of_name(nereid_view_t text, size_t start) {
  size_t end = start;
  if (end < text.size && text.data[end] == '"')
    return (size_t)(nereid_scan_skip(text.data + start, text.data + text.size) - text.data);
  if (end < text.size && strchr("%@^#!", text.data[end]))
    end++;
  while (end < text.size && is_name(text.data[end]))
    end++;
  return end == start && end < text.size && text.data[end] != '\n' ? end + 1 : end;
}

/* The offset of a line and column, counted from 1; the end of the text when there is no such line. */
static size_t offset_of(nereid_view_t text, unsigned line, unsigned column) {
  const char *at = text.data, *end = text.data + text.size;
  for (; line > 1; --line) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop)
      return text.size;
    at = stop + 1;
  }
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  const size_t length = (size_t)((stop ? stop : end) - at), ahead = column > 0 ? column - 1 : 0;
  return (size_t)(at - text.data) + (ahead < length ? ahead : length);
}

static lsp_diagnostic_t *create(lsp_diagnostics_t *diagnostics, unsigned line, unsigned column, const char *text) {
  lsp_diagnostic_t *it = nereid_arena_new(diagnostics->arena, lsp_diagnostic_t, 1);
  if (!it)
    return NULL;
  it->severity = MlirDiagnosticError;
  it->start = offset_of(diagnostics->text, line, column);
  it->end = end_of_name(diagnostics->text, it->start);
  it->text = text;
  return it;
}

static lsp_diagnostic_t *convert(lsp_diagnostics_t *diagnostics, MlirDiagnostic from) {
  nereid_text_builder_t text = {.arena = diagnostics->arena};
  unsigned line = 1, column = 1;
  mlirDiagnosticPrint(from, nereid_text_builder_append, &text);
  (void)find_place(mlirDiagnosticGetLocation(from), &line, &column, 16);
  lsp_diagnostic_t *to = create(diagnostics, line, column, text.data ? text.data : "");
  if (to)
    to->severity = mlirDiagnosticGetSeverity(from);
  return to;
}

static void append(lsp_diagnostics_t *diagnostics, lsp_diagnostic_t *it) {
  if (!diagnostics->last)
    diagnostics->last = &diagnostics->first;
  *diagnostics->last = it;
  diagnostics->last = &it->next;
}

MlirLogicalResult lsp_diagnostics_add(MlirDiagnostic diagnostic, void *data) {
  lsp_diagnostics_t *diagnostics = data;
  lsp_diagnostic_t *it = convert(diagnostics, diagnostic);
  lsp_diagnostic_t **last = it ? &it->notes : NULL;
  for (intptr_t i = 0; it && i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    if ((*last = convert(diagnostics, mlirDiagnosticGetNote(diagnostic, i))))
      last = &(*last)->next;
  if (it)
    append(diagnostics, it);
  return mlirLogicalResultSuccess();
}

void lsp_diagnostics_report(lsp_diagnostics_t *diagnostics, unsigned line, unsigned column, const char *text) {
  lsp_diagnostic_t *it = create(diagnostics, line, column, text);
  if (it)
    append(diagnostics, it);
}
