/* Whether the copies of threads follow the uses of what they copied before.
 *
 *   copies early     wait; copy into a free slot; dots      one slot more
 *   copies late      wait; dots; copy into the slot that they have read
 *
 * Early copies are in flight for a step longer and save a barrier where warps read what others copied. */
#ifndef NEREID_PASSES_LATE_COPIES_H
#define NEREID_PASSES_LATE_COPIES_H

#include "passes/support/collect.h"

#include "mlir-c/IR.h"

#include <stdint.h>

/* Whether the copies of a step of `loop` follow its uses: if dots come first, because they take longer or other CTAs
 * hide the latency of copies; or without a dot, where warps read what others copied and slots are too large to add one
 * that saves a barrier. `keys`: the ops with a latency; `last`: the last stage. */
bool nereid_ring_copies_late(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys, int64_t last,
                             nereid_arena_t *arena);

#endif
