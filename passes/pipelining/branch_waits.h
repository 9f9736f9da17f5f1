/* Waits for dots of warp groups inside an scf.if.
 *
 *   %d = ttng.warp_group_dot …               %d = ttng.warp_group_dot …
 *   scf.if %last { use %d }           ->     %e = scf.if %last { %w = ttng.warp_group_dot_wait %d; use %w; yield %w }
 *   scf.yield %d                                          else { yield %d }
 *                                            scf.yield %e
 *
 * Where the branch is not executed, the dot stays in flight. The result of the branch lets the assembler use the same
 * registers for the accumulator before and after it. */
#ifndef NEREID_PASSES_BRANCH_WAITS_H
#define NEREID_PASSES_BRANCH_WAITS_H

#include "base/arena.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* Whether `op` is an scf.if whose second region does nothing but yield. */
bool nereid_branch_is_conditional(MlirOperation op);

/* Whether all uses of `value` in `branch` are in its first region, so that a wait there can precede them. */
bool nereid_branch_uses_first_only(MlirOperation branch, MlirValue value);

/* Whether a branch only computes values and accesses global memory: no dot in flight needs to be complete for it. */
bool nereid_branch_is_harmless(MlirOperation branch);

/* Inserts a wait for all dots at the start of the first region, and replaces `branch` by one with a result for each of
 * the first `results` of the `n` inputs, which its first region uses. Uses of an input after the branch become uses of
 * that result. Nothing changes when `arena` is out of memory. */
void nereid_branch_insert_wait(nereid_arena_t *arena, MlirOperation branch, intptr_t n, const MlirValue *inputs,
                               intptr_t results);

#endif
