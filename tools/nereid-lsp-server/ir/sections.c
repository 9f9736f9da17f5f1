#include "tools/nereid-lsp-server/ir/sections.h"

#include "seam/ir.h"
#include "tools/nereid-lsp-server/ir/facts.h"

#include <stdlib.h>

enum { LARGE = 64 << 10 }; /* bytes of a section with a parse of some milliseconds */

static void destroy_program(lsp_program_t *program) {
  if (program)
    lsp_facts_destroy(program->facts);
  lsp_program_destroy(program);
}

static bool is_separator(nereid_view_t text, size_t at) {
  return nereid_view_starts_with(nereid_view_of(text.data + at, text.size - at), nereid_view("// -----"));
}

/* Counts the sections, and sets the bounds of the first `capacity`. */
static size_t split(const lsp_document_t *document, size_t capacity, lsp_section_t *out) {
  size_t count = 0, start = 0;
  const lsp_lines_t *lines = &document->lines;
  for (size_t i = 0; i <= lines->count; ++i) {
    const size_t at = i < lines->count ? lines->starts[i] : document->text.size;
    if (i < lines->count && !is_separator(document->text, at))
      continue;
    if (count < capacity) {
      out[count].start = start;
      out[count].end = at;
    }
    count++;
    start = i < lines->count ? lsp_lines_end(lines, i) : at;
  }
  return count;
}

static nereid_view_t text_of(const lsp_document_t *document, const lsp_section_t *section) {
  return nereid_view_of(document->text.data + section->start, section->end - section->start);
}

static void measure_change(lsp_section_t *section, nereid_view_t now) {
  const nereid_view_t old = section->program->text;
  const size_t limit = now.size < old.size ? now.size : old.size;
  size_t start = 0, end = 0;
  while (start < limit && now.data[start] == old.data[start])
    start++;
  while (end < limit - start && now.data[now.size - 1 - end] == old.data[old.size - 1 - end])
    end++;
  section->same_start = start;
  section->same_end = end;
}

static void parse(lsp_section_t *section, nereid_view_t text, bool allows_all, lsp_context_t **context) {
  nereid_arena_deinitialize(&section->arena);
  lsp_diagnostics_t diagnostics = {.arena = &section->arena, .text = text};
  if (!*context)
    *context = lsp_context_create(allows_all);
  lsp_program_t *program = *context ? lsp_program_create(*context, text, &diagnostics) : NULL;
  section->messages = diagnostics.first;
  section->is_current = program != NULL;
  section->is_parsed = true;
  if (program) {
    destroy_program(section->program);
    section->program = program;
    section->same_start = text.size;
    section->same_end = 0;
  } else if (section->program) {
    measure_change(section, text);
  }
}

/* Sections keep their programs by their number from the start, or, after the first that differs, from the end. */
static void take_programs(lsp_document_t *document, lsp_sections_t *now, lsp_sections_t *old) {
  const size_t n = now->count < old->count ? now->count : old->count;
  size_t first = 0;
  for (; first < n; ++first) {
    const lsp_section_t *was = &old->data[first];
    if (now->count != old->count &&
        (!was->program || !nereid_view_equal(was->program->text, text_of(document, &now->data[first]))))
      break;
  }
  for (size_t i = 0; i < n; ++i) {
    lsp_section_t *to = &now->data[i < first ? i : now->count - n + i];
    lsp_section_t *from = &old->data[i < first ? i : old->count - n + i];
    const lsp_section_t bounds = *to;
    *to = *from;
    to->start = bounds.start;
    to->end = bounds.end;
    *from = (lsp_section_t){0};
  }
}

