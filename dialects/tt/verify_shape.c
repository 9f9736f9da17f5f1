/* Verifiers of operations that create and rearrange tensors: shapes and element counts of source and result agree, and
 * so do their encodings where the source's determines the result's. trans, split and expand_dims: infer_types.c.
 *
 *   %y = tt.reshape %x : tensor<32x128xf16> -> tensor<64x32xf16>     error: ... 4096 elements ... 2048 */
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/tt/infer_types.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

MlirLogicalResult nereid_tt_make_range_verify(MlirOperation op) {
  int64_t start = nereid_tt_make_range_get_start(op), end = nereid_tt_make_range_get_end(op);
  nereid_tt_tensor_t result = nereid_tt_tensor_of(nereid_tt_make_range_get_result(op));
  if (start >= end)
    return nereid_diagnose(op, "expects end to be greater than start, got [%ld, %ld)", (long)start, (long)end);
  if (result.rank != 1)
    return nereid_diagnose(op, "expects a result of 1 dimension, got %ld", (long)result.rank);
  if (end - start != result.shape[0])
    return nereid_diagnose(op, "expects a result of %ld elements for the range [%ld, %ld), got %ld",
                           (long)(end - start), (long)start, (long)end, (long)result.shape[0]);
  if (nereid_tt_bit_width(result.element) != 32)
    return nereid_diagnose(op, "expects a result of i32 elements, got %s", nereid_text_of_type(result.element).chars);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_splat_verify(MlirOperation op) {
  MlirType type = mlirValueGetType(nereid_tt_splat_get_src(op));
  if (mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) != 0)
    return nereid_diagnose(op, "expects a scalar or a tensor of rank 0, got %s", nereid_text_of_type(type).chars);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_unsplat_verify(MlirOperation op) {
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_tt_unsplat_get_src(op));
  int64_t count = nereid_tt_tensor_count(&src);
  if (count != 1)
    return nereid_diagnose(op, "expects a tensor of one element, got %ld", (long)count);
  return nereid_tt_unsplat_types_verify(op);
}

/* Verifies that both or none have encodings. */
static MlirLogicalResult verify_both_encoded(MlirOperation op, const nereid_tt_tensor_t *src,
                                             const nereid_tt_tensor_t *result) {
  if (mlirAttributeIsNull(src->encoding) != mlirAttributeIsNull(result->encoding))
    return nereid_diagnose(op, "expects operand and result to have encodings both or neither");
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_reshape_verify(MlirOperation op) {
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_tt_reshape_get_src(op));
  nereid_tt_tensor_t result = nereid_tt_tensor_of(nereid_tt_reshape_get_result(op));
  int64_t from = nereid_tt_tensor_count(&src), to = nereid_tt_tensor_count(&result);
  if (from != to)
    return nereid_diagnose(op, "expects a result of as many elements as the operand, %ld, got %ld", (long)from,
                           (long)to);
  if (mlirLogicalResultIsFailure(verify_both_encoded(op, &src, &result)))
    return mlirLogicalResultFailure();
  if (mlirAttributeIsNull(src.encoding) || nereid_tt_reshape_get_allow_reorder(op))
    return mlirLogicalResultSuccess();
  MlirAttribute expected;
  if (!nereid_ttg_infer_reshape_encoding(src.rank, src.shape, src.encoding, result.rank, result.shape,
                                         mlirOperationGetLocation(op), &expected))
    return mlirLogicalResultFailure();
  if (!nereid_ttg_encodings_hold_same(expected, result.encoding, result.rank, result.shape))
    return nereid_diagnose(op, "expects every element to stay in its thread, that is, encoding %s, got %s",
                           nereid_text_of_attribute(expected).chars, nereid_text_of_attribute(result.encoding).chars);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_broadcast_verify(MlirOperation op) {
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_tt_broadcast_get_src(op));
  nereid_tt_tensor_t result = nereid_tt_tensor_of(nereid_tt_broadcast_get_result(op));
  if (src.rank != result.rank)
    return nereid_diagnose(op, "expects a result of the operand's rank, %ld, got %ld (tt.expand_dims adds dimensions)",
                           (long)src.rank, (long)result.rank);
  for (intptr_t i = 0; i < src.rank; i++)
    if (src.shape[i] != 1 && src.shape[i] != result.shape[i])
      return nereid_diagnose(op, "expects dimension %ld to be unchanged or broadcast from size 1, got %ld to %ld",
                             (long)i, (long)src.shape[i], (long)result.shape[i]);
  if (!nereid_ttg_encodings_broadcast(src.encoding, src.shape, result.encoding, result.shape, result.rank))
    return nereid_diagnose(op,
                           "expects operand and result to have one encoding, or encodings with which every thread "
                           "holds the elements that it broadcasts, %s, got %s",
                           nereid_text_of_attribute(src.encoding).chars,
                           nereid_text_of_attribute(result.encoding).chars);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_cat_verify(MlirOperation op) {
  nereid_tt_tensor_t part = nereid_tt_tensor_of(nereid_tt_cat_get_lhs(op));
  nereid_tt_tensor_t result = nereid_tt_tensor_of(nereid_tt_cat_get_result(op));
  int64_t expected = 2 * nereid_tt_tensor_count(&part), got = nereid_tt_tensor_count(&result);
  if (part.rank != result.rank)
    return nereid_diagnose(op, "expects a result of the operands' rank, %ld, got %ld", (long)part.rank,
                           (long)result.rank);
  if (expected != got)
    return nereid_diagnose(op, "expects a result with the elements of both operands, %ld, got %ld", (long)expected,
                           (long)got);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_join_verify(MlirOperation op) {
  nereid_tt_tensor_t part = nereid_tt_tensor_of(nereid_tt_join_get_lhs(op));
  nereid_tt_tensor_t result = nereid_tt_tensor_of(nereid_tt_join_get_result(op));
  nereid_tt_tensor_t expected = part;
  if (part.rank == NEREID_TT_MAX_RANK)
    return nereid_diagnose(op, "expects operands of at most %d dimensions", NEREID_TT_MAX_RANK - 1);
  expected.shape[expected.rank++] = 2;
  expected.encoding = result.encoding;
  if (!mlirTypeEqual(nereid_tt_tensor_type(&expected), nereid_tt_tensor_type(&result)))
    return nereid_diagnose(op, "expects a result of type %s, got %s",
                           nereid_text_of_type(nereid_tt_tensor_type(&expected)).chars,
                           nereid_text_of_type(nereid_tt_tensor_type(&result)).chars);
  if (mlirLogicalResultIsFailure(verify_both_encoded(op, &part, &result)))
    return mlirLogicalResultFailure();
  MlirAttribute halves;
  if (!nereid_ttg_infer_split_encoding(result.encoding, result.rank, result.shape, mlirOperationGetLocation(op),
                                       &halves))
    return mlirLogicalResultFailure();
  if (!nereid_ttg_encodings_equivalent(halves, part.encoding, part.rank, part.shape))
    return nereid_diagnose(op, "expects operands of encoding %s for a result of this encoding, got %s",
                           nereid_text_of_attribute(halves).chars, nereid_text_of_attribute(part.encoding).chars);
  return mlirLogicalResultSuccess();
}
