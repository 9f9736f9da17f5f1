/* tt.scan: through the bits of the index from the lowest up, one step per run of bits that one input holds.
 *
 *   %y = "tt.scan"(%x) <{axis = 0}> ({ … arith.addf … })       2 registers a thread in a row, then lanes, then 4 warps
 *   ->
 *   x1 = x0 + x1                                               registers: one after the other
 *   t = x1; t += shfl.up(t, 1) where lane >= 1; … 16           lanes: what lies below, up to and with this thread
 *   e = shfl.up(t, 1); x0 = e + x0, x1 = t                     where lane >= 1
 *   st.shared [scratch + 4 * warp], x1 (of the last lane); barrier; ld.shared.v4
 *   p = sum of the warps below; x0 = p + x0, x1 = p + x1       warps
 *
 * A step knows the total of what lies below it and gives every element the total of its predecessors. In reverse each
 * input is counted from its last value down. The order of combination is that of the elements, so the region need not
 * commute; the left operand is what came first. */
#include "layout/scan.h"
#include "analysis/scratch.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/region.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "nereid/dialects/tt.h"

#include <assert.h>
#include <string.h>

typedef struct scan {
  nereid_lower_t *lower;
  MlirOperation op;
  MlirRegion region;
  bool pure, reverse;
  intptr_t width; /* values of a tuple: one per operand */
  const nereid_layout_t *layout;
  nereid_layout_scan_t plan;
  uint32_t registers; /* of a thread */
  uint32_t done[3];   /* bits of each input that earlier steps went through */
  bool in_last_lane;  /* only the last lane of those done has the totals right */
  MlirValue *values;  /* [registers][width]: combined with what lies below in the steps done */
  MlirValue *totals;  /* the same for registers without a done bit: the whole of the steps done */
  MlirValue *pair;    /* two tuples, the arguments of the region */
  MlirValue lane;     /* i32 */
} scan_t;

static MlirValue *at(const scan_t *scan, MlirValue *tuples, uint32_t r) {
  return tuples + (intptr_t)r * scan->width;
}

static size_t tuple_size(const scan_t *scan) {
  return (size_t)scan->width * sizeof(MlirValue);
}

static MlirValue *new_tuples(const scan_t *scan, size_t count) {
  return nereid_arena_new(scan->lower->arena, MlirValue, count * (size_t)scan->width);
}

/* out = region(before, value) */
static bool combine(scan_t *scan, const MlirValue *before, const MlirValue *value, MlirValue *out) {
  memcpy(scan->pair, before, tuple_size(scan));
  memcpy(scan->pair + scan->width, value, tuple_size(scan));
  return nereid_region_emit(scan->lower, scan->region, scan->pair, out);
}

/* value = condition ? region(before, value) : value, in blocks of its own: the region must not run elsewhere. */
static bool combine_in_branch(scan_t *scan, MlirValue condition, const MlirValue *before, MlirValue *value) {
  nereid_lower_t *lower = scan->lower;
  MlirBlock rest = nereid_lower_split_block(lower), skip = nereid_lower_split_block(lower);
  MlirBlock then = nereid_lower_split_block(lower);
  MlirValue *made = new_tuples(scan, 1);
  nereid_emit_cond_branch(lower, condition, then, skip);
  lower->builder.block = skip;
  nereid_emit_branch(lower, rest, scan->width, value);
  lower->builder.block = then;
  if (!made || !combine(scan, before, value, made))
    return false;
  nereid_emit_branch(lower, rest, scan->width, made);
  lower->builder.block = rest;
  for (intptr_t k = 0; k < scan->width; ++k)
    value[k] = mlirBlockAddArgument(rest, mlirValueGetType(made[k]), lower->builder.location);
  return true;
}

static bool combine_where(scan_t *scan, MlirValue condition, const MlirValue *before, MlirValue *value) {
  MlirValue *made = new_tuples(scan, 1);
  if (!scan->pure)
    return combine_in_branch(scan, condition, before, value);
  if (!made || !combine(scan, before, value, made))
    return false;
  for (intptr_t k = 0; k < scan->width; ++k)
    value[k] = nereid_emit_select(scan->lower, condition, made[k], value[k]);
  return true;
}

/* --- positions --- */

