/* Carries values through scf.for and scf.if in a second layout.
 *
 *   %r = scf.for … iter_args(%p = %i) : #x {         %r, %s = scf.for … iter_args(%p = %i, %q = %j) : #x, #y {
 *     %n = addptr %p, %d : #x                  ->      %n = addptr %p, %d : #x    %m = addptr %q, %e : #y
 *     yield %n                                         yield %n, %m
 *
 * The original slot is removed when nothing but itself uses it. */
#ifndef NEREID_PASSES_CARRIED_LAYOUTS_H
#define NEREID_PASSES_CARRIED_LAYOUTS_H

#include "passes/layout/support/layout_slice.h"

/* A slot of a loop or branch that carries another slot's value in `encoding`. */
typedef struct nereid_carried_slot {
  MlirBlock block; /* the first block of the op, which moves when the op is replaced */
  intptr_t original, second;
  MlirAttribute encoding;
} nereid_carried_slot_t;

typedef struct nereid_carried_layouts {
  nereid_layout_versions_t *versions; /* borrowed */
  NEREID_VECTOR(nereid_carried_slot_t) open;
  NEREID_VECTOR(MlirOperation) replaced; /* detached; they live until the end, because maps use their results as keys */
} nereid_carried_layouts_t;

/* Adds a slot for each carried value of `recomputed` and replaces values of both lists whose op was replaced. The new
 * slots have a type and a version, but no initial and yielded values until nereid_carried_layouts_connect. False when
 * out of memory. */
bool nereid_carried_layouts_extend(nereid_carried_layouts_t *carried, nereid_layout_requests_t *recomputed,
                                   nereid_layout_requests_t *converted);

/* Sets the initial and yielded values of the new slots, whose versions must exist. */
void nereid_carried_layouts_connect(nereid_carried_layouts_t *carried);

/* Removes unused results of scf.if, and slots of scf.for that only compute their own next value, below `root`. Returns
 * the number of removed values; -1 when out of memory. */
int64_t nereid_carried_layouts_prune(MlirOperation root, nereid_arena_t *arena);

/* Destroys the replaced ops. Values of `versions` must not be used afterwards. */
void nereid_carried_layouts_finish(nereid_carried_layouts_t *carried);

#endif
