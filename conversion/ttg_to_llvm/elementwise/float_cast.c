/* Lowers numeric conversions: the casts of arith and tt.fp_to_fp. Every conversion rounds once.
 *
 *   f64 -> bf16, fp8    through f32 rounded to odd, so the second rounding is exact; bf16 directly on sm_90
 *   fp8 -> any           through f16, which represents every fp8 exactly
 *   any -> fp8           through f32; in pairs by cvt.rn.satfinite on sm_89 and later, else in integers
 *
 * Rounding to fp8 saturates: values out of range and infinities give the largest finite value; NaN stays NaN
 * (docs/numerics.md). */
#include "conversion/ttg_to_llvm/elementwise/float_cast.h"

#include "conversion/ttg_to_llvm/elementwise/byte_cast.h"
#include "conversion/ttg_to_llvm/elementwise/integer_range.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"
#include "conversion/ttg_to_llvm/words.h"

#include "base/target_facts.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <stdio.h>

/* An fp8 format, determined by exponent bias and mantissa bits. */
typedef struct fp8 {
  int mantissa, bias;
  double largest;
  uint8_t nan;
  const char *to_f16, *from_f32; /* intrinsics on pairs, sm_89 */
} fp8_t;

static const fp8_t e4m3 = {3, 7, 448.0, 0x7F, "llvm.nvvm.e4m3x2.to.f16x2.rn", "llvm.nvvm.ff.to.e4m3x2.rn"};
static const fp8_t e5m2 = {2, 15, 57344.0, 0x7F, "llvm.nvvm.e5m2x2.to.f16x2.rn", "llvm.nvvm.ff.to.e5m2x2.rn"};

static const fp8_t *fp8_of(MlirType type) {
  if (mlirTypeIsAFloat8E4M3FN(type))
    return &e4m3;
  return mlirTypeIsAFloat8E5M2(type) ? &e5m2 : NULL;
}

static bool has_fp8_cvt(const nereid_lower_t *lower) {
  return nereid_target_has_fp8_conversions(lower->module->options.capability, lower->module->options.ptx_version);
}

/* --- from fp8 --- */

/* e5m2 is the high byte of an f16. The bits of e4m3, shifted to exponent and mantissa of an f16, are 2^8 too small. */
static MlirValue fp8_bits_to_f16(nereid_lower_t *lower, const fp8_t *format, MlirValue bits) {
  const nereid_lower_types_t *t = lower->types;
  MlirValue wide = nereid_emit_cast(lower, "llvm.zext", t->i16, bits);
  if (format == &e5m2)
    return nereid_emit_bits(lower, t->f16, nereid_emit_shl(lower, wide, nereid_emit_int(lower, t->i16, 8)));
  MlirValue magnitude = nereid_emit_and(lower, wide, nereid_emit_int(lower, t->i16, 0x7F));
  MlirValue sign = nereid_emit_and(lower, wide, nereid_emit_int(lower, t->i16, 0x80));
  sign = nereid_emit_shl(lower, sign, nereid_emit_int(lower, t->i16, 8));
  MlirValue scaled = nereid_emit_binary(
      lower, "llvm.fmul",
      nereid_emit_bits(lower, t->f16, nereid_emit_shl(lower, magnitude, nereid_emit_int(lower, t->i16, 7))),
      nereid_emit_float(lower, t->f16, 256.0));
  MlirValue is_nan = nereid_emit_icmp(lower, NEREID_ICMP_EQ, magnitude, nereid_emit_int(lower, t->i16, format->nan));
  MlirValue number = nereid_emit_bits(lower, t->i16, scaled);
  number = nereid_emit_select(lower, is_nan, nereid_emit_int(lower, t->i16, 0x7E00), number);
  return nereid_emit_bits(lower, t->f16, nereid_emit_or(lower, number, sign));
}

