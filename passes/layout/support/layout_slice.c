/* Versions of values in other layouts and the recomputation of slices; see layout_slice.h.
 *
 * A recomputed op is a clone directly after the original with the versions of its operands. Dead originals stay until
 * the pass erases them. */
#include "passes/layout/support/layout_slice.h"

#include "dialects/defining_op.h"
#include "dialects/ttg/tensor_types.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include "nereid/dialects/ttg.h"

/* --- sources --- */

static MlirOperation yield_of(MlirOperation op, intptr_t region) {
  return mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region)));
}

/* An iter_arg and the result of its slot have the initial and the yielded value as sources. */
static nereid_layout_producer_t slot_producer(MlirOperation loop, intptr_t slot) {
  nereid_layout_producer_t producer = {.op = loop, .flow = NEREID_LAYOUT_FLOW_CARRIED, .n_sources = 2};
  producer.carried[0] = nereid_loop_initial(loop, slot);
  producer.carried[1] = mlirOperationGetOperand(yield_of(loop, 0), slot);
  return producer;
}

static nereid_layout_producer_t argument_producer(MlirValue argument) {
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  const intptr_t slot = mlirBlockArgumentGetArgNumber(argument) - 1;
  if (mlirOperationIsNull(loop) || nereid_op_kind(loop) != NEREID_OP_SCF_FOR || slot < 0)
    return (nereid_layout_producer_t){.flow = NEREID_LAYOUT_FLOW_NONE};
  return slot_producer(loop, slot);
}

nereid_layout_producer_t nereid_layout_producer_of(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op))
    return argument_producer(value);
  const intptr_t result = mlirOpResultGetResultNumber(value);
  nereid_layout_producer_t producer = {.op = op, .flow = NEREID_LAYOUT_FLOW_CARRIED, .n_sources = 2};
  switch (nereid_op_kind(op)) {
  case NEREID_OP_SCF_FOR:
    return slot_producer(op, result);
  case NEREID_OP_SCF_IF:
    producer.carried[0] = mlirOperationGetOperand(yield_of(op, 0), result);
    producer.carried[1] = mlirOperationGetOperand(yield_of(op, 1), result);
    return producer;
  default:
    producer.flow = nereid_layout_flow_of(op);
    producer.n_sources = mlirOperationGetNumOperands(op);
    return producer;
  }
}

bool nereid_layout_source(const nereid_layout_producer_t *producer, intptr_t i, MlirAttribute encoding,
                          nereid_layout_request_t *out) {
  if (producer->flow == NEREID_LAYOUT_FLOW_CARRIED) {
    *out = (nereid_layout_request_t){producer->carried[i], encoding};
    return true;
  }
  out->value = mlirOperationGetOperand(producer->op, i);
  return nereid_layout_flow_operand(producer->op, producer->flow, i, encoding, &out->encoding);
}

/* --- versions --- */

nereid_builder_t nereid_layout_after_definition(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  nereid_builder_t builder = {mlirValueGetLocation(value), {NULL}, {NULL}};
  if (mlirOperationIsNull(op)) {
    builder.block = mlirBlockArgumentGetOwner(value);
    builder.before = mlirBlockGetFirstOperation(builder.block);
  } else {
    builder.block = mlirOperationGetBlock(op);
    builder.before = mlirOperationGetNextInBlock(op);
  }
  return builder;
}

void nereid_layout_versions_initialize(nereid_layout_versions_t *versions, nereid_arena_t *arena) {
  versions->arena = arena;
  nereid_map_initialize(&versions->lists, arena);
  nereid_map_initialize(&versions->originals, arena);
  nereid_map_initialize(&versions->renamed, arena);
}

static MlirValue current(const nereid_layout_versions_t *versions, MlirValue value) {
  for (const uintptr_t *now; (now = nereid_map_find(&versions->renamed, value.ptr));)
    value.ptr = (const void *)*now;
  return value;
}

/* The value of which `value` is a version; `value` itself when there is none. */
static MlirValue original_of(const nereid_layout_versions_t *versions, MlirValue value) {
  const uintptr_t *original = nereid_map_find(&versions->originals, value.ptr);
  return current(versions, original ? (MlirValue){(const void *)*original} : value);
}

nereid_layout_version_t *nereid_layout_versions_find(const nereid_layout_versions_t *versions,
                                                     nereid_layout_request_t request) {
  const uintptr_t *list = nereid_map_find(&versions->lists, original_of(versions, request.value).ptr);
  nereid_layout_version_t *version = list ? (nereid_layout_version_t *)*list : NULL;
  while (version && !mlirAttributeEqual(version->encoding, request.encoding))
    version = version->next;
  return version;
}

static bool push(nereid_layout_versions_t *versions, MlirValue original, MlirAttribute encoding, MlirValue value) {
  uintptr_t *list = nereid_map_insert(&versions->lists, original.ptr);
  nereid_layout_version_t *version = nereid_arena_new(versions->arena, nereid_layout_version_t, 1);
  if (!list || !version)
    return false;
  *version = (nereid_layout_version_t){.encoding = encoding, .value = value, .next = (nereid_layout_version_t *)*list};
  *list = (uintptr_t)version;
  return true;
}

