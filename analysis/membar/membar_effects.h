/* What each op does to shared and global memory, and what it waits for.
 *
 *   ttg.local_load %b                      reads %b
 *   tt.reduce                              writes its scratch, all wait, reads it
 *   ttg.async_copy_global_to_local %p, %b  writes %b, under way until a wait for its group
 *   ttg.async_wait {num = 1}               what is under way in older groups than the youngest is done
 *
 * The table is in membar_effects.c; docs/barriers.md explains it. Ops that do nothing of it have no event. */
#ifndef NEREID_ANALYSIS_MEMBAR_EFFECTS_H
#define NEREID_ANALYSIS_MEMBAR_EFFECTS_H

#include "analysis/access/buffer_slice.h"
#include "analysis/membar/membar_global.h"

/* Groups of asynchronous operations that a thread waits for by counting. */
typedef enum nereid_async_group {
  NEREID_ASYNC_COPIES, /* cp.async */
  NEREID_ASYNC_DOTS,   /* wgmma */
  NEREID_ASYNC_STORES, /* TMA from shared memory */
  NEREID_ASYNC_GROUPS,
} nereid_async_group_t;

/* What an event is, beside its accesses. */
enum {
  NEREID_EVENT_BARRIER = 1,        /* all threads wait for each other, and nothing else happens */
  NEREID_EVENT_WARP_BARRIER = 2,   /* the threads of each warp do */
  NEREID_EVENT_BARRIER_FIRST = 4,  /* the op begins with a barrier */
  NEREID_EVENT_BARRIER_INSIDE = 8, /* ... has one between its accesses, writes to scratch, and reading that again */
  NEREID_EVENT_WARP_INSIDE = 16,   /* ... one for each warp there */
  NEREID_EVENT_BARRIER_LAST = 32,  /* ... ends with one */
  NEREID_EVENT_FENCE = 64,         /* generic accesses so far come before those of the async proxy */
  NEREID_EVENT_STARTS = 128,       /* its accesses are under way afterwards, in `group` */
  NEREID_EVENT_COMMITS = 256,      /* closes a group of `group` */
  NEREID_EVENT_WAITS = 512,        /* for all but `pending` groups of `group` */
  NEREID_EVENT_CALL = 1024,
  NEREID_EVENT_LOOP = 2048, /* the end of a node that leads into loops: a place for a barrier before them */
};

typedef struct nereid_membar_event {
  MlirOperation op;
  uint32_t position; /* in the flow graph */
  uint16_t flags;
  uint8_t group; /* nereid_async_group_t */
  int32_t pending;
  uint32_t first, n; /* its accesses */
  uint32_t ahead;    /* accesses from the first on that what comes in front of it is for: loads in a row wait once */
} nereid_membar_event_t;

typedef struct nereid_membar_effects {
  nereid_arena_t *arena;
  nereid_slicer_t *slicer;                     /* borrowed */
  nereid_access_shapes_t *shapes;              /* borrowed */
  nereid_membar_global_t *global;              /* borrowed; null: global memory is not looked at */
  bool by_layout;                              /* tells threads apart by layouts */
  NEREID_VECTOR(nereid_membar_event_t) events; /* in the order of the text */
  nereid_shared_accesses_t accesses;
  nereid_map_t bases; /* of pairs of types */
  size_t row;         /* the first of the loads in a row that the walk over the ops is in */
} nereid_membar_effects_t;

/* Fills `effects`, whose fields before `events` are set, for the function of the slicer's graph; false when memory is
 * out. */
bool nereid_membar_effects_run(nereid_membar_effects_t *effects);

/* Of ops as such: whether `op` accesses shared memory through the async proxy, and the group in which what it begins is
 * under way (NEREID_ASYNC_GROUPS: none). */
bool nereid_membar_uses_async_proxy(MlirOperation op);
nereid_async_group_t nereid_membar_starts(MlirOperation op);

#endif
