/* Lowers tt.scan: an upsweep over the bits of the index computes totals of blocks, a downsweep their prefixes.
 *
 *   %y = "tt.scan"(%x) <{axis = 0}> ({ … arith.addf … })       2 registers a thread in a row, then lanes, then 4 warps
 *   ->
 *   x1 = x0 + x1                                               up, registers: one after the other
 *   t = x1; t += shfl.up(t, 1) where lane >= 1; … 16           lanes: the inclusive prefix of this thread in the warp
 *   st.shared [scratch + 4 * warp], t (of the last lane); …    warps: p is the total of the preceding warps
 *   x1 = p + t where warp >= 1                                 down, lanes: the last register is done
 *   e = shfl.up(x1, 1) where lane >= 1, else p
 *   x0 = e + x0 where thread >= 1                              registers: one combination for each element
 *
 * A step is a run of bits of the index that one input holds. In reverse each input is counted from its last value
 * down. The order of combination is that of the elements, so the region need not commute; the left operand is the
 * earlier one. Nothing precedes the first block: a region need not have a neutral element. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/reduction/scan_lanes.h"
#include "conversion/ttg_to_llvm/reduction/scan_tuples.h"
#include "conversion/ttg_to_llvm/reduction/scan_warps.h"
#include "conversion/ttg_to_llvm/region.h"

#include "nereid/dialects/tt.h"

#include <string.h>

/* A step: results of the upsweep for the downsweep. */
typedef struct step {
  const nereid_layout_segment_t *segment;
  uint32_t done[3];     /* with it */
  MlirValue *inclusive; /* [registers][width]: totals up to and with each block; of warps, of the own alone */
  MlirValue *before;    /* of warps: totals of those before the own */
  MlirValue condition;  /* i1: there are warps before this one */
} step_t;

static MlirValue *copy_of(const nereid_scan_t *scan, const MlirValue *tuples, size_t count) {
  MlirValue *copy = nereid_scan_new(scan, count);
  if (copy)
    memcpy(copy, tuples, count * nereid_scan_bytes(scan));
  return copy;
}

static uint32_t size_of(const nereid_layout_segment_t *segment) {
  return UINT32_C(1) << segment->count;
}

/* --- up --- */

/* The totals of one register's blocks. The total of all is not required above the last step, unless it is an
 * element. */
static bool up_registers(nereid_scan_t *scan, step_t *step, bool is_last) {
  const uint32_t size = size_of(step->segment), mask = step->segment->mask;
  if (!nereid_scan_spread(scan))
    return false;
  const bool with_totals = !is_last || !(scan->done[0] | scan->done[1] | scan->done[2]);
  for (uint32_t outer = 0; outer < scan->registers; ++outer)
    for (uint32_t i = 1; nereid_scan_is_outer(scan, outer) && !(outer & mask) && i < size - !with_totals; ++i) {
      MlirValue *total = nereid_scan_at(scan, scan->totals, outer | nereid_scan_place(scan, step->segment, i));
      MlirValue *below = nereid_scan_at(scan, scan->totals, outer | nereid_scan_place(scan, step->segment, i - 1));
      if (!nereid_scan_combine(scan, below, total, total))
        return false;
    }
  step->inclusive = copy_of(scan, scan->totals, scan->registers);
  for (uint32_t outer = 0; step->inclusive && outer < scan->registers; ++outer)
    if (nereid_scan_is_outer(scan, outer) && !(outer & mask))
      memcpy(nereid_scan_at(scan, scan->totals, outer),
             nereid_scan_at(scan, step->inclusive, outer | nereid_scan_place(scan, step->segment, size - 1)),
             nereid_scan_bytes(scan));
  return step->inclusive != NULL;
}

static bool up_lanes(nereid_scan_t *scan, step_t *step, bool is_last) {
  (void)is_last;
  MlirValue *outer = nereid_scan_new(scan, scan->registers);
  if (!outer || !nereid_scan_spread(scan) ||
      !nereid_scan_lanes(scan, step->segment, nereid_scan_gather_outer(scan, scan->totals, outer), outer))
    return false;
  nereid_scan_scatter_outer(scan, outer, scan->totals);
  step->inclusive = copy_of(scan, scan->totals, scan->registers);
  scan->in_last_lane = true;
  return step->inclusive != NULL;
}

static bool up_warps(nereid_scan_t *scan, step_t *step, bool is_last) {
  step->before = nereid_scan_new(scan, scan->registers);
  step->inclusive = copy_of(scan, scan->totals, scan->registers);
  if (!step->before || !step->inclusive)
    return false;
  step->condition = nereid_scan_warps(scan, step->segment, !is_last, step->before);
  scan->in_last_lane = false;
  return !mlirValueIsNull(step->condition);
}

/* --- down --- */

