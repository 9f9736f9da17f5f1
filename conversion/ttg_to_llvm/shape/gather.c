/* Lowers tt.gather to shuffles or to loads from shared memory.
 *
 *   %y = tt.gather %x[%i] {axis = 0}                   32 elements, one per lane
 *   ->
 *   y0 = shfl.idx(x0, i0)
 *
 * If the reading warp holds the whole line of an element along the axis, the index determines lane and register: one
 * shuffle per register of the line, and selects. Otherwise, and for lines of many registers, all elements go to shared
 * memory in row-major order and are read at the index. Each CTA of a cluster must hold the lines that it reads. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "analysis/allocation/scratch.h"
#include "layout/gather.h"

#include "nereid/dialects/tt.h"

typedef struct gather {
  nereid_lower_t *lower;
  MlirOperation op;
  int axis;
  const nereid_layout_t *from, *to; /* layouts of the source and of the indices */
  MlirType element;                 /* LLVM type */
  nereid_lowered_t source, indices, result;
} gather_t;

/* The index of register `r` as an i32; narrow indices are unsigned, as in Triton. */
static MlirValue index_at(gather_t *gather, intptr_t r) {
  MlirValue index = gather->indices.values[r];
  const unsigned width = mlirIntegerTypeGetWidth(mlirValueGetType(index));
  if (width == 32)
    return index;
  return nereid_emit_cast(gather->lower, width > 32 ? "llvm.trunc" : "llvm.zext", gather->lower->types->i32, index);
}

/* --- within the warp --- */

/* The lane bits of index `value`: runs of bits with the same shift are shifted together. */
static MlirValue lane_of_index(gather_t *gather, const nereid_layout_gather_t *plan, MlirValue value) {
  nereid_lower_t *lower = gather->lower;
  MlirValue lane = {NULL};
  for (int bit = 0; bit < plan->bits;) {
    const int shift = plan->places[bit] - bit;
    int end = bit + 1;
    while (end < plan->bits && plan->in_lane[end] == plan->in_lane[bit] && plan->places[end] - end == shift)
      ++end;
    const uint32_t mask = (uint32_t)(((UINT64_C(1) << (end - bit)) - 1) << bit);
    if (plan->in_lane[bit]) {
      MlirValue part = nereid_emit_and(lower, value, nereid_emit_i32(lower, (int32_t)mask));
      if (shift)
        part = shift > 0 ? nereid_emit_shl(lower, part, nereid_emit_i32(lower, shift))
                         : nereid_emit_lshr(lower, part, nereid_emit_i32(lower, -shift));
      lane = mlirValueIsNull(lane) ? part : nereid_emit_or_disjoint(lower, lane, part);
    }
    bit = end;
  }
  return lane;
}

/* Halves the candidates by each bit of the index that a register holds. */
static MlirValue select_register(gather_t *gather, const nereid_layout_gather_t *plan, MlirValue index,
                                 MlirValue *candidates) {
  nereid_lower_t *lower = gather->lower;
  int count = 1 << plan->registers;
  for (int bit = NEREID_LAYOUT_MAX_BITS - 1; bit >= 0; --bit) {
    if (bit >= plan->bits || plan->in_lane[bit])
      continue;
    count /= 2;
    MlirValue one = nereid_emit_and(lower, index, nereid_emit_i32(lower, (int32_t)(UINT32_C(1) << bit)));
    MlirValue is_set = nereid_emit_icmp(lower, NEREID_ICMP_NE, one, nereid_emit_i32(lower, 0));
    for (int i = 0; i < count; ++i)
      candidates[i] = nereid_emit_select(lower, is_set, candidates[i + count], candidates[i]);
  }
  return candidates[0];
}

static void gather_in_warp(gather_t *gather, const nereid_layout_gather_t *plan) {
  nereid_lower_t *lower = gather->lower;
  MlirValue thread =
      nereid_lower_add_cta_coordinate(lower, &plan->lane, 0, nereid_lower_thread_coordinate(lower, &plan->lane, 0));
  for (intptr_t r = 0; r < gather->result.count; ++r) {
    MlirValue index = index_at(gather, r), candidates[1 << NEREID_LAYOUT_GATHER_REGISTERS] = {{NULL}};
    MlirValue lane = lane_of_index(gather, plan, index);
    const uint32_t of_register = nereid_layout_apply(&plan->lane, (uint32_t)r, 0, 0, 0);
    MlirValue own = of_register ? nereid_emit_xor(lower, thread, nereid_emit_i32(lower, (int32_t)of_register)) : thread;
    lane = mlirValueIsNull(lane) ? own : nereid_emit_or_disjoint(lower, own, lane);
    for (uint32_t i = 0; i < UINT32_C(1) << plan->registers; ++i)
      candidates[i] = gather->source.values[nereid_layout_gather_register(plan, (uint32_t)r, i)];
    nereid_shuffle(lower, NEREID_SHUFFLE_INDEX, lane, (intptr_t)1 << plan->registers, candidates, candidates);
    gather->result.values[r] = select_register(gather, plan, index, candidates);
  }
}

/* --- through shared memory --- */

