/* Integers at compile time; see mbarrier_values.h. */
#include "passes/memory/mbarrier_values.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_DEPTH = 16 /* ops of an expression */, MAX_READS = 1 << 20 };

static const nereid_mbarrier_value_t unknown = {false, 0};

void nereid_mbarrier_values_initialize(nereid_mbarrier_values_t *values, nereid_arena_t *arena) {
  *values = (nereid_mbarrier_values_t){.arena = arena};
  nereid_map_initialize(&values->index, arena);
}

void nereid_mbarrier_values_set(nereid_mbarrier_values_t *values, MlirValue value, nereid_mbarrier_value_t known) {
  uintptr_t *place = nereid_map_insert(&values->index, value.ptr);
  if (place && *place)
    values->set.data[*place - 1] = known;
  else if (place && nereid_vector_push(values->arena, &values->set, known))
    *place = values->set.size;
}

static unsigned bits_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : mlirTypeIsAIndex(type) ? 64 : 0;
}

/* The low bits of a number as a value of that width. */
static nereid_mbarrier_value_t make(unsigned bits, uint64_t number) {
  if (bits == 0 || bits > 64)
    return unknown;
  if (bits == 1)
    return (nereid_mbarrier_value_t){true, (int64_t)(number & 1)};
  const uint64_t sign = UINT64_C(1) << (bits - 1), low = number & (sign | (sign - 1));
  return (nereid_mbarrier_value_t){true, (int64_t)((low ^ sign) - sign)};
}

static bool compare(nereid_arith_cmp_i_predicate_t predicate, int64_t a, int64_t b) {
  const uint64_t ua = (uint64_t)a, ub = (uint64_t)b; /* sign extension keeps the unsigned order */
  switch (predicate) {
  case NEREID_ARITH_CMP_I_PREDICATE_EQ:
    return a == b;
  case NEREID_ARITH_CMP_I_PREDICATE_NE:
    return a != b;
  case NEREID_ARITH_CMP_I_PREDICATE_SLT:
    return a < b;
  case NEREID_ARITH_CMP_I_PREDICATE_SLE:
    return a <= b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGT:
    return a > b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGE:
    return a >= b;
  case NEREID_ARITH_CMP_I_PREDICATE_ULT:
    return ua < ub;
  case NEREID_ARITH_CMP_I_PREDICATE_ULE:
    return ua <= ub;
  case NEREID_ARITH_CMP_I_PREDICATE_UGT:
    return ua > ub;
  default:
    return ua >= ub;
  }
}

/* An op of two integers of `bits` bits. */
static nereid_mbarrier_value_t combine(MlirOperation op, unsigned bits, int64_t a, int64_t b) {
  const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_ADDI:
    return make(bits, ua + ub);
  case NEREID_OP_ARITH_SUBI:
    return make(bits, ua - ub);
  case NEREID_OP_ARITH_MULI:
    return make(bits, ua * ub);
  case NEREID_OP_ARITH_XORI:
    return make(bits, ua ^ ub);
  case NEREID_OP_ARITH_ANDI:
    return make(bits, ua & ub);
  case NEREID_OP_ARITH_ORI:
    return make(bits, ua | ub);
  case NEREID_OP_ARITH_DIVSI:
    return a >= 0 && b > 0 ? make(bits, ua / ub) : unknown;
  case NEREID_OP_ARITH_REMSI:
    return a >= 0 && b > 0 ? make(bits, ua % ub) : unknown;
  case NEREID_OP_ARITH_CMPI:
    if (bits_of(mlirOperationGetOperand(op, 0)) == 1 &&
        nereid_arith_cmpi_get_predicate(op) > NEREID_ARITH_CMP_I_PREDICATE_NE)
      return unknown; /* 1 is -1 as a signed i1 */
    return make(1, compare(nereid_arith_cmpi_get_predicate(op), a, b));
  default:
    return unknown;
  }
}

static nereid_mbarrier_value_t read(nereid_mbarrier_values_t *values, MlirValue value, int depth);

static nereid_mbarrier_value_t read_op(nereid_mbarrier_values_t *values, MlirOperation op, MlirValue result,
                                       int depth) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const unsigned bits = bits_of(result);
  if (!bits || mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) == 0 ||
      mlirOperationGetNumOperands(op) > 3)
    return unknown;
  const nereid_mbarrier_value_t a = read(values, mlirOperationGetOperand(op, 0), depth);
  if (kind == NEREID_OP_ARITH_SELECT)
    return a.is_known ? read(values, mlirOperationGetOperand(op, a.value ? 1 : 2), depth) : unknown;
  if (kind == NEREID_OP_ARITH_EXTSI && bits_of(mlirOperationGetOperand(op, 0)) == 1)
    return a.is_known ? make(bits, 0 - (uint64_t)a.value) : unknown;
  if (kind == NEREID_OP_ARITH_EXTSI || kind == NEREID_OP_ARITH_TRUNCI)
    return a.is_known ? make(bits, (uint64_t)a.value) : unknown;
  if (kind == NEREID_OP_ARITH_EXTUI)
    return a.is_known && a.value >= 0 ? make(bits, (uint64_t)a.value) : unknown;
  if (!a.is_known || mlirOperationGetNumOperands(op) != 2)
    return unknown;
  const nereid_mbarrier_value_t b = read(values, mlirOperationGetOperand(op, 1), depth);
  return b.is_known ? combine(op, bits, a.value, b.value) : unknown;
}

static nereid_mbarrier_value_t read(nereid_mbarrier_values_t *values, MlirValue value, int depth) {
  if (mlirValueIsNull(value) || depth == 0 || ++values->reads > MAX_READS)
    return unknown;
  const uintptr_t *place = nereid_map_find(&values->index, value.ptr);
  if (place)
    return values->set.data[*place - 1];
  MlirAttribute constant = nereidMlirValueGetConstant(value);
  if (!mlirAttributeIsNull(constant) && mlirAttributeIsAInteger(constant))
    return make(bits_of(value), (uint64_t)mlirIntegerAttrGetValueInt(constant));
  if (!mlirValueIsABlockArgument(value))
    return read_op(values, mlirOpResultGetOwner(value), value, depth - 1);
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  if (nereid_op_kind(parent) != NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS)
    return unknown;
  return read(values,
              mlirOperationGetOperand(mlirOperationGetParentOperation(parent), mlirBlockArgumentGetArgNumber(value)),
              depth - 1);
}

nereid_mbarrier_value_t nereid_mbarrier_values_read(nereid_mbarrier_values_t *values, MlirValue value) {
  return read(values, value, MAX_DEPTH);
}
