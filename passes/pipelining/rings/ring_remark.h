/* Explains one ring of a pipelined loop by a remark: its slots, their producer and their consumers.
 *
 *   ring of 4 slots of 16384 bytes: filled by TMA 2 iterations ahead; one full mbarrier per slot for 2 rings, whose
 *   phase changes every 4 iterations; read by ttng.warp_group_dot at kernels.py:149:35 */
#ifndef NEREID_PASSES_RING_REMARK_H
#define NEREID_PASSES_RING_REMARK_H

#include "passes/pass.h"

/* What fills a slot, where a partition of a warp-specialized loop does. */
typedef enum nereid_ring_fill { NEREID_RING_BY_TMA, NEREID_RING_BY_CP_ASYNC, NEREID_RING_BY_STORES } nereid_ring_fill_t;

typedef struct nereid_ring_remark {
  MlirOperation fill; /* fills a slot: a copy, or a store by threads */
  MlirValue buffer;   /* buffer of all slots */
  int32_t slots;
  int64_t bytes;   /* bytes of a slot */
  int32_t ahead;   /* iterations from the fill to the first read; of a producer warp, at most */
  int32_t pending; /* cp.async: groups that the wait leaves in flight */
  size_t sharing;  /* TMA: rings whose slots share a full mbarrier */
  int64_t warps;   /* consumer warps, which release a slot through its empty mbarrier; 0: no warp specialization */
  nereid_ring_fill_t by;
  int32_t partition, producers; /* in a warp-specialized loop, the partition that fills slots, and its warps */
  int32_t ctas;                 /* CTAs of the cluster that load a slot together; 0 or 1: each CTA loads its own */
} nereid_ring_remark_t;

/* Reports the ring at the location of its fill, as the decision "ring". Nothing when remarks are off. */
void nereid_ring_remark(const nereid_pass_t *pass, nereid_arena_t *arena, const nereid_ring_remark_t *ring);

#endif
