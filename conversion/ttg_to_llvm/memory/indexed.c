/* Lowers ttg.local_gather and local_scatter.
 *
 *   %y = ttg.local_gather %b[%i] {axis = 0}       y.r = ld.shared [global_smem + slot(0, j.r) xor slot(i.r, 0)] …
 *
 * The slot of an element is linear in the bits of its coordinates: those of the other dimensions follow from the
 * layout, as for ttg.local_load, and each bit of the index adds its own slot. Bits beyond the dimension are ignored, so
 * that no index reaches another buffer. Indices of a vector are unknown, so every element is a separate access. */
#include "conversion/ttg_to_llvm/memory/indexed.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/memory.h"
#include "conversion/ttg_to_llvm/memory/shared.h"

#include "analysis/access/slot_layout.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ttg.h"

enum { WORD_BITS = 32 };

static int log2_of(int64_t size) {
  return 63 - __builtin_clzll((uint64_t)size);
}

/* `layout` for a tensor of the buffer's sizes, at index 0, with the bits of an index after those of the warps, of which
 * there are few. */
static bool with_index_bits(const nereid_layout_t *layout, const nereid_layout_t *buffer, int axis, int bits,
                            nereid_layout_t *out) {
  int32_t at[NEREID_LAYOUT_MAX_RANK];
  const int warps = layout->in_bits[NEREID_LAYOUT_WARP];
  if (warps + bits > NEREID_LAYOUT_MAX_BITS)
    return false;
  *out = *layout;
  for (int d = 0; d < layout->rank; ++d)
    out->out_bits[d] = buffer->out_bits[d];
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int i = 0; i < layout->in_bits[in]; ++i) {
      nereid_layout_coordinates(layout, layout->bases[in][i], at);
      at[axis] = 0;
      out->bases[in][i] = nereid_layout_pack(out, at);
    }
  out->in_bits[NEREID_LAYOUT_WARP] = (uint8_t)(warps + bits);
  memset(at, 0, sizeof at);
  for (int i = 0; i < bits; ++i) {
    at[axis] = INT32_C(1) << i;
    out->bases[NEREID_LAYOUT_WARP][warps + i] = nereid_layout_pack(out, at);
  }
  return true;
}

/* Whether the CTAs of a cluster have different indices of the same elements. */
static bool divides_axis(const nereid_layout_t *layout, int axis) {
  return nereid_layout_span(layout, NEREID_LAYOUT_BLOCK) & nereid_layout_out_mask(layout, axis);
}

bool nereid_indexed_slots(nereid_lower_t *lower, MlirOperation op, MlirValue buffer, MlirValue indices, int axis,
                          bool writes, nereid_indexed_t *out) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, mlirValueGetType(indices));
  const nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(buffer);
  nereid_layout_t whole, elements, slots;
  if (!layout)
    return false;
  *out = (nereid_indexed_t){.indices = nereid_lower_get(lower, indices), .bits = log2_of(memdesc.shape[axis])};
  elements = *layout; /* if the buffer has no linear layout; enough for the error */
  if (nereid_slot_order_of_buffer(&memdesc, memdesc.rank, &whole) &&
      !with_index_bits(layout, &whole, axis, out->bits, &elements))
    return nereid_lower_error(op, "has a buffer with too many elements along the dimension of the indices");
  if (!nereid_shared_slot_layout(op, &elements, mlirValueGetType(buffer), &slots))
    return false;
  if (writes && divides_axis(layout, axis))
    return nereid_lower_error(op, "moves elements between the CTAs of a cluster, which is not supported");
  nereid_layout_t rest = slots;
  uint32_t of_index = 0, of_others = 0;
  const int warps = rest.in_bits[NEREID_LAYOUT_WARP] = layout->in_bits[NEREID_LAYOUT_WARP];
  for (int i = 0; i < out->bits; ++i)
    of_index |= out->images[i] = slots.bases[NEREID_LAYOUT_WARP][warps + i];
  for (int in = NEREID_LAYOUT_REGISTER; in <= NEREID_LAYOUT_WARP; ++in)
    of_others |= nereid_layout_span(&rest, in);
  MlirType element = nereid_lower_type(lower, memdesc.element);
  out->slots = nereid_shared_chunk_slots(lower, buffer, &slots, &rest, element);
  out->adds = !(of_index & of_others) && !out->slots.in_pattern && mlirAttributeIsNull(out->slots.padding);
  return true;
}

