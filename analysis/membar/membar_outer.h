/* Computes on which buffer arguments of a function its callers may have asynchronous operations in flight.
 *
 *   tt.func @k() { async_copy … %a   tt.call @f(%a, %b) }      @f: argument 0, by a copy
 *   tt.func private @f(%x, %y) { async_wait … local_load %x }      the wait in @f also completes that copy */
#ifndef NEREID_ANALYSIS_MEMBAR_OUTER_H
#define NEREID_ANALYSIS_MEMBAR_OUTER_H

#include "analysis/membar/membar_types.h"

/* Finds the operations that function `number` starts. Requires the results of its callees and the aliases of its
 * values. False when out of memory. */
bool nereid_membar_survey(nereid_membar_t *membar, size_t number);

/* Finds the operations that callers may have in flight. Requires the results of all callers. False when out of memory.
 */
bool nereid_membar_find_outer(nereid_membar_t *membar, size_t number);

#endif
