/* Emission of LLVM-dialect ops; see emit.h.
 *
 * Ops are created by name through MlirOperationState: one function serves the tables of one-to-one lowerings and the
 * short names alike. */
#include "conversion/ttg_to_llvm/emit.h"

#include "dialects/ir.h"
#include "dialects/ttg/module.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

#include <string.h>

static void insert(const nereid_builder_t *builder, MlirOperation op) {
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
}

void nereid_emit_insert_op(nereid_lower_t *lower, MlirOperation op) {
  insert(&lower->builder, op);
}

MlirNamedAttribute nereid_emit_attribute(nereid_lower_t *lower, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(lower->context, nereid_ir_ref(name)), value);
}

MlirAttribute nereid_lower_with_attribute(nereid_lower_t *lower, MlirAttribute attributes, const char *name,
                                          MlirAttribute value) {
  MlirStringRef key = mlirStringRefCreateFromCString(name);
  const intptr_t n = mlirDictionaryAttrGetNumElements(attributes);
  MlirNamedAttribute *all = nereid_arena_new(lower->arena, MlirNamedAttribute, (size_t)n + 1);
  intptr_t count = 0;
  for (intptr_t i = 0; all && i < n; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(attributes, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(attribute.name), key))
      all[count++] = attribute;
  }
  if (!all)
    return attributes;
  all[count++] = nereid_emit_attribute(lower, name, value);
  return mlirDictionaryAttrGet(lower->context, count, all);
}

MlirOperation nereid_emit_op(nereid_lower_t *lower, const char *name, intptr_t n_results, const MlirType *results,
                             intptr_t n_operands, const MlirValue *operands, intptr_t n_attributes,
                             const MlirNamedAttribute *attributes) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref(name), lower->builder.location);
  mlirOperationStateAddResults(&state, n_results, results);
  mlirOperationStateAddOperands(&state, n_operands, operands);
  mlirOperationStateAddAttributes(&state, n_attributes, attributes);
  MlirOperation op = mlirOperationCreate(&state);
  insert(&lower->builder, op);
  return op;
}

MlirValue nereid_emit(nereid_lower_t *lower, const char *name, MlirType result, intptr_t n_operands,
                      const MlirValue *operands) {
  return mlirOperationGetResult(nereid_emit_op(lower, name, 1, &result, n_operands, operands, 0, NULL), 0);
}

/* --- constants --- */

static MlirValue create_constant(nereid_lower_t *lower, MlirType type, MlirAttribute value) {
  MlirNamedAttribute attribute = nereid_emit_attribute(lower, "value", value);
  return mlirOperationGetResult(nereid_emit_op(lower, "llvm.mlir.constant", 1, &type, 0, NULL, 1, &attribute), 0);
}

/* One op per constant and function, in the prologue: a thousand registers share it. The attribute holds the type. */
MlirValue nereid_emit_constant(nereid_lower_t *lower, MlirType type, MlirAttribute value) {
  uintptr_t *place = nereid_map_insert(&lower->group->constants, value.ptr);
  if (place && *place)
    return (MlirValue){(const void *)*place};
  nereid_lower_t prologue = nereid_lower_in_prologue(lower);
  MlirValue constant = create_constant(&prologue, type, value);
  if (place)
    *place = (uintptr_t)constant.ptr;
  return constant;
}

MlirValue nereid_emit_int(nereid_lower_t *lower, MlirType type, int64_t value) {
  return nereid_emit_constant(lower, type, mlirIntegerAttrGet(type, value));
}

MlirValue nereid_emit_i32(nereid_lower_t *lower, int32_t value) {
  return nereid_emit_int(lower, lower->types->i32, value);
}

MlirValue nereid_emit_i64(nereid_lower_t *lower, int64_t value) {
  return nereid_emit_int(lower, lower->types->i64, value);
}

MlirValue nereid_emit_float(nereid_lower_t *lower, MlirType type, double value) {
  return nereid_emit_constant(lower, type, mlirFloatAttrDoubleGet(lower->context, type, value));
}

MlirValue nereid_emit_undef(nereid_lower_t *lower, MlirType type) {
  return nereid_emit(lower, "llvm.mlir.undef", type, 0, NULL);
}

/* --- arithmetic --- */

MlirValue nereid_emit_binary(nereid_lower_t *lower, const char *name, MlirValue lhs, MlirValue rhs) {
  return nereid_emit(lower, name, mlirValueGetType(lhs), 2, (MlirValue[]){lhs, rhs});
}

MlirValue nereid_emit_add(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.add", lhs, rhs);
}

MlirValue nereid_emit_mul(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.mul", lhs, rhs);
}

MlirValue nereid_emit_and(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.and", lhs, rhs);
}

