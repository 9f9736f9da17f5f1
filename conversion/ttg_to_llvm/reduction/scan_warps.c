/* The step of a scan through warps; see scan.h.
 *
 *   st.shared [scratch + 4 * warp], t (of the last lane); barrier
 *   few warps, little to combine: every thread reads and combines the totals of all
 *     ld.shared.v4 a, b, c, d
 *     before = warp == 1 ? a : warp == 2 ? a + b : (a + b) + c
 *   else: lanes read one each and scan them
 *     t = ld.shared [scratch + 4 * lane]; t += shfl.up(t, 1) where lane >= 1; … ; before = shfl.idx(t, warp - 1)
 *
 * Spare lanes read the totals of other registers, so one such scan serves several rows. */
#include "conversion/ttg_to_llvm/reduction/scan_warps.h"

#include "conversion/ttg_to_llvm/reduction/scan_lanes.h"

#include "analysis/allocation/scratch.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/region.h"
#include "conversion/ttg_to_llvm/slots.h"

#include <assert.h>
#include <string.h>

typedef struct exchange {
  nereid_scan_t *scan;
  const nereid_layout_segment_t *segment;
  nereid_layout_scan_lanes_t lanes;
  intptr_t outer;              /* registers that have totals */
  nereid_layout_t write, read; /* slots */
  int64_t slots;               /* how many */
  MlirValue scratch;           /* ptr<3>: slot 0 */
  MlirValue place;             /* i32: of this warp, in the order of the index */
  MlirValue *totals, *before;  /* [outer][width] */
} exchange_t;

static MlirValue constant(const exchange_t *exchange, uint32_t value) {
  return nereid_emit_i32(exchange->scan->lower, (int32_t)value);
}

static uint32_t warps(const exchange_t *exchange) {
  assert(exchange->segment->count > 0); /* else no exchange is required */
  return UINT32_C(1) << exchange->segment->count;
}

static uint32_t last_place(const exchange_t *exchange) {
  return exchange->scan->reverse ? 0 : warps(exchange) - 1;
}

static uint32_t first_place(const exchange_t *exchange) {
  return exchange->scan->reverse ? warps(exchange) - 1 : 0;
}

/* --- selection of the method --- */

/* Instructions of a thread, when it combines all totals, and when lanes share them. */
static int64_t cost_alone(const exchange_t *exchange, int64_t words, int64_t size) {
  enum { VECTOR = 4, SELECT = 1, COMPARE = 1 };
  const int64_t n = warps(exchange);
  return (exchange->outer * n * words + VECTOR - 1) / VECTOR + exchange->outer * (n - 1) * size +
         (n - 2) * (exchange->outer * words * SELECT + COMPARE);
}

static int64_t cost_in_lanes(const exchange_t *exchange, int64_t words, int64_t size, bool with_totals) {
  enum { SHUFFLE = 2, SELECT = 1 };
  const int64_t rounds = nereid_layout_registers(&exchange->read);
  return rounds * (words + exchange->segment->count * (size + words * (SHUFFLE + SELECT))) +
         exchange->outer * words * SHUFFLE * (with_totals ? 2 : 1) + SHUFFLE;
}

static int at_most(int value, int limit) {
  return value < limit ? value : limit;
}

static int log2_of(intptr_t value) {
  return 63 - __builtin_clzll((unsigned long long)value);
}

/* Registers per access, for the widest operand. */
static int vector_bits(const nereid_scan_t *scan) {
  enum { ACCESS = 16, MOST = 2 };
  int64_t bytes = 1;
  for (intptr_t k = 0; k < scan->width; ++k) {
    const int64_t own = nereid_slots_element_bytes(mlirValueGetType(scan->totals[k]));
    bytes = own > bytes ? own : bytes;
  }
  return at_most(log2_of(ACCESS / bytes), MOST);
}

