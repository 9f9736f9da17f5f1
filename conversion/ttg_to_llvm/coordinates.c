/* Coordinates of a thread's elements; see coordinates.h. */
#include "conversion/ttg_to_llvm/coordinates.h"

#include "conversion/ttg_to_llvm/emit.h"

/* Bit `bit` of the thread id: lanes, then warps. The block (CTA of a cluster) is not a thread. */
static uint32_t thread_basis(const nereid_layout_t *layout, int bit) {
  const int lanes = layout->in_bits[NEREID_LAYOUT_LANE];
  return bit < lanes ? layout->bases[NEREID_LAYOUT_LANE][bit] : layout->bases[NEREID_LAYOUT_WARP][bit - lanes];
}

/* (id & mask) moved left by `shift` bits. */
static MlirValue emit_field(nereid_lower_t *lower, MlirValue id, uint32_t mask, int shift) {
  MlirValue field = nereid_emit_and(lower, id, nereid_emit_i32(lower, (int32_t)mask));
  if (shift > 0)
    return nereid_emit_shl(lower, field, nereid_emit_i32(lower, shift));
  return shift < 0 ? nereid_emit_lshr(lower, field, nereid_emit_i32(lower, -shift)) : field;
}

static MlirValue combine(nereid_lower_t *lower, MlirValue sum, MlirValue part) {
  return mlirValueIsNull(sum) ? part : nereid_emit_xor(lower, sum, part);
}

static uint32_t basis_in(const nereid_layout_t *layout, uint32_t basis, int d) {
  return (basis & nereid_layout_out_mask(layout, d)) >> nereid_layout_out_shift(layout, d);
}

/* Whether the image of id bit `bit` in dimension `d` is a single bit, and its shift. */
static bool single_bit(const nereid_layout_t *layout, int bit, int d, int *out_shift) {
  uint32_t basis = basis_in(layout, thread_basis(layout, bit), d);
  if (!basis || (basis & (basis - 1)))
    return false;
  *out_shift = __builtin_ctz(basis) - bit;
  return true;
}

/* The thread's part of the coordinate in dimension `d`: runs of id bits with the same shift become one field. */
MlirValue nereid_lower_thread_coordinate(nereid_lower_t *lower, const nereid_layout_t *layout, int d) {
  const int bits = layout->in_bits[NEREID_LAYOUT_LANE] + layout->in_bits[NEREID_LAYOUT_WARP];
  MlirValue sum = {NULL};
  for (int bit = 0; bit < bits;) {
    int shift = 0, next_shift = 0, end = bit + 1;
    if (single_bit(layout, bit, d, &shift)) {
      while (end < bits && single_bit(layout, end, d, &next_shift) && next_shift == shift)
        ++end;
      const uint32_t mask = (uint32_t)(((UINT64_C(1) << (end - bit)) - 1) << bit);
      sum = combine(lower, sum, emit_field(lower, lower->group->thread_id, mask, shift));
    } else if (basis_in(layout, thread_basis(layout, bit), d)) {
      /* An id bit with several bits in its image: all ones or zero, masked by the basis. */
      MlirValue one =
          emit_field(lower, nereid_emit_lshr(lower, lower->group->thread_id, nereid_emit_i32(lower, bit)), 1, 0);
      MlirValue basis = nereid_emit_i32(lower, (int32_t)basis_in(layout, thread_basis(layout, bit), d));
      sum = combine(lower, sum, nereid_emit_mul(lower, one, basis));
    }
    bit = end;
  }
  return mlirValueIsNull(sum) ? nereid_emit_i32(lower, 0) : sum;
}

MlirValue nereid_lower_add_cta_coordinate(nereid_lower_t *lower, const nereid_layout_t *layout, int d, MlirValue sum) {
  MlirValue rank = {NULL};
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_BLOCK]; ++bit) {
    uint32_t basis = basis_in(layout, layout->bases[NEREID_LAYOUT_BLOCK][bit], d);
    if (!basis)
      continue;
    if (mlirValueIsNull(rank))
      rank = nereid_emit_cta_rank(lower);
    MlirValue one = emit_field(lower, nereid_emit_lshr(lower, rank, nereid_emit_i32(lower, bit)), 1, 0);
    sum = combine(lower, sum, nereid_emit_mul(lower, one, nereid_emit_i32(lower, (int32_t)basis)));
  }
  return sum;
}

