/* Scans through the lanes of a warp; see scan.h.
 *
 *   t += shfl.up(t, 1) where lane >= 1; … 2; … 4; … 8; … 16         lanes 0 .. 31 hold adjacent elements
 *
 * Lane bits that hold an index need not be adjacent: then each step reads from the last lane of the lower half.
 *
 * A step combines in every lane but advances only half of them. With several scans (rows, or chunks of one) and
 * expensive combinations, they are transposed first: the lowest two bits of the lane are exchanged with two bits of
 * the tuple index, so that a thread has four adjacent elements, scans them in order, and three steps of lanes remain:
 *
 *   a, b of lanes 0, 1, 2 …: a0 b0 | a1 b1 | a2 b2 | a3 b3   ->   a0 a1 | b0 b1 | a2 a3 | b2 b3   and back afterwards
 */
#include "conversion/ttg_to_llvm/reduction/scan_lanes.h"
#include "conversion/ttg_to_llvm/emit.h"

#include "conversion/ttg_to_llvm/region.h"

#include <assert.h>
#include <string.h>

static MlirValue constant(const nereid_scan_t *scan, uint32_t value) {
  return nereid_emit_i32(scan->lower, (int32_t)value);
}

void nereid_scan_shuffle(nereid_scan_t *scan, const nereid_scan_source_t *source, intptr_t count, MlirValue *tuples,
                         MlirValue *out) {
  MlirValue *column = nereid_arena_new(scan->lower->arena, MlirValue, (size_t)count);
  for (intptr_t k = 0; column && k < scan->width; ++k) {
    for (intptr_t i = 0; i < count; ++i)
      column[i] = nereid_scan_at(scan, tuples, i)[k];
    nereid_shuffle(scan->lower, source->mode, source->lane, count, column, column);
    for (intptr_t i = 0; i < count; ++i)
      nereid_scan_at(scan, out, i)[k] = column[i];
  }
}

static bool is_run(const nereid_layout_segment_t *segment) {
  assert(segment->count > 0);
  return segment->bits[segment->count - 1] - segment->bits[0] == segment->count - 1;
}

/* The source lane of step `bit`: 2^bit below for contiguous lane bits; else the last lane of the lower half of 2^(bit +
 * 1). */
static nereid_scan_source_t source_of(nereid_scan_t *scan, const nereid_layout_segment_t *segment, int bit) {
  nereid_lower_t *lower = scan->lower;
  const uint32_t own = UINT32_C(1) << segment->bits[bit], below = segment->mask & (own - 1);
  if (is_run(segment)) {
    MlirValue field = nereid_emit_and(lower, scan->lane, constant(scan, segment->mask));
    MlirValue bound = constant(scan, scan->reverse ? segment->mask - own : own);
    return (nereid_scan_source_t){
        scan->reverse ? NEREID_SHUFFLE_DOWN : NEREID_SHUFFLE_UP, constant(scan, own),
        nereid_emit_icmp(lower, scan->reverse ? NEREID_ICMP_ULE : NEREID_ICMP_UGE, field, bound)};
  }
  MlirValue is_set = nereid_emit_and(lower, scan->lane, constant(scan, own));
  MlirValue lane =
      scan->reverse
          ? nereid_emit_or(lower, nereid_emit_and(lower, scan->lane, constant(scan, ~below)), constant(scan, own))
          : nereid_emit_and(lower, nereid_emit_or(lower, scan->lane, constant(scan, below)), constant(scan, ~own));
  return (nereid_scan_source_t){
      NEREID_SHUFFLE_INDEX, lane,
      nereid_emit_icmp(lower, scan->reverse ? NEREID_ICMP_EQ : NEREID_ICMP_NE, is_set, constant(scan, 0))};
}

