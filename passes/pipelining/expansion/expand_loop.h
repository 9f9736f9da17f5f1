/* Expands a scheduled loop into a pipelined one: a modulo schedule of any number of stages.
 *
 *   for %i: A (stage 0); B (stage 1); C (stage 2)
 *   ->
 *   A0; B0 A1                                  prologue: steps 0 and 1, predicated
 *   for %i: C(i) B(i+1) A(i+2)                 kernel: one step per iteration of the original loop
 *
 * Without peeled iterations, the kernel has the bounds of the original loop and executes the last stage of iteration
 * %i; ops of earlier stages, which belong to later iterations, are predicated: they do nothing past the end. Where an
 * op of an early stage can neither be predicated nor be executed without effect, the last steps are peeled:
 *
 *   if at least one iteration exists:
 *     A0; B0 A1
 *     for %i below the last iteration: C(i) B(i+1) A(i+2)       B always exists, A is predicated
 *     C                                                         epilogue: of the last iteration
 *   else the initial values
 *
 * A loop with a constant number of iterations, fewer than stages, is unrolled instead. Its steps need no predicates,
 * and no slot of a ring is filled twice. It remains a loop if it stores operands that dots of warp groups read in the
 * same stage: these are in flight until after the last iteration, so each would need a buffer of its own.
 *
 *   for %i = 0 to 2: A (stage 0); C (stage 2)      ->      A0; A1; C0; C1 */
#ifndef NEREID_PASSES_EXPAND_LOOP_H
#define NEREID_PASSES_EXPAND_LOOP_H

#include "passes/pipelining/schedule.h"

/* The number of iterations at the end whose last stages are peeled; 0 when all ops of earlier stages can be executed
 * past the end. */
int32_t nereid_loop_expand_peeled(const nereid_schedule_t *schedule);

/* The number of iterations of a loop that is unrolled; 0 for any other. The lowering of loads decides, by the attribute
 * loop.unrolled, as the slots of rings depend on it. */
int32_t nereid_loop_expand_unrolled(const nereid_schedule_t *schedule);

/* Replaces the loop of a verified schedule with max_stage >= 1. A loop with peeled iterations moves into an scf.if
 * unless it has at least as many. False when out of memory. */
bool nereid_loop_expand(nereid_schedule_t *schedule);

#endif
