/* Lowers tt.reduce: combines registers, then lanes, then warps, then CTAs.
 *
 *   %y = "tt.reduce"(%x) <{axis = 0}> ({ … arith.addf … }) : (tensor<1024xf32, #blocked>) -> f32
 *   ->                                                            of 8 registers, 32 lanes, 4 warps
 *   a0 = x0 + x4, a1 = x1 + x5, … ; a = (a0 + a2) + (a1 + a3)     within the thread
 *   a = a + shfl.bfly(a, 1), … 16                                 within the warp: afterwards all lanes have it
 *   st.shared [scratch + 4 * warp], a; barrier; ld.shared.v4      every thread reads the four parts and combines them
 *
 * The order is fixed: the elements of a thread are distributed over four accumulators (one, if there are many) in the
 * order of their registers, which are then combined in pairs, distant ones first; lanes by ascending bits; warps as
 * the registers of a thread. No barrier and no shared memory is used when one warp holds all of a result. i32 sums,
 * extrema and bitwise ops over a whole warp are one redux.sync. With many warps or expensive combinations, lanes that
 * have the same results each read some of the partial results, and the lanes are combined again. layout/reduction.h
 * determines the combinations, for any layout.
 *
 * A thread distributes several results over lanes where that takes fewer instructions: of two, a lane keeps one and
 * sends the other,
 *
 *   k = lane & 1 ? a1 : a0, s = lane & 1 ? a0 : a1; k = k + shfl.bfly(s, 1)      one shuffle and one sum instead of two
 *
 * combines the kept result from there on, and finally all lanes fetch all results (shfl.idx).
 *
 * If the CTAs of a cluster divide the dimension, each stores its results in its shared memory and combines those of all
 * of them, in the same order, so that all have the same bits:
 *
 *   st.shared [scratch + 4 * r], a_r; barrier.cluster; mapa there, scratch, CTA; ld.shared::cluster; barrier.cluster */
#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/region.h"
#include "conversion/ttg_to_llvm/shape/convert_cluster.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/tt/combiner.h"
#include "layout/reduction.h"

#include "nereid/dialects/tt.h"

#include <string.h>

enum { ACCUMULATORS = 4, WARP_BITS = 5, LANES = 1 << WARP_BITS };

/* Tuples: one value per operand of the op. */
typedef struct reduce {
  nereid_lower_t *lower;
  MlirOperation op;
  MlirRegion region;
  intptr_t width; /* values of a tuple */
  nereid_layout_reduction_t plan;
  intptr_t count;      /* representative registers of the results */
  uint32_t *registers; /* which */
  MlirValue *tuples;   /* [count][width]: their partial results */
  MlirValue *pair;     /* two tuples, the arguments of the region */
  int distributed;     /* steps within the warp in which results are distributed */
} reduce_t;

static MlirValue *tuple(const reduce_t *reduce, MlirValue *tuples, intptr_t i) {
  return tuples + i * reduce->width;
}

static size_t tuple_size(const reduce_t *reduce) {
  return (size_t)reduce->width * sizeof(MlirValue);
}

/* lhs = region(lhs, rhs) */
static bool combine(reduce_t *reduce, MlirValue *lhs, const MlirValue *rhs) {
  memcpy(reduce->pair, lhs, tuple_size(reduce));
  memcpy(reduce->pair + reduce->width, rhs, tuple_size(reduce));
  return nereid_region_emit(reduce->lower, reduce->region, reduce->pair, lhs);
}

/* With many elements, most loads are still in flight when the first elements are combined. With one accumulator the
 * assembler combines each element on arrival and reuses its registers; with four it keeps all of them in registers,
 * which lowers occupancy. For tuples of three or more values, the combination dominates. */
static intptr_t accumulators_for(const reduce_t *reduce, intptr_t count) {
  enum { MANY = 16, SIMPLE = 2 };
  return count > MANY && reduce->width <= SIMPLE ? 1 : ACCUMULATORS;
}

