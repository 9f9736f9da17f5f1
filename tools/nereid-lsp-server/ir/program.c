/* Parses text into operations, and indexes the definitions and uses that the parser reports.
 *
 *   %x = tt.load %p        definition of %x (bytes 0 to 2, uses: ...), definition of tt.load (bytes 5 to 12), use of %p
 *
 * After parsing, every operation and block argument gets the location of its text, so that the verifier and analyses
 * report lines of the document. The location that the text gives is kept in the definition. */
#include "tools/nereid-lsp-server/ir/program.h"

#include "base/vector.h"
#include "nereid/context.h"
#include "python-free-bindings/compile/scan.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdlib.h>

static const char buffer_name[] = "document";

lsp_context_t *lsp_context_create(bool allows_all) {
  lsp_context_t *it = calloc(1, sizeof *it);
  if (!it)
    return NULL;
  *it = (lsp_context_t){nereid_context_create(), 1};
  mlirContextSetAllowUnregisteredDialects(it->context, allows_all);
  nereidMlirContextPrintOpOnDiagnostic(it->context, false); /* the document shows it better */
  return it;
}

void lsp_context_release(lsp_context_t *context) {
  if (!context || --context->users > 0)
    return;
  mlirContextDestroy(context->context);
  free(context);
}

/* --- reading --- */

typedef struct reader {
  lsp_program_t *program;
  NEREID_VECTOR(lsp_definition_t) definitions;
  bool failed;
} reader_t;

/* The parser reports the position of a name by its first character, and a result number with the value: cut both to the
 * name in the text. */
static size_t end_of(const lsp_program_t *program, NereidMlirSourceRange range) {
  const char *text = program->text.data;
  for (intptr_t at = range.start + 1; at < range.end; ++at)
    if (text[range.start] == '%' && (text[at] == '#' || text[at] == ':'))
      return (size_t)at;
  return (size_t)range.end;
}

static nereid_view_t symbol_name(MlirOperation op) {
  const MlirAttribute name = mlirOperationGetAttributeByName(op, mlirSymbolTableGetSymbolAttributeName());
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return nereid_view_of(NULL, 0);
  const MlirStringRef text = mlirStringAttrGetValue(name);
  return nereid_view_of(text.data, text.length);
}

static void read_source(const NereidMlirSource *source, void *data) {
  reader_t *reader = data;
  lsp_program_t *program = reader->program;
  NereidMlirSourceRange *uses = nereid_arena_new(&program->arena, NereidMlirSourceRange, (size_t)source->nUses);
  if (!uses) {
    reader->failed = true;
    return;
  }
  for (intptr_t i = 0; i < source->nUses; ++i)
    uses[i] = (NereidMlirSourceRange){source->uses[i].start, (intptr_t)end_of(program, source->uses[i])};
  lsp_definition_t it = {.kind = source->kind,
                         .start = (size_t)source->range.start,
                         .end = end_of(program, source->range),
                         .scope_start = (size_t)source->scope.start,
                         .scope_end = (size_t)source->scope.end,
                         .index = source->index,
                         .count = 1,
                         .op = source->op,
                         .block = source->block,
                         .attribute = source->attribute,
                         .type = source->type,
                         .uses = uses,
                         .n_uses = (size_t)source->nUses};
  if (source->kind == NereidMlirSourceOperation) {
    it.location = mlirOperationGetLocation(source->op);
    it.name = symbol_name(source->op);
  } else if (source->name.length) {
    const nereid_view_t name = nereid_view_of(source->name.data, source->name.length);
    it.name = nereid_view_of(nereid_arena_copy(&program->arena, name), name.size);
  }
  reader->failed |= !nereid_vector_push(&program->arena, &reader->definitions, it);
}

/* A group of results ends where the next one of the operation begins. The parser reports them in order. */
static void count_results(lsp_definition_t *definitions, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    lsp_definition_t *it = &definitions[i];
    if (it->kind != NereidMlirSourceResults)
      continue;
    const bool followed = i + 1 < n && definitions[i + 1].kind == NereidMlirSourceResults &&
                          mlirOperationEqual(definitions[i + 1].op, it->op);
    it->count = (followed ? definitions[i + 1].index : mlirOperationGetNumResults(it->op)) - it->index;
  }
}