/* Both hold. */
static MlirValue both(nereid_scan_t *scan, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a) || mlirValueIsNull(b))
    return mlirValueIsNull(a) ? b : a;
  return nereid_emit_and(scan->lower, a, b);
}

/* prefix = prefix, then `tuple`, which is there where `condition` holds (always when null). */
static bool extend(nereid_scan_t *scan, nereid_scan_prefix_t *prefix, MlirValue *tuple, MlirValue condition) {
  MlirValue *joined = copy_of(scan, tuple, 1);
  if (!joined)
    return false;
  if (!prefix->tuple) {
    *prefix = (nereid_scan_prefix_t){joined, condition};
    return true;
  }
  MlirValue where = scan->pure ? prefix->condition : both(scan, prefix->condition, condition);
  if (!nereid_scan_combine_where(scan, where, prefix->tuple, joined))
    return false;
  if (!mlirValueIsNull(condition))
    nereid_scan_select(scan, condition, joined, prefix->tuple, joined);
  prefix->tuple = joined;
  if (mlirValueIsNull(prefix->condition) || mlirValueIsNull(condition))
    prefix->condition = (MlirValue){NULL};
  else
    prefix->condition = nereid_emit_or(scan->lower, prefix->condition, condition);
  return true;
}

/* From the prefix of all blocks of a register to the prefix of each block. */
static bool down_registers(nereid_scan_t *scan, step_t *step, nereid_scan_prefix_t *prefixes) {
  for (uint32_t outer = 0; outer < scan->registers; ++outer) {
    const nereid_scan_prefix_t all = prefixes[outer];
    for (uint32_t i = 0; nereid_scan_is_outer(scan, outer) && i < size_of(step->segment); ++i) {
      nereid_scan_prefix_t *own = &prefixes[outer | nereid_scan_place(scan, step->segment, i)];
      *own = all;
      if (i && !extend(scan, own,
                       nereid_scan_at(scan, step->inclusive, outer | nereid_scan_place(scan, step->segment, i - 1)),
                       (MlirValue){NULL}))
        return false;
    }
  }
  return true;
}

/* The inclusive prefixes of the blocks of this step. */
static bool include(nereid_scan_t *scan, step_t *step, const nereid_scan_prefix_t *prefixes, uint32_t outer,
                    uint32_t r) {
  const nereid_scan_prefix_t prefix = prefixes[outer];
  return !prefix.tuple ||
         nereid_scan_combine_where(scan, prefix.condition, prefix.tuple, nereid_scan_at(scan, step->inclusive, r));
}

/* From the prefix of all lanes to that of this lane: the inclusive prefix of the preceding lane. */
static bool down_lanes(nereid_scan_t *scan, step_t *step, nereid_scan_prefix_t *prefixes) {
  const nereid_scan_source_t previous = nereid_scan_previous_lane(scan, step->segment);
  MlirValue *before = nereid_scan_new(scan, scan->registers), *outer_tuples = nereid_scan_new(scan, scan->registers);
  if (!before || !outer_tuples)
    return false;
  for (uint32_t outer = 0; outer < scan->registers; ++outer)
    if (nereid_scan_is_outer(scan, outer) && !include(scan, step, prefixes, outer, outer))
      return false;
  nereid_scan_shuffle(scan, &previous, nereid_scan_gather_outer(scan, step->inclusive, outer_tuples), outer_tuples,
                      outer_tuples);
  nereid_scan_scatter_outer(scan, outer_tuples, before);
  for (uint32_t outer = 0; outer < scan->registers; ++outer) {
    nereid_scan_prefix_t *prefix = &prefixes[outer];
    MlirValue *own = nereid_scan_at(scan, before, outer), condition = previous.condition;
    if (!nereid_scan_is_outer(scan, outer))
      continue;
    if (prefix->tuple) {
      nereid_scan_select(scan, condition, own, prefix->tuple, own);
      condition = mlirValueIsNull(prefix->condition) ? prefix->condition
                                                     : nereid_emit_or(scan->lower, condition, prefix->condition);
    }
    *prefix = (nereid_scan_prefix_t){own, condition};
  }
  return true;
}

static bool down_warps(nereid_scan_t *scan, step_t *step, nereid_scan_prefix_t *prefixes) {
  for (uint32_t outer = 0; outer < scan->registers; ++outer)
    if (nereid_scan_is_outer(scan, outer) &&
        !extend(scan, &prefixes[outer], nereid_scan_at(scan, step->before, outer), step->condition))
      return false;
  return true;
}

/* --- the op --- */

