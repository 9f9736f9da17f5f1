/* Collects the operations that a pass rewrites before it changes any of them, since changes invalidate a walk. */
#ifndef NEREID_PASSES_COLLECT_H
#define NEREID_PASSES_COLLECT_H

#include "base/vector.h"
#include "nereid/dialects/ops.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef NEREID_VECTOR(MlirOperation) nereid_operations_t;

/* Appends to `out` the operations of `kind` at and below `root`, in program order, outer ones first. False when out of
 * memory. */
bool nereid_collect_kind(MlirOperation root, nereid_op_kind_t kind, nereid_arena_t *arena, nereid_operations_t *out);

/* The same, inner ones first. */
bool nereid_collect_kind_inner_first(MlirOperation root, nereid_op_kind_t kind, nereid_arena_t *arena,
                                     nereid_operations_t *out);

/* As nereid_collect_kind for the operations that satisfy `predicate`; null: all. */
bool nereid_collect(MlirOperation root, bool (*predicate)(MlirOperation op), nereid_arena_t *arena,
                    nereid_operations_t *out);

#endif
