/* What is not yet ordered at a place of a function; see docs/barriers.md.
 *
 *                     pending     unfenced     fenced      under way
 *   local_store %a    + %a        + %a
 *   fence                         - %a         + %a
 *   barrier           all gone                 all gone
 *   async_copy %b                                          + %b
 *   async_wait        + %b        + %b                     - %b */
#ifndef NEREID_ANALYSIS_MEMBAR_STATE_H
#define NEREID_ANALYSIS_MEMBAR_STATE_H

#include "analysis/membar/membar_effects.h"

typedef struct nereid_membar_state {
  nereid_access_set_t pending;  /* no barrier has followed */
  nereid_access_set_t unfenced; /* generic writes that no fence between proxies has followed, barriers or not */
  nereid_access_set_t fenced;   /* ... that a fence has followed, and no barrier behind it */
  nereid_access_set_t under_way[NEREID_ASYNC_GROUPS];
  bool reached; /* some path leads here */
  bool open;    /* one without a barrier does */
} nereid_membar_state_t;

/* What a function does to its caller's shared memory, in bytes of its own frame and spaces of its arguments. */
typedef struct nereid_membar_summary {
  nereid_access_set_t entry; /* accesses that no barrier precedes on some path */
  nereid_access_set_t async; /* all accesses of the async proxy */
  nereid_membar_state_t exit;
  bool commits[NEREID_ASYNC_GROUPS], waits[NEREID_ASYNC_GROUPS]; /* somewhere */
} nereid_membar_summary_t;

/* Everything that steps need to know. */
typedef struct nereid_membar_context {
  nereid_arena_t *arena;
  nereid_access_shapes_t *shapes;
  const nereid_flow_graph_t *graph;
  nereid_slicer_t *slicer;
  const nereid_membar_effects_t *effects;
  nereid_membar_global_t *global; /* null: global memory is not looked at */
  bool proxies;                   /* generic writes and the async proxy must be told apart */
  /* Callers may have such operations under way on the buffers that they pass. */
  bool *outer_under_way[NEREID_ASYNC_GROUPS]; /* by argument */
} nereid_membar_context_t;

bool nereid_membar_state_copy(nereid_arena_t *arena, nereid_membar_state_t *state, const nereid_membar_state_t *from);

/* As before anything leads to its place; keeps its memory. */
void nereid_membar_state_clear(nereid_membar_state_t *state);

/* Joins what comes along `edge`; true when `into`, the state at its target, has grown. */
bool nereid_membar_state_join(const nereid_membar_context_t *context, nereid_membar_state_t *into,
                              const nereid_membar_state_t *from, const nereid_flow_edge_t *edge);

/* Adds what is left where the function returns. */
void nereid_membar_state_leave(const nereid_membar_context_t *context, nereid_membar_state_t *exit,
                               const nereid_membar_state_t *from);

void nereid_membar_state_barrier(nereid_membar_state_t *state);
void nereid_membar_state_warp_barrier(nereid_membar_state_t *state);
void nereid_membar_state_fence(const nereid_membar_context_t *context, nereid_membar_state_t *state);

/* `access` after `edge`: what it says of values of a loop is of an earlier iteration then. */
void nereid_membar_state_cross(const nereid_membar_context_t *context, nereid_shared_access_t *access,
                               const nereid_flow_edge_t *edge);

/* What must happen before `access`. */
nereid_access_order_t nereid_membar_state_order(const nereid_membar_state_t *state,
                                                const nereid_shared_access_t *access);

/* What `event` leaves behind, barriers inside it too; not a call. */
void nereid_membar_state_step(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                              const nereid_membar_event_t *event);

/* What a call leaves behind; `callee` is bound to the call (analysis/membar/membar_summary.h). */
void nereid_membar_state_call(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                              const nereid_membar_summary_t *callee);

/* Forgets the phase of a ring: the access may be to any slot. */
void nereid_membar_forget_ring(nereid_access_shapes_t *shapes, nereid_shared_access_t *access);

#endif
