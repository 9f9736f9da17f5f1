/* Converts tensors and buffers to LLVM structs and back.
 *
 *   tt.func public @f(%x: tensor<256xf32, #b>, %m: !ttg.memdesc<64xf32, #s, …>) -> tensor<256xf32, #b>
 *   ->
 *   llvm.func @f(%x: !llvm.struct<(f32, f32)>, %m: !llvm.struct<(ptr<3>, i32)>, …) -> !llvm.struct<(f32, f32)>
 *
 *   %s = builtin.unrealized_conversion_cast %x : tensor<256xf32, #b> to !llvm.struct<(f32, f32)>
 *   ->  llvm.insertvalue …
 *
 * Triton 3.6 lowers values to the same structs. Inside a function a tensor is never a struct; tests of single lowerings
 * and partially lowered code pass values this way. `nereid compile` rejects it: the arguments of a kernel are scalars
 * and pointers (docs/abi.md). */
#include "conversion/ttg_to_llvm/function/structs.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "conversion/ttg_to_llvm/types.h"
#include "conversion/ttg_to_llvm/values.h"

#include "analysis/access/slot_layout.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include "mlir-c/Dialect/LLVM.h"

/* --- types --- */

static bool is_packed(MlirType type) {
  return mlirTypeIsARankedTensor(type) || nereid_ttg_memdesc_type_isa(type);
}

MlirType nereid_structs_type(nereid_lower_t *lower, MlirType type) {
  MlirType element = nereid_lower_type(lower, type);
  if (mlirTypeIsNull(element) || !is_packed(type))
    return element;
  const bool buffer = nereid_ttg_memdesc_type_isa(type);
  nereid_ttg_memdesc_t memdesc;
  const intptr_t count =
      buffer && nereid_ttg_memdesc_read(type, &memdesc) ? 1 + memdesc.rank : nereid_lower_registers(lower, type);
  MlirType *fields = nereid_arena_new(lower->arena, MlirType, (size_t)count);
  for (intptr_t i = 0; fields && i < count; ++i)
    fields[i] = buffer && i ? lower->types->i32 : element;
  return fields && count > 0 ? mlirLLVMStructTypeLiteralGet(lower->context, count, fields, false) : (MlirType){NULL};
}

MlirType nereid_structs_result_type(nereid_lower_t *lower, MlirType function_type) {
  const intptr_t count = mlirFunctionTypeGetNumResults(function_type);
  MlirType *types = nereid_arena_new(lower->arena, MlirType, (size_t)count + 1);
  for (intptr_t i = 0; types && i < count; ++i) {
    types[i] = nereid_structs_type(lower, mlirFunctionTypeGetResult(function_type, i));
    if (mlirTypeIsNull(types[i]))
      return types[i];
  }
  if (!types || !count)
    return types ? lower->types->none : (MlirType){NULL};
  return count == 1 ? types[0] : mlirLLVMStructTypeLiteralGet(lower->context, count, types, false);
}

/* --- unpacking --- */

/* Gets the slots to which the bits of an offset in dimension `d` map; returns their number, or -1 if unknown. */
static int bit_slots(const nereid_ttg_memdesc_t *memdesc, int d, uint32_t slots[32]) {
  const int64_t size = memdesc->alloc[memdesc->alloc_rank - memdesc->rank + d];
  int bit = 0;
  for (; INT64_C(1) << bit < size; ++bit) {
    int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
    at[d] = INT32_C(1) << bit;
    if (!nereid_slot_order_offset(memdesc, at, &slots[bit]))
      return -1;
  }
  return bit;
}

/* The distance in bytes of an element `offset` away in dimension `d`: a multiple where slots are evenly spaced, else
 * the sum of the distances of its bits. Null when unknown. */
