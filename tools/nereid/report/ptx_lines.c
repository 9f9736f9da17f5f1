/* Reads PTX line by line: statements in the bodies of functions, and the .loc directives that precede them.
 *
 *   .loc 1 430 1                            the location of the statements after it
 *   add.s32 %r1, %r2, %r3;                  an instruction
 *   call.uni (r), f,                        an instruction of three lines: the others are its parts
 *   (
 *   a);
 */
#include "tools/nereid/report/ptx_lines.h"

#include <ctype.h>
#include <stdlib.h>

/* A .loc directive; `number` 0: none was read in this function. */
typedef struct location {
  uint32_t file, line, column;
  const char *rest, *end; /* rest of its line, after the column */
  bool is_past;           /* a directive after it has line 0, for code without a location */
} location_t;

/* The state of reading one text. */
typedef struct reader {
  nereid_view_t left;
  uint32_t line;        /* number of the current line */
  nereid_view_t code;   /* text of the line without comment and spaces at the ends */
  nereid_view_t opcode; /* opcode of the first instruction on the line; empty: none */
  bool continues;       /* continuation of the statement of an earlier line */
  bool open, is_instruction, body, declares;
  int depth;
  nereid_view_t function; /* name of the current function */
  location_t location;
} reader_t;

static nereid_view_t trim(nereid_view_t text) {
  while (text.size && isspace((unsigned char)*text.data))
    text = nereid_view_of(text.data + 1, text.size - 1);
  while (text.size && isspace((unsigned char)text.data[text.size - 1]))
    --text.size;
  return text;
}

static nereid_view_t without_comment(nereid_view_t text) {
  bool quoted = false;
  for (size_t i = 0; i + 1 < text.size; ++i) {
    quoted ^= text.data[i] == '"';
    if (!quoted && text.data[i] == '/' && text.data[i + 1] == '/')
      return nereid_view_of(text.data, i);
  }
  return text;
}

static bool starts_with(nereid_view_t text, const char *prefix) {
  return nereid_view_starts_with(text, nereid_view(prefix));
}

