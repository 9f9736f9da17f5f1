/* The race detector's hooks: what the rest of the emulator tells it. Each is called only when the CTA has a detector,
 * `cta->race`, before the instruction takes effect. docs/racecheck.md has the rules. */
#ifndef NEREID_EMULATOR_RACE_H
#define NEREID_EMULATOR_RACE_H

#include "emulator/machine/effect.h"
#include "emulator/memory/access.h"

typedef struct emu_race emu_race_t;

/* One detector per launch. Null when memory is out. */
emu_race_t *nereid_emulator_race_create(const nereid_emulator_kernel_t *kernel, const nereid_emulator_launch_t *launch);
void nereid_emulator_race_destroy(emu_race_t *race);
/* Gives the CTA, whose `id` and `shared_bytes` are set, its part; false when memory is out. */
bool nereid_emulator_race_start(emu_race_t *race, emu_cta_t *cta);
void nereid_emulator_race_finish(emu_cta_t *cta);
bool nereid_emulator_race_failed(const emu_race_t *race);
/* The races found, in the order of finding; the strings live as long as the program. */
size_t nereid_emulator_race_results(const emu_race_t *race, const nereid_emulator_race_t **out_races);

/* A request of the lanes of `mask` at `addresses`, whose bytes are at `places`; they may be null for what is not `st`.
 * A compare-and-swap that fails is a read. */
void nereid_emulator_race_request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t *const *places);

/* fence and membar; fence.proxy.async. */
void nereid_emulator_race_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
void nereid_emulator_race_proxy_fence(emu_warp_t *warp, uint32_t mask);

/* bar.warp.sync. */
void nereid_emulator_race_warp_sync(emu_warp_t *warp, uint32_t mask);
/* Lanes arrive at a barrier of the CTA; lanes leave it; it is empty again. */
void nereid_emulator_race_arrive(emu_warp_t *warp, unsigned id, uint32_t mask);
void nereid_emulator_race_leave(emu_warp_t *warp, unsigned id, uint32_t mask);
void nereid_emulator_race_reset(emu_cta_t *cta, unsigned id);

/* barrier.cluster: lanes arrive, all have, lanes go on. */
void nereid_emulator_race_cluster_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
void nereid_emulator_race_cluster_done(emu_cluster_t *cluster);
void nereid_emulator_race_cluster_leave(emu_warp_t *warp, uint32_t mask);

/* What a lane does to an mbarrier: INIT is inval, too; USE changes it or looks and orders nothing. */
typedef enum emu_race_mbarrier {
  EMU_RACE_INIT,
  EMU_RACE_USE,
  EMU_RACE_ARRIVE,
  EMU_RACE_OBSERVE, /* the phase is seen to be done */
} emu_race_mbarrier_t;

void nereid_emulator_race_mbarrier(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *target,
                                   uint32_t offset, emu_race_mbarrier_t what);
/* The phase of the mbarrier is done. */
void nereid_emulator_race_phase(emu_cta_t *target, uint32_t offset);

/* Bytes that an effect will touch for a lane, for the warp when it is a wgmma, told at its issue. `target`: whose
 * shared memory; null: global. */
void nereid_emulator_race_effect(emu_effect_t *effect, int lane, bool writes, emu_cta_t *target, uint64_t address,
                                 uint64_t bytes);
/* An mbarrier will count it: it is about to be issued. */
void nereid_emulator_race_tracked(emu_effect_t *effect);
/* Its issuers have waited for it, for its reading alone when `reads`. */
void nereid_emulator_race_waited(emu_effect_t *effect, uint32_t lanes, bool reads);
/* Its end is part of the current phase of an mbarrier, which is told before the mbarrier changes. */
void nereid_emulator_race_completed(emu_effect_t *effect, uint32_t lanes, emu_cta_t *target, uint32_t mbarrier);
/* Which instructions `registers` is to be told of, by pc; null: none. */
const uint8_t *nereid_emulator_race_watched(const emu_cta_t *cta);
void nereid_emulator_race_registers(emu_warp_t *warp, const emu_insn_t *insn);
/* A wgmma is issued, wgmma.fence, its wait. */
void nereid_emulator_race_wgmma(emu_effect_t *effect);
void nereid_emulator_race_wgmma_fence(emu_warp_t *warp);
void nereid_emulator_race_wgmma_done(const emu_effect_t *effect);

/* What a lane does to a tensor map. READ: in shared memory; RELEASE is of all that the CTA wrote. */
typedef enum emu_race_map {
  EMU_RACE_MAP_READ,
  EMU_RACE_MAP_WRITE,
  EMU_RACE_MAP_COPY, /* tensormap.cp_fenceproxy, which releases it */
  EMU_RACE_MAP_RELEASE,
  EMU_RACE_MAP_ACQUIRE,
  EMU_RACE_MAP_USE,
} emu_race_map_t;

/* `target`: whose shared memory it is in; null: global. */
void nereid_emulator_race_map(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target,
                              uint64_t address, emu_race_map_t what);
void nereid_emulator_race_forget_effect(emu_effect_t *effect);

#endif
