/* Functions shared by plain and tensor bulk copies. Private to the emulator. */
#ifndef NEREID_EMULATOR_BULK_H
#define NEREID_EMULATOR_BULK_H

#include "emulator/machine/effect.h"

/* Flags of a form in insn->variant. Without TO_SHARED it copies to global memory. */
enum { EMU_TO_SHARED = 1, EMU_FROM_SHARED = 2, EMU_REDUCES = 4, EMU_MULTICAST = 8, EMU_IM2COL = 16 };

/* Tracks `bytes` of the effect, which writes to `cta`, with the mbarrier at `address`. False after failing. */
NEREID_MUST_USE bool nereid_emulator_track(emu_effect_t *effect, int lane, const emu_cta_t *cta, uint64_t address,
                                           uint32_t bytes);
/* The target CTAs of a lane's copy as a mask of ranks: the mask operand `k`, or the rank in the address. 0 after
 * failing. */
uint32_t nereid_emulator_targets(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, const emu_cta_t *cta);

/* The same shared address in the CTA of that rank. */
uint64_t nereid_emulator_in_cta(uint64_t address, uint32_t rank);

/* Combines `n` bytes of elements of `type` in `to` with `from` by the reduction of `insn`. `flushes`: subnormal f32
 * values become zero. */
void nereid_emulator_reduce(const emu_insn_t *insn, emu_type_t type, bool flushes, uint8_t *to, const uint8_t *from,
                            uint32_t n);

void nereid_emulator_count_bulk(emu_warp_t *warp, uint64_t bytes);

#endif
