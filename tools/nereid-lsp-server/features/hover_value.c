/*   %acc: tensor<64x64xf32, #mma>              the type, with the aliases of the document
 *   argument 2 of scf.for
 *   contiguity = [1, 1], ...                   axis information
 *   shared memory: bytes 0 to 8191             of a buffer
 *   register [(0,1) ...] lane [...]            the layout, and the places of the first elements */
#include "tools/nereid-lsp-server/features/hover_value.h"

#include "base/vector.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "python-free-bindings/compile/session.h"
#include "seam/ir.h"
#include "tools/nereid-lsp-server/ir/facts.h"
#include "tools/nereid/layout/layout_map.h"
#include "tools/nereid/layout/layout_text.h"

#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>

enum { GRID = 8 }; /* rows and columns of a layout in a hover */

/* Nested aliases can make a short text denote a very long attribute: drops what exceeds a limit. */
static void append_limited(MlirStringRef part, void *data) {
  enum { MAX_SIZE = 1 << 16 };
  const nereid_text_builder_t *text = data;
  if (text->size + part.length <= MAX_SIZE)
    nereid_text_builder_append(part, data);
}

/* --- types --- */

typedef struct alias {
  const char *name;
  nereid_view_t text;
} alias_t;

static int by_length(const void *a, const void *b) {
  const alias_t *x = a, *y = b;
  return x->text.size > y->text.size ? -1 : x->text.size < y->text.size;
}

/* Locations are builtin attributes, and their aliases are many. */
static bool is_builtin(MlirAttribute attribute) {
  const MlirStringRef name = nereidMlirAttributeGetName(attribute);
  return nereid_view_starts_with(nereid_view_of(name.data, name.length), nereid_view("builtin."));
}

/* The aliases of attributes in the program, the longest first: one may contain another. */
static alias_t *find_aliases(lsp_query_t *query, size_t *out_count) {
  const lsp_program_t *program = query->place.program;
  alias_t *list = nereid_arena_new(&query->arena, alias_t, program->n_definitions + 1);
  *out_count = 0;
  for (size_t i = 0; list && i < program->n_definitions; ++i) {
    const lsp_definition_t *it = &program->definitions[i];
    nereid_text_builder_t text = {.arena = &query->arena};
    if (it->kind != NereidMlirSourceAttribute || mlirAttributeIsNull(it->attribute) || is_builtin(it->attribute))
      continue;
    mlirAttributePrint(it->attribute, append_limited, &text);
    const char *name = nereid_arena_format(&query->arena, "#%.*s", (int)it->name.size, it->name.data);
    if (text.size > strlen("#") && name)
      list[(*out_count)++] = (alias_t){name, nereid_view_of(text.data, text.size)};
  }
  if (*out_count)
    qsort(list, *out_count, sizeof *list, by_length);
  return list;
}

static const char *replace(nereid_arena_t *arena, const char *text, const alias_t *alias) {
  nereid_text_builder_t result = {.arena = arena};
  for (const char *at = text, *found; *at; at = found + alias->text.size) {
    found = memmem(at, strlen(at), alias->text.data, alias->text.size);
    const size_t size = found ? (size_t)(found - at) : strlen(at);
    nereid_text_builder_append(mlirStringRefCreate(at, size), &result);
    if (!found)
      break;
    nereid_text_builder_append(mlirStringRefCreateFromCString(alias->name), &result);
  }
  return result.data ? result.data : text;
}

const char *lsp_hover_type_text(lsp_query_t *query, MlirType type) {
  nereid_text_builder_t text = {.arena = &query->arena};
  size_t count;
  mlirTypePrint(type, append_limited, &text);
  const char *result = text.data ? text.data : "";
  const alias_t *aliases = find_aliases(query, &count);
  for (size_t i = 0; i < count; ++i)
    result = replace(&query->arena, result, &aliases[i]);
  return result;
}

/* --- layouts --- */

typedef struct shaped {
  MlirAttribute encoding;
  int rank;
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  uint32_t element_bits;
  bool is_buffer;
} shaped_t;

static uint32_t element_bits(MlirType type) {
  const uint32_t bits = tool_layout_element_bits(type);
  return bits ? bits : nereid_tt_ptr_type_isa(type) ? 64 : 0;
}

/* Reads the shape and encoding of a tensor or buffer; false for other types. */
static bool read_type(MlirType type, shaped_t *out) {
  nereid_ttg_memdesc_t buffer;
  out->is_buffer = false;
  if (mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) <= NEREID_LAYOUT_MAX_RANK) {
    out->encoding = mlirRankedTensorTypeGetEncoding(type);
    out->rank = (int)mlirShapedTypeGetRank(type);
    for (int d = 0; d < out->rank; ++d)
      out->shape[d] = mlirShapedTypeGetDimSize(type, d);
    out->element_bits = element_bits(mlirShapedTypeGetElementType(type));
    return !mlirAttributeIsNull(out->encoding) && out->element_bits;
  }
  if (!nereid_ttg_memdesc_type_isa(type) || !nereid_ttg_memdesc_read(type, &buffer) ||
      buffer.rank > NEREID_LAYOUT_MAX_RANK)
    return false;
  out->is_buffer = true;
  out->encoding = buffer.encoding;
  out->rank = (int)buffer.rank;
  for (int d = 0; d < out->rank; ++d)
    out->shape[d] = buffer.shape[d];
  out->element_bits = element_bits(buffer.element);
  return out->element_bits != 0;
}