static bool is_name_part(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* Returns the length of the word at the start. */
static size_t word(nereid_view_t text) {
  size_t size = 0;
  while (size < text.size && is_name_part(text.data[size]))
    ++size;
  return size;
}

/* Reads "1 430 1" after ".loc". */
static location_t read_location(nereid_view_t code, const char *line_end) {
  location_t location = {.end = line_end};
  char *at = (char *)(uintptr_t)code.data + strlen(".loc");
  location.file = (uint32_t)strtoul(at, &at, 10);
  location.line = (uint32_t)strtoul(at, &at, 10);
  location.column = (uint32_t)strtoul(at, &at, 10);
  location.rest = at;
  return location;
}

/* Notes the name in ".visible .entry name(" or ".func (.reg ...) name(": the word before a parenthesis. */
static void read_head(reader_t *it) {
  for (size_t i = 0; i < it->code.size; ++i) {
    const nereid_view_t rest = nereid_view_of(it->code.data + i, it->code.size - i);
    const size_t size = word(rest);
    if (size && *rest.data != '.' && (i + size == it->code.size || rest.data[size] == '('))
      it->function = nereid_view_of(rest.data, size);
    i += size ? size - 1 : 0;
  }
  it->declares = true;
}

/* Removes labels, braces and guards at the start of a statement. */
static nereid_view_t skip_prefixes(nereid_view_t text) {
  for (;;) {
    text = trim(text);
    const size_t size = word(text);
    if (text.size && (*text.data == '{' || *text.data == '}'))
      text = nereid_view_of(text.data + 1, text.size - 1);
    else if (size && size < text.size && text.data[size] == ':' &&
             (size + 1 == text.size || text.data[size + 1] != ':'))
      text = nereid_view_of(text.data + size + 1, text.size - size - 1);
    else
      break;
  }
  if (text.size && *text.data == '@')
    while (text.size && !isspace((unsigned char)*text.data))
      text = nereid_view_of(text.data + 1, text.size - 1);
  return trim(text);
}

/* Reads the statements of a line of a body. */
static void read_statements(reader_t *it) {
  nereid_view_t left = it->code;
  it->continues = it->open && it->is_instruction;
  while (left.size) {
    const char *stop = memchr(left.data, ';', left.size);
    const nereid_view_t statement = nereid_view_of(left.data, stop ? (size_t)(stop - left.data) : left.size);
    const nereid_view_t rest = it->open ? statement : skip_prefixes(statement);
    if (!it->open) {
      it->is_instruction = rest.size && islower((unsigned char)*rest.data);
      if (it->is_instruction && !it->opcode.size)
        it->opcode = nereid_view_of(rest.data, word(rest));
    }
    it->open = !stop && (it->open || rest.size > 0);
    left = stop ? nereid_view_of(stop + 1, left.size - (size_t)(stop + 1 - left.data)) : nereid_view_of(NULL, 0);
  }
}

static void track_braces(reader_t *it) {
  for (size_t i = 0; i < it->code.size; ++i)
    it->depth += (it->code.data[i] == '{') - (it->code.data[i] == '}');
}

/* Reads the next line; false at the end. */
static bool next(reader_t *it) {
  if (!it->left.size)
    return false;
  const char *stop = memchr(it->left.data, '\n', it->left.size), *end = it->left.data + it->left.size;
  stop = stop ? stop : end;
  const nereid_view_t whole = nereid_view_of(it->left.data, (size_t)(stop - it->left.data));
  it->left = stop < end ? nereid_view_of(stop + 1, (size_t)(end - stop - 1)) : nereid_view_of(NULL, 0);
  it->code = trim(without_comment(whole));
  it->opcode = nereid_view_of(NULL, 0);
  it->continues = false;
  ++it->line;
  if (starts_with(it->code, ".loc")) {
    const location_t location = read_location(it->code, stop);
    if (location.line)
      it->location = location;
    it->location.is_past = !location.line;
  } else if (it->depth == 0) {
    const bool is_head = starts_with(it->code, ".visible") || starts_with(it->code, ".entry") ||
                         starts_with(it->code, ".func") || starts_with(it->code, ".weak") ||
                         starts_with(it->code, ".extern");
    if (is_head)
      read_head(it);
    it->location = (location_t){.line = 0};
    it->open = false;
    track_braces(it);
  } else {
    if (!starts_with(it->code, ".") || it->open)
      read_statements(it);
    track_braces(it);
  }
  return true;
}

bool report_find_instructions(report_t *report) {
  report_stage_t *stage = &report->stages[REPORT_PTX];
  uint32_t first = 0;
  const char *start = stage->n_lines ? stage->lines[1].text.data : "";
  const report_line_t *last = &stage->lines[stage->n_lines];
  reader_t it = {.left =
                     nereid_view_of(start, stage->n_lines ? (size_t)(last->text.data + last->text.size - start) : 0)};
  while (next(&it)) {
    report_line_t *line = &stage->lines[it.line];
    if (it.continues)
      line->part_of = first;
    if (!it.opcode.size)
      continue;
    first = it.line;
    line->op = nereid_arena_copy(report->arena, it.opcode);
  }
  return !report->arena->failed;
}

/* --- links to LLVM IR --- */

/* Returns the line of the function's definition in LLVM IR; 0: none. */
static uint32_t find_function(const report_t *report, nereid_view_t name) {
  const report_stage_t *stage = &report->stages[REPORT_LL];
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    const report_line_t *line = &stage->lines[i];
    if (!line->op || strcmp(line->op, "define") != 0)
      continue;
    const char *at = memchr(line->text.data, '@', line->text.size), *end = line->text.data + line->text.size;
    at += at && at + 1 < end && at[1] == '"' ? 2 : 1;
    if (at && (size_t)(end - at) > name.size && memcmp(at, name.data, name.size) == 0 && strchr("(\"", at[name.size]))
      return i;
  }
  return 0;
}

/* Links a line to the instruction of the current .loc, else to the function. */
static bool link_line(report_t *report, const report_numbering_t *ll, const reader_t *it, report_line_t *line) {
  uint32_t parent = it->location.column ? report_numbered_line(ll, it->location.line) : 0;
  const report_link_t link = !parent                ? REPORT_LINK_FUNCTION
                             : it->location.is_past ? REPORT_LINK_NEAR
                                                    : REPORT_LINK_LOCATION;
  parent = parent ? parent : find_function(report, it->function);
  line->why = parent ? NULL : "of a function without debug information";
  return report_set_parents(report, line, &parent, parent != 0, link);
}

/* Moves to the next line with an instruction or a part of one. */
static bool next_code(reader_t *it) {
  while (next(it))
    if (it->opcode.size || it->continues)
      return true;
  return false;
}

