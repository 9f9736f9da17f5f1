/* Operations of instructions and asynchronous effects on mbarriers in shared memory. Private to the emulator.
 *
 * A function that returns bool returns false after it has failed the instruction. `offset` is in the shared memory
 * of `cta`. */
#ifndef NEREID_EMULATOR_MBARRIER_H
#define NEREID_EMULATOR_MBARRIER_H

#include "emulator/memory/access.h"

enum { EMU_MBARRIER_PARITY = 62 /* the bit of the phase's parity */ };

/* The parity of the phase of a state, the bits of the object. */
static inline uint32_t emu_mbarrier_parity(uint64_t state) {
  return state >> EMU_MBARRIER_PARITY & 1;
}

/* Returns the mbarrier at an offset, whatever its bits; null: none. */
static inline emu_mbarrier_t *emu_mbarrier_find(emu_cta_t *cta, uint32_t offset) {
  for (size_t i = 0; i < cta->mbarriers.size; ++i)
    if (cta->mbarriers.data[i].offset == offset)
      return &cta->mbarriers.data[i];
  return NULL;
}

/* Returns the CTA and offset of a checked mbarrier address; null after failing. */
emu_cta_t *nereid_emulator_mbarrier_at(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                       uint64_t address, uint32_t *out_offset);
/* Returns a valid mbarrier; null after failing. The pointer is valid until the next init or inval. */
emu_mbarrier_t *nereid_emulator_mbarrier_valid(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                               uint32_t offset);

NEREID_MUST_USE bool nereid_emulator_mbarrier_init(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                   uint32_t offset, uint32_t count);
void nereid_emulator_mbarrier_inval(emu_cta_t *cta, emu_mbarrier_t *it);

/* Adds `bytes` expected transaction bytes, or subtracts completed bytes if negative. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_transact(emu_warp_t *warp, const emu_insn_t *insn, int lane,
                                                       emu_cta_t *cta, uint32_t offset, int64_t bytes);

typedef struct emu_arrival {
  uint32_t count, bytes;  /* arrivals; transaction bytes to expect before the arrival */
  bool drops;             /* later phases expect `count` fewer */
  bool must_not_complete; /* completing the phase is an error */
} emu_arrival_t;
NEREID_MUST_USE bool nereid_emulator_mbarrier_arrive(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                     uint32_t offset, const emu_arrival_t *arrival);
/* Increments the pending arrivals of this phase. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_await(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                    uint32_t offset);

typedef struct emu_mbarrier_state {
  uint32_t parity, pending, expected; /* arrivals */
  int32_t bytes;                      /* bytes of transactions */
} emu_mbarrier_state_t;
emu_mbarrier_state_t nereid_emulator_mbarrier_state(uint64_t bits);
/* The pending arrivals of a state, the bits of the object. */
uint32_t nereid_emulator_mbarrier_pending(uint64_t state);

#endif
