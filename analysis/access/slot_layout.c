/* Slots by linear layouts; see slot_layout.h. A view keeps the layout of the buffer that it is part of, so the slots of
 * a view are those of the first elements of the buffer plus an offset. */
#include "analysis/access/slot_layout.h"

#include "dialects/defining_op.h"
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

/* --- views of parts --- */

static int64_t size_in_buffer(const nereid_ttg_memdesc_t *memdesc, int d) {
  return memdesc->alloc[memdesc->alloc_rank - memdesc->rank + d];
}

bool nereid_slot_is_part(const nereid_ttg_memdesc_t *memdesc) {
  for (int d = 0; d < memdesc->rank; ++d)
    if (memdesc->shape[d] != size_in_buffer(memdesc, d))
      return true;
  return false;
}

/* The slot of the element `step` away from the first in dimension `d`. */
static uint32_t slot_of_step(const nereid_ttg_memdesc_t *memdesc, int d, int64_t step) {
  int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
  uint32_t slot = 0;
  at[d] = (int32_t)step;
  return nereid_slot_order_offset(memdesc, at, &slot) ? slot : 0;
}

uint32_t nereid_slot_start_bits(const nereid_ttg_memdesc_t *memdesc) {
  uint32_t bits = 0;
  for (int d = 0; d < memdesc->rank; ++d)
    for (int64_t step = memdesc->shape[d]; step < size_in_buffer(memdesc, d); step *= 2)
      bits |= slot_of_step(memdesc, d, step);
  return bits;
}

bool nereid_slot_start(MlirValue buffer, uint32_t *out) {
  *out = 0;
  for (nereid_ttg_memdesc_t view = nereid_ttg_memdesc_of(buffer); nereid_slot_is_part(&view);
       view = nereid_ttg_memdesc_of(buffer)) {
    MlirOperation op = nereid_defining_op(buffer);
    const nereid_op_kind_t kind = mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op);
    if (kind != NEREID_OP_TTG_MEMDESC_SUBSLICE && kind != NEREID_OP_TTG_MEMDESC_TRANS)
      return false;
    buffer = mlirOperationGetOperand(op, 0);
    if (kind == NEREID_OP_TTG_MEMDESC_TRANS)
      continue;
    nereid_ttg_memdesc_t source = nereid_ttg_memdesc_of(buffer);
    int32_t first[NEREID_LAYOUT_MAX_RANK] = {0};
    uint32_t slot = 0;
    for (int d = 0; d < source.rank; ++d)
      first[d] = nereid_ttg_memdesc_subslice_get_offsets(op, d);
    if (!nereid_slot_order_offset(&source, first, &slot))
      return false;
    *out ^= slot;
  }
  return true;
}

uint32_t nereid_slot_swizzled_bits(const nereid_ttg_memdesc_t *memdesc) {
  uint32_t once = 0, twice = 0;
  for (int d = 0; d < memdesc->rank; ++d)
    for (int64_t step = 1; step < size_in_buffer(memdesc, d); step *= 2) {
      const uint32_t slot = slot_of_step(memdesc, d, step);
      twice |= once & slot;
      once |= slot;
    }
  return twice;
}
