/* Which operations are connected by values, and the largest number that anything connected has.
 *
 *   %a = tt.load ..    raise(load a, class, 4)         largest(load b, class) = 4: a and b meet in the addition
 *   %b = tt.load ..    raise(load b, class, 1)
 *   %c = arith.addf %a, %b
 *
 * Two operations are connected when one uses a result of the other, or through others. An operation with regions
 * reaches all operations in them, and is reached from those that use its block arguments, so a loop joins what it
 * carries, while what only stands in its body and is fed from outside reaches no further than values do. This is the
 * relation of MLIR's getSlice. */
#ifndef NEREID_PASSES_CONNECTED_H
#define NEREID_PASSES_CONNECTED_H

#include "base/map.h"

#include <mlir-c/IR.h>

typedef struct nereid_connected nereid_connected_t;

/* Connects everything below `root`, in time near linear in operations and uses. `classes` are independent sets of
 * numbers. Lives in `arena`; null when out of memory. Stale after a change of the IR. */
nereid_connected_t *nereid_connected_create(MlirOperation root, size_t classes, nereid_arena_t *arena);

/* `op` has `value` in class `index`; smaller than what it had is ignored. All raises come before the first largest. */
void nereid_connected_raise(nereid_connected_t *connected, MlirOperation op, size_t index, int32_t value);

/* The largest value in class `index` that `op` reaches; 0 when there is none. */
int32_t nereid_connected_largest(nereid_connected_t *connected, MlirOperation op, size_t index);

#endif