static uint64_t hash_of(nereid_view_t text, bool allows_all) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325) + allows_all;
  for (size_t i = 0; i < text.size; ++i)
    hash = (hash ^ (uint8_t)text.data[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Divides the text after a change; sections that differ are to be parsed. */
static void divide(lsp_document_t *document) {
  static const char option[] = "-allow-unregistered-dialect"; /* option of nereid-opt, in a RUN line */
  lsp_sections_t *old = document->sections, *now = calloc(1, sizeof *now);
  const bool analyse = !document->fault && document->text.size <= LSP_MAX_TEXT && lsp_document_is_mlir(document);
  document->sections = now;
  document->is_changed = false;
  if (now && analyse) {
    now->allows_all = memmem(document->text.data, document->text.size, option, sizeof option - 1) != NULL;
    now->count = split(document, 0, NULL);
    now->data = calloc(now->count, sizeof *now->data);
    now->count = now->data ? split(document, now->count, now->data) : 0;
  }
  if (now && old)
    take_programs(document, now, old);
  lsp_sections_destroy(old);
  for (size_t i = 0; now && i < now->count; ++i) {
    lsp_section_t *it = &now->data[i];
    const nereid_view_t text = text_of(document, it);
    const uint64_t hash = hash_of(text, now->allows_all);
    if (it->hash == hash)
      continue;
    it->hash = hash;
    it->is_parsed = it->is_current = false;
    if (it->program)
      measure_change(it, text);
  }
}

/* Parses the sections, but not the large ones that have an older program unless `all`. */
static const lsp_sections_t *update(lsp_document_t *document, bool all) {
  static const lsp_sections_t none = {NULL, 0, false};
  if (document->is_changed || !document->sections)
    divide(document);
  lsp_sections_t *now = document->sections;
  lsp_context_t *context = NULL;
  for (size_t i = 0; now && i < now->count; ++i) {
    lsp_section_t *it = &now->data[i];
    if (!it->is_parsed && (all || !it->program || it->end - it->start < LARGE))
      parse(it, text_of(document, it), now->allows_all, &context);
  }
  lsp_context_release(context);
  return now ? now : &none;
}

const lsp_sections_t *lsp_sections_update(lsp_document_t *document) {
  return update(document, true);
}

const lsp_sections_t *lsp_sections_recent(lsp_document_t *document) {
  return update(document, false);
}

void lsp_sections_destroy(lsp_sections_t *sections) {
  for (size_t i = 0; sections && i < sections->count; ++i) {
    nereid_arena_deinitialize(&sections->data[i].arena);
    destroy_program(sections->data[i].program);
  }
  if (sections)
    free(sections->data);
  free(sections);
}

lsp_part_t lsp_document_part(const lsp_document_t *document, size_t offset) {
  const lsp_lines_t *lines = &document->lines;
  lsp_part_t part = {0, document->text.size};
  for (size_t i = 0; i < lines->count; ++i) {
    if (!is_separator(document->text, lines->starts[i]))
      continue;
    if (lines->starts[i] > offset) {
      part.end = lines->starts[i];
      break;
    }
    part.start = lsp_lines_end(lines, i);
  }
  return part;
}

lsp_place_t lsp_sections_place(lsp_document_t *document, size_t offset) {
  const lsp_sections_t *sections = lsp_sections_recent(document);
  for (size_t i = 0; i < sections->count; ++i) {
    const lsp_section_t *it = &sections->data[i];
    if (offset < it->start || offset > it->end || !it->program)
      continue;
    const size_t at = offset - it->start, size = it->end - it->start;
    const lsp_place_t place = {it, it->program, at <= it->same_start ? at : at + it->program->text.size - size};
    if (at <= it->same_start || size - at <= it->same_end)
      return place;
  }
  return (lsp_place_t){NULL, NULL, 0};
}

/* --- one function --- */

static lsp_section_t *find_section(lsp_document_t *document, size_t offset) {
  const lsp_sections_t *sections = lsp_sections_recent(document);
  for (size_t i = 0; i < sections->count; ++i)
    if (sections->data[i].start <= offset && offset <= sections->data[i].end)
      return &sections->data[i];
  return NULL;
}

bool lsp_sections_has_errors(lsp_document_t *document, size_t offset) {
  const lsp_section_t *section = find_section(document, offset);
  return section && section->is_parsed && !section->is_current;
}

/* Finds the innermost operation with a symbol around everything that has changed, as bytes of the present text. */
static bool find_changed_function(const lsp_section_t *section, lsp_part_t *out) {
  const lsp_program_t *program = section->program;
  const size_t size = section->end - section->start, old = program->text.size, last = old - section->same_end;
  const lsp_definition_t *it = lsp_program_operation(program, section->same_start);
  for (MlirOperation op = it ? it->op : (MlirOperation){NULL}; !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    it = lsp_program_find(program, op);
    if (!it || !it->name.size || it->scope_start > section->same_start || it->scope_end < last)
      continue;
    *out = (lsp_part_t){it->scope_start, it->scope_end + size - old};
    return true;
  }
  return false;
}

/* Copies lines that define aliases: those of the printer have one line each. */
static void copy_aliases(lsp_document_t *document, const lsp_section_t *section, char *out) {
  const lsp_tokens_t *tokens = lsp_document_tokens(document);
  for (size_t i = lsp_tokens_from(tokens, section->start); i < tokens->count && tokens->data[i].start < section->end;
       ++i) {
    const lsp_token_t *it = &tokens->data[i];
    if (!it->is_definition || (it->kind != LSP_TOKEN_ATTR_ALIAS && it->kind != LSP_TOKEN_TYPE_ALIAS))
      continue;
    const size_t end = lsp_lines_end(&document->lines, lsp_lines_line(&document->lines, it->start));
    memcpy(out + it->start - section->start, document->text.data + it->start, end - it->start);
  }
}

/* Returns the text of the section with spaces for what is neither an alias nor in the function. Each line stays one:
 * the definition of an alias ends with its line. */
static char *isolate(lsp_document_t *document, const lsp_section_t *section, lsp_part_t function) {
  const size_t size = section->end - section->start;
  const char *from = document->text.data + section->start;
  char *text = malloc(size + 1);
  if (!text)
    return NULL;
  for (size_t i = 0; i < size; ++i)
    text[i] = from[i] == '\n' ? '\n' : ' ';
  copy_aliases(document, section, text);
  memcpy(text + function.start, document->text.data + section->start + function.start, function.end - function.start);
  return text;
}

static lsp_section_t *parse_alone(lsp_document_t *document, const lsp_section_t *section, lsp_part_t function) {
  lsp_section_t *alone = calloc(1, sizeof *alone);
  char *text = alone ? isolate(document, section, function) : NULL;
  lsp_context_t *context = NULL;
  if (text) {
    alone->start = section->start;
    alone->end = section->end;
    parse(alone, nereid_view_of(text, section->end - section->start), document->sections->allows_all, &context);
  }
  lsp_context_release(context);
  free(text);
  if (alone && alone->is_current)
    return alone;
  lsp_section_destroy(alone);
  return NULL;
}

lsp_section_t *lsp_sections_parse_function(lsp_document_t *document, size_t offset) {
  const lsp_section_t *section = find_section(document, offset);
  lsp_part_t function;
  if (!section || !section->program || section->is_parsed || !find_changed_function(section, &function) ||
      offset < section->start + function.start || offset > section->start + function.end)
    return NULL;
  return parse_alone(document, section, function);
}

/* Returns whether the program has one table of symbols. */
static bool has_one_scope(const lsp_program_t *program) {
  for (size_t i = 0; i < program->n_operations; ++i) {
    const MlirOperation op = program->operations[i]->op;
    if (nereidMlirOperationHasTrait(op, NereidMlirTraitSymbolTable) && !mlirOperationEqual(op, program->module))
      return false;
  }
  return true;
}

static bool defines(const lsp_program_t *program, nereid_view_t symbol) {
  for (size_t i = 0; i < program->n_operations; ++i)
    if (nereid_view_equal(program->operations[i]->name, symbol))
      return true;
  return false;
}

bool lsp_sections_has_one_scope(lsp_document_t *document, size_t offset, nereid_view_t symbol) {
  const lsp_section_t *section = find_section(document, offset);
  lsp_part_t function;
  if (!section || !section->program || section->is_parsed || !has_one_scope(section->program) ||
      !defines(section->program, symbol) || !find_changed_function(section, &function))
    return false;
  lsp_section_t *alone = parse_alone(document, section, function);
  const bool has = alone && has_one_scope(alone->program);
  lsp_section_destroy(alone);
  return has;
}

void lsp_section_destroy(lsp_section_t *section) {
  if (!section)
    return;
  nereid_arena_deinitialize(&section->arena);
  destroy_program(section->program);
  free(section);
}

bool lsp_section_range(const lsp_section_t *section, size_t start, size_t end, size_t *out_start, size_t *out_end) {
  const size_t size = section->end - section->start, old = section->program->text.size;
  size_t shift = 0;
  if (end > section->same_start) {
    if (start < old - section->same_end)
      return false;
    shift = size - old;
  }
  *out_start = section->start + start + shift;
  *out_end = section->start + end + shift;
  return true;
}

bool lsp_section_scope(const lsp_section_t *section, size_t start, size_t end, size_t *out_start, size_t *out_end) {
  const size_t size = section->end - section->start, old = section->program->text.size;
  if (start >= section->same_start || end <= old - section->same_end)
    return lsp_section_range(section, start, end, out_start, out_end);
  *out_start = section->start + start;
  *out_end = section->start + end + (size - old);
  return true;
}