static void fp8_pair_to_f16(nereid_lower_t *lower, const fp8_t *format, const MlirValue *bits, MlirValue *out) {
  if (!has_fp8_cvt(lower)) {
    for (int i = 0; i < 2; ++i)
      out[i] = i && bits[1].ptr == bits[0].ptr ? out[0] : fp8_bits_to_f16(lower, format, bits[i]);
    return;
  }
  MlirValue packed = nereid_emit_bits(lower, lower->types->i16, nereid_emit_pack(lower, 2, bits));
  MlirValue pair =
      nereid_emit_intrinsic(lower, format->to_f16, nereid_emit_vector_type(lower->types->f16, 2), 1, &packed);
  for (int i = 0; i < 2; ++i)
    out[i] = nereid_emit_extract(lower, pair, i);
}

MlirValue nereid_lower_widen_fp8(nereid_lower_t *lower, MlirType fp8, MlirValue bits) {
  const fp8_t *format = fp8_of(fp8);
  const MlirValue pair[] = {bits, bits};
  MlirValue out[2] = {{NULL}};
  if (format)
    fp8_pair_to_f16(lower, format, pair, out);
  return out[0];
}

/* --- to fp8 --- */

/* The bits of a magnitude that is normal in the format: truncates the mantissa, with rounding to even unless the mode
 * is toward zero, and changes the exponent's bias. */
static MlirValue normal_bits(nereid_lower_t *lower, const fp8_t *format, MlirValue magnitude_bits, bool to_zero) {
  const int cut = 23 - format->mantissa;
  MlirValue shift = nereid_emit_i32(lower, cut), bits = magnitude_bits;
  if (!to_zero) {
    MlirValue lowest = nereid_emit_lshr(lower, bits, shift);
    lowest = nereid_emit_and(lower, lowest, nereid_emit_i32(lower, 1));
    bits = nereid_emit_add(lower, bits, lowest);
    bits = nereid_emit_add(lower, bits, nereid_emit_i32(lower, (1 << (cut - 1)) - 1));
  }
  MlirValue rebias = nereid_emit_i32(lower, -((127 - format->bias) << format->mantissa));
  return nereid_emit_add(lower, nereid_emit_lshr(lower, bits, shift), rebias);
}

/* The bits of a subnormal: its multiple of the smallest subnormal, 2^(1 - bias - mantissa). */
static MlirValue subnormal_bits(nereid_lower_t *lower, const fp8_t *format, MlirValue magnitude, bool to_zero) {
  double per_unit = 1.0;
  for (int i = 0; i < format->bias - 1 + format->mantissa; ++i)
    per_unit *= 2.0;
  MlirType f32 = lower->types->f32;
  MlirValue units = nereid_emit_binary(lower, "llvm.fmul", magnitude, nereid_emit_float(lower, f32, per_unit));
  if (!to_zero)
    units = nereid_emit(lower, "llvm.intr.roundeven", f32, 1, &units);
  return nereid_emit_cast(lower, "llvm.fptoui", lower->types->i32, units);
}

static MlirValue f32_to_fp8_bits(nereid_lower_t *lower, const fp8_t *format, MlirValue value, bool to_zero) {
  const nereid_lower_types_t *t = lower->types;
  double smallest_normal = 1.0;
  for (int i = 0; i < format->bias - 1; ++i)
    smallest_normal /= 2.0;
  MlirValue is_nan = nereid_emit_fcmp(lower, NEREID_FCMP_UNO, value, value);
  MlirValue magnitude = nereid_emit(lower, "llvm.intr.fabs", t->f32, 1, &value);
  magnitude =
      nereid_emit_binary(lower, "llvm.intr.minnum", magnitude, nereid_emit_float(lower, t->f32, format->largest));
  MlirValue small =
      nereid_emit_fcmp(lower, NEREID_FCMP_OLT, magnitude, nereid_emit_float(lower, t->f32, smallest_normal));
  MlirValue normal = normal_bits(lower, format, nereid_emit_bits(lower, t->i32, magnitude), to_zero);
  MlirValue subnormal = subnormal_bits(lower, format, magnitude, to_zero);
  MlirValue bits = nereid_emit_select(lower, small, subnormal, normal);
  MlirValue sign = nereid_emit_bits(lower, t->i32, value);
  sign = nereid_emit_lshr(lower, sign, nereid_emit_i32(lower, 24));
  sign = nereid_emit_and(lower, sign, nereid_emit_i32(lower, 0x80));
  /* NaN has no sign, as in the instruction. */
  bits = nereid_emit_or(lower, bits, sign);
  bits = nereid_emit_select(lower, is_nan, nereid_emit_i32(lower, format->nan), bits);
  return nereid_emit_cast(lower, "llvm.trunc", t->i8, bits);
}

