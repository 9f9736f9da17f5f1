/* Propagation of parts; see cta_parts.h. */
#include "passes/layout/support/cta_parts.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <string.h>

void nereid_cta_parts_initialize(nereid_cta_parts_t *parts, nereid_arena_t *arena) {
  *parts = (nereid_cta_parts_t){.arena = arena};
  nereid_map_initialize(&parts->index, arena);
  nereid_map_initialize(&parts->inexpensive, arena);
}

const nereid_ttg_bases_t *nereid_cta_parts_get(const nereid_cta_parts_t *parts, MlirValue value) {
  const uintptr_t *place = nereid_map_find(&parts->index, value.ptr);
  return place ? &parts->list.data[*place - 1].bases : NULL;
}

/* --- kinds of ops --- */

bool nereid_cta_parts_is_uniform(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_LOAD:
  case NEREID_OP_TT_STORE:
  case NEREID_OP_TT_ATOMIC_RMW:
  case NEREID_OP_TT_ATOMIC_CAS:
  case NEREID_OP_TT_ADDPTR:
  case NEREID_OP_TT_SCAN:
    return true;
  default:
    return nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) && mlirOperationGetNumRegions(op) == 0;
  }
}

/* Whether the encoding of a result of `op` can be changed. */
static bool is_changeable(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_CONSTANT:
  case NEREID_OP_SCF_FOR:
  case NEREID_OP_SCF_IF:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DOT:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_MAKE_RANGE:
  case NEREID_OP_TT_REDUCE:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_TRANS:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return true;
  default:
    return nereid_cta_parts_is_uniform(op);
  }
}

static bool has_changeable_encoding(MlirValue value) {
  MlirAttribute encoding = nereid_ttg_encoding_of(value);
  while (!mlirAttributeIsNull(encoding) && nereid_ttg_slice_attr_isa(encoding))
    encoding = nereid_ttg_slice_attr_get_parent(encoding);
  if (mlirAttributeIsNull(encoding) || !(nereid_ttg_blocked_attr_isa(encoding) || nereid_ttg_dot_op_attr_isa(encoding)))
    return false;
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                 : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return is_changeable(op) && nereid_op_kind(op) != NEREID_OP_TT_FUNC;
}

/* Whether `value` is computed from ranges, constants and scalars, and so can be computed again for each user. */
static bool is_inexpensive(nereid_cta_parts_t *parts, MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
    return true;
  if (mlirOperationIsNull(op) || mlirOperationGetNumRegions(op) || nereid_op_kind(op) == NEREID_OP_TT_DOT ||
      !nereidMlirOperationIsMemoryEffectFree(op))
    return false;
  uintptr_t *place = nereid_map_insert(&parts->inexpensive, value.ptr);
  if (!place || *place)
    return place && *place == 2;
  bool all = true;
  for (intptr_t i = 0; all && i < mlirOperationGetNumOperands(op); ++i)
    all = is_inexpensive(parts, mlirOperationGetOperand(op, i));
  place = nereid_map_find(&parts->inexpensive, value.ptr);
  *place = all ? 2 : 1;
  return all;
}

/* --- parts in other dimensions --- */

/* Without dimension `axis`; with `axis` again, not divided. */
static nereid_ttg_bases_t without(const nereid_ttg_bases_t *bases, int axis) {
  nereid_ttg_bases_t out = {.count = bases->count, .rank = bases->rank - 1};
  for (int i = 0; i < bases->count; ++i)
    for (int d = 0; d < out.rank; ++d)
      out.vectors[i][d] = bases->vectors[i][d + (d >= axis)];
  return out;
}

static nereid_ttg_bases_t with(const nereid_ttg_bases_t *bases, int axis) {
  nereid_ttg_bases_t out = {.count = bases->count, .rank = bases->rank + 1};
  for (int i = 0; i < bases->count; ++i)
    for (int d = 0; d < bases->rank; ++d)
      out.vectors[i][d + (d >= axis)] = bases->vectors[i][d];
  return out;
}

/* Only dimension `axis` is divided, in addition to leading dimensions of batches. */
static nereid_ttg_bases_t only(const nereid_ttg_bases_t *bases, int axis) {
  nereid_ttg_bases_t out = *bases;
  for (int i = 0; i < bases->count; ++i)
    for (int d = bases->rank - 2; d < bases->rank; ++d)
      out.vectors[i][d] = d == axis ? bases->vectors[i][d] : 0;
  return out;
}

/* Of the operand of a transposition, from that of its result (`back`), or the reverse. */
static nereid_ttg_bases_t permuted(const nereid_ttg_bases_t *bases, MlirOperation trans, bool back) {
  nereid_ttg_bases_t out = {.count = bases->count, .rank = bases->rank};
  for (int i = 0; i < bases->count; ++i)
    for (int d = 0; d < bases->rank; ++d) {
      const int32_t from = nereid_tt_trans_get_order(trans, d);
      out.vectors[i][back ? from : d] = bases->vectors[i][back ? d : from];
    }
  return out;
}

/* --- propagation --- */

static bool add(nereid_cta_parts_t *parts, MlirValue value, const nereid_ttg_bases_t *bases) {
  if (!has_changeable_encoding(value) || mlirShapedTypeGetRank(mlirValueGetType(value)) != bases->rank)
    return false;
  uintptr_t *place = nereid_map_insert(&parts->index, value.ptr);
  if (!place || *place)
    return false;
  *place = parts->list.size + 1;
  return nereid_vector_push(parts->arena, &parts->list, (nereid_cta_part_t){value, *bases});
}

