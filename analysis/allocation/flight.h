/* How long asynchronous operations may be under way: until a wait that completes them, on every path.
 *
 *   ttg.async_copy_global_to_local %p, %b      %b is written from here ...
 *   ttg.async_commit_group                     group 1
 *   ttg.async_copy_global_to_local %q, %c
 *   ttg.async_commit_group                     group 2
 *   ttg.async_wait {num = 1 : i32}             ... to here: all but the last group are done; %c's goes on
 *
 * Copies of a thread, products of a warp group and bulk stores each come in groups, done in the order of their begin; a
 * wait says how many of the latest groups may go on. How many groups have followed is counted along every path and the
 * least is taken. What an mbarrier announces (bulk loads) is not counted here: analysis/allocation/liveness.h. */
#ifndef NEREID_ANALYSIS_FLIGHT_H
#define NEREID_ANALYSIS_FLIGHT_H

#include "analysis/flow_graph.h"

typedef enum nereid_flight_kind {
  NEREID_FLIGHT_COPY,    /* cp.async */
  NEREID_FLIGHT_PRODUCT, /* wgmma */
  NEREID_FLIGHT_STORE,   /* bulk copies out of shared memory */
  NEREID_FLIGHT_KINDS,
} nereid_flight_kind_t;

enum { NEREID_FLIGHT_DONE = UINT8_MAX };

/* What is under way at the end of a function: by kind, how many groups were made since, or NEREID_FLIGHT_DONE. */
typedef struct nereid_flight_end {
  uint8_t groups[NEREID_FLIGHT_KINDS];
} nereid_flight_end_t;

static inline nereid_flight_end_t nereid_flight_nothing(void) {
  return (nereid_flight_end_t){{NEREID_FLIGHT_DONE, NEREID_FLIGHT_DONE, NEREID_FLIGHT_DONE}};
}

/* Makes `end` say that `more` may be under way as well. */
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
  uint32_t next_wait; /* the first wait at or behind this event among the node's, or the end of the node's */
  int32_t pendings;   /* of a wait; -1: a group is made */
} nereid_flight_event_t;

typedef struct nereid_flight_track {
  NEREID_VECTOR(nereid_flight_event_t) events; /* in the order of the text */
  uint32_t *first;                             /* by node, and one more: its events begin here */
  int32_t most_pendings;                       /* of any wait, here or, as far as counts are kept, in callers */
} nereid_flight_track_t;

typedef struct nereid_flight {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  nereid_flight_track_t tracks[NEREID_FLIGHT_KINDS];
  NEREID_VECTOR(nereid_flight_stretch_t) stretches; /* of the last walk */
  uint32_t *seen;                                   /* by node: the walk that came to it last */
  uint32_t *until;                                  /* by node: the furthest position */
  uint8_t *groups;                                  /* by node: the least count at its start */
  NEREID_VECTOR(uint32_t) work;
  NEREID_VECTOR(uint32_t) reached;
  uint32_t walk;
} nereid_flight_t;

/* Prepares walks in `graph`; linear. False when out of memory. */
bool nereid_flight_build(const nereid_flow_graph_t *graph, nereid_arena_t *arena, nereid_flight_t *out);

/* Whether `op` begins something asynchronous that reads or writes shared memory, and of which kind. */
bool nereid_flight_begins(MlirOperation op, nereid_flight_kind_t *kind);

/* How many groups `kind` has made at its begin: a copy waits for its commit. */
uint8_t nereid_flight_groups_at_begin(nereid_flight_kind_t kind);

/* Fills `stretches` with the ops, from the one at `position` on, during which what it begins, with `groups` made since,
 * may be under way. Returns the least count at an end of the function that it reaches, else NEREID_FLIGHT_DONE. */
uint8_t nereid_flight_walk(nereid_flight_t *flight, uint32_t position, nereid_flight_kind_t kind, uint8_t groups);

/* The same for what was under way before the function began: of an earlier call of it. */
uint8_t nereid_flight_walk_again(nereid_flight_t *flight, nereid_flight_kind_t kind, uint8_t groups);

#endif
