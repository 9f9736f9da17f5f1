/* Canonicalization patterns of layout conversions.
 *
 *   cvt(cvt(x)) -> cvt(x)      cvt(splat), cvt(make_range), cvt(constant splat) -> the same with the new encoding
 *   cvt(local_load) -> local_load        cvt(histogram), cvt(cat), cvt(reshape, elements reordered) likewise
 *   local_alloc(cvt(x)), local_store(cvt(x)), gather(cvt(x)), histogram(cvt(x)) -> of x
 *   split(cvt(x)), trans(cvt(x)), reshape(cvt(x)) -> of x, when the result's encoding still follows
 *   trans(x) that permutes nothing but respells the encoding -> cvt(x)
 *
 * Patterns on users of a conversion also start at the conversion, so that all rules are in one file. A conversion to an
 * operand of a tensor core instruction is kept when its source is an accumulator, because it may be free there. */
#include "bindings/tt_hooks.h"
#include "bindings/ttg_hooks.h"
#include "dialects/defining_op.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static MlirLogicalResult no_match(void) {
  return mlirLogicalResultFailure();
}

static MlirAttribute encoding_of(MlirValue value) {
  return nereid_tt_tensor_of(value).encoding;
}

static bool is_dot_operand(MlirAttribute encoding) {
  return !mlirAttributeIsNull(encoding) && nereid_ttg_dot_op_attr_isa(encoding);
}

static MlirLogicalResult set_operand(MlirRewriterBase rewriter, MlirOperation op, intptr_t index, MlirValue value) {
  mlirRewriterBaseStartOpModification(rewriter, op);
  mlirOperationSetOperand(op, index, value);
  mlirRewriterBaseFinalizeOpModification(rewriter, op);
  return mlirLogicalResultSuccess();
}

/* --- defining ops of the conversion's source --- */

