/* Prints a module and finds the line of each operation.
 *
 *   %5 = arith.addi %3, %4 : i32 loc(#loc7)       ->   %5 = arith.addi %3, %4 : i32       operation 12, by its location
 *   scf.for %i = %c0 to %n step %c1  : i32 {           an operation with regions: its location is at the closing
 *   } loc(#loc9)                                       brace, its line is found by its name after the one before
 *   #loc7 = loc("<ttgir>":12:0)                   ->   (left out)
 */
#include "tools/nereid/report/module_text.h"

#include "nereid/context.h"
#include "seam/llvm.h"

#include <ctype.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Diagnostics.h>
#include <stdlib.h>

uint32_t report_numbered_line(const report_numbering_t *numbering, uint32_t number) {
  return number && number <= numbering->count ? numbering->line[number] : 0;
}

/* --- scanning --- */

static bool at_word(const char *at, const char *end, const char *word) {
  const size_t size = strlen(word);
  return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

static const char *skip_string(const char *at, const char *end) {
  for (++at; at < end && *at != '"'; ++at)
    at += *at == '\\';
  return at < end ? at + 1 : end;
}

/* Returns the end of the location at `at`, which begins with "loc(". */
static const char *location_end(const char *at, const char *end) {
  int depth = 0;
  for (at += 3; at < end;) {
    depth += (*at == '(') - (*at == ')');
    at = *at == '"' ? skip_string(at, end) : at + 1;
    if (!depth)
      break;
  }
  return at < end ? at : end;
}

/* Returns the start of the next location, or `end`. Locations are not searched in strings and comments. */
static const char *find_location(const char *at, const char *end) {
  for (const char *start = at; at < end;) {
    if (*at == '"') {
      at = skip_string(at, end);
    } else if (at_word(at, end, "//")) {
      const char *stop = memchr(at, '\n', (size_t)(end - at));
      at = stop ? stop : end;
    } else if (at_word(at, end, "loc(") && (at == start || at[-1] == ' ' || at[-1] == '\n')) {
      return at;
    } else {
      ++at;
    }
  }
  return end;
}

char *report_blank_locations(nereid_arena_t *arena, nereid_view_t text) {
  char *copy = nereid_arena_copy(arena, text);
  if (!copy)
    return NULL;
  char *const end = copy + text.size;
  for (char *at = copy; at < end;) {
    char *from = copy + (find_location(at, end) - copy);
    if (from == end)
      break;
    char *const to = copy + (location_end(from, end) - copy);
    char *line = from;
    while (line > copy && line[-1] != '\n')
      --line;
    if (*line == '#') /* the definition of an alias */
      from = line;
    for (char *c = from; c < to; ++c)
      *c = *c == '\n' ? '\n' : ' ';
    at = to;
  }
  return copy;
}

/* --- aliases of locations --- */

typedef struct aliases {
  nereid_arena_t *arena;
  const char *marker; /* start of a location, with quotes: "\"<ttgir>\":" */
  uint32_t *number;   /* number of the operation per alias, from 1; 0: none */
  size_t count;
} aliases_t;

/* "#loc" is 0, "#loc7" is 8. */
static size_t alias_index(const char *at) {
  return isdigit((unsigned char)at[4]) ? strtoul(at + 4, NULL, 10) + 1 : 0;
}

/* Returns the operation of the location whose text is between `at` and `end`. */
static uint32_t operation_of(const aliases_t *aliases, const char *at, const char *end) {
  for (; at < end; ++at) {
    if (at_word(at, end, aliases->marker))
      return (uint32_t)strtoul(at + strlen(aliases->marker), NULL, 10);
    if (at_word(at, end, "#loc") && alias_index(at) < aliases->count)
      return aliases->number[alias_index(at)];
  }
  return 0;
}

static bool is_alias(const report_line_t *line) {
  return at_word(line->text.data, line->text.data + line->text.size, "#loc");
}

/* Reads the definitions. A definition may refer to a later one, so that chains need several rounds. */
static bool read_aliases(aliases_t *aliases, const report_stage_t *stage) {
  enum { ROUNDS = 4 };
  aliases->count = (size_t)stage->n_lines + 2;
  aliases->number = nereid_arena_new(aliases->arena, uint32_t, aliases->count);
  for (int round = 0; aliases->number && round < ROUNDS; ++round)
    for (uint32_t i = 1; i <= stage->n_lines; ++i) {
      const char *text = stage->lines[i].text.data, *end = text + stage->lines[i].text.size;
      if (is_alias(&stage->lines[i]) && alias_index(text) < aliases->count && end - text > 5)
        aliases->number[alias_index(text)] = operation_of(aliases, text + 5, end);
    }
  return aliases->number != NULL;
}

/* --- lines --- */

/* Removes the locations of a line; returns the operation of the one at its end. */
static uint32_t strip(const aliases_t *aliases, report_line_t *line) {
  const char *at = line->text.data, *end = at + line->text.size;
  char *out = nereid_arena_copy(aliases->arena, line->text), *to = out;
  uint32_t number = 0;
  while (out && at < end) {
    const char *from = find_location(at, end), *next = from < end ? location_end(from, end) : end;
    memcpy(to, at, (size_t)(from - at));
    to += from - at;
    number = from < end && next == end ? operation_of(aliases, from, next) : 0;
    if (from < end && to > out && to[-1] == ' ')
      --to;
    at = next;
  }
  line->text = nereid_view_of(out ? out : "", (size_t)(to - out));
  return number;
}

static bool is_closing(nereid_view_t text) {
  size_t i = 0;
  while (i < text.size && text.data[i] == ' ')
    ++i;
  return i < text.size && text.data[i] == '}';
}

/* Returns whether an operation of this name begins on the line: "%5 = name", "name" or "\"name\"(". */
static bool begins(nereid_view_t text, const char *name) {
  const char *at = text.data, *end = at + text.size;
  const size_t size = strlen(name);
  while (at < end && *at == ' ')
    ++at;
  if (at < end && *at == '%') {
    while (at + 2 < end && !at_word(at, end, " = "))
      ++at;
    at += at + 3 < end ? 3 : 0;
  }
  at += at < end && *at == '"';
  return at_word(at, end, name) && (at + size == end || !(isalnum((unsigned char)at[size]) || strchr("._", at[size])));
}

/* Finds the lines of operations with regions, and of those that are not printed, in preorder. */
static void find_openings(report_numbering_t *numbering, const report_stage_t *stage, const uint32_t *closing) {
  uint32_t last = 0;
  for (uint32_t i = 1; i <= numbering->count; ++i) {
    if (!numbering->line[i] && closing[i]) {
      const char *name = strcmp(numbering->names[i], "builtin.module") == 0 ? "module" : numbering->names[i];
      for (uint32_t line = last + 1; line < closing[i] && !numbering->line[i]; ++line)
        numbering->line[i] = begins(stage->lines[line].text, name) ? line : 0;
    }
    if (!numbering->line[i])
      numbering->line[i] = numbering->line[numbering->enclosing[i]];
    else
      last = numbering->line[i] > last ? numbering->line[i] : last;
  }
}

/* Removes alias definitions and locations; notes the lines of operations and of closing braces. */
static void strip_lines(const aliases_t *aliases, report_stage_t *stage, report_numbering_t *numbering,
                        uint32_t *closing) {
  uint32_t kept = 0;
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    report_line_t line = stage->lines[i];
    if (is_alias(&line))
      continue;
    const uint32_t number = strip(aliases, &line);
    stage->lines[++kept] = line;
    if (number && number <= numbering->count)
      *(is_closing(line.text) ? &closing[number] : &numbering->line[number]) = kept;
  }
  while (kept && !stage->lines[kept].text.size)
    --kept;
  stage->n_lines = kept;
}

