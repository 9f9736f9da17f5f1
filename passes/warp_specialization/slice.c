/* Slices of loop nests; see slice.h. Recursion depth is that of the nest's expressions. */
#include "passes/warp_specialization/slice.h"

#include "dialects/ir.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

static bool is_loop(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_SCF_FOR;
}

/* Adds `key` to `map`; false when it was there, or when out of memory. */
static bool is_new(nereid_map_t *map, const void *key) {
  if (nereid_map_find(map, key))
    return false;
  uintptr_t *place = nereid_map_insert(map, key);
  if (place)
    *place = 1;
  return place != NULL;
}

void nereid_partition_slice_begin(nereid_partition_slice_t *slice, nereid_arena_t *arena, MlirOperation root,
                                  bool (*is_received)(MlirOperation op)) {
  *slice = (nereid_partition_slice_t){.arena = arena, .root = root, .is_received = is_received};
  nereid_map_initialize(&slice->ops, arena);
  nereid_map_initialize(&slice->carried, arena);
}

/* The op that contains `op` in the body of a loop of the nest, or is it: scf.for bodies are divided, others are not. */
static MlirOperation unit_of(const nereid_partition_slice_t *slice, MlirOperation op) {
  MlirOperation unit = op;
  for (MlirOperation parent = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(parent) && !mlirOperationEqual(op, slice->root);
       op = parent, parent = mlirOperationGetParentOperation(op))
    if (!is_loop(parent))
      unit = parent;
  return unit;
}

static void add_value(nereid_partition_slice_t *slice, MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    const bool inside =
        mlirOperationEqual(owner, slice->root) || nereidMlirOperationIsProperAncestor(slice->root, owner);
    const intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (!inside)
      return;
    if (!is_loop(owner) || !mlirOperationEqual(unit_of(slice, owner), owner))
      nereid_partition_slice_add(slice, unit_of(slice, owner));
    else if (number == 0)
      nereid_partition_slice_add(slice, owner);
    else
      nereid_partition_slice_carry(slice, owner, number - 1);
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!nereidMlirOperationIsProperAncestor(slice->root, op))
    return;
  MlirOperation unit = unit_of(slice, op);
  if (is_loop(unit) && mlirOperationEqual(unit, op))
    nereid_partition_slice_carry(slice, op, mlirOpResultGetResultNumber(value));
  else
    nereid_partition_slice_add(slice, unit);
}

static MlirWalkResult add_operands(MlirOperation op, void *user_data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    add_value(user_data, mlirOperationGetOperand(op, i));
  return MlirWalkResultAdvance;
}

void nereid_partition_slice_add(nereid_partition_slice_t *slice, MlirOperation op) {
  if ((slice->is_received && slice->is_received(op)) || !is_new(&slice->ops, op.ptr))
    return;
  if (!mlirOperationEqual(op, slice->root))
    nereid_partition_slice_add(slice, mlirOperationGetParentOperation(op));
  if (!is_loop(op)) {
    mlirOperationWalk(op, add_operands, slice, MlirWalkPreOrder);
    return;
  }
  for (intptr_t i = 0; i < NEREID_LOOP_BOUNDS; ++i)
    add_value(slice, mlirOperationGetOperand(op, i));
}

void nereid_partition_slice_carry(nereid_partition_slice_t *slice, MlirOperation loop, intptr_t number) {
  MlirBlock body = nereid_loop_body(loop);
  nereid_partition_slice_add(slice, loop);
  if (!is_new(&slice->carried, nereid_loop_argument(loop, number).ptr))
    return;
  add_value(slice, nereid_loop_initial(loop, number));
  add_value(slice, mlirOperationGetOperand(mlirBlockGetTerminator(body), number));
}

bool nereid_partition_slice_has(const nereid_partition_slice_t *slice, MlirOperation op) {
  return nereid_map_find(&slice->ops, op.ptr) != NULL;
}

bool nereid_partition_slice_carries(const nereid_partition_slice_t *slice, MlirOperation loop, intptr_t number) {
  return nereid_map_find(&slice->carried, nereid_loop_argument(loop, number).ptr) != NULL;
}

typedef struct search {
  const nereid_partition_slice_t *slice;
  bool (*is_good)(MlirOperation op);
  MlirOperation found;
} search_t;

static MlirWalkResult find_obstacle(MlirOperation op, void *user_data) {
  search_t *search = user_data;
  if (is_loop(op))
    return MlirWalkResultAdvance;
  if (!nereid_partition_slice_has(search->slice, op) || search->is_good(op))
    return MlirWalkResultSkip;
  search->found = op;
  return MlirWalkResultInterrupt;
}

MlirOperation nereid_partition_slice_obstacle(const nereid_partition_slice_t *slice,
                                              bool (*is_good)(MlirOperation op)) {
  search_t search = {.slice = slice, .is_good = is_good};
  mlirOperationWalk(slice->root, find_obstacle, &search, MlirWalkPreOrder);
  return search.found;
}

bool nereid_partition_can_recompute(MlirValue value, bool (*is_good)(MlirOperation op)) {
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
    return true;
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (mlirOperationIsNull(op) || mlirOperationGetNumRegions(op) > 0 || !nereidMlirOperationIsMemoryEffectFree(op) ||
      (is_good && !is_good(op)))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!nereid_partition_can_recompute(mlirOperationGetOperand(op, i), is_good))
      return false;
  return true;
}
