/* Where values live, 64 at a time: the data flow behind analysis/allocation/liveness.h.
 *
 * Times number ops as analysis/allocation/liveness.h says; nodes follow each other in them without gaps. */
#ifndef NEREID_ANALYSIS_VALUE_LIVENESS_H
#define NEREID_ANALYSIS_VALUE_LIVENESS_H

#include "analysis/flow_graph.h"

/* The last use in a node. */
typedef struct nereid_live_use {
  uint32_t node, last, next; /* next: of the subject + 1 */
} nereid_live_use_t;

/* What lives: a value, or anything else that is made at one place and used at others. */
typedef struct nereid_live_subject {
  uint32_t home, definition; /* node, and position in it from where it is there; home NEREID_FLOW_NONE: never */
  uint32_t uses;             /* latest + 1 */
  bool has_op;               /* an op makes it: it lives there even without a use */
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

/* Subject `subject` lives at the times [first, last]. */
typedef void (*nereid_live_callback_t)(uint32_t subject, uint32_t first, uint32_t last, void *user_data);

/* Calls back with all times at which subjects [first, end) live, in pieces that may touch each other: from the
 * definition, along all paths, to a use. `dominated` says that no use is reached but through the definition, as it is
 * with values; else a subject lives only where the definition may have been passed, too. False when out of memory.
 *
 * Time: nodes in which any of 64 neighbours lives. */
bool nereid_live_subjects_walk(const nereid_live_subjects_t *subjects, uint32_t first, uint32_t end, bool dominated,
                               nereid_arena_t *arena, nereid_live_callback_t callback, void *user_data);

#endif