/* The i32 index in register `r`; narrow indices are unsigned, as in Triton. */
static MlirValue index_at(nereid_lower_t *lower, const nereid_indexed_t *indexed, intptr_t r) {
  MlirValue index = indexed->indices.values[indexed->indices.count == 1 ? 0 : r];
  const unsigned width = mlirIntegerTypeGetWidth(mlirValueGetType(index));
  if (width == WORD_BITS)
    return index;
  return nereid_emit_cast(lower, width > WORD_BITS ? "llvm.trunc" : "llvm.zext", lower->types->i32, index);
}

/* The bits of an index that move by `distance` to their slots. */
static uint32_t bits_moved(const nereid_indexed_t *indexed, int distance) {
  uint32_t mask = 0;
  for (int i = 0; i < indexed->bits; ++i)
    if (i + distance >= 0 && i + distance < WORD_BITS && indexed->images[i] >> (i + distance) & 1)
      mask |= UINT32_C(1) << i;
  return mask;
}

/* i32: bytes of the index from the slots at index 0; a swizzle takes one shift for each of its parts. Null for a
 * dimension of one element. */
static MlirValue index_offset(nereid_lower_t *lower, const nereid_indexed_t *indexed, intptr_t r) {
  MlirValue index = {NULL}, sum = {NULL};
  const int scale = log2_of(indexed->slots.bytes);
  for (int distance = 1 - WORD_BITS; distance < WORD_BITS; ++distance) {
    const uint32_t mask = bits_moved(indexed, distance);
    const int shift = distance + scale;
    if (!mask)
      continue;
    if (mlirValueIsNull(index))
      index = index_at(lower, indexed, r);
    MlirValue part = nereid_emit_and(lower, index, nereid_emit_i32(lower, (int32_t)mask));
    if (shift)
      part = shift > 0 ? nereid_emit_shl(lower, part, nereid_emit_i32(lower, shift))
                       : nereid_emit_lshr(lower, part, nereid_emit_i32(lower, -shift));
    sum = mlirValueIsNull(sum) ? part : nereid_emit_xor(lower, sum, part);
  }
  return sum;
}

MlirValue nereid_indexed_address(nereid_lower_t *lower, const nereid_indexed_t *indexed, intptr_t r) {
  MlirValue offset = index_offset(lower, indexed, r);
  if (mlirValueIsNull(offset))
    return nereid_slots_address(lower, &indexed->slots, (uint32_t)r);
  const nereid_slots_t moved = nereid_slots_moved(lower, &indexed->slots, offset, indexed->adds);
  return nereid_slots_address(lower, &moved, (uint32_t)r);
}

/* --- loads and stores --- */

static bool lower_local_gather(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_indexed_t indexed;
  if (!nereid_indexed_slots(lower, op, nereid_ttg_local_gather_get_src(op), nereid_ttg_local_gather_get_indices(op),
                            nereid_ttg_local_gather_get_axis(op), false, &indexed))
    return false;
  MlirValue result = nereid_ttg_local_gather_get_result(op);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(result)));
  const uint32_t copies = nereid_lower_register_copies(lower, mlirValueGetType(result));
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r) {
    if ((uint32_t)r & copies) {
      lowered.values[r] = lowered.values[(uint32_t)r & ~copies];
      continue;
    }
    MlirValue at = nereid_indexed_address(lower, &indexed, r);
    MlirValue word = nereid_emit(lower, "llvm.load", indexed.slots.memory, 1, &at);
    lowered.values[r] = nereid_slots_from_memory(lower, indexed.slots.element, word);
  }
  nereid_lower_set(lower, result, lowered);
  return lowered.values != NULL;
}

/* Threads that hold the same element store the same value. */
static bool lower_local_scatter(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue values = nereid_ttg_local_scatter_get_values(op);
  nereid_indexed_t indexed;
  if (!nereid_indexed_slots(lower, op, nereid_ttg_local_scatter_get_dst(op), nereid_ttg_local_scatter_get_indices(op),
                            nereid_ttg_local_scatter_get_axis(op), true, &indexed))
    return false;
  const nereid_lowered_t lowered = nereid_lower_get(lower, values);
  const uint32_t copies = nereid_lower_register_copies(lower, mlirValueGetType(values));
  const intptr_t registers = nereid_lower_registers(lower, mlirValueGetType(values));
  for (intptr_t r = 0; r < registers; ++r) {
    if ((uint32_t)r & copies)
      continue;
    MlirValue value = lowered.values[lowered.count == 1 ? 0 : r];
    MlirValue operands[] = {nereid_slots_to_memory(lower, indexed.slots.memory, value),
                            nereid_indexed_address(lower, &indexed, r)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 0, NULL);
  }
  return true;
}

const nereid_lower_row_t nereid_lower_indexed_rows[] = {
    {NEREID_OP_TTG_LOCAL_GATHER, lower_local_gather, NULL},
    {NEREID_OP_TTG_LOCAL_SCATTER, lower_local_scatter, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
