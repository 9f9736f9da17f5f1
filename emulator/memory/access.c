/* Resolves address spaces; see access.h and space.h. */
#include "emulator/memory/access.h"

emu_space_t nereid_emulator_access_space(const emu_insn_t *insn, uint64_t address) {
  emu_space_t space = emu_space_of((emu_space_t)insn->space, address);
  return space == EMU_SHARED_CLUSTER ? EMU_SHARED : space;
}

emu_cta_t *nereid_emulator_cta_of(emu_cta_t *cta, uint64_t address) {
  uint32_t upper = (uint32_t)address >> EMU_RANK_SHIFT;
  return !upper ? cta : upper - 1 < cta->cluster->n_ctas ? &cta->cluster->ctas[upper - 1] : NULL;
}
