/* Builds the loop that replaces a nest of two loops.
 *
 *   for %i: prologue; for %k = lb to ub step s: body; epilogue
 *   ->
 *   for … iter_args(%i, %k = lb, %first = true):      both slices have %i, %k and %first, and carried values
 *     if %first: prologue                             with the initial values of the inner loop
 *     body
 *     %last = %k == last value of %k
 *     if %last: epilogue; next %i; initial values that do not change
 *     yield %last ? lb : %k + s, %last
 *
 * No product of trip counts decides where the inner loop begins and ends; only the number of iterations of the fused
 * loop is one, of 64 bits unless it is a small constant. */
#ifndef NEREID_PASSES_FUSE_LOOPS_H
#define NEREID_PASSES_FUSE_LOOPS_H

#include "passes/pipelining/fusion/loop_nest.h"

/* Replaces the nest by one loop, which is returned; null when out of memory. With NEREID_INNER_EXCLUDED, the caller has
 * moved the nest to where the inner loop is known to have iterations. */
MlirOperation nereid_loop_nest_fuse(const nereid_loop_nest_t *nest);

#endif