static void f32_pair_to_fp8(nereid_lower_t *lower, const fp8_t *format, const MlirValue *values, bool to_zero,
                            MlirValue *out) {
  if (to_zero || !has_fp8_cvt(lower)) {
    for (int i = 0; i < 2; ++i)
      out[i] = i && values[1].ptr == values[0].ptr ? out[0] : f32_to_fp8_bits(lower, format, values[i], to_zero);
    return;
  }
  /* cvt puts its first operand into the high byte. */
  const MlirValue operands[] = {values[1], values[0]};
  MlirValue packed = nereid_emit_intrinsic(lower, format->from_f32, lower->types->i16, 2, operands);
  MlirValue pair = nereid_emit_bits(lower, nereid_emit_vector_type(lower->types->i8, 2), packed);
  for (int i = 0; i < 2; ++i)
    out[i] = nereid_emit_extract(lower, pair, i);
}

/* --- between the formats that LLVM supports --- */

/* f64 to f32, rounded to odd: inexact results get an odd last bit, so that a later rounding to fewer bits is
 * correct. */
static MlirValue round_to_odd(nereid_lower_t *lower, MlirValue value) {
  const nereid_lower_types_t *t = lower->types;
  MlirValue cut = nereid_emit_intrinsic(lower, "llvm.nvvm.d2f.rz", t->f32, 1, &value);
  MlirValue back = nereid_emit_cast(lower, "llvm.fpext", t->f64, cut);
  MlirValue inexact = nereid_emit_fcmp(lower, NEREID_FCMP_ONE, back, value);
  MlirValue odd = nereid_emit_bits(lower, t->i32, cut);
  odd = nereid_emit_or(lower, odd, nereid_emit_cast(lower, "llvm.zext", t->i32, inexact));
  return nereid_emit_bits(lower, t->f32, odd);
}

static unsigned width_of(MlirType type) {
  return mlirFloatTypeGetWidth(type);
}

/* f32 to f16 or bf16, f64 to f32, towards zero. */
static MlirValue cut(nereid_lower_t *lower, MlirType to, MlirValue value) {
  if (mlirTypeIsAF32(to))
    return nereid_emit_intrinsic(lower, "llvm.nvvm.d2f.rz", to, 1, &value);
  const char *text = mlirTypeIsABF16(to) ? "cvt.rz.bf16.f32 $0, $1;" : "cvt.rz.f16.f32 $0, $1;";
  MlirValue bits;
  nereid_emit_asm(lower, text, "=h,f", false, 1, &lower->types->i16, 1, &value, &bits);
  return nereid_emit_bits(lower, to, bits);
}

/* One value from one of f64, f32, f16, bf16 to another of them. */
static MlirValue convert(nereid_lower_t *lower, MlirType to, MlirValue value, bool to_zero) {
  MlirType from = mlirValueGetType(value);
  if (mlirTypeEqual(from, to))
    return value;
  if (width_of(to) > width_of(from))
    return nereid_emit_cast(lower, "llvm.fpext", to, value);
  /* f64 to f16 is an instruction on all targets, f64 to bf16 from sm_90 on. */
  const bool direct = mlirTypeIsAF16(to) || nereid_target_has_bf16_conversions(lower->module->options.capability);
  if (mlirTypeIsAF64(from) && !mlirTypeIsAF32(to) && (to_zero || !direct))
    value = to_zero ? cut(lower, lower->types->f32, value) : round_to_odd(lower, value);
  if (width_of(from) == 16)
    value = nereid_emit_cast(lower, "llvm.fpext", lower->types->f32, value);
  return to_zero ? cut(lower, to, value) : nereid_emit_cast(lower, "llvm.fptrunc", to, value);
}

/* Two accumulators of a dot, rounded in one operation on vectors. Two separate operations would move before the join
 * after the dot's loop, to the path on which accumulators are zero, where the code generator no longer forms one
 * instruction of them. */
