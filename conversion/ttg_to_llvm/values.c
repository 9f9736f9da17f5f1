/* The map of values and elementwise emission; see values.h. */
#include "conversion/ttg_to_llvm/values.h"

#include <assert.h>

nereid_lowered_t nereid_lower_get(nereid_lower_t *lower, MlirValue value) {
  uintptr_t *found = nereid_map_find(&lower->function->values, value.ptr);
  return found ? *(const nereid_lowered_t *)*found : (nereid_lowered_t){0};
}

void nereid_lower_set(nereid_lower_t *lower, MlirValue value, nereid_lowered_t lowered) {
  uintptr_t *place = nereid_map_insert(&lower->function->values, value.ptr);
  nereid_lowered_t *kept = nereid_arena_new(lower->arena, nereid_lowered_t, 1);
  if (!place || !kept)
    return;
  *kept = lowered;
  *place = (uintptr_t)kept;
}

nereid_lowered_t nereid_lower_array(nereid_lower_t *lower, intptr_t count) {
  return (nereid_lowered_t){count, nereid_arena_new(lower->arena, MlirValue, (size_t)count)};
}

void nereid_lower_set_scalar(nereid_lower_t *lower, MlirValue value, MlirValue lowered) {
  nereid_lowered_t one = nereid_lower_array(lower, 1);
  if (one.values)
    one.values[0] = lowered;
  nereid_lower_set(lower, value, one);
}

nereid_lowered_t nereid_lower_operand(nereid_lower_t *lower, MlirOperation op, intptr_t index) {
  return nereid_lower_get(lower, mlirOperationGetOperand(op, index));
}

bool nereid_lower_set_splat(nereid_lower_t *lower, MlirValue value, MlirValue lowered) {
  nereid_lowered_t all = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(value)));
  for (intptr_t r = 0; r < all.count; ++r)
    all.values[r] = lowered;
  nereid_lower_set(lower, value, all);
  return all.count > 0;
}

bool nereid_lower_rename(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                         const nereid_layout_t *to) {
  nereid_lowered_t source = nereid_lower_operand(lower, op, 0);
  nereid_layout_t map;
  if (nereid_layout_convert(from, to, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return nereid_lower_error(op, "moves elements between threads; convert the layout of its operand first");
  assert(source.values); /* an operand is lowered before its user */
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r) {
    int32_t place[NEREID_LAYOUT_DIMS];
    nereid_layout_coordinates(&map, nereid_layout_apply(&map, (uint32_t)r, 0, 0, 0), place);
    lowered.values[r] = source.values[place[NEREID_LAYOUT_DIMS - 1]];
  }
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}

/* --- elementwise emission --- */

enum { MAX_ELEMENTWISE_OPERANDS = 32 };

typedef struct operands {
  intptr_t count;
  nereid_lowered_t of[MAX_ELEMENTWISE_OPERANDS];
} operands_t;

static MlirValue operand_at(const operands_t *operands, intptr_t i, intptr_t r) {
  return operands->of[i].values[operands->of[i].count == 1 ? 0 : r];
}

static uint64_t hash_tuple(const operands_t *operands, intptr_t r) {
  uint64_t hash = 0;
  for (intptr_t i = 0; i < operands->count; ++i)
    hash = (hash ^ (uint64_t)(uintptr_t)operand_at(operands, i, r).ptr) * UINT64_C(0x9E3779B97F4A7C15);
  return hash >> 20;
}

static bool same_tuple(const operands_t *operands, intptr_t r, intptr_t s) {
  for (intptr_t i = 0; i < operands->count; ++i)
    if (operand_at(operands, i, r).ptr != operand_at(operands, i, s).ptr)
      return false;
  return true;
}

/* Finds the first register with the operand tuple of `r`, through an open-addressing table of register + 1. */
static intptr_t first_with_tuple(const operands_t *operands, intptr_t r, int32_t *table, size_t capacity) {
  for (size_t slot = hash_tuple(operands, r) & (capacity - 1);; slot = (slot + 1) & (capacity - 1)) {
    if (!table[slot])
      table[slot] = (int32_t)r + 1;
    if (same_tuple(operands, r, table[slot] - 1))
      return table[slot] - 1;
  }
}

/* An fp8 is lowered to its bits, an i8: ops that compute on its value require a conversion first. */
static bool check_fp8(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const bool computes = (name.length > 5 && (!memcmp(name.data, "arith", 5) || !memcmp(name.data, "math.", 5))) ||
                        kind == NEREID_OP_TT_CLAMPF || kind == NEREID_OP_TT_PRECISE_SQRT ||
                        kind == NEREID_OP_TT_PRECISE_DIVF || kind == NEREID_OP_TT_APPROX_DIVF ||
                        kind == NEREID_OP_TT_EXTERN_ELEMENTWISE;
  if (!computes || kind == NEREID_OP_ARITH_SELECT || kind == NEREID_OP_ARITH_BITCAST || kind == NEREID_OP_MATH_ABSF)
    return true;
  MlirValue first = mlirOperationGetNumOperands(op) ? mlirOperationGetOperand(op, 0) : mlirOperationGetResult(op, 0);
  MlirValue result = mlirOperationGetResult(op, 0);
  for (int i = 0; i < 2; ++i) {
    MlirType type = nereid_lower_element_type(mlirValueGetType(i ? result : first));
    if (mlirTypeIsAFloat(type) && mlirFloatTypeGetWidth(type) <= 8)
      return nereid_lower_error(op, "computes on an 8-bit float: expected 16 bits at least; convert with tt.fp_to_fp");
  }
  return true;
}

/* The register bits that do not change the elements of `value`, by its constancy: a comparison of an index with a bound
 * divisible by eight is equal for eight consecutive registers. */
static uint32_t constant_bits(nereid_lower_t *lower, MlirValue value) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&lower->module->axis, value);
  MlirType type = mlirValueGetType(value);
  const nereid_layout_t *layout = info && mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  uint32_t same = 0, bits = 0;
  if (!layout)
    return 0;
  for (int d = 0; d < layout->rank; ++d) {
    const int64_t run = nereid_axis_info_constancy(info, d), size = INT64_C(1) << layout->out_bits[d];
    const uint32_t low = (uint32_t)((run < size ? run & -run : size) - 1); /* the largest power of two in the run */
    same |= low << nereid_layout_out_shift(layout, d);
  }
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_REGISTER]; ++bit)
    if (!(layout->bases[NEREID_LAYOUT_REGISTER][bit] & ~same))
      bits |= UINT32_C(1) << bit;
  return bits;
}

