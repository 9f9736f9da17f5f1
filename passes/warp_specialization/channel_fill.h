/* The partition that computes the values of a channel: it waits for an empty slot, fills it, and arrives. */
#ifndef NEREID_PASSES_CHANNEL_FILL_H
#define NEREID_PASSES_CHANNEL_FILL_H

#include "passes/warp_specialization/channel_ring.h"

/* Fills the slots of `ring` where its values are computed. Loads that copies replace stay, for the caller to erase. Its
 * readers have been rewritten: `ring->is_async` is known. */
void nereid_channel_fill(const nereid_divided_loop_t *divided, const nereid_channel_ring_t *ring);

/* The arrivals of a phase of the full barriers. */
int32_t nereid_channel_fill_arrivals(const nereid_divided_loop_t *divided, const nereid_channel_t *channel);

#endif
