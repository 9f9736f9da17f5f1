/* Where in a step a value is loaded from its slot; see late_place.c. */
#ifndef NEREID_PASSES_LATE_PLACE_H
#define NEREID_PASSES_LATE_PLACE_H

#include "passes/pipelining/schedule.h"

/* The first user of a load's value in a step; null without one, and where a copy that the schedule does not have yet
 * uses it. */
const nereid_scheduled_op_t *nereid_ring_first_user(const nereid_schedule_t *schedule, MlirValue value);

/* The op of the schedule before which the value of `load` is loaded from its slot; null where that is directly after
 * the wait for its copy. */
MlirOperation nereid_ring_late_place(const nereid_schedule_t *schedule, MlirOperation load);

#endif