static MlirOperation yield_of(MlirOperation op, intptr_t region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  return mlirBlockIsNull(block) ? (MlirOperation){NULL} : mlirBlockGetTerminator(block);
}

/* All values that correspond to result `number` of a loop or branch. */
static void follow_result(nereid_cta_parts_t *parts, MlirOperation op, intptr_t number,
                          const nereid_ttg_bases_t *bases) {
  add(parts, mlirOperationGetResult(op, number), bases);
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR) {
    add(parts, nereid_loop_initial(op, number), bases);
    add(parts, nereid_loop_argument(op, number), bases);
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirOperation yield = yield_of(op, r);
    if (!mlirOperationIsNull(yield))
      add(parts, mlirOperationGetOperand(yield, number), bases);
  }
}

static void follow_uniform(nereid_cta_parts_t *parts, MlirOperation op, const nereid_ttg_bases_t *bases) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, i))))
      add(parts, mlirOperationGetOperand(op, i), bases);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, i))))
      add(parts, mlirOperationGetResult(op, i), bases);
}

/* From the part of a dot's result. */
static void follow_dot(nereid_cta_parts_t *parts, MlirOperation dot, const nereid_ttg_bases_t *bases) {
  const nereid_ttg_bases_t a = only(bases, bases->rank - 2), b = only(bases, bases->rank - 1);
  add(parts, nereid_tt_dot_get_a(dot), &a);
  add(parts, nereid_tt_dot_get_b(dot), &b);
  add(parts, nereid_tt_dot_get_c(dot), bases);
  add(parts, nereid_ir_result(dot), bases);
}

static void follow_reduce(nereid_cta_parts_t *parts, MlirOperation reduce, const nereid_ttg_bases_t *source) {
  const nereid_ttg_bases_t result = without(source, nereid_tt_reduce_get_axis(reduce));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(reduce); ++i)
    add(parts, mlirOperationGetOperand(reduce, i), source);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(reduce); ++i)
    if (mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(reduce, i))))
      add(parts, mlirOperationGetResult(reduce, i), &result);
}

/* From a value to what its defining op uses. */
static void follow_definition(nereid_cta_parts_t *parts, MlirValue value, const nereid_ttg_bases_t *bases) {
  MlirOperation op = nereid_defining_op(value);
  nereid_ttg_bases_t other;
  if (mlirOperationIsNull(op)) {
    follow_result(parts, mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)),
                  mlirBlockArgumentGetArgNumber(value) - 1, bases);
    return;
  }
  switch (nereid_op_kind(op)) {
  case NEREID_OP_SCF_FOR:
  case NEREID_OP_SCF_IF:
    follow_result(parts, op, mlirOpResultGetResultNumber(value), bases);
    break;
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    add(parts, mlirOperationGetOperand(op, 0), bases);
    break;
  case NEREID_OP_TT_DOT:
    follow_dot(parts, op, bases);
    break;
  case NEREID_OP_TT_EXPAND_DIMS:
    other = without(bases, nereid_tt_expand_dims_get_axis(op));
    add(parts, mlirOperationGetOperand(op, 0), &other);
    break;
  case NEREID_OP_TT_REDUCE:
    other = with(bases, nereid_tt_reduce_get_axis(op));
    follow_reduce(parts, op, &other);
    break;
  case NEREID_OP_TT_TRANS:
    other = permuted(bases, op, true);
    add(parts, mlirOperationGetOperand(op, 0), &other);
    break;
  default:
    if (nereid_cta_parts_is_uniform(op))
      follow_uniform(parts, op, bases);
  }
}

/* From operand `number` of `op`. */
static void follow_use(nereid_cta_parts_t *parts, MlirOperation op, intptr_t number, const nereid_ttg_bases_t *bases) {
  nereid_ttg_bases_t other;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_SCF_FOR:
    follow_result(parts, op, number - NEREID_LOOP_BOUNDS, bases);
    break;
  case NEREID_OP_SCF_YIELD:
    op = mlirOperationGetParentOperation(op);
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR || nereid_op_kind(op) == NEREID_OP_SCF_IF)
      follow_result(parts, op, number, bases);
    break;
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    add(parts, nereid_ir_result(op), bases);
    break;
  case NEREID_OP_TT_DOT:
    other = number == 2 ? *bases : only(bases, bases->rank - 2 + (int)number);
    follow_dot(parts, op, &other);
    break;
  case NEREID_OP_TT_EXPAND_DIMS:
    other = with(bases, nereid_tt_expand_dims_get_axis(op));
    add(parts, nereid_ir_result(op), &other);
    break;
  case NEREID_OP_TT_REDUCE:
    follow_reduce(parts, op, bases);
    break;
  case NEREID_OP_TT_TRANS:
    other = permuted(bases, op, false);
    add(parts, nereid_ir_result(op), &other);
    break;
  default:
    if (nereid_cta_parts_is_uniform(op))
      follow_uniform(parts, op, bases);
  }
}

void nereid_cta_parts_assign(nereid_cta_parts_t *parts, MlirValue value, const nereid_ttg_bases_t *bases) {
  size_t next = parts->list.size;
  add(parts, value, bases);
  for (; next < parts->list.size && !parts->arena->failed; ++next) {
    const nereid_cta_part_t part = parts->list.data[next];
    follow_definition(parts, part.value, &part.bases);
    if (is_inexpensive(parts, part.value))
      continue;
    for (MlirOpOperand use = mlirValueGetFirstUse(part.value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      follow_use(parts, mlirOpOperandGetOwner(use), (intptr_t)mlirOpOperandGetOperandNumber(use), &part.bases);
  }
}
