/* Types and layouts of the conversion: scalars to LLVM types, tensors to registers; see types.h. */
#include "conversion/ttg_to_llvm/types.h"

#include "base/float.h"
#include "dialects/diagnose.h"
#include "dialects/ttng/descriptor_type.h"
#include "layout/encoding.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Dialect/LLVM.h"

MlirType nereid_lower_element_type(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

bool nereid_lower_is_descriptor_type(MlirType type) {
  return nereid_ttng_is_descriptor_type(type);
}

static bool is_fp8(MlirType type) {
  return mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E4M3FNUZ(type) ||
         mlirTypeIsAFloat8E5M2FNUZ(type) || mlirTypeIsAFloat8E4M3B11FNUZ(type);
}

/* Widths that registers and memory have; an i4 occupies an i8. */
static bool is_integer_width(unsigned width) {
  return width > 0 && width <= 64 && (width & (width - 1)) == 0;
}

bool nereid_lower_is_llvm_type(MlirType type) {
  return mlirStringRefEqual(mlirDialectGetNamespace(mlirTypeGetDialect(type)), mlirStringRefCreateFromCString("llvm"));
}

MlirType nereid_lower_type(nereid_lower_t *lower, MlirType type) {
  if (nereid_ttg_memdesc_type_isa(type))
    return lower->types->ptr_shared;
  if (nereid_ttg_async_token_type_isa(type))
    return lower->types->i32; /* none: the instructions are ordered */
  if (mlirTypeIsAShaped(type) && !mlirTypeIsARankedTensor(type))
    return (MlirType){NULL};
  type = nereid_lower_element_type(type);
  if (nereid_tt_ptr_type_isa(type))
    return mlirLLVMPointerTypeGet(lower->context, (unsigned)nereid_tt_ptr_type_get_address_space(type));
  if (nereid_lower_is_descriptor_type(type))
    return lower->types->ptr;
  if (is_fp8(type))
    return lower->types->i8;
  if (mlirTypeIsAIndex(type))
    return lower->types->i32;
  if (mlirTypeIsAInteger(type) && !is_integer_width(mlirIntegerTypeGetWidth(type)))
    return (MlirType){NULL};
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeIsSignless(type) ? type : mlirIntegerTypeGet(lower->context, mlirIntegerTypeGetWidth(type));
  if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type) || mlirTypeIsAF32(type) || mlirTypeIsAF64(type) ||
      nereid_lower_is_llvm_type(type))
    return type;
  return (MlirType){NULL};
}

uint64_t nereid_lower_float_bits(MlirAttribute value) {
  MlirType type = mlirAttributeGetType(value);
  const double number = mlirFloatAttrGetValueDouble(value);
  const float single = (float)number;
  uint64_t bits = 0;
  uint32_t single_bits = 0;
  if (mlirTypeIsAFloat8E4M3FN(type))
    return nereid_float_to_f8e4m3fn(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsAFloat8E5M2(type))
    return nereid_float_to_f8e5m2(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsAF16(type))
    return nereid_float_to_f16(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsABF16(type))
    return nereid_float_to_bf16(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsAF32(type)) {
    memcpy(&single_bits, &single, sizeof single);
    return single_bits;
  }
  memcpy(&bits, &number, sizeof number);
  return bits;
}

unsigned nereid_lower_memory_bits(MlirType element) {
  element = nereid_lower_element_type(element);
  if (nereid_tt_ptr_type_isa(element) || mlirTypeIsALLVMPointerType(element))
    return 64;
  if (mlirTypeIsAFloat(element))
    return mlirFloatTypeGetWidth(element);
  unsigned width = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 32;
  return width < 8 ? 8 : width;
}

enum { MAX_REGISTER_BITS = 16 }; /* the largest tensor in one warp has 2^15 */

/* Where a type is reported: at the present op, or at the function for a constant that folding has created. */
static MlirLocation place_of(const nereid_lower_t *lower) {
  MlirLocation here = lower->builder.location;
  return mlirLocationEqual(here, mlirLocationUnknownGet(lower->context)) && lower->function
             ? mlirOperationGetLocation(lower->function->op)
             : here;
}

const nereid_layout_t *nereid_lower_layout(nereid_lower_t *lower, MlirType tensor) {
  uintptr_t *found = nereid_map_find(&lower->module->layouts, tensor.ptr);
  if (found)
    return (const nereid_layout_t *)*found;
  nereid_layout_t *layout = nereid_arena_new(lower->arena, nereid_layout_t, 1);
  uintptr_t *place = nereid_map_insert(&lower->module->layouts, tensor.ptr);
  if (!layout || !place)
    return NULL;
  if (nereid_layout_from_type(tensor, layout) != NEREID_OK) {
    if (mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(tensor)))
      nereid_diagnose_at(place_of(lower),
                         "%s has no encoding that distributes it over threads; run convert-triton-to-tritongpu first",
                         nereid_text_of_type(tensor).chars);
    else
      nereid_diagnose_at(place_of(lower), "%s has an encoding that does not distribute it over threads",
                         nereid_text_of_type(tensor).chars);
    return NULL;
  }
  if (layout->in_bits[NEREID_LAYOUT_REGISTER] > MAX_REGISTER_BITS) {
    nereid_diagnose_at(place_of(lower), "%s puts 2^%d elements into every thread: expected at most 2^%d",
                       nereid_text_of_type(tensor).chars, (int)layout->in_bits[NEREID_LAYOUT_REGISTER],
                       MAX_REGISTER_BITS);
    return NULL;
  }
  *place = (uintptr_t)layout;
  return layout;
}

intptr_t nereid_lower_registers(nereid_lower_t *lower, MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return 1;
  const nereid_layout_t *layout = nereid_lower_layout(lower, type);
  return layout ? nereid_layout_registers(layout) : 0;
}
