/* tt.func to llvm.func: signatures, kernels, blocks; what convert.c runs per function. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_FUNCTION_H
#define NEREID_CONVERSION_TTG_TO_LLVM_FUNCTION_H

#include "base/vector.h"
#include "conversion/ttg_to_llvm/lower.h"

/* Converts `function`, a tt.func with a body: makes an llvm.func in front of it and lowers the body into it, each op by
 * its row of lower->rows. The tt.func stays. False after a diagnostic. */
bool nereid_lower_function(nereid_lower_t *lower, const nereid_call_function_t *function);

/* Lowers the ops of `block` in front of `end` (null: all), at lower->builder. False after a diagnostic. */
bool nereid_lower_ops(nereid_lower_t *lower, MlirBlock block, MlirOperation end);

typedef NEREID_VECTOR(MlirBlock) nereid_blocks_t;
typedef NEREID_VECTOR(MlirValue) nereid_values_t;
typedef NEREID_VECTOR(MlirType) nereid_types_t;

/* Reverse post-order of the blocks that are reached from `entry`; false when memory is out. */
bool nereid_lower_order_blocks(nereid_arena_t *arena, MlirBlock entry, nereid_blocks_t *out);

/* Appends to `region` the block that stands for `block`, with an argument per register of each of its arguments; of an
 * entry the caller sets the arguments. */
bool nereid_lower_create_block(nereid_lower_t *lower, MlirBlock block, bool is_entry, MlirRegion region);

/* The block of the llvm.func that stands for `block`. */
MlirBlock nereid_lower_block(nereid_lower_t *lower, MlirBlock block);

/* Appends the LLVM types of `type`: one, or one per register of a tensor. False when it has none. */
bool nereid_lower_append_types(nereid_lower_t *lower, MlirType type, nereid_types_t *types);

/* Appends the per-thread values of operands [from, to). */
bool nereid_lower_flatten(nereid_lower_t *lower, MlirOperation op, intptr_t from, intptr_t to, nereid_values_t *out);

/* --- calls --- */

/* Fills lower->needs; false when memory is out. */
bool nereid_lower_find_needs(nereid_lower_t *lower);

/* Checks that `function` returns no buffer of its own; false after a diagnostic, or when memory is out. */
bool nereid_lower_check_escapes(nereid_lower_t *lower, MlirOperation function);

/* The last parameters of an internal function: where those of its frames start that it needs, and which warps run it,
 * where it must be told; and taking them from argument `first` of lower->entry on. */
bool nereid_lower_append_frame_types(nereid_lower_t *lower, MlirOperation function, nereid_types_t *types);
void nereid_lower_take_frames(nereid_lower_t *lower, intptr_t first);

/* What a function returns that has results of `types`: nothing, the one, or a literal struct. That is the calling
 * convention, not a tensor. */
MlirType nereid_lower_result_type(nereid_lower_t *lower, const nereid_types_t *types);

#endif