bool nereid_layout_versions_add(nereid_layout_versions_t *versions, nereid_layout_request_t request, MlirValue value) {
  MlirValue original = original_of(versions, request.value);
  if (!nereid_map_find(&versions->lists, original.ptr) &&
      !push(versions, original, nereid_ttg_encoding_of(original), original))
    return false;
  if (!push(versions, original, request.encoding, value))
    return false;
  if (mlirValueIsNull(value) || nereid_map_find(&versions->lists, value.ptr))
    return true;
  uintptr_t *place = nereid_map_insert(&versions->originals, value.ptr);
  if (place && !*place)
    *place = (uintptr_t)original.ptr;
  return place != NULL;
}

bool nereid_layout_versions_rename(nereid_layout_versions_t *versions, MlirValue old, MlirValue made) {
  nereid_map_t *const maps[] = {&versions->lists, &versions->originals};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i) {
    const uintptr_t *from = nereid_map_find(maps[i], old.ptr);
    const uintptr_t entry = from ? *from : 0;
    uintptr_t *to = entry ? nereid_map_insert(maps[i], made.ptr) : NULL;
    if (to)
      *to = entry;
    else if (entry)
      return false;
  }
  uintptr_t *now = nereid_map_insert(&versions->renamed, old.ptr);
  if (now)
    *now = (uintptr_t)made.ptr;
  return now != NULL;
}

MlirValue nereid_layout_versions_lookup(nereid_layout_versions_t *versions, nereid_layout_request_t request) {
  if (mlirAttributeEqual(nereid_ttg_encoding_of(request.value), request.encoding))
    return request.value;
  nereid_layout_version_t *version = nereid_layout_versions_find(versions, request);
  if (version && !mlirOperationIsNull(version->moves)) {
    MlirOperation before = nereid_layout_after_definition(original_of(versions, request.value)).before;
    if (!mlirOperationEqual(before, version->moves))
      mlirOperationMoveBefore(version->moves, before);
    version->moves = (MlirOperation){NULL};
  }
  return version ? current(versions, version->value) : (MlirValue){NULL};
}

/* --- recomputation --- */

static bool convert_value(nereid_layout_versions_t *versions, nereid_layout_request_t request) {
  const nereid_builder_t builder = nereid_layout_after_definition(request.value);
  MlirOperation convert = nereid_ttg_convert_layout_build(
      &builder, nereid_ttg_with_encoding(mlirValueGetType(request.value), request.encoding), request.value);
  return nereid_layout_versions_add(versions, request, nereid_ir_result(convert));
}

static bool recompute(nereid_layout_versions_t *versions, const nereid_layout_producer_t *producer,
                      nereid_layout_request_t request) {
  MlirOperation op = producer->op;
  if (producer->flow == NEREID_LAYOUT_FLOW_CONVERT) { /* the source has versions of its own, defined before */
    nereid_layout_request_t source = {mlirOperationGetOperand(op, 0), request.encoding};
    return push(versions, original_of(versions, request.value), request.encoding,
                nereid_layout_versions_lookup(versions, source));
  }
  MlirOperation again = mlirOperationClone(op);
  for (intptr_t i = 0; i < producer->n_sources; ++i) {
    nereid_layout_request_t source;
    if (nereid_layout_source(producer, i, request.encoding, &source) && !mlirAttributeIsNull(source.encoding))
      mlirOperationSetOperand(again, i, nereid_layout_versions_lookup(versions, source));
  }
  MlirValue result = nereid_ir_result(again);
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(result), request.encoding);
  mlirValueSetType(result, type);
  if (nereid_op_kind(op) == NEREID_OP_ARITH_CONSTANT) {
    MlirAttribute value = nereid_ir_attribute(op, "value");
    nereid_ir_set_attribute(again, "value", mlirDenseElementsAttrReshapeGet(value, type));
  }
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(op), op, again);
  return nereid_layout_versions_add(versions, request, result);
}

/* Recomputes the top of the stack if all its sources have versions; otherwise pushes the sources without one. */
static bool step(nereid_layout_versions_t *versions, nereid_layout_requests_t *stack) {
  const nereid_layout_request_t top = stack->data[stack->size - 1];
  const nereid_layout_producer_t producer = nereid_layout_producer_of(top.value);
  const size_t size = stack->size;
  for (intptr_t i = 0; i < producer.n_sources; ++i) {
    nereid_layout_request_t source;
    if (!nereid_layout_source(&producer, i, top.encoding, &source))
      return false;
    if (!mlirAttributeIsNull(source.encoding) && mlirValueIsNull(nereid_layout_versions_lookup(versions, source)) &&
        !nereid_vector_push(versions->arena, stack, source))
      return false;
  }
  return stack->size > size || recompute(versions, &producer, top);
}

/* Operands come before users: a depth-first walk with an explicit stack. A value is collected before its operands, so
 * the walk goes from last to first; a value that two users share may still be collected before only one of them. */
bool nereid_layout_slice_rebuild(nereid_layout_versions_t *versions, const nereid_layout_requests_t *recomputed,
                                 const nereid_layout_requests_t *converted) {
  nereid_layout_requests_t stack = {0};
  for (size_t i = 0; i < converted->size; ++i) /* the result of a loop may have given its iter_arg a version */
    if (!nereid_layout_versions_find(versions, converted->data[i]) && !convert_value(versions, converted->data[i]))
      return false;
  for (size_t i = recomputed->size; i > 0; --i) {
    if (!nereid_vector_push(versions->arena, &stack, recomputed->data[i - 1]))
      return false;
    while (stack.size) {
      if (!mlirValueIsNull(nereid_layout_versions_lookup(versions, stack.data[stack.size - 1])))
        --stack.size;
      else if (!step(versions, &stack))
        return false;
    }
  }
  return true;
}