/* The encoding of a ring is that of one slot: drops the first dimensions until it fits. */
static nereid_status_t create_layout(lsp_query_t *query, const shaped_t *shaped, tool_layout_t *out, int64_t *out_slots,
                                     nereid_message_t *message) {
  nereid_status_t status = NEREID_ERROR_UNSUPPORTED;
  *out_slots = 1;
  for (int d = 0; d < shaped->rank; *out_slots *= shaped->shape[d++]) {
    nereid_message_t reason = {""};
    status = tool_layout_create(&query->arena, shaped->encoding, shaped->rank - d, shaped->shape + d,
                                shaped->element_bits, out, &reason);
    if (d == 0)
      *message = reason;
    if (status == NEREID_OK || !shaped->is_buffer)
      break;
  }
  return status;
}

static void print_layout(lsp_query_t *query, MlirType type, FILE *out) {
  shaped_t shaped;
  tool_layout_t layout;
  int64_t slots;
  nereid_message_t message = {""};
  if (!read_type(type, &shaped) || shaped.rank == 0)
    return;
  fputs("\n```text\n", out);
  if (create_layout(query, &shaped, &layout, &slots, &message)) {
    fprintf(out, "layout: %s\n", message.text);
  } else {
    if (slots > 1)
      fprintf(out, "each of %lld slots:\n", (long long)slots);
    tool_layout_print(&layout, GRID, out);
  }
  fputs("```\n", out);
}

/* --- values --- */

/* The number after %5#, 0 without one. */
static intptr_t result_number(const lsp_query_t *query) {
  const nereid_view_t text = query->place.program->text;
  const size_t end = query->name->end;
  return end < text.size && text.data[end] == '#' ? strtol(text.data + end + 1, NULL, 10) : 0;
}

static void print_origin(const lsp_query_t *query, MlirValue value, FILE *out) {
  const bool is_argument = mlirValueIsABlockArgument(value);
  const MlirOperation op =
      is_argument ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)) : mlirOpResultGetOwner(value);
  const long number =
      is_argument ? (long)mlirBlockArgumentGetArgNumber(value) : (long)mlirOpResultGetResultNumber(value);
  const lsp_definition_t *it = mlirOperationIsNull(op) ? NULL : lsp_program_find(query->place.program, op);
  if (!it)
    return;
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  fprintf(out, "\n%s %ld of `%.*s`", is_argument ? "argument" : "result", number, (int)name.length, name.data);
  if (it->name.size)
    fprintf(out, " `@%.*s`", (int)it->name.size, it->name.data);
  fputs("\n", out);
}

void lsp_hover_print_value(lsp_query_t *query, FILE *out) {
  const lsp_mention_t *name = query->name;
  const MlirValue value = lsp_definition_value(name->definition, name->is_definition ? 0 : result_number(query));
  if (mlirValueIsNull(value))
    return;
  const nereid_view_t text = nereid_view_of(query->place.program->text.data + name->start, name->end - name->start);
  const MlirType type = mlirValueGetType(value);
  fprintf(out, "```mlir\n%.*s : %s\n```\n", (int)text.size, text.data, lsp_hover_type_text(query, type));
  print_origin(query, value, out);
  lsp_program_t *program = (lsp_program_t *)query->place.program;
  const char *axis = lsp_facts_axis(program, value, &query->arena);
  const char *buffers = lsp_facts_buffers(program, value, &query->arena);
  if (axis)
    fprintf(out, "\n%s\n", axis);
  if (buffers)
    fprintf(out, "\n%s\n", buffers);
  print_layout(query, type, out);
}

/* --- encodings --- */

static bool has_encoding(MlirType type, MlirAttribute encoding) {
  shaped_t shaped;
  return read_type(type, &shaped) && mlirAttributeEqual(shaped.encoding, encoding);
}

/* The type of the first value in the program with this encoding; null when there is none. */
static MlirType find_type(const lsp_program_t *program, MlirAttribute encoding) {
  for (size_t i = 0; i < program->n_definitions; ++i) {
    const lsp_definition_t *it = &program->definitions[i];
    for (intptr_t r = 0; r < it->count; ++r) {
      const MlirValue value = lsp_definition_value(it, r);
      if (!mlirValueIsNull(value) && has_encoding(mlirValueGetType(value), encoding))
        return mlirValueGetType(value);
    }
  }
  return (MlirType){NULL};
}

void lsp_hover_print_encoding(lsp_query_t *query, MlirAttribute encoding, FILE *out) {
  nereid_text_builder_t text = {.arena = &query->arena};
  mlirAttributePrint(encoding, append_limited, &text);
  fprintf(out, "```mlir\n%s\n```\n", text.data ? text.data : "");
  const MlirType type = find_type(query->place.program, encoding);
  if (mlirTypeIsNull(type))
    return;
  fprintf(out, "\nas in `%s`\n", lsp_hover_type_text(query, type));
  print_layout(query, type, out);
}
