/* Replaces each value of a type by several values, through loops, branches, selects, calls and function boundaries.
 *
 *   %r = scf.for … iter_args(%p = %q) -> !tt.ptr<tensor<64xf32>>
 *   ->
 *   %r:4 = scf.for … iter_args(%p.0 = %q.0, …) -> !tt.ptr<f32>, i64, i64, i32
 *
 * The caller rewrites ops that create or use such values; this file rewrites ops that only forward them. */
#ifndef NEREID_PASSES_EXPAND_H
#define NEREID_PASSES_EXPAND_H

#include "base/map.h"
#include "base/vector.h"
#include "passes/pass.h"

#include "nereid/builder.h"

enum { NEREID_EXPAND_PARTS = 64 };

typedef struct nereid_expand nereid_expand_t;

typedef struct nereid_expand_rules {
  const char *what; /* "a block pointer", for diagnostics */
  /* Writes the part types of a value of `type`; 0 when the type is not expanded. At most NEREID_EXPAND_PARTS. */
  intptr_t (*parts)(MlirType type, MlirType *out_types);
  /* Rewrites an op that creates or uses expanded values, which is erased afterwards; *out_done is false for other ops.
   * False after a diagnostic. */
  bool (*rewrite)(nereid_expand_t *expand, MlirOperation op, bool *out_done);
  /* Whether a value of an expanded type, and the ops that use it directly, do not change; null: no such values. */
  bool (*keeps)(MlirValue value, const void *data);
  const void *data; /* for `keeps` */
  /* The attributes of part `part` of a kernel's argument of `type` with `attributes`; `group` numbers the expanded
   * arguments of the kernel. */
  MlirAttribute (*argument)(MlirType type, MlirAttribute attributes, intptr_t part, int group);
} nereid_expand_rules_t;

struct nereid_expand {
  nereid_pass_t *pass;
  const nereid_expand_rules_t *rules;
  nereid_map_t values; /* value -> MlirValue[] */
  NEREID_VECTOR(MlirOperation) dead;
  NEREID_VECTOR(MlirValue) dead_arguments;
  bool failed;
};

/* Rewrites everything below the module on which the pass runs. */
MlirLogicalResult nereid_expand_run(nereid_pass_t *pass, const nereid_expand_rules_t *rules);

/* The parts of an expanded value; null when it has none yet. */
const MlirValue *nereid_expand_get(const nereid_expand_t *expand, MlirValue value);

/* Sets the parts of a value; they are copied. */
void nereid_expand_set(nereid_expand_t *expand, MlirValue value, intptr_t n, const MlirValue *parts);

#endif
