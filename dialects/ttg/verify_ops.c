/* Verifiers of loads, stores and copies of buffers, fp4, scratch, masked regions.
 *
 *   ttg.local_store %t, %b : tensor<8xf32, #l> -> !ttg.memdesc<8xf16, #s, #smem>
 *     error: buffer is not mutable */
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/tt/tensor.h"
#include "dialects/tt/verify.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/memdesc.h"

#include "bindings/ttg_hooks.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/effects.h"

#include <mlir-c/BuiltinTypes.h>

#include <string.h>

static MlirLogicalResult success(void) {
  return mlirLogicalResultSuccess();
}

/* Verifies that a tensor and the buffer from which it is loaded or to which it is stored have one shape and element
 * type. */
static MlirLogicalResult check_transfer(MlirOperation op, MlirValue tensor_value, const nereid_ttg_memdesc_t *buffer) {
  nereid_tt_tensor_t tensor = nereid_tt_tensor_of(tensor_value);
  if (!mlirTypeEqual(tensor.element, buffer->element))
    return nereid_diagnose(op, "tensor has element type %s, the buffer %s", nereid_text_of_type(tensor.element).chars,
                           nereid_text_of_type(buffer->element).chars);
  if (tensor.rank != buffer->rank ||
      memcmp(tensor.shape, buffer->shape, (size_t)tensor.rank * sizeof tensor.shape[0]) != 0)
    return nereid_diagnose(op, "tensor and buffer must have the same shape");
  if (nereid_ttg_encoding_rank(buffer->encoding) != tensor.rank)
    return nereid_diagnose(op, "tensor has rank %ld, the buffer's encoding %d", (long)tensor.rank,
                           nereid_ttg_encoding_rank(buffer->encoding));
  return success();
}

MlirLogicalResult nereid_ttg_local_alloc_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_alloc_get_result(op));
  MlirValue src = nereid_ttg_local_alloc_get_src(op);
  if (buffer.rank != buffer.alloc_rank || memcmp(buffer.shape, buffer.alloc, sizeof buffer.shape) != 0)
    return nereid_diagnose(op, "result must be a whole buffer, not a view of a larger one");
  if (mlirValueIsNull(src) && !buffer.mutable_memory)
    return nereid_diagnose(op, "a buffer without an initial value must be mutable");
  return mlirValueIsNull(src) ? success() : check_transfer(op, src, &buffer);
}

/* Whether an asynchronous op reads `buffer` or a view of it. */
static bool is_read_in_flight(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_TTNG_WARP_GROUP_DOT && nereid_ttng_warp_group_dot_get_is_async(user))
      return true;
    if (nereid_ttg_is_memdesc_view(user) && is_read_in_flight(mlirOperationGetResult(user, 0)))
      return true;
  }
  return false;
}

/* An immutable buffer without an offset is a plain value: equal ones may be merged, unused ones removed. Not if dots in
 * flight read it: waits for them precede the next write of each buffer, which would be an earlier one after a merge. */
void nereid_ttg_local_alloc_effects(MlirOperation op, nereid_effects_t effects) {
  MlirValue result = nereid_ttg_local_alloc_get_result(op);
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(result);
  MlirAttribute offset = nereid_ir_attribute(op, NEREID_ATTR_ALLOCATION_OFFSET);
  if (!buffer.mutable_memory && mlirAttributeIsNull(offset) && !is_read_in_flight(result))
    return;
  nereidMlirEffectsAddResult(effects, NereidMlirEffectAllocate, op, 0, NereidMlirResourceShared);
  if (!mlirValueIsNull(nereid_ttg_local_alloc_get_src(op)))
    nereidMlirEffectsAddResult(effects, NereidMlirEffectWrite, op, 0, NereidMlirResourceShared);
}

MlirLogicalResult nereid_ttg_local_load_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_load_get_src(op));
  return check_transfer(op, nereid_ttg_local_load_get_result(op), &buffer);
}

static MlirLogicalResult check_mutable(MlirOperation op, const nereid_ttg_memdesc_t *buffer) {
  return buffer->mutable_memory ? success() : nereid_diagnose(op, "cannot write to a buffer that is not mutable");
}

MlirLogicalResult nereid_ttg_local_store_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_store_get_dst(op));
  if (mlirLogicalResultIsFailure(check_mutable(op, &buffer)))
    return mlirLogicalResultFailure();
  return check_transfer(op, nereid_ttg_local_store_get_src(op), &buffer);
}

