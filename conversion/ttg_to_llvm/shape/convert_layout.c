/* Lowers ttg.convert_layout: renames registers if every thread holds its elements; uses shuffles and selects if every
 * warp does and few are required (layout/warp_move.h); otherwise exchanges values through shared memory, between CTAs
 * through that of the cluster (convert_cluster.h).
 *
 *   st.shared [scratch + slot * size], register       for each register; vectors for adjacent slots
 *   barrier                                           a warp barrier if there is no exchange between warps
 *   ld.shared                                         for each register of the result
 *
 * layout/exchange.h selects the slots, and whether a side uses stmatrix or ldmatrix. Elements that exceed the scratch
 * are moved in parts, with a barrier between the loads of one part and the stores of the next. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"
#include "conversion/ttg_to_llvm/shape/convert_cluster.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "layout/exchange.h"
#include "layout/warp_move.h"

/* The values of the registers of `to` among those of `from`, which hold the same elements in each thread. */
static MlirValue *rename_registers(nereid_lower_t *lower, const nereid_layout_t *from, const nereid_layout_t *to,
                                   const MlirValue *values) {
  const uint32_t all = (UINT32_C(1) << from->in_bits[NEREID_LAYOUT_REGISTER]) - 1;
  const int32_t registers = nereid_layout_registers(to);
  MlirValue *renamed = nereid_arena_new(lower->arena, MlirValue, (size_t)registers);
  nereid_layout_t map;
  if (!renamed || nereid_layout_convert(from, to, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return NULL;
  for (int32_t r = 0; r < registers; ++r)
    renamed[r] = values[nereid_layout_apply(&map, (uint32_t)r, 0, 0, 0) & all];
  return renamed;
}

/* Sides that the target has instructions for. */
static unsigned allowed_matrices(const nereid_lower_t *lower) {
  return NEREID_LAYOUT_LOAD_MATRICES |
         (nereid_target_has_stmatrix(lower->module->options.capability) ? NEREID_LAYOUT_STORE_MATRICES : 0U);
}

/* Whether `value` is the unmodified result of a load. Then the last registers are stored first: the assembler, which
 * keeps the order of loads and stores, has all loads in flight before it waits for one. */
static bool is_loaded(MlirValue value) {
  enum { MAX_LOOK = 8 };
  for (int i = 0; i < MAX_LOOK; ++i) {
    MlirOperation op = nereid_defining_op(value);
    switch (mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op)) {
    case NEREID_OP_TT_LOAD:
      return true;
    case NEREID_OP_TT_TRANS:
    case NEREID_OP_TT_RESHAPE:
    case NEREID_OP_TT_EXPAND_DIMS:
    case NEREID_OP_TT_BITCAST:
    case NEREID_OP_TTG_CONVERT_LAYOUT:
      value = mlirOperationGetOperand(op, 0);
      break;
    default:
      return false;
    }
  }
  return false;
}

static void store_slots(nereid_lower_t *lower, MlirOperation op, const nereid_layout_exchange_t *plan, MlirType element,
                        MlirValue scratch, const MlirValue *values) {
  const bool matrices = plan->store_matrices.tiles != 0;
  nereid_slots_t slots =
      nereid_slots_make(lower, matrices ? &plan->store_matrices.rows : &plan->store, element, scratch);
  slots.last_first = is_loaded(mlirOperationGetOperand(op, 0));
  if (matrices)
    nereid_slots_store_matrices(lower, &slots, &plan->store_matrices, values);
  else
    nereid_slots_store(lower, &slots, values);
}

static void load_slots(nereid_lower_t *lower, const nereid_layout_exchange_t *plan, MlirType element, MlirValue scratch,
                       MlirValue *out_values) {
  const bool matrices = plan->load_matrices.tiles != 0;
  nereid_slots_t slots = nereid_slots_make(lower, matrices ? &plan->load_matrices.rows : &plan->load, element, scratch);
  if (matrices)
    nereid_slots_load_matrices(lower, &slots, &plan->load_matrices, out_values);
  else
    nereid_slots_load(lower, &slots, out_values);
}

/* An exchange of some of the registers of a ttg.convert_layout. */
typedef struct exchange {
  nereid_lower_t *lower;
  MlirOperation op;
  MlirType element;
  MlirValue scratch;
  bool in_warp; /* each warp reads what it stored */
} exchange_t;

static void emit_exchange_barrier(const exchange_t *exchange) {
  if (exchange->in_warp)
    nereid_emit_warp_barrier(exchange->lower);
  else
    nereid_emit_barrier(exchange->lower);
}

/* Exchanges `values`, registers of `from`; the registers of `to`, null when out of memory. */
static MlirValue *exchange_part(const exchange_t *exchange, const nereid_layout_t *from, const nereid_layout_t *to,
                                const MlirValue *values) {
  nereid_lower_t *lower = exchange->lower;
  nereid_layout_exchange_t plan;
  nereid_layout_exchange(from, to, (int)nereid_slots_element_bytes(exchange->element), allowed_matrices(lower), &plan);
  nereid_lower_remark_exchange(lower, exchange->op, &plan);
  MlirValue *moved = rename_registers(lower, from, &plan.from, values);
  MlirValue *loaded = nereid_arena_new(lower->arena, MlirValue, (size_t)nereid_layout_registers(&plan.to));
  if (!moved || !loaded)
    return NULL;
  store_slots(lower, exchange->op, &plan, exchange->element, exchange->scratch, moved);
  emit_exchange_barrier(exchange);
  load_slots(lower, &plan, exchange->element, exchange->scratch, loaded);
  return rename_registers(lower, &plan.to, to, loaded);
}

/* Register `r` of a half, as a register of the whole layout. */
static int32_t register_of_half(const nereid_layout_half_t *half, int32_t r, int number) {
  const int32_t low = (INT32_C(1) << half->register_bit) - 1;
  return (r & low) | (r & ~low) << 1 | number << half->register_bit;
}

/* Exchanges in `parts` parts, one after the other through the same scratch. Recursion depth is log2 of `parts`. */
static MlirValue *exchange_parts(const exchange_t *exchange, const nereid_layout_t *from, const nereid_layout_t *to,
                                 const MlirValue *values, int64_t parts) {
  nereid_layout_half_t half_from, half_to;
  if (parts < 2 || !nereid_layout_exchange_halve(from, to, &half_from, &half_to))
    return exchange_part(exchange, from, to, values);
  const int32_t sources = nereid_layout_registers(&half_from.layout),
                results = nereid_layout_registers(&half_to.layout);
  MlirValue *source = nereid_arena_new(exchange->lower->arena, MlirValue, (size_t)sources);
  MlirValue *whole = nereid_arena_new(exchange->lower->arena, MlirValue, (size_t)results * 2);
  for (int number = 0; source && whole && number < 2; ++number) {
    if (number)
      emit_exchange_barrier(exchange);
    for (int32_t r = 0; r < sources; ++r)
      source[r] = values[register_of_half(&half_from, r, number)];
    const MlirValue *moved = exchange_parts(exchange, &half_from.layout, &half_to.layout, source, parts / 2);
    if (!moved)
      return NULL;
    for (int32_t r = 0; r < results; ++r)
      whole[register_of_half(&half_to, r, number)] = moved[r];
  }
  return source ? whole : NULL;
}

static bool exchange(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from, const nereid_layout_t *to) {
  MlirValue result = mlirOperationGetResult(op, 0);
  const exchange_t exchange = {.lower = lower,
                               .op = op,
                               .element = nereid_lower_type(lower, mlirValueGetType(result)),
                               .scratch = nereid_slots_scratch(lower, op),
                               .in_warp = nereid_layout_exchange_in_warp(from, to)};
  if (mlirValueIsNull(exchange.scratch))
    return false;
  const MlirValue *values = nereid_lower_operand(lower, op, 0).values;
  nereid_lowered_t lowered = {nereid_layout_registers(to),
                              exchange_parts(&exchange, from, to, values, nereid_conversion_parts(op))};
  nereid_lower_set(lower, result, lowered);
  return lowered.values != NULL;
}

/* --- within the warp --- */

typedef struct warp_move {
  nereid_lower_t *lower;
  const nereid_layout_warp_move_t *plan;
  nereid_lowered_t source;
  MlirValue lane; /* i32: the thread's part of the lane to read; null when it is the own one */
  MlirValue is_set[NEREID_LAYOUT_WARP_MOVE_SELECTS]; /* i1: the thread selects the register with the mask */
} warp_move_t;

/* The value of the lane that is `lane` away from the thread's. */
static MlirValue fetch(const warp_move_t *move, MlirValue value, uint32_t lane) {
  nereid_lower_t *lower = move->lower;
  MlirValue from = nereid_emit_i32(lower, (int32_t)lane);
  if (!mlirValueIsNull(move->lane)) {
    from = lane ? nereid_emit_xor(lower, move->lane, from) : move->lane;
    nereid_shuffle(lower, NEREID_SHUFFLE_INDEX, from, 1, &value, &value);
  } else if (lane) {
    nereid_shuffle(lower, NEREID_SHUFFLE_XOR, from, 1, &value, &value);
  }
  return value;
}

/* Register `reg` of the lane that is `lane` away, after selects `k` and further ones; those before the shuffle come
 * last. Recursion depth is the number of selects. */
static MlirValue choose(const warp_move_t *move, int k, bool before, uint32_t reg, uint32_t lane) {
  const nereid_layout_warp_move_t *plan = move->plan;
  while (k < plan->n_selects && before != plan->selects[k].before)
    ++k;
  if (k == plan->n_selects)
    return before ? move->source.values[reg] : fetch(move, choose(move, 0, true, reg, lane), lane);
  const MlirValue unset = choose(move, k + 1, before, reg, lane);
  const MlirValue set = choose(move, k + 1, before, reg ^ plan->selects[k].mask, lane);
  return nereid_emit_select(move->lower, move->is_set[k], set, unset);
}

static bool move_in_warp(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                         const nereid_layout_t *to) {
  MlirValue result = mlirOperationGetResult(op, 0);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  nereid_layout_warp_move_t plan;
  uint32_t copies[NEREID_LAYOUT_DIMS];
  nereid_layout_warp_move(from, to, 1, &plan);
  nereid_layout_free_masks(to, copies);
  warp_move_t move = {.lower = lower, .plan = &plan, .source = nereid_lower_operand(lower, op, 0)};
  if (!plan.own_lane)
    move.lane = nereid_lower_thread_coordinate(lower, &plan.lane, 0);
  for (int k = 0; k < plan.n_selects; ++k) {
    MlirValue bit = nereid_emit_i32(lower, (int32_t)(UINT32_C(1) << plan.selects[k].thread_bit));
    move.is_set[k] = nereid_emit_icmp(lower, NEREID_ICMP_NE, nereid_emit_and(lower, lower->group->thread_id, bit),
                                      nereid_emit_i32(lower, 0));
  }
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r) {
    const uint32_t first = (uint32_t)r & ~copies[NEREID_LAYOUT_REGISTER], reg = (uint32_t)r;
    lowered.values[r] = first != reg && nereid_layout_apply(to, first, 0, 0, 0) == nereid_layout_apply(to, reg, 0, 0, 0)
                            ? lowered.values[first]
                            : choose(&move, 0, false, nereid_layout_apply(&plan.reg, reg, 0, 0, 0),
                                     nereid_layout_apply(&plan.lane, reg, 0, 0, 0));
  }
  nereid_lower_set(lower, result, lowered);
  return lowered.values != NULL;
}

static bool lower_convert_layout(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const nereid_layout_t *from = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *to = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (!from || !to)
    return false;
  nereid_lower_remark_conversion(lower, op);
  switch (nereid_conversion_path(op)) {
  case NEREID_CONVERSION_RENAMES:
    return nereid_lower_rename(lower, op, from, to);
  case NEREID_CONVERSION_WARP:
    return move_in_warp(lower, op, from, to);
  case NEREID_CONVERSION_SHARED:
    return exchange(lower, op, from, to);
  case NEREID_CONVERSION_CLUSTER:
    return nereid_lower_convert_in_cluster(lower, op, from, to);
  case NEREID_CONVERSION_INVALID:
    break;
  }
  return nereid_lower_error(op, "converts between layouts that do not hold the same tensor");
}

const nereid_lower_row_t nereid_lower_convert_layout_rows[] = {
    {NEREID_OP_TTG_CONVERT_LAYOUT, lower_convert_layout, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