static MlirValue distance_in(nereid_lower_t *lower, const nereid_ttg_memdesc_t *memdesc, int d, MlirValue offset) {
  const int32_t bytes = (int32_t)nereid_lower_memory_bits(memdesc->element) / 8;
  uint32_t slots[32];
  const int bits = bit_slots(memdesc, d, slots);
  bool even = true;
  for (int bit = 1; bit < bits; ++bit)
    even = even && slots[bit] == slots[0] << bit;
  if (bits > 0 && even)
    return nereid_emit_mul(lower, offset, nereid_emit_i32(lower, (int32_t)slots[0] * bytes));
  MlirValue sum = bits < 0 ? (MlirValue){NULL} : nereid_emit_i32(lower, 0), one = nereid_emit_i32(lower, 1);
  for (int bit = 0; bit < bits; ++bit) {
    MlirValue set = nereid_emit_and(lower, nereid_emit_lshr(lower, offset, nereid_emit_i32(lower, bit)), one);
    MlirValue part = nereid_emit_mul(lower, set, nereid_emit_i32(lower, (int32_t)slots[bit] * bytes));
    sum = nereid_emit_add(lower, sum, part);
  }
  return sum;
}

/* Whether a view may have a nonzero offset in its buffer. */
static bool is_part(const nereid_ttg_memdesc_t *memdesc) {
  for (int d = 0; d < memdesc->rank; ++d)
    if (memdesc->shape[d] != memdesc->alloc[memdesc->alloc_rank - memdesc->rank + d])
      return true;
  return false;
}

/* The address of the first element of the view: offsets are multiples of its shape. */
static bool unpack_buffer(nereid_lower_t *lower, MlirValue value, MlirValue structure) {
  nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(value);
  MlirValue base = nereid_emit_field(lower, structure, lower->types->ptr_shared, 0);
  MlirValue distance = {NULL};
  for (int d = 0; is_part(&memdesc) && d < memdesc.rank; ++d) {
    MlirValue part = distance_in(lower, &memdesc, d, nereid_emit_field(lower, structure, lower->types->i32, 1 + d));
    if (mlirValueIsNull(part)) {
      nereid_diagnose_at(lower->builder.location, "%s is a view whose encoding does not fit its buffer",
                         nereid_text_of_type(mlirValueGetType(value)).chars);
      return false;
    }
    distance = mlirValueIsNull(distance) ? part : nereid_emit_add(lower, distance, part);
  }
  if (!mlirValueIsNull(distance)) {
    const int64_t bytes = nereid_lower_memory_bits(memdesc.element) / 8;
    distance = nereid_slots_padded(lower, memdesc.encoding, bytes, distance);
    base = nereid_emit_gep(lower, base, lower->types->i8, distance);
  }
  nereid_lower_set_scalar(lower, value, base);
  return true;
}

/* Sets `value`, a tensor, a buffer or a scalar, to the contents of `structure`. */
static bool unpack(nereid_lower_t *lower, MlirValue value, MlirValue structure) {
  MlirType type = mlirValueGetType(value);
  if (nereid_ttg_memdesc_type_isa(type))
    return unpack_buffer(lower, value, structure);
  if (!mlirTypeIsARankedTensor(type)) {
    nereid_lower_set_scalar(lower, value, structure);
    return true;
  }
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  MlirType element = nereid_lower_type(lower, type);
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r)
    lowered.values[r] = nereid_emit_field(lower, structure, element, r);
  nereid_lower_set(lower, value, lowered);
  return lowered.values != NULL;
}

bool nereid_structs_unpack_arguments(nereid_lower_t *lower) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(lower->function->op, 0));
  for (intptr_t i = 0; lower->function->is_kernel && i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!is_packed(mlirValueGetType(argument)) || mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
      continue;
    nereid_lower_t at = *lower;
    at.builder.location = mlirValueGetLocation(argument);
    if (!unpack(&at, argument, nereid_lower_get(lower, argument).values[0]))
      return false;
  }
  return true;
}

/* --- packing --- */

static MlirValue insert(nereid_lower_t *lower, MlirValue structure, MlirValue field, int64_t index) {
  MlirType type = mlirValueGetType(structure);
  MlirNamedAttribute at = nereid_emit_attribute(lower, "position", mlirDenseI64ArrayGet(lower->context, 1, &index));
  MlirValue operands[] = {structure, field};
  return mlirOperationGetResult(nereid_emit_op(lower, "llvm.insertvalue", 1, &type, 2, operands, 1, &at), 0);
}

