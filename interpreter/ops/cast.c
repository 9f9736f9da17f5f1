/* Conversions between element types, and constants.
 *
 *   arith.truncf %x : f32 to bf16        rounded once to nearest, ties to even
 *
 * Floats outside an integer's range saturate, and NaN becomes 0; 8-bit floats saturate. */
#include "interpreter/machine.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

static uint64_t same(const nereid_step_t *step, const uint64_t *x) {
  (void)step;
  return x[0];
}

static uint64_t extsi(const nereid_step_t *step, const uint64_t *x) {
  return (uint64_t)nereid_bits_signed(x[0], step->from.bits);
}

/* extf, truncf and fp_to_fp; `detail`: rounds towards zero. */
static uint64_t float_to_float(const nereid_step_t *step, const uint64_t *x) {
  const double value = nereid_bits_to_double(step->from, x[0]);
  if (step->from.format == step->to.format)
    return x[0];
  return step->detail ? nereid_bits_toward_zero(step->to, value, true) : nereid_bits_from_double(step->to, value, true);
}

/* A scale is interpreted as an f8E8M0FNU power of two. */
static double scale_of(const nereid_step_t *step, uint64_t word) {
  const nereid_kind_t power = {.format = NEREID_FORMAT_F8E8M0FNU, .bits = 8};
  const double value = nereid_bits_to_double(step->operands[1]->shape.element, word);
  return nereid_bits_to_double(power, nereid_bits_from_double(power, value, false));
}

static uint64_t scaling_extf(const nereid_step_t *step, const uint64_t *x) {
  return nereid_bits_from_double(step->to, nereid_bits_to_double(step->from, x[0]) * scale_of(step, x[1]), false);
}

static uint64_t scaling_truncf(const nereid_step_t *step, const uint64_t *x) {
  const double value = nereid_bits_to_double(step->from, x[0]) / scale_of(step, x[1]);
  return step->detail ? nereid_bits_toward_zero(step->to, value, true) : nereid_bits_from_double(step->to, value, true);
}

