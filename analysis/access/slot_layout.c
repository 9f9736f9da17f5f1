/* Slots by linear layouts; see slot_layout.h. A view keeps the layout of the buffer that it is part of, so the slots of
 * a view are those of the first elements of the buffer plus an offset. */
#include "analysis/access/slot_layout.h"

#include "nereid/dialects/ttg.h"

bool nereid_slot_order_of_buffer(const nereid_ttg_memdesc_t *memdesc, int rank, nereid_layout_t *out) {
  const int64_t *shape = memdesc->alloc + memdesc->alloc_rank - rank;
  if (nereid_ttg_padded_shared_attr_isa(memdesc->encoding))
    return nereid_layout_from_padded(memdesc->encoding, rank, shape, out) == NEREID_OK;
  return nereid_layout_from_encoding(memdesc->encoding, rank, shape, out) == NEREID_OK;
}

bool nereid_slot_layout_of_buffer(const nereid_ttg_memdesc_t *memdesc, int rank, nereid_layout_t *out) {
  return !nereid_ttg_padded_shared_attr_isa(memdesc->encoding) && nereid_slot_order_of_buffer(memdesc, rank, out);
}

bool nereid_slot_order_of_stage(const nereid_ttg_memdesc_t *source, const nereid_ttg_memdesc_t *stage,
                                nereid_layout_t *out) {
  return nereid_slot_order_of_buffer(source, source->rank - 1, out) ||
         nereid_slot_order_of_buffer(stage, stage->rank, out);
}

/* `layout` with its coordinates packed for a tensor of the sizes of `like`, which are at least as large. */
static nereid_layout_t repacked(const nereid_layout_t *layout, const nereid_layout_t *like) {
  nereid_layout_t out = *layout;
  for (int d = 0; d < layout->rank; ++d)
    out.out_bits[d] = like->out_bits[d];
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int i = 0; i < layout->in_bits[in]; ++i) {
      int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
      nereid_layout_coordinates(layout, layout->bases[in][i], coordinates);
      out.bases[in][i] = nereid_layout_pack(&out, coordinates);
    }
  return out;
}

/* Whether each CTA accesses the same slots of its own memory: `slots` has the slot in its low bits and the CTA above. A
 * buffer replicated in every CTA cannot hold a tensor that is distributed over CTAs, since each CTA would miss the
 * rest. */
static bool stays_in_its_cta(const nereid_layout_t *slots, int offset_bits) {
  if (offset_bits >= NEREID_LAYOUT_MAX_BITS)
    return true;
  for (int in = 0; in < NEREID_LAYOUT_BLOCK; ++in)
    if (nereid_layout_span(slots, in) >> offset_bits)
      return false;
  for (int i = 0; i < slots->in_bits[NEREID_LAYOUT_BLOCK]; ++i) {
    const uint32_t basis = slots->bases[NEREID_LAYOUT_BLOCK][i];
    if (basis && basis != UINT32_C(1) << (offset_bits + i))
      return false;
  }
  return true;
}

nereid_slots_found_t nereid_slot_order(const nereid_layout_t *tensor, const nereid_ttg_memdesc_t *memdesc,
                                       nereid_layout_t *out) {
  nereid_layout_t buffer;
  if (!nereid_slot_order_of_buffer(memdesc, memdesc->rank, &buffer))
    return NEREID_SLOTS_NOT_LINEAR;
  const nereid_layout_t target = repacked(tensor, &buffer);
  if (!nereid_layout_solve(&target, &buffer, out))
    return NEREID_SLOTS_NOT_WHOLE;
  if (!stays_in_its_cta(out, buffer.in_bits[NEREID_LAYOUT_OFFSET]))
    return NEREID_SLOTS_CLUSTER;
  nereid_layout_drop_blocks(out);
  return nereid_layout_reshape(out, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(out)}) ? NEREID_SLOTS_FOUND
                                                                                           : NEREID_SLOTS_NOT_WHOLE;
}

nereid_slots_found_t nereid_slot_layout(const nereid_layout_t *tensor, const nereid_ttg_memdesc_t *memdesc,
                                        nereid_layout_t *out) {
  const bool padded = nereid_ttg_padded_shared_attr_isa(memdesc->encoding);
  return padded ? NEREID_SLOTS_NOT_LINEAR : nereid_slot_order(tensor, memdesc, out);
}

bool nereid_slot_order_offset(const nereid_ttg_memdesc_t *memdesc, const int32_t *coordinates, uint32_t *out) {
  nereid_layout_t buffer, slot;
  if (!nereid_slot_order_of_buffer(memdesc, memdesc->rank, &buffer) || !nereid_layout_invert(&buffer, &slot))
    return false;
  *out = nereid_layout_apply(&slot, nereid_layout_pack(&buffer, coordinates), 0, 0, 0) &
         ((UINT32_C(1) << buffer.in_bits[NEREID_LAYOUT_OFFSET]) - 1);
  return true;
}

bool nereid_slot_layout_offset(const nereid_ttg_memdesc_t *memdesc, const int32_t *coordinates, uint32_t *out) {
  return !nereid_ttg_padded_shared_attr_isa(memdesc->encoding) && nereid_slot_order_offset(memdesc, coordinates, out);
}
