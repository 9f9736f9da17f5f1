/* The schedule of a loop: a stage and a cluster for each op of its body, stored as attributes.
 *
 *   %x = tt.load %p   {loop.stage = 0 : i32, loop.cluster = 0 : i32}
 *   … %x …            {loop.stage = 2 : i32, loop.cluster = 1 : i32}      and tt.scheduled_max_stage = 2 on the loop
 *
 * Step k of the pipelined loop executes stage s of iteration k - s. Within a step, ops are in the order of their
 * clusters, and in program order within a cluster. Ops of nested regions belong to the op of the loop's body that
 * contains them. docs/pipelining.md describes the attributes for users, who may edit them. */
#ifndef NEREID_PASSES_SCHEDULE_H
#define NEREID_PASSES_SCHEDULE_H

#include "base/map.h"
#include "base/vector.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nereid_scheduled_op {
  MlirOperation op;
  int32_t stage, cluster;
  uint32_t position; /* among the ops of a step, from 0 */
} nereid_scheduled_op_t;

typedef struct nereid_schedule {
  MlirOperation loop; /* an scf.for */
  MlirBlock body;
  nereid_arena_t *arena;                    /* borrowed */
  int32_t max_stage;                        /* tt.scheduled_max_stage */
  NEREID_VECTOR(nereid_scheduled_op_t) ops; /* in program order, without the scf.yield */
  uint32_t *order;                          /* indices into `ops`, in the order of a step */
  nereid_map_t index;                       /* op -> index into `ops`, plus 1 */
} nereid_schedule_t;

/* Reads the schedule of `loop`, which has tt.scheduled_max_stage. False after an error at an op without the two
 * attributes or with a stage outside 0 .. max_stage, or when out of memory. Lives in `arena`, stale after changes of
 * the body. */
bool nereid_schedule_read(MlirOperation loop, nereid_arena_t *arena, nereid_schedule_t *out);

/* Sorts the ops of the body by stage and renumbers clusters so that the order of a step does not change: ops of one
 * cluster then have one stage. Changes `ops[…].cluster`, not the attributes. */
void nereid_schedule_normalize(nereid_schedule_t *schedule);

/* Returns the scheduled op that contains `op` or is `op`; null when that is outside the loop or is its scf.yield. */
const nereid_scheduled_op_t *nereid_schedule_find(const nereid_schedule_t *schedule, MlirOperation op);

/* Whether every value is computed before its use: in an earlier stage, or in the same stage and at an earlier position.
 * A value from the previous iteration may also be computed one stage later than its use, at an earlier position. False
 * after an error at each op that violates this. */
bool nereid_schedule_verify(const nereid_schedule_t *schedule);

/* Appends to `out`, each once, the values defined in `body` (arguments, results of its ops) that `op` uses, also in its
 * regions. False when out of memory. */
typedef NEREID_VECTOR(MlirValue) nereid_schedule_values_t;
bool nereid_schedule_uses(MlirOperation op, MlirBlock body, nereid_arena_t *arena, nereid_schedule_values_t *out);

/* Returns the op of `body` that defines `value`, in this iteration or an earlier one, through the values that the loop
 * carries; null when there is none. *out_distance, which may be null, is the number of iterations in between. */
MlirOperation nereid_schedule_definition(MlirBlock body, MlirValue value, int *out_distance);

/* Moves what an op of `body` uses in its stage to its cluster, or an earlier one: a load in registers may need the same
 * counter as copies, which come after it. */
void nereid_schedule_order_definitions(MlirBlock body, nereid_arena_t *arena);

/* Removes the schedule of a loop: the attributes of the loop and of the ops of its body. */
void nereid_schedule_remove(MlirOperation loop);

/* Sets and removes the attributes of an op. */
void nereid_schedule_set(MlirOperation op, int64_t stage, int64_t cluster);
void nereid_schedule_clear(MlirOperation op);

#endif
