/* ttg.fp4_to_fp: two 4-bit floats (e2m1) from each byte, adjacent along an axis, the first in the low half.
 *
 *   %y = ttg.fp4_to_fp %x {axis = 1} : tensor<16x32xi8, …> -> tensor<16x64xf16, …>
 *   ->
 *   y0 = bitcast((x & 7) << 9 | (x & 8) << 12) * 2^14
 *   y1 = bitcast((x & 0x70) << 5 | (x & 0x80) << 8) * 2^14
 *
 * Sign, exponent and mantissa move to their positions in the wider format. One exact multiplication corrects the bias
 * and normalizes subnormals. Both halves stay in the byte's thread. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "nereid/dialects/ttg.h"

#include <assert.h>
#include <math.h>

enum { FP4_BIAS = 1 };

/* The float whose 4 bits start at bit `at` of `byte`, an i16. */
static MlirValue widen(nereid_lower_t *lower, MlirType element, MlirValue byte, int at) {
  MlirType i16 = lower->types->i16;
  const bool is_f16 = mlirTypeIsAF16(element);
  const int mantissa = is_f16 ? 10 : 7, bias = is_f16 ? 15 : 127;
  MlirValue magnitude = nereid_emit_and(lower, byte, nereid_emit_int(lower, i16, 7 << at));
  MlirValue sign = nereid_emit_and(lower, byte, nereid_emit_int(lower, i16, 8 << at));
  magnitude = nereid_emit_shl(lower, magnitude, nereid_emit_int(lower, i16, mantissa - 1 - at));
  sign = nereid_emit_shl(lower, sign, nereid_emit_int(lower, i16, 12 - at));
  MlirValue number = nereid_emit_bits(lower, element, nereid_emit_or_disjoint(lower, magnitude, sign));
  return nereid_emit_binary(lower, "llvm.fmul", number, nereid_emit_float(lower, element, ldexp(1, bias - FP4_BIAS)));
}

/* The layout of the floats that the threads get from bytes laid out as `bytes`: the half is the lowest register bit. */
static bool halves_of(const nereid_layout_t *bytes, int axis, nereid_layout_t *out) {
  nereid_layout_identity1d(out, NEREID_LAYOUT_REGISTER, bytes->rank, axis, 1);
  return nereid_layout_multiply(out, bytes);
}

static bool lower_fp4_to_fp(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(result);
  const nereid_layout_t *bytes = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *to = nereid_lower_layout(lower, type);
  nereid_lowered_t source = nereid_lower_operand(lower, op, 0);
  nereid_layout_t from, map;
  if (!bytes || !to)
    return false;
  /* Verified: the result's encoding follows from the operand's. */
  if (!halves_of(bytes, nereid_ttg_fp4_to_fp_get_axis(op), &from) ||
      nereid_layout_convert(&from, to, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return nereid_lower_error(op, "has an operand in another layout than its result");
  nereid_lowered_t halves = nereid_lower_array(lower, 2 * source.count);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  for (intptr_t i = 0; halves.values && i < source.count; ++i) {
    MlirValue byte = nereid_emit_cast(lower, "llvm.zext", lower->types->i16, source.values[i]);
    for (int half = 0; half < 2; ++half)
      halves.values[2 * i + half] = widen(lower, nereid_lower_element_type(type), byte, 4 * half);
  }
  for (intptr_t r = 0; halves.values && lowered.values && r < lowered.count; ++r)
    lowered.values[r] = halves.values[nereid_layout_apply(&map, (uint32_t)r, 0, 0, 0) & (uint32_t)(halves.count - 1)];
  nereid_lower_set(lower, result, lowered);
  return halves.values && lowered.values;
}

const nereid_lower_row_t nereid_lower_fp4_rows[] = {
    {NEREID_OP_TTG_FP4_TO_FP, lower_fp4_to_fp, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
