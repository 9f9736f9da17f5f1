/* Roots of pointers; see global_root.h. */
#include "analysis/global/global_root.h"

#include "dialects/ir.h"
#include "dialects/ttng/descriptor_type.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttng.h"

#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

bool nereid_is_global_pointer(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsARankedTensor(type))
    type = mlirShapedTypeGetElementType(type);
  return nereid_ttng_is_descriptor_type(type) ||
         (nereid_tt_ptr_type_isa(type) && !mlirTypeIsAShaped(nereid_tt_ptr_type_get_pointee_type(type)));
}

/* --- a search backwards from one value --- */

typedef struct search {
  nereid_roots_t *roots;
  nereid_map_t seen;
  NEREID_VECTOR(MlirValue) stack;
  NEREID_VECTOR(uint32_t) found;
} search_t;

static void find_root(search_t *search, uint32_t root) {
  size_t place = search->found.size;
  for (size_t i = 0; i < search->found.size; ++i)
    if (search->found.data[i] == root)
      return;
  if (!nereid_vector_push(search->roots->arena, &search->found, root))
    return;
  for (; place > 0 && search->found.data[place - 1] > root; --place) {
    search->found.data[place] = search->found.data[place - 1];
    search->found.data[place - 1] = root;
  }
}

static void follow(search_t *search, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&search->seen, value.ptr);
  if (place && !*place) {
    *place = 1;
    nereid_vector_push(search->roots->arena, &search->stack, value);
  }
}

static uint32_t scratch_root(nereid_roots_t *roots, MlirOperation op) {
  uintptr_t *place = nereid_map_insert(&roots->scratch, op.ptr);
  if (place && !*place)
    *place = roots->n_arguments + roots->scratch.size;
  return place ? (uint32_t)*place : NEREID_ROOT_UNKNOWN;
}

/* What a block's argument, or the result of an op with regions, is forwarded. */
static bool follow_forwards(search_t *search, MlirValue value) {
  const uintptr_t *place = nereid_map_find(&search->roots->forwards, value.ptr);
  for (uintptr_t i = place ? *place : 0; i; i = search->roots->links.data[i - 1].next)
    follow(search, search->roots->links.data[i - 1].from);
  return place != NULL;
}

static void visit_argument(search_t *search, MlirValue value) {
  const nereid_roots_t *roots = search->roots;
  const uint32_t number = (uint32_t)mlirBlockArgumentGetArgNumber(value);
  if (mlirBlockEqual(mlirBlockArgumentGetOwner(value), roots->graph->nodes.data[0].block))
    find_root(search, roots->shared ? roots->shared[number] : number + 1);
  else if (!follow_forwards(search, value))
    find_root(search, NEREID_ROOT_UNKNOWN);
}

static void visit_call(search_t *search, MlirOperation call, intptr_t result) {
  const nereid_map_t *returned = search->roots->returned;
  MlirAttribute callee = nereidMlirCallGetCallee(call);
  const nereid_root_set_t *sets = NULL;
  if (returned && !mlirAttributeIsNull(callee) && mlirAttributeIsAFlatSymbolRef(callee)) {
    const uintptr_t *place = nereid_map_find(
        returned, mlirStringAttrGet(mlirOperationGetContext(call), mlirFlatSymbolRefAttrGetValue(callee)).ptr);
    sets = place ? (const nereid_root_set_t *)*place : NULL;
  }
  if (!sets)
    find_root(search, NEREID_ROOT_UNKNOWN);
  for (uint32_t i = 0; sets && i < sets[result].count; ++i) {
    const uint32_t root = sets[result].roots[i];
    if (root != NEREID_ROOT_UNKNOWN && (intptr_t)root <= mlirOperationGetNumOperands(call))
      follow(search, mlirOperationGetOperand(call, (intptr_t)root - 1));
    else
      find_root(search, NEREID_ROOT_UNKNOWN);
  }
}

/* Whether `value` is a parameter that contains a descriptor. */
static bool is_descriptor_parameter(const nereid_roots_t *roots, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), roots->graph->nodes.data[0].block))
    return false;
  MlirAttribute attributes =
      nereid_ir_argument_attributes(roots->graph->function, mlirBlockArgumentGetArgNumber(value));
  return !mlirAttributeIsNull(attributes) &&
         !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
             attributes, mlirStringRefCreateFromCString(NEREID_ATTR_TMA_DESCRIPTOR)));
}