/* tuples[0] = all of the tuples, a power of two of them. */
static bool combine_all(reduce_t *reduce, MlirValue *tuples, intptr_t count) {
  bool done = true;
  const intptr_t accumulators = accumulators_for(reduce, count);
  for (intptr_t i = accumulators; done && i < count; ++i)
    done = combine(reduce, tuple(reduce, tuples, i % accumulators), tuple(reduce, tuples, i));
  for (intptr_t half = (count < accumulators ? count : accumulators) / 2; done && half > 0; half /= 2)
    for (intptr_t i = 0; done && i < half; ++i)
      done = combine(reduce, tuple(reduce, tuples, i), tuple(reduce, tuples, i + half));
  return done;
}

/* --- within the thread --- */

static bool find_registers(reduce_t *reduce, intptr_t registers) {
  reduce->registers = nereid_arena_new(reduce->lower->arena, uint32_t, (size_t)registers);
  for (uint32_t r = 0; reduce->registers && r < registers; ++r)
    if (nereid_layout_reduction_register(&reduce->plan, r) == r)
      reduce->registers[reduce->count++] = r;
  const size_t size = (size_t)(reduce->count * reduce->width);
  reduce->tuples = nereid_arena_new(reduce->lower->arena, MlirValue, size);
  reduce->pair = nereid_arena_new(reduce->lower->arena, MlirValue, 2 * (size_t)reduce->width);
  return reduce->registers && reduce->tuples && reduce->pair;
}

