/* What plain and tensor bulk copies share. Private to the emulator. */
#ifndef NEREID_EMULATOR_BULK_H
#define NEREID_EMULATOR_BULK_H

#include "emulator/machine/effect.h"

/* What a form does, insn->variant. Without TO_SHARED it copies to global memory. */
enum { EMU_TO_SHARED = 1, EMU_FROM_SHARED = 2, EMU_REDUCES = 4, EMU_MULTICAST = 8, EMU_IM2COL = 16 };

/* Has the mbarrier at `address` count `bytes` of the effect, which writes to `cta`. False after failing. */
NEREID_MUST_USE bool nereid_emulator_track(emu_effect_t *effect, int lane, const emu_cta_t *cta, uint64_t address,
                                           uint32_t bytes);
/* The CTAs that a lane's copy goes to, as a mask of ranks: the mask operand `k`, or that of the address alone. 0 after
 * failing. */
uint32_t nereid_emulator_targets(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, const emu_cta_t *cta);

/* The same shared address in the CTA of that rank. */
uint64_t nereid_emulator_in_cta(uint64_t address, uint32_t rank);

/* What the reduction of `insn` leaves of elements of `type`: `to` combined with `from`, `n` bytes. `flushes`:
 * subnormal f32 numbers are zeros. */
void nereid_emulator_reduce(const emu_insn_t *insn, emu_type_t type, bool flushes, uint8_t *to, const uint8_t *from,
                            uint32_t n);

void nereid_emulator_count_bulk(emu_warp_t *warp, uint64_t bytes);

#endif
