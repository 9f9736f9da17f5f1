/* The bytes of shared memory that a value of memdesc type may refer to.
 *
 *   %b = ttg.local_alloc {allocation.offset = 1024}    [1024, 1024 + 3 stages)
 *   %v = ttg.memdesc_index %b[%c2]                      at offset 2 stages of it
 *   %r = ttg.memdesc_index %b[%counter]                 a slot of the ring of 3 slots there, with its phase
 *   %x: a block argument                                whole buffers: all that it may alias
 *   %f: argument 1 of the function                      the start of space 2
 *
 * Bytes are relative to the function's frame. Values without an offset in it, such as arguments of the function and
 * buffers before allocation, have spaces of their own (analysis/access/access_set.h). Arguments that overlap in some
 * call share a space but keep their bases distinct. */
#ifndef NEREID_ANALYSIS_BUFFER_SLICE_H
#define NEREID_ANALYSIS_BUFFER_SLICE_H

#include "analysis/access/access_set.h"
#include "analysis/access/ring_phase.h"
#include "analysis/allocation/alias.h"

typedef struct nereid_buffer_slice {
  int64_t first, end; /* bytes of the buffer */
  int64_t base;       /* its first byte, or a symbolic base */
  /* The slice starts at base + offset, in a slot of `ring` if there is one; otherwise anywhere in the buffer. */
  bool exact;
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
  uint32_t *spaces; /* by argument of the function: the argument whose space it shares */
  bool *shares;     /* by argument: another argument shares its space */
  intptr_t n_arguments;
} nereid_slicer_t;

/* Initializes the slicer for the function of `graph`. `spaces` gives for each argument the lowest argument that it may
 * overlap; null: no overlap. Borrows all; false when out of memory. */
bool nereid_slicer_initialize(nereid_slicer_t *slicer, const nereid_flow_graph_t *graph, const nereid_alias_t *alias,
                              const uint32_t *spaces, nereid_arena_t *arena);

/* The slices to which `value` may refer. Lives in the arena. */
const nereid_buffer_slices_t *nereid_slicer_get(nereid_slicer_t *slicer, MlirValue value);

/* Whether base + offset determines the bytes of [first, end): not for rings, and not when the buffer may overlap
 * another argument. */
bool nereid_buffer_slice_is_placed(const nereid_buffer_slice_t *slice);

/* The space of argument number `argument`, in the numbering of nereid_access_set. */
static inline int64_t nereid_slicer_space(const nereid_slicer_t *slicer, intptr_t argument) {
  return NEREID_SHARED_SPACE((int64_t)slicer->spaces[argument] + 1);
}

#endif
