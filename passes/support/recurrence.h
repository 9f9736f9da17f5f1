/* Loops of recurrences, such as linear attention one token at a time: they carry a matrix or a vector, and update it
 * with a few vectors that each iteration loads. Iterations depend on one another, so latency determines their time.
 *
 *   scf.for … iter_args(%h : tensor<64x32xf32>) {
 *     %k, %v, %q = tt.load … : vectors
 *     %g = arith.addf %h, (broadcast %k * broadcast %v)
 *     %o = "tt.reduce"(%g * broadcast %q) <{axis = 0}>
 *     tt.store …, %o
 *     scf.yield %g */
#ifndef NEREID_PASSES_RECURRENCE_H
#define NEREID_PASSES_RECURRENCE_H

#include <mlir-c/IR.h>

#include <stdbool.h>

typedef struct nereid_recurrence {
  MlirType state; /* type of the first carried floating-point matrix, or of the first vector if there is none */
  int axis;       /* reduction axis of the matrix; -1 for a vector, and if reductions have different axes */
} nereid_recurrence_t;

/* Whether `loop`, an scf.for, is one: it has neither dots nor inner loops, loads (or copies, if it is pipelined) and
 * stores nothing but scalars and vectors of up to 512 elements, and reduces the matrix in each iteration, or stores
 * something if it carries a vector. */
bool nereid_recurrence_find(MlirOperation loop, nereid_recurrence_t *out);

/* The result of `loop` that is the final matrix, if `loop` is an scf.for and a recurrence that reduces its matrix along
 * one dimension, within warps; null otherwise. */
MlirValue nereid_recurrence_matrix(MlirOperation loop);

/* The type of the first tensor of floats with that many dimensions that `loop` carries; null without one. */
MlirType nereid_recurrence_carried(MlirOperation loop, int64_t rank);

#endif
