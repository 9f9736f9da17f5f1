/* ttg.convert_layout: names registers anew where every thread has what it needs, else goes through shared memory.
 *
 *   barrier                                  the readers of the last exchange are done
 *   st.shared [scratch + packed coordinate * size], register       for each register
 *   barrier
 *   ld.shared                                for each register of the result
 *
 * Elements lie in row-major order; neighbouring registers of consecutive elements move as one vector. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "analysis/scratch.h"

/* --- through shared memory --- */

/* One side of the exchange: addresses of a layout's registers in the scratch. */
typedef struct side {
  const nereid_layout_t *layout;
  MlirValue thread_bytes; /* i32: the thread's part of the offset */
  bool disjoint;          /* register parts add to it */
  int64_t element_bytes;
  int32_t vector; /* registers that move together */
} side_t;

/* The row-major index of the thread's first element, from its coordinates. */
static MlirValue thread_index(nereid_lower_t *lower, const nereid_layout_t *layout,
                              const nereid_coordinates_t *coordinates) {
  MlirValue index = {NULL};
  for (int d = 0; d < layout->rank; ++d) {
    MlirValue part = coordinates->base[d];
    const int shift = nereid_layout_out_shift(layout, d);
    if (shift)
      part = nereid_emit_shl(lower, part, nereid_emit_i32(lower, shift));
    index = mlirValueIsNull(index) ? part : nereid_emit_or_disjoint(lower, index, part);
  }
  return index;
}

static bool make_side(nereid_lower_t *lower, MlirType tensor, side_t *side) {
  const nereid_coordinates_t *coordinates = nereid_lower_coordinates(lower, tensor);
  side->layout = nereid_lower_layout(lower, tensor);
  if (!coordinates || !side->layout)
    return false;
  side->element_bytes = nereid_scratch_element_bytes(tensor);
  side->disjoint = true;
  for (intptr_t d = 0; d < coordinates->rank; ++d)
    side->disjoint &= coordinates->disjoint[d];
  MlirValue index = thread_index(lower, side->layout, coordinates);
  side->thread_bytes = nereid_emit_mul(lower, index, nereid_emit_i32(lower, (int32_t)side->element_bytes));
  side->vector = nereid_layout_contiguity(side->layout, side->layout->rank - 1);
  while (side->vector * side->element_bytes > 16)
    side->vector /= 2;
  return true;
}

static MlirValue address(nereid_lower_t *lower, const side_t *side, MlirValue scratch, intptr_t r) {
  const uint32_t packed = nereid_layout_apply(side->layout, (uint32_t)r, 0, 0, 0);
  const int32_t bytes = (int32_t)(packed * side->element_bytes);
  if (side->disjoint) {
    MlirValue thread = nereid_emit_gep(lower, scratch, lower->types.i8, side->thread_bytes);
    return nereid_emit_offset(lower, thread, bytes);
  }
  MlirValue offset = nereid_emit_xor(lower, side->thread_bytes, nereid_emit_i32(lower, bytes));
  return nereid_emit_gep(lower, scratch, lower->types.i8, offset);
}

static MlirNamedAttribute alignment(nereid_lower_t *lower, const side_t *side) {
  const int64_t bytes = side->vector * side->element_bytes;
  return nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types.i64, bytes));
}

/* The type that lies in memory: i1 as i8, pointers as i64. */
static MlirType memory_type(nereid_lower_t *lower, MlirType element) {
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) < 8)
    return lower->types.i8;
  return mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element) ? element : lower->types.i64;
}

static MlirValue to_memory(nereid_lower_t *lower, MlirType memory, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAInteger(type) && !mlirTypeEqual(type, memory))
    return nereid_emit_cast(lower, "llvm.zext", memory, value);
  return nereid_emit_bits(lower, memory, value);
}

static MlirValue from_memory(nereid_lower_t *lower, MlirType element, MlirValue value) {
  if (mlirTypeIsAInteger(element) && !mlirTypeEqual(element, mlirValueGetType(value)))
    return nereid_emit_cast(lower, "llvm.trunc", element, value);
  return nereid_emit_bits(lower, element, value);
}

static void store_registers(nereid_lower_t *lower, const side_t *side, MlirValue scratch, MlirType memory,
                            nereid_lowered_t source) {
  MlirNamedAttribute attribute = alignment(lower, side);
  for (intptr_t r = 0; r < source.count; r += side->vector) {
    MlirValue word[16];
    for (int32_t i = 0; i < side->vector; ++i)
      word[i] = to_memory(lower, memory, source.values[r + i]);
    MlirValue operands[] = {nereid_emit_pack(lower, side->vector, word), address(lower, side, scratch, r)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 1, &attribute);
  }
}

static void load_registers(nereid_lower_t *lower, const side_t *side, MlirValue scratch, MlirType memory,
                           MlirType element, nereid_lowered_t result) {
  MlirNamedAttribute attribute = alignment(lower, side);
  MlirType type = side->vector == 1 ? memory : nereid_emit_vector_type(memory, side->vector);
  for (intptr_t r = 0; r < result.count; r += side->vector) {
    MlirValue at = address(lower, side, scratch, r);
    MlirValue word = mlirOperationGetResult(nereid_emit_op(lower, "llvm.load", 1, &type, 1, &at, 1, &attribute), 0);
    for (int32_t i = 0; i < side->vector; ++i) {
      MlirValue part = side->vector == 1 ? word : nereid_emit_extract(lower, word, i);
      result.values[r + i] = from_memory(lower, element, part);
    }
  }
}

static bool exchange(nereid_lower_t *lower, MlirOperation op) {
  MlirType from_type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType to_type = mlirValueGetType(result), element = nereid_lower_type(lower, to_type);
  MlirAttribute offset = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("allocation.offset"));
  side_t from, to;
  if (mlirAttributeIsNull(offset))
    return nereid_lower_error(op, "has no place in shared memory: allocate-shared-memory comes first");
  if (!make_side(lower, from_type, &from) || !make_side(lower, to_type, &to))
    return false;
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, to_type));
  MlirValue scratch = nereid_lower_shared_pointer(lower, mlirIntegerAttrGetValueInt(offset));
  MlirType memory = memory_type(lower, element);
  nereid_emit_barrier(lower);
  store_registers(lower, &from, scratch, memory, nereid_lower_operand(lower, op, 0));
  nereid_emit_barrier(lower);
  load_registers(lower, &to, scratch, memory, element, lowered);
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
    return exchange(lower, op);
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