/* Replaces `op` by a copy of `source` whose result has the type of `op`. */
static MlirLogicalResult replace_by_retyped(MlirRewriterBase rewriter, MlirOperation op, MlirOperation source) {
  MlirOperation copy = mlirOperationClone(source);
  mlirValueSetType(mlirOperationGetResult(copy, 0), mlirValueGetType(mlirOperationGetResult(op, 0)));
  mlirRewriterBaseInsert(rewriter, copy);
  mlirRewriterBaseReplaceOpWithOperation(rewriter, op, copy);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult convert_of_constant(MlirRewriterBase rewriter, MlirOperation op, MlirOperation source) {
  MlirAttribute value = nereid_arith_constant_get_value_attr(source);
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return no_match();
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirAttribute splat = mlirDenseElementsAttrSplatGet(type, mlirDenseElementsAttrGetSplatValue(value));
  nereid_builder_t detached = {mlirOperationGetLocation(source), {NULL}, {NULL}};
  MlirOperation made = nereid_arith_constant_build(&detached, splat);
  if (mlirOperationIsNull(made))
    return no_match();
  mlirRewriterBaseInsert(rewriter, made);
  mlirRewriterBaseReplaceOpWithOperation(rewriter, op, made);
  return mlirLogicalResultSuccess();
}

static bool layouts_of(MlirType a, MlirType b, nereid_layout_t *out_a, nereid_layout_t *out_b) {
  return nereid_layout_from_type(a, out_a) == NEREID_OK && nereid_layout_from_type(b, out_b) == NEREID_OK;
}

/* Returns whether a reshape that may reorder elements must move some to other threads. It need not when the number of
 * elements per thread is unchanged and the same registers and threads hold replicas. */
static bool reshape_is_expensive(MlirType from, MlirType to) {
  nereid_layout_t a, b;
  return !layouts_of(from, to, &a, &b) || !nereid_layout_same_replicas(&a, &b);
}

static MlirLogicalResult convert_of_reshape(MlirRewriterBase rewriter, MlirOperation op, MlirOperation source) {
  MlirValue from = nereid_tt_reshape_get_src(source), to = mlirOperationGetResult(op, 0);
  bool movable = nereid_tt_reshape_get_allow_reorder(source) && !nereid_tt_reshape_get_efficient_layout(source);
  if (!movable || is_dot_operand(encoding_of(to)) || is_dot_operand(encoding_of(mlirOperationGetOperand(op, 0))) ||
      reshape_is_expensive(mlirValueGetType(from), mlirValueGetType(to)))
    return no_match();
  return replace_by_retyped(rewriter, op, source);
}

/* With other replicas than the concatenation, elements would have to move. */
static MlirLogicalResult convert_of_cat(MlirRewriterBase rewriter, MlirOperation op, MlirOperation source) {
  nereid_layout_t before, after;
  if (!layouts_of(mlirValueGetType(mlirOperationGetResult(source, 0)), mlirValueGetType(mlirOperationGetResult(op, 0)),
                  &before, &after) ||
      !nereid_layout_same_replicas(&before, &after))
    return no_match();
  return replace_by_retyped(rewriter, op, source);
}

/* A buffer is in one CTA, and an op that combines elements does so within one: conversions between CTAs stay beside
 * them. */
static MlirLogicalResult rewrite_producer(MlirRewriterBase rewriter, MlirOperation op) {
  MlirAttribute from = encoding_of(mlirOperationGetOperand(op, 0)), to = encoding_of(mlirOperationGetResult(op, 0));
  MlirOperation source = nereid_defining_op(mlirOperationGetOperand(op, 0));
  bool accumulator = !mlirAttributeIsNull(from) && nereid_ttg_nvidia_mma_attr_isa(from);
  if (mlirOperationIsNull(source) || (is_dot_operand(to) && accumulator))
    return no_match();
  switch (nereid_op_kind(source)) {
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return set_operand(rewriter, op, 0, nereid_ttg_convert_layout_get_src(source));
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_MAKE_RANGE:
    return replace_by_retyped(rewriter, op, source);
  case NEREID_OP_TT_HISTOGRAM:
    return nereid_ttg_crosses_ctas(op) ? no_match() : replace_by_retyped(rewriter, op, source);
  case NEREID_OP_TTG_LOCAL_LOAD:
    if (nereid_ttg_crosses_ctas(op))
      return no_match();
    /* At the load: the buffer may be written before the conversion. */
    mlirRewriterBaseSetInsertionPointBefore(rewriter, source);
    return replace_by_retyped(rewriter, op, source);
  case NEREID_OP_TT_RESHAPE:
    return convert_of_reshape(rewriter, op, source);
  case NEREID_OP_TT_CAT:
    return convert_of_cat(rewriter, op, source);
  case NEREID_OP_ARITH_CONSTANT:
    return convert_of_constant(rewriter, op, source);
  default:
    return no_match();
  }
}

/* --- users of the conversion --- */

/* Returns whether source and result of the conversion `op` have the same layout, spelled differently. */
static bool is_renaming(MlirOperation op) {
  return nereid_tt_types_equivalent(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                                    mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static MlirLogicalResult reshape_of_convert(MlirRewriterBase rewriter, MlirOperation user, MlirOperation op) {
  MlirValue src = nereid_ttg_convert_layout_get_src(op);
  if (!is_renaming(op) &&
      (!nereid_tt_reshape_get_allow_reorder(user) ||
       reshape_is_expensive(mlirValueGetType(src), mlirValueGetType(nereid_tt_reshape_get_result(user)))))
    return no_match();
  return set_operand(rewriter, user, 0, src);
}

static MlirLogicalResult split_of_convert(MlirRewriterBase rewriter, MlirOperation user, MlirOperation op) {
  MlirLocation quiet = {NULL};
  MlirValue src = nereid_ttg_convert_layout_get_src(op);
  nereid_tt_tensor_t tensor = nereid_tt_tensor_of(src);
  MlirAttribute half;
  if (!nereid_ttg_infer_split_encoding(tensor.encoding, (int)tensor.rank, tensor.shape, quiet, &half) ||
      !mlirAttributeEqual(half, encoding_of(nereid_tt_split_get_out_lhs(user))))
    return no_match();
  return set_operand(rewriter, user, 0, src);
}

/* Converts the mask to the encoding of the new source. */
static MlirLogicalResult histogram_of_convert(MlirRewriterBase rewriter, MlirOperation user, MlirOperation op) {
  MlirValue src = nereid_ttg_convert_layout_get_src(op), mask = nereid_tt_histogram_get_mask(user);
  if (!mlirValueIsNull(mask)) {
    nereid_tt_tensor_t tensor = nereid_tt_tensor_of(mask);
    tensor.encoding = encoding_of(src);
    nereid_builder_t detached = {mlirOperationGetLocation(user), {NULL}, {NULL}};
    MlirOperation convert = nereid_ttg_convert_layout_build(&detached, nereid_tt_tensor_type(&tensor), mask);
    if (mlirOperationIsNull(convert))
      return no_match();
    mlirRewriterBaseSetInsertionPointBefore(rewriter, user);
    mlirRewriterBaseInsert(rewriter, convert);
    set_operand(rewriter, user, 1, mlirOperationGetResult(convert, 0));
  }
  return set_operand(rewriter, user, 0, src);
}

static MlirLogicalResult rewrite_user(MlirRewriterBase rewriter, MlirOperation op, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (mlirOpOperandGetOperandNumber(use) != 0)
    return no_match();
  switch (nereid_op_kind(user)) {
  case NEREID_OP_TTG_LOCAL_ALLOC:
  case NEREID_OP_TTG_LOCAL_STORE:
    return nereid_ttg_crosses_ctas(op) ? no_match()
                                       : set_operand(rewriter, user, 0, nereid_ttg_convert_layout_get_src(op));
  case NEREID_OP_TT_GATHER:
    /* Without the efficient_layout attribute the source goes through shared memory, from any layout. */
    return nereid_tt_gather_get_efficient_layout(user) || nereid_ttg_crosses_ctas(op)
               ? no_match()
               : set_operand(rewriter, user, 0, nereid_ttg_convert_layout_get_src(op));
  case NEREID_OP_TT_TRANS:
    return is_renaming(op) ? set_operand(rewriter, user, 0, nereid_ttg_convert_layout_get_src(op)) : no_match();
  case NEREID_OP_TT_RESHAPE:
    return reshape_of_convert(rewriter, user, op);
  case NEREID_OP_TT_SPLIT:
    return split_of_convert(rewriter, user, op);
  case NEREID_OP_TT_HISTOGRAM:
    return nereid_ttg_crosses_ctas(op) ? no_match() : histogram_of_convert(rewriter, user, op);
  default:
    return no_match();
  }
}

MlirLogicalResult nereid_ttg_convert_layout_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  if (mlirLogicalResultIsSuccess(rewrite_producer(rewriter, op)))
    return mlirLogicalResultSuccess();
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (mlirLogicalResultIsSuccess(rewrite_user(rewriter, op, use)))
      return mlirLogicalResultSuccess();
  return no_match();
}

MlirLogicalResult nereid_tt_trans_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  MlirValue src = nereid_tt_trans_get_src(op), result = nereid_tt_trans_get_result(op);
  for (intptr_t i = 0; i < nereid_tt_trans_get_order_count(op); i++)
    if (nereid_tt_trans_get_order(op, i) != i)
      return no_match();
  if (mlirAttributeIsNull(encoding_of(src)) || mlirAttributeIsNull(encoding_of(result)))
    return no_match();
  nereid_builder_t detached = {mlirOperationGetLocation(op), {NULL}, {NULL}};
  MlirOperation convert = nereid_ttg_convert_layout_build(&detached, mlirValueGetType(result), src);
  if (mlirOperationIsNull(convert))
    return no_match();
  mlirRewriterBaseInsert(rewriter, convert);
  mlirRewriterBaseReplaceOpWithOperation(rewriter, op, convert);
  return mlirLogicalResultSuccess();
}
