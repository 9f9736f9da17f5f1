/* The state of a CTA and of a cluster. Private to the emulator. */
#ifndef NEREID_EMULATOR_CTA_H
#define NEREID_EMULATOR_CTA_H

#include "emulator/machine/program.h"
#include "emulator/machine/warp.h"
#include "emulator/memory/memory.h"

typedef struct emu_cluster emu_cluster_t;

typedef struct emu_barrier {
  uint32_t arrived, expected, all, any, count; /* any, all, count: of bar.red */
  bool in_use;
  uint64_t latest; /* time of the last arrival, for the timeline */
} emu_barrier_t;

typedef struct emu_mbarrier {    /* an initialized mbarrier that has not been invalidated */
  uint32_t offset;               /* in shared memory */
  uint32_t phases;               /* number of completed phases */
  uint64_t bits;                 /* the object's expected bits; a difference means that another store overwrote it */
  uint64_t latest, completed[2]; /* for the timeline: time of the last operation; of completion, by parity */
} emu_mbarrier_t;
typedef struct emu_race_cta emu_race_cta_t;

struct emu_cta {
  emu_cluster_t *cluster;
  const nereid_emulator_kernel_t *kernel;
  const nereid_emulator_launch_t *launch;
  const emu_region_t *regions;
  size_t n_regions, last_region;
  uint32_t id[3], rank, n_threads, n_warps; /* rank: in its cluster */
  uint8_t *block;                           /* allocation that holds the arrays below (start.c) */
  emu_warp_t *warps;
  uint8_t *shared, *local;
  uint8_t *published; /* shared memory as the async proxy sees it, and each byte's last writer; null: all is visible */
  uint16_t *owners;
  uint32_t shared_bytes, local_bytes;
  uint32_t free_registers; /* that setmaxnreg.dec has released, of all lanes */
  emu_barrier_t barriers[16];
  NEREID_VECTOR(emu_mbarrier_t) mbarriers; /* allocated in the cluster's arena */
  struct emu_undefined *undefined;         /* null: initcheck is off */
  struct emu_frames *frames;               /* null: the program contains no calls */
  emu_race_cta_t *race;                    /* null: race detection is off */
  nereid_emulator_counters_t counters;
  uint64_t bank_conflicts;
  const struct emu_loops *loops; /* null: loops are not counted */
  nereid_emulator_loop_t *loop_counts;
  nereid_emulator_cost_t *costs; /* by pc; null: instructions are not counted separately */
  uint64_t warp_instructions, thread_instructions;
  char *printed;
  size_t printed_size, printed_capacity;
};

/* A cluster of one or more CTAs. It has one scheduler, one queue of effects and one failure status. */
struct emu_cluster {
  nereid_arena_t arena;
  const nereid_emulator_launch_t *launch;
  const nereid_emulator_kernel_t *kernel;
  const emu_region_t *regions;
  size_t n_regions;
  emu_cta_t *ctas;
  uint32_t n_ctas, id[3];
  struct emu_effect *first, *last; /* the queue (effect.h) */
  struct emu_effect *landing;      /* the effect that is landing, to which its accesses belong; null: none */
  uint64_t serial, random;
  uint64_t completions,
      timeouts;           /* completed phases; rounds since the last one in which timed-out waits made no progress */
  uint32_t barrier_phase; /* of barrier.cluster */
  struct emu_violations *violations; /* allocated in the arena; null: none yet */
  struct emu_timeline *timeline;     /* null: no timeline */
  struct emu_watch *watch;           /* null: no bytes are watched */
  bool keeps_landed;                 /* landed effects stay in the queue until their wait */
  nereid_message_t message;
  nereid_status_t status;
};

/* Whether any thread of the CTA has not exited. */
bool nereid_emulator_lives(const emu_cta_t *cta);

/* Releases the groups waiting at a barrier if enough threads have arrived. */
void nereid_emulator_barrier_check(emu_cta_t *cta, unsigned id);

/* barrier.cluster: releases the waiting groups of the cluster if all live threads have arrived, of which the last is in
 * `cta`. */
void nereid_emulator_cluster_check(emu_cta_t *cta);
/* Writes a description of all pending waits of the cluster, of up to `size` bytes (deadlock.c). */
void nereid_emulator_describe_waits(const emu_cluster_t *cluster, char *out, size_t size);
/* Marks all groups that wait for an event as runnable, so that they test it again. */
void nereid_emulator_wake(emu_cluster_t *cluster);
uint64_t nereid_emulator_random(emu_cluster_t *cluster);

/* Initializes the CTA with that rank. The caller owns its block, which is null at first. False: out of memory. */
bool nereid_emulator_start_cta(emu_cta_t *cta, emu_cluster_t *cluster, uint32_t rank);
nereid_status_t nereid_emulator_run_cluster(emu_cluster_t *cluster);

#endif
