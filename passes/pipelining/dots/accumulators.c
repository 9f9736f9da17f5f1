/* Ops that access the registers of accumulators; see accumulators.h.
 *
 *   scf.for … iter_args(%acc):                          scf.for … iter_args(%acc):
 *     %s = ttng.warp_group_dot %q, %k, %zero              %h = arith.truncf %acc
 *     %h = arith.truncf %acc                       ->     %t = arith.mulf %acc, %decay
 *     %t = arith.mulf %acc, %decay                        %s = ttng.warp_group_dot %q, %k, %zero
 *     %n = ttng.warp_group_dot %k, %v, %t                 %n = ttng.warp_group_dot %k, %v, %t
 *     scf.yield %n                                        scf.yield %n
 *
 * %acc, %t and %n share registers. The assembler considers the wgmma instructions between two waits as one stage, and
 * waits for all of them before an access to an accumulator of any of them (its notes C7514, C7515 and C7517). The two
 * dots on the right are in flight together. So are dots that read %acc from a buffer: it is stored there, without a
 * conversion, before the first of them. */
#include "passes/pipelining/dots/accumulators.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/support/loop.h"
#include "passes/support/splat.h"
#include "seam/effects.h"
#include "seam/ir.h"

static bool is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static void insert(nereid_map_t *map, const void *key) {
  uintptr_t *place = nereid_map_insert(map, key);
  if (place)
    *place = 1;
}

static void add_user(nereid_accumulators_t *out, MlirOperation op, MlirOperation dot) {
  if (!mlirOperationIsNull(op) && !is_dot(op) && nereid_op_kind(op) != NEREID_OP_ARITH_CONSTANT &&
      mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot)) && mlirOperationIsBeforeInBlock(op, dot))
    insert(&out->users, op.ptr);
}

static void add_value(nereid_accumulators_t *out, MlirValue value, MlirOperation dot) {
  insert(&out->values, value.ptr);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    add_user(out, nereid_ir_ancestor_in(mlirOperationGetBlock(dot), mlirOpOperandGetOwner(use)), dot);
}

/* The accumulator's own value, and the arguments of the loop that receive the result of `dot`. */
static void add_accumulator(nereid_accumulators_t *out, MlirOperation dot) {
  MlirBlock block = mlirOperationGetBlock(dot);
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirValue c = nereid_ttng_warp_group_dot_get_c(dot);
  MlirOperation source = nereid_defining_op(c);
  add_user(out, source, dot);
  if (!mlirOperationIsNull(source) && !is_dot(source) && nereid_op_kind(source) != NEREID_OP_ARITH_CONSTANT)
    add_value(out, c, dot);
  if (nereid_op_kind(mlirBlockGetParentOperation(block)) != NEREID_OP_SCF_FOR)
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(end, i), nereid_ir_result(dot)))
      add_value(out, mlirBlockGetArgument(block, i + 1), dot);
}

static bool depends_on(MlirOperation op, MlirOperation other) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirOperationEqual(nereid_defining_op(mlirOperationGetOperand(op, i)), other))
      return true;
  return false;
}

/* Whether `op` waits for a dot of its block before it. */
static bool uses_dot(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirOperation dot = nereid_defining_op_of_kind(operand, NEREID_OP_TTNG_WARP_GROUP_DOT);
    const bool adds = is_dot(op) && mlirValueEqual(operand, nereid_ttng_warp_group_dot_get_c(op));
    if (!mlirOperationIsNull(dot) && !adds && mlirBlockEqual(mlirOperationGetBlock(dot), mlirOperationGetBlock(op)))
      return true;
  }
  return false;
}

/* Whether `op` makes a buffer of a tensor, which nothing accesses before it. */
static bool fills_buffer(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op);
}

static bool can_move(MlirOperation op) {
  if (fills_buffer(op))
    return true;
  return nereidMlirOperationIsPure(op) && !mlirOperationGetNumRegions(op) && mlirOperationGetNumResults(op) == 1;
}

/* An op with the ops between it and its place on which it depends, last ones first. */
typedef NEREID_VECTOR(MlirOperation) moved_t;