static void lay_out(exchange_t *exchange, nereid_layout_scan_lanes_t lanes) {
  nereid_scan_t *scan = exchange->scan;
  exchange->lanes = lanes;
  exchange->slots =
      nereid_layout_scan_exchange(scan->layout, &scan->plan, exchange->segment,
                                  scan->done[NEREID_LAYOUT_REGISTER] | scan->plan.copies[NEREID_LAYOUT_REGISTER],
                                  vector_bits(scan), lanes, &exchange->write, &exchange->read);
}

static void choose(exchange_t *exchange, bool with_totals) {
  nereid_scan_t *scan = exchange->scan;
  const int64_t words = nereid_scan_words(scan), size = nereid_region_size(scan->region);
  nereid_layout_scan_lanes_t lanes = nereid_layout_scan_spare_lanes(scan->layout, &scan->plan, exchange->segment);
  const bool enough = lanes.count >= exchange->segment->count;
  lanes.count = at_most(lanes.count, exchange->segment->count + log2_of(exchange->outer));
  if (enough) {
    lay_out(exchange, lanes);
    if (cost_in_lanes(exchange, words, size, with_totals) < cost_alone(exchange, words, size))
      return;
  }
  lay_out(exchange, (nereid_layout_scan_lanes_t){0, 0});
}

/* --- shared memory --- */

/* i1: this thread stores the totals: the last lane of the completed lanes, and the first of its replicas. Null: all
 * do. */
static MlirValue stores(const nereid_scan_t *scan) {
  nereid_lower_t *lower = scan->lower;
  const int lanes = scan->layout->in_bits[NEREID_LAYOUT_LANE];
  const uint32_t done = scan->done[NEREID_LAYOUT_LANE] | scan->done[NEREID_LAYOUT_WARP] << lanes;
  const uint32_t copies = scan->plan.copies[NEREID_LAYOUT_LANE] | scan->plan.copies[NEREID_LAYOUT_WARP] << lanes;
  if (!done && !copies)
    return (MlirValue){NULL};
  MlirValue bits = nereid_emit_and(lower, lower->group->thread_id, nereid_emit_i32(lower, (int32_t)(done | copies)));
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, bits, nereid_emit_i32(lower, scan->reverse ? 0 : (int32_t)done));
}

/* Each value of a tuple has a part of the scratch; this one's is at `offset`, which is advanced. */
static nereid_slots_t make_slots(const exchange_t *exchange, const nereid_layout_t *layout, MlirValue scratch,
                                 intptr_t k, int64_t *offset) {
  nereid_lower_t *lower = exchange->scan->lower;
  nereid_slots_t slots = nereid_slots_make(lower, layout, mlirValueGetType(exchange->totals[k]),
                                           nereid_emit_offset(lower, scratch, *offset));
  *offset += nereid_scratch_align(exchange->slots * slots.bytes);
  return slots;
}

static void store_totals(const exchange_t *exchange, MlirValue scratch, MlirValue *column) {
  nereid_scan_t *scan = exchange->scan;
  MlirValue condition = stores(scan);
  MlirBlock rest = mlirValueIsNull(condition) ? (MlirBlock){NULL} : nereid_lower_begin_if(scan->lower, condition);
  int64_t offset = 0;
  for (intptr_t k = 0; k < scan->width; ++k) {
    const nereid_slots_t to = make_slots(exchange, &exchange->write, scratch, k, &offset);
    for (intptr_t i = 0; i < exchange->outer; ++i)
      column[i] = nereid_scan_at(scan, exchange->totals, i)[k];
    nereid_slots_store(scan->lower, &to, column);
  }
  if (!mlirBlockIsNull(rest))
    nereid_lower_end_if(scan->lower, rest);
}

/* Stores the totals for all to read; false after a diagnostic. */
static bool share_totals(exchange_t *exchange) {
  nereid_scan_t *scan = exchange->scan;
  MlirValue *column = nereid_arena_new(scan->lower->arena, MlirValue, (size_t)exchange->outer);
  exchange->scratch = nereid_slots_scratch(scan->lower, scan->op);
  if (!column || mlirValueIsNull(exchange->scratch))
    return false;
  if (scan->done[NEREID_LAYOUT_WARP]) /* totals of an earlier step may still be read */
    nereid_emit_barrier(scan->lower);
  store_totals(exchange, exchange->scratch, column);
  nereid_emit_barrier(scan->lower);
  return true;
}