/* The input bits of position `i` within `segment`. */
static uint32_t place_of(const scan_t *scan, const nereid_layout_segment_t *segment, uint32_t i) {
  uint32_t place = 0;
  if (scan->reverse)
    i = ~i;
  for (int bit = 0; bit < segment->count; ++bit)
    place |= (i >> bit & 1) << segment->bits[bit];
  return place;
}

/* Whether `r` numbers one of the registers that are not done, and is no copy. */
static bool is_outer(const scan_t *scan, uint32_t r) {
  return !(r & (scan->done[NEREID_LAYOUT_REGISTER] | scan->plan.copies[NEREID_LAYOUT_REGISTER]));
}

/* Whether `r` belongs to outer register `outer`. */
static bool is_within(const scan_t *scan, uint32_t r, uint32_t outer) {
  return !(r & scan->plan.copies[NEREID_LAYOUT_REGISTER]) && (r & ~scan->done[NEREID_LAYOUT_REGISTER]) == outer;
}

/* The last of the registers done, in the order of the scan. */
static uint32_t last_register(const scan_t *scan) {
  return scan->reverse ? 0 : scan->done[NEREID_LAYOUT_REGISTER];
}

static MlirValue constant(const scan_t *scan, uint32_t value) {
  return nereid_emit_i32(scan->lower, (int32_t)value);
}

/* Everyone gets the totals of the last lane. */
static void spread_totals(scan_t *scan) {
  nereid_lower_t *lower = scan->lower;
  const uint32_t mask = scan->done[NEREID_LAYOUT_LANE];
  if (!scan->in_last_lane)
    return;
  MlirValue source = scan->reverse ? nereid_emit_and(lower, scan->lane, constant(scan, ~mask))
                                   : nereid_emit_or(lower, scan->lane, constant(scan, mask));
  for (uint32_t r = 0; r < scan->registers; ++r)
    for (intptr_t k = 0; k < scan->width && is_outer(scan, r); ++k)
      nereid_shuffle(lower, NEREID_SHUFFLE_INDEX, source, 1, at(scan, scan->totals, r) + k,
                     at(scan, scan->totals, r) + k);
  scan->in_last_lane = false;
}

/* --- registers --- */

/* Combines all registers of `outer` with `before`, the total of what lies below them. */
static bool add_before(scan_t *scan, uint32_t outer, MlirValue condition, const MlirValue *before) {
  for (uint32_t r = 0; r < scan->registers; ++r) {
    MlirValue *value = at(scan, scan->values, r);
    if (is_within(scan, r, outer) && !(mlirValueIsNull(condition) ? combine(scan, before, value, value)
                                                                  : combine_where(scan, condition, before, value)))
      return false;
  }
  return true;
}

static bool scan_registers(scan_t *scan, const nereid_layout_segment_t *segment) {
  const uint32_t size = UINT32_C(1) << segment->count;
  spread_totals(scan);
  MlirValue *carry = new_tuples(scan, 1);
  for (uint32_t outer = 0; carry && outer < scan->registers; ++outer) {
    if (!is_outer(scan, outer) || (outer & segment->mask))
      continue;
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t r = outer | place_of(scan, segment, i);
      const bool alone = !scan->done[0] && !scan->done[1] && !scan->done[2];
      if (i && !add_before(scan, r, (MlirValue){NULL}, carry))
        return false;
      const MlirValue *total = alone ? at(scan, scan->values, r) : at(scan, scan->totals, r);
      if (!i || alone)
        memcpy(carry, total, tuple_size(scan));
      else if (!combine(scan, carry, total, carry))
        return false;
    }
    memcpy(at(scan, scan->totals, outer), carry, tuple_size(scan));
  }
  scan->done[NEREID_LAYOUT_REGISTER] |= segment->mask;
  return carry != NULL;
}

/* --- lanes --- */

static bool is_run(const nereid_layout_segment_t *segment) {
  assert(segment->count > 0);
  return segment->bits[segment->count - 1] - segment->bits[0] == segment->count - 1;
}

/* The lane that holds what step `bit` combines with, or the distance to it, and the condition that there is one. */
typedef struct source {
  nereid_shuffle_t mode;
  MlirValue lane, condition;
} source_t;

