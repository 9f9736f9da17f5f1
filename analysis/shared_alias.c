/* Classes of buffers by union-find; see shared_alias.h. */
#include "analysis/shared_alias.h"

#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"

bool nereid_shared_alias_is_buffer(MlirValue value) {
  return nereid_ttg_memdesc_type_isa(mlirValueGetType(value));
}

static size_t find(nereid_shared_alias_t *alias, size_t number) {
  while (alias->parents.data[number] != number)
    number = alias->parents.data[number] = alias->parents.data[alias->parents.data[number]];
  return number;
}

/* The number of `value`, made when it had none. */
static size_t number_of(nereid_shared_alias_t *alias, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&alias->numbers, value.ptr);
  if (!place || (!*place && !nereid_vector_push(alias->arena, &alias->parents, alias->parents.size)))
    return 0;
  if (!*place)
    *place = alias->parents.size;
  return *place - 1;
}

size_t nereid_shared_alias_class(nereid_shared_alias_t *alias, MlirValue value) {
  const size_t number = number_of(alias, value);
  return alias->parents.size ? find(alias, number) : 0;
}

size_t nereid_shared_alias_classes(const nereid_shared_alias_t *alias) {
  return alias->parents.size;
}

/* The smaller number stands for both, so that classes do not depend on the order of joins. */
static void join(nereid_shared_alias_t *alias, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a) || mlirValueIsNull(b) || !nereid_shared_alias_is_buffer(a) ||
      !nereid_shared_alias_is_buffer(b))
    return;
  const size_t x = nereid_shared_alias_class(alias, a), y = nereid_shared_alias_class(alias, b);
  if (alias->arena->failed)
    return;
  alias->parents.data[x < y ? y : x] = x < y ? x : y;
}

static MlirBlock region_block(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

/* Operands of `op` from `first` on and arguments of `block` from `first_argument` on are the same values. */
static void join_arguments(nereid_shared_alias_t *alias, MlirOperation op, intptr_t first, MlirBlock block,
                           intptr_t first_argument) {
  for (intptr_t i = first_argument; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); ++i)
    if (first + i - first_argument < mlirOperationGetNumOperands(op))
      join(alias, mlirOperationGetOperand(op, first + i - first_argument), mlirBlockGetArgument(block, i));
}

static void join_results(nereid_shared_alias_t *alias, MlirOperation from, intptr_t first, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && first + i < mlirOperationGetNumOperands(from); ++i)
    join(alias, mlirOperationGetOperand(from, first + i), mlirOperationGetResult(op, i));
}

/* --- control flow --- */

/* How many operands of a terminator come before those of its successors: the condition. */
static intptr_t leading_operands(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_CF_BR ? 0 : 1;
}

/* The operands of the successors lie in their order: as many each as its block has arguments. */
static void join_successors(nereid_shared_alias_t *alias, MlirOperation op) {
  intptr_t next = leading_operands(op);
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); ++s) {
    MlirBlock block = mlirOperationGetSuccessor(op, s);
    join_arguments(alias, op, next, block, 0);
    next += mlirBlockGetNumArguments(block);
  }
}

static void join_for(nereid_shared_alias_t *alias, MlirOperation op) {
  enum { BOUNDS = 3 };
  MlirBlock body = region_block(op, 0);
  MlirOperation yield = mlirBlockGetTerminator(body);
  join_arguments(alias, op, BOUNDS, body, 1);
  join_arguments(alias, yield, 0, body, 1);
  join_results(alias, yield, 0, op);
  join_results(alias, op, BOUNDS, op);
}

static void join_if(nereid_shared_alias_t *alias, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    if (!mlirBlockIsNull(region_block(op, r)))
      join_results(alias, mlirBlockGetTerminator(region_block(op, r)), 0, op);
}

static void join_while(nereid_shared_alias_t *alias, MlirOperation op) {
  MlirBlock before = region_block(op, 0), after = region_block(op, 1);
  MlirOperation condition = mlirBlockGetTerminator(before);
  join_arguments(alias, op, 0, before, 0);
  join_arguments(alias, condition, 1, after, 0);
  join_results(alias, condition, 1, op);
  join_arguments(alias, mlirBlockGetTerminator(after), 0, before, 0);
}

/* Captures are arguments of every partition. */
static void join_captures(nereid_shared_alias_t *alias, MlirOperation partitions) {
  MlirOperation op = mlirBlockGetParentOperation(mlirOperationGetBlock(partitions));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); ++r)
    join_arguments(alias, op, 0, region_block(partitions, r), 0);
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  nereid_shared_alias_t *alias = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (nereid_shared_alias_is_buffer(mlirOperationGetResult(op, i)))
      number_of(alias, mlirOperationGetResult(op, i));
  switch (nereid_op_kind(op)) {
  case NEREID_OP_SCF_FOR:
    join_for(alias, op);
    break;
  case NEREID_OP_SCF_IF:
    join_if(alias, op);
    break;
  case NEREID_OP_SCF_WHILE:
    join_while(alias, op);
    break;
  case NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS:
    join_captures(alias, op);
    break;
  case NEREID_OP_ARITH_SELECT:
    join(alias, mlirOperationGetOperand(op, 1), mlirOperationGetResult(op, 0));
    join(alias, mlirOperationGetOperand(op, 2), mlirOperationGetResult(op, 0));
    break;
  default:
    if (nereid_ttg_is_memdesc_view(op))
      join(alias, mlirOperationGetOperand(op, 0), mlirOperationGetResult(op, 0));
    join_successors(alias, op);
  }
  return alias->arena->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool nereid_shared_alias_run(MlirOperation function, nereid_arena_t *arena, nereid_shared_alias_t *out) {
  *out = (nereid_shared_alias_t){.arena = arena};
  nereid_map_initialize(&out->numbers, arena);
  mlirOperationWalk(function, visit, out, MlirWalkPreOrder);
  return !arena->failed;
}
