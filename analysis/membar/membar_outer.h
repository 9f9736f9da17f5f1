/* Which buffers that a function is passed may have asynchronous operations of its callers under way on them.
 *
 *   tt.func @k() { async_copy … %a   tt.call @f(%a, %b) }      @f: argument 0, by a copy
 *   tt.func private @f(%x, %y) { async_wait … local_load %x }      the wait in @f is for it, too */
#ifndef NEREID_ANALYSIS_MEMBAR_OUTER_H
#define NEREID_ANALYSIS_MEMBAR_OUTER_H

#include "analysis/membar/membar_types.h"

/* Finds what function `number` begins; its callees come first, and buffers of its values are known. False when memory
 * is out. */
bool nereid_membar_survey(nereid_membar_t *membar, size_t number);

/* Finds what its callers may have under way; these come first. False when out of memory. */
bool nereid_membar_find_outer(nereid_membar_t *membar, size_t number);

#endif
