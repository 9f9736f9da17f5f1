/* Folds: operations whose result is a constant or an existing value.
 *
 *   splat(c)                       -> dense<c>
 *   unsplat(splat(x))              -> x
 *   broadcast, expand_dims, reshape, trans of dense<c> -> dense<c> of the result type
 *   reshape, broadcast to the same type; trans by the identity; fp_to_fp to the same type -> operand
 *   trans(trans(x))                -> trans(x) by the composed order, in place
 *   fp_to_fp(+-0)                  -> +-0
 *   addptr(p, 0), advance(p, 0..)  -> p
 *   make_range(n, n + 1)           -> dense<n>
 *
 * Every fold keeps every bit of the result. */
#include "bindings/tt_hooks.h"
#include "dialects/defining_op.h"
#include "dialects/tt/tensor.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <math.h>

static nereid_fold_t to_value(nereid_fold_result_t *result, MlirValue value) {
  result->value = value;
  result->attribute = mlirAttributeGetNull();
  return NEREID_FOLD_REPLACED;
}

static nereid_fold_t to_attribute(nereid_fold_result_t *result, MlirAttribute attribute) {
  result->value.ptr = NULL;
  result->attribute = attribute;
  return NEREID_FOLD_REPLACED;
}

static bool same_type(MlirValue a, MlirValue b) {
  return mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
}

static bool is_splat(MlirAttribute attribute) {
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsADenseElements(attribute) &&
         mlirDenseElementsAttrIsSplat(attribute);
}

static bool is_scalar(MlirAttribute attribute) {
  return !mlirAttributeIsNull(attribute) && (mlirAttributeIsAInteger(attribute) || mlirAttributeIsAFloat(attribute));
}

/* Returns the scalar of a splat or scalar constant; null for other constants. */
static MlirAttribute scalar_of(MlirAttribute constant) {
  if (is_scalar(constant))
    return constant;
  return is_splat(constant) ? mlirDenseElementsAttrGetSplatValue(constant) : mlirAttributeGetNull();
}

/* Returns the constant of `type`, scalar or tensor, with `scalar` in every element. */
static MlirAttribute constant_of(MlirType type, MlirAttribute scalar) {
  return mlirTypeIsARankedTensor(type) ? mlirDenseElementsAttrSplatGet(type, scalar) : scalar;
}

static bool is_integer_zero(MlirAttribute constant) {
  MlirAttribute scalar = scalar_of(constant);
  return !mlirAttributeIsNull(scalar) && mlirAttributeIsAInteger(scalar) && mlirIntegerAttrGetValueInt(scalar) == 0;
}

/* --- pointers, conversions --- */

nereid_fold_t nereid_tt_addptr_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                    nereid_fold_result_t *results) {
  (void)n;
  return is_integer_zero(operands[1]) ? to_value(results, nereid_tt_addptr_get_ptr(op)) : NEREID_FOLD_NONE;
}

nereid_fold_t nereid_tt_advance_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                     nereid_fold_result_t *results) {
  for (intptr_t i = 1; i < n; i++)
    if (!is_integer_zero(operands[i]))
      return NEREID_FOLD_NONE;
  return to_value(results, nereid_tt_advance_get_ptr(op));
}

nereid_fold_t nereid_tt_fp_to_fp_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                      nereid_fold_result_t *results) {
  (void)n;
  MlirValue src = nereid_tt_fp_to_fp_get_src(op), result = nereid_tt_fp_to_fp_get_result(op);
  if (same_type(src, result))
    return to_value(results, src);
  MlirAttribute scalar = scalar_of(operands[0]);
  if (mlirAttributeIsNull(scalar) || !mlirAttributeIsAFloat(scalar))
    return NEREID_FOLD_NONE;
  double value = mlirFloatAttrGetValueDouble(scalar);
  if (fpclassify(value) != FP_ZERO)
    return NEREID_FOLD_NONE;
  MlirType type = mlirValueGetType(result), element = nereid_tt_element_type(type);
  return to_attribute(results, constant_of(type, mlirFloatAttrDoubleGet(mlirTypeGetContext(element), element, value)));
}

/* --- shapes --- */

nereid_fold_t nereid_tt_make_range_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                        nereid_fold_result_t *results) {
  (void)n, (void)operands;
  int64_t start = nereid_tt_make_range_get_start(op), end = nereid_tt_make_range_get_end(op);
  if (start + 1 != end)
    return NEREID_FOLD_NONE;
  MlirType type = mlirValueGetType(nereid_tt_make_range_get_result(op));
  return to_attribute(results, constant_of(type, nereid_tt_make_range_get_start_attr(op)));
}

