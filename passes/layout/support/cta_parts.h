/* Parts of tensors: how each value is divided among the CTAs of a cluster.
 *
 *   bases {[1, 0], [0, 1]}   four CTAs: the first bit of the CTA's number selects a half of the rows, the second of the
 *                            columns
 *   bases {[1, 0], [0, 0]}   the second bit selects nothing: pairs of CTAs hold the same elements
 *
 * A part is propagated from a value to the values that must have the same one, so that no element moves between CTAs:
 * through elementwise ops, accesses, conversions, loops and branches; with changed dimensions through expand_dims,
 * trans and reduce; to the operands of dots. Values that are cheap to compute, such as ranges and offsets, do not
 * propagate to their users: each user may need its own copy. */
#ifndef NEREID_PASSES_CTA_PARTS_H
#define NEREID_PASSES_CTA_PARTS_H

#include "base/map.h"
#include "base/vector.h"
#include "dialects/ttg/encoding/encoding.h"

#include <mlir-c/IR.h>

#include <stdbool.h>

typedef struct nereid_cta_part {
  MlirValue value;
  nereid_ttg_bases_t bases; /* bases in the dimensions of the value */
} nereid_cta_part_t;

typedef struct nereid_cta_parts {
  nereid_arena_t *arena; /* borrowed */
  NEREID_VECTOR(nereid_cta_part_t) list;
  nereid_map_t index;       /* value -> index into `list`, plus 1 */
  nereid_map_t inexpensive; /* value -> 1: no, 2: yes */
} nereid_cta_parts_t;

void nereid_cta_parts_initialize(nereid_cta_parts_t *parts, nereid_arena_t *arena);

/* The part of `value`; null when it has none. Valid until the next assignment. */
const nereid_ttg_bases_t *nereid_cta_parts_get(const nereid_cta_parts_t *parts, MlirValue value);

/* Assigns a part to `value`, and to all values that follow, unless they have one. Does nothing for values without an
 * encoding that can be changed. */
void nereid_cta_parts_assign(nereid_cta_parts_t *parts, MlirValue value, const nereid_ttg_bases_t *bases);

/* Whether all tensors that `op` uses and defines have one encoding. */
bool nereid_cta_parts_is_uniform(MlirOperation op);

#endif
