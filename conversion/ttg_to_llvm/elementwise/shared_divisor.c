/* Divisions of many elements by few; see shared_divisor.h. At the end of a softmax or of attention, a thread divides
 * all elements of a row by one sum. For each div.full.f32 the assembler emits
 *
 *   s = |b| > 2^126 ? 2^-2 : |b| < 2^-126 ? 2^24 : 1          r = rcp.approx.ftz(b * s)          a * s * r
 *
 * and then finds that s and r are the same for all: in a kernel with 128 quotients of two sums that takes a fifth of
 * its time, and three multiplications per quotient remain. This is the same with s and r once per divisor.
 *
 * Only for quotients that are stored or rounded to 16 bits. The emulator rounds div.full correctly, products of
 * reciprocals like the hardware: where a quotient becomes an integer or 8-bit float, one unit in the last place would
 * differ from the interpreter by a step. */
#include "conversion/ttg_to_llvm/elementwise/shared_divisor.h"

#include "base/map.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "dialects/defining_op.h"

#include <mlir-c/BuiltinTypes.h>

enum { SHARED = 4 /* elements per divisor */ };

typedef struct divisor {
  MlirValue scale, reciprocal;
} divisor_t;

/* A product that is not contracted with an addition. */
static MlirValue product(nereid_lower_t *lower, MlirValue a, MlirValue b) {
  MlirValue factors[] = {a, b};
  return nereid_emit_intrinsic(lower, "llvm.nvvm.mul.rn.f", lower->types->f32, 2, factors);
}

static divisor_t prepare(nereid_lower_t *lower, MlirValue b) {
  MlirType f32 = lower->types->f32;
  MlirValue magnitude = nereid_emit(lower, "llvm.intr.fabs", f32, 1, &b);
  MlirValue is_large = nereid_emit_fcmp(lower, NEREID_FCMP_OGT, magnitude, nereid_emit_float(lower, f32, 0x1p126));
  MlirValue is_small = nereid_emit_fcmp(lower, NEREID_FCMP_OLT, magnitude, nereid_emit_float(lower, f32, 0x1p-126));
  MlirValue scale =
      nereid_emit_select(lower, is_small, nereid_emit_float(lower, f32, 0x1p24), nereid_emit_float(lower, f32, 1.0));
  scale = nereid_emit_select(lower, is_large, nereid_emit_float(lower, f32, 0x1p-2), scale);
  MlirValue scaled = product(lower, b, scale);
  return (divisor_t){scale, nereid_emit_intrinsic(lower, "llvm.nvvm.rcp.approx.ftz.f", f32, 1, &scaled)};
}

static bool is_constant(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  return !mlirOperationIsNull(op) && mlirOperationGetNumOperands(op) == 0;
}

static bool is_stored(MlirValue value, int depth) {
  enum { MAX_DEPTH = 3 /* conversions and roundings */ };
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    switch (nereid_op_kind(user)) {
    case NEREID_OP_TT_STORE:
    case NEREID_OP_TTG_LOCAL_ALLOC:
    case NEREID_OP_TTG_LOCAL_STORE:
    case NEREID_OP_TTG_LOCAL_SCATTER:
      break;
    case NEREID_OP_ARITH_TRUNCF:
    case NEREID_OP_TTG_CONVERT_LAYOUT:
      if (depth == MAX_DEPTH || !is_stored(mlirOperationGetResult(user, 0), depth + 1))
        return false;
      break;
    default:
      return false;
    }
  }
  return true;
}

/* Numbers the distinct divisors from 1 on in `numbers`; false if too few elements share each, or one is a constant. */
static bool number_divisors(const nereid_lowered_t *divisors, nereid_map_t *numbers) {
  for (intptr_t r = 0; r < divisors->count; ++r) {
    uintptr_t *number = nereid_map_insert(numbers, divisors->values[r].ptr);
    if (!number || is_constant(divisors->values[r]))
      return false;
    if (!*number)
      *number = numbers->size;
  }
  return divisors->count >= SHARED * (intptr_t)numbers->size;
}

bool nereid_lower_shared_divisors(nereid_lower_t *lower, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  nereid_map_t numbers;
  nereid_map_initialize(&numbers, lower->arena);
  if (!mlirTypeIsARankedTensor(mlirValueGetType(result)) ||
      !mlirTypeIsAF32(nereid_lower_element_type(mlirValueGetType(result))) || !is_stored(result, 0))
    return false;
  const nereid_lowered_t dividends = nereid_lower_operand(lower, op, 0), divisors = nereid_lower_operand(lower, op, 1);
  if (!dividends.values || !divisors.values || dividends.count != divisors.count ||
      !number_divisors(&divisors, &numbers))
    return false;
  divisor_t *prepared = nereid_arena_new(lower->arena, divisor_t, numbers.size);
  nereid_lowered_t quotients = nereid_lower_array(lower, dividends.count);
  for (intptr_t r = 0; prepared && quotients.values && r < dividends.count; ++r) {
    divisor_t *divisor = &prepared[*nereid_map_find(&numbers, divisors.values[r].ptr) - 1];
    if (!divisor->scale.ptr)
      *divisor = prepare(lower, divisors.values[r]);
    MlirValue scaled = product(lower, dividends.values[r], divisor->scale);
    quotients.values[r] = product(lower, scaled, divisor->reciprocal);
  }
  nereid_lower_set(lower, result, quotients);
  return true;
}