/* Subtracting 1 from scattered bits borrows through the others when these are masked. */
nereid_scan_source_t nereid_scan_previous_lane(nereid_scan_t *scan, const nereid_layout_segment_t *segment) {
  nereid_lower_t *lower = scan->lower;
  MlirValue mask = constant(scan, segment->mask), field = nereid_emit_and(lower, scan->lane, mask);
  MlirValue first = constant(scan, scan->reverse ? segment->mask : 0);
  MlirValue condition = nereid_emit_icmp(lower, NEREID_ICMP_NE, field, first);
  if (is_run(segment))
    return (nereid_scan_source_t){scan->reverse ? NEREID_SHUFFLE_DOWN : NEREID_SHUFFLE_UP,
                                  constant(scan, UINT32_C(1) << segment->bits[0]), condition};
  if (scan->reverse)
    field = nereid_emit_xor(lower, field, mask);
  MlirValue before = nereid_emit_and(lower, nereid_emit_add(lower, field, constant(scan, UINT32_MAX)), mask);
  if (scan->reverse)
    before = nereid_emit_xor(lower, before, mask);
  MlirValue rest = nereid_emit_and(lower, scan->lane, constant(scan, ~segment->mask));
  return (nereid_scan_source_t){NEREID_SHUFFLE_INDEX, nereid_emit_or(lower, rest, before), condition};
}

/* One step for each bit of the index. */
static bool scan_in_steps(nereid_scan_t *scan, const nereid_layout_segment_t *segment, intptr_t count,
                          MlirValue *tuples) {
  MlirValue *before = nereid_scan_new(scan, (size_t)count);
  for (int bit = 0; before && bit < segment->count; ++bit) {
    const nereid_scan_source_t source = source_of(scan, segment, bit);
    nereid_scan_shuffle(scan, &source, count, tuples, before);
    for (intptr_t i = 0; i < count; ++i)
      if (!nereid_scan_combine_where(scan, source.condition, nereid_scan_at(scan, before, i),
                                     nereid_scan_at(scan, tuples, i)))
        return false;
  }
  return before != NULL;
}

/* --- several scans at once --- */

/* The number of instructions to exchange `exchanged` bits of the lane with bits of the tuple index and back. */
static int64_t cost_of(const nereid_scan_t *scan, const nereid_layout_segment_t *segment, intptr_t count,
                       int exchanged) {
  const int64_t words = nereid_scan_words(scan), size = nereid_region_size(scan->region), groups = count >> exchanged;
  const int64_t exchanges = exchanged * count * words * 4; /* for two tuples a shuffle and three selects, twice */
  const int64_t steps = groups * (segment->count - exchanged) * (size + words);
  return exchanges + steps + (exchanged ? 2 * (count - groups) * size + groups * words : 0);
}

/* Each transposed bit lengthens the path from the first lane to the last, so it must save a substantial part. */
static int bits_to_exchange(const nereid_scan_t *scan, const nereid_layout_segment_t *segment, intptr_t count) {
  enum { MAX_EXCHANGED = 2 };
  int64_t least = cost_of(scan, segment, count, 0) * 3 / 4;
  int best = 0;
  for (int exchanged = 1; exchanged <= MAX_EXCHANGED && exchanged < segment->count && !(count & ((1 << exchanged) - 1));
       ++exchanged) {
    const int64_t cost = cost_of(scan, segment, count, exchanged);
    if (cost >= least)
      continue;
    least = cost;
    best = exchanged;
  }
  return best;
}

/* Exchanges bit `at` of the tuple index with bit `lane` of the lane. */
static bool exchange_bits(nereid_scan_t *scan, int at, int lane, intptr_t count, MlirValue *tuples) {
  nereid_lower_t *lower = scan->lower;
  const uint32_t own = UINT32_C(1) << lane;
  const intptr_t bit = (intptr_t)1 << at;
  const nereid_scan_source_t partner = {.mode = NEREID_SHUFFLE_XOR, .lane = constant(scan, own)};
  MlirValue is_set = nereid_emit_icmp(lower, NEREID_ICMP_NE, nereid_emit_and(lower, scan->lane, constant(scan, own)),
                                      constant(scan, 0));
  MlirValue *sent = nereid_scan_new(scan, (size_t)count / 2);
  intptr_t n = 0;
  for (intptr_t i = 0; sent && i < count; ++i)
    if (!(i & bit))
      nereid_scan_select(scan, is_set, nereid_scan_at(scan, tuples, i), nereid_scan_at(scan, tuples, i | bit),
                         nereid_scan_at(scan, sent, n++));
  if (!sent)
    return false;
  nereid_scan_shuffle(scan, &partner, n, sent, sent);
  n = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue *low = nereid_scan_at(scan, tuples, i), *high = nereid_scan_at(scan, tuples, i | bit);
    if (i & bit)
      continue;
    MlirValue *got = nereid_scan_at(scan, sent, n++);
    nereid_scan_select(scan, is_set, got, low, low);
    nereid_scan_select(scan, is_set, high, got, high);
  }
  return true;
}