bool nereid_lower_elementwise(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                              nereid_element_fn emit) {
  return nereid_lower_elementwise_without(lower, op, row, emit, 0);
}

bool nereid_lower_elementwise_without(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                      nereid_element_fn emit, uint32_t without) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  if (mlirTypeIsNull(element))
    return nereid_lower_error(op, "has a result type that cannot be lowered");
  if (!check_fp8(op))
    return false;
  operands_t operands = {.count = mlirOperationGetNumOperands(op)};
  if (operands.count > MAX_ELEMENTWISE_OPERANDS)
    return nereid_lower_error(op, "has %td operands, at most %d can be lowered", (ptrdiff_t)operands.count,
                              MAX_ELEMENTWISE_OPERANDS);
  for (intptr_t i = 0; i < operands.count; ++i)
    operands.of[i] = nereid_lower_operand(lower, op, i);
  for (intptr_t i = 0; i < operands.count; ++i)
    if (!operands.of[i].values)
      return nereid_lower_error(op, "ran out of memory while being lowered");

  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(result)));
  size_t capacity = 2;
  while (capacity < 2 * (size_t)lowered.count)
    capacity *= 2;
  int32_t *table = nereid_arena_new(lower->arena, int32_t, capacity);
  if (!lowered.values || !table)
    return nereid_lower_error(op, "ran out of memory while being lowered");
  without |= constant_bits(lower, result);
  for (intptr_t r = 0; r < lowered.count; ++r) {
    const bool computed = !((uint32_t)r & without);
    const intptr_t first = computed ? first_with_tuple(&operands, r, table, capacity) : r & ~(intptr_t)without;
    if (first != r) {
      lowered.values[r] = lowered.values[first];
      continue;
    }
    MlirValue tuple[MAX_ELEMENTWISE_OPERANDS];
    for (intptr_t i = 0; i < operands.count; ++i)
      tuple[i] = operand_at(&operands, i, r);
    lowered.values[r] = emit(lower, op, row, element, tuple);
    if (mlirValueIsNull(lowered.values[r]))
      return false;
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}
