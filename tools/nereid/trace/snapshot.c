/* Prints each operation separately with one numbering for the module, and resolves the names in its text by the
 * operation's own operands, results and block arguments: an isolated region may reuse the names of its surroundings. */
#include "tools/nereid/trace/snapshot.h"

#include "base/map.h"
#include "base/vector.h"
#include "python-free-bindings/compile/session.h"

#include <ctype.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Support.h>

enum { NONE = UINT32_MAX };

typedef struct camera {
  nereid_arena_t *arena;
  MlirAsmState state;
  NEREID_VECTOR(tool_op_t) ops;
  NEREID_VECTOR(tool_value_t) values;
  nereid_map_t value_of; /* MlirValue -> index + 1 */
  nereid_map_t block_of; /* MlirBlock -> index of its entry + 1 */
} camera_t;

/* One name that the text of an operation may contain. */
typedef struct name {
  const char *text;
  uint32_t target;
  bool is_block;
} name_t;

typedef struct names {
  NEREID_VECTOR(name_t) list;
} names_t;

uint64_t tool_hash(uint64_t seed, const void *bytes, size_t size) {
  uint64_t hash = seed ? seed : UINT64_C(0xcbf29ce484222325);
  const uint8_t *data = bytes;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
  return hash ? hash : 1;
}

static void hash_part(MlirStringRef part, void *data) {
  uint64_t *hash = data;
  *hash = tool_hash(*hash, part.data, part.length);
}

static uint64_t key_of_location(MlirLocation location) {
  uint64_t hash = 0;
  if (!mlirLocationEqual(location, mlirLocationUnknownGet(mlirLocationGetContext(location))))
    mlirLocationPrint(location, hash_part, &hash);
  return hash;
}

static const char *print_value(camera_t *it, MlirValue value) {
  nereid_text_builder_t text = {.arena = it->arena};
  mlirValuePrintAsOperand(value, it->state, nereid_text_builder_append, &text);
  return text.data ? text.data : "%";
}

static const char *print_type(camera_t *it, MlirType type) {
  nereid_text_builder_t text = {.arena = it->arena};
  mlirTypePrint(type, nereid_text_builder_append, &text);
  return text.data ? text.data : "";
}

static void add_value(camera_t *it, MlirValue value, uint32_t op) {
  const tool_value_t entry = {.op = op,
                              .token = print_value(it, value),
                              .type = print_type(it, mlirValueGetType(value)),
                              .key = key_of_location(mlirValueGetLocation(value))};
  uintptr_t *place = nereid_map_insert(&it->value_of, value.ptr);
  if (place)
    *place = it->values.size + 1;
  (void)nereid_vector_push(it->arena, &it->values, entry);
}

static void add_name(camera_t *it, names_t *names, const char *text, uint32_t target, bool is_block) {
  (void)nereid_vector_push(it->arena, &names->list, (name_t){text, target, is_block});
}

static void add_value_name(camera_t *it, names_t *names, MlirValue value) {
  const uintptr_t *found = nereid_map_find(&it->value_of, value.ptr);
  if (found)
    add_name(it, names, it->values.data[*found - 1].token, (uint32_t)(*found - 1), false);
}

/* --- the text of one operation --- */