bool report_print_module(report_t *report, report_stage_kind_t kind, MlirOperation module,
                         report_numbering_t *numbering) {
  nereid_text_builder_t text = {.arena = report->arena};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(module, flags, nereid_text_builder_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  report_stage_t *stage = &report->stages[kind];
  uint32_t *closing = nereid_arena_new(report->arena, uint32_t, numbering->count + (size_t)1);
  aliases_t aliases = {.arena = report->arena,
                       .marker = nereid_arena_format(report->arena, "\"%s\":", numbering->marker)};
  if (!closing || !aliases.marker || !text.data ||
      !report_stage_split(report, kind, nereid_view_of(text.data, text.size), report_stage_name(kind)) ||
      !read_aliases(&aliases, stage))
    return false;
  strip_lines(&aliases, stage, numbering, closing);
  find_openings(numbering, stage, closing);
  for (uint32_t i = 1; i <= numbering->count; ++i)
    if (closing[i])
      stage->lines[closing[i]].part_of = numbering->line[i];
  return !report->arena->failed;
}

/* --- the input --- */

typedef struct places {
  NEREID_VECTOR(MlirOperation) ops;
  nereid_arena_t *arena;
} places_t;

static MlirWalkResult collect(MlirOperation op, void *data) {
  places_t *it = data;
  (void)nereid_vector_push(it->arena, &it->ops, op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult ignore(MlirDiagnostic diagnostic, void *user_data) {
  (void)diagnostic;
  (void)user_data;
  return mlirLogicalResultSuccess();
}

static MlirStringRef symbol_of(MlirOperation op) {
  MlirAttribute symbol = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
  return mlirAttributeIsNull(symbol) || !mlirAttributeIsAString(symbol) ? (MlirStringRef){"", 0}
                                                                        : mlirStringAttrGetValue(symbol);
}

static bool same_op(MlirOperation a, const char *name, MlirOperation b) {
  MlirStringRef here = mlirIdentifierStr(mlirOperationGetName(a));
  return strlen(name) == here.length && memcmp(here.data, name, here.length) == 0 &&
         mlirStringRefEqual(symbol_of(a), symbol_of(b));
}

static uint32_t line_of(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  return mlirLocationIsAFileLineColRange(location) ? (uint32_t)mlirLocationFileLineColRangeGetStartLine(location) : 0;
}

/* Pairs the operations of the compiled module with those of the text, in order; kernels that are not compiled are left
 * out of the former. Returns the number of pairs. */
static uint32_t pair(const places_t *text, report_numbering_t *numbering, uint32_t n_lines) {
  uint32_t paired = 0;
  size_t at = 0;
  for (uint32_t i = 1; i <= numbering->count; ++i) {
    size_t found = at;
    while (found < text->ops.size && !same_op(text->ops.data[found], numbering->names[i], numbering->ops[i]))
      ++found;
    const bool may_skip = symbol_of(numbering->ops[i]).length > 0;
    if (found == text->ops.size || (found != at && !may_skip))
      continue;
    const uint32_t line = line_of(text->ops.data[found]);
    numbering->line[i] = line <= n_lines ? line : 0;
    paired += numbering->line[i] != 0;
    at = found + 1;
  }
  return paired;
}

bool report_read_input(report_t *report, nereid_view_t text, report_numbering_t *numbering) {
  places_t it = {.arena = report->arena};
  char *blank = memchr(text.data, 0, text.size) ? NULL : report_blank_locations(report->arena, text);
  if (!blank)
    return false;
  MlirContext context = nereid_context_create();
  (void)mlirContextAttachDiagnosticHandler(context, ignore, NULL, NULL);
  MlirModule module = nereidMlirModuleCreateParse(context, mlirStringRefCreate(blank, text.size),
                                                  mlirStringRefCreateFromCString(numbering->marker));
  bool done = false;
  if (!mlirModuleIsNull(module)) {
    mlirOperationWalk(mlirModuleGetOperation(module), collect, &it, MlirWalkPreOrder);
    done = report_stage_split(report, REPORT_INPUT, text, "mlir") &&
           pair(&it, numbering, report->stages[REPORT_INPUT].n_lines) > numbering->count / 2;
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return done;
}
