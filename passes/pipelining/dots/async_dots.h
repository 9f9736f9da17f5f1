/* Keeps wgmma in flight: the last step of tritongpu-pipeline. */
#ifndef NEREID_PASSES_ASYNC_DOTS_H
#define NEREID_PASSES_ASYNC_DOTS_H

#include "passes/pass.h"

/* Makes the ttng.warp_group_dot ops below pass->op asynchronous and inserts ttng.warp_group_dot_wait where their
 * results, the buffers that they read or their operand registers are next needed. Blocks that contain an asynchronous
 * dot or a wait already are left as they are. Adds the number of dots that stay in flight over a loop's back edge to
 * `*carried`. False when out of memory. */
bool nereid_async_dots(nereid_pass_t *pass, int64_t *carried);

#endif
