/* Rules of the PTX ISA whose violation the hardware tolerates: the run reports it and continues, as the hardware does.
 * What no hardware continues after, such as an access outside of every buffer, is a fault (machine/fail.c). */
#ifndef NEREID_EMULATOR_RULES_H
#define NEREID_EMULATOR_RULES_H

#include "emulator/machine/cta.h"

/* Reports a violation at an instruction by a lane. EMU_ADVANCE: continue; EMU_FAILED: the launch stops at this rule, or
 * memory is out. */
emu_next_t nereid_emulator_violate(emu_warp_t *warp, const emu_insn_t *insn, int lane, nereid_emulator_rule_t rule,
                                   const char *format, ...) NEREID_PRINTF(5, 6);

/* The violations of the CTAs, one per rule and instruction, in any order of the CTAs. */
typedef struct emu_violations {
  NEREID_VECTOR(nereid_emulator_violation_t) items;
} emu_violations_t;
/* Adds those of a cluster, copied into the arena. False when memory is out. */
bool nereid_emulator_violations_collect(const emu_cluster_t *cluster, nereid_arena_t *arena, emu_violations_t *all);
/* Sorts them by place in the text. */
void nereid_emulator_violations_sort(emu_violations_t *all);

#endif
