/* Counters per instruction of the PTX. Private to the emulator.
 *
 * What an instruction counts is the difference that it makes in the counters of its CTA, so that the sums over all
 * instructions are the counters of the launch. */
#ifndef NEREID_EMULATOR_COSTS_H
#define NEREID_EMULATOR_COSTS_H

#include "emulator/machine/cta.h"

/* The counters of a CTA that depend on more than the instruction. */
typedef struct emu_cost_mark {
  nereid_emulator_counters_t counters;
  uint64_t bank_conflicts;
} emu_cost_mark_t;

static inline emu_cost_mark_t nereid_emulator_costs_mark(const emu_cta_t *cta) {
  return (emu_cost_mark_t){cta->counters, cta->bank_conflicts};
}

/* Adds the accesses and barriers since `before` to the instruction at `pc`, which may have to be repeated. */
void nereid_emulator_costs_count(emu_cta_t *cta, uint32_t pc, const emu_cost_mark_t *before);

/* Counts an instruction that `threads` threads have executed. */
static inline void nereid_emulator_costs_execute(emu_cta_t *cta, uint32_t pc, uint32_t threads) {
  cta->costs[pc].warps++;
  cta->costs[pc].threads += threads;
}

/* Adds the costs of a CTA to `sums`; `count`: the number of instructions of the program. */
void nereid_emulator_costs_add(nereid_emulator_cost_t *sums, const nereid_emulator_cost_t *costs, size_t count);

/* Passes the instructions that were executed to launch->cost. */
void nereid_emulator_costs_report(const nereid_emulator_program_t *program, nereid_emulator_cost_t *sums,
                                  const nereid_emulator_launch_t *launch);

#endif