static void round_accumulators(nereid_lower_t *lower, MlirType to, const MlirValue *values, MlirValue *out) {
  MlirType vector = nereid_emit_vector_type(to, 2);
  MlirValue pair = nereid_emit_cast(lower, "llvm.fptrunc", vector, nereid_emit_pack(lower, 2, values));
  nereid_emit_split(lower, to, 2, nereid_emit_bits(lower, lower->types->i32, pair), out);
}

/* Two values from any format to any; `from` and `to` are the types of the IR. */
static void convert_pair(nereid_lower_t *lower, MlirType from, MlirType to, bool to_zero, const MlirValue *values,
                         MlirValue *out) {
  const fp8_t *source = fp8_of(from), *result = fp8_of(to);
  MlirValue middle[2] = {values[0], values[1]};
  MlirType expected = nereid_lower_type(lower, to);
  if (source)
    fp8_pair_to_f16(lower, source, values, middle);
  for (int i = 0; i < 2; ++i) {
    if (i && values[1].ptr == values[0].ptr)
      middle[1] = middle[0];
    else if (result && mlirTypeIsAF64(mlirValueGetType(middle[i])) && !to_zero)
      middle[i] = round_to_odd(lower, middle[i]);
    else
      middle[i] = convert(lower, result ? lower->types->f32 : expected, middle[i], to_zero);
  }
  if (result)
    f32_pair_to_fp8(lower, result, middle, to_zero, out);
  else
    memcpy(out, middle, sizeof middle);
}

static bool rounds_accumulators(MlirType from, MlirType type, bool to_zero) {
  MlirAttribute encoding =
      mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : (MlirAttribute){NULL};
  return !mlirAttributeIsNull(encoding) && nereid_ttg_nvidia_mma_attr_isa(encoding) && !to_zero &&
         mlirTypeIsAF32(from) && width_of(nereid_lower_element_type(type)) == 16;
}

static bool lower_float_cast(nereid_lower_t *lower, MlirOperation op, bool to_zero) {
  MlirValue source = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType from = nereid_lower_element_type(mlirValueGetType(source));
  MlirType to = nereid_lower_element_type(mlirValueGetType(result));
  if ((width_of(from) == 8 && !fp8_of(from)) || (width_of(to) == 8 && !fp8_of(to)))
    return nereid_lower_error(op, "converts a float format that NVIDIA GPUs do not have: expected f8E4M3FN or f8E5M2");
  if (mlirTypeIsNull(nereid_lower_type(lower, from)) || mlirTypeIsNull(nereid_lower_type(lower, to)))
    return nereid_lower_error(op,
                              "converts a float format that NVIDIA GPUs do not have: expected 8, 16, 32 or 64 bits");
  nereid_lowered_t values = nereid_lower_get(lower, source), lowered = nereid_lower_array(lower, values.count);
  const bool accumulators = rounds_accumulators(from, mlirValueGetType(result), to_zero);
  MlirValue pair[2] = {{NULL}}, out[2];
  for (intptr_t r = 0; lowered.values && r < lowered.count; r += 2) {
    const bool last = r + 1 == lowered.count;
    const MlirValue next[] = {values.values[r], values.values[last ? r : r + 1]};
    const bool same = next[0].ptr == pair[0].ptr && next[1].ptr == pair[1].ptr;
    memcpy(pair, next, sizeof pair);
    if (!same && accumulators && pair[0].ptr != pair[1].ptr)
      round_accumulators(lower, to, pair, out);
    else if (!same)
      convert_pair(lower, from, to, to_zero, pair, out);
    memcpy(lowered.values + r, out, (last ? 1 : 2) * sizeof *out);
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}

static bool lower_fp_to_fp(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const bool given = !mlirAttributeIsNull(nereid_tt_fp_to_fp_get_rounding_attr(op));
  return lower_float_cast(lower, op, given && nereid_tt_fp_to_fp_get_rounding(op) == NEREID_TT_ROUNDING_MODE_RTZ);
}

static bool lower_extf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  return lower_float_cast(lower, op, false);
}

