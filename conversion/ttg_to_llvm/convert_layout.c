/* ttg.convert_layout: names registers anew where every thread has what it needs, else goes through shared memory.
 *
 *   st.shared [scratch + slot * size], register       for each register, several at once where slots are neighbours
 *   barrier
 *   ld.shared                                         for each register of the result
 *
 * layout/exchange.h chooses the slots. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "analysis/scratch.h"
#include "layout/exchange.h"

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

static bool exchange(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from, const nereid_layout_t *to) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  MlirValue scratch = nereid_slots_scratch(lower, op);
  nereid_layout_exchange_t plan;
  nereid_layout_exchange(from, to, (int)nereid_slots_element_bytes(element), &plan);
  MlirValue *moved = rename_registers(lower, from, &plan.from, nereid_lower_operand(lower, op, 0).values);
  MlirValue *loaded = nereid_arena_new(lower->arena, MlirValue, (size_t)nereid_layout_registers(&plan.to));
  if (mlirValueIsNull(scratch) || !moved || !loaded)
    return false;
  nereid_slots_t store = nereid_slots_make(lower, &plan.store, element, scratch);
  nereid_slots_t load = nereid_slots_make(lower, &plan.load, element, scratch);
  nereid_slots_store(lower, &store, moved);
  nereid_emit_barrier(lower);
  nereid_slots_load(lower, &load, loaded);
  nereid_lowered_t lowered = {nereid_layout_registers(to), rename_registers(lower, &plan.to, to, loaded)};
  nereid_lower_set(lower, result, lowered);
  return lowered.values != NULL;
}

static bool lower_convert_layout(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const nereid_layout_t *from = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *to = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (!from || !to)
    return false;
  switch (nereid_conversion_path(op)) {
  case NEREID_CONVERSION_RENAMES:
    return nereid_lower_rename(lower, op, from, to);
  case NEREID_CONVERSION_SHARED:
    return exchange(lower, op, from, to);
  case NEREID_CONVERSION_CLUSTER:
    return nereid_lower_error(op, "moves elements between the CTAs of a cluster, which is not supported");
  case NEREID_CONVERSION_INVALID:
    break;
  }
  return nereid_lower_error(op, "converts between layouts that do not hold the same tensor");
}

const nereid_lower_row_t nereid_lower_convert_layout_rows[] = {
    {NEREID_OP_TTG_CONVERT_LAYOUT, lower_convert_layout, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
