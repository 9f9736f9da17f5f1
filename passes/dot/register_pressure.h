/* Registers of tensors that are live at the ops of a function, an estimate for passes on ttgir.
 *
 *   %v = tt.load …                       time 0, then %v is live
 *   scf.for … iter_args(%acc = %zero)         1, the loop; %v and %acc are live in all of it
 *     %d = tt.dot %a, %b, %acc                2
 *     scf.yield %d                            3
 *                                             4, the end of the loop
 *   use %v                                    5
 *
 * Counts elements of floats and of narrow integers, and what is loaded; not indices, addresses, conditions, constants
 * and what repeats a scalar, nor an operand that the lowering of its only dot reads from shared memory step by step.
 * A result of a warp_group_dot_wait takes over the registers of its operand. */
#ifndef NEREID_PASSES_REGISTER_PRESSURE_H
#define NEREID_PASSES_REGISTER_PRESSURE_H

#include "base/map.h"
#include "base/vector.h"

#include "mlir-c/IR.h"

typedef struct nereid_register_pressure {
  nereid_arena_t *arena;       /* borrowed */
  nereid_map_t times;          /* op -> its time + 1 */
  NEREID_VECTOR(int64_t) ends; /* by time: the time of the end of that op */
  NEREID_VECTOR(int64_t) live; /* by time: 32-bit registers per thread that are live after it */
} nereid_register_pressure_t;

/* Estimates the pressure in `function`. Valid until an op is added, moved or erased. False when out of memory. Time:
 * values times the depth of their users. */
bool nereid_register_pressure_find(MlirOperation function, nereid_arena_t *arena, nereid_register_pressure_t *out);

/* 32-bit registers per thread that are live after `op`, an op of the function. */
int64_t nereid_register_pressure_after(const nereid_register_pressure_t *pressure, MlirOperation op);

/* The most from `first` to before the end of `last`, with the ops inside of those between them. */
int64_t nereid_register_pressure_between(const nereid_register_pressure_t *pressure, MlirOperation first,
                                         MlirOperation last);

/* The most anywhere in the function. */
int64_t nereid_register_pressure_peak(const nereid_register_pressure_t *pressure);

/* Whether `first` comes before `second` in program order. */
bool nereid_register_pressure_is_before(const nereid_register_pressure_t *pressure, MlirOperation first,
                                        MlirOperation second);

/* 32-bit registers per thread that tensors can use where `op` is, next to addresses, indices and scalars. */
int64_t nereid_register_pressure_limit(MlirOperation op);

/* 32-bit registers per thread of `value`, as they are counted here. */
int64_t nereid_register_pressure_of(MlirValue value);

#endif
