/* Which bytes of shared memory a value of memdesc type may describe.
 *
 *   %b = ttg.local_alloc {allocation.offset = 1024}    [1024, 1024 + 3 stages)
 *   %v = ttg.memdesc_index %b[%c2]                      offset 2 stages of it
 *   %r = ttg.memdesc_index %b[%counter]                 a slot of the ring of 3 slots there, with its phase
 *   %x: a block's argument                              whole buffers, those that it may be
 *   %f: argument 1 of the function                      the start of space 2
 *
 * Bytes are those of the function's frame. What has no place in it, arguments of the function and buffers before
 * allocation, has a space of its own (analysis/access/access_set.h); arguments that some caller lets overlap share
 * one, and
 * keep their bases apart. */
#ifndef NEREID_ANALYSIS_BUFFER_SLICE_H
#define NEREID_ANALYSIS_BUFFER_SLICE_H

#include "analysis/access/access_set.h"
#include "analysis/access/ring_phase.h"
#include "analysis/allocation/alias.h"

typedef struct nereid_buffer_slice {
  int64_t first, end; /* bytes that the buffer may lie in */
  int64_t base;       /* its first byte, or what stands for it */
  bool exact;         /* it begins at base + offset, in a slot of `ring` if there is one; else anywhere in the buffer */
  uint32_t offset;
  const nereid_ring_t *ring;
  int32_t phase;
} nereid_buffer_slice_t;

typedef NEREID_VECTOR(nereid_buffer_slice_t) nereid_buffer_slices_t;

typedef struct nereid_slicer {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph;
  const nereid_alias_t *alias;
  nereid_ring_phases_t phases;
  nereid_map_t slices; /* memdesc value -> nereid_buffer_slices_t * */
  NEREID_VECTOR(nereid_ring_t *) rings;
  uint32_t *spaces; /* by argument of the function: the argument whose space it has */
  bool *shares;     /* by argument: another one has the same space */
  intptr_t n_arguments;
} nereid_slicer_t;

/* For the function of `graph`, whose arguments overlap as `spaces` says (by argument the lowest that it may overlap;
 * null: none do). Borrows all; false when out of memory. */
bool nereid_slicer_initialize(nereid_slicer_t *slicer, const nereid_flow_graph_t *graph, const nereid_alias_t *alias,
                              const uint32_t *spaces, nereid_arena_t *arena);

/* The slices that `value` may be. Lives in the arena. */
const nereid_buffer_slices_t *nereid_slicer_get(nereid_slicer_t *slicer, MlirValue value);

/* Whether base + offset says which bytes of [first, end) the slice has: not in a ring, and not when the buffer may be
 * another argument, too. */
bool nereid_buffer_slice_is_placed(const nereid_buffer_slice_t *slice);

/* The space of argument number `argument`, as nereid_access_set counts spaces. */
static inline int64_t nereid_slicer_space(const nereid_slicer_t *slicer, intptr_t argument) {
  return NEREID_SHARED_SPACE((int64_t)slicer->spaces[argument] + 1);
}

#endif
