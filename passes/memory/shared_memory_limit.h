/* The error for a frame larger than the shared memory of a CTA: names the live buffers at the point of largest use. */
#ifndef NEREID_PASSES_SHARED_MEMORY_LIMIT_H
#define NEREID_PASSES_SHARED_MEMORY_LIMIT_H

#include "analysis/allocation/allocation.h"

/* Reports function `number` of the allocation, whose frame exceeds `limit` bytes, at the buffer that ends highest.
 * Notes name the largest size of a buffer that fits, the largest buffers that are live with it, including those of
 * called functions, and the calls that lead to the function. */
void nereid_shared_memory_refuse(const nereid_allocation_t *allocation, size_t number, int64_t limit,
                                 nereid_arena_t *arena);

#endif