/* Verifies that `values` and `indices` agree and that the indices select elements of the buffer along `axis`. */
static MlirLogicalResult check_indexed(MlirOperation op, const nereid_ttg_memdesc_t *buffer, MlirValue values_value,
                                       MlirValue indices_value, int32_t axis) {
  nereid_tt_tensor_t values = nereid_tt_tensor_of(values_value), indices = nereid_tt_tensor_of(indices_value);
  if (!mlirTypeEqual(values.element, buffer->element))
    return nereid_diagnose(op, "tensor has element type %s, the buffer %s", nereid_text_of_type(values.element).chars,
                           nereid_text_of_type(buffer->element).chars);
  if (values.rank != indices.rank ||
      memcmp(values.shape, indices.shape, (size_t)values.rank * sizeof values.shape[0]) != 0)
    return nereid_diagnose(op, "tensor and indices must have the same shape");
  if (!mlirAttributeEqual(values.encoding, indices.encoding))
    return nereid_diagnose(op, "tensor and indices must have the same encoding");
  if (indices.rank != buffer->rank || nereid_ttg_encoding_rank(buffer->encoding) != buffer->rank)
    return nereid_diagnose(op, "indices have rank %ld, the buffer %d, its encoding %d", (long)indices.rank,
                           buffer->rank, nereid_ttg_encoding_rank(buffer->encoding));
  if (axis < 0 || axis >= buffer->rank)
    return nereid_diagnose(op, "axis is %d, expected 0 to %d", axis, buffer->rank - 1);
  for (int d = 0; d < buffer->rank; d++)
    if (d != axis && indices.shape[d] > buffer->shape[d])
      return nereid_diagnose(op, "indices have size %ld in dimension %d, the buffer only %ld", (long)indices.shape[d],
                             d, (long)buffer->shape[d]);
  return success();
}

MlirLogicalResult nereid_ttg_local_gather_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_gather_get_src(op));
  return check_indexed(op, &buffer, nereid_ttg_local_gather_get_result(op), nereid_ttg_local_gather_get_indices(op),
                       nereid_ttg_local_gather_get_axis(op));
}

MlirLogicalResult nereid_ttg_local_scatter_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_scatter_get_dst(op));
  if (mlirLogicalResultIsFailure(check_mutable(op, &buffer)))
    return mlirLogicalResultFailure();
  return check_indexed(op, &buffer, nereid_ttg_local_scatter_get_values(op), nereid_ttg_local_scatter_get_indices(op),
                       nereid_ttg_local_scatter_get_axis(op));
}

MlirLogicalResult nereid_ttg_local_atomic_scatter_rmw_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_local_atomic_scatter_rmw_get_dst(op));
  if (mlirLogicalResultIsFailure(check_mutable(op, &buffer)))
    return mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(
          nereid_tt_rmw_function_verify(op, nereid_ttg_local_atomic_scatter_rmw_get_atomic_rmw_op(op), buffer.element)))
    return mlirLogicalResultFailure();
  return check_indexed(op, &buffer, nereid_ttg_local_atomic_scatter_rmw_get_values(op),
                       nereid_ttg_local_atomic_scatter_rmw_get_indices(op),
                       nereid_ttg_local_atomic_scatter_rmw_get_axis(op));
}

MlirLogicalResult nereid_ttg_async_copy_global_to_local_verify(MlirOperation op) {
  nereid_ttg_memdesc_t buffer = nereid_ttg_memdesc_of(nereid_ttg_async_copy_global_to_local_get_result(op));
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_ttg_async_copy_global_to_local_get_src(op));
  if (mlirLogicalResultIsFailure(check_mutable(op, &buffer)))
    return mlirLogicalResultFailure();
  MlirType pointee = nereid_tt_ptr_type_get_pointee_type(src.element);
  if (!mlirTypeEqual(pointee, buffer.element))
    return nereid_diagnose(op, "pointers are to %s, the buffer is of %s", nereid_text_of_type(pointee).chars,
                           nereid_text_of_type(buffer.element).chars);
  if (src.rank != buffer.rank || memcmp(src.shape, buffer.shape, (size_t)src.rank * sizeof src.shape[0]) != 0)
    return nereid_diagnose(op, "pointers and buffer must have the same shape");
  int32_t contiguity = nereid_ttg_async_copy_global_to_local_get_contiguity(op);
  if (contiguity < 1)
    return nereid_diagnose(op, "contiguity is %d, expected at least 1", contiguity);
  return success();
}

MlirLogicalResult nereid_ttg_async_wait_verify(MlirOperation op) {
  int32_t groups = nereid_ttg_async_wait_get_num(op);
  return groups >= 0 ? success() : nereid_diagnose(op, "num is %d, expected 0 or more groups", groups);
}

static MlirLogicalResult check_unpacked_shape(MlirOperation op, const nereid_tt_tensor_t *src,
                                              const nereid_tt_tensor_t *dst, int32_t axis) {
  if (src->rank != dst->rank)
    return nereid_diagnose(op, "operand has rank %ld, the result %ld", (long)src->rank, (long)dst->rank);
  if (axis < 0 || axis >= src->rank)
    return nereid_diagnose(op, "axis is %d, expected 0 to %ld", axis, (long)src->rank - 1);
  for (intptr_t d = 0; d < src->rank; d++) {
    int64_t expected = d == axis ? 2 * src->shape[d] : src->shape[d];
    if (dst->shape[d] != expected)
      return nereid_diagnose(op, "result has size %ld in dimension %ld, expected %ld", (long)dst->shape[d], (long)d,
                             (long)expected);
  }
  return success();
}

