/* Lowers ops that create or rearrange tensors without arithmetic: ranges, splats, broadcasts, views.
 *
 *   tt.splat %s : f32 -> tensor<8xf32>      every register is %s: no code
 *   tt.make_range {start = 0, end = 1024}   base of the thread | constant of the register
 *
 * A view's registers are its operand's, found by coordinates: register r of the result holds the element at some
 * coordinate, and the operand's layout determines the register that holds it in the same thread. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "nereid/dialects/tt.h"

static bool lower_splat(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  return nereid_lower_set_splat(lower, mlirOperationGetResult(op, 0), nereid_lower_operand(lower, op, 0).values[0]);
}

static bool lower_unsplat(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue source = mlirOperationGetOperand(op, 0);
  nereid_lowered_t lowered = nereid_lower_get(lower, source);
  /* The tensor has one element, so every register of every thread holds it. */
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), lowered.values[0]);
  return true;
}

static bool lower_make_range(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = mlirOperationGetResult(op, 0);
  const nereid_coordinates_t *at = nereid_lower_coordinates(lower, mlirValueGetType(result));
  if (!at)
    return false;
  const int32_t start = nereid_tt_make_range_get_start(op);
  MlirValue first = start ? nereid_emit_i32(lower, start) : (MlirValue){NULL};
  nereid_lowered_t lowered = nereid_lower_array(lower, at->registers);
  for (intptr_t r = 0; r < lowered.count; ++r) {
    MlirValue coordinate = nereid_lower_coordinate(lower, at, r, 0);
    lowered.values[r] = start ? nereid_emit_add(lower, coordinate, first) : coordinate;
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}

static bool lower_poison(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = nereid_lower_type(lower, mlirValueGetType(result));
  if (mlirTypeIsNull(type))
    return nereid_lower_error(op, "has a result type that cannot be lowered");
  return nereid_lower_set_splat(lower, result, nereid_emit(lower, "llvm.mlir.poison", type, 0, NULL));
}

/* --- views --- */

static bool operand_and_result_layouts(nereid_lower_t *lower, MlirOperation op, nereid_layout_t *from,
                                       const nereid_layout_t **to) {
  const nereid_layout_t *source = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  *to = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (!source || !*to)
    return false;
  *from = *source;
  return true;
}

/* expand_dims and reshape keep the row-major order, so the operand's layout only changes its split into dimensions. */
static bool lower_expand_dims(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_layout_t from;
  const nereid_layout_t *to;
  if (!operand_and_result_layouts(lower, op, &from, &to))
    return false;
  if (!nereid_layout_reshape(&from, to->rank, to->out_bits))
    return nereid_lower_error(op, "changes the number of elements");
  return nereid_lower_rename(lower, op, &from, to);
}

/* If the reshape may reorder, and the row-major order would move elements between threads, each thread keeps its
 * registers unchanged, as in Triton, whose passes create such reshapes of rows that must stay rows. */
static bool lower_reshape(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  nereid_layout_t from, reshaped, map;
  const nereid_layout_t *to;
  if (!operand_and_result_layouts(lower, op, &from, &to))
    return false;
  reshaped = from;
  if (!nereid_tt_reshape_get_allow_reorder(op) || !nereid_layout_same_replicas(&from, to) ||
      !nereid_layout_reshape(&reshaped, to->rank, to->out_bits) ||
      nereid_layout_convert(&reshaped, to, &map) <= NEREID_LAYOUT_CONVERSION_REGISTER)
    return lower_expand_dims(lower, op, row);
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), nereid_lower_operand(lower, op, 0));
  return true;
}

static bool lower_trans(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_layout_t from, transposed;
  const nereid_layout_t *to;
  int32_t order[NEREID_TTG_MAX_RANK];
  if (!operand_and_result_layouts(lower, op, &from, &to))
    return false;
  for (int d = 0; d < to->rank; ++d)
    order[d] = nereid_tt_trans_get_order(op, d);
  nereid_layout_transpose(&from, order, &transposed);
  return nereid_lower_rename(lower, op, &transposed, to);
}

/* A broadcast dimension has size 1 in the operand: the element is at coordinate 0 there. */
static bool lower_broadcast(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirType source_type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  nereid_lowered_t source = nereid_lower_operand(lower, op, 0);
  nereid_layout_t from;
  const nereid_layout_t *to;
  if (!operand_and_result_layouts(lower, op, &from, &to))
    return false;
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  for (intptr_t r = 0; r < lowered.count; ++r) {
    int32_t required[NEREID_TTG_MAX_RANK];
    nereid_layout_coordinates(to, nereid_layout_apply(to, (uint32_t)r, 0, 0, 0), required);
    for (int d = 0; d < to->rank; ++d)
      if (mlirShapedTypeGetDimSize(source_type, d) == 1)
        required[d] = 0;
    intptr_t found = -1;
    for (intptr_t s = 0; s < source.count && found < 0; ++s)
      if (nereid_layout_apply(&from, (uint32_t)s, 0, 0, 0) == nereid_layout_pack(&from, required))
        found = s;
    if (found < 0)
      return nereid_lower_error(op, "has an operand in another layout than its result");
    lowered.values[r] = source.values[found];
  }
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}

const nereid_lower_row_t nereid_lower_view_rows[] = {
    {NEREID_OP_UB_POISON, lower_poison, NULL},
    {NEREID_OP_TT_SPLAT, lower_splat, NULL},
    {NEREID_OP_TT_UNSPLAT, lower_unsplat, NULL},
    {NEREID_OP_TT_MAKE_RANGE, lower_make_range, NULL},
    {NEREID_OP_TT_BROADCAST, lower_broadcast, NULL},
    {NEREID_OP_TT_EXPAND_DIMS, lower_expand_dims, NULL},
    {NEREID_OP_TT_RESHAPE, lower_reshape, NULL},
    {NEREID_OP_TT_TRANS, lower_trans, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