/* Of a run of lane bits the lanes 2^bit below; else the last lane of the lower half of 2^(bit + 1). */
static source_t source_of(scan_t *scan, const nereid_layout_segment_t *segment, int bit) {
  nereid_lower_t *lower = scan->lower;
  const uint32_t own = UINT32_C(1) << segment->bits[bit], below = segment->mask & (own - 1);
  if (is_run(segment)) {
    MlirValue field = nereid_emit_and(lower, scan->lane, constant(scan, segment->mask));
    MlirValue bound = constant(scan, scan->reverse ? segment->mask - own : own);
    return (source_t){scan->reverse ? NEREID_SHUFFLE_DOWN : NEREID_SHUFFLE_UP, constant(scan, own),
                      nereid_emit_icmp(lower, scan->reverse ? 7 : 9, field, bound)}; /* ule, uge */
  }
  MlirValue is_set = nereid_emit_and(lower, scan->lane, constant(scan, own));
  MlirValue lane =
      scan->reverse
          ? nereid_emit_or(lower, nereid_emit_and(lower, scan->lane, constant(scan, ~below)), constant(scan, own))
          : nereid_emit_and(lower, nereid_emit_or(lower, scan->lane, constant(scan, below)), constant(scan, ~own));
  return (source_t){NEREID_SHUFFLE_INDEX, lane,
                    nereid_emit_icmp(lower, scan->reverse ? 0 : 1, is_set, constant(scan, 0))};
}

/* The lane before this one. Subtracting 1 from scattered bits borrows through the others when these are masked. */
static source_t previous_of(scan_t *scan, const nereid_layout_segment_t *segment) {
  nereid_lower_t *lower = scan->lower;
  MlirValue mask = constant(scan, segment->mask), field = nereid_emit_and(lower, scan->lane, mask);
  MlirValue first = constant(scan, scan->reverse ? segment->mask : 0);
  MlirValue condition = nereid_emit_icmp(lower, 1, field, first);
  if (is_run(segment))
    return (source_t){scan->reverse ? NEREID_SHUFFLE_DOWN : NEREID_SHUFFLE_UP,
                      constant(scan, UINT32_C(1) << segment->bits[0]), condition};
  if (scan->reverse)
    field = nereid_emit_xor(lower, field, mask);
  MlirValue before = nereid_emit_and(lower, nereid_emit_add(lower, field, constant(scan, UINT32_MAX)), mask);
  if (scan->reverse)
    before = nereid_emit_xor(lower, before, mask);
  MlirValue rest = nereid_emit_and(lower, scan->lane, constant(scan, ~segment->mask));
  return (source_t){NEREID_SHUFFLE_INDEX, nereid_emit_or(lower, rest, before), condition};
}

static void shuffle_tuple(scan_t *scan, const source_t *source, const MlirValue *tuple, MlirValue *out) {
  for (intptr_t k = 0; k < scan->width; ++k)
    nereid_shuffle(scan->lower, source->mode, source->lane, 1, tuple + k, out + k);
}

/* The totals become those up to and with the own lane; elements get those of the lane before. The last register's
 * element is that total itself, unless other lanes had a part in the total before. */
static bool scan_lanes(scan_t *scan, const nereid_layout_segment_t *segment) {
  const bool last_is_total = !scan->done[NEREID_LAYOUT_LANE] && !scan->done[NEREID_LAYOUT_WARP];
  source_t sources[NEREID_LAYOUT_MAX_BITS];
  spread_totals(scan);
  MlirValue *before = new_tuples(scan, 1);
  for (int bit = 0; bit < segment->count; ++bit)
    sources[bit] = source_of(scan, segment, bit);
  const source_t previous = previous_of(scan, segment);
  for (uint32_t outer = 0; before && outer < scan->registers; ++outer) {
    if (!is_outer(scan, outer))
      continue;
    MlirValue *total = at(scan, scan->totals, outer);
    for (int bit = 0; bit < segment->count; ++bit) {
      shuffle_tuple(scan, &sources[bit], total, before);
      if (!combine_where(scan, sources[bit].condition, before, total))
        return false;
    }
    if (last_is_total)
      memcpy(at(scan, scan->values, outer | last_register(scan)), total, tuple_size(scan));
    if (last_is_total && !scan->done[NEREID_LAYOUT_REGISTER])
      continue;
    shuffle_tuple(scan, &previous, total, before);
    for (uint32_t r = 0; r < scan->registers; ++r)
      if (is_within(scan, r, outer) && !(last_is_total && r == (outer | last_register(scan))) &&
          !combine_where(scan, previous.condition, before, at(scan, scan->values, r)))
        return false;
  }
  scan->done[NEREID_LAYOUT_LANE] |= segment->mask;
  scan->in_last_lane = true;
  return before != NULL;
}

