/* Hooks of the race detector. Each is called before the instruction takes effect, and only if the CTA has a
 * detector, `cta->race`. docs/racecheck.md documents the rules. */
#ifndef NEREID_EMULATOR_RACE_H
#define NEREID_EMULATOR_RACE_H

#include "emulator/machine/effect.h"
#include "emulator/memory/access.h"

typedef struct emu_race emu_race_t;

/* One detector per launch. Null: out of memory. */
emu_race_t *nereid_emulator_race_create(const nereid_emulator_kernel_t *kernel, const nereid_emulator_launch_t *launch);
void nereid_emulator_race_destroy(emu_race_t *race);
/* Initializes the CTA's part; requires its `id` and `shared_bytes`. False: out of memory. */
bool nereid_emulator_race_start(emu_race_t *race, emu_cta_t *cta);
void nereid_emulator_race_finish(emu_cta_t *cta);
bool nereid_emulator_race_failed(const emu_race_t *race);
/* The races found, in order of detection; the strings live as long as the program. */
size_t nereid_emulator_race_results(const emu_race_t *race, const nereid_emulator_race_t **out_races);

/* A request of the lanes of `mask` at `addresses`, whose bytes are at `places`; null is allowed except for `st`. A
 * failed compare-and-swap is a read. */
void nereid_emulator_race_request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t *const *places);

/* fence and membar; fence.proxy.async. */
void nereid_emulator_race_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
void nereid_emulator_race_proxy_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* bar.warp.sync. */
void nereid_emulator_race_warp_sync(emu_warp_t *warp, uint32_t mask);
/* Lanes arrive at a CTA barrier; lanes leave it; it is empty again. */
void nereid_emulator_race_arrive(emu_warp_t *warp, unsigned id, uint32_t mask);
void nereid_emulator_race_leave(emu_warp_t *warp, unsigned id, uint32_t mask);
void nereid_emulator_race_reset(emu_cta_t *cta, unsigned id);

/* barrier.cluster: lanes arrive, all have arrived, lanes continue. */
void nereid_emulator_race_cluster_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
void nereid_emulator_race_cluster_done(emu_cluster_t *cluster);
void nereid_emulator_race_cluster_leave(emu_warp_t *warp, uint32_t mask);

/* A lane's operation on an mbarrier. INIT includes inval; USE changes or tests it without ordering. */
typedef enum emu_race_mbarrier {
  EMU_RACE_INIT,
  EMU_RACE_USE,
  EMU_RACE_ARRIVE,
  EMU_RACE_OBSERVE, /* observes the phase's completion */
} emu_race_mbarrier_t;

void nereid_emulator_race_mbarrier(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *target,
                                   uint32_t offset, emu_race_mbarrier_t what);
/* The phase of the mbarrier is complete. */
void nereid_emulator_race_phase(emu_cta_t *target, uint32_t offset);

/* Declares at issue the bytes that an effect will access for a lane, or for the warp if it is a wgmma. `target`: CTA
 * whose shared memory is accessed; null: global. */
void nereid_emulator_race_effect(emu_effect_t *effect, int lane, bool writes, emu_cta_t *target, uint64_t address,
                                 uint64_t bytes);
/* An mbarrier tracks the effect, which is about to be issued. */
void nereid_emulator_race_tracked(emu_effect_t *effect);
/* Whether the program waits for copies in two ways, by groups and by mbarriers: then an effect that one of them
 * completed stays in the queue for the other one. */
bool nereid_emulator_race_has_two_ends(const emu_cta_t *cta);
/* The issuers have waited for the effect; `reads`: only for its reads. */
void nereid_emulator_race_waited(emu_effect_t *effect, uint32_t lanes, bool reads);
/* The effect's completion belongs to the current phase of an mbarrier. Called before the mbarrier changes. */
void nereid_emulator_race_completed(emu_effect_t *effect, uint32_t lanes, emu_cta_t *target, uint32_t mbarrier);
/* By pc: the instructions for which to call nereid_emulator_race_registers; null: none. */
const uint8_t *nereid_emulator_race_watched(const emu_cta_t *cta);
void nereid_emulator_race_registers(emu_warp_t *warp, const emu_insn_t *insn);
/* A wgmma is issued; wgmma.fence; its wait. */
void nereid_emulator_race_wgmma(emu_effect_t *effect);
void nereid_emulator_race_wgmma_fence(emu_warp_t *warp);
void nereid_emulator_race_wgmma_done(const emu_effect_t *effect);

/* A lane's operation on a tensor map. READ: in shared memory; RELEASE covers all maps that the CTA wrote. */
typedef enum emu_race_map {
  EMU_RACE_MAP_READ,
  EMU_RACE_MAP_WRITE,
  EMU_RACE_MAP_COPY, /* tensormap.cp_fenceproxy, which also releases */
  EMU_RACE_MAP_RELEASE,
  EMU_RACE_MAP_ACQUIRE,
  EMU_RACE_MAP_USE,
} emu_race_map_t;

/* `target`: CTA whose shared memory contains it; null: global. */
void nereid_emulator_race_map(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target,
                              uint64_t address, emu_race_map_t what);
void nereid_emulator_race_forget_effect(emu_effect_t *effect);

#endif
