/* Hooks of the timeline: what each warp does, and which asynchronous operations are in flight, in steps. Each is called
 * only if the cluster has a timeline, `cluster->timeline`. Private to the emulator.
 *
 * The emulator executes one warp after the other; the timeline shows warps as if they ran concurrently. Each warp has a
 * clock, which an instruction advances by one step. A wait advances it to the time of the event: the last arrival at a
 * barrier, the completion of an mbarrier's phase. An operation is in flight from its issue until the wait that requires
 * it, or the end of its warp. Latencies are not modelled. Under the round-robin schedule warps alternate after each
 * instruction, so that of several waits for an operation the first one in steps is also executed first.
 * docs/emulator.md documents the result. */
#ifndef NEREID_EMULATOR_TIMELINE_H
#define NEREID_EMULATOR_TIMELINE_H

#include "emulator/machine/effect.h"

typedef struct emu_timeline emu_timeline_t;

typedef enum emu_moment { /* the part that an instruction has in the timeline */
                          EMU_MOMENT_RUN,
                          EMU_MOMENT_ISSUE,
                          EMU_MOMENT_GROUPS, /* wait_group, wait_all */
                          EMU_MOMENT_BARRIER,
                          EMU_MOMENT_CLUSTER, /* barrier.cluster.wait */
                          EMU_MOMENT_MBARRIER,
} emu_moment_t;

typedef struct emu_event {
  uint64_t begin, end; /* steps */
  const emu_insn_t *insn;
  uint32_t count;   /* of instructions (RUN), or bytes */
  uint32_t barrier; /* number of a barrier; offset of an mbarrier in shared memory */
  uint32_t lanes, serial;
  uint16_t warp;
  uint8_t kind, rank, phase, complete; /* kind: nereid_emulator_event_kind_t; rank: of the CTA */
} emu_event_t;

/* Finds the moment of each instruction of a program, by pc. Null: out of memory. */
const uint8_t *nereid_emulator_timeline_moments(const nereid_emulator_program_t *program, nereid_arena_t *arena);

/* Whether the launch requests a timeline of the cluster, whose CTAs are initialized. */
bool nereid_emulator_timeline_selects(const emu_cluster_t *cluster);
/* Returns the launch's limit of events, or the default. */
uint64_t nereid_emulator_timeline_limit(const nereid_emulator_launch_t *launch);
/* Starts the timeline of such a cluster. `moments` is borrowed. The caller owns the result. Null: out of memory. */
emu_timeline_t *nereid_emulator_timeline_create(const emu_cluster_t *cluster, const uint8_t *moments);
void nereid_emulator_timeline_destroy(emu_timeline_t *timeline);
/* Whether memory was missing for an event. */
bool nereid_emulator_timeline_failed(const emu_timeline_t *timeline);
/* Records all that is unfinished when the cluster has ended or failed. Called before its effects are dropped. */
void nereid_emulator_timeline_finish(emu_cluster_t *cluster);
/* Passes up to `limit` events to launch->event: by CTA, then by time. Returns the number passed; adds the number of
 * events left out to *out_dropped. */
uint64_t nereid_emulator_timeline_deliver(emu_timeline_t *timeline, const nereid_emulator_launch_t *launch,
                                          uint64_t limit, uint64_t *out_dropped);

/* Before and after one instruction of the current group. `mask`: its lanes with a true guard. */
void nereid_emulator_timeline_before(emu_warp_t *warp);
void nereid_emulator_timeline_after(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, emu_next_t next);

/* Lanes arrive at a CTA barrier; a group leaves it, at the earliest at `latest`, the time of the last arrival. */
void nereid_emulator_timeline_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, emu_barrier_t *barrier,
                                     bool waits);
void nereid_emulator_timeline_leave(emu_warp_t *warp, const emu_group_t *group, uint64_t latest);
/* barrier.cluster: lanes arrive; all have arrived. */
void nereid_emulator_timeline_cluster_arrive(emu_warp_t *warp);
void nereid_emulator_timeline_cluster_done(emu_cluster_t *cluster);
/* An operation on an mbarrier; `done`: it completes the phase with that parity. */
void nereid_emulator_timeline_phase(emu_cta_t *cta, emu_mbarrier_t *mbarrier, bool done, uint32_t parity);

/* An effect is issued; lanes of it land, and then have landed. */
void nereid_emulator_timeline_issued(emu_effect_t *effect);
void nereid_emulator_timeline_landing(emu_effect_t *effect, uint32_t lanes);
void nereid_emulator_timeline_landed(emu_effect_t *effect);

#endif