static bool any_depends_on(const moved_t *moved, MlirOperation other) {
  for (size_t i = 0; i < moved->size; ++i)
    if (depends_on(moved->data[i], other))
      return true;
  return false;
}

/* The first of the dots before `op` that are in flight there and that `op` can precede, with the ops in `out`; null
 * without one. */
static MlirOperation place_of(MlirOperation op, nereid_arena_t *arena, moved_t *out) {
  MlirOperation place = {NULL};
  size_t size = 0;
  if (!can_move(op) || !nereid_vector_push(arena, out, op))
    return place;
  for (MlirOperation before = nereidMlirOperationGetPrevInBlock(op); !mlirOperationIsNull(before);
       before = nereidMlirOperationGetPrevInBlock(before)) {
    if (uses_dot(before) ||
        (any_depends_on(out, before) && (!can_move(before) || !nereid_vector_push(arena, out, before))))
      break;
    if (is_dot(before)) {
      place = before;
      size = out->size;
    }
  }
  out->size = size;
  return place;
}

/* The first op that cannot be moved ends the search: those after it would keep its operand in further registers. */
static void hoist_users(MlirBlock block, nereid_arena_t *arena, nereid_accumulators_t *out) {
  bool has_dot = false;
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
    moved_t moved = {0};
    next = mlirOperationGetNextInBlock(op);
    has_dot |= is_dot(op);
    if (!has_dot || !nereid_accumulators_is_user(out, op))
      continue;
    const nereid_computed_before_t place = {.dot = place_of(op, arena, &moved), .value = nereid_ir_result(op)};
    if (mlirOperationIsNull(place.dot))
      return;
    for (size_t i = moved.size; i-- > 0;)
      mlirOperationMoveBefore(moved.data[i], place.dot);
    if (!fills_buffer(op))
      nereid_vector_push(arena, &out->hoisted, place);
  }
}

/* Fills buffers with the sources of conversions, as canonicalization does: a conversion that moved before a dot alone
 * would go through shared memory, and its result would need registers until the buffer is filled. */
static void fill_from_sources(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation convert =
        nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op)
            ? nereid_defining_op_of_kind(mlirOperationGetOperand(op, 0), NEREID_OP_TTG_CONVERT_LAYOUT)
            : (MlirOperation){NULL};
    if (mlirOperationIsNull(convert) || nereid_ttg_crosses_ctas(convert))
      continue;
    mlirOperationSetOperand(op, 0, nereid_ttg_convert_layout_get_src(convert));
    if (nereidMlirOperationIsTriviallyDead(convert))
      mlirOperationDestroy(convert);
  }
}

void nereid_accumulators_hoist(MlirBlock block, nereid_arena_t *arena, nereid_accumulators_t *out) {
  *out = (nereid_accumulators_t){0};
  fill_from_sources(block);
  nereid_map_initialize(&out->users, arena);
  nereid_map_initialize(&out->values, arena);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_dot(op))
      add_accumulator(out, op);
  hoist_users(block, arena, out);
}

bool nereid_accumulators_is_user(const nereid_accumulators_t *accumulators, MlirOperation op) {
  return nereid_map_find(&accumulators->users, op.ptr);
}

/* Returns the value that waits pass on as `value`. */
static MlirValue before_waits(MlirValue value) {
  for (MlirOperation wait = nereid_defining_op_of_kind(value, NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT);
       !mlirOperationIsNull(wait); wait = nereid_defining_op_of_kind(value, NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT))
    value = mlirOperationGetOperand(wait, mlirOpResultGetResultNumber(value));
  return value;
}

bool nereid_accumulators_contain(const nereid_accumulators_t *accumulators, MlirValue value) {
  return nereid_map_find(&accumulators->values, before_waits(value).ptr);
}

bool nereid_accumulators_precede(const nereid_accumulators_t *accumulators, MlirOperation dot) {
  for (size_t i = 0; i < accumulators->hoisted.size; ++i)
    if (mlirOperationEqual(accumulators->hoisted.data[i].dot, dot))
      return true;
  return false;
}

