/* Integers that a function computes from constants, while it is executed at compile time (mbarrier_run.h).
 *
 *   scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0)     in the second iteration %slot is 1 and %next is 2
 *     %next = arith.addi %slot, %c1
 *
 * Whoever executes the ops sets the values of block arguments and of results of loops; values of other ops follow. */
#ifndef NEREID_PASSES_MBARRIER_VALUES_H
#define NEREID_PASSES_MBARRIER_VALUES_H

#include "base/map.h"
#include "base/vector.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct nereid_mbarrier_value {
  bool is_known;
  int64_t value; /* sign-extended; of an i1: 0 or 1 */
} nereid_mbarrier_value_t;

typedef struct nereid_mbarrier_values {
  nereid_arena_t *arena;
  nereid_map_t index; /* value -> index into `set`, plus 1 */
  NEREID_VECTOR(nereid_mbarrier_value_t) set;
  int64_t reads; /* so far */
} nereid_mbarrier_values_t;

void nereid_mbarrier_values_initialize(nereid_mbarrier_values_t *values, nereid_arena_t *arena);

/* Sets what `value` is from now on. */
void nereid_mbarrier_values_set(nereid_mbarrier_values_t *values, MlirValue value, nereid_mbarrier_value_t known);

/* Computes `value`. Unknown: loaded values, arguments of the function, and all after a limit of reads. */
nereid_mbarrier_value_t nereid_mbarrier_values_read(nereid_mbarrier_values_t *values, MlirValue value);

#endif