/* The part of the CTA in the row-major order of the source, which is not in its slots; null: 0 in all CTAs. */
static MlirValue part_of_cta(gather_t *gather, const nereid_layout_t *row_major) {
  nereid_lower_t *lower = gather->lower;
  return nereid_layout_span(row_major, NEREID_LAYOUT_BLOCK)
             ? nereid_lower_add_cta_coordinate(lower, row_major, 0, nereid_emit_i32(lower, 0))
             : (MlirValue){NULL};
}

/* The slot of the element that register `r` reads, in elements. */
static MlirValue slot_of(gather_t *gather, const nereid_coordinates_t *coordinates, intptr_t r) {
  nereid_lower_t *lower = gather->lower;
  MlirValue slot = {NULL};
  for (int d = 0; d < gather->from->rank; ++d) {
    if (!gather->from->out_bits[d])
      continue;
    MlirValue part = d == gather->axis ? index_at(gather, r) : nereid_lower_coordinate(lower, coordinates, r, d);
    const int shift = nereid_layout_out_shift(gather->from, d);
    if (shift)
      part = nereid_emit_shl(lower, part, nereid_emit_i32(lower, shift));
    slot = mlirValueIsNull(slot) ? part : nereid_emit_add(lower, slot, part);
  }
  return mlirValueIsNull(slot) ? nereid_emit_i32(lower, 0) : slot;
}

static bool gather_through_shared(gather_t *gather) {
  nereid_lower_t *lower = gather->lower;
  const nereid_coordinates_t *coordinates =
      nereid_lower_coordinates(lower, mlirValueGetType(nereid_tt_gather_get_indices(gather->op)));
  nereid_layout_t row_major = *gather->from;
  MlirValue scratch = nereid_slots_scratch(lower, gather->op);
  if (!coordinates || mlirValueIsNull(scratch))
    return false;
  nereid_layout_reshape(&row_major, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(gather->from)});
  const nereid_slots_t slots = nereid_slots_make(lower, &row_major, gather->element, scratch);
  nereid_slots_store(lower, &slots, gather->source.values);
  nereid_emit_barrier(lower);
  MlirValue part = part_of_cta(gather, &row_major);
  for (intptr_t r = 0; r < gather->result.count; ++r) {
    MlirValue slot = slot_of(gather, coordinates, r);
    if (!mlirValueIsNull(part))
      slot = nereid_emit_xor(lower, slot, part);
    MlirValue at = nereid_emit_gep(lower, scratch, slots.memory, slot);
    MlirValue word = nereid_emit(lower, "llvm.load", slots.memory, 1, &at);
    gather->result.values[r] = nereid_slots_from_memory(lower, gather->element, word);
  }
  return true;
}

/* Replaces the images of `in` by those of `to` at index 0, moved to the CTA that reads them. */
static void read_from(const gather_t *gather, int in, nereid_layout_t *out) {
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
  out->in_bits[in] = gather->to->in_bits[in];
  for (int bit = 0; bit < out->in_bits[in]; ++bit) {
    nereid_layout_coordinates(gather->to, gather->to->bases[in][bit], coordinates);
    coordinates[gather->axis] = 0;
    out->bases[in][bit] = nereid_layout_pack(gather->from, coordinates);
    if (in == NEREID_LAYOUT_BLOCK)
      out->bases[in][bit] ^= gather->from->bases[in][bit];
  }
}

/* Whether each CTA holds the whole lines of its indices. */
static bool reads_own_cta(const gather_t *gather) {
  nereid_layout_t own = *gather->from, lines = own, axis = own, where;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in) {
    read_from(gather, in, &lines);
    axis.in_bits[in] = 0;
  }
  for (int bit = 0; bit < own.out_bits[gather->axis]; ++bit)
    axis.bases[NEREID_LAYOUT_REGISTER][axis.in_bits[NEREID_LAYOUT_REGISTER]++] =
        UINT32_C(1) << (nereid_layout_out_shift(&own, gather->axis) + bit);
  nereid_layout_drop_blocks(&own);
  return nereid_layout_solve(&lines, &own, &where) && nereid_layout_solve(&axis, &own, &where);
}

static bool lower_gather(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue source = nereid_tt_gather_get_src(op), indices = nereid_tt_gather_get_indices(op);
  MlirValue result = nereid_tt_gather_get_result(op);
  gather_t gather = {.lower = lower,
                     .op = op,
                     .axis = nereid_tt_gather_get_axis(op),
                     .from = nereid_lower_layout(lower, mlirValueGetType(source)),
                     .to = nereid_lower_layout(lower, mlirValueGetType(indices)),
                     .element = nereid_lower_type(lower, mlirValueGetType(result)),
                     .source = nereid_lower_get(lower, source),
                     .indices = nereid_lower_get(lower, indices)};
  nereid_layout_gather_t plan;
  if (!gather.from || !gather.to)
    return false;
  if (gather.from->in_bits[NEREID_LAYOUT_BLOCK] && !reads_own_cta(&gather))
    return nereid_lower_error(op, "reads elements of several CTAs of a cluster, which is not supported");
  gather.result = nereid_lower_array(lower, gather.indices.count);
  if (!gather.result.values)
    return false;
  if (nereid_layout_gather(gather.from, gather.to, gather.axis, &plan))
    gather_in_warp(&gather, &plan);
  else if (!gather_through_shared(&gather))
    return false;
  nereid_lower_set(lower, result, gather.result);
  return true;
}

const nereid_lower_row_t nereid_lower_gather_rows[] = {
    {NEREID_OP_TT_GATHER, lower_gather, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