/* The parser reports the name of an operation as the place of its symbol; find the symbol after it. */
static void find_symbol(const lsp_program_t *program, lsp_definition_t *it) {
  const nereid_view_t name = it->name;
  for (size_t at = it->end; name.size && at + 1 + name.size <= it->scope_end && program->text.data[at] != '\n'; ++at) {
    const char *text = program->text.data + at;
    const size_t quotes = text[1] == '"';
    if (*text == '@' && at + 1 + name.size + 2 * quotes <= it->scope_end &&
        memcmp(text + 1 + quotes, name.data, name.size) == 0) {
      it->start = at;
      it->end = at + 1 + name.size + 2 * quotes;
      return;
    }
  }
  it->name = nereid_view_of(NULL, 0);
}

static int compare_mentions(const void *a, const void *b) {
  const lsp_mention_t *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_scopes(const void *a, const void *b) {
  const lsp_definition_t *x = *(lsp_definition_t *const *)a, *y = *(lsp_definition_t *const *)b;
  if (x->scope_start != y->scope_start)
    return x->scope_start < y->scope_start ? -1 : 1;
  return x->scope_end > y->scope_end ? -1 : x->scope_end < y->scope_end;
}

static bool index_mentions(lsp_program_t *program) {
  NEREID_VECTOR(lsp_mention_t) list = {0};
  for (size_t i = 0; i < program->n_definitions; ++i) {
    const lsp_definition_t *it = &program->definitions[i];
    const bool has_name = it->end > it->start && (it->kind != NereidMlirSourceOperation || it->name.size);
    if (has_name && !nereid_vector_push(&program->arena, &list, (lsp_mention_t){it->start, it->end, it, true}))
      return false;
    for (size_t k = 0; k < it->n_uses; ++k) {
      const lsp_mention_t use = {(size_t)it->uses[k].start, (size_t)it->uses[k].end, it, false};
      if (!nereid_vector_push(&program->arena, &list, use))
        return false;
    }
  }
  if (list.size)
    qsort(list.data, list.size, sizeof *list.data, compare_mentions);
  program->mentions = list.data;
  program->n_mentions = list.size;
  return true;
}

static bool index_operations(lsp_program_t *program) {
  nereid_map_initialize(&program->of_op, &program->arena);
  program->operations = nereid_arena_new(&program->arena, lsp_definition_t *, program->n_definitions);
  if (!program->operations)
    return false;
  for (size_t i = 0; i < program->n_definitions; ++i) {
    lsp_definition_t *it = &program->definitions[i];
    if (it->kind != NereidMlirSourceOperation)
      continue;
    program->operations[program->n_operations++] = it;
    uintptr_t *slot = nereid_map_insert(&program->of_op, it->op.ptr);
    if (!slot)
      return false;
    *slot = (uintptr_t)it;
  }
  if (program->n_operations)
    qsort(program->operations, program->n_operations, sizeof *program->operations, compare_scopes);
  return true;
}

/* --- locations --- */

/* The lines of ascending offsets are found in one pass. */
typedef struct cursor {
  const char *text;
  size_t at, line_start;
  unsigned line;
} cursor_t;

static MlirLocation locate(lsp_program_t *program, cursor_t *cursor, size_t offset) {
  for (; cursor->at < offset; ++cursor->at)
    if (cursor->text[cursor->at] == '\n') {
      cursor->line++;
      cursor->line_start = cursor->at + 1;
    }
  return mlirLocationFileLineColGet(program->context->context, mlirStringRefCreateFromCString(buffer_name),
                                    cursor->line, (unsigned)(offset - cursor->line_start) + 1);
}

static void set_argument_locations(MlirOperation op, MlirLocation location) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        mlirBlockArgumentSetLocation(mlirBlockGetArgument(block, i), location);
}

/* Before symbols are found: `start` is that of the name of the operation, where the parser reports errors too. */
static void set_locations(lsp_program_t *program) {
  cursor_t cursor = {.text = program->text.data, .line = 1};
  for (size_t i = 0; i < program->n_operations; ++i) {
    lsp_definition_t *it = program->operations[i];
    if (it->start < cursor.at)
      cursor = (cursor_t){.text = program->text.data, .line = 1};
    const MlirLocation location = locate(program, &cursor, it->start);
    mlirOperationSetLocation(it->op, location);
    set_argument_locations(it->op, location);
  }
}

/* --- the program --- */

