/* PTX ISA rules whose violation the hardware tolerates: the run reports the violation and continues, as the hardware
 * does. An error after which no hardware continues, such as an out-of-bounds access, is a fault (machine/fail.c). */
#ifndef NEREID_EMULATOR_RULES_H
#define NEREID_EMULATOR_RULES_H

#include "emulator/machine/cta.h"

/* Reports a violation by a lane. EMU_ADVANCE: continue; EMU_FAILED: the launch stops at this rule, or out of memory. */
emu_next_t nereid_emulator_violate(emu_warp_t *warp, const emu_insn_t *insn, int lane, nereid_emulator_rule_t rule,
                                   const char *format, ...) NEREID_PRINTF(5, 6);

/* Violations of all CTAs, one per rule and instruction, in any order. */
typedef struct emu_violations {
  NEREID_VECTOR(nereid_emulator_violation_t) items;
} emu_violations_t;
/* Adds a cluster's violations, copied into the arena. False: out of memory. */
bool nereid_emulator_violations_collect(const emu_cluster_t *cluster, nereid_arena_t *arena, emu_violations_t *all);
/* Sorts the violations by position in the text. */
void nereid_emulator_violations_sort(emu_violations_t *all);

#endif