/* Reads [registers of `layout`][width] from slot `first` on. */
static MlirValue *read_totals(const exchange_t *exchange, const nereid_layout_t *layout, uint32_t first) {
  nereid_scan_t *scan = exchange->scan;
  const intptr_t count = nereid_layout_registers(layout);
  MlirValue *read = nereid_scan_new(scan, (size_t)count);
  MlirValue *column = nereid_arena_new(scan->lower->arena, MlirValue, (size_t)count);
  int64_t offset = 0;
  for (intptr_t k = 0; read && column && k < scan->width; ++k) {
    nereid_slots_t from = make_slots(exchange, layout, exchange->scratch, k, &offset);
    from.base = nereid_emit_offset(scan->lower, from.base, first * from.bytes);
    nereid_slots_load(scan->lower, &from, column);
    for (intptr_t i = 0; i < count; ++i)
      nereid_scan_at(scan, read, i)[k] = column[i];
  }
  return column ? read : NULL;
}

/* --- every thread combines all --- */

/* Of register `r`, of all outer ones, from those of all warps, `stride` apart. */
static bool combine_warps(exchange_t *exchange, intptr_t r, MlirValue *of_warps, intptr_t stride, bool with_totals) {
  nereid_scan_t *scan = exchange->scan;
  MlirValue *before = nereid_scan_at(scan, exchange->before, r), *total = nereid_scan_at(scan, exchange->totals, r);
  const uint32_t n = warps(exchange), turn = first_place(exchange);
  memcpy(total, nereid_scan_at(scan, of_warps, turn * stride), nereid_scan_bytes(scan));
  for (uint32_t i = 1; i < n; ++i) {
    MlirValue here = nereid_emit_icmp(scan->lower, NEREID_ICMP_EQ, exchange->place, constant(exchange, i ^ turn));
    for (intptr_t k = 0; k < scan->width; ++k)
      before[k] = i == 1 ? total[k] : nereid_emit_select(scan->lower, here, total[k], before[k]);
    if ((i < n - 1 || with_totals) &&
        !nereid_scan_combine(scan, total, nereid_scan_at(scan, of_warps, (i ^ turn) * stride), total))
      return false;
  }
  return true;
}

/* A few registers at a time, those of a vector, which keeps few totals in registers. */
static bool combine_alone(exchange_t *exchange, bool with_totals) {
  nereid_scan_t *scan = exchange->scan;
  const int outer_bits = log2_of(exchange->outer), vector = at_most(vector_bits(scan), outer_bits);
  const intptr_t together = (intptr_t)1 << vector;
  nereid_layout_t part = exchange->read;
  uint32_t *bases = part.bases[NEREID_LAYOUT_REGISTER];
  memmove(bases + vector, bases + outer_bits, (size_t)exchange->segment->count * sizeof *bases);
  part.in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)(vector + exchange->segment->count);
  for (intptr_t r = 0; r < exchange->outer; r += together) {
    MlirValue *read = read_totals(exchange, &part, nereid_layout_apply(&exchange->read, (uint32_t)r, 0, 0, 0));
    for (intptr_t i = 0; i < together; ++i)
      if (!read || !combine_warps(exchange, r + i, nereid_scan_at(scan, read, i), together, with_totals))
        return false;
  }
  return true;
}

/* --- lanes share them --- */

