/* The walk over one function to a fixed point; see membar.h. */
#ifndef NEREID_ANALYSIS_MEMBAR_WALK_H
#define NEREID_ANALYSIS_MEMBAR_WALK_H

#include "analysis/membar/membar_types.h"

/* Computes the barriers or fences of function `number` and its summary; requires the summaries of its callees. False
 * when out of memory. */
bool nereid_membar_walk(nereid_membar_t *membar, size_t number);

#endif
