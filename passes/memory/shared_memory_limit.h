/* The error for a frame that is larger than what a CTA can have: what lives where it is fullest, and for whom. */
#ifndef NEREID_PASSES_SHARED_MEMORY_LIMIT_H
#define NEREID_PASSES_SHARED_MEMORY_LIMIT_H

#include "analysis/allocation/allocation.h"

/* Reports function `number` of the allocation, whose frame is over `limit` bytes, at the buffer that ends highest.
 * Notes name the largest buffers that live with it, those of called functions too, and the calls that lead to the
 * function. */
void nereid_shared_memory_refuse(const nereid_allocation_t *allocation, size_t number, int64_t limit,
                                 nereid_arena_t *arena);

#endif
