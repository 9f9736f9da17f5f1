/* mbarriers as objects in shared memory: what instructions and asynchronous effects do to them. Private to the
 * emulator.
 *
 * What returns bool is false after failing at the instruction. `offset` is in the shared memory of `cta`. */
#ifndef NEREID_EMULATOR_MBARRIER_H
#define NEREID_EMULATOR_MBARRIER_H

#include "emulator/memory/access.h"

/* The CTA and offset of an mbarrier's address, which is checked; null after failing. */
emu_cta_t *nereid_emulator_mbarrier_at(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                       uint64_t address, uint32_t *out_offset);
/* The mbarrier, found to be one; null after failing. Good until the next one is made or ends. */
emu_mbarrier_t *nereid_emulator_mbarrier_valid(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                               uint32_t offset);

NEREID_MUST_USE bool nereid_emulator_mbarrier_init(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                   uint32_t offset, uint32_t count);
/* The mbarrier at an offset, whatever its bits are; null when there is none. */
emu_mbarrier_t *nereid_emulator_mbarrier_find(emu_cta_t *cta, uint32_t offset);
void nereid_emulator_mbarrier_inval(emu_cta_t *cta, emu_mbarrier_t *it);

/* `bytes` more are expected, or, negative, have come. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_transact(emu_warp_t *warp, const emu_insn_t *insn, int lane,
                                                       emu_cta_t *cta, uint32_t offset, int64_t bytes);

typedef struct emu_arrival {
  uint32_t count, bytes;  /* arrivals; bytes that are expected besides, first */
  bool drops;             /* later phases expect `count` fewer */
  bool must_not_complete; /* the phase */
} emu_arrival_t;
NEREID_MUST_USE bool nereid_emulator_mbarrier_arrive(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                     uint32_t offset, const emu_arrival_t *arrival);
/* One arrival more is awaited in this phase. */
NEREID_MUST_USE bool nereid_emulator_mbarrier_await(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                                    uint32_t offset);

typedef struct emu_mbarrier_state {
  uint32_t parity, pending, expected; /* arrivals */
  int32_t bytes;                      /* of transactions */
} emu_mbarrier_state_t;
emu_mbarrier_state_t nereid_emulator_mbarrier_state(uint64_t bits);
/* Of a state, the bits of the object. */
uint32_t nereid_emulator_mbarrier_parity(uint64_t state);
uint32_t nereid_emulator_mbarrier_pending(uint64_t state);

#endif