/* --- warps --- */

/* i1: this thread stores the totals: the last lane of the lanes done, and the first of copies. Null: all do. */
static MlirValue stores(scan_t *scan) {
  nereid_lower_t *lower = scan->lower;
  const int lanes = scan->layout->in_bits[NEREID_LAYOUT_LANE];
  const uint32_t done = scan->done[NEREID_LAYOUT_LANE] | scan->done[NEREID_LAYOUT_WARP] << lanes;
  const uint32_t copies = scan->plan.copies[NEREID_LAYOUT_LANE] | scan->plan.copies[NEREID_LAYOUT_WARP] << lanes;
  if (!done && !copies)
    return (MlirValue){NULL};
  MlirValue bits = nereid_emit_and(lower, lower->thread_id, constant(scan, done | copies));
  return nereid_emit_icmp(lower, 0, bits, constant(scan, scan->reverse ? 0 : done));
}

static void gather_outer(const scan_t *scan, MlirValue *tuples, intptr_t k, MlirValue *out) {
  for (uint32_t r = 0; r < scan->registers; ++r)
    if (is_outer(scan, r))
      *out++ = at(scan, tuples, r)[k];
}

/* Stores the totals and reads those of all warps: [outer register][warp in the order of the index][width]. */
static MlirValue *exchange_totals(scan_t *scan, const nereid_layout_segment_t *segment) {
  nereid_lower_t *lower = scan->lower;
  nereid_layout_t write, read;
  const int64_t slots = nereid_layout_scan_exchange(
      scan->layout, &scan->plan, segment,
      scan->done[NEREID_LAYOUT_REGISTER] | scan->plan.copies[NEREID_LAYOUT_REGISTER], &write, &read);
  const size_t count = (size_t)nereid_layout_registers(&read);
  MlirValue scratch = nereid_slots_scratch(lower, scan->op), condition = stores(scan);
  MlirValue *one = nereid_arena_new(lower->arena, MlirValue, count), *all = new_tuples(scan, count);
  MlirBlock rest = {NULL};
  if (!one || !all || mlirValueIsNull(scratch))
    return NULL;
  if (scan->done[NEREID_LAYOUT_WARP]) /* what an earlier step stored there may still be read */
    nereid_emit_barrier(lower);
  if (!mlirValueIsNull(condition))
    rest = nereid_lower_begin_if(lower, condition);
  int64_t offset = 0;
  for (intptr_t k = 0; k < scan->width; ++k) {
    nereid_slots_t to =
        nereid_slots_make(lower, &write, mlirValueGetType(scan->totals[k]), nereid_emit_offset(lower, scratch, offset));
    gather_outer(scan, scan->totals, k, one);
    nereid_slots_store(lower, &to, one);
    offset += nereid_scratch_align(slots * to.bytes);
  }
  if (!mlirBlockIsNull(rest))
    nereid_lower_end_if(lower, rest);
  nereid_emit_barrier(lower);
  offset = 0;
  for (intptr_t k = 0; k < scan->width; ++k) {
    nereid_slots_t from =
        nereid_slots_make(lower, &read, mlirValueGetType(scan->totals[k]), nereid_emit_offset(lower, scratch, offset));
    nereid_slots_load(lower, &from, one);
    for (size_t i = 0; i < count; ++i)
      at(scan, all, (uint32_t)i)[k] = one[i];
    offset += nereid_scratch_align(slots * from.bytes);
  }
  return all;
}

/* From the totals of all warps: the total of those before this one into `before`, and of all into `total`. */
static bool sum_warps(scan_t *scan, const nereid_layout_segment_t *segment, MlirValue *of_warps, MlirValue *before,
                      MlirValue *total) {
  nereid_lower_t *lower = scan->lower;
  const int lanes = scan->layout->in_bits[NEREID_LAYOUT_LANE];
  const uint32_t size = UINT32_C(1) << segment->count, turn = scan->reverse ? size - 1 : 0;
  MlirValue own = nereid_emit_and(lower, lower->thread_id, constant(scan, segment->mask << lanes));
  memcpy(total, at(scan, of_warps, turn), tuple_size(scan));
  for (uint32_t i = 1; i < size; ++i) {
    MlirValue here = nereid_emit_icmp(lower, 0, own, constant(scan, place_of(scan, segment, i) << lanes));
    for (intptr_t k = 0; k < scan->width; ++k)
      before[k] = i == 1 ? total[k] : nereid_emit_select(lower, here, total[k], before[k]);
    if (!combine(scan, total, at(scan, of_warps, i ^ turn), total))
      return false;
  }
  return true;
}

