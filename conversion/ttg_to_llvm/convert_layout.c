/* ttg.convert_layout: names registers anew where every thread has what it needs, else goes through shared memory.
 *
 *   st.shared [scratch + packed coordinate * size], register       for each register
 *   barrier
 *   ld.shared                                for each register of the result
 *
 * Elements lie in row-major order; neighbouring registers of consecutive elements move as one vector. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "analysis/scratch.h"

/* The layout of a tensor as slots: its elements in row-major order. */
static nereid_layout_t slots_of(const nereid_layout_t *layout) {
  nereid_layout_t slots = *layout;
  nereid_layout_reshape(&slots, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(layout)});
  return slots;
}

static bool exchange(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from, const nereid_layout_t *to) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  MlirValue scratch = nereid_slots_scratch(lower, op);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  if (mlirValueIsNull(scratch) || !lowered.values)
    return false;
  const nereid_layout_t in = slots_of(from), out = slots_of(to);
  nereid_slots_t stored = nereid_slots_make(lower, &in, element, scratch);
  nereid_slots_t loaded = nereid_slots_make(lower, &out, element, scratch);
  nereid_slots_store(lower, &stored, nereid_lower_operand(lower, op, 0).values);
  nereid_emit_barrier(lower);
  nereid_slots_load(lower, &loaded, lowered.values);
  nereid_lower_set(lower, result, lowered);
  return true;
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
