/* Folds of ttg.
 *
 *   convert_layout(x) to x's own type          -> x
 *   local_alloc(local_load(b)) of b's own type -> b, when neither can be written again
 *   memdesc_trans(x) with order [0, 1, ...]    -> x
 *   memdesc_trans(memdesc_trans(x))            -> memdesc_trans(x), orders composed
 *   memdesc_reinterpret(x) to x's own type     -> x */
#include "dialects/defining_op.h"
#include "dialects/ttg/memdesc.h"

#include "bindings/ttg_hooks.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

static nereid_fold_t replaced_by(MlirValue value, nereid_fold_result_t *results) {
  results[0].value = value;
  return NEREID_FOLD_REPLACED;
}

/* Returns `value` if it has the type of the only result. */
static nereid_fold_t fold_same_type(MlirOperation op, MlirValue value, nereid_fold_result_t *results) {
  bool same = mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(mlirOperationGetResult(op, 0)));
  return same ? replaced_by(value, results) : NEREID_FOLD_NONE;
}

nereid_fold_t nereid_ttg_convert_layout_fold(MlirOperation op, intptr_t n_operands, const MlirAttribute *operands,
                                             nereid_fold_result_t *results) {
  (void)n_operands, (void)operands;
  return fold_same_type(op, nereid_ttg_convert_layout_get_src(op), results);
}

nereid_fold_t nereid_ttg_memdesc_reinterpret_fold(MlirOperation op, intptr_t n_operands, const MlirAttribute *operands,
                                                  nereid_fold_result_t *results) {
  (void)n_operands, (void)operands;
  return fold_same_type(op, nereid_ttg_memdesc_reinterpret_get_src(op), results);
}

nereid_fold_t nereid_ttg_local_alloc_fold(MlirOperation op, intptr_t n_operands, const MlirAttribute *operands,
                                          nereid_fold_result_t *results) {
  (void)n_operands, (void)operands;
  MlirOperation load = nereid_defining_op_of_kind(nereid_ttg_local_alloc_get_src(op), NEREID_OP_TTG_LOCAL_LOAD);
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_alloc_get_result(op));
  if (mlirOperationIsNull(load) || buffer.mutable_memory)
    return NEREID_FOLD_NONE;
  return fold_same_type(op, nereid_ttg_local_load_get_src(load), results);
}

nereid_fold_t nereid_ttg_memdesc_trans_fold(MlirOperation op, intptr_t n_operands, const MlirAttribute *operands,
                                            nereid_fold_result_t *results) {
  (void)n_operands, (void)operands;
  MlirValue src = nereid_ttg_memdesc_trans_get_src(op);
  int32_t order[NEREID_TTG_MAX_RANK], inner[NEREID_TTG_MAX_RANK], both[NEREID_TTG_MAX_RANK];
  int rank = nereid_ttg_ints_read(nereid_ttg_memdesc_trans_get_order_attr(op), order);
  bool identity = true;
  for (int d = 0; d < rank; d++)
    identity &= order[d] == d;
  if (identity)
    return fold_same_type(op, src, results);
  MlirOperation before = nereid_defining_op_of_kind(src, NEREID_OP_TTG_MEMDESC_TRANS);
  if (mlirOperationIsNull(before) ||
      nereid_ttg_ints_read(nereid_ttg_memdesc_trans_get_order_attr(before), inner) != rank)
    return NEREID_FOLD_NONE;
  for (int d = 0; d < rank; d++)
    both[d] = inner[order[d]];
  mlirOperationSetInherentAttributeByName(op, mlirStringRefCreateFromCString("order"),
                                          nereid_ttg_ints_make(mlirOperationGetContext(op), rank, both));
  mlirOperationSetOperand(op, 0, nereid_ttg_memdesc_trans_get_src(before));
  return NEREID_FOLD_IN_PLACE;
}
