/* Tensors and buffers as LLVM structs, where they cross the boundary of a public function or of the llvm dialect. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_STRUCTS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_STRUCTS_H

#include "conversion/ttg_to_llvm/context.h"

/* The LLVM type of a whole value: of a tensor a struct with a field per register, in order; of a buffer a struct of the
 * base pointer and the offset in each dimension, i32; of another value its LLVM type. Null for a type that has none. */
MlirType nereid_structs_type(nereid_lower_t *lower, MlirType type);

/* Unpacks the arguments of a kernel that are tensors or buffers and have uses; before that, their only value is the
 * struct. False after a diagnostic. */
bool nereid_structs_unpack_arguments(nereid_lower_t *lower);

/* The type of the results of a kernel: void, one type, or a struct of several. Null when a result has none. */
MlirType nereid_structs_result_type(nereid_lower_t *lower, MlirType function_type);

/* The value that tt.return `op` of a kernel returns; null when there is none. */
MlirValue nereid_structs_pack_results(nereid_lower_t *lower, MlirOperation op);

/* Lowers an op that has no row: a builtin.unrealized_conversion_cast from or to a struct, or an op of the dialects llvm
 * and nvvm without regions, which is copied. False after a diagnostic. */
bool nereid_structs_lower_foreign(nereid_lower_t *lower, MlirOperation op);

#endif
