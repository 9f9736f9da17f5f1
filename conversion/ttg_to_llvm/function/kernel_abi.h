/* The kernel ABI of Triton 3.6 on functions of the LLVM dialect (docs/abi.md). */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_KERNEL_ABI_H
#define NEREID_CONVERSION_TTG_TO_LLVM_KERNEL_ABI_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/* Bytes and alignment of a TMA descriptor that is passed by value (PTX ISA, "Tensor-map"). */
enum { NEREID_TMA_DESCRIPTOR_BYTES = 128, NEREID_TMA_DESCRIPTOR_ALIGNMENT = 64 };

/* Whether argument attributes `attributes` (a dictionary, or null) contain `tt.nv_tma_desc = 1 : i32`, with exactly
 * this value and type. */
bool nereid_kernel_abi_is_descriptor(MlirAttribute attributes);

/* Whether `function`, an llvm.func, is a kernel. */
bool nereid_kernel_abi_is_kernel(MlirOperation function);

/* Brings the by-value descriptors of every llvm.func in `module` in line with the `tt.nv_tma_desc` of its arguments, so
 * that the attribute is effective after an edit at the llvm stage: with it the argument is byval, grid_constant and
 * align 64, without it none of these. False after a located error for a function that is not a kernel. */
bool nereid_kernel_abi_apply(MlirOperation module);

/* The last step before translation to LLVM IR: applies the ABI, then drops the argument attributes of tt and nereid,
 * which have no LLVM equivalent. False as above. */
bool nereid_kernel_abi_finish(MlirOperation module);

#endif
