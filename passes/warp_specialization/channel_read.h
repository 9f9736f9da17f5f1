/* The partitions that use the values of a channel: they wait for a full slot, read it, and release it. */
#ifndef NEREID_PASSES_CHANNEL_READ_H
#define NEREID_PASSES_CHANNEL_READ_H

#include "passes/warp_specialization/channel_ring.h"

/* Replaces the uses of the values in the partition of `reader`, one of the channel's, by reads of the slots. Sets
 * `reader->slots`, and `ring->is_async` if dots or TMA read them. */
void nereid_channel_read(const nereid_divided_loop_t *divided, nereid_channel_ring_t *ring,
                         nereid_channel_reader_t *reader);

/* The warps that release a slot. */
int32_t nereid_channel_read_warps(const nereid_divided_loop_t *divided, const nereid_channel_t *channel);

#endif
