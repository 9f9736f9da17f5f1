/* Loops that the pipelining passes change. */
#ifndef NEREID_PASSES_LOOP_STAGES_H
#define NEREID_PASSES_LOOP_STAGES_H

#include "passes/support/collect.h"

#include "nereid/dialects/arith.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

/* The scf.for ops below `root`, outer ones first. */
bool nereid_loop_collect(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out);

/* The same, inner ones first. */
bool nereid_loop_collect_inner_first(MlirOperation root, nereid_arena_t *arena, nereid_operations_t *out);

/* The predicate that compares the counter of an scf.for with its upper bound while the loop runs. */
nereid_arith_cmp_i_predicate_t nereid_loop_less_than(MlirOperation loop);

/* The ops of a loop's own block that have the integer attribute `name`, in order. */
bool nereid_loop_collect_marked(MlirOperation loop, const char *name, nereid_arena_t *arena, nereid_operations_t *out);

/* Whether `op` only replicates registers, so that its operand is carried instead of its result. */
bool nereid_loop_replicates(MlirOperation op);

/* Whether a dot is in the loop, also in a nested region. */
bool nereid_loop_has_dot(MlirOperation loop);

#endif