/* The index of the representative of `r`. Registers are in ascending order. */
static intptr_t index_of(const reduce_t *reduce, uint32_t r) {
  const uint32_t required = nereid_layout_reduction_register(&reduce->plan, r);
  intptr_t low = 0, high = reduce->count - 1;
  while (low < high) {
    const intptr_t middle = (low + high) / 2;
    if (reduce->registers[middle] < required)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Register number `i` of those combined with `r`. */
static uint32_t member(const nereid_layout_reduction_t *plan, uint32_t r, uint32_t i) {
  for (int g = 0; g < plan->n_registers; ++g)
    if (i >> g & 1)
      r ^= plan->registers[g];
  return r;
}

static bool reduce_in_thread(reduce_t *reduce) {
  const intptr_t members = (intptr_t)1 << reduce->plan.n_registers;
  MlirValue *all = nereid_arena_new(reduce->lower->arena, MlirValue, (size_t)(members * reduce->width));
  if (!all)
    return false;
  for (intptr_t i = 0; i < reduce->count; ++i) {
    for (intptr_t k = 0; k < reduce->width; ++k) {
      nereid_lowered_t operand = nereid_lower_operand(reduce->lower, reduce->op, k);
      for (intptr_t m = 0; m < members; ++m)
        tuple(reduce, all, m)[k] = operand.values[member(&reduce->plan, reduce->registers[i], (uint32_t)m)];
    }
    if (!combine_all(reduce, all, members))
      return false;
    memcpy(tuple(reduce, reduce->tuples, i), all, tuple_size(reduce));
  }
  return true;
}

/* --- costs, in instructions of a thread --- */

enum { SHUFFLE = 2 };

/* The cost of reading partial results of `count` results when `spread` lane bits share the work. */
static int64_t cost_of_spread(const reduce_t *reduce, intptr_t count, int spread) {
  enum { VECTOR = 4 };
  const int64_t parts = INT64_C(1) << (reduce->plan.n_warps - spread), values = count * reduce->width;
  const int64_t loads = (parts * values + VECTOR - 1) / VECTOR;
  const int64_t combined = count * (parts - 1 + spread) * nereid_region_size(reduce->region);
  return loads + combined + spread * values * SHUFFLE;
}

/* The lane bits that should share that work: all that can, or none. */
static int best_spread(const reduce_t *reduce, intptr_t count, int spare) {
  return cost_of_spread(reduce, count, spare) < cost_of_spread(reduce, count, 0) ? spare : 0;
}

/* The cost within the warp and across warps if results are distributed in the first `distributed` steps. */
static int64_t cost_of_dealing(const reduce_t *reduce, int distributed) {
  enum { SELECTS = 2, WAIT = 12 /* until all lanes have fetched all results */ };
  const nereid_layout_reduction_t *plan = &reduce->plan;
  const int64_t width = reduce->width, region = nereid_region_size(reduce->region);
  uint32_t masks[NEREID_LAYOUT_MAX_BITS];
  int64_t cost = distributed ? WAIT + reduce->count * width * SHUFFLE : 0;
  for (int g = 0; g < plan->n_lanes; ++g)
    cost += (reduce->count >> (g < distributed ? g + 1 : distributed)) *
            (width * (SHUFFLE + (g < distributed ? SELECTS : 0)) + region);
  if (!plan->n_warps)
    return cost;
  nereid_layout_reduction_t after = *plan;
  for (int g = 0; g < distributed; ++g)
    nereid_layout_reduction_deal(&after, g);
  const int spare = nereid_layout_reduction_spare_lanes(&after, masks);
  return cost +
         cost_of_spread(reduce, reduce->count >> distributed, best_spread(reduce, reduce->count >> distributed, spare));
}

/* The least expensive number of leading steps within the warp that distribute results. */
static int steps_to_deal(const reduce_t *reduce) {
  nereid_layout_reduction_t plan = reduce->plan;
  int64_t least = cost_of_dealing(reduce, 0);
  int best = 0;
  for (int g = 0; g < plan.n_lanes; ++g)
    if (plan.lanes[g].reg)
      return 0;
  for (int g = 0; g < plan.n_lanes && nereid_layout_reduction_deal(&plan, g); ++g) {
    const int64_t cost = cost_of_dealing(reduce, g + 1);
    if (cost < least) {
      least = cost;
      best = g + 1;
    }
  }
  return best;
}

/* --- within the warp --- */

/* The intrinsic that combines i32 over all lanes as the region does; null when there is none. */
static const char *redux_name(const reduce_t *reduce) {
  static const struct {
    nereid_op_kind_t kind;
    const char *name;
  } rows[] = {
      {NEREID_OP_ARITH_ADDI, "llvm.nvvm.redux.sync.add"},   {NEREID_OP_ARITH_MINSI, "llvm.nvvm.redux.sync.min"},
      {NEREID_OP_ARITH_MAXSI, "llvm.nvvm.redux.sync.max"},  {NEREID_OP_ARITH_MINUI, "llvm.nvvm.redux.sync.umin"},
      {NEREID_OP_ARITH_MAXUI, "llvm.nvvm.redux.sync.umax"}, {NEREID_OP_ARITH_ANDI, "llvm.nvvm.redux.sync.and"},
      {NEREID_OP_ARITH_ORI, "llvm.nvvm.redux.sync.or"},     {NEREID_OP_ARITH_XORI, "llvm.nvvm.redux.sync.xor"},
  };
  const nereid_layout_reduction_t *plan = &reduce->plan;
  if (reduce->width != 1 || plan->n_lanes != WARP_BITS ||
      !nereid_target_has_redux(reduce->lower->module->options.capability) ||
      !mlirTypeEqual(mlirValueGetType(reduce->tuples[0]), reduce->lower->types->i32))
    return NULL;
  for (int g = 0; g < plan->n_lanes; ++g)
    if (plan->lanes[g].reg)
      return NULL;
  const nereid_op_kind_t kind = nereid_tt_combiner_kind(reduce->region);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].kind == kind)
      return rows[i].name;
  return NULL;
}

static void reduce_by_redux(reduce_t *reduce, const char *name) {
  reduce->lower->module->emitted.warp_reductions += reduce->count;
  for (intptr_t i = 0; i < reduce->count; ++i) {
    MlirValue operands[] = {reduce->tuples[i], nereid_emit_i32(reduce->lower, -1)};
    reduce->tuples[i] = nereid_emit_intrinsic(reduce->lower, name, reduce->lower->types->i32, 2, operands);
  }
}