nereid_fold_t nereid_tt_splat_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                   nereid_fold_result_t *results) {
  (void)n;
  if (!is_scalar(operands[0]))
    return NEREID_FOLD_NONE;
  return to_attribute(results, constant_of(mlirValueGetType(nereid_tt_splat_get_result(op)), operands[0]));
}

nereid_fold_t nereid_tt_unsplat_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                     nereid_fold_result_t *results) {
  (void)n;
  MlirAttribute scalar = scalar_of(operands[0]);
  if (!mlirAttributeIsNull(scalar))
    return to_attribute(results, scalar);
  MlirOperation splat = nereid_defining_op_of_kind(nereid_tt_unsplat_get_src(op), NEREID_OP_TT_SPLAT);
  /* The operand of a splat of rank 0 may have a type other than the scalar's. */
  if (mlirOperationIsNull(splat) || mlirTypeIsARankedTensor(mlirValueGetType(nereid_tt_splat_get_src(splat))))
    return NEREID_FOLD_NONE;
  return to_value(results, nereid_tt_splat_get_src(splat));
}

/* Folds constants under an operation that keeps the row-major order of the elements. */
static nereid_fold_t fold_reshaped(MlirAttribute constant, MlirValue result, nereid_fold_result_t *results) {
  MlirType type = mlirValueGetType(result);
  if (is_splat(constant))
    return to_attribute(results, constant_of(type, mlirDenseElementsAttrGetSplatValue(constant)));
  if (!mlirAttributeIsNull(constant) && mlirAttributeIsADenseElements(constant))
    return to_attribute(results, mlirDenseElementsAttrReshapeGet(constant, type));
  return NEREID_FOLD_NONE;
}

nereid_fold_t nereid_tt_expand_dims_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                         nereid_fold_result_t *results) {
  (void)n;
  return fold_reshaped(operands[0], nereid_tt_expand_dims_get_result(op), results);
}

nereid_fold_t nereid_tt_reshape_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                     nereid_fold_result_t *results) {
  (void)n;
  MlirValue src = nereid_tt_reshape_get_src(op), result = nereid_tt_reshape_get_result(op);
  if (same_type(src, result) && !nereid_tt_reshape_get_allow_reorder(op))
    return to_value(results, src);
  return fold_reshaped(operands[0], result, results);
}

nereid_fold_t nereid_tt_broadcast_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                       nereid_fold_result_t *results) {
  (void)n;
  MlirValue src = nereid_tt_broadcast_get_src(op), result = nereid_tt_broadcast_get_result(op);
  if (same_type(src, result))
    return to_value(results, src);
  if (!is_splat(operands[0]))
    return NEREID_FOLD_NONE;
  return to_attribute(results, constant_of(mlirValueGetType(result), mlirDenseElementsAttrGetSplatValue(operands[0])));
}

static bool is_identity(MlirAttribute order) {
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(order); i++)
    if (mlirDenseI32ArrayGetElement(order, i) != i)
      return false;
  return true;
}

/* trans(trans(x, inner), outer): dimension i of the result is dimension inner[outer[i]] of x. */
static nereid_fold_t compose_trans(MlirOperation op, MlirOperation inner) {
  MlirAttribute first = nereid_tt_trans_get_order_attr(inner), second = nereid_tt_trans_get_order_attr(op);
  int32_t composed[NEREID_TT_MAX_RANK];
  intptr_t rank = mlirDenseArrayGetNumElements(second);
  for (intptr_t i = 0; i < rank; i++)
    composed[i] = mlirDenseI32ArrayGetElement(first, mlirDenseI32ArrayGetElement(second, i));
  mlirOperationSetInherentAttributeByName(op, mlirStringRefCreateFromCString("order"),
                                          mlirDenseI32ArrayGet(mlirOperationGetContext(op), rank, composed));
  mlirOperationSetOperand(op, 0, nereid_tt_trans_get_src(inner));
  return NEREID_FOLD_IN_PLACE;
}

nereid_fold_t nereid_tt_trans_fold(MlirOperation op, intptr_t n, const MlirAttribute *operands,
                                   nereid_fold_result_t *results) {
  (void)n;
  MlirValue src = nereid_tt_trans_get_src(op), result = nereid_tt_trans_get_result(op);
  if (is_identity(nereid_tt_trans_get_order_attr(op)) && same_type(src, result))
    return to_value(results, src);
  MlirOperation inner = nereid_defining_op_of_kind(src, NEREID_OP_TT_TRANS);
  if (!mlirOperationIsNull(inner))
    return compose_trans(op, inner);
  if (!is_splat(operands[0]))
    return NEREID_FOLD_NONE;
  return to_attribute(results, constant_of(mlirValueGetType(result), mlirDenseElementsAttrGetSplatValue(operands[0])));
}
