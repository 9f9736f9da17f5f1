/* Scalar types and layouts: the LLVM types of elements and the registers of tensors. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_TYPES_H
#define NEREID_CONVERSION_TTG_TO_LLVM_TYPES_H

#include "conversion/ttg_to_llvm/context.h"
#include "layout/linear_layout.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* The LLVM type of a scalar, or of a tensor's element: tt.ptr is !llvm.ptr<1> (by its address space), fp8 is i8, fp4 is
 * i8, index is i32, a type of the llvm dialect itself. Null for a type that has none. */
MlirType nereid_lower_type(nereid_lower_t *lower, MlirType type);

/* The element type of a tensor, the type itself otherwise. */
MlirType nereid_lower_element_type(MlirType type);

/* Bits of an element in memory (i1: 8) and in a register (i1: 1). Pointers have 64. */
unsigned nereid_lower_memory_bits(MlirType element);

/* The linear layout of a tensor type with an encoding; kept for the conversion. Null after a diagnostic at
 * lower->builder.location when the encoding is not distributed. */
const nereid_layout_t *nereid_lower_layout(nereid_lower_t *lower, MlirType tensor);

/* Elements that one thread holds: 1 for a scalar; 0 after a diagnostic. */
intptr_t nereid_lower_registers(nereid_lower_t *lower, MlirType type);

/* Whether `type` is one of the llvm dialect, such as a struct or a pointer. */
bool nereid_lower_is_llvm_type(MlirType type);

/* Whether `type` is a !tt.tensordesc. */
bool nereid_lower_is_descriptor_type(MlirType type);

/* The bits of a float attribute, in the low bits of the word. */
uint64_t nereid_lower_float_bits(MlirAttribute value);

#endif