/* Scans tuples with exchanged lowest bits: first those of a thread, then the remaining lanes. */
static bool scan_exchanged(nereid_scan_t *scan, const nereid_layout_segment_t *segment, int exchanged, intptr_t count,
                           MlirValue *tuples) {
  const intptr_t size = (intptr_t)1 << exchanged, groups = count / size, flip = scan->reverse ? size - 1 : 0;
  nereid_layout_segment_t rest = {.in = segment->in, .count = segment->count - exchanged};
  MlirValue *totals = nereid_scan_new(scan, (size_t)groups), *before = nereid_scan_new(scan, (size_t)groups);
  if (!totals || !before)
    return false;
  for (int i = 0; i < rest.count; ++i) {
    rest.bits[i] = segment->bits[exchanged + i];
    rest.mask |= UINT32_C(1) << rest.bits[i];
  }
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue *own = nereid_scan_at(scan, tuples, i ^ flip);
    if (i % size && !nereid_scan_combine(scan, nereid_scan_at(scan, tuples, (i - 1) ^ flip), own, own))
      return false;
    memcpy(nereid_scan_at(scan, totals, i / size), own, nereid_scan_bytes(scan));
  }
  if (!scan_in_steps(scan, &rest, groups, totals))
    return false;
  const nereid_scan_source_t previous = nereid_scan_previous_lane(scan, &rest);
  nereid_scan_shuffle(scan, &previous, groups, totals, before);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue *own = nereid_scan_at(scan, tuples, i ^ flip);
    if (i % size == size - 1)
      memcpy(own, nereid_scan_at(scan, totals, i / size), nereid_scan_bytes(scan));
    else if (!nereid_scan_combine_where(scan, previous.condition, nereid_scan_at(scan, before, i / size), own))
      return false;
  }
  return true;
}

bool nereid_scan_lanes(nereid_scan_t *scan, const nereid_layout_segment_t *segment, intptr_t count, MlirValue *tuples) {
  const int exchanged = bits_to_exchange(scan, segment, count);
  if (!exchanged)
    return scan_in_steps(scan, segment, count, tuples);
  for (int i = 0; i < exchanged; ++i)
    if (!exchange_bits(scan, i, segment->bits[i], count, tuples))
      return false;
  if (!scan_exchanged(scan, segment, exchanged, count, tuples))
    return false;
  for (int i = 0; i < exchanged; ++i)
    if (!exchange_bits(scan, i, segment->bits[i], count, tuples))
      return false;
  return true;
}

bool nereid_scan_spread(nereid_scan_t *scan) {
  nereid_lower_t *lower = scan->lower;
  const uint32_t mask = scan->done[NEREID_LAYOUT_LANE];
  if (!scan->in_last_lane)
    return true;
  MlirValue *outer = nereid_scan_new(scan, scan->registers);
  if (!outer)
    return false;
  const nereid_scan_source_t last = {.mode = NEREID_SHUFFLE_INDEX,
                                     .lane = scan->reverse ? nereid_emit_and(lower, scan->lane, constant(scan, ~mask))
                                                           : nereid_emit_or(lower, scan->lane, constant(scan, mask))};
  nereid_scan_shuffle(scan, &last, nereid_scan_gather_outer(scan, scan->totals, outer), outer, outer);
  nereid_scan_scatter_outer(scan, outer, scan->totals);
  scan->in_last_lane = false;
  return true;
}