/* --- initial values --- */

static bool is_completed(MlirValue value) {
  return !mlirOperationIsNull(nereid_defining_op_of_kind(value, NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT));
}

/* Whether an op computes `value`: it is not a constant, a block argument or the result of a dot, also of a loop of
 * dots. */
static bool is_computed(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  return !mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_ARITH_CONSTANT && !is_dot(op) &&
         !is_completed(value) && !mlirOperationGetNumRegions(op);
}

static MlirValue yielded(MlirOperation op, intptr_t region, intptr_t i) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  return mlirOperationGetOperand(mlirBlockGetTerminator(block), i);
}

static bool may_be_skipped(MlirOperation loop, nereid_arena_t *scratch) {
  nereid_loop_range_t range;
  nereid_loop_range_read(loop, scratch, &range);
  return range.known == 0;
}

/* nereid-guard-async-dots handles an scf.if that changes the completed result of a dot. */
static bool joins_computed(MlirOperation branch, intptr_t i) {
  MlirValue yes = yielded(branch, 0, i), no = yielded(branch, 1, i);
  return !is_completed(yes) && !is_completed(no) && (is_computed(yes) || is_computed(no));
}

static bool has_dot(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_dot(op))
      return true;
  return false;
}

/* Whether one region of an scf.if has dots and computes result `i`, and the other one yields another value than the
 * completed result of a dot. */
static bool joins_own_dot(MlirOperation branch, intptr_t i) {
  for (intptr_t r = 0; r < 2; ++r) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, r));
    MlirValue value = yielded(branch, r, i);
    MlirOperation op = nereid_defining_op(value);
    if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), block))
      continue;
    if ((has_dot(block) && !is_completed(yielded(branch, 1 - r, i))) ||
        (nereid_op_kind(op) == NEREID_OP_SCF_IF && joins_own_dot(op, mlirOpResultGetResultNumber(value))))
      return true;
  }
  return false;
}

/* Whether a branch merges `value` with what dots in it compute. */
static bool is_merged(MlirValue value) {
  MlirOperation branch = nereid_defining_op_of_kind(value, NEREID_OP_SCF_IF);
  return !mlirOperationIsNull(branch) && joins_own_dot(branch, mlirOpResultGetResultNumber(value));
}

/* Whether `value`, which an iteration passes on in place of `initial`, is in other registers. */
static bool changes(MlirValue initial, MlirValue value) {
  MlirAttribute constant = nereid_splat_constant(value);
  return is_computed(value) || is_merged(value) ||
         (!mlirAttributeIsNull(constant) && !mlirAttributeEqual(constant, nereid_splat_constant(initial)));
}

/* Whether iterations of an scf.while compute result `i` beside dots, or a branch merges it. */
static bool is_changed_in_while(MlirOperation loop, intptr_t i) {
  MlirBlock before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirBlock after = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 1));
  MlirValue value = yielded(loop, 0, i + 1); /* after the condition */
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), before))
    return false;
  value = yielded(loop, 1, mlirBlockArgumentGetArgNumber(value));
  return is_merged(value) || (is_computed(value) && has_dot(after));
}

bool nereid_accumulators_start_joined(MlirOperation loop, intptr_t i, nereid_arena_t *scratch) {
  MlirValue value = before_waits(nereid_loop_initial(loop, i));
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation outer = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    return nereid_op_kind(outer) == NEREID_OP_SCF_FOR &&
           is_computed(yielded(outer, 0, mlirBlockArgumentGetArgNumber(value) - 1));
  }
  MlirOperation op = nereid_defining_op(value);
  const intptr_t result = mlirOpResultGetResultNumber(value);
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
    return may_be_skipped(op, scratch) && (changes(nereid_loop_initial(op, result), yielded(op, 0, result)) ||
                                           nereid_accumulators_start_joined(op, result, scratch));
  if (nereid_op_kind(op) == NEREID_OP_SCF_WHILE)
    return is_changed_in_while(op, result);
  return nereid_op_kind(op) == NEREID_OP_SCF_IF && joins_computed(op, result);
}
