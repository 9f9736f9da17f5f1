/* Blocks of a function and the per-thread values that pass between them. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_BLOCKS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_BLOCKS_H

#include "base/vector.h"
#include "conversion/ttg_to_llvm/lower.h"

typedef NEREID_VECTOR(MlirBlock) nereid_blocks_t;
typedef NEREID_VECTOR(MlirValue) nereid_values_t;
typedef NEREID_VECTOR(MlirType) nereid_types_t;

/* --- values --- */

/* Appends the LLVM types of `type`: one, or one per register of a tensor. False when it has none. */
bool nereid_lower_append_types(nereid_lower_t *lower, MlirType type, nereid_types_t *types);

/* Appends the per-thread values of operands [from, to). */
bool nereid_lower_flatten(nereid_lower_t *lower, MlirOperation op, intptr_t from, intptr_t to, nereid_values_t *out);

/* The same for operands of a branch: operands of mma.sync and 8-bit elements pass as words of 32 bits, which blocks
 * take apart. */
bool nereid_lower_flatten_words(nereid_lower_t *lower, MlirOperation op, intptr_t from, intptr_t to,
                                nereid_values_t *out);

/* Sets the per-thread values of `value` to the arguments of `block` from `*next` on, which is advanced past them. */
bool nereid_lower_take_values(nereid_lower_t *lower, MlirValue value, MlirBlock block, intptr_t *next);

/* Always false, after a diagnostic that `argument`'s type cannot `what`, unless its layout has already been
 * diagnosed. */
bool nereid_lower_refuse_type(nereid_lower_t *lower, MlirValue argument, const char *what);

/* --- blocks --- */

/* The block of the llvm.func that corresponds to `block`. */
MlirBlock nereid_lower_block(nereid_lower_t *lower, MlirBlock block);

/* Appends to `region` a block for `block`, with an argument per register of each of its arguments; for an entry block
 * the caller sets the arguments. */
bool nereid_lower_create_block(nereid_lower_t *lower, MlirBlock block, bool is_entry, MlirRegion region);

/* Reverse post-order of the blocks reachable from `entry`; false if out of memory. */
bool nereid_lower_order_blocks(nereid_arena_t *arena, MlirBlock entry, nereid_blocks_t *out);

/* Fills lower->looping with the blocks of `region` that are in loops. The blocks of a loop, after conversion from
 * structured control flow, are consecutive from the target of a back edge to its source. Only performance depends on
 * the result. False if out of memory. */
bool nereid_lower_find_loops(nereid_lower_t *lower, MlirRegion region);

#endif
