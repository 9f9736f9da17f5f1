/* Canonicalization patterns of tt.
 *
 *   load(p, true, ..)            -> load(p)            load(p, false, other) -> other
 *   store(p, v, true)            -> store(p, v)        store(p, v, false)    -> nothing
 *   expand_dims(splat(x))        -> splat(x)           reshape(splat(x)), broadcast(splat(x)) -> splat(x)
 *   expand_dims(broadcast(x))    -> broadcast(expand_dims(x))
 *   broadcast(broadcast(x))      -> broadcast(x)       reshape(reshape(x))   -> reshape(x)
 *
 * Results keep their type, encoding included; loads and stores keep the attributes that later passes use. */
#include "bindings/tt_hooks.h"
#include "dialects/defining_op.h"
#include "dialects/tt/tensor.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static MlirLogicalResult no_match(void) {
  return mlirLogicalResultFailure();
}

/* Replaces `op` by `made` and erases it. A null `made` (a reported error) changes nothing. */
static MlirLogicalResult replace(MlirRewriterBase rewriter, MlirOperation op, MlirOperation made) {
  if (mlirOperationIsNull(made))
    return no_match();
  mlirRewriterBaseInsert(rewriter, made);
  mlirRewriterBaseReplaceOpWithOperation(rewriter, op, made);
  return mlirLogicalResultSuccess();
}

/* Builds detached operations, for the rewriter to insert. */
static nereid_builder_t detached(MlirOperation at) {
  nereid_builder_t builder = {mlirOperationGetLocation(at), {NULL}, {NULL}};
  return builder;
}

/* --- constant masks --- */

typedef enum mask { MASK_UNKNOWN, MASK_ALL, MASK_NONE } mask_t;

static mask_t mask_of(MlirValue value) {
  if (mlirValueIsNull(value))
    return MASK_UNKNOWN;
  MlirOperation constant = nereid_defining_op_of_kind(value, NEREID_OP_ARITH_CONSTANT);
  if (mlirOperationIsNull(constant))
    return MASK_UNKNOWN;
  MlirAttribute bits = nereid_arith_constant_get_value_attr(constant);
  if (mlirAttributeIsADenseElements(bits) && mlirDenseElementsAttrIsSplat(bits))
    bits = mlirDenseElementsAttrGetSplatValue(bits);
  if (!mlirAttributeIsAInteger(bits))
    return MASK_UNKNOWN;
  return mlirIntegerAttrGetValueInt(bits) ? MASK_ALL : MASK_NONE;
}

MlirLogicalResult nereid_tt_load_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  mask_t mask = mask_of(nereid_tt_load_get_mask(op));
  MlirValue other = nereid_tt_load_get_other(op);
  if (mask == MASK_UNKNOWN || (mask == MASK_NONE && mlirValueIsNull(other)))
    return no_match();
  if (mask == MASK_NONE) {
    mlirRewriterBaseReplaceOpWithValues(rewriter, op, 1, &other);
    return mlirLogicalResultSuccess();
  }
  MlirValue pointer = nereid_tt_load_get_ptr(op);
  int32_t segments[3] = {1, 0, 0}; /* pointer, mask, other */
  mlirRewriterBaseStartOpModification(rewriter, op);
  mlirOperationSetOperands(op, 1, &pointer);
  mlirOperationSetInherentAttributeByName(op, mlirStringRefCreateFromCString("operandSegmentSizes"),
                                          mlirDenseI32ArrayGet(mlirOperationGetContext(op), 3, segments));
  mlirRewriterBaseFinalizeOpModification(rewriter, op);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_store_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  mask_t mask = mask_of(nereid_tt_store_get_mask(op));
  if (mask == MASK_UNKNOWN)
    return no_match();
  if (mask == MASK_NONE) {
    mlirRewriterBaseEraseOp(rewriter, op);
    return mlirLogicalResultSuccess();
  }
  MlirValue operands[2] = {nereid_tt_store_get_ptr(op), nereid_tt_store_get_value(op)};
  mlirRewriterBaseStartOpModification(rewriter, op);
  mlirOperationSetOperands(op, 2, operands);
  mlirRewriterBaseFinalizeOpModification(rewriter, op);
  return mlirLogicalResultSuccess();
}

/* --- shapes --- */

/* <shape op>(splat(x)) -> splat(x) of the result type. */
static MlirLogicalResult replace_by_splat(MlirOperation op, MlirRewriterBase rewriter, MlirOperation splat) {
  nereid_builder_t builder = detached(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return replace(rewriter, op, nereid_tt_splat_build(&builder, type, nereid_tt_splat_get_src(splat)));
}

MlirLogicalResult nereid_tt_expand_dims_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  MlirValue src = nereid_tt_expand_dims_get_src(op);
  MlirOperation splat = nereid_defining_op_of_kind(src, NEREID_OP_TT_SPLAT),
                broadcast = nereid_defining_op_of_kind(src, NEREID_OP_TT_BROADCAST);
  if (!mlirOperationIsNull(splat))
    return replace_by_splat(op, rewriter, splat);
  if (mlirOperationIsNull(broadcast))
    return no_match();
  nereid_builder_t builder = detached(op);
  MlirOperation expanded =
      nereid_tt_expand_dims_build(&builder, nereid_tt_broadcast_get_src(broadcast), nereid_tt_expand_dims_get_axis(op));
  if (mlirOperationIsNull(expanded))
    return no_match();
  mlirRewriterBaseInsert(rewriter, expanded);
  builder = detached(broadcast);
  return replace(rewriter, op,
                 nereid_tt_broadcast_build(&builder, mlirValueGetType(nereid_tt_expand_dims_get_result(op)),
                                           nereid_tt_expand_dims_get_result(expanded)));
}

MlirLogicalResult nereid_tt_broadcast_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  MlirValue src = nereid_tt_broadcast_get_src(op);
  MlirOperation splat = nereid_defining_op_of_kind(src, NEREID_OP_TT_SPLAT),
                inner = nereid_defining_op_of_kind(src, NEREID_OP_TT_BROADCAST);
  if (!mlirOperationIsNull(splat))
    return replace_by_splat(op, rewriter, splat);
  if (mlirOperationIsNull(inner))
    return no_match();
  nereid_builder_t builder = detached(op);
  MlirType type = mlirValueGetType(nereid_tt_broadcast_get_result(op));
  return replace(rewriter, op, nereid_tt_broadcast_build(&builder, type, nereid_tt_broadcast_get_src(inner)));
}

MlirLogicalResult nereid_tt_reshape_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  MlirValue src = nereid_tt_reshape_get_src(op);
  MlirOperation splat = nereid_defining_op_of_kind(src, NEREID_OP_TT_SPLAT),
                inner = nereid_defining_op_of_kind(src, NEREID_OP_TT_RESHAPE);
  if (nereid_tt_reshape_get_efficient_layout(op))
    return no_match();
  if (!mlirOperationIsNull(splat))
    return replace_by_splat(op, rewriter, splat);
  if (mlirOperationIsNull(inner))
    return no_match();
  /* If one of the two may reorder, any order of the elements is valid. */
  bool reorder = nereid_tt_reshape_get_allow_reorder(op) || nereid_tt_reshape_get_allow_reorder(inner);
  nereid_builder_t builder = detached(op);
  MlirType type = mlirValueGetType(nereid_tt_reshape_get_result(op));
  return replace(rewriter, op,
                 nereid_tt_reshape_build(&builder, type, nereid_tt_reshape_get_src(inner), reorder, false));
}
