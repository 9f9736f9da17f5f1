/* Liveness of values, 64 at a time: the data flow for analysis/allocation/liveness.h.
 *
 * Times number ops as in analysis/allocation/liveness.h; nodes are contiguous in time. */
#ifndef NEREID_ANALYSIS_VALUE_LIVENESS_H
#define NEREID_ANALYSIS_VALUE_LIVENESS_H

#include "analysis/flow_graph.h"

/* The last use in a node. */
typedef struct nereid_live_use {
  uint32_t node, last, next; /* next: of the subject + 1 */
} nereid_live_use_t;

/* A value, or any other subject that is defined in one place and used in others. */
typedef struct nereid_live_subject {
  uint32_t home, definition; /* node, and position in it, of the definition; home NEREID_FLOW_NONE: never live */
  uint32_t uses;             /* latest + 1 */
  bool has_op;               /* defined by an op: live there even without a use */
} nereid_live_subject_t;

typedef struct nereid_live_subjects {
  const nereid_flow_graph_t *graph;
  const uint32_t *starts;   /* by node: the time of its first op */
  const uint32_t *sequence; /* nodes in the order of time */
  const uint32_t *places;   /* by node: its place in `sequence` */
  nereid_live_subject_t *list;
  NEREID_VECTOR(nereid_live_use_t) uses;
} nereid_live_subjects_t;

/* Adds a use at `position`; positions come in ascending order. */
void nereid_live_subjects_use(nereid_live_subjects_t *subjects, uint32_t subject, uint32_t position,
                              nereid_arena_t *arena);

/* Subject `subject` is live at the times [first, last]. */
typedef void (*nereid_live_callback_t)(uint32_t subject, uint32_t first, uint32_t last, void *user_data);

/* Calls back with all times at which subjects [first, end) are live, in pieces that may be adjacent: from the
 * definition, along all paths, to a use. `dominated`: the definition dominates all uses, as for values; otherwise a
 * subject is live only where its definition may have been executed. False when out of memory.
 *
 * Time: the nodes in which any of 64 adjacent subjects is live. */
bool nereid_live_subjects_walk(const nereid_live_subjects_t *subjects, uint32_t first, uint32_t end, bool dominated,
                               nereid_arena_t *arena, nereid_live_callback_t callback, void *user_data);

#endif
