/* Which memory an address is of.
 *
 *   generic 0x00007f0000000010   shared memory, 16    its window is above the offset
 *   shared  0x02000010           the same place of the CTA of rank 1 in the cluster: 1 + the rank is above the offset
 */
#ifndef NEREID_EMULATOR_SPACE_H
#define NEREID_EMULATOR_SPACE_H

#include "emulator/machine/program.h"

/* What a generic address of space `where` has above its offset there, which has 32 bits but in global memory. */
static inline uint64_t emu_window_of(emu_space_t space, emu_space_t where, uint64_t address) {
  return space == EMU_GENERIC && where != EMU_GLOBAL ? address & ~(EMU_WINDOW_BYTES - 1) : 0;
}

/* The space that an address of `space` is of. Shared memory at an address with a rank is SHARED_CLUSTER, the CTA's own
 * without one SHARED. */
static inline emu_space_t emu_space_of(emu_space_t space, uint64_t address) {
  bool ranked = (uint32_t)address >> EMU_RANK_SHIFT != 0;
  if (space == EMU_SHARED || space == EMU_SHARED_CLUSTER ||
      (space == EMU_GENERIC && address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES))
    return ranked ? EMU_SHARED_CLUSTER : EMU_SHARED;
  return space != EMU_GENERIC                            ? space
         : address - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES ? EMU_LOCAL
         : address - EMU_PARAM_WINDOW < EMU_WINDOW_BYTES ? EMU_PARAM
                                                         : EMU_GLOBAL;
}

/* The space of an access: the instruction's, or for a generic address that of its window. A request is one of the space
 * where its first lane points. Never SHARED_CLUSTER. */
emu_space_t nereid_emulator_access_space(const emu_insn_t *insn, uint64_t address);

/* The CTA of a shared address (its low 32 bits), null when its cluster has no such CTA. */
emu_cta_t *nereid_emulator_cta_of(emu_cta_t *cta, uint64_t address);

#endif