MlirValue nereid_emit_or(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.or", lhs, rhs);
}

MlirValue nereid_emit_or_disjoint(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  MlirType type = mlirValueGetType(lhs);
  MlirNamedAttribute flag = nereid_emit_attribute(lower, "isDisjoint", mlirUnitAttrGet(lower->context));
  return mlirOperationGetResult(nereid_emit_op(lower, "llvm.or", 1, &type, 2, (MlirValue[]){lhs, rhs}, 1, &flag), 0);
}

MlirValue nereid_emit_xor(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.xor", lhs, rhs);
}

MlirValue nereid_emit_shl(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.shl", lhs, rhs);
}

MlirValue nereid_emit_lshr(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs) {
  return nereid_emit_binary(lower, "llvm.lshr", lhs, rhs);
}

static MlirValue compare(nereid_lower_t *lower, const char *name, int64_t predicate, MlirValue lhs, MlirValue rhs) {
  MlirNamedAttribute attribute =
      nereid_emit_attribute(lower, "predicate", mlirIntegerAttrGet(lower->types->i64, predicate));
  return mlirOperationGetResult(
      nereid_emit_op(lower, name, 1, &lower->types->i1, 2, (MlirValue[]){lhs, rhs}, 1, &attribute), 0);
}

MlirValue nereid_emit_icmp(nereid_lower_t *lower, nereid_icmp_t predicate, MlirValue lhs, MlirValue rhs) {
  return compare(lower, "llvm.icmp", predicate, lhs, rhs);
}

MlirValue nereid_emit_fcmp(nereid_lower_t *lower, nereid_fcmp_t predicate, MlirValue lhs, MlirValue rhs) {
  return compare(lower, "llvm.fcmp", predicate, lhs, rhs);
}

MlirValue nereid_emit_select(nereid_lower_t *lower, MlirValue condition, MlirValue if_true, MlirValue if_false) {
  return nereid_emit(lower, "llvm.select", mlirValueGetType(if_true), 3, (MlirValue[]){condition, if_true, if_false});
}

MlirValue nereid_emit_fbinary(nereid_lower_t *lower, const char *name, MlirValue lhs, MlirValue rhs) {
  if (mlirAttributeIsNull(lower->module->contract))
    return nereid_emit_binary(lower, name, lhs, rhs);
  MlirType type = mlirValueGetType(lhs);
  MlirNamedAttribute attribute = nereid_emit_attribute(lower, "fastmathFlags", lower->module->contract);
  return mlirOperationGetResult(nereid_emit_op(lower, name, 1, &type, 2, (MlirValue[]){lhs, rhs}, 1, &attribute), 0);
}

MlirValue nereid_emit_cast(nereid_lower_t *lower, const char *name, MlirType to, MlirValue value) {
  return nereid_emit(lower, name, to, 1, &value);
}

static bool is_pointer(MlirType type) {
  return mlirTypeIsALLVMPointerType(type);
}

MlirValue nereid_emit_bits(nereid_lower_t *lower, MlirType to, MlirValue value) {
  MlirType from = mlirValueGetType(value);
  if (mlirTypeEqual(from, to))
    return value;
  const bool from_pointer = is_pointer(from), to_pointer = is_pointer(to);
  if (!from_pointer && !to_pointer)
    return nereid_emit_cast(lower, "llvm.bitcast", to, value);
  if (from_pointer)
    value = nereid_emit_cast(lower, "llvm.ptrtoint", lower->types->i64, value);
  if (to_pointer)
    return nereid_emit_cast(lower, "llvm.inttoptr", to, nereid_emit_bits(lower, lower->types->i64, value));
  return nereid_emit_bits(lower, to, value);
}

/* --- pointers and vectors --- */

static MlirValue gep(nereid_lower_t *lower, MlirValue pointer, MlirType element, int32_t constant, intptr_t n_indices,
                     const MlirValue *index) {
  MlirValue operands[2] = {pointer};
  if (n_indices)
    operands[1] = *index;
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, "rawConstantIndices", mlirDenseI32ArrayGet(lower->context, 1, &constant)),
      nereid_emit_attribute(lower, "elem_type", mlirTypeAttrGet(element)),
  };
  MlirType type = mlirValueGetType(pointer);
  return mlirOperationGetResult(
      nereid_emit_op(lower, "llvm.getelementptr", 1, &type, 1 + n_indices, operands, 2, attributes), 0);
}

MlirValue nereid_emit_offset(nereid_lower_t *lower, MlirValue pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  if (bytes == (int32_t)bytes && bytes != INT32_MIN)
    return gep(lower, pointer, lower->types->i8, (int32_t)bytes, 0, NULL);
  return nereid_emit_gep(lower, pointer, lower->types->i8, nereid_emit_i64(lower, bytes));
}

