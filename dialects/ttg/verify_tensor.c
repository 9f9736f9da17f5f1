/* Does the encoding of each tensor fit the tensor and the machine?
 *
 *   module attributes {"ttg.num-warps" = 4 : i32} {
 *     tensor<128xf32, #ttg.blocked<{..., warpsPerCTA = [8], ...}>>   error: the encoding is for 8 warps, but 4 execute
 *
 * Sizes of an encoding are products of a few numbers, so no layout is computed: this runs for every operation. */
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/verify.h"

#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* What an encoding is for; CTAs as log2. */
typedef struct machine {
  int64_t warps, lanes;
  int cta_bits;
} machine_t;

static int64_t product(MlirAttribute array) {
  int64_t total = 1;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(array); i++)
    total *= mlirDenseI32ArrayGetElement(array, i);
  return total;
}

static int64_t power(MlirAttribute bases) {
  return INT64_C(1) << mlirArrayAttrGetNumElements(bases);
}

static int cga_bits(MlirAttribute cga) {
  return mlirAttributeIsNull(cga) ? 0 : (int)mlirArrayAttrGetNumElements(cga);
}

static machine_t machine_of(MlirAttribute encoding) {
  if (nereid_ttg_slice_attr_isa(encoding))
    return machine_of(nereid_ttg_slice_attr_get_parent(encoding));
  if (nereid_ttg_dot_op_attr_isa(encoding))
    return machine_of(nereid_ttg_dot_op_attr_get_parent(encoding));
  if (nereid_ttg_blocked_attr_isa(encoding))
    return (machine_t){product(nereid_ttg_blocked_attr_get_warps_per_cta(encoding)),
                       product(nereid_ttg_blocked_attr_get_threads_per_warp(encoding)),
                       cga_bits(nereid_ttg_blocked_attr_get_cga_layout(encoding))};
  if (nereid_ttg_linear_attr_isa(encoding))
    return (machine_t){power(nereid_ttg_linear_attr_get_warp_bases(encoding)),
                       power(nereid_ttg_linear_attr_get_lane_bases(encoding)),
                       cga_bits(nereid_ttg_linear_attr_get_block_bases(encoding))};
  return (machine_t){product(nereid_ttg_nvidia_mma_attr_get_warps_per_cta(encoding)), 32,
                     cga_bits(nereid_ttg_nvidia_mma_attr_get_cga_layout(encoding))};
}

static MlirLogicalResult verify_shape(MlirOperation op, MlirAttribute encoding, MlirType type) {
  if (!nereid_ttg_is_distributed(encoding))
    return nereid_diagnose(op, "has a tensor whose encoding is one of shared memory: %s",
                           nereid_text_of_type(type).chars);
  int64_t rank = mlirShapedTypeGetRank(type);
  if (nereid_ttg_encoding_rank(encoding) != rank)
    return nereid_diagnose(op, "has a tensor of rank %ld with an encoding of rank %d: %s", (long)rank,
                           nereid_ttg_encoding_rank(encoding), nereid_text_of_type(type).chars);
  for (int64_t d = 0; d < rank; d++) {
    int64_t size = mlirShapedTypeGetDimSize(type, d);
    if (size <= 0 || (size & (size - 1)) != 0)
      return nereid_diagnose(op, "has a tensor of size %ld in dimension %ld, expected a power of two: %s", (long)size,
                             (long)d, nereid_text_of_type(type).chars);
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_machine(MlirOperation op, MlirAttribute encoding, MlirType type) {
  machine_t layout = machine_of(encoding);
  int32_t lanes = nereid_ttg_threads_per_warp(op), warps = nereid_ttg_num_warps(op), ctas = nereid_ttg_num_ctas(op);
  nereid_text_t name = nereid_text_of_type(type);
  const char *text = name.chars;
  if (layout.lanes != lanes)
    return nereid_diagnose(op, "has an encoding for %ld threads per warp, but the module says %d: %s",
                           (long)layout.lanes, lanes, text);
  if (warps < 0)
    return nereid_diagnose(op, "has an encoding but is nowhere where `ttg.num-warps` is set: %s", text);
  if (layout.warps != warps)
    return nereid_diagnose(op, "has an encoding for %ld warps, but %d execute it: %s", (long)layout.warps, warps, text);
  if (INT64_C(1) << layout.cta_bits != ctas)
    return nereid_diagnose(op, "has an encoding for %ld CTAs, but the module says %d: %s",
                           (long)(INT64_C(1) << layout.cta_bits), ctas, text);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_verify_tensor_layout(MlirOperation op, MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return mlirLogicalResultSuccess();
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  if (mlirAttributeIsNull(encoding) || (!nereid_ttg_is_distributed(encoding) && !nereid_ttg_is_shared(encoding)))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(verify_shape(op, encoding, type)))
    return mlirLogicalResultFailure();
  return verify_machine(op, encoding, type);
}

MlirLogicalResult nereid_ttg_verify_tensor_layouts(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirLogicalResultIsFailure(
            nereid_ttg_verify_tensor_layout(op, mlirValueGetType(mlirOperationGetOperand(op, i)))))
      return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (mlirLogicalResultIsFailure(
            nereid_ttg_verify_tensor_layout(op, mlirValueGetType(mlirOperationGetResult(op, i)))))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}
