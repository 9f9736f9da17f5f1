/* The largest sizes of buffers with which a frame fits into shared memory. */
#ifndef NEREID_PASSES_FITTING_SIZE_H
#define NEREID_PASSES_FITTING_SIZE_H

#include "analysis/allocation/allocation.h"

/* A size with which a frame fits, as the text of a note. */
typedef struct nereid_fitting_size {
  MlirOperation op; /* that creates the buffer */
  const char *text; /* null when no size fits, or out of memory; in the arena */
} nereid_fitting_size_t;

/* Finds a smaller size for one of `live`, buffers of `frame` in the order of preference, with which the frame has at
 * most `limit` bytes and the other buffers keep their sizes: fewer slots of a ring, then a shape divided by a power of
 * two. Where no single buffer is enough: the fraction of all buffers that fits. */
nereid_fitting_size_t nereid_fitting_size(const nereid_frame_t *frame, const nereid_buffer_t *const *live, size_t count,
                                          int64_t limit, nereid_arena_t *arena);

#endif