static bool lower_truncf(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirAttribute mode = nereid_arith_truncf_get_roundingmode_attr(op);
  enum { TO_NEAREST_EVEN = 0, TOWARD_ZERO = 3 }; /* arith::RoundingMode */
  const int64_t number = mlirAttributeIsNull(mode) ? TO_NEAREST_EVEN : mlirIntegerAttrGetValueInt(mode);
  if (number != TO_NEAREST_EVEN && number != TOWARD_ZERO)
    return nereid_lower_error(op, "rounds in a mode that is not supported: expected to_nearest_even or toward_zero");
  return lower_float_cast(lower, op, number == TOWARD_ZERO);
}

/* --- integers --- */

/* An i32 or i64 to f32, rounded to odd, so that the conversion to bf16 rounds once. */
static MlirValue int_to_odd_f32(nereid_lower_t *lower, bool is_signed, MlirValue value) {
  const nereid_lower_types_t *t = lower->types;
  MlirType type = mlirValueGetType(value);
  const bool wide = mlirIntegerTypeGetWidth(type) == 64;
  const char *convert_name = wide        ? is_signed ? "llvm.nvvm.ll2f.rz" : "llvm.nvvm.ull2f.rz"
                             : is_signed ? "llvm.nvvm.i2f.rz"
                                         : "llvm.nvvm.ui2f.rz";
  MlirValue cut_value = nereid_emit_intrinsic(lower, convert_name, t->f32, 1, &value);
  MlirValue back = nereid_emit_cast(lower, is_signed ? "llvm.fptosi" : "llvm.fptoui", type, cut_value);
  MlirValue inexact =
      nereid_emit_cast(lower, "llvm.zext", t->i32, nereid_emit_icmp(lower, NEREID_ICMP_NE, back, value));
  MlirValue odd = nereid_emit_bits(lower, t->i32, cut_value);
  return nereid_emit_bits(lower, t->f32, nereid_emit_or(lower, odd, inexact));
}

/* The f32 of an i8: the byte in the mantissa of 2^23, minus 2^23. A single conversion then gives the bf16x2 of two
 * bytes, instead of an integer conversion for each, which takes four times as long as an addition. */
static MlirValue byte_to_f32(nereid_lower_t *lower, bool is_signed, MlirValue byte) {
  enum { EXPONENT = 0x4B000000, SIGN = 0x80 }; /* 2^23; an i8 plus 128 is unsigned */
  const double least = 8388608.0;
  MlirValue bits = nereid_emit_cast(lower, "llvm.zext", lower->types->i32, byte);
  bits = nereid_emit_xor(lower, bits, nereid_emit_i32(lower, EXPONENT | (is_signed ? SIGN : 0)));
  MlirValue offset = nereid_emit_float(lower, lower->types->f32, least + (is_signed ? SIGN : 0));
  return nereid_emit_fbinary(lower, "llvm.fsub", nereid_emit_bits(lower, lower->types->f32, bits), offset);
}

/* The same for an i32 from -2^22 to 2^22 - 1, in the mantissa of 1.5 * 2^23. */
static MlirValue small_to_f32(nereid_lower_t *lower, MlirValue value) {
  enum { MIDDLE = 0x4B400000 };
  MlirValue bits = nereid_emit_add(lower, value, nereid_emit_i32(lower, MIDDLE));
  MlirValue offset = nereid_emit_float(lower, lower->types->f32, 12582912.0);
  return nereid_emit_fbinary(lower, "llvm.fsub", nereid_emit_bits(lower, lower->types->f32, bits), offset);
}

/* All conversions round once. Before sm_90 no instruction converts integers to bf16: 16-bit integers are converted
 * through f32, which is exact, wider ones through f32 rounded to odd. */
static MlirValue emit_int_to_float(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                   MlirType element, const MlirValue *operands) {
  (void)op;
  enum { EXACT_IN_F32 = 24 };
  const unsigned width = mlirIntegerTypeGetWidth(mlirValueGetType(operands[0]));
  if (!mlirTypeIsABF16(element) || nereid_target_has_bf16_conversions(lower->module->options.capability))
    return nereid_emit_cast(lower, row->to, element, operands[0]);
  if (width <= EXACT_IN_F32)
    return convert(lower, element, nereid_emit_cast(lower, row->to, lower->types->f32, operands[0]), false);
  const bool is_signed = row->kind == NEREID_OP_ARITH_SITOFP;
  return convert(lower, element, int_to_odd_f32(lower, is_signed, operands[0]), false);
}