/* The totals of warp index `place`, which a lane holds: those of register `i`, of all outer ones. */
static void fetch(const exchange_t *exchange, MlirValue place, intptr_t i, MlirValue *read, MlirValue *out) {
  nereid_scan_t *scan = exchange->scan;
  nereid_lower_t *lower = scan->lower;
  const nereid_layout_scan_lanes_t lanes = exchange->lanes;
  const uint32_t mask = ((UINT32_C(1) << lanes.count) - 1) << lanes.first;
  const intptr_t rounds = nereid_layout_registers(&exchange->read);
  const uint32_t row = (uint32_t)(i / rounds) << (lanes.first + exchange->segment->count);
  MlirValue lane = nereid_emit_shl(lower, place, constant(exchange, (uint32_t)lanes.first));
  lane = nereid_emit_or(lower, lane, constant(exchange, row));
  if (mask != 31)
    lane = nereid_emit_or(lower, lane, nereid_emit_and(lower, scan->lane, constant(exchange, ~mask)));
  const nereid_scan_source_t source = {.mode = NEREID_SHUFFLE_INDEX, .lane = lane};
  nereid_scan_shuffle(scan, &source, 1, nereid_scan_at(scan, read, i % rounds), out);
}

static bool combine_in_lanes(exchange_t *exchange, bool with_totals) {
  nereid_scan_t *scan = exchange->scan;
  MlirValue *read = read_totals(exchange, &exchange->read, 0);
  nereid_lower_t *lower = scan->lower;
  nereid_layout_segment_t segment = {.in = NEREID_LAYOUT_LANE, .count = exchange->segment->count};
  for (int i = 0; i < segment.count; ++i) {
    segment.bits[i] = (uint8_t)(exchange->lanes.first + i);
    segment.mask |= UINT32_C(1) << segment.bits[i];
  }
  if (!read || !nereid_scan_lanes(scan, &segment, nereid_layout_registers(&exchange->read), read))
    return false;
  MlirValue previous = nereid_emit_add(lower, exchange->place, constant(exchange, scan->reverse ? 1 : UINT32_MAX));
  previous = nereid_emit_and(lower, previous, constant(exchange, warps(exchange) - 1));
  for (intptr_t i = 0; i < exchange->outer; ++i) {
    fetch(exchange, previous, i, read, nereid_scan_at(scan, exchange->before, i));
    if (with_totals)
      fetch(exchange, constant(exchange, last_place(exchange)), i, read, nereid_scan_at(scan, exchange->totals, i));
  }
  return true;
}

/* --- the step --- */

/* i32: the position of this warp in the order of the index. */
static MlirValue place_of_warp(const exchange_t *exchange) {
  nereid_layout_t places = *exchange->scan->layout;
  places.rank = 1;
  places.out_bits[0] = (uint8_t)exchange->segment->count;
  memset(places.bases, 0, sizeof places.bases);
  for (int i = 0; i < exchange->segment->count; ++i)
    places.bases[NEREID_LAYOUT_WARP][exchange->segment->bits[i]] = UINT32_C(1) << i;
  return nereid_lower_thread_coordinate(exchange->scan->lower, &places, 0);
}

MlirValue nereid_scan_warps(nereid_scan_t *scan, const nereid_layout_segment_t *segment, bool with_totals,
                            MlirValue *before) {
  exchange_t exchange = {.scan = scan,
                         .segment = segment,
                         .totals = nereid_scan_new(scan, scan->registers),
                         .before = nereid_scan_new(scan, scan->registers)};
  if (!exchange.totals || !exchange.before)
    return (MlirValue){NULL};
  exchange.outer = nereid_scan_gather_outer(scan, scan->totals, exchange.totals);
  choose(&exchange, with_totals);
  exchange.place = place_of_warp(&exchange);
  if (!share_totals(&exchange) ||
      !(exchange.lanes.count ? combine_in_lanes(&exchange, with_totals) : combine_alone(&exchange, with_totals)))
    return (MlirValue){NULL};
  nereid_scan_scatter_outer(scan, exchange.before, before);
  nereid_scan_scatter_outer(scan, exchange.totals, scan->totals);
  return nereid_emit_icmp(scan->lower, NEREID_ICMP_NE, exchange.place, constant(&exchange, first_place(&exchange)));
}
