/* Where in a step a value is loaded from its slot; see late_place.c. */
#ifndef NEREID_PASSES_LATE_PLACE_H
#define NEREID_PASSES_LATE_PLACE_H

#include "passes/pipelining/schedule.h"

/* The op of the schedule before which the value of `load` is loaded from its slot; null where that is directly after
 * the wait for its copy. */
MlirOperation nereid_ring_late_place(const nereid_schedule_t *schedule, MlirOperation load);

#endif
