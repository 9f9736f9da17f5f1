/* What other families ask of mbarriers. Private to the emulator. */
#ifndef NEREID_EMULATOR_MBARRIER_H
#define NEREID_EMULATOR_MBARRIER_H

#include "emulator/machine/program.h"

/* `bytes` of the transactions of the mbarrier at `offset` of `cta` have been done. False after failing at the place. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_complete(emu_warp_t *warp, const emu_insn_t *insn, int lane,
                                                       emu_cta_t *cta, uint32_t offset, uint32_t bytes);
/* `count` arrivals. `before`: the pending count grows by as many first. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_arrive(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                     uint32_t offset, uint32_t count);
/* cp.async.mbarrier.arrive without .noinc: one arrival more is awaited. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_await(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                    uint32_t offset);
/* The CTA and offset of an mbarrier's address, which is checked; null after failing. `insn`'s space counts. */
emu_cta_t *nereid_emulator_mbarrier_at(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                       uint64_t address, uint32_t *out_offset);

#endif
