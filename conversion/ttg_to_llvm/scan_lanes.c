/* Scans through the lanes of a warp; see scan.h.
 *
 *   t += shfl.up(t, 1) where lane >= 1; … 2; … 4; … 8; … 16         lanes 0 .. 31 hold neighbouring elements
 *
 * Lane bits that hold an index need not be neighbours: then each step takes from the last lane of the lower half. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/scan.h"

#include <assert.h>

enum { EQUAL = 0, NOT_EQUAL = 1, ULE = 7, UGE = 9 };

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

/* What step `bit` combines with: of a run of lane bits the lanes 2^bit below; else the last lane of the lower half of
 * 2^(bit + 1). */
static nereid_scan_source_t source_of(nereid_scan_t *scan, const nereid_layout_segment_t *segment, int bit) {
  nereid_lower_t *lower = scan->lower;
  const uint32_t own = UINT32_C(1) << segment->bits[bit], below = segment->mask & (own - 1);
  if (is_run(segment)) {
    MlirValue field = nereid_emit_and(lower, scan->lane, constant(scan, segment->mask));
    MlirValue bound = constant(scan, scan->reverse ? segment->mask - own : own);
    return (nereid_scan_source_t){scan->reverse ? NEREID_SHUFFLE_DOWN : NEREID_SHUFFLE_UP, constant(scan, own),
                                  nereid_emit_icmp(lower, scan->reverse ? ULE : UGE, field, bound)};
  }
  MlirValue is_set = nereid_emit_and(lower, scan->lane, constant(scan, own));
  MlirValue lane =
      scan->reverse
          ? nereid_emit_or(lower, nereid_emit_and(lower, scan->lane, constant(scan, ~below)), constant(scan, own))
          : nereid_emit_and(lower, nereid_emit_or(lower, scan->lane, constant(scan, below)), constant(scan, ~own));
  return (nereid_scan_source_t){NEREID_SHUFFLE_INDEX, lane,
                                nereid_emit_icmp(lower, scan->reverse ? EQUAL : NOT_EQUAL, is_set, constant(scan, 0))};
}

/* Subtracting 1 from scattered bits borrows through the others when these are masked. */
nereid_scan_source_t nereid_scan_previous_lane(nereid_scan_t *scan, const nereid_layout_segment_t *segment) {
  nereid_lower_t *lower = scan->lower;
  MlirValue mask = constant(scan, segment->mask), field = nereid_emit_and(lower, scan->lane, mask);
  MlirValue first = constant(scan, scan->reverse ? segment->mask : 0);
  MlirValue condition = nereid_emit_icmp(lower, NOT_EQUAL, field, first);
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

bool nereid_scan_lanes(nereid_scan_t *scan, const nereid_layout_segment_t *segment, intptr_t count, MlirValue *tuples) {
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