static uint64_t sitofp(const nereid_step_t *step, const uint64_t *x) {
  const int64_t value = nereid_bits_signed(x[0], step->from.bits);
  return nereid_bits_from_integer(step->to, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

static uint64_t uitofp(const nereid_step_t *step, const uint64_t *x) {
  return nereid_bits_from_integer(step->to, x[0], false);
}

static uint64_t fptosi(const nereid_step_t *step, const uint64_t *x) {
  const double value = nereid_bits_to_double(step->from, x[0]), limit = ldexp(1, (int)step->to.bits - 1);
  const uint64_t smallest = UINT64_C(1) << (step->to.bits - 1);
  if (isnan(value))
    return 0;
  if (value >= limit)
    return smallest - 1;
  return value <= -limit ? smallest : (uint64_t)(int64_t)value;
}

static uint64_t fptoui(const nereid_step_t *step, const uint64_t *x) {
  const double value = nereid_bits_to_double(step->from, x[0]);
  if (!(value > 0))
    return 0;
  return value >= ldexp(1, (int)step->to.bits) ? ~UINT64_C(0) : (uint64_t)value;
}

/* Two 4-bit floats per byte, adjacent along `axis`, the first in the low half. */
static bool fp4_to_fp(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_kind_t fp4 = {.format = NEREID_FORMAT_F4E2M1FN, .bits = 4};
  const nereid_shape_t *from = &step->operands[0]->shape, *to = &step->results[0]->shape;
  const int axis = nereid_ttg_fp4_to_fp_get_axis(step->op);
  int64_t at[NEREID_MACHINE_RANK] = {0};
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < to->count; ++i) {
    nereid_shape_coordinates(to, i, at);
    const bool second = at[axis] % 2;
    at[axis] /= 2;
    const uint64_t pair = nereid_machine_word(step->operands[0], nereid_shape_index(from, at));
    out[i] = nereid_bits_from_double(step->to, nereid_bits_to_double(fp4, second ? pair >> 4 : pair & 15), false);
  }
  return out != NULL;
}

/* --- constants --- */

static uint64_t element_at(MlirAttribute dense, nereid_kind_t kind, size_t i) {
  const bool splat = mlirDenseElementsAttrIsSplat(dense);
  const size_t bytes = (kind.bits + 7) / 8;
  uint64_t word = 0;
  if (kind.bits == 1)
    return splat ? mlirDenseElementsAttrGetBoolSplatValue(dense)
                 : mlirDenseElementsAttrGetBoolValue(dense, (intptr_t)i);
  memcpy(&word, (const char *)mlirDenseElementsAttrGetRawData(dense) + (splat ? 0 : i) * bytes, bytes);
  return nereid_bits_cut(word, kind.bits);
}

static bool constant(nereid_machine_t *machine, const nereid_step_t *step) {
  MlirAttribute value = nereid_arith_constant_get_value_attr(step->op);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (!out)
    return false;
  if (mlirAttributeIsADenseElements(value)) {
    for (size_t i = 0; i < step->results[0]->count; ++i)
      out[i] = element_at(value, step->to, i);
    return true;
  }
  if (mlirAttributeIsAInteger(value))
    out[0] = nereid_bits_cut((uint64_t)mlirIntegerAttrGetValueInt(value), step->to.bits);
  else if (mlirAttributeIsAFloat(value))
    out[0] = nereid_bits_from_double(step->to, mlirFloatAttrGetValueDouble(value), false);
  else
    return nereid_machine_error(step, "has a value that the interpreter does not handle");
  return true;
}

static bool poison(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (out)
    memset(out, 0, step->results[0]->count * sizeof *out);
  return out != NULL;
}

const nereid_machine_row_t nereid_machine_cast_rows[] = {
    {.kind = NEREID_OP_ARITH_CONSTANT, .run = constant},
    {.kind = NEREID_OP_UB_POISON, .run = poison},
    {.kind = NEREID_OP_ARITH_EXTSI, .lane = extsi},
    {.kind = NEREID_OP_ARITH_EXTUI, .lane = same},
    {.kind = NEREID_OP_ARITH_TRUNCI, .lane = same},
    {.kind = NEREID_OP_ARITH_INDEX_CAST, .lane = extsi},
    {.kind = NEREID_OP_ARITH_INDEX_CASTUI, .lane = same},
    {.kind = NEREID_OP_ARITH_EXTF, .lane = float_to_float},
    {.kind = NEREID_OP_ARITH_TRUNCF, .lane = float_to_float},
    {.kind = NEREID_OP_TT_FP_TO_FP, .lane = float_to_float},
    {.kind = NEREID_OP_ARITH_SITOFP, .lane = sitofp},
    {.kind = NEREID_OP_ARITH_UITOFP, .lane = uitofp},
    {.kind = NEREID_OP_ARITH_FPTOSI, .lane = fptosi},
    {.kind = NEREID_OP_ARITH_FPTOUI, .lane = fptoui},
    {.kind = NEREID_OP_ARITH_BITCAST, .lane = same},
    {.kind = NEREID_OP_TT_BITCAST, .lane = same},
    {.kind = NEREID_OP_TT_PTR_TO_INT, .lane = same},
    {.kind = NEREID_OP_TT_INT_TO_PTR, .lane = same},
    {.kind = NEREID_OP_TTG_CONVERT_LAYOUT, .lane = same},
    {.kind = NEREID_OP_TTG_FP4_TO_FP, .run = fp4_to_fp},
    {.kind = NEREID_OP_ARITH_SCALING_EXTF, .lane = scaling_extf},
    {.kind = NEREID_OP_ARITH_SCALING_TRUNCF, .lane = scaling_truncf},
    {.kind = NEREID_OP_UNKNOWN},
};
