/* Lowers the loads of a scheduled loop that are used in a later stage to copies into rings of slots.
 *
 *   for %i: %x = tt.load %p                     stage 0, cluster 0
 *           %b = ttg.local_alloc %x             stage 2, cluster 1
 *   ->
 *   %ring = ttg.local_alloc : 3 x tensor
 *   for %i iter_args(%w = 0, %r = 0):
 *     %slot = ttg.memdesc_index %ring[%w]       stage 0, cluster 1
 *     ttg.async_copy_global_to_local %p, %slot  stage 0, cluster 1
 *     ttg.async_commit_group                    stage 0, cluster 1
 *     ttg.async_wait {num = 1}                  stage 2, cluster 0: before the copies, which then follow its barrier
 *     %b = ttg.memdesc_index %ring[%r]          stage 2, cluster 3
 *     yield (%w + 1) mod 3, (%r + 1) mod 3
 *   ttg.async_wait {num = 0}
 *
 * The loop keeps its schedule attributes; clusters are renumbered. A wait's count assumes the pipelined loop. */
#ifndef NEREID_PASSES_LOWER_LOADS_H
#define NEREID_PASSES_LOWER_LOADS_H

#include "analysis/axis/axis_info.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"

/* Lowers the loads of a loop with a valid schedule, which is normalized. `axis` has the facts of its pointers and
 * masks. Returns the loop that replaces it, or the same one if no load is lowered; null when out of memory. */
MlirOperation nereid_loop_lower(nereid_pass_t *pass, nereid_schedule_t *schedule, const nereid_axis_result_t *axis);

#endif
