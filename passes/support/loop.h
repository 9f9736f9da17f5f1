/* Parts and changes of scf.for. */
#ifndef NEREID_PASSES_LOOP_H
#define NEREID_PASSES_LOOP_H

#include "nereid/dialects/ops.h"

#include <mlir-c/IR.h>
#include <stdbool.h>

/* Operands of scf.for before the initial values: the lower bound, the upper bound and the step. */
enum { NEREID_LOOP_BOUNDS = 3 };

MlirBlock nereid_loop_body(MlirOperation loop);

/* Whether `op` is in a loop of its function. */
bool nereid_loop_is_around(MlirOperation op);

/* Whether an op of this kind is directly in the body of `loop`. */
bool nereid_loop_has(MlirOperation loop, nereid_op_kind_t kind);

/* Carried value `i` of `loop`, an scf.for: its initial value, and the argument of the body, which follows the induction
 * variable. Result `i` of the loop and operand `i` of its scf.yield belong to it. */
MlirValue nereid_loop_initial(MlirOperation loop, intptr_t i);
MlirValue nereid_loop_argument(MlirOperation loop, intptr_t i);
void nereid_loop_set_initial(MlirOperation loop, intptr_t i, MlirValue value);

/* Whether anything uses carried value `i`, in the body or after the loop. */
bool nereid_loop_uses_carried(MlirOperation loop, intptr_t i);

/* Replaces the uses of carried values that always equal earlier ones: same initial value, same yielded value. */
void nereid_loop_merge_carried(MlirOperation loop);

/* Replaces `loop`, an scf.for, by one that also carries the `n` values `initial`, as its last ones, and erases it. The
 * block and the operations of the body stay. The caller appends the yielded values to the terminator. Returns the new
 * loop. */
MlirOperation nereid_loop_with_carried(MlirOperation loop, intptr_t n, const MlirValue *initial);

/* Appends an scf.yield of the results of `op` to `block`, and returns it. */
MlirOperation nereid_loop_yield_results(MlirBlock block, MlirOperation op);

/* Moves `loop` into an scf.if of `condition` that yields its results, and replaces their uses. The other branch is
 * `otherwise`, owned by the scf.if; where it is null, it yields the loop's initial values. Returns the scf.if. */
MlirOperation nereid_loop_branch_around(MlirOperation loop, MlirValue condition, MlirBlock otherwise);

#endif
