/* Verifies the encoding of each tensor against the tensor and the machine.
 *
 *   module attributes {"ttg.num-warps" = 4 : i32} {
 *     tensor<128xf32, #ttg.blocked<{..., warpsPerCTA = [8], ...}>>   error: the encoding is for 8 warps, but 4 execute
 *
 * Runs for every operation, so it computes no layout: the sizes of an encoding are products of a few numbers. */
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/verify.h"
#include "layout/encoding.h"

#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* The machine for which an encoding is; CTAs as log2. */
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
  MlirAttribute vectors[NEREID_LAYOUT_DIMS];
  if (nereid_layout_vectors_of_linear(encoding, vectors))
    return (machine_t){power(vectors[NEREID_LAYOUT_WARP]), power(vectors[NEREID_LAYOUT_LANE]),
                       cga_bits(vectors[NEREID_LAYOUT_BLOCK])};
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

/* Returns the machine that executes `op`, computed once per operation. */
static machine_t machine_at(MlirOperation op) {
  machine_t machine = {nereid_ttg_num_warps(op), 0, 0};
  MlirOperation module = nereid_ttg_module(op);
  machine.lanes = nereid_ttg_threads_per_warp(module);
  while (INT64_C(1) << machine.cta_bits < nereid_ttg_num_ctas(module))
    machine.cta_bits++;
  return machine;
}

/* For messages: the number of CTAs of an encoding may exceed any integer. */
static long ctas_of(machine_t machine) {
  return (long)(INT64_C(1) << (machine.cta_bits < 62 ? machine.cta_bits : 62));
}

static MlirLogicalResult verify_machine(MlirOperation op, MlirAttribute encoding, MlirType type, machine_t here) {
  machine_t layout = machine_of(encoding);
  if (layout.lanes == here.lanes && layout.warps == here.warps && layout.cta_bits == here.cta_bits)
    return mlirLogicalResultSuccess();
  nereid_text_t name = nereid_text_of_type(type);
  if (layout.lanes != here.lanes)
    return nereid_diagnose(op, "has an encoding for %ld threads per warp, but the module specifies %ld: %s",
                           (long)layout.lanes, (long)here.lanes, name.chars);
  if (here.warps < 0)
    return nereid_diagnose(op, "has an encoding outside of any operation that sets `ttg.num-warps`: %s", name.chars);
  if (layout.warps != here.warps)
    return nereid_diagnose(op, "has an encoding for %ld warps, but %ld execute it: %s", (long)layout.warps,
                           (long)here.warps, name.chars);
  return nereid_diagnose(op, "has an encoding for %ld CTAs, but the module specifies %ld: %s", ctas_of(layout),
                         ctas_of(here), name.chars);
}

/* Returns the encoding of a tensor type if it is one of ttg; else null. */
static MlirAttribute ttg_encoding(MlirType type) {
  MlirAttribute encoding =
      mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : mlirAttributeGetNull();
  return nereid_ttg_is_distributed(encoding) || nereid_ttg_is_shared(encoding) ? encoding : mlirAttributeGetNull();
}

MlirLogicalResult nereid_ttg_verify_tensor_layout(MlirOperation op, MlirType type) {
  MlirAttribute encoding = ttg_encoding(type);
  if (mlirAttributeIsNull(encoding))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(verify_shape(op, encoding, type)))
    return mlirLogicalResultFailure();
  return verify_machine(op, encoding, type, machine_at(op));
}

MlirLogicalResult nereid_ttg_verify_tensor_layouts(MlirOperation op) {
  intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
  machine_t here = {0, 0, 0};
  MlirAttribute checked = mlirAttributeGetNull();
  for (intptr_t i = 0; i < operands + results; i++) {
    MlirValue value = i < operands ? mlirOperationGetOperand(op, i) : mlirOperationGetResult(op, i - operands);
    MlirType type = mlirValueGetType(value);
    MlirAttribute encoding = ttg_encoding(type);
    if (mlirAttributeIsNull(encoding))
      continue;
    if (here.lanes == 0)
      here = machine_at(op);
    if (mlirLogicalResultIsFailure(verify_shape(op, encoding, type)))
      return mlirLogicalResultFailure();
    /* Most values of an operation have the same encoding. */
    if (!mlirAttributeEqual(encoding, checked) && mlirLogicalResultIsFailure(verify_machine(op, encoding, type, here)))
      return mlirLogicalResultFailure();
    checked = encoding;
  }
  return mlirLogicalResultSuccess();
}
