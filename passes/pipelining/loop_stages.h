/* Loops that the pipelining passes change, and the attributes that they exchange. */
#ifndef NEREID_PASSES_LOOP_STAGES_H
#define NEREID_PASSES_LOOP_STAGES_H

#include "passes/support/collect.h"

#include "nereid/dialects/arith.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

/* The scf.for ops below `root`, outer ones first. */
bool nereid_loop_collect(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out);

/* The predicate that compares the counter of an scf.for with its upper bound while the loop runs. */
nereid_arith_cmp_i_predicate_t nereid_loop_less_than(MlirOperation loop);

/* The ops of a loop's own block that have the integer attribute `name`, in order. */
bool nereid_loop_collect_marked(MlirOperation loop, const char *name, nereid_arena_t *arena, nereid_operations_t *out);

/* Replaces `loop` by one that also carries the `n` values `initial`, and moves its body into it. The caller adds the
 * values to the scf.yield. */
MlirOperation nereid_loop_with_carried(MlirOperation loop, intptr_t n, const MlirValue *initial);

/* Whether a dot is in the loop, also in a nested region. */
bool nereid_loop_has_dot(MlirOperation loop);

/* An integer attribute of `op`, or `missing`. */
int64_t nereid_loop_integer(MlirOperation op, const char *name, int64_t missing);
void nereid_loop_set_integer(MlirOperation op, const char *name, int64_t value);

#endif