/* Returns whether `c` may be part of the name of a value or block. */
static bool is_name_part(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/* Returns the end of the name at `at`, which begins with % or ^: "%5", "%5#1", "^bb2". */
static const char *name_end(const char *at) {
  const char *end = at + 1;
  while (is_name_part(*end))
    ++end;
  if (*end != '#' || !isdigit((unsigned char)end[1]))
    return end;
  for (++end; isdigit((unsigned char)*end);)
    ++end;
  return end;
}

static const char *skip_string(const char *at) {
  for (++at; *at && *at != '"'; ++at)
    at += *at == '\\' && at[1];
  return *at ? at + 1 : at;
}

static const name_t *find_name(const names_t *names, const char *text, size_t length) {
  for (size_t i = 0; i < names->list.size; ++i)
    if (strncmp(names->list.data[i].text, text, length) == 0 && !names->list.data[i].text[length])
      return &names->list.data[i];
  return NULL;
}

static void find_tokens(camera_t *it, const names_t *names, tool_op_t *op) {
  NEREID_VECTOR(tool_token_t) tokens = {0};
  for (const char *at = op->text + op->rhs; *at;) {
    if (*at == '"') {
      at = skip_string(at);
      continue;
    }
    if (*at != '%' && *at != '^') {
      ++at;
      continue;
    }
    const char *end = name_end(at);
    const name_t *name = find_name(names, at, (size_t)(end - at));
    const tool_token_t token = {(uint32_t)(at - op->text), (uint32_t)(end - at), name ? name->target : NONE,
                                name && name->is_block};
    if (name)
      (void)nereid_vector_push(it->arena, &tokens, token);
    at = end;
  }
  op->tokens = tokens.data;
  op->n_tokens = (uint32_t)tokens.size;
}

/* Replaces line ends, which some operations print, by spaces. */
static void join_lines(char *text) {
  for (; *text; ++text)
    if (*text == '\n')
      *text = ' ';
}

static void print_op(camera_t *it, MlirOperation op, tool_op_t *out) {
  nereid_text_builder_t text = {.arena = it->arena};
  mlirOperationPrintWithState(op, it->state, nereid_text_builder_append, &text);
  if (text.data)
    join_lines(text.data);
  out->text = text.data ? text.data : "";
  const char *equals = out->n_results ? strstr(out->text, " = ") : NULL;
  out->rhs = equals ? (uint32_t)(equals + 3 - out->text) : 0;
}

static void locate(camera_t *it, MlirLocation location, tool_op_t *out) {
  nereid_diagnostic_t place = {.file = NULL};
  out->place = key_of_location(location);
  if (out->place && nereid_session_locate(it->arena, location, &place)) {
    out->file = place.file;
    out->line = place.line;
    out->column = place.column;
  }
}

/* --- the walk --- */

static const char *symbol_of(camera_t *it, MlirOperation op) {
  MlirAttribute symbol = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
  if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAString(symbol))
    return NULL;
  MlirStringRef text = mlirStringAttrGetValue(symbol);
  return nereid_arena_copy(it->arena, nereid_view_of(text.data, text.length));
}

static void add_region(camera_t *it, MlirRegion region, uint32_t parent, uint32_t depth);

static void add_block_arguments(camera_t *it, MlirBlock block, uint32_t op) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    add_value(it, mlirBlockGetArgument(block, i), op);
}

/* Names in the text: results are left out, as the text after "=" does not contain them. */
static void collect_names(camera_t *it, MlirOperation op, const tool_op_t *entry, names_t *names) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    add_value_name(it, names, mlirOperationGetOperand(op, i));
  for (uint32_t i = entry->n_results; i < entry->n_results + entry->n_arguments; ++i)
    add_name(it, names, it->values.data[entry->first_value + i].token, entry->first_value + i, false);
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(op); ++i) {
    MlirBlock block = mlirOperationGetSuccessor(op, i);
    const uintptr_t *found = nereid_map_find(&it->block_of, block.ptr);
    uintptr_t number = 0;
    for (MlirBlock at = mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)); !mlirBlockEqual(at, block);
         at = mlirBlockGetNextInRegion(at))
      ++number;
    const char *text = nereid_arena_format(it->arena, "^bb%zu", (size_t)number);
    if (text)
      add_name(it, names, text, found ? (uint32_t)(*found - 1) : NONE, true);
  }
}

static void add_op(camera_t *it, MlirOperation op, uint32_t parent, uint32_t depth) {
  const uint32_t index = (uint32_t)it->ops.size;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  tool_op_t entry = {.name = nereid_arena_copy(it->arena, nereid_view_of(name.data, name.length)),
                     .symbol = symbol_of(it, op),
                     .parent = parent == NONE ? index : parent,
                     .depth = depth,
                     .first_value = (uint32_t)it->values.size,
                     .n_results = (uint32_t)mlirOperationGetNumResults(op)};
  for (uint32_t i = 0; i < entry.n_results; ++i)
    add_value(it, mlirOperationGetResult(op, i), index);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (!mlirBlockIsNull(block))
      add_block_arguments(it, block, index);
  }
  entry.n_arguments = (uint32_t)it->values.size - entry.first_value - entry.n_results;
  locate(it, mlirOperationGetLocation(op), &entry);
  print_op(it, op, &entry);
  if (!nereid_vector_push(it->arena, &it->ops, entry))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    add_region(it, mlirOperationGetRegion(op, i), index, depth + 1);
}