/* A descriptor in memory: its tensor is that of the tensormap_create of the same address. One in a parameter of the
 * kernel has the parameter's root. */
static void visit_descriptor(search_t *search, MlirValue address) {
  const nereid_flow_graph_t *graph = search->roots->graph;
  bool found = is_descriptor_parameter(search->roots, address);
  if (found)
    follow(search, address);
  for (uint32_t i = 0; mlirValueIsAOpResult(address) && i < graph->ops.size; ++i) {
    MlirOperation op = graph->ops.data[i];
    if (nereid_op_kind(op) != NEREID_OP_TTNG_TENSORMAP_CREATE ||
        !mlirValueEqual(nereid_ttng_tensormap_create_get_desc_ptr(op), address))
      continue;
    follow(search, nereid_ttng_tensormap_create_get_global_address(op));
    found = true;
  }
  if (!found)
    find_root(search, NEREID_ROOT_UNKNOWN);
}

static void visit_result(search_t *search, MlirValue value) {
  MlirOperation op = mlirOpResultGetOwner(value);
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_ADDPTR:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_UNSPLAT:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TT_TRANS:
  case NEREID_OP_TT_SPLIT:
  case NEREID_OP_TT_JOIN:
  case NEREID_OP_TT_CAT:
  case NEREID_OP_TT_GATHER:
  case NEREID_OP_TT_BITCAST:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
  case NEREID_OP_ARITH_SELECT:
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (nereid_is_global_pointer(mlirOperationGetOperand(op, i)))
        follow(search, mlirOperationGetOperand(op, i));
    break;
  case NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR:
    follow(search, mlirOperationGetOperand(op, 0));
    break;
  case NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR:
    visit_descriptor(search, mlirOperationGetOperand(op, 0));
    break;
  case NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC:
    find_root(search, scratch_root(search->roots, op));
    break;
  case NEREID_OP_TT_CALL:
    visit_call(search, op, mlirOpResultGetResultNumber(value));
    break;
  case NEREID_OP_UB_POISON:
    break;
  default:
    if (!follow_forwards(search, value))
      find_root(search, NEREID_ROOT_UNKNOWN);
  }
}

/* Anything includes every argument. */
static void drop_arguments(search_t *search) {
  size_t kept = 1;
  if (!search->found.size || search->found.data[0] != NEREID_ROOT_UNKNOWN)
    return;
  for (size_t i = 1; i < search->found.size; ++i)
    if (search->found.data[i] > search->roots->n_arguments)
      search->found.data[kept++] = search->found.data[i];
  search->found.size = kept;
}

/* Follows ops of one source without a search. */
static MlirValue skip(MlirValue pointer) {
  while (mlirValueIsAOpResult(pointer)) {
    MlirOperation op = mlirOpResultGetOwner(pointer);
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if (kind != NEREID_OP_TT_ADDPTR && kind != NEREID_OP_TT_SPLAT && kind != NEREID_OP_TT_BROADCAST &&
        kind != NEREID_OP_TT_EXPAND_DIMS && kind != NEREID_OP_TTG_CONVERT_LAYOUT)
      break;
    pointer = mlirOperationGetOperand(op, 0);
  }
  return pointer;
}

nereid_root_set_t nereid_roots_of(nereid_roots_t *roots, MlirValue pointer) {
  pointer = skip(pointer);
  uintptr_t *place = nereid_map_find(&roots->sets, pointer.ptr);
  if (place)
    return *(const nereid_root_set_t *)*place;
  search_t search = {.roots = roots};
  nereid_map_initialize(&search.seen, roots->arena);
  follow(&search, pointer);
  while (search.stack.size) {
    MlirValue value = search.stack.data[--search.stack.size];
    if (mlirValueIsABlockArgument(value))
      visit_argument(&search, value);
    else
      visit_result(&search, value);
  }
  drop_arguments(&search);
  nereid_root_set_t *set = nereid_arena_new(roots->arena, nereid_root_set_t, 1);
  place = nereid_map_insert(&roots->sets, pointer.ptr);
  if (!set || !place)
    return (nereid_root_set_t){0};
  *set = (nereid_root_set_t){search.found.data, (uint32_t)search.found.size};
  *place = (uintptr_t)set;
  return *set;
}

/* --- functions --- */

