/* The range in which asynchronous operations may be in flight: until a wait that completes them, on every path.
 *
 *   ttg.async_copy_global_to_local %p, %b      %b is written from here ...
 *   ttg.async_commit_group                     group 1
 *   ttg.async_copy_global_to_local %q, %c
 *   ttg.async_commit_group                     group 2
 *   ttg.async_wait {num = 1 : i32}             ... to here: all but the last group are complete; %c's is in flight
 *
 * Copies of a thread, dots of a warp group and bulk stores each form groups that complete in order; a wait specifies
 * how many of the latest groups may stay in flight. The number of later groups is counted along every path and the
 * minimum is taken. Operations that complete through an mbarrier are not counted here (analysis/allocation/liveness.h):
 * bulk loads, and copies after ttng.async_copy_mbarrier_arrive. */
#ifndef NEREID_ANALYSIS_FLIGHT_H
#define NEREID_ANALYSIS_FLIGHT_H

#include "analysis/flow_graph.h"

typedef enum nereid_flight_kind {
  NEREID_FLIGHT_COPY,  /* cp.async */
  NEREID_FLIGHT_DOT,   /* wgmma */
  NEREID_FLIGHT_STORE, /* bulk copies out of shared memory */
  NEREID_FLIGHT_KINDS,
} nereid_flight_kind_t;

enum { NEREID_FLIGHT_DONE = UINT8_MAX };

/* Operations in flight at the end of a function: by kind, the number of groups since, or NEREID_FLIGHT_DONE. */
typedef struct nereid_flight_end {
  uint8_t groups[NEREID_FLIGHT_KINDS];
} nereid_flight_end_t;

static inline nereid_flight_end_t nereid_flight_nothing(void) {
  return (nereid_flight_end_t){{NEREID_FLIGHT_DONE, NEREID_FLIGHT_DONE, NEREID_FLIGHT_DONE}};
}

/* Joins `more` into `end`: operations in flight in either. */
static inline void nereid_flight_join(nereid_flight_end_t *end, nereid_flight_end_t more) {
  for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k)
    if (more.groups[k] < end->groups[k])
      end->groups[k] = more.groups[k];
}

/* Ops [first, last] of a node, by position. */
typedef struct nereid_flight_stretch {
  uint32_t node, first, last;
} nereid_flight_stretch_t;

typedef struct nereid_flight_event {
  uint32_t position;
  uint32_t next_wait; /* the first wait at or after this event in the node, or the end of the node's events */
  int32_t pendings;   /* groups that the wait leaves pending; -1: copies arrive at an mbarrier; -2: commits a group */
} nereid_flight_event_t;

typedef struct nereid_flight_track {
  NEREID_VECTOR(nereid_flight_event_t) events; /* in program order */
  uint32_t *first;                             /* by node, and one more: its events begin here */
  int32_t max_pendings; /* maximum of all waits here and, as far as counts are kept, in callers */
} nereid_flight_track_t;

typedef struct nereid_flight {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  nereid_flight_track_t tracks[NEREID_FLIGHT_KINDS];
  bool ends_at_arrivals;                            /* a walk ends where copies arrive at an mbarrier */
  NEREID_VECTOR(uint32_t) arrivals;                 /* positions at which the last walk ended so */
  NEREID_VECTOR(nereid_flight_stretch_t) stretches; /* stretches found by the last walk */
  uint32_t *seen;                                   /* by node: the walk that came to it last */
  uint32_t *until;                                  /* by node: the furthest position */
  uint8_t *groups;                                  /* by node: the least count at its start */
  NEREID_VECTOR(uint32_t) work;
  NEREID_VECTOR(uint32_t) reached;
  uint32_t walk;
} nereid_flight_t;

/* Prepares walks in `graph`; linear. False when out of memory. */
bool nereid_flight_build(const nereid_flow_graph_t *graph, nereid_arena_t *arena, nereid_flight_t *out);

/* Whether `op` starts an asynchronous operation that reads or writes shared memory, and its kind. */
bool nereid_flight_begins(MlirOperation op, nereid_flight_kind_t *kind);

/* The number of groups that `kind` commits at its start: a copy waits for its commit. */
uint8_t nereid_flight_groups_at_begin(nereid_flight_kind_t kind);

/* Fills `stretches` with the ops after `position` during which the operation started there, with `groups` committed
 * since, may be in flight. Returns the minimum count at the ends of the function that it reaches, else
 * NEREID_FLIGHT_DONE. */
uint8_t nereid_flight_walk(nereid_flight_t *flight, uint32_t position, nereid_flight_kind_t kind, uint8_t groups);

/* The same for operations in flight when the function begins, from an earlier call of it. */
uint8_t nereid_flight_walk_again(nereid_flight_t *flight, nereid_flight_kind_t kind, uint8_t groups);

#endif