/* Adds the entry of a block that is not the first of its region: "^bb1(%x: i32)". */
static uint32_t add_block(camera_t *it, MlirBlock block, size_t number, uint32_t parent, uint32_t depth) {
  const uint32_t index = (uint32_t)it->ops.size;
  tool_op_t entry = {.name = "^", .parent = parent, .depth = depth, .first_value = (uint32_t)it->values.size};
  const char *text = nereid_arena_format(it->arena, "^bb%zu", number), *separator = "(";
  names_t names = {0};
  add_name(it, &names, text ? text : "^", index, true);
  add_block_arguments(it, block, index);
  entry.n_arguments = (uint32_t)it->values.size - entry.first_value;
  for (uint32_t i = 0; text && i < entry.n_arguments && !it->arena->failed; ++i) {
    const tool_value_t *value = &it->values.data[entry.first_value + i];
    add_name(it, &names, value->token, entry.first_value + i, false);
    text = nereid_arena_format(it->arena, "%s%s%s: %s", text, separator, value->token, value->type);
    separator = ", ";
  }
  entry.text = text ? nereid_arena_format(it->arena, "%s%s", text, entry.n_arguments ? "):" : ":") : "";
  if (!entry.text)
    return index;
  find_tokens(it, &names, &entry);
  (void)nereid_vector_push(it->arena, &it->ops, entry);
  return index;
}

static void add_region(camera_t *it, MlirRegion region, uint32_t parent, uint32_t depth) {
  size_t number = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block), ++number) {
    uintptr_t *place = nereid_map_insert(&it->block_of, block.ptr);
    const uint32_t entry = number ? add_block(it, block, number, parent, depth) : parent;
    if (place && (place = nereid_map_find(&it->block_of, block.ptr)))
      *place = (uintptr_t)entry + 1;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      add_op(it, op, parent, depth);
  }
}

/* Resolves names after all values have an index: a branch may refer to a later block. */
static MlirWalkResult resolve(MlirOperation op, void *data) {
  void **state = data;
  camera_t *it = state[0];
  uint32_t *next = state[1];
  while (*next < it->ops.size && it->ops.data[*next].name[0] == '^')
    ++*next;
  if (*next >= it->ops.size)
    return MlirWalkResultInterrupt;
  names_t names = {0};
  tool_op_t *entry = &it->ops.data[(*next)++];
  collect_names(it, op, entry, &names);
  find_tokens(it, &names, entry);
  return MlirWalkResultAdvance;
}

static void take(camera_t *it, MlirOperation module) {
  uint32_t next = 0;
  add_op(it, module, NONE, 0);
  void *state[] = {it, &next};
  if (!it->arena->failed)
    mlirOperationWalk(module, resolve, state, MlirWalkPreOrder);
}

const tool_snapshot_t *tool_snapshot_take(nereid_arena_t *arena, MlirOperation module) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsSkipRegions(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  camera_t it = {.arena = arena, .state = mlirAsmStateCreateForOperation(module, flags)};
  nereid_map_initialize(&it.value_of, arena);
  nereid_map_initialize(&it.block_of, arena);
  take(&it, module);
  mlirAsmStateDestroy(it.state);
  mlirOpPrintingFlagsDestroy(flags);
  tool_snapshot_t *snapshot = nereid_arena_new(arena, tool_snapshot_t, 1);
  if (arena->failed)
    return NULL;
  *snapshot = (tool_snapshot_t){it.ops.data, (uint32_t)it.ops.size, it.values.data, (uint32_t)it.values.size};
  return snapshot;
}