static bool link_forwards(nereid_roots_t *roots) {
  for (size_t i = 0; i < roots->graph->forwards.size; ++i) {
    const nereid_flow_forward_t *forward = &roots->graph->forwards.data[i];
    if (!nereid_is_global_pointer(forward->to))
      continue;
    uintptr_t *place = nereid_map_insert(&roots->forwards, forward->to.ptr);
    if (!place || !nereid_vector_push(roots->arena, &roots->links, (nereid_root_link_t){forward->from, *place}))
      return false;
    *place = roots->links.size;
  }
  return true;
}

bool nereid_roots_initialize(nereid_roots_t *roots, const nereid_flow_graph_t *graph, const uint32_t *shared,
                             const nereid_map_t *returned, nereid_arena_t *arena) {
  *roots = (nereid_roots_t){.arena = arena, .graph = graph, .shared = shared, .returned = returned};
  roots->n_arguments = (uint32_t)mlirBlockGetNumArguments(graph->nodes.data[0].block);
  nereid_map_initialize(&roots->sets, arena);
  nereid_map_initialize(&roots->scratch, arena);
  nereid_map_initialize(&roots->forwards, arena);
  return link_forwards(roots) && !arena->failed;
}

const nereid_root_set_t *nereid_roots_returned(nereid_roots_t *roots) {
  nereid_root_set_t *out = NULL;
  for (size_t i = 0; i < roots->graph->nodes.size; ++i) {
    MlirOperation last = roots->graph->ops.data[roots->graph->nodes.data[i].end - 1];
    if (nereid_op_kind(last) != NEREID_OP_TT_RETURN)
      continue;
    const intptr_t n = mlirOperationGetNumOperands(last);
    if (out || !(out = nereid_arena_new(roots->arena, nereid_root_set_t, (size_t)n)))
      return NULL; /* several returns: anything */
    for (intptr_t r = 0; r < n; ++r)
      if (nereid_is_global_pointer(mlirOperationGetOperand(last, r)))
        out[r] = nereid_roots_of(roots, mlirOperationGetOperand(last, r));
  }
  return out;
}

static bool overlap(nereid_root_set_t a, nereid_root_set_t b) {
  for (uint32_t i = 0; i < a.count; ++i)
    for (uint32_t k = 0; k < b.count; ++k)
      if (a.roots[i] == b.roots[k])
        return true;
  return false;
}

static void lower(uint32_t *shared, uint32_t n, uint32_t a, uint32_t b) {
  const uint32_t low = a < b ? a : b, high = a ^ b ^ low;
  for (uint32_t i = 0; i < n; ++i)
    shared[i] = shared[i] == high ? low : shared[i];
}

void nereid_roots_share(nereid_roots_t *caller, MlirOperation call, uint32_t *shared, uint32_t n_arguments) {
  for (uint32_t i = 0; i < n_arguments; ++i) {
    MlirValue a = mlirOperationGetOperand(call, (intptr_t)i);
    if (!nereid_is_global_pointer(a))
      continue;
    const nereid_root_set_t set = nereid_roots_of(caller, a);
    if (set.count && set.roots[0] == NEREID_ROOT_UNKNOWN)
      lower(shared, n_arguments, shared[i], NEREID_ROOT_UNKNOWN);
    for (uint32_t k = 0; k < i; ++k) {
      MlirValue b = mlirOperationGetOperand(call, (intptr_t)k);
      if (nereid_is_global_pointer(b) && overlap(set, nereid_roots_of(caller, b)))
        lower(shared, n_arguments, shared[i], shared[k]);
    }
  }
}

MlirValue nereid_descriptor_of_kernel(const nereid_roots_t *roots, MlirValue descriptor) {
  if (mlirValueIsABlockArgument(descriptor))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(descriptor), roots->graph->nodes.data[0].block) ? descriptor
                                                                                                    : (MlirValue){NULL};
  MlirOperation op = mlirOpResultGetOwner(descriptor);
  if (nereid_op_kind(op) != NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR)
    return (MlirValue){NULL};
  if (is_descriptor_parameter(roots, mlirOperationGetOperand(op, 0)))
    return mlirOperationGetOperand(op, 0);
  const bool once = mlirBlockEqual(mlirOperationGetBlock(op), roots->graph->nodes.data[0].block) &&
                    nereidMlirFunctionIsPublic(roots->graph->function);
  return once ? descriptor : (MlirValue){NULL};
}