/* The struct of `value`; null when its type has none. A buffer has offset 0. */
static MlirValue pack(nereid_lower_t *lower, MlirValue value) {
  MlirType type = mlirValueGetType(value), whole = nereid_structs_type(lower, type);
  const nereid_lowered_t lowered = nereid_lower_get(lower, value);
  if (mlirTypeIsNull(whole))
    return (MlirValue){NULL};
  if (!is_packed(type))
    return lowered.values[0];
  MlirValue structure = nereid_emit_undef(lower, whole);
  for (intptr_t i = 0; i < lowered.count; ++i)
    structure = insert(lower, structure, lowered.values[i], i);
  for (intptr_t i = 1; nereid_ttg_memdesc_type_isa(type) && i < mlirLLVMStructTypeGetNumElementTypes(whole); ++i)
    structure = insert(lower, structure, nereid_emit_i32(lower, 0), i);
  return structure;
}

MlirValue nereid_structs_pack_results(nereid_lower_t *lower, MlirOperation op) {
  const intptr_t count = mlirOperationGetNumOperands(op);
  MlirType function_type = mlirTypeAttrGetValue(nereid_ir_attribute(lower->function->op, NEREID_ATTR_FUNCTION_TYPE));
  if (!count)
    return (MlirValue){NULL};
  if (count == 1)
    return pack(lower, mlirOperationGetOperand(op, 0));
  MlirValue all = nereid_emit_undef(lower, nereid_structs_result_type(lower, function_type));
  for (intptr_t i = 0; i < count; ++i)
    all = insert(lower, all, pack(lower, mlirOperationGetOperand(op, i)), i);
  return all;
}

/* --- ops of other dialects --- */

static bool is_of_llvm(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return name.length > 5 && (!memcmp(name.data, "llvm.", 5) || !memcmp(name.data, "nvvm.", 5));
}

/* A cast is between a type of tt or ttg and the LLVM type of the same value, or between two such LLVM types. */
static bool lower_cast(nereid_lower_t *lower, MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 1 || mlirOperationGetNumResults(op) != 1)
    return nereid_lower_error(op, "casts several values at once: expected one operand and one result");
  MlirValue source = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType from = nereid_structs_type(lower, mlirValueGetType(source));
  MlirType to = nereid_structs_type(lower, mlirValueGetType(result));
  if (mlirTypeIsNull(from) || mlirTypeIsNull(to) || !mlirTypeEqual(from, to))
    return nereid_lower_error(op,
                              "casts %s to %s: expected a type of the same registers, a struct of them, or their "
                              "LLVM type",
                              nereid_text_of_type(mlirValueGetType(source)).chars,
                              nereid_text_of_type(mlirValueGetType(result)).chars);
  return unpack(lower, result, pack(lower, source));
}

/* Copies an op of LLVM; false when an operand is lowered to anything but one value of its own type. */
static bool copy_op(nereid_lower_t *lower, MlirOperation op) {
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  bool good = true;
  for (intptr_t i = 0; good && i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    const nereid_lowered_t lowered = nereid_lower_get(lower, operand);
    good = lowered.count == 1 && mlirTypeEqual(mlirValueGetType(lowered.values[0]), mlirValueGetType(operand));
    if (good)
      nereidMlirIRMappingMapValue(mapping, operand, lowered.values[0]);
  }
  if (good) {
    MlirOperation copy = nereidMlirOperationCloneWithMapping(op, mapping);
    nereid_emit_insert_op(lower, copy);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      nereid_lower_set_scalar(lower, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
  }
  nereidMlirIRMappingDestroy(mapping);
  return good;
}

bool nereid_structs_lower_foreign(nereid_lower_t *lower, MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (lower->module->options.kernel_tensors) {
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString("builtin.unrealized_conversion_cast")))
      return lower_cast(lower, op);
    if (is_of_llvm(op) && !mlirOperationGetNumRegions(op) && !mlirOperationGetNumSuccessors(op) && copy_op(lower, op))
      return true;
  }
  return nereid_lower_error(op, "has no lowering to LLVM");
}