static void fill_offsets(const nereid_layout_t *layout, int32_t *offsets) {
  const int32_t registers = nereid_layout_registers(layout);
  for (int32_t r = 0; r < registers; ++r)
    nereid_layout_coordinates(layout, nereid_layout_apply(layout, (uint32_t)r, 0, 0, 0),
                              offsets + (ptrdiff_t)r * layout->rank);
}

const nereid_coordinates_t *nereid_lower_coordinates(nereid_lower_t *lower, MlirType tensor) {
  uintptr_t *found = nereid_map_find(&lower->group->coordinates, tensor.ptr);
  if (found)
    return (const nereid_coordinates_t *)*found;
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  nereid_coordinates_t *made = nereid_arena_new(lower->arena, nereid_coordinates_t, 1);
  if (!layout || !made)
    return NULL;
  made->rank = layout->rank;
  made->registers = nereid_layout_registers(layout);
  int32_t *offsets = nereid_arena_new(lower->arena, int32_t, (size_t)(made->registers * made->rank));
  if (!offsets)
    return NULL;
  fill_offsets(layout, offsets);
  made->offsets = offsets;
  const uint32_t in_registers = nereid_layout_span(layout, NEREID_LAYOUT_REGISTER);
  const uint32_t in_threads = nereid_layout_span(layout, NEREID_LAYOUT_LANE) |
                              nereid_layout_span(layout, NEREID_LAYOUT_WARP) |
                              nereid_layout_span(layout, NEREID_LAYOUT_BLOCK);
  nereid_lower_t prologue = nereid_lower_in_prologue(lower);
  for (int d = 0; d < made->rank; ++d) {
    made->disjoint[d] = !(in_registers & in_threads & nereid_layout_out_mask(layout, d));
    made->base[d] =
        nereid_lower_add_cta_coordinate(&prologue, layout, d, nereid_lower_thread_coordinate(&prologue, layout, d));
  }
  uintptr_t *place = nereid_map_insert(&lower->group->coordinates, tensor.ptr);
  if (place)
    *place = (uintptr_t)made;
  return made;
}

MlirValue nereid_lower_coordinate(nereid_lower_t *lower, const nereid_coordinates_t *coordinates, intptr_t r,
                                  intptr_t d) {
  const int32_t offset = coordinates->offsets[r * coordinates->rank + d];
  if (!offset)
    return coordinates->base[d];
  MlirValue constant = nereid_emit_i32(lower, offset);
  return coordinates->disjoint[d] ? nereid_emit_or_disjoint(lower, coordinates->base[d], constant)
                                  : nereid_emit_xor(lower, coordinates->base[d], constant);
}

MlirValue nereid_lower_unique_thread_of_cta(nereid_lower_t *lower, MlirType tensor) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  if (!layout)
    return (MlirValue){NULL};
  uint32_t masks[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(layout, masks);
  const uint32_t threads =
      masks[NEREID_LAYOUT_LANE] | (masks[NEREID_LAYOUT_WARP] << layout->in_bits[NEREID_LAYOUT_LANE]);
  if (!threads)
    return (MlirValue){NULL};
  MlirValue zero = nereid_emit_i32(lower, 0);
  MlirValue copies = nereid_emit_and(lower, lower->group->thread_id, nereid_emit_i32(lower, (int32_t)threads));
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, copies, zero);
}

MlirValue nereid_lower_unique_thread(nereid_lower_t *lower, MlirType tensor) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  uint32_t masks[NEREID_LAYOUT_DIMS] = {0};
  MlirValue unique = nereid_lower_unique_thread_of_cta(lower, tensor);
  if (layout)
    nereid_layout_free_masks(layout, masks);
  if (!masks[NEREID_LAYOUT_BLOCK])
    return unique;
  MlirValue rank = nereid_emit_cta_rank(lower);
  MlirValue copies = nereid_emit_and(lower, rank, nereid_emit_i32(lower, (int32_t)masks[NEREID_LAYOUT_BLOCK]));
  MlirValue first = nereid_emit_icmp(lower, NEREID_ICMP_EQ, copies, nereid_emit_i32(lower, 0));
  return mlirValueIsNull(unique) ? first : nereid_emit_and(lower, unique, first);
}

MlirValue nereid_lower_storing_thread(nereid_lower_t *lower, MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    return nereid_lower_unique_thread(lower, type);
  MlirValue id = lower->group->thread_id;
  if (lower->group->grid.num_ctas > 1) {
    MlirValue rank = nereid_emit_cta_rank(lower);
    id = nereid_emit_or(lower, id, rank);
  }
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, id, nereid_emit_i32(lower, 0));
}