static unsigned source_width(MlirOperation op) {
  return mlirIntegerTypeGetWidth(nereid_lower_element_type(mlirValueGetType(mlirOperationGetOperand(op, 0))));
}

static bool is_from_to(MlirOperation op, int64_t least, int64_t most) {
  const nereid_integer_range_t range = nereid_integer_range(mlirOperationGetOperand(op, 0));
  return range.least >= least && range.most <= most;
}

/* Whether the op converts integers of a tensor to bf16 through f32, which represents them: those of 8 bits, and those
 * of 32 bits in a small range. */
static bool converts_through_f32(MlirOperation op, bool is_signed) {
  enum { SMALL = 1 << 22 };
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const unsigned width = source_width(op);
  if (!mlirTypeIsARankedTensor(type) || !mlirTypeIsABF16(nereid_lower_element_type(type)))
    return false;
  return width == 8 || (width == 32 && is_from_to(op, is_signed ? -SMALL : 0, SMALL - 1));
}

/* Whether the op converts numbers of a tensor to f16 that the significand of 1024, with the one before it, has room
 * for. */
static bool converts_in_f16(MlirOperation op, bool is_signed) {
  enum { HALF = 512 };
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const unsigned width = source_width(op);
  return mlirTypeIsARankedTensor(type) && mlirTypeIsAF16(nereid_lower_element_type(type)) &&
         (width == 16 || width == 32) && is_from_to(op, is_signed ? -HALF : 0, HALF - 1);
}

/* Two numbers from -512 to 511 to f16: their sums with 1536 in the significands of 1024, minus 1536. The sums are
 * positive, so that 32-bit arithmetic on the pair borrows nothing from the upper one. */
static void small_pair_to_f16(nereid_lower_t *lower, const MlirValue *values, MlirValue *out) {
  enum { MIDDLES = 0x66006600, UPPER = 16 };
  const nereid_lower_types_t *t = lower->types;
  const MlirValue middle = nereid_emit_float(lower, t->f16, 1536.0), middles[] = {middle, middle};
  MlirValue words[2];
  for (int i = 0; i < 2; ++i)
    words[i] = mlirTypeEqual(mlirValueGetType(values[i]), t->i32)
                   ? values[i]
                   : nereid_emit_cast(lower, "llvm.sext", t->i32, values[i]);
  MlirValue pair = nereid_emit_add(lower, nereid_emit_shl(lower, words[1], nereid_emit_i32(lower, UPPER)), words[0]);
  pair = nereid_emit_add(lower, pair, nereid_emit_i32(lower, MIDDLES));
  MlirValue numbers =
      nereid_emit_binary(lower, "llvm.fsub", nereid_emit_bits(lower, nereid_emit_vector_type(t->f16, 2), pair),
                         nereid_emit_pack(lower, 2, middles));
  for (int i = 0; i < 2; ++i)
    out[i] = nereid_emit_extract(lower, numbers, i);
}

/* Two i16 to bf16 through f32, as byte_to_f32: a byte permutation per number, of the word that has both. */
static void short_pair_to_bf16(nereid_lower_t *lower, MlirType bf16, bool is_signed, const MlirValue *values,
                               MlirValue *out) {
  enum { EXPONENT = 0x4B000000, SIGNS = (int32_t)0x80008000, LOWER = 0x7610, UPPER = 0x7632, HALF = 1 << 15 };
  const double least = 8388608.0;
  MlirValue pair = nereid_emit_word(lower, 2, values);
  if (is_signed)
    pair = nereid_emit_xor(lower, pair, nereid_emit_i32(lower, SIGNS));
  MlirValue offset = nereid_emit_float(lower, lower->types->f32, least + (is_signed ? HALF : 0));
  for (int i = 0; i < 2; ++i) {
    MlirValue bits = nereid_emit_permute(lower, pair, nereid_emit_i32(lower, EXPONENT), i ? UPPER : LOWER);
    MlirValue number =
        nereid_emit_fbinary(lower, "llvm.fsub", nereid_emit_bits(lower, lower->types->f32, bits), offset);
    out[i] = convert(lower, bf16, number, false);
  }
}

