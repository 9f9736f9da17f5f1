/* Slots of views of parts of a buffer.
 *
 *   %v = ttg.memdesc_subslice %b[0, 16]     address of slot s of %v:
 *                                             base of %v + s          the offset shares no bit with s
 *                                             base of %b + (16 xor s) inside a swizzle pattern, whose rows permute bits
 *
 * The verifier accepts offsets of a single bit per dimension. Where control flow selects the view, the shared bits of
 * the offset are those of the address: allocation aligns such buffers to their pattern. */
#include "conversion/ttg_to_llvm/memory/shared.h"

#include "conversion/ttg_to_llvm/emit.h"

#include "analysis/access/slot_layout.h"
#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

#include <assert.h>

MlirValue nereid_shared_base(nereid_lower_t *lower, MlirValue memdesc) {
  return nereid_lower_get(lower, memdesc).values[0];
}

/* A view whose first slot, `start`, is a constant: slots from that of the buffer. */
static void start_at(nereid_lower_t *lower, MlirValue buffer, uint32_t start, nereid_slots_t *out) {
  out->base = nereid_emit_offset(lower, nereid_shared_base(lower, buffer), -(int64_t)start * out->bytes);
  nereid_slots_start(out, start);
}

/* A view whose first slot is unknown in `bits`: moves these bits from its address to the offset of the thread. */
static void start_anywhere(nereid_lower_t *lower, MlirValue buffer, uint32_t bits, nereid_slots_t *out) {
  MlirType i32 = lower->types->i32;
  MlirValue base = nereid_shared_base(lower, buffer), mask = nereid_emit_i32(lower, (int32_t)(bits * out->bytes));
  MlirValue start = nereid_emit_and(lower, nereid_emit_cast(lower, "llvm.ptrtoint", i32, base), mask);
  nereid_slots_align(out, bits);
  out->base = nereid_emit_gep(lower, base, lower->types->i8, nereid_emit_mul(lower, start, nereid_emit_i32(lower, -1)));
  *out = nereid_slots_moved(lower, out, start, false);
  out->in_pattern = true;
}

nereid_slots_t nereid_shared_chunk_slots(nereid_lower_t *lower, MlirValue buffer, const nereid_layout_t *layout,
                                         const nereid_layout_t *chunk, MlirType element) {
  const nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(buffer);
  nereid_slots_t slots = nereid_slots_make(lower, chunk, element, nereid_shared_base(lower, buffer));
  uint32_t start = 0, span = 0;
  const bool known = nereid_slot_start(buffer, &start);
  for (int in = NEREID_LAYOUT_REGISTER; in <= NEREID_LAYOUT_WARP; ++in)
    span |= nereid_layout_span(layout, in);
  const uint32_t shared = span & (known ? start : nereid_slot_start_bits(&memdesc));
  assert(!shared || !nereid_ttg_padded_shared_attr_isa(memdesc.encoding)); /* its bits are powers of two: no pattern */
  if (shared && known)
    start_at(lower, buffer, start, &slots);
  else if (shared)
    start_anywhere(lower, buffer, shared, &slots);
  nereid_slots_pad(&slots, memdesc.encoding);
  return slots;
}

nereid_slots_t nereid_shared_view_slots(nereid_lower_t *lower, MlirValue buffer, const nereid_layout_t *layout,
                                        MlirType element) {
  return nereid_shared_chunk_slots(lower, buffer, layout, layout, element);
}
