/* Text that assemblers read and write: options as words, and the log.
 *
 *   ptxas kernel.ptx, line 12; error   : Unknown symbol 'foo'      →  kernel.ptx:12: error: Unknown symbol 'foo'
 *   ptxas kernel.ptx, line 12; fatal   : Parsing error near 'foo'  →  kernel.ptx:12: error: Parsing error near 'foo'
 *   ptxas info    : Used 32 registers, used 1 barriers             →  registers = 32
 *
 * Both assemblers have the same log format. */
#include "target/assembler/assemblers.h"

#include <stdio.h>
#include <stdlib.h>

size_t nereid_assembler_split(const char *text, nereid_arena_t *scratch, const char **words, size_t capacity) {
  static const char spaces[] = " \t\n";
  size_t count = 0;
  for (text += text ? strspn(text, spaces) : 0; text && *text; text += strspn(text, spaces)) {
    size_t size = strcspn(text, spaces);
    const char *word = nereid_arena_copy(scratch, nereid_view_of(text, size));
    if (!word || count == capacity)
      return capacity + 1;
    words[count++] = word;
    text += size;
  }
  return count;
}

/* The text after "KIND   : " when `line` holds it, else null. */
static const char *after(const char *line, const char *kind) {
  const char *at = strstr(line, kind);
  if (!at)
    return NULL;
  at += strlen(kind);
  at += strspn(at, " ");
  return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* The number before `what` in `line`, or 0. */
static unsigned number_before(const char *line, const char *what) {
  const char *at = strstr(line, what);
  while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
    at--;
  return at ? (unsigned)strtoul(at, NULL, 10) : 0;
}

/* A note that wgmma is slow: "(C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to …"
 * or "(C7517) warpgroup.wait is injected …". */
static const char *wgmma_note(const char *line) {
  static const char family[] = "(C75";
  const char *at = strstr(line, family), *number = at ? at + sizeof family - 1 : NULL;
  const bool is_note = at && strspn(number, "0123456789") == 2 && number[2] == ')';
  return is_note && (strstr(at, "wgmma") || strstr(at, "warpgroup")) ? at : NULL;
}

/* Reports the note at the kernel, or in the whole input when it is about another function. */
static void report_wgmma(const char *note, const nereid_assemble_options_t *options, const nereid_report_t *report) {
  const char *quoted = strstr(note, "function '"), *name = options->kernel.name;
  const size_t size = name ? strlen(name) : 0;
  quoted = quoted ? strchr(quoted, '\'') + 1 : NULL;
  if (name && quoted && strncmp(quoted, name, size) == 0 && quoted[size] == '\'')
    nereid_report_at(report, NEREID_REPORT_WARNING, options->kernel.file, options->kernel.line, options->kernel.column,
                     "assembler: %s", note);
  else
    nereid_report_at(report, NEREID_REPORT_WARNING, options->name ? options->name : "PTX", 0, 0, "assembler: %s", note);
}

/* The line of the generated PTX, from 1, without indentation; empty when there is none. */
static nereid_view_t quoted_line(nereid_view_t ptx, unsigned line) {
  if (!ptx.size || !line)
    return nereid_view("");
  const char *at = ptx.data, *end = ptx.data + ptx.size;
  for (; line > 1 && at < end; line--) {
    at = memchr(at, '\n', (size_t)(end - at));
    at = at ? at + 1 : end;
  }
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  return nereid_view_of(at, (size_t)((stop ? stop : end) - at));
}

static unsigned read_line(const char *line, const nereid_assemble_options_t *options, const nereid_report_t *report,
                          nereid_assembled_t *assembled) {
  const char *name = options->name ? options->name : "PTX", *note = wgmma_note(line);
  unsigned registers = number_before(line, " registers");
  const char *place = strstr(line, ", line "), *message = after(line, "error");
  unsigned at = place ? (unsigned)strtoul(place + 7, NULL, 10) : 0;
  assembled->spill_stores += number_before(line, " bytes spill stores");
  assembled->spill_loads += number_before(line, " bytes spill loads");
  if (registers > assembled->registers)
    assembled->registers = registers;
  const char *fatal = message ? NULL : after(line, "fatal");
  if (fatal && strcmp(fatal, "Ptx assembly aborted due to errors") == 0) /* which have been reported */
    return 0;
  if (fatal && strncmp(fatal, "(C", 2) == 0) { /* "(C7602) Insufficient registers (32) to compile instruction …" */
    nereid_report_at(report, NEREID_REPORT_ERROR, options->kernel.file ? options->kernel.file : name,
                     options->kernel.line, options->kernel.column, "assembler: %s", fatal);
    return 1;
  }
  if (message || fatal) {
    const bool is_error =
        message || at; /* syntax errors are fatal, too; others are about the assembler, or a summary */
    const nereid_view_t quoted = quoted_line(options->quoted, at);
    nereid_report_at(report, is_error ? NEREID_REPORT_ERROR : NEREID_REPORT_NOTE, name, at, 0, "assembler: %s%s%.*s",
                     message ? message : fatal, quoted.size ? ": " : "", (int)quoted.size, quoted.data);
    return is_error;
  }
  message = after(line, "warning");
  if (note)
    report_wgmma(note, options, report);
  else if (message)
    nereid_report_at(report, NEREID_REPORT_WARNING, name, at, 0, "assembler: %s", message);
  return 0;
}

unsigned nereid_assembler_read_log(nereid_view_t log, const nereid_assemble_options_t *options,
                                   const nereid_report_t *report, nereid_assembled_t *assembled) {
  unsigned errors = 0;
  if (!log.size)
    return 0;
  const char *end = log.data + log.size;
  for (const char *line = log.data; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t size = (size_t)((stop ? stop : end) - line);
    char text[2048];
    snprintf(text, sizeof text, "%.*s", (int)size, line);
    errors += read_line(text, options, report, assembled);
    line += size + 1;
  }
  return errors;
}
