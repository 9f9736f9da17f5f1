/* The order of a tensor's elements along one dimension in registers, lanes and warps.
 *
 *   1024 elements, register [512], lane [1, 2, 4, 8, 16], warp [32, 64, 128, 256]:
 *     segments: lanes 1..5, then warps 1..4, then register 1
 *
 * A scan processes the bits of the index from the lowest up; adjacent bits of the same input form a segment, one step
 * of the scan. */
#ifndef NEREID_LAYOUT_SCAN_H
#define NEREID_LAYOUT_SCAN_H

#include "layout/linear_layout.h"

typedef struct nereid_layout_segment {
  nereid_layout_dim_t in;
  int first;                            /* the lowest bit of the index */
  int count;                            /* bits */
  uint8_t bits[NEREID_LAYOUT_MAX_BITS]; /* input bits in order of the index; lane bits ascending */
  uint32_t mask;                        /* these bits */
} nereid_layout_segment_t;

typedef struct nereid_layout_scan {
  int axis, count;
  nereid_layout_segment_t segments[NEREID_LAYOUT_MAX_BITS];
  uint32_t copies[NEREID_LAYOUT_DIMS]; /* bits that are 0 in the first thread with an element; of registers those that
                                        * move nothing */
} nereid_layout_scan_t;

/* Suitability of a layout for a scan along a dimension. */
typedef enum nereid_layout_scannable {
  NEREID_LAYOUT_SCANNABLE,      /* each index bit is the image of exactly one input bit */
  NEREID_LAYOUT_SCAN_IRREGULAR, /* it is not: convert to a regular layout first */
  NEREID_LAYOUT_SCAN_BLOCKS,    /* the dimension is split across CTAs */
} nereid_layout_scannable_t;

/* The segments of `layout` along dimension `axis`, unless it is irregular. */
nereid_layout_scannable_t nereid_layout_scan(const nereid_layout_t *layout, int axis, nereid_layout_scan_t *out);

/* A layout of the same tensor in which each index bit is the image of one input bit only: the first of registers,
 * lanes, warps and CTAs keeps it, the others replicate elements. An image of several bits is replaced by one of them,
 * or by one of those of earlier images. */
void nereid_layout_scan_regular(const nereid_layout_t *layout, nereid_layout_t *out);

/* Lanes that read totals for each other: a run of bits, the lowest of which number warps. */
typedef struct nereid_layout_scan_lanes {
  int first, count; /* bits of the lane; none: every thread reads all it needs */
} nereid_layout_scan_lanes_t;

/* The longest run of lane bits that the totals below `segment` do not depend on. */
nereid_layout_scan_lanes_t nereid_layout_scan_spare_lanes(const nereid_layout_t *layout,
                                                          const nereid_layout_scan_t *scan,
                                                          const nereid_layout_segment_t *segment);

/* Slots for the exchange of the totals below `segment`, a segment of warps: layouts of one dimension. The writer's
 * registers are those without the bits of the mask `done`, in order. A reader without `lanes` has those of all warps:
 * the bits that number them in the order of the index come after those of the writer's registers. With lanes (at least
 * as many bits, and no more than there are of both), lanes number the warps, and in their higher bits the last of the
 * registers. The first `vector` bits of the writer's registers number adjacent slots, so that they form a vector
 * access. Returns the number of slots. */
int64_t nereid_layout_scan_exchange(const nereid_layout_t *layout, const nereid_layout_scan_t *scan,
                                    const nereid_layout_segment_t *segment, uint32_t done, int vector,
                                    nereid_layout_scan_lanes_t lanes, nereid_layout_t *out_write,
                                    nereid_layout_t *out_read);

#endif