/* Combines every tuple with that of the partner lane. */
static bool combine_with(reduce_t *reduce, nereid_layout_partner_t partner) {
  const size_t size = (size_t)reduce->count;
  MlirValue *sent = nereid_arena_new(reduce->lower->arena, MlirValue, size);
  MlirValue *others = nereid_arena_new(reduce->lower->arena, MlirValue, size * (size_t)reduce->width);
  if (!sent || !others)
    return false;
  MlirValue lane = nereid_emit_i32(reduce->lower, (int32_t)partner.lane);
  for (intptr_t k = 0; k < reduce->width; ++k) {
    for (intptr_t i = 0; i < reduce->count; ++i)
      sent[i] = tuple(reduce, reduce->tuples, index_of(reduce, reduce->registers[i] ^ partner.reg))[k];
    nereid_shuffle(reduce->lower, NEREID_SHUFFLE_XOR, lane, reduce->count, sent, sent);
    for (intptr_t i = 0; i < reduce->count; ++i)
      tuple(reduce, others, i)[k] = sent[i];
  }
  for (intptr_t i = 0; i < reduce->count; ++i)
    if (!combine(reduce, tuple(reduce, reduce->tuples, i), tuple(reduce, others, i)))
      return false;
  return true;
}

/* Keeps the lane's half of the tuples, combined with the partner's values, and sends the other half to the partner. */
static bool combine_half_with(reduce_t *reduce, uint32_t lane) {
  nereid_lower_t *lower = reduce->lower;
  const intptr_t half = reduce->count / 2;
  MlirValue *sent = nereid_arena_new(lower->arena, MlirValue, (size_t)half);
  MlirValue *others = nereid_arena_new(lower->arena, MlirValue, (size_t)(half * reduce->width));
  if (!sent || !others)
    return false;
  MlirValue bit = nereid_emit_and(lower, lower->group->thread_id, nereid_emit_i32(lower, (int32_t)lane));
  MlirValue upper = nereid_emit_icmp(lower, NEREID_ICMP_NE, bit, nereid_emit_i32(lower, 0));
  for (intptr_t k = 0; k < reduce->width; ++k) {
    for (intptr_t i = 0; i < half; ++i) {
      MlirValue *low = &tuple(reduce, reduce->tuples, i)[k], high = tuple(reduce, reduce->tuples, i + half)[k];
      sent[i] = nereid_emit_select(lower, upper, *low, high);
      *low = nereid_emit_select(lower, upper, high, *low);
    }
    nereid_shuffle(lower, NEREID_SHUFFLE_XOR, nereid_emit_i32(lower, (int32_t)lane), half, sent, sent);
    for (intptr_t i = 0; i < half; ++i)
      tuple(reduce, others, i)[k] = sent[i];
  }
  reduce->count = half;
  for (intptr_t i = 0; i < half; ++i)
    if (!combine(reduce, tuple(reduce, reduce->tuples, i), tuple(reduce, others, i)))
      return false;
  return true;
}

static bool reduce_in_warp(reduce_t *reduce) {
  const char *redux = redux_name(reduce);
  if (redux) {
    reduce_by_redux(reduce, redux);
    return true;
  }
  nereid_layout_reduction_t *plan = &reduce->plan;
  reduce->distributed = steps_to_deal(reduce);
  for (int g = 0; g < plan->n_lanes; ++g)
    if (g < reduce->distributed
            ? !nereid_layout_reduction_deal(plan, g) || !combine_half_with(reduce, plan->lanes[g].lane)
            : !combine_with(reduce, plan->lanes[g]))
      return false;
  return true;
}

