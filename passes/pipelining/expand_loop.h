/* Expands a scheduled loop into a pipelined one: a modulo schedule of any number of stages.
 *
 *   for %i: A (stage 0); B (stage 1); C (stage 2)
 *   ->
 *   A0; B0 A1                                  prologue: steps 0 and 1, predicated
 *   for %i: C(i) B(i+1) A(i+2)                 kernel: one step per iteration of the original loop
 *
 * The kernel has the bounds of the original loop and executes the last stage of iteration %i; ops of earlier stages, which
 * belong to later iterations, are predicated: they do nothing past the end. */
#ifndef NEREID_PASSES_EXPAND_LOOP_H
#define NEREID_PASSES_EXPAND_LOOP_H

#include "passes/pipelining/schedule.h"

/* The number of iterations at the end that must be peeled because an op of an early stage can neither be predicated nor
 * be executed in vain: 0 when none. */
int32_t nereid_loop_expand_peeled(const nereid_schedule_t *schedule);

/* Replaces the loop of a verified schedule with max_stage >= 1 and without peeled iterations. The ops before and after
 * the loop are unchanged. Returns the new loop; null when out of memory. */
MlirOperation nereid_loop_expand(const nereid_schedule_t *schedule);

#endif