MlirValue nereid_emit_gep(nereid_lower_t *lower, MlirValue pointer, MlirType element, MlirValue index) {
  /* INT32_MIN in rawConstantIndices: the index is the operand (LLVM dialect, GEPOp::kDynamicIndex). */
  return gep(lower, pointer, element, INT32_MIN, 1, &index);
}

MlirType nereid_emit_vector_type(MlirType element, intptr_t count) {
  return mlirVectorTypeGet(1, (int64_t[]){count}, element);
}

MlirValue nereid_emit_extract(nereid_lower_t *lower, MlirValue vector, intptr_t index) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(vector));
  return nereid_emit(lower, "llvm.extractelement", element, 2,
                     (MlirValue[]){vector, nereid_emit_i32(lower, (int32_t)index)});
}

MlirValue nereid_emit_insert(nereid_lower_t *lower, MlirValue vector, MlirValue value, intptr_t index) {
  return nereid_emit(lower, "llvm.insertelement", mlirValueGetType(vector), 3,
                     (MlirValue[]){vector, value, nereid_emit_i32(lower, (int32_t)index)});
}

MlirValue nereid_emit_pack(nereid_lower_t *lower, intptr_t count, const MlirValue *values) {
  if (count == 1)
    return values[0];
  MlirValue vector = nereid_emit_undef(lower, nereid_emit_vector_type(mlirValueGetType(values[0]), count));
  for (intptr_t i = 0; i < count; ++i)
    vector = nereid_emit_insert(lower, vector, values[i], i);
  return vector;
}

/* --- calls --- */

MlirValue nereid_emit_field(nereid_lower_t *lower, MlirValue structure, MlirType field, int64_t index) {
  MlirNamedAttribute at = nereid_emit_attribute(lower, "position", mlirDenseI64ArrayGet(lower->context, 1, &index));
  return mlirOperationGetResult(nereid_emit_op(lower, "llvm.extractvalue", 1, &field, 1, &structure, 1, &at), 0);
}

void nereid_emit_asm(nereid_lower_t *lower, const char *text, const char *constraints, bool volatile_,
                     intptr_t n_results, const MlirType *results, intptr_t n_operands, const MlirValue *operands,
                     MlirValue *out_results) {
  MlirNamedAttribute attributes[3] = {
      nereid_emit_attribute(lower, "asm_string", mlirStringAttrGet(lower->context, nereid_ir_ref(text))),
      nereid_emit_attribute(lower, "constraints", mlirStringAttrGet(lower->context, nereid_ir_ref(constraints))),
      nereid_emit_attribute(lower, "has_side_effects", mlirUnitAttrGet(lower->context)),
  };
  MlirType result = n_results == 1 ? results[0] : (MlirType){NULL};
  if (n_results > 1)
    result = mlirLLVMStructTypeLiteralGet(lower->context, n_results, results, false);
  MlirOperation op = nereid_emit_op(lower, "llvm.inline_asm", n_results ? 1 : 0, &result, n_operands, operands,
                                    volatile_ ? 3 : 2, attributes);
  if (n_results == 1)
    out_results[0] = mlirOperationGetResult(op, 0);
  for (intptr_t i = 0; n_results > 1 && i < n_results; ++i)
    out_results[i] = nereid_emit_field(lower, mlirOperationGetResult(op, 0), results[i], i);
}

static MlirValue call(nereid_lower_t *lower, const char *op_name, const char *callee_name, MlirAttribute callee,
                      MlirType result, intptr_t n_operands, const MlirValue *operands) {
  const int32_t segments[] = {(int32_t)n_operands, 0};
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, callee_name, callee),
      nereid_emit_attribute(lower, "operandSegmentSizes", mlirDenseI32ArrayGet(lower->context, 2, segments)),
      nereid_emit_attribute(lower, "op_bundle_sizes", mlirDenseI32ArrayGet(lower->context, 0, NULL)),
  };
  const intptr_t n_results = mlirTypeIsNull(result) ? 0 : 1;
  MlirOperation op = nereid_emit_op(lower, op_name, n_results, &result, n_operands, operands, 3, attributes);
  return n_results ? mlirOperationGetResult(op, 0) : (MlirValue){NULL};
}

MlirValue nereid_emit_call(nereid_lower_t *lower, const char *callee, MlirType result, intptr_t n_operands,
                           const MlirValue *operands) {
  MlirAttribute symbol = mlirFlatSymbolRefAttrGet(lower->context, nereid_ir_ref(callee));
  return call(lower, "llvm.call", "callee", symbol, result, n_operands, operands);
}