/* All lanes get all results: result i from a lane whose bits equal the high bits of i. */
static bool fetch_all(reduce_t *reduce) {
  nereid_lower_t *lower = reduce->lower;
  const intptr_t held = reduce->count, all = held << reduce->distributed;
  MlirValue *values = nereid_arena_new(lower->arena, MlirValue, (size_t)held);
  MlirValue *tuples = nereid_arena_new(lower->arena, MlirValue, (size_t)(all * reduce->width));
  uint32_t bits = 0;
  if (!values || !tuples)
    return false;
  for (int g = 0; g < reduce->distributed; ++g)
    bits |= reduce->plan.lanes[g].lane;
  MlirValue base =
      nereid_emit_and(lower, lower->group->thread_id, nereid_emit_i32(lower, (int32_t)((LANES - 1) & ~bits)));
  for (intptr_t part = 0; part < 1 << reduce->distributed; ++part) {
    uint32_t lane = 0;
    for (int g = 0; g < reduce->distributed; ++g) /* the first step distributes by the highest bit */
      lane |= part >> (reduce->distributed - 1 - g) & 1 ? reduce->plan.lanes[g].lane : 0;
    MlirValue from = nereid_emit_or(lower, base, nereid_emit_i32(lower, (int32_t)lane));
    for (intptr_t k = 0; k < reduce->width; ++k) {
      for (intptr_t i = 0; i < held; ++i)
        values[i] = tuple(reduce, reduce->tuples, i)[k];
      nereid_shuffle(lower, NEREID_SHUFFLE_INDEX, from, held, values, values);
      for (intptr_t i = 0; i < held; ++i)
        tuple(reduce, tuples, part * held + i)[k] = values[i];
    }
  }
  reduce->tuples = tuples;
  reduce->count = all;
  return true;
}

/* --- across warps --- */

/* i1: this thread stores its partial results, as the bits `masks` of its lane and warp are 0; null when all do. */
static MlirValue stores(reduce_t *reduce, const uint32_t masks[NEREID_LAYOUT_DIMS]) {
  nereid_lower_t *lower = reduce->lower;
  const nereid_layout_t *layout = &reduce->plan.projected;
  const uint32_t fixed = masks[NEREID_LAYOUT_LANE] | masks[NEREID_LAYOUT_WARP] << layout->in_bits[NEREID_LAYOUT_LANE];
  if (!fixed)
    return (MlirValue){NULL};
  MlirValue bits = nereid_emit_and(lower, lower->group->thread_id, nereid_emit_i32(lower, (int32_t)fixed));
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, bits, nereid_emit_i32(lower, 0));
}

/* Partial results in scratch. */
typedef struct parts {
  MlirValue scratch;
  int64_t offset, slots; /* of the next operand's part of the scratch, in bytes; of each operand */
  MlirValue cta;         /* i32, the slot that the CTA adds by xor; null: none */
} parts_t;

/* ptr<3>: the scratch of operand `k`. */
static MlirValue next_scratch(reduce_t *reduce, parts_t *parts, intptr_t k) {
  MlirValue start = nereid_emit_offset(reduce->lower, parts->scratch, parts->offset);
  parts->offset += nereid_scratch_align(parts->slots * nereid_slots_element_bytes(mlirValueGetType(reduce->tuples[k])));
  return start;
}

static nereid_slots_t make_slots(reduce_t *reduce, const nereid_layout_t *layout, parts_t *parts, intptr_t k) {
  nereid_lower_t *lower = reduce->lower;
  MlirType element = mlirValueGetType(reduce->tuples[k]);
  const nereid_slots_t slots = nereid_slots_make(lower, layout, element, next_scratch(reduce, parts, k));
  if (mlirValueIsNull(parts->cta))
    return slots;
  MlirValue bytes = nereid_emit_i32(lower, (int32_t)nereid_slots_element_bytes(element));
  return nereid_slots_moved(lower, &slots, nereid_emit_mul(lower, parts->cta, bytes), false);
}

/* Stores the tuples in threads in which the bits `masks` of lane and warp are 0. */
static bool store_parts(reduce_t *reduce, const nereid_layout_t *layout, const uint32_t masks[NEREID_LAYOUT_DIMS],
                        parts_t parts) {
  MlirValue *values = nereid_arena_new(reduce->lower->arena, MlirValue, (size_t)reduce->count);
  MlirValue condition = stores(reduce, masks);
  if (!values)
    return false;
  MlirBlock rest = {NULL};
  if (!mlirValueIsNull(condition))
    rest = nereid_lower_begin_if(reduce->lower, condition);
  for (intptr_t k = 0; k < reduce->width; ++k) {
    nereid_slots_t slots = make_slots(reduce, layout, &parts, k);
    for (intptr_t i = 0; i < reduce->count; ++i)
      values[i] = tuple(reduce, reduce->tuples, i)[k];
    nereid_slots_store(reduce->lower, &slots, values);
  }
  if (!mlirBlockIsNull(rest))
    nereid_lower_end_if(reduce->lower, rest);
  return true;
}

