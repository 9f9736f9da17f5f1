/* Plans reductions along one dimension: the registers, lanes and warps that hold the elements of one result.
 *
 *   8x16, register [(0,1)], lane [(0,2) (0,4) (0,8) (1,0) (2,0)], warp [(4,0)], along dimension 1:
 *     registers {1}, lanes {1, 2, 4}, no warps: xor the register, then shuffle by 1, 2 and 4
 *
 * The hardware coordinates that hold elements of one result differ by the kernel of the layout without that dimension.
 * A basis of it, without the vectors of replicated elements, determines the combinations: vectors with register bits
 * only, then those with lane bits, then those with warp bits, then those with bits of the CTA. It works for any linear
 * layout: a lane vector may also have register bits. */
#ifndef NEREID_LAYOUT_REDUCTION_H
#define NEREID_LAYOUT_REDUCTION_H

#include "layout/linear_layout.h"

/* Combines with the register `reg` ^ own of lane `lane` ^ own. */
typedef struct nereid_layout_partner {
  uint32_t reg, lane;
} nereid_layout_partner_t;

typedef struct nereid_layout_reduction {
  int n_registers, n_lanes, n_warps;
  uint32_t registers[NEREID_LAYOUT_MAX_BITS];            /* within the thread: xor masks */
  nereid_layout_partner_t lanes[NEREID_LAYOUT_MAX_BITS]; /* within the warp */
  uint8_t warps[NEREID_LAYOUT_MAX_BITS];                 /* bits of the warp that distinguish the partial results */
  int n_same;
  uint32_t same[NEREID_LAYOUT_MAX_BITS]; /* xor masks between registers of one result, copies included */
  uint32_t fixed[NEREID_LAYOUT_DIMS];    /* bits that are 0 in the representative of equal partial results */
  int n_blocks;
  uint32_t blocks[NEREID_LAYOUT_MAX_BITS]; /* xor masks between CTAs that hold partial results of one result */
  nereid_layout_t projected;               /* the layout without the dimension */
} nereid_layout_reduction_t;

/* The reduction of `layout` along dimension `axis`. */
void nereid_layout_reduction(const nereid_layout_t *layout, int axis, nereid_layout_reduction_t *out);

/* The representative of the registers that are combined with `reg` in its thread, and of its replicas. */
uint32_t nereid_layout_reduction_register(const nereid_layout_reduction_t *reduction, uint32_t reg);

/* Distributes the results of each thread over lanes: the lane bit of step `step` replaces the highest register bit
 * that distinguishes results. A lane keeps one half of the results and receives the other lane's part of it in this
 * step. False, without changes, if no such bit is left or the step is not of one lane bit. `lanes` is unchanged. */
bool nereid_layout_reduction_deal(nereid_layout_reduction_t *reduction, int step);

/* Slots of the partial results in shared memory: as many as results in one CTA, times the warps that share one. */
int64_t nereid_layout_reduction_slots(const nereid_layout_reduction_t *reduction);

/* Lanes that may share the reading of partial results: the masks of lane bits that no result depends on, ascending, at
 * most as many as distinguish the partial results. Returns their number. */
int nereid_layout_reduction_spare_lanes(const nereid_layout_reduction_t *reduction,
                                        uint32_t out_masks[NEREID_LAYOUT_MAX_BITS]);

/* Slots of the partial results, as layouts of one dimension. Both count only representative registers, in
 * order. `write` gives the slots that a thread writes; only threads without a fixed bit need to write. `read` gives
 * the slots that a thread combines to its results. `spread` bits of the index of a partial result are the first spare
 * lanes, which must be combined afterwards; the others are bits of the register of `read`, above the lowest v bits of
 * a representative register and below the others. Returns v: a thread accesses 2^v results at once. */
int nereid_layout_reduction_exchange(const nereid_layout_reduction_t *reduction, int spread, nereid_layout_t *out_write,
                                     nereid_layout_t *out_read);

/* Slots of the partial results of a CTA: as many as results. */
int64_t nereid_layout_reduction_results(const nereid_layout_reduction_t *reduction);

/* The exchange between the CTAs of a cluster, as layouts of one dimension. Each CTA stores its partial results, and
 * reads those of 2^n_blocks CTAs, its own included, in the same order in all of them. `write` maps (representative
 * register, lane, warp, CTA) to a slot. In `read`, the low n_blocks bits of the register number the partial results of
 * a representative register, and the image is the CTA, above the bits of a slot, and the slot. */
void nereid_layout_reduction_cluster(const nereid_layout_reduction_t *reduction, nereid_layout_t *out_write,
                                     nereid_layout_t *out_read);

#endif
