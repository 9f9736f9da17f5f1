/* Passes diagnostics of MLIR, and reports of target/, to the session's handler.
 *
 *   loc("acc"(callsite("k.py":7:3 at "k.py":20:5)))   →   file k.py, line 7, column 3; note: called from k.py:20:5
 *
 * The handler is called once per message, with its notes attached. */
#include "session.h"

#include "seam/llvm.h"

#include <mlir-c/Diagnostics.h>
#include <stdio.h>

bool nereid_session_locate(nereid_arena_t *arena, MlirLocation location, nereid_diagnostic_t *out) {
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    out->file = nereid_arena_copy(arena, nereid_view_of(file.data, file.length));
    out->line = (unsigned)mlirLocationFileLineColRangeGetStartLine(location);
    out->column = (unsigned)mlirLocationFileLineColRangeGetStartColumn(location);
    return true;
  }
  if (mlirLocationIsAName(location))
    return nereid_session_locate(arena, mlirLocationNameGetChildLoc(location), out);
  if (mlirLocationIsACallSite(location))
    return nereid_session_locate(arena, mlirLocationCallSiteGetCallee(location), out);
  if (!mlirLocationIsAFused(location))
    return false;
  unsigned count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *parts = nereid_arena_new(arena, MlirLocation, count);
  if (parts)
    mlirLocationFusedGetLocations(location, parts);
  for (unsigned i = 0; parts && i < count; i++)
    if (nereid_session_locate(arena, parts[i], out))
      return true;
  return false;
}

static nereid_diagnostic_t convert(nereid_arena_t *arena, MlirDiagnostic diagnostic) {
  static const nereid_severity_t severities[] = {[MlirDiagnosticError] = NEREID_SEVERITY_ERROR,
                                                 [MlirDiagnosticWarning] = NEREID_SEVERITY_WARNING,
                                                 [MlirDiagnosticNote] = NEREID_SEVERITY_NOTE,
                                                 [MlirDiagnosticRemark] = NEREID_SEVERITY_REMARK};
  nereid_diagnostic_t out = {.severity = severities[mlirDiagnosticGetSeverity(diagnostic)]};
  nereid_text_builder_t text = {.arena = arena};
  mlirDiagnosticPrint(diagnostic, nereid_text_builder_append, &text);
  while (text.size && text.data[text.size - 1] == '\n')
    text.data[--text.size] = 0;
  out.message = text.data ? text.data : "";
  nereid_session_locate(arena, mlirDiagnosticGetLocation(diagnostic), &out);
  return out;
}

/* Keeps the first line of the operation that MLIR prints in a note: with its regions it may be the whole kernel. */
static void shorten(nereid_arena_t *arena, nereid_diagnostic_t *note) {
  static const char prefix[] = "see current operation: ";
  if (strncmp(note->message, prefix, sizeof prefix - 1) != 0)
    return;
  const char *start = note->message + sizeof prefix - 1;
  start += strspn(start, " \n");
  const char *text = nereid_arena_format(arena, "%s%.*s", prefix, (int)strcspn(start, "\n"), start);
  note->message = text ? text : prefix;
}

/* Adds "called from" notes for an inlined operation, innermost first. */
static size_t add_callers(nereid_arena_t *arena, MlirLocation location, nereid_diagnostic_t *notes, size_t room) {
  size_t count = 0;
  while (count < room) {
    if (mlirLocationIsAName(location)) {
      location = mlirLocationNameGetChildLoc(location);
    } else if (mlirLocationIsACallSite(location)) {
      location = mlirLocationCallSiteGetCaller(location);
      notes[count] = (nereid_diagnostic_t){.severity = NEREID_SEVERITY_NOTE, .message = "called from here"};
      count += nereid_session_locate(arena, location, &notes[count]);
    } else {
      break;
    }
  }
  return count;
}

