/* Connectivity of operations through values, and the largest number attached to any connected operation.
 *
 *   %a = tt.load ..    raise(load a, class, 4)         largest(load b, class) = 4: a and b meet in the addition
 *   %b = tt.load ..    raise(load b, class, 1)
 *   %c = arith.addf %a, %b
 *
 * Two operations are connected when one uses a result of the other, directly or through other operations. An operation
 * with regions reaches all operations in them and is reached from the users of its block arguments. So a loop connects
 * everything it carries, while an op in its body that only uses values from outside is connected by its values alone.
 * This is the relation of MLIR's getSlice. */
#ifndef NEREID_PASSES_CONNECTED_H
#define NEREID_PASSES_CONNECTED_H

#include "base/map.h"

#include <mlir-c/IR.h>

typedef struct nereid_connected nereid_connected_t;

/* Connects everything below `root`, in time near linear in operations and uses. `classes` is the number of independent
 * classes of numbers. Lives in `arena`; null when out of memory. Invalid after a change of the IR. */
nereid_connected_t *nereid_connected_create(MlirOperation root, size_t classes, nereid_arena_t *arena);

/* Attaches `value` to `op` in class `index`; keeps the larger of old and new value. All raises must precede the first
 * query. */
void nereid_connected_raise(nereid_connected_t *connected, MlirOperation op, size_t index, int32_t value);

/* The largest value in class `index` that is reachable from `op`; 0 when there is none. */
int32_t nereid_connected_largest(nereid_connected_t *connected, MlirOperation op, size_t index);

#endif
