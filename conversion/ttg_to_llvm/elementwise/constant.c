/* arith.constant.
 *
 *   dense<7> : tensor<1024xi32>                      one value for all registers
 *   dense<[5, 3, 1, 2]> : tensor<4xi32, in one thread>  a value per register
 *   dense<[0, 1, 0, 3, …]> : tensor<1024xi32>        bytes in the module, and a load per register
 */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "nereid/dialects/arith.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

/* The attribute of one element in the form llvm.mlir.constant requires: fp8 and bf16-like types as their bits. */
static MlirAttribute element_attribute(nereid_lower_t *lower, MlirType element, MlirAttribute value) {
  MlirType type = nereid_lower_type(lower, element);
  if (mlirAttributeIsAFloat(value) && mlirTypeIsAInteger(type))
    return mlirIntegerAttrGet(type, (int64_t)nereid_lower_float_bits(value));
  if (mlirAttributeIsAInteger(value) && !mlirTypeEqual(mlirAttributeGetType(value), type))
    return mlirIntegerAttrGet(type, mlirIntegerAttrGetValueInt(value));
  return value;
}

/* --- non-splat constants --- */

/* The elements in row-major order, `size` bytes each, the lowest first. */
static uint8_t *bytes_of(nereid_lower_t *lower, MlirType element, MlirAttribute value, size_t count, size_t size) {
  uint8_t *bytes = nereid_arena_new(lower->arena, uint8_t, count *size);
  const uint8_t *raw = mlirDenseElementsAttrGetRawData(value);
  const bool is_bool = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1;
  const size_t stored = mlirTypeIsAIndex(element) ? sizeof(int64_t) : size;
  for (size_t i = 0; bytes && i < count; ++i)
    if (is_bool)
      bytes[i] = mlirDenseElementsAttrGetBoolValue(value, (intptr_t)i);
    else
      memcpy(bytes + i * size, raw + i * stored, size);
  return bytes;
}

/* A word of memory as a value of `type`. */
static MlirValue from_word(nereid_lower_t *lower, MlirType type, MlirValue word) {
  return mlirTypeEqual(type, lower->types->i1) ? nereid_emit_cast(lower, "llvm.trunc", type, word)
                                               : nereid_emit_bits(lower, type, word);
}

/* Whether every thread holds the same elements. */
static bool is_same_in_threads(const nereid_layout_t *layout) {
  return !(nereid_layout_span(layout, NEREID_LAYOUT_LANE) | nereid_layout_span(layout, NEREID_LAYOUT_WARP) |
           nereid_layout_span(layout, NEREID_LAYOUT_BLOCK));
}

/* i32: the row-major index of the element in register `r`. */
static MlirValue number_of(nereid_lower_t *lower, const nereid_layout_t *layout, const nereid_coordinates_t *at,
                           intptr_t r) {
  MlirValue number = nereid_emit_i32(lower, 0);
  for (int d = 0; d < layout->rank; ++d) {
    MlirValue shift = nereid_emit_i32(lower, nereid_layout_out_shift(layout, d));
    number = nereid_emit_or(lower, number, nereid_emit_shl(lower, nereid_lower_coordinate(lower, at, r, d), shift));
  }
  return number;
}

static bool set_elements(nereid_lower_t *lower, MlirValue result, MlirAttribute value) {
  MlirType type = mlirValueGetType(result), element = nereid_lower_element_type(type);
  MlirType llvm_type = nereid_lower_type(lower, type);
  const nereid_layout_t *layout = nereid_lower_layout(lower, type);
  const nereid_coordinates_t *at = layout ? nereid_lower_coordinates(lower, type) : NULL;
  const size_t size = nereid_lower_memory_bits(type) / 8, count = (size_t)mlirElementsAttrGetNumElements(value);
  uint8_t *bytes = bytes_of(lower, element, value, count, size);
  if (!at || !bytes)
    return false;
  MlirType word = mlirIntegerTypeGet(lower->context, (unsigned)(8 * size));
  nereid_lowered_t lowered = nereid_lower_array(lower, at->registers);
  const bool same = is_same_in_threads(layout);
  MlirStringRef view = mlirStringRefCreate((const char *)bytes, count * size);
  MlirValue start = same ? (MlirValue){NULL} : nereid_lower_bytes(lower, view);
  for (intptr_t r = 0; r < lowered.count; ++r) {
    MlirValue made;
    if (same) {
      int64_t bits = 0;
      memcpy(&bits, bytes + nereid_layout_apply(layout, (uint32_t)r, 0, 0, 0) * size, size);
      made = nereid_emit_int(lower, word, bits);
    } else {
      MlirValue place = nereid_emit_gep(lower, start, word, number_of(lower, layout, at, r));
      made = nereid_emit(lower, "llvm.load", word, 1, &place);
    }
    lowered.values[r] = from_word(lower, llvm_type, made);
  }
  nereid_lower_set(lower, result, lowered);
  return lowered.count > 0;
}

/* --- the op --- */

static bool lower_constant(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(result), element = nereid_lower_element_type(type);
  MlirType llvm_type = nereid_lower_type(lower, type);
  MlirAttribute value = nereid_arith_constant_get_value_attr(op);
  if (mlirTypeIsNull(llvm_type))
    return nereid_lower_error(op, "has a result type that cannot be lowered");
  if (!mlirTypeIsAShaped(type)) {
    MlirValue constant = nereid_emit_constant(lower, llvm_type, element_attribute(lower, element, value));
    nereid_lower_set_scalar(lower, result, constant);
    return true;
  }
  if (!mlirAttributeIsADenseElements(value))
    return nereid_lower_error(op, "has a value that is not a dense attribute");
  if (!mlirDenseElementsAttrIsSplat(value))
    return set_elements(lower, result, value);
  MlirAttribute one = element_attribute(lower, element, mlirDenseElementsAttrGetSplatValue(value));
  return nereid_lower_set_splat(lower, result, nereid_emit_constant(lower, llvm_type, one));
}

const nereid_lower_row_t nereid_lower_constant_rows[] = {
    {NEREID_OP_ARITH_CONSTANT, lower_constant, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
