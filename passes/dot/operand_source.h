/* Where the operands of a dot come from and where its result goes, through elementwise ops and conversions.
 *
 *   %x = tt.load … : i8      %y = arith.sitofp %x : f16      %a = convert %y      tt.dot %a, …
 *   source of %a: COMPUTED, 8 bits loaded
 *
 * Walks are bounded in depth and in the number of values; what they do not reach counts as stored (sources) and as
 * unused (results). Pure. */
#ifndef NEREID_PASSES_DOT_OPERAND_SOURCE_H
#define NEREID_PASSES_DOT_OPERAND_SOURCE_H

#include "passes/dot/instruction_choice.h"

#include "base/arena.h"
#include "nereid/builder.h"

typedef struct nereid_dot_operand {
  MlirValue value;            /* before conversions of its layout */
  MlirValue unmasked;         /* for wgmma: of f32, without a mask of the 13 low bits, which it ignores; else `value` */
  nereid_dot_a_source_t kind; /* of `unmasked`, as operand a */
  bool is_in_all_warps;       /* chained: warps that share a row need no exchange of their own */
  int64_t loaded_bits;        /* width of the narrowest loaded elements from which it is computed */
} nereid_dot_operand_t;

/* Traces operand `index` of `dot`. */
nereid_dot_operand_t nereid_dot_operand_of(MlirOperation dot, int index);

/* Writes the order of the layout in which `value` is loaded, through conversions and elementwise ops: it is computed in
 * that layout in the end. The order of its own layout if it depends on no load of its shape, or on loads in which other
 * dimensions are contiguous. */
void nereid_dot_loaded_order(MlirValue value, int32_t *out_order);

/* Returns a builder before `dot` or, for a `value` from another block, after its definition: a loop prepares its
 * invariant operands once. */
nereid_builder_t nereid_dot_operand_builder(MlirOperation dot, MlirValue value);

/* Sets *out_feeds_dot when the result becomes operand a of another dot, and *out_feeds_reduce when its rows are
 * reduced. False when out of memory. */
bool nereid_dot_result_uses(MlirOperation dot, nereid_arena_t *scratch, bool *out_feeds_dot, bool *out_feeds_reduce);

/* Returns whether the op computes each element of its results from the same elements of its operands. */
bool nereid_dot_is_elementwise(MlirOperation op);

#endif