/* Combines `count` partial results for each of the registers. */
static bool combine_parts(reduce_t *reduce, MlirValue *tuples, intptr_t count) {
  for (intptr_t i = 0; i < reduce->count; ++i) {
    if (!combine_all(reduce, tuple(reduce, tuples, i * count), count))
      return false;
    memcpy(tuple(reduce, reduce->tuples, i), tuple(reduce, tuples, i * count), tuple_size(reduce));
  }
  return true;
}

/* Reads the partial results of each of the registers and combines them. 2^vector registers are read at once. */
static bool load_parts(reduce_t *reduce, const nereid_layout_t *layout, int vector, parts_t parts) {
  const intptr_t read = nereid_layout_registers(layout), count = read / reduce->count, low = (INT64_C(1) << vector) - 1;
  MlirValue *values = nereid_arena_new(reduce->lower->arena, MlirValue, (size_t)read);
  MlirValue *tuples = nereid_arena_new(reduce->lower->arena, MlirValue, (size_t)(read * reduce->width));
  if (!values || !tuples)
    return false;
  for (intptr_t k = 0; k < reduce->width; ++k) {
    nereid_slots_t slots = make_slots(reduce, layout, &parts, k);
    nereid_slots_load(reduce->lower, &slots, values);
    for (intptr_t i = 0; i < reduce->count; ++i)
      for (intptr_t part = 0; part < count; ++part)
        tuple(reduce, tuples, i * count + part)[k] = values[(i & ~low) * count + part * (low + 1) + (i & low)];
  }
  return combine_parts(reduce, tuples, count);
}

static bool reduce_across_warps(reduce_t *reduce) {
  nereid_layout_t write, read;
  uint32_t masks[NEREID_LAYOUT_MAX_BITS];
  const int spare = nereid_layout_reduction_spare_lanes(&reduce->plan, masks);
  const int spread = best_spread(reduce, reduce->count, spare);
  const int vector = nereid_layout_reduction_exchange(&reduce->plan, spread, &write, &read);
  const parts_t parts = {.scratch = nereid_slots_scratch(reduce->lower, reduce->op),
                         .slots = nereid_layout_reduction_slots(&reduce->plan)};
  if (mlirValueIsNull(parts.scratch) || !store_parts(reduce, &write, reduce->plan.fixed, parts))
    return false;
  nereid_emit_barrier(reduce->lower);
  if (!load_parts(reduce, &read, vector, parts))
    return false;
  for (int i = 0; i < spread; ++i)
    if (!combine_with(reduce, (nereid_layout_partner_t){.reg = 0, .lane = masks[i]}))
      return false;
  return true;
}

/* --- across CTAs --- */

/* The scratch after that of the exchange between warps. */
static parts_t parts_of_ctas(reduce_t *reduce) {
  parts_t parts = {.scratch = nereid_slots_scratch(reduce->lower, reduce->op),
                   .slots = nereid_layout_reduction_slots(&reduce->plan)};
  for (intptr_t k = 0; reduce->plan.n_warps && k < reduce->width; ++k)
    parts.offset += nereid_scratch_align(parts.slots * nereid_slots_element_bytes(mlirValueGetType(reduce->tuples[k])));
  parts.slots = nereid_layout_reduction_results(&reduce->plan);
  return parts;
}

