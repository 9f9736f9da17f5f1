/* Recomputes inexpensive values in the stage that uses them.
 *
 *   %m = arith.cmpi slt, %offsets, %left    stage 0                %m = …    stage 0: for the mask of a load
 *   %y = arith.select %m, %x, %none         stage 2         ->     %n = …    stage 2, from the counter
 *                                                                  %y = arith.select %n, %x, %none
 *
 * Otherwise the pipelined loop would carry two masks, in registers. Values that the loop carries are carried a second
 * time, by the later stage. */
#ifndef NEREID_PASSES_REMATERIALIZE_H
#define NEREID_PASSES_REMATERIALIZE_H

#include "passes/pipelining/schedule.h"

/* Changes the loop of a valid schedule, whose ops are sorted by stage. Returns the loop that replaces it; null when out
 * of memory. The schedule is stale afterwards. */
MlirOperation nereid_loop_rematerialize(nereid_schedule_t *schedule);

#endif