/* Converts two numbers at a time: small ones to f16, i16 to bf16. */
static bool lower_pairs(nereid_lower_t *lower, MlirOperation op, bool is_signed) {
  MlirType element = nereid_lower_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)));
  const nereid_lowered_t values = nereid_lower_get(lower, mlirOperationGetOperand(op, 0));
  nereid_lowered_t lowered = nereid_lower_array(lower, values.count);
  for (intptr_t r = 0; lowered.values && r < values.count; r += 2) {
    const bool last = r + 1 == values.count;
    const MlirValue pair[] = {values.values[r], values.values[last ? r : r + 1]};
    MlirValue out[2];
    if (mlirTypeIsAF16(element))
      small_pair_to_f16(lower, pair, out);
    else
      short_pair_to_bf16(lower, element, is_signed, pair, out);
    memcpy(lowered.values + r, out, (last ? 1 : 2) * sizeof *out);
  }
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}

static bool converts_shorts(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return source_width(op) == 16 && mlirTypeIsARankedTensor(type) && mlirTypeIsABF16(nereid_lower_element_type(type));
}

static MlirValue emit_small_to_float(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                     MlirType element, const MlirValue *operands) {
  const bool is_signed = row->kind == NEREID_OP_ARITH_SITOFP;
  (void)op;
  return convert(lower, element,
                 mlirIntegerTypeGetWidth(mlirValueGetType(operands[0])) == 32
                     ? small_to_f32(lower, operands[0])
                     : byte_to_f32(lower, is_signed, operands[0]),
                 false);
}

/* Whether the op converts i8 of a tensor that are elements of words to 16-bit floats. */
static bool converts_words(nereid_lower_t *lower, MlirOperation op, bool is_signed, nereid_lowered_t bytes) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType from = nereid_lower_element_type(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  return mlirTypeIsARankedTensor(type) && mlirIntegerTypeGetWidth(from) == 8 &&
         nereid_lower_can_convert_bytes(nereid_lower_element_type(type), is_signed) &&
         nereid_emit_are_bytes_of_words(lower, bytes.count, bytes.values);
}

static bool lower_int_to_float(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  const bool is_signed = row->kind == NEREID_OP_ARITH_SITOFP;
  nereid_lowered_t bytes = nereid_lower_get(lower, mlirOperationGetOperand(op, 0));
  if (converts_in_f16(op, is_signed) || converts_shorts(op))
    return lower_pairs(lower, op, is_signed);
  if (!converts_words(lower, op, is_signed, bytes))
    return nereid_lower_elementwise(lower, op, row,
                                    converts_through_f32(op, is_signed) ? emit_small_to_float : emit_int_to_float);
  MlirType type = nereid_lower_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)));
  nereid_lowered_t lowered = nereid_lower_array(lower, bytes.count);
  for (intptr_t r = 0; lowered.values && r < bytes.count; r += NEREID_BYTES_PER_WORD)
    nereid_lower_bytes_to_float(lower, type, is_signed, bytes.values + r, lowered.values + r);
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}

static MlirValue emit_float_to_int(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                   MlirType element, const MlirValue *operands) {
  (void)op;
  MlirValue value = operands[0];
  if (mlirTypeIsABF16(mlirValueGetType(value)))
    value = nereid_emit_cast(lower, "llvm.fpext", lower->types->f32, value);
  return nereid_emit_cast(lower, row->to, element, value);
}

static bool lower_float_to_int(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  return nereid_lower_elementwise(lower, op, row, emit_float_to_int);
}

const nereid_lower_row_t nereid_lower_float_cast_rows[] = {
    {NEREID_OP_TT_FP_TO_FP, lower_fp_to_fp, NULL},
    {NEREID_OP_ARITH_EXTF, lower_extf, NULL},
    {NEREID_OP_ARITH_TRUNCF, lower_truncf, NULL},
    {NEREID_OP_ARITH_SITOFP, lower_int_to_float, "llvm.sitofp"},
    {NEREID_OP_ARITH_UITOFP, lower_int_to_float, "llvm.uitofp"},
    {NEREID_OP_ARITH_FPTOSI, lower_float_to_int, "llvm.fptosi"},
    {NEREID_OP_ARITH_FPTOUI, lower_float_to_int, "llvm.fptoui"},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
