/* The walk over one function to a fixed point; see membar.h. */
#ifndef NEREID_ANALYSIS_MEMBAR_WALK_H
#define NEREID_ANALYSIS_MEMBAR_WALK_H

#include "analysis/membar/membar_types.h"

/* Finds what function number `number` needs, and its summary; its callees have theirs. False when out of memory. */
bool nereid_membar_walk(nereid_membar_t *membar, size_t number);

#endif