MlirValue nereid_emit_intrinsic(nereid_lower_t *lower, const char *name, MlirType result, intptr_t n_operands,
                                const MlirValue *operands) {
  MlirAttribute text = mlirStringAttrGet(lower->context, nereid_ir_ref(name));
  return call(lower, "llvm.call_intrinsic", "intrin", text, result, n_operands, operands);
}

/* --- control flow --- */

void nereid_emit_branch(nereid_lower_t *lower, MlirBlock to, intptr_t n, const MlirValue *arguments) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("llvm.br"), lower->builder.location);
  mlirOperationStateAddOperands(&state, n, arguments);
  mlirOperationStateAddSuccessors(&state, 1, &to);
  insert(&lower->builder, mlirOperationCreate(&state));
}

void nereid_emit_cond_branch(nereid_lower_t *lower, MlirValue condition, MlirBlock if_true, MlirBlock if_false) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("llvm.cond_br"), lower->builder.location);
  mlirOperationStateAddOperands(&state, 1, &condition);
  mlirOperationStateAddSuccessors(&state, 2, (MlirBlock[]){if_true, if_false});
  const int32_t segments[] = {1, 0, 0};
  MlirNamedAttribute attribute =
      nereid_emit_attribute(lower, "operandSegmentSizes", mlirDenseI32ArrayGet(lower->context, 3, segments));
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  insert(&lower->builder, mlirOperationCreate(&state));
}

MlirBlock nereid_lower_split_block(nereid_lower_t *lower) {
  MlirBlock rest = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(lower->builder.block), lower->builder.block, rest);
  return rest;
}

MlirBlock nereid_lower_begin_if(nereid_lower_t *lower, MlirValue condition) {
  MlirBlock rest = nereid_lower_split_block(lower), then = nereid_lower_split_block(lower);
  nereid_emit_cond_branch(lower, condition, then, rest);
  lower->builder.block = then;
  return rest;
}

void nereid_lower_end_if(nereid_lower_t *lower, MlirBlock rest) {
  nereid_emit_branch(lower, rest, 0, NULL);
  lower->builder.block = rest;
}

/* The intrinsic instead of nvvm.barrier, whose printed form with locations MLIR 22.1 cannot parse. */
void nereid_emit_cta_barrier(nereid_lower_t *lower, int32_t number) {
  MlirValue barrier = nereid_emit_i32(lower, number);
  nereid_emit_intrinsic(lower, "llvm.nvvm.barrier.cta.sync.aligned.all", (MlirType){NULL}, 1, &barrier);
}

void nereid_emit_cluster_barrier(nereid_lower_t *lower) {
  nereid_emit_intrinsic(lower, "llvm.nvvm.barrier.cluster.arrive.aligned", (MlirType){NULL}, 0, NULL);
  nereid_emit_intrinsic(lower, "llvm.nvvm.barrier.cluster.wait.aligned", (MlirType){NULL}, 0, NULL);
}

void nereid_emit_mbarrier_fence(nereid_lower_t *lower) {
  nereid_emit_asm(lower, "fence.mbarrier_init.release.cluster;", "~{memory}", true, 0, NULL, 0, NULL, NULL);
}

MlirValue nereid_emit_cta_rank(nereid_lower_t *lower) {
  return nereid_emit(lower, "nvvm.read.ptx.sreg.cluster.ctarank", lower->types->i32, 0, NULL);
}

void nereid_emit_barrier(nereid_lower_t *lower) {
  const int32_t threads = lower->group->grid.num_warps * lower->group->grid.threads_per_warp;
  ++lower->module->emitted.barriers;
  if (mlirValueIsNull(lower->group->barrier)) {
    nereid_emit_cta_barrier(lower, 0);
  } else if (lower->group->grid.num_warps == 1) {
    nereid_emit_warp_barrier(lower);
  } else {
    MlirValue operands[] = {lower->group->barrier, nereid_emit_i32(lower, threads)};
    nereid_emit_intrinsic(lower, "llvm.nvvm.barrier.cta.sync.aligned.count", (MlirType){NULL}, 2, operands);
  }
}

void nereid_emit_program_barrier(nereid_lower_t *lower) {
  MlirOperation module = lower->module->op;
  if (lower->group->grid.num_ctas > 1 && nereid_ttg_total_num_warps(module) == nereid_ttg_num_warps(module))
    nereid_emit_cluster_barrier(lower);
  else
    nereid_emit_barrier(lower);
}

void nereid_emit_warp_barrier(nereid_lower_t *lower) {
  MlirValue all = nereid_emit_i32(lower, -1);
  nereid_emit_intrinsic(lower, "llvm.nvvm.bar.warp.sync", (MlirType){NULL}, 1, &all);
}
