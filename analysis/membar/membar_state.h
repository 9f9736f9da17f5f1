/* Accesses that are not yet ordered at a position of a function; see docs/barriers.md.
 *
 *                     pending     unfenced     fenced      in flight
 *   local_store %a    + %a        + %a
 *   fence                         - %a         + %a
 *   barrier           all gone                 all gone
 *   async_copy %b                                          + %b
 *   async_wait        + %b        + %b                     - %b
 *
 * For TMA and global memory, `writing` are the writes of TMA that may be in flight, and `unpublished` are the generic
 * writes without a later fence between proxies and barrier. */
#ifndef NEREID_ANALYSIS_MEMBAR_STATE_H
#define NEREID_ANALYSIS_MEMBAR_STATE_H

#include "analysis/membar/membar_effects.h"

typedef struct nereid_membar_state {
  nereid_access_set_t pending;     /* no barrier has followed */
  nereid_access_set_t unfenced;    /* generic writes without a later fence between proxies, with or without a barrier */
  nereid_access_set_t fenced;      /* generic writes with a later fence, but no barrier after it */
  nereid_access_set_t writing;     /* global memory: writes of TMA without a later wait for their completion */
  nereid_access_set_t unpublished; /* global memory: generic writes that TMA may not see yet */
  nereid_access_set_t in_flight[NEREID_ASYNC_GROUPS];
  bool reached; /* reachable */
  bool open;    /* reachable without a barrier */
} nereid_membar_state_t;

/* Requirements before an op: a nereid_access_order_t, and for accesses of TMA to global memory: */
enum {
  NEREID_NEED_ORDER = 3, /* the order's bits */
  NEREID_NEED_WAIT = 4,  /* the first thread waits until its TMA copies have written global memory */
  NEREID_NEED_FENCE = 8, /* all threads fence their writes to global memory for the async proxy */
};

/* The union of two requirements. */
static inline uint8_t nereid_needs_join(uint8_t a, uint8_t b) {
  const uint8_t order = (a & NEREID_NEED_ORDER) > (b & NEREID_NEED_ORDER) ? a : b;
  return (uint8_t)((order & NEREID_NEED_ORDER) | ((a | b) & ~NEREID_NEED_ORDER));
}

/* The effects of a function on its caller's memory, in bytes of its own frame and spaces of its arguments. */
typedef struct nereid_membar_summary {
  nereid_access_set_t entry; /* accesses without a preceding barrier on some path */
  nereid_access_set_t async; /* all accesses of the async proxy */
  nereid_access_set_t bulk;  /* all accesses to global memory, if the module has TMA copies */
  nereid_membar_state_t exit;
  bool commits[NEREID_ASYNC_GROUPS], waits[NEREID_ASYNC_GROUPS]; /* anywhere in the function */
} nereid_membar_summary_t;

/* The context of all transfer functions. */
typedef struct nereid_membar_context {
  nereid_arena_t *arena;
  nereid_access_shapes_t *shapes;
  const nereid_flow_graph_t *graph;
  nereid_slicer_t *slicer;
  const nereid_membar_effects_t *effects;
  nereid_membar_global_t *global; /* null: global memory is ignored */
  bool proxies;                   /* distinguish generic writes and the async proxy */
  bool bulk;                      /* order TMA copies with other accesses to global memory */
  /* Callers may have such operations in flight on the buffers that they pass. */
  bool *outer_in_flight[NEREID_ASYNC_GROUPS]; /* indexed by argument */
} nereid_membar_context_t;

bool nereid_membar_state_copy(nereid_arena_t *arena, nereid_membar_state_t *state, const nereid_membar_state_t *from);

/* Resets to the unreachable state; keeps its memory. */
void nereid_membar_state_clear(nereid_membar_state_t *state);

/* Joins the state along `edge` into `into`; true when `into`, the state at its target, has grown. */
bool nereid_membar_state_join(const nereid_membar_context_t *context, nereid_membar_state_t *into,
                              const nereid_membar_state_t *from, const nereid_flow_edge_t *edge);

/* Adds the state at a return of the function. */
void nereid_membar_state_leave(const nereid_membar_context_t *context, nereid_membar_state_t *exit,
                               const nereid_membar_state_t *from);

void nereid_membar_state_barrier(nereid_membar_state_t *state);
void nereid_membar_state_warp_barrier(nereid_membar_state_t *state);
void nereid_membar_state_fence(const nereid_membar_context_t *context, nereid_membar_state_t *state);

/* TMA copies have written global memory, and the first thread sees it. */
void nereid_membar_state_complete(const nereid_membar_context_t *context, nereid_membar_state_t *state);
/* Generic writes to global memory are fenced; a barrier follows. */
void nereid_membar_state_publish(nereid_membar_state_t *state);

/* What `access` to global memory needs because of `earlier`: a write of TMA in flight, or a generic write without a
 * fence. */
uint8_t nereid_membar_bulk_need(const nereid_shared_access_t *earlier, const nereid_shared_access_t *access);

/* What `access` to global memory needs because of TMA; sets the access that it follows, if there is such a need. */
uint8_t nereid_membar_state_bulk(const nereid_membar_state_t *state, const nereid_shared_access_t *access,
                                 const nereid_shared_access_t **out_earlier);

/* Rewrites `access` for a crossing of `edge`: values of a loop then refer to an earlier iteration. */
void nereid_membar_state_cross(const nereid_membar_context_t *context, nereid_shared_access_t *access,
                               const nereid_flow_edge_t *edge);

/* The synchronization required before `access`. */
nereid_access_order_t nereid_membar_state_order(const nereid_membar_state_t *state,
                                                const nereid_shared_access_t *access);

/* Applies `event` with the barriers inside it; not for calls. */
void nereid_membar_state_step(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                              const nereid_membar_event_t *event);

/* Applies a call; `callee` is bound to the call (analysis/membar/membar_summary.h). */
void nereid_membar_state_call(const nereid_membar_context_t *context, nereid_membar_state_t *state,
                              const nereid_membar_summary_t *callee);

/* Drops the phase of a ring access: it may be to any slot. */
void nereid_membar_forget_ring(nereid_access_shapes_t *shapes, nereid_shared_access_t *access);

#endif