MlirLogicalResult nereid_ttg_fp4_to_fp_verify(MlirOperation op) {
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_ttg_fp4_to_fp_get_src(op));
  nereid_tt_tensor_t dst = nereid_tt_tensor_of(nereid_ttg_fp4_to_fp_get_result(op));
  int32_t axis = nereid_ttg_fp4_to_fp_get_axis(op);
  if (!mlirTypeIsAF16(dst.element) && !mlirTypeIsABF16(dst.element))
    return nereid_diagnose(op, "result has element type %s, expected f16 or bf16",
                           nereid_text_of_type(dst.element).chars);
  if (mlirLogicalResultIsFailure(check_unpacked_shape(op, &src, &dst, axis)))
    return mlirLogicalResultFailure();
  if (mlirAttributeIsNull(src.encoding) != mlirAttributeIsNull(dst.encoding))
    return nereid_diagnose(op, "operand and result must both have an encoding, or neither");
  MlirAttribute expected;
  if (!nereid_ttg_infer_fp4_to_fp_encoding(dst.encoding, (int)dst.rank, dst.shape, axis, /*forward=*/false,
                                           mlirOperationGetLocation(op), &expected))
    return mlirLogicalResultFailure();
  if (!nereid_ttg_encodings_equivalent(expected, src.encoding, (int)src.rank, src.shape))
    return nereid_diagnose(op, "operand has encoding %s, expected %s", nereid_text_of_attribute(src.encoding).chars,
                           nereid_text_of_attribute(expected).chars);
  return success();
}

static bool lacks_encoding(MlirValue value) {
  return mlirTypeIsARankedTensor(mlirValueGetType(value)) && mlirAttributeIsNull(nereid_tt_tensor_of(value).encoding);
}

MlirLogicalResult nereid_ttg_inline_asm_verify(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (nereid_ttg_memdesc_type_isa(mlirValueGetType(operand)) && nereid_ttg_inline_asm_get_pure(op))
      return nereid_diagnose(op, "operand #%ld is a buffer, expected pure = false", (long)i);
    if (lacks_encoding(operand))
      return nereid_diagnose(op, "operand #%ld has no encoding, which determines the registers of a thread", (long)i);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (lacks_encoding(mlirOperationGetResult(op, i)))
      return nereid_diagnose(op, "result #%ld has no encoding, which determines the registers of a thread", (long)i);
  return success();
}

/* Assembly that is not pure may have any effect. */
void nereid_ttg_inline_asm_effects(MlirOperation op, nereid_effects_t effects) {
  if (nereid_ttg_inline_asm_get_pure(op))
    return;
  nereidMlirEffectsAdd(effects, NereidMlirEffectRead, NereidMlirResourceDefault);
  nereidMlirEffectsAdd(effects, NereidMlirEffectWrite, NereidMlirResourceDefault);
}

bool nereid_ttg_inline_asm_speculatable(MlirOperation op) {
  return nereid_ttg_inline_asm_get_pure(op);
}

MlirLogicalResult nereid_ttg_global_scratch_alloc_verify(MlirOperation op) {
  int32_t alignment = nereid_ttg_global_scratch_alloc_get_alignment(op);
  if (nereid_ttg_global_scratch_alloc_get_nbytes(op) < 0)
    return nereid_diagnose(op, "nbytes is negative");
  if (alignment <= 0 || (alignment & (alignment - 1)) != 0)
    return nereid_diagnose(op, "alignment is %d bytes, expected a power of two", alignment);
  return success();
}

MlirLogicalResult nereid_ttg_mask_verify_regions(MlirOperation op) {
  MlirOperation last = mlirBlockGetTerminator(mlirRegionGetFirstBlock(nereid_ttg_mask_get_region(op)));
  if (mlirOperationIsNull(last) || nereid_op_kind(last) != NEREID_OP_TTG_MASK_RETURN)
    return nereid_diagnose(op, "region must end with ttg.mask.return");
  intptr_t given = mlirOperationGetNumOperands(last), expected = mlirOperationGetNumResults(op);
  if (given != expected)
    return nereid_diagnose(op, "has %ld results, but its ttg.mask.return returns %ld", (long)expected, (long)given);
  for (intptr_t i = 0; i < given; i++) {
    MlirType actual = mlirValueGetType(mlirOperationGetOperand(last, i));
    MlirType expected_type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (!mlirTypeEqual(actual, expected_type))
      return nereid_diagnose(op, "result #%ld has type %s, but ttg.mask.return returns %s", (long)i,
                             nereid_text_of_type(expected_type).chars, nereid_text_of_type(actual).chars);
  }
  return success();
}
