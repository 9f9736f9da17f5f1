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

/* Reads the lowest lane of those with copies, and returns the bits between copies. */
static uint32_t read_lowest_copies(const nereid_layout_t *from, nereid_layout_warp_move_t *move) {
  uint32_t copies = 0;
  for (int bit = 0; bit < from->in_bits[NEREID_LAYOUT_LANE]; bit++)
    copies |= from->bases[NEREID_LAYOUT_LANE][bit] ? 0 : UINT32_C(1) << bit;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int bit = 0; bit < move->lane.in_bits[in]; bit++)
      move->lane.bases[in][bit] &= ~copies;
  return copies;
}

/* Moves selects before the shuffle. Lanes of the same warp with copies serve as many readers, by the bits of the
 * selects; a bit of the warp is the same in both threads. */
static void select_before(const nereid_layout_t *from, nereid_layout_warp_move_t *move) {
  uint32_t copies = read_lowest_copies(from, move);
  for (int k = 0; k < move->n_selects; k++) {
    const int bit = move->selects[k].thread_bit;
    if (bit < move->lane.in_bits[NEREID_LAYOUT_LANE]) {
      if (!copies)
        continue;
      move->selects[k].thread_bit = (uint8_t)__builtin_ctz(copies);
      move->lane.bases[NEREID_LAYOUT_LANE][bit] |= copies & -copies;
      copies &= copies - 1;
    }
    move->selects[k].before = true;
  }
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
  const bool shuffles = kind == NEREID_LAYOUT_CONVERSION_WARP;
  if (shuffles && !out->own_lane)
    select_before(from, out);
  for (int k = 0; k < out->n_selects; k++)
    out->n_after += !out->selects[k].before;
  const int64_t registers = nereid_layout_registers(&required);
  return (shuffles ? registers << out->n_after : 0) * words <= MAX_SHUFFLES &&
         ((registers << out->n_selects) - registers) * words <= MAX_SELECTS;
}
