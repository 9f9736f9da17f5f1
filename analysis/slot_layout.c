/* Slots by linear layouts; see slot_layout.h. A view keeps the layout of the buffer that it was cut from, so the slots
 * of a view are those of the first elements of the buffer, moved. */
#include "analysis/slot_layout.h"

bool nereid_slot_layout_of_buffer(const nereid_ttg_memdesc_t *memdesc, int rank, nereid_layout_t *out) {
  const int64_t *shape = memdesc->alloc + memdesc->alloc_rank - rank;
  return nereid_layout_from_encoding(memdesc->encoding, rank, shape, out) == NEREID_OK;
}

/* `layout` with its coordinates packed as those of a tensor of the sizes of `like`, which are no smaller. */
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

nereid_slots_found_t nereid_slot_layout(const nereid_layout_t *tensor, const nereid_ttg_memdesc_t *memdesc,
                                        nereid_layout_t *out) {
  nereid_layout_t buffer;
  if (!nereid_slot_layout_of_buffer(memdesc, memdesc->rank, &buffer))
    return NEREID_SLOTS_NOT_LINEAR;
  const nereid_layout_t target = repacked(tensor, &buffer);
  if (!nereid_layout_solve(&target, &buffer, out))
    return NEREID_SLOTS_NOT_WHOLE;
  const int offset_bits = buffer.in_bits[NEREID_LAYOUT_OFFSET];
  for (int in = 0; in < NEREID_LAYOUT_BLOCK; ++in)
    if (offset_bits < NEREID_LAYOUT_MAX_BITS && nereid_layout_span(out, in) >> offset_bits)
      return NEREID_SLOTS_CLUSTER;
  nereid_layout_drop_blocks(out);
  return nereid_layout_reshape(out, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(out)}) ? NEREID_SLOTS_FOUND
                                                                                           : NEREID_SLOTS_NOT_WHOLE;
}

bool nereid_slot_layout_offset(const nereid_ttg_memdesc_t *memdesc, const int32_t *coordinates, uint32_t *out) {
  nereid_layout_t buffer, slot;
  if (!nereid_slot_layout_of_buffer(memdesc, memdesc->rank, &buffer) || !nereid_layout_invert(&buffer, &slot))
    return false;
  *out = nereid_layout_apply(&slot, nereid_layout_pack(&buffer, coordinates), 0, 0, 0) &
         ((UINT32_C(1) << buffer.in_bits[NEREID_LAYOUT_OFFSET]) - 1);
  return true;
}
