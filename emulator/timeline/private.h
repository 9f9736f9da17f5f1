/* The state of a timeline, shared by the files of this folder. */
#ifndef NEREID_EMULATOR_TIMELINE_PRIVATE_H
#define NEREID_EMULATOR_TIMELINE_PRIVATE_H

#include "emulator/memory/space.h"
#include "emulator/timeline/timeline.h"

typedef struct emu_pending { /* a wait that has begun */
  const emu_insn_t *insn;
  uint64_t begin;
  uint32_t mask;
} emu_pending_t;

typedef struct emu_clock { /* the time of a warp, in steps */
  uint64_t now;            /* steps */
  emu_event_t run;         /* the instructions since its begin; insn null: none */
  emu_pending_t waits[EMU_LANES];
  uint32_t n_waits;
  size_t failed; /* number of the event of the last wait that was not successful, from 1; 0: none */
} emu_clock_t;

struct emu_timeline {
  nereid_arena_t arena;
  const nereid_emulator_program_t *program;
  const uint8_t *moments; /* indexed by pc */
  uint64_t limit, dropped;
  uint64_t now;                                      /* time of the current instruction or landing; 0: none */
  uint64_t cluster_latest, cluster_completed[2];     /* barrier.cluster: last arrival; completion, by phase */
  uint32_t n_ctas, n_warps, ids[EMU_MAX_CLUSTER][3]; /* n_warps: per CTA */
  bool shown[EMU_MAX_CLUSTER], failed;               /* shown: records events of the CTA; failed: out of memory */
  emu_clock_t *clocks;                               /* [rank * n_warps + warp] */
  NEREID_VECTOR(emu_event_t) events;
};

static inline emu_clock_t *emu_clock_of(const emu_warp_t *warp) {
  const emu_timeline_t *timeline = warp->cta->cluster->timeline;
  return &timeline->clocks[warp->cta->rank * timeline->n_warps + warp->index];
}

/* Records an event of the warp, up to the launch's limit; the caller sets all but warp, rank and serial. Returns the
 * number of the event, from 1; 0: it was left out. */
size_t nereid_emulator_timeline_record(const emu_warp_t *warp, emu_event_t event);

#endif
