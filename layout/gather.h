/* A gather along one dimension within a warp: the lane and register of the element at an index.
 *
 *   source 4x64, register [(0,32)], lane [(0,1) .. (0,16)], warp [(1,0) (2,0)]; indices alike
 *     index bits 0..4 are the lane, bit 5 the register */
#ifndef NEREID_LAYOUT_GATHER_H
#define NEREID_LAYOUT_GATHER_H

#include "layout/linear_layout.h"

enum { NEREID_LAYOUT_GATHER_REGISTERS = 3 }; /* more index bits in registers are not worth the shuffles */

typedef struct nereid_layout_gather {
  int bits;                               /* bits of the index */
  bool in_lane[NEREID_LAYOUT_MAX_BITS];   /* index bit i is a bit of the lane, else of the register */
  uint8_t places[NEREID_LAYOUT_MAX_BITS]; /* which */
  int registers;                          /* index bits in registers */
  nereid_layout_t lane; /* of one dimension: the lane, without the index, from register, lane and warp of the indices */
  uint32_t own[NEREID_LAYOUT_MAX_BITS]; /* the register, without the index, from each register bit of the indices */
} nereid_layout_gather_t;

/* Whether a warp with `to`, the layout of the indices and the result, holds every element of `from` that it can read;
 * writes `out` if so. */
bool nereid_layout_gather(const nereid_layout_t *from, const nereid_layout_t *to, int axis,
                          nereid_layout_gather_t *out);

/* The source register of result register `r` whose index bits in registers are `i`. */
uint32_t nereid_layout_gather_register(const nereid_layout_gather_t *plan, uint32_t r, uint32_t i);

#endif
