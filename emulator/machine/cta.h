/* The state of a CTA, and of the CTAs that run together. Private to the emulator. */
#ifndef NEREID_EMULATOR_CTA_H
#define NEREID_EMULATOR_CTA_H

#include "emulator/machine/program.h"
#include "emulator/machine/warp.h"
#include "emulator/memory/memory.h"

typedef struct emu_cluster emu_cluster_t;

typedef struct emu_barrier {
  uint32_t arrived, expected, all, any, count; /* any, all, count: of bar.red */
  bool in_use;
} emu_barrier_t;

typedef struct emu_mbarrier { /* an mbarrier that init made and nothing made invalid */
  uint32_t offset;            /* in shared memory */
  uint64_t bits;              /* what lies there as long as nothing else writes over it */
} emu_mbarrier_t;
typedef struct emu_race_cta emu_race_cta_t;

struct emu_cta {
  emu_cluster_t *cluster;
  const nereid_emulator_kernel_t *kernel;
  const nereid_emulator_launch_t *launch;
  const emu_region_t *regions;
  size_t n_regions, last_region;
  uint32_t id[3], rank, n_threads, n_warps; /* rank: in its cluster */
  uint8_t *block;                           /* what the rest lies in (start.c) */
  emu_warp_t *warps;
  uint8_t *shared, *local;
  uint8_t *published; /* shared memory as the async proxy sees it, and who wrote each byte; null: it sees all */
  uint16_t *owners;
  uint32_t shared_bytes, local_bytes;
  emu_barrier_t barriers[16];
  NEREID_VECTOR(emu_mbarrier_t) mbarriers; /* in the cluster's arena */
  struct emu_undefined *undefined;         /* null: nobody asks */
  struct emu_frames *frames;               /* null: the program calls no functions */
  emu_race_cta_t *race;                    /* null: races are not looked for */
  nereid_emulator_counters_t counters;
  uint64_t warp_instructions, thread_instructions;
  char *printed;
  size_t printed_size, printed_capacity;
};

/* The CTAs that run together, one at least. They have one scheduler, one queue of effects and one failure. */
struct emu_cluster {
  nereid_arena_t arena;
  const nereid_emulator_launch_t *launch;
  const nereid_emulator_kernel_t *kernel;
  const emu_region_t *regions;
  size_t n_regions;
  emu_cta_t *ctas;
  uint32_t n_ctas, id[3];
  struct emu_effect *first, *last; /* the queue (effect.h) */
  struct emu_effect *landing;      /* the effect that lands now, whose accesses these are; null: none */
  uint64_t serial, random;
  uint64_t completions, timeouts;    /* completed phases; fruitless rounds of timed out waits since the last one */
  uint32_t barrier_phase;            /* of barrier.cluster */
  struct emu_violations *violations; /* in the arena; null: none yet */
  bool keeps_landed;                 /* effects stay in the queue until they are waited for */
  nereid_message_t message;
  nereid_status_t status;
};

/* Whether any of its threads has not exited. */
bool nereid_emulator_lives(const emu_cta_t *cta);

/* Lets a barrier's waiters go when enough threads are there. */
void nereid_emulator_barrier_check(emu_cta_t *cta, unsigned id);

/* barrier.cluster: lets the waiters go when all live threads have arrived. */
void nereid_emulator_cluster_check(emu_cluster_t *cluster);
/* What the threads of the cluster wait for, as text of up to `size` bytes (deadlock.c). */
void nereid_emulator_describe_waits(const emu_cluster_t *cluster, char *out, size_t size);
/* Lets everything that waits for an event look again. */
void nereid_emulator_wake(emu_cluster_t *cluster);
uint64_t nereid_emulator_random(emu_cluster_t *cluster);

/* Makes the CTA of that rank; its block, null at first, is the caller's. False: no memory. */
bool nereid_emulator_start_cta(emu_cta_t *cta, emu_cluster_t *cluster, uint32_t rank);
nereid_status_t nereid_emulator_run_cluster(emu_cluster_t *cluster);

#endif