bool report_link_ptx(report_t *report, const report_numbering_t *ll, nereid_view_t located) {
  report_stage_t *stage = &report->stages[REPORT_PTX];
  reader_t it = {.left = located};
  const char *differs = NULL;
  uint32_t operands = 0;
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    report_line_t *line = &stage->lines[i];
    if (!line->op && !line->part_of)
      continue;
    if (!differs && (!next_code(&it) || !nereid_view_equal(it.opcode, nereid_view(line->op)))) {
      differs = "the code with locations differs from here on";
      report_message_at(
          report_add_message(report, "warning", REPORT_PTX, "%s: the lines of PTX below are not linked", differs), i);
    }
    operands += !differs && !nereid_view_equal(trim(without_comment(line->text)), it.code);
    if (!line->op)
      continue;
    line->why = differs;
    if (!differs && !link_line(report, ll, &it, line))
      return false;
  }
  if (operands) /* an assertion has its source line as a constant */
    report_add_message(
        report, "note", REPORT_PTX,
        "%u lines have other operands in the compilation with locations, such as the line of an assertion", operands);
  return true;
}

/* --- links to source lines --- */

typedef struct files {
  NEREID_VECTOR(nereid_view_t) names; /* names by index of the .file directive */
} files_t;

/* Reads `.file 1 "k.py"`; with a folder and a name, as old PTX has, the name is the last string. */
static void read_file(report_t *report, nereid_view_t code, files_t *files) {
  const size_t index = strtoul(code.data + strlen(".file"), NULL, 10);
  const char *open = memchr(code.data, '"', code.size), *end = code.data + code.size;
  const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
  while (close && index < 1000 && files->names.size <= index)
    if (!nereid_vector_push(report->arena, &files->names, nereid_view_of(NULL, 0)))
      return;
  if (close && index < files->names.size)
    files->names.data[index] = nereid_view_of(open + 1, (size_t)(close - open - 1));
}

static files_t read_files(report_t *report) {
  files_t files = {{NULL, 0, 0}};
  const report_stage_t *stage = &report->stages[REPORT_PTX];
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    const nereid_view_t code = trim(stage->lines[i].text);
    if (starts_with(code, ".file"))
      read_file(report, code, &files);
  }
  return files;
}

/* Adds the callers in "// lib.py:7:3 @[ k.py:20:5 ]" or ", inlined_at 1 20 5"; returns the number of places. */
static size_t add_callers(report_t *report, const files_t *files, const location_t *location, uint32_t *places,
                          size_t count, size_t limit) {
  for (const char *at = location->rest; at && at + 3 < location->end && count < limit; ++at) {
    if (memcmp(at, "@[ ", 3) == 0) {
      const char *stop = at + 3, *colon = NULL;
      while (stop < location->end && *stop != ' ' && *stop != ']')
        ++stop;
      for (const char *c = at + 3; c < stop; ++c)
        colon = *c == ':' && !colon ? c : colon;
      if (colon)
        places[count++] = report_place(report, nereid_view_of(at + 3, (size_t)(colon - at - 3)),
                                       (uint32_t)strtoul(colon + 1, NULL, 10));
    } else if (location->end - at > 11 && memcmp(at, "inlined_at ", 11) == 0) {
      char *end;
      const size_t file = strtoul(at + 11, &end, 10);
      if (file < files->names.size)
        places[count++] = report_place(report, files->names.data[file], (uint32_t)strtoul(end, NULL, 10));
      break; /* a comment after it repeats the chain */
    }
  }
  return count;
}

/* Returns the first location of the function that `it` reads; line 0: none. */
static location_t first_location(const reader_t *it) {
  reader_t ahead = *it;
  while (!ahead.location.line && ahead.depth && next(&ahead))
    ;
  return ahead.location;
}

/* Links a line to the current .loc; before the first one of a function, to that one. */
static bool link_to_source(report_t *report, const files_t *files, const reader_t *it, report_line_t *line) {
  enum { LIMIT = 8 };
  uint32_t places[LIMIT];
  size_t count = 0;
  const location_t location = it->location.line ? it->location : first_location(it);
  if (location.line && location.file < files->names.size) {
    places[count++] = report_place(report, files->names.data[location.file], location.line);
    count = add_callers(report, files, &location, places, count, LIMIT);
  }
  line->why = count ? NULL : "the function has no .loc directives";
  return report_set_parents(report, line, places, count,
                            !it->location.line     ? REPORT_LINK_FUNCTION
                            : it->location.is_past ? REPORT_LINK_NEAR
                                                   : REPORT_LINK_LOCATION);
}

bool report_link_ptx_to_source(report_t *report) {
  report_stage_t *stage = &report->stages[REPORT_PTX];
  const files_t files = read_files(report);
  const report_line_t *last = &stage->lines[stage->n_lines];
  reader_t it = {.left = nereid_view_of(stage->lines[1].text.data,
                                        (size_t)(last->text.data + last->text.size - stage->lines[1].text.data))};
  while (next(&it))
    if (stage->lines[it.line].op && !link_to_source(report, &files, &it, &stage->lines[it.line]))
      return false;
  return !report->arena->failed;
}