static bool begin(nereid_scan_t *scan) {
  scan->registers = (uint32_t)nereid_layout_registers(scan->layout);
  scan->totals = nereid_scan_new(scan, scan->registers);
  scan->pair = nereid_scan_new(scan, 2);
  if (!scan->totals || !scan->pair)
    return false;
  for (intptr_t k = 0; k < scan->width; ++k) {
    nereid_lowered_t operand = nereid_lower_operand(scan->lower, scan->op, k);
    for (uint32_t r = 0; r < scan->registers; ++r)
      nereid_scan_at(scan, scan->totals, r)[k] = operand.values[r];
  }
  scan->lane = nereid_emit_and(scan->lower, scan->lower->group->thread_id, nereid_emit_i32(scan->lower, 31));
  return true;
}

static bool go_up(nereid_scan_t *scan, step_t *steps) {
  static bool (*const rows[])(nereid_scan_t *, step_t *, bool) = {up_registers, up_lanes, up_warps};
  for (int i = 0; i < scan->plan.count; ++i) {
    steps[i].segment = &scan->plan.segments[i];
    if (!rows[steps[i].segment->in](scan, &steps[i], i == scan->plan.count - 1))
      return false;
    scan->done[steps[i].segment->in] |= steps[i].segment->mask;
    memcpy(steps[i].done, scan->done, sizeof scan->done);
  }
  return true;
}

/* The downsweep to the first step; computes the prefixes of its blocks. */
static bool go_down(nereid_scan_t *scan, step_t *steps, nereid_scan_prefix_t *prefixes) {
  static bool (*const rows[])(nereid_scan_t *, step_t *, nereid_scan_prefix_t *) = {down_registers, down_lanes,
                                                                                    down_warps};
  for (int i = scan->plan.count - 1; i > 0; --i) {
    memcpy(scan->done, steps[i].done, sizeof scan->done);
    if (!rows[steps[i].segment->in](scan, &steps[i], prefixes))
      return false;
  }
  memcpy(scan->done, steps[0].done, sizeof scan->done);
  return true;
}

/* Computes the elements from the results of the first step and the prefixes. */
static MlirValue *finish(nereid_scan_t *scan, step_t *steps, nereid_scan_prefix_t *prefixes) {
  step_t *first = &steps[0];
  const bool of_warps = first->segment->in == NEREID_LAYOUT_WARP;
  const bool in_registers = first->segment->in == NEREID_LAYOUT_REGISTER;
  const uint32_t mask = in_registers ? first->segment->mask : 0;
  const uint32_t last = in_registers ? nereid_scan_place(scan, first->segment, size_of(first->segment) - 1) : 0;
  /* A lane's total is the thread's last element. */
  const bool known = in_registers && scan->plan.count > 1 && steps[1].segment->in == NEREID_LAYOUT_LANE;
  if (of_warps && !down_warps(scan, first, prefixes))
    return NULL;
  for (uint32_t r = 0; r < scan->registers; ++r) {
    if (!nereid_scan_is_outer(scan, r & ~mask))
      continue;
    if (known && (r & mask) == last)
      memcpy(nereid_scan_at(scan, first->inclusive, r), nereid_scan_at(scan, steps[1].inclusive, r & ~mask),
             nereid_scan_bytes(scan));
    else if (!include(scan, first, prefixes, r & ~mask, r))
      return NULL;
  }
  return first->inclusive;
}

static void set_results(nereid_scan_t *scan, MlirValue *elements) {
  for (intptr_t k = 0; k < scan->width; ++k) {
    nereid_lowered_t lowered = nereid_lower_array(scan->lower, scan->registers);
    for (uint32_t r = 0; lowered.values && r < scan->registers; ++r)
      lowered.values[r] = nereid_scan_at(scan, elements, r & ~scan->plan.copies[NEREID_LAYOUT_REGISTER])[k];
    nereid_lower_set(scan->lower, mlirOperationGetResult(scan->op, k), lowered);
  }
}

static bool scan_elements(nereid_scan_t *scan) {
  step_t *steps = nereid_arena_new(scan->lower->arena, step_t, (size_t)scan->plan.count + 1);
  if (!steps || !begin(scan))
    return false;
  MlirValue *elements = scan->totals; /* the axis has one element */
  if (scan->plan.count) {
    nereid_scan_prefix_t *prefixes = nereid_arena_new(scan->lower->arena, nereid_scan_prefix_t, scan->registers);
    elements = prefixes && go_up(scan, steps) && go_down(scan, steps, prefixes) ? finish(scan, steps, prefixes) : NULL;
  }
  if (elements)
    set_results(scan, elements);
  return elements != NULL;
}

static bool lower_scan(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_scan_t scan = {.lower = lower,
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
    return nereid_lower_error(op, "has a layout in which a bit of an index is moved by more than one bit of "
                                  "registers, lanes or warps; run nereid-regular-scans first");
  case NEREID_LAYOUT_SCAN_BLOCKS:
    return nereid_lower_error(op, "scans elements of several CTAs of a cluster, which is not supported");
  }
  return scan_elements(&scan);
}

const nereid_lower_row_t nereid_lower_scan_rows[] = {
    {NEREID_OP_TT_SCAN, lower_scan, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