static bool scan_warps(scan_t *scan, const nereid_layout_segment_t *segment) {
  nereid_lower_t *lower = scan->lower;
  const int lanes = scan->layout->in_bits[NEREID_LAYOUT_LANE];
  MlirValue *of_warps = exchange_totals(scan, segment), *before = new_tuples(scan, 1);
  if (!of_warps || !before)
    return false;
  MlirValue own = nereid_emit_and(lower, lower->thread_id, constant(scan, segment->mask << lanes));
  MlirValue first = constant(scan, place_of(scan, segment, 0) << lanes);
  MlirValue condition = nereid_emit_icmp(lower, 1, own, first);
  for (uint32_t outer = 0, i = 0; outer < scan->registers; ++outer) {
    if (!is_outer(scan, outer))
      continue;
    MlirValue *here = at(scan, of_warps, i++ << segment->count);
    if (!sum_warps(scan, segment, here, before, at(scan, scan->totals, outer)) ||
        !add_before(scan, outer, condition, before))
      return false;
  }
  scan->done[NEREID_LAYOUT_WARP] |= segment->mask;
  scan->in_last_lane = false;
  return true;
}

/* --- the op --- */

static bool load_operands(scan_t *scan) {
  scan->registers = (uint32_t)nereid_layout_registers(scan->layout);
  scan->values = new_tuples(scan, scan->registers);
  scan->totals = new_tuples(scan, scan->registers);
  scan->pair = new_tuples(scan, 2);
  if (!scan->values || !scan->totals || !scan->pair)
    return false;
  for (intptr_t k = 0; k < scan->width; ++k) {
    nereid_lowered_t operand = nereid_lower_operand(scan->lower, scan->op, k);
    for (uint32_t r = 0; r < scan->registers; ++r)
      at(scan, scan->values, r)[k] = at(scan, scan->totals, r)[k] = operand.values[r];
  }
  scan->lane = nereid_emit_and(scan->lower, scan->lower->thread_id, constant(scan, 31));
  return true;
}

static void set_results(scan_t *scan) {
  for (intptr_t k = 0; k < scan->width; ++k) {
    nereid_lowered_t lowered = nereid_lower_array(scan->lower, scan->registers);
    for (uint32_t r = 0; lowered.values && r < scan->registers; ++r)
      lowered.values[r] = at(scan, scan->values, r & ~scan->plan.copies[NEREID_LAYOUT_REGISTER])[k];
    nereid_lower_set(scan->lower, mlirOperationGetResult(scan->op, k), lowered);
  }
}

static bool lower_scan(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  static bool (*const steps[])(scan_t *, const nereid_layout_segment_t *) = {scan_registers, scan_lanes, scan_warps};
  (void)row;
  scan_t scan = {.lower = lower,
                 .op = op,
                 .region = mlirOperationGetRegion(op, 0),
                 .pure = nereid_region_is_pure(mlirOperationGetRegion(op, 0)),
                 .reverse = nereid_tt_scan_get_reverse(op),
                 .width = mlirOperationGetNumOperands(op),
                 .layout = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)))};
  if (!scan.layout)
    return false;
  switch (nereid_layout_scan(scan.layout, nereid_tt_scan_get_axis(op), &scan.plan)) {
  case NEREID_LAYOUT_SCANNABLE:
    break;
  case NEREID_LAYOUT_SCAN_IRREGULAR:
    return nereid_lower_error(op, "has a layout that holds copies of elements in other threads or registers of its "
                                  "dimension; convert the layout of its operand first");
  case NEREID_LAYOUT_SCAN_BLOCKS:
    return nereid_lower_error(op, "goes through elements of several CTAs of a cluster, which is not supported");
  }
  if (!load_operands(&scan))
    return false;
  for (int i = 0; i < scan.plan.count; ++i)
    if (!steps[scan.plan.segments[i].in](&scan, &scan.plan.segments[i]))
      return false;
  set_results(&scan);
  return true;
}

const nereid_lower_row_t nereid_lower_scan_rows[] = {
    {NEREID_OP_TT_SCAN, lower_scan, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
