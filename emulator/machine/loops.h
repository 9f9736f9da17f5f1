/* Counters per loop of the PTX. Private to the emulator.
 *
 * A loop is the instructions from the target of a branch back to the last such branch; loops with one target are one.
 * An instruction counts for the innermost loop that contains it, those of called functions for none. A loop inside of a
 * block of braces, as in inline assembly, belongs to the loop around it. */
#ifndef NEREID_EMULATOR_LOOPS_H
#define NEREID_EMULATOR_LOOPS_H

#include "emulator/machine/cta.h"

/* The loops of a program. */
typedef struct emu_loops {
  const nereid_emulator_program_t *program;
  uint32_t count;
  uint32_t *heads;  /* pc of the first instruction of each, ascending */
  uint16_t *of;     /* by pc: the innermost loop, counted from 1; 0: none */
  uint8_t *effects; /* by pc: emu_loop_effect_t */
} emu_loops_t;

/* Shared memory accesses of a CTA so far. */
typedef struct emu_shared_cost {
  uint64_t requests, wavefronts, conflicts;
} emu_shared_cost_t;

/* Finds the loops; null: out of memory. */
const emu_loops_t *nereid_emulator_loops_find(const nereid_emulator_program_t *program, nereid_arena_t *arena);

static inline emu_shared_cost_t nereid_emulator_shared_cost(const emu_cta_t *cta) {
  const nereid_emulator_counters_t *all = &cta->counters;
  return (emu_shared_cost_t){all->shared_requests[0] + all->shared_requests[1],
                             all->shared_wavefronts[0] + all->shared_wavefronts[1], cta->bank_conflicts};
}

/* Counts an executed instruction of a loop; `before`: the accesses before it. */
void nereid_emulator_loops_count(emu_cta_t *cta, uint32_t pc, const emu_shared_cost_t *before);

/* Adds the counts of a CTA, or of several, to `sums`. */
void nereid_emulator_loops_add(const emu_loops_t *loops, nereid_emulator_loop_t *sums,
                               const nereid_emulator_loop_t *counts);

/* Passes the loops that were executed to launch->loop. */
void nereid_emulator_loops_report(const emu_loops_t *loops, nereid_emulator_loop_t *sums,
                                  const nereid_emulator_launch_t *launch);

#endif
