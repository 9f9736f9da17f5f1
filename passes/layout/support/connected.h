/* Connectivity of operations through values, and the numbers attached to all connected operations.
 *
 *   %a = tt.load ..    attach(load a, 0)         attached(load a) = {0, 1}: a and b meet in the addition
 *   %b = tt.load ..    attach(load b, 1)
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

/* Connects everything below `root`, in time near linear in operations and uses. Lives in `arena`; null when out of
 * memory. Invalid after a change of the IR. */
nereid_connected_t *nereid_connected_create(MlirOperation root, nereid_arena_t *arena);

/* Attaches `number` to `op`, which may have several. All calls must precede the first query. */
void nereid_connected_attach(nereid_connected_t *connected, MlirOperation op, size_t number);

/* The numbers attached to operations that are reachable from `op`, in no particular order; null when there are none.
 * Owned by the arena. */
const size_t *nereid_connected_attached(nereid_connected_t *connected, MlirOperation op, size_t *out_count);

#endif
