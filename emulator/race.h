/* The race detector's hooks: what the rest of the emulator tells it. Each is called only when the CTA has a detector,
 * `cta->race`, before the instruction takes effect. docs/racecheck.md has the rules. */
#ifndef NEREID_EMULATOR_RACE_H
#define NEREID_EMULATOR_RACE_H

#include "emulator/program.h"

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

#endif