static bool load_from_ctas(reduce_t *reduce, const nereid_layout_t *layout, parts_t parts) {
  const nereid_lowered_t read = nereid_lower_array(reduce->lower, nereid_layout_registers(layout));
  const int slot_bits = nereid_layout_out_total(&reduce->plan.projected);
  MlirValue *tuples = nereid_arena_new(reduce->lower->arena, MlirValue, (size_t)(read.count * reduce->width));
  if (!read.values || !tuples)
    return false;
  for (intptr_t k = 0; k < reduce->width; ++k) {
    MlirValue scratch = next_scratch(reduce, &parts, k);
    if (!nereid_lower_load_from_ctas(reduce->lower, reduce->op, layout, slot_bits, mlirValueGetType(reduce->tuples[k]),
                                     scratch, read))
      return false;
    for (intptr_t i = 0; i < read.count; ++i)
      tuple(reduce, tuples, i)[k] = read.values[i];
  }
  nereid_emit_cluster_barrier(reduce->lower);
  return combine_parts(reduce, tuples, read.count / reduce->count);
}

static bool reduce_across_ctas(reduce_t *reduce) {
  nereid_lower_t *lower = reduce->lower;
  nereid_layout_t write, read;
  uint32_t copies[NEREID_LAYOUT_DIMS];
  nereid_layout_reduction_cluster(&reduce->plan, &write, &read);
  nereid_layout_t in_cta = write;
  nereid_layout_drop_blocks(&in_cta);
  nereid_layout_free_masks(&in_cta, copies);
  parts_t parts = parts_of_ctas(reduce);
  if (mlirValueIsNull(parts.scratch))
    return false;
  if (nereid_layout_span(&write, NEREID_LAYOUT_BLOCK))
    parts.cta = nereid_lower_add_cta_coordinate(lower, &write, 0, nereid_emit_i32(lower, 0));
  if (!store_parts(reduce, &write, copies, parts))
    return false;
  nereid_emit_cluster_barrier(lower);
  parts.cta = (MlirValue){NULL};
  return load_from_ctas(reduce, &read, parts);
}

/* --- the op --- */

/* Every register of the result is a representative. */
static bool set_results(reduce_t *reduce) {
  for (intptr_t k = 0; k < reduce->width; ++k) {
    MlirValue result = mlirOperationGetResult(reduce->op, k);
    MlirType type = mlirValueGetType(result);
    nereid_lowered_t lowered = nereid_lower_array(reduce->lower, nereid_lower_registers(reduce->lower, type));
    nereid_layout_t map = {0};
    const nereid_layout_t *to = mlirTypeIsARankedTensor(type) ? nereid_lower_layout(reduce->lower, type) : NULL;
    if (!lowered.values)
      return false;
    if (to && nereid_layout_convert(&reduce->plan.projected, to, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
      return nereid_lower_error(reduce->op, "has an operand in another layout than its result");
    for (intptr_t r = 0; r < lowered.count; ++r) {
      const uint32_t all = (UINT32_C(1) << reduce->plan.projected.in_bits[NEREID_LAYOUT_REGISTER]) - 1;
      const uint32_t from = to ? nereid_layout_apply(&map, (uint32_t)r, 0, 0, 0) & all : 0;
      lowered.values[r] = tuple(reduce, reduce->tuples, index_of(reduce, from))[k];
    }
    nereid_lower_set(reduce->lower, result, lowered);
  }
  return true;
}

static bool lower_reduce(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const nereid_layout_t *layout = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  if (!layout)
    return false;
  reduce_t reduce = {
      .lower = lower, .op = op, .region = mlirOperationGetRegion(op, 0), .width = mlirOperationGetNumOperands(op)};
  nereid_layout_reduction(layout, nereid_tt_reduce_get_axis(op), &reduce.plan);
  const nereid_layout_reduction_t plan = reduce.plan;
  if (!find_registers(&reduce, nereid_layout_registers(layout)) || !reduce_in_thread(&reduce) ||
      !reduce_in_warp(&reduce) || (reduce.plan.n_warps && !reduce_across_warps(&reduce)) ||
      (reduce.distributed && !fetch_all(&reduce)))
    return false;
  reduce.plan = plan; /* distributed results are back in place */
  return (!reduce.plan.n_blocks || reduce_across_ctas(&reduce)) && set_results(&reduce);
}

const nereid_lower_row_t nereid_lower_reduce_rows[] = {
    {NEREID_OP_TT_REDUCE, lower_reduce, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
