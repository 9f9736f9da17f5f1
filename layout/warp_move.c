/* Conversions within a warp; see warp_move.h. */
#include "layout/warp_move.h"

#include <string.h>

enum { MAX_SHUFFLES = 8, MAX_SELECTS = 32 }; /* a store, a barrier and a load cost about as much */

/* Splits the source of each input bit into lane and register; false when it includes another warp or CTA. */
static bool split_source(const nereid_layout_t *from, const nereid_layout_t *source, nereid_layout_warp_move_t *out) {
  const int registers = from->in_bits[NEREID_LAYOUT_REGISTER], lanes = from->in_bits[NEREID_LAYOUT_LANE];
  out->lane = out->reg = *source;
  out->own_lane = true;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int bit = 0; bit < source->in_bits[in]; bit++) {
      const uint32_t place = source->bases[in][bit];
      const uint32_t reg = place & ((UINT32_C(1) << registers) - 1);
      const uint32_t lane = place >> registers & ((UINT32_C(1) << lanes) - 1);
      out->lane.bases[in][bit] = lane;
      out->reg.bases[in][bit] = reg;
      out->own_lane &= in == NEREID_LAYOUT_REGISTER || lane == (in == NEREID_LAYOUT_LANE ? UINT32_C(1) << bit : 0);
      if (in == NEREID_LAYOUT_REGISTER || !reg)
        continue;
      if (in == NEREID_LAYOUT_BLOCK || out->n_selects == NEREID_LAYOUT_WARP_MOVE_SELECTS)
        return false;
      out->selects[out->n_selects].thread_bit = (uint8_t)(in == NEREID_LAYOUT_LANE ? bit : lanes + bit);
      out->selects[out->n_selects++].mask = reg;
    }
  nereid_layout_reshape(&out->lane, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(source)});
  nereid_layout_reshape(&out->reg, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(source)});
  return true;
}

bool nereid_layout_warp_move(const nereid_layout_t *from, const nereid_layout_t *to, int words,
                             nereid_layout_warp_move_t *out) {
  nereid_layout_t source, required = *to;
  nereid_layout_drop_register_copies(&required);
  memset(out, 0, sizeof *out);
  const nereid_layout_conversion_t kind = nereid_layout_convert(from, &required, &source);
  if (kind > NEREID_LAYOUT_CONVERSION_WARP || nereid_layout_convert(from, to, &source) > NEREID_LAYOUT_CONVERSION_WARP)
    return false;
  if (!split_source(from, &source, out))
    return false;
  const int64_t candidates = (int64_t)nereid_layout_registers(&required) << out->n_selects;
  const int64_t shuffles = kind == NEREID_LAYOUT_CONVERSION_WARP ? candidates : 0;
  return shuffles * words <= MAX_SHUFFLES && (candidates - nereid_layout_registers(&required)) * words <= MAX_SELECTS;
}
