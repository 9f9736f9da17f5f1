/* The accesses and the synchronization of each op.
 *
 *   ttg.local_load %b                      reads %b
 *   tt.reduce                              writes its scratch, synchronizes, reads it
 *   ttg.async_copy_global_to_local %p, %b  writes %b, in flight until a wait for its group
 *   ttg.async_wait {num = 1}               completes all groups but the youngest
 *
 * The table is in membar_effects.c; docs/barriers.md explains it. Ops without effects have no event. */
#ifndef NEREID_ANALYSIS_MEMBAR_EFFECTS_H
#define NEREID_ANALYSIS_MEMBAR_EFFECTS_H

#include "analysis/access/buffer_slice.h"
#include "analysis/membar/membar_global.h"

/* Groups of asynchronous operations for which a thread waits by count. */
typedef enum nereid_async_group {
  NEREID_ASYNC_COPIES, /* cp.async */
  NEREID_ASYNC_DOTS,   /* wgmma */
  NEREID_ASYNC_STORES, /* TMA from shared memory */
  NEREID_ASYNC_GROUPS,
} nereid_async_group_t;

/* The synchronization of an event. */
enum {
  NEREID_EVENT_BARRIER = 1,       /* a barrier of the CTA and nothing else */
  NEREID_EVENT_WARP_BARRIER = 2,  /* a barrier of each warp */
  NEREID_EVENT_BARRIER_FIRST = 4, /* the op begins with a barrier */
  NEREID_EVENT_BARRIER_INSIDE =
      8, /* has a barrier between its accesses (writes to scratch) and the reads of its scratch */
  NEREID_EVENT_WARP_INSIDE = 16,  /* has a barrier of each warp there */
  NEREID_EVENT_BARRIER_LAST = 32, /* ends with a barrier */
  NEREID_EVENT_FENCE = 64,        /* orders previous generic accesses before later accesses of the async proxy */
  NEREID_EVENT_STARTS = 128,      /* its accesses are in flight afterwards, in `group` */
  NEREID_EVENT_COMMITS = 256,     /* closes a group of `group` */
  NEREID_EVENT_WAITS = 512,       /* waits for all but `pending` groups of `group` */
  NEREID_EVENT_CALL = 1024,
  NEREID_EVENT_LOOP = 2048,      /* the end of a node that enters loops: a place for a barrier before them */
  NEREID_EVENT_COMPLETES = 4096, /* waits until TMA copies have written global memory */
  NEREID_EVENT_REGION = 8192,    /* begins or ends regions of a ttg.warp_specialize */
};

typedef struct nereid_membar_event {
  MlirOperation op;
  uint32_t position; /* position in the flow graph */
  uint16_t flags;
  uint8_t group; /* nereid_async_group_t */
  int32_t pending;
  uint32_t first, n; /* its accesses */
  /* Number of accesses, from the first, for which synchronization is placed before the op. Consecutive loads share it.
   */
  uint32_t ahead;
} nereid_membar_event_t;

typedef struct nereid_membar_effects {
  nereid_arena_t *arena;
  nereid_slicer_t *slicer;                     /* borrowed */
  nereid_access_shapes_t *shapes;              /* borrowed */
  nereid_membar_global_t *global;              /* borrowed; null: global memory is ignored */
  bool by_layout;                              /* distinguishes threads by layouts */
  bool bulk;                                   /* the module has TMA copies */
  NEREID_VECTOR(nereid_membar_event_t) events; /* in program order */
  nereid_shared_accesses_t accesses;
  nereid_map_t bases; /* of pairs of types */
  size_t row;         /* the first of the current run of consecutive loads */
} nereid_membar_effects_t;

/* Fills `effects`, whose fields before `events` are set, for the function of the slicer's graph; false when out of
 * memory. */
bool nereid_membar_effects_run(nereid_membar_effects_t *effects);

/* Properties of an op alone: whether it accesses shared memory through the async proxy, and the group in which its
 * operations are in flight (NEREID_ASYNC_GROUPS: none). */
bool nereid_membar_uses_async_proxy(MlirOperation op);
nereid_async_group_t nereid_membar_starts(MlirOperation op);

#endif
