/* Gathers within a warp; see gather.h. */
#include "layout/gather.h"

#include <string.h>

/* The register or lane bit whose image is exactly bit `packed`. */
static bool find_place(const nereid_layout_t *from, uint32_t packed, nereid_layout_gather_t *out) {
  int found = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int bit = 0; bit < from->in_bits[in]; bit++)
      if (from->bases[in][bit] & packed) {
        found += from->bases[in][bit] == packed && in <= NEREID_LAYOUT_LANE ? 1 : 2;
        out->in_lane[out->bits] = in == NEREID_LAYOUT_LANE;
        out->places[out->bits] = (uint8_t)bit;
      }
  out->registers += found == 1 && !out->in_lane[out->bits];
  out->bits += found == 1;
  return found == 1;
}

/* The lane and the register that hold the required line, according to `map`, from the indices to the source. */
static bool find_line(const nereid_layout_t *from, const nereid_layout_t *to, const nereid_layout_t *map,
                      nereid_layout_gather_t *out) {
  const int registers = from->in_bits[NEREID_LAYOUT_REGISTER], lanes = from->in_bits[NEREID_LAYOUT_LANE];
  uint32_t taken_lanes = 0, taken_registers = 0;
  for (int bit = 0; bit < out->bits; bit++)
    *(out->in_lane[bit] ? &taken_lanes : &taken_registers) |= UINT32_C(1) << out->places[bit];
  out->lane = *to;
  out->lane.rank = 1;
  memset(out->lane.out_bits, 0, sizeof out->lane.out_bits);
  out->lane.out_bits[0] = (uint8_t)lanes;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int bit = 0; bit < to->in_bits[in]; bit++) {
      const uint32_t source = map->bases[in][bit];
      const uint32_t reg = source & ((UINT32_C(1) << registers) - 1) & ~taken_registers;
      out->lane.bases[in][bit] = source >> registers & ((UINT32_C(1) << lanes) - 1) & ~taken_lanes;
      if (in == NEREID_LAYOUT_REGISTER)
        out->own[bit] = reg;
      else if (reg)
        return false; /* the register would depend on the lane */
    }
  return true;
}

bool nereid_layout_gather(const nereid_layout_t *from, const nereid_layout_t *to, int axis,
                          nereid_layout_gather_t *out) {
  nereid_layout_t lines = *from, required = *to, map;
  const int shift = nereid_layout_out_shift(from, axis);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < from->out_bits[axis]; i++)
    if (!find_place(from, UINT32_C(1) << (shift + i), out))
      return false;
  nereid_layout_drop_dim(&lines, axis);
  nereid_layout_drop_dim(&required, axis);
  return out->registers <= NEREID_LAYOUT_GATHER_REGISTERS &&
         nereid_layout_convert(&lines, &required, &map) <= NEREID_LAYOUT_CONVERSION_WARP &&
         find_line(from, to, &map, out);
}

uint32_t nereid_layout_gather_register(const nereid_layout_gather_t *plan, uint32_t r, uint32_t i) {
  uint32_t reg = 0;
  for (int bit = 0; bit < plan->lane.in_bits[NEREID_LAYOUT_REGISTER]; bit++)
    reg ^= r >> bit & 1 ? plan->own[bit] : 0;
  for (int bit = 0; bit < plan->bits; bit++)
    if (!plan->in_lane[bit]) {
      reg |= (i & 1) << plan->places[bit];
      i >>= 1;
    }
  return reg;
}