/* Analyses need a module: the only operation if it is one, else a new one around all. */
static void find_module(lsp_program_t *program) {
  MlirOperation first = mlirBlockGetFirstOperation(program->block);
  const bool is_alone = !mlirOperationIsNull(first) && mlirOperationIsNull(mlirOperationGetNextInBlock(first));
  const MlirStringRef module = mlirStringRefCreateFromCString("builtin.module");
  if (is_alone && mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(first)), module)) {
    program->module = first;
    return;
  }
  const MlirLocation location =
      mlirLocationFileLineColGet(program->context->context, mlirStringRefCreateFromCString(buffer_name), 1, 1);
  const MlirModule around = mlirModuleCreateEmpty(location);
  nereidMlirBlockSplice(mlirModuleGetBody(around), (MlirOperation){NULL}, program->block);
  program->module = mlirModuleGetOperation(around);
  mlirBlockAppendOwnedOperation(program->block, program->module);
}

static bool parse(lsp_program_t *program) {
  reader_t reader = {.program = program};
  if (!nereidMlirBlockParse(program->context->context, mlirStringRefCreate(program->text.data, program->text.size),
                            mlirStringRefCreateFromCString(buffer_name), program->block, read_source, &reader) ||
      reader.failed)
    return false;
  program->definitions = reader.definitions.data;
  program->n_definitions = reader.definitions.size;
  count_results(program->definitions, program->n_definitions);
  if (!index_operations(program))
    return false;
  set_locations(program);
  for (size_t i = 0; i < program->n_operations; ++i)
    find_symbol(program, program->operations[i]);
  return index_mentions(program);
}

lsp_program_t *lsp_program_create(lsp_context_t *context, nereid_view_t text, lsp_diagnostics_t *diagnostics) {
  unsigned line, column;
  const char *why = nereid_scan_find(text, false, &line, &column);
  if (why || memchr(text.data, 0, text.size)) {
    lsp_diagnostics_report(diagnostics, why ? line : 1, why ? column : 1, why ? why : "the text contains a NUL");
    return NULL;
  }
  lsp_program_t *program = calloc(1, sizeof *program);
  if (!program)
    return NULL;
  context->users++;
  program->context = context;
  program->block = mlirBlockCreate(0, NULL, NULL);
  nereid_arena_initialize(&program->arena);
  program->text = nereid_view_of(nereid_arena_copy(&program->arena, text), text.size);
  const MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context->context, lsp_diagnostics_add, diagnostics, NULL);
  const bool is_parsed = program->text.data && parse(program);
  if (is_parsed) {
    find_module(program);
    program->is_valid = mlirOperationVerify(program->module);
  }
  mlirContextDetachDiagnosticHandler(context->context, handler);
  if (is_parsed)
    return program;
  lsp_program_destroy(program);
  return NULL;
}

void lsp_program_destroy(lsp_program_t *program) {
  if (!program)
    return;
  mlirBlockDestroy(program->block);
  lsp_context_release(program->context);
  nereid_arena_deinitialize(&program->arena);
  free(program);
}

/* --- queries --- */

const lsp_mention_t *lsp_program_mention(const lsp_program_t *program, size_t offset) {
  size_t low = 0, high = program->n_mentions;
  while (low < high) { /* the first mention after the offset */
    const size_t middle = low + (high - low) / 2;
    if (program->mentions[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || program->mentions[low - 1].end < offset)
    return NULL;
  return &program->mentions[low - 1];
}

const lsp_definition_t *lsp_program_operation(const lsp_program_t *program, size_t offset) {
  size_t low = 0, high = program->n_operations;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (program->operations[middle]->scope_start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  /* The last operation that begins before the offset, or one around it. */
  for (MlirOperation op = program->operations[low - 1]->op; !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    const lsp_definition_t *it = lsp_program_find(program, op);
    if (it && it->scope_start <= offset && offset <= it->scope_end)
      return it;
  }
  return NULL;
}

const lsp_definition_t *lsp_program_find(const lsp_program_t *program, MlirOperation op) {
  const uintptr_t *slot = nereid_map_find(&program->of_op, op.ptr);
  return slot ? (const lsp_definition_t *)*slot : NULL;
}

MlirValue lsp_definition_value(const lsp_definition_t *definition, intptr_t index) {
  if (definition->kind == NereidMlirSourceResults && index < definition->count)
    return mlirOperationGetResult(definition->op, definition->index + index);
  if (definition->kind == NereidMlirSourceArgument && index == 0 &&
      definition->index < mlirBlockGetNumArguments(definition->block))
    return mlirBlockGetArgument(definition->block, definition->index);
  return (MlirValue){NULL};
}
