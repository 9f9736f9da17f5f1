/* Slices of operands; see prefetch_operand.h. */
#include "passes/pipelining/dots/prefetch_operand.h"

#include "analysis/access/slot_layout.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ttg.h"
#include "passes/support/splat.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

enum { INSTRUCTION_BITS = 256 /* along k, per row */, LANES_AND_PARTS = 8 /* parts of k */ };

/* The operand of the elementwise `op` that is not a splat constant; null when there are several. */
static MlirValue source_of(MlirOperation op) {
  MlirValue source = {NULL};
  if (!nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) || !nereidMlirOperationIsPure(op) ||
      mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op))
    return source;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!mlirAttributeIsNull(nereid_splat_constant(operand)))
      continue;
    if (!mlirValueIsNull(source) || !mlirTypeIsARankedTensor(mlirValueGetType(operand)))
      return (MlirValue){NULL};
    source = operand;
  }
  return source;
}

bool nereid_prefetch_operand_find(MlirOperation dot, int index, MlirBlock body, nereid_prefetch_operand_t *out) {
  MlirValue value = mlirOperationGetOperand(dot, index);
  const int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(value));
  *out = (nereid_prefetch_operand_t){.k = index ? rank - 2 : rank - 1};
  while (nereid_ir_has_one_use(value) && out->n < NEREID_PREFETCH_CHAIN) {
    MlirOperation op = nereid_defining_op(value);
    if (mlirOperationIsNull(op))
      return false;
    if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_LOAD) {
      out->load = op;
      out->in_body = mlirBlockEqual(mlirOperationGetBlock(op), body);
      return true;
    }
    out->chain[out->n++] = op;
    value = source_of(op);
    if (mlirValueIsNull(value))
      return false;
  }
  return false;
}

int64_t nereid_prefetch_width(MlirOperation dot, int64_t *out_k) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(dot, 0));
  MlirType element = mlirShapedTypeGetElementType(type);
  const int64_t bits = mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
  const int64_t lanes = LANES_AND_PARTS * nereid_ttg_dot_op_attr_get_k_width(mlirRankedTensorTypeGetEncoding(type));
  const int64_t instruction = INSTRUCTION_BITS / bits;
  *out_k = mlirShapedTypeGetDimSize(type, mlirShapedTypeGetRank(type) - 1);
  const int64_t width = lanes > instruction ? lanes : instruction;
  return width < *out_k ? width : *out_k;
}

bool nereid_prefetch_can_slice(const nereid_prefetch_operand_t *operand, int64_t width) {
  const nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(nereid_ttg_local_load_get_src(operand->load));
  nereid_layout_t layout;
  if (!nereid_slot_order_of_buffer(&memdesc, memdesc.rank, &layout) || layout.in_bits[NEREID_LAYOUT_BLOCK])
    return false;
  for (int64_t step = width; step < memdesc.shape[operand->k]; step *= 2) {
    int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
    uint32_t slot;
    at[operand->k] = (int32_t)step;
    if (!nereid_slot_order_offset(&memdesc, at, &slot) || !slot || slot & (slot - 1))
      return false;
  }
  return true;
}

MlirType nereid_prefetch_slice_type(MlirType type, int k, int64_t width) {
  int64_t shape[NEREID_TTG_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  shape[k] = width;
  return mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(type),
                                 mlirRankedTensorTypeGetEncoding(type));
}

static MlirValue cut_buffer(const nereid_builder_t *builder, MlirValue buffer, int k, int64_t first, int64_t width) {
  nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(buffer);
  int32_t offsets[NEREID_TTG_MAX_RANK] = {0};
  if (memdesc.shape[k] == width)
    return buffer;
  memdesc.shape[k] = width;
  offsets[k] = (int32_t)first;
  MlirType type = nereid_ttg_memdesc_type(&memdesc);
  return nereid_ir_result(nereid_ttg_memdesc_subslice_build(builder, type, buffer, memdesc.rank, offsets));
}

/* The splat constant `value` in the shape of a slice. */
static MlirValue cut_constant(const nereid_builder_t *builder, MlirValue value, int k, int64_t width) {
  MlirType type = nereid_prefetch_slice_type(mlirValueGetType(value), k, width);
  MlirOperation op = mlirOperationClone(nereid_defining_op(value));
  nereid_ir_set_attribute(op, "value", mlirDenseElementsAttrSplatGet(type, nereid_splat_constant(value)));
  mlirValueSetType(nereid_ir_result(op), type);
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
  return nereid_ir_result(op);
}

/* A copy of the elementwise `op` for the slice `value` of its source. */
static MlirValue cut_elementwise(const nereid_builder_t *builder, MlirOperation op, MlirValue value, int k,
                                 int64_t width) {
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    const bool constant = !mlirAttributeIsNull(nereid_splat_constant(operand));
    mlirOperationSetOperand(copy, i, constant ? cut_constant(builder, operand, k, width) : value);
  }
  MlirValue result = nereid_ir_result(copy);
  mlirValueSetType(result, nereid_prefetch_slice_type(mlirValueGetType(result), k, width));
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, copy);
  return result;
}

MlirValue nereid_prefetch_slice(const nereid_prefetch_operand_t *operand, const nereid_builder_t *builder,
                                MlirValue buffer, MlirValue token, int64_t first, int64_t width) {
  MlirType type = nereid_prefetch_slice_type(mlirValueGetType(nereid_ir_result(operand->load)), operand->k, width);
  MlirValue view = cut_buffer(builder, buffer, operand->k, first, width);
  MlirValue value = nereid_ir_result(nereid_ttg_local_load_build(builder, type, view, token));
  for (int i = operand->n; i-- > 0;)
    value = cut_elementwise(builder, operand->chain[i], value, operand->k, width);
  return value;
}

void nereid_prefetch_operand_erase(const nereid_prefetch_operand_t *operand) {
  for (int i = 0; i < operand->n; ++i)
    nereidMlirOperationErase(operand->chain[i]);
  nereidMlirOperationErase(operand->load);
}