/* Calls the handler of diagnostics, or of remarks if there is one. */
static void deliver(nereid_compiler_t *compiler, const nereid_diagnostic_t *diagnostic) {
  compiler->warnings += diagnostic->severity == NEREID_SEVERITY_WARNING;
  if (diagnostic->severity == NEREID_SEVERITY_REMARK && compiler->remark_handler) {
    const nereid_remark_t remark = {.kind = NEREID_REMARK_ANALYSIS,
                                    .file = diagnostic->file,
                                    .line = diagnostic->line,
                                    .column = diagnostic->column,
                                    .text = diagnostic->message};
    compiler->remark_handler(compiler->remark_data, &remark);
  } else if (compiler->handler) {
    compiler->handler(compiler->user_data, diagnostic);
  }
}

static nereid_remark_kind_t parse_kind(MlirStringRef text) {
  static const char *const kinds[] = {"Passed", "Missed", "Failed"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (nereid_view_equal(nereid_view_of(text.data, text.length), nereid_view(kinds[i])))
      return (nereid_remark_kind_t)i;
  return NEREID_REMARK_ANALYSIS;
}

static const char *copy(nereid_arena_t *arena, MlirStringRef text) {
  const char *out = nereid_arena_copy(arena, nereid_view_of(text.data, text.length));
  return out ? out : "";
}

static void on_remark(const NereidMlirRemark *in, void *user_data) {
  nereid_compiler_t *compiler = user_data;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_diagnostic_t place = {.severity = NEREID_SEVERITY_REMARK};
  nereid_session_locate(&arena, in->location, &place);
  const nereid_remark_t remark = {.kind = parse_kind(in->kind),
                                  .pass = copy(&arena, in->category),
                                  .name = copy(&arena, in->name),
                                  .file = place.file,
                                  .line = place.line,
                                  .column = place.column,
                                  .text = copy(&arena, in->message)};
  if (compiler->remark_handler) {
    compiler->remark_handler(compiler->remark_data, &remark);
  } else {
    place.message = nereid_arena_format(&arena, "[%.*s] %s | %s | %s", (int)in->kind.length, in->kind.data, remark.name,
                                        remark.pass, remark.text);
    if (place.message)
      deliver(compiler, &place);
  }
  nereid_arena_deinitialize(&arena);
}

void nereid_session_enable_remarks(nereid_compiler_t *compiler, MlirContext context) {
  nereidMlirRemarksEnable(context, on_remark, compiler);
}

static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic, void *user_data) {
  enum { CALLERS = 8 };
  nereid_compiler_t *compiler = user_data;
  nereid_arena_t arena;
  if (!compiler->handler && !compiler->remark_handler) {
    compiler->warnings += mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticWarning;
    return mlirLogicalResultSuccess();
  }
  nereid_arena_initialize(&arena);
  nereid_diagnostic_t out = convert(&arena, diagnostic);
  size_t count = (size_t)mlirDiagnosticGetNumNotes(diagnostic);
  nereid_diagnostic_t *notes = nereid_arena_new(&arena, nereid_diagnostic_t, count + CALLERS);
  if (notes) {
    for (size_t i = 0; i < count; i++) {
      notes[i] = convert(&arena, mlirDiagnosticGetNote(diagnostic, (intptr_t)i));
      shorten(&arena, &notes[i]);
    }
    out.n_notes = count + add_callers(&arena, mlirDiagnosticGetLocation(diagnostic), notes + count, CALLERS);
    out.notes = notes;
  }
  deliver(compiler, &out);
  nereid_arena_deinitialize(&arena);
  return mlirLogicalResultSuccess();
}

void nereid_session_attach(nereid_compiler_t *compiler, MlirContext context) {
  mlirContextAttachDiagnosticHandler(context, on_diagnostic, compiler, NULL);
}

static void on_report(void *user_data, nereid_report_level_t level, const char *file, unsigned line, unsigned column,
                      const char *message) {
  nereid_compiler_t *compiler = user_data;
  nereid_diagnostic_t out = {
      .severity = (nereid_severity_t)level, .file = file, .line = line, .column = column, .message = message};
  deliver(compiler, &out);
}

nereid_report_t nereid_session_report(nereid_compiler_t *compiler) {
  return (nereid_report_t){on_report, compiler};
}
