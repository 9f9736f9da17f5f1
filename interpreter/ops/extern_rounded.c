/* libdevice functions with a rounding mode in their name.
 *
 *   fadd_rd   f32 sum, downwards          double2uint_rz   f64 to u32, towards zero
 *   ull2float_ru   u64 to f32, upwards    llrintf          f32 to s64, to nearest, ties to even
 *
 * Arithmetic uses the processor's rounding mode; operands pass through volatile variables so that the compiler does
 * not move or fold it. Conversions to integers saturate and convert NaN to 0 or, from f64 and to 64 bits, to the
 * high bit alone (PTX ISA, cvt). */
#include "interpreter/ops/extern.h"

#include <fenv.h>
#include <math.h>

/* --- names --- */

static bool take(nereid_view_t *name, const char *prefix) {
  if (!nereid_view_starts_with(*name, nereid_view(prefix)))
    return false;
  const size_t size = strlen(prefix);
  *name = nereid_view_of(name->data + size, name->size - size);
  return true;
}

/* Matches the suffix "_rd". */
static bool take_rounding(nereid_view_t name, int *out_rounding) {
  static const struct {
    const char *name;
    int rounding;
  } rows[] = {{"_rn", FE_TONEAREST}, {"_rd", FE_DOWNWARD}, {"_ru", FE_UPWARD}, {"_rz", FE_TOWARDZERO}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (nereid_view_equal(name, nereid_view(rows[i].name))) {
      *out_rounding = rows[i].rounding;
      return true;
    }
  return false;
}

static bool find_arithmetic(nereid_view_t name, nereid_extern_rounded_t *out) {
  static const struct {
    const char *name;
    char operation;
    int arity;
  } rows[] = {{"add", '+', 2}, {"sub", '-', 2}, {"mul", '*', 2}, {"div", '/', 2}, {"rcp", 'r', 1}, {"sqrt", 's', 1}};
  nereid_view_t rest = name;
  *out = (nereid_extern_rounded_t){.kind = NEREID_EXTERN_ARITHMETIC, .operation = 'f', .arity = 3};
  if ((take(&rest, "fmaf_ieee") || take(&rest, "fmaf") || take(&rest, "fma")) && take_rounding(rest, &out->rounding))
    return true;
  rest = name;
  if (!take(&rest, "f") && !take(&rest, "d"))
    return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    nereid_view_t mode = rest;
    out->operation = rows[i].operation;
    out->arity = rows[i].arity;
    if (take(&mode, rows[i].name) && take_rounding(mode, &out->rounding))
      return true;
  }
  return false;
}

static bool find_conversion(nereid_view_t name, nereid_extern_rounded_t *out) {
  static const char *const floats[] = {"float", "double"}, *const integers[] = {"int", "uint", "ll", "ull"};
  *out = (nereid_extern_rounded_t){.arity = 1};
  for (size_t f = 0; f < 2; ++f)
    for (size_t i = 0; i < 4; ++i) {
      nereid_view_t to_integer = name, to_float = name;
      out->is_signed = i % 2 == 0;
      out->kind = NEREID_EXTERN_TO_INTEGER;
      if (take(&to_integer, floats[f]) && take(&to_integer, "2") && take(&to_integer, integers[i]) &&
          take_rounding(to_integer, &out->rounding))
        return true;
      out->kind = NEREID_EXTERN_TO_FLOAT;
      if (take(&to_float, integers[i]) && take(&to_float, "2") && take(&to_float, floats[f]) &&
          take_rounding(to_float, &out->rounding))
        return true;
    }
  out->kind = NEREID_EXTERN_ARITHMETIC;
  out->operation = '=';
  return take(&name, "double2float") && take_rounding(name, &out->rounding);
}

static bool find_nearest(nereid_view_t name, nereid_extern_rounded_t *out) {
  *out = (nereid_extern_rounded_t){
      .kind = NEREID_EXTERN_TO_INTEGER, .rounding = FE_TONEAREST, .is_signed = true, .arity = 1};
  if (nereid_view_equal(name, nereid_view("llrint")) || nereid_view_equal(name, nereid_view("llrintf")))
    return true;
  out->away = true;
  return nereid_view_equal(name, nereid_view("llround")) || nereid_view_equal(name, nereid_view("llroundf"));
}

bool nereid_extern_find_rounded(nereid_view_t name, nereid_extern_rounded_t *out_function) {
  return find_arithmetic(name, out_function) || find_conversion(name, out_function) || find_nearest(name, out_function);
}

/* --- numbers --- */

static double arithmetic_f64(char operation, const volatile double *x) {
  switch (operation) {
  case '+':
    return x[0] + x[1];
  case '-':
    return x[0] - x[1];
  case '*':
    return x[0] * x[1];
  case '/':
    return x[0] / x[1];
  case 'r':
    return 1 / x[0];
  case 's':
    return sqrt(x[0]);
  case 'f':
    return fma(x[0], x[1], x[2]);
  default:
    return x[0];
  }
}

static float arithmetic_f32(char operation, const volatile double *x) {
  const volatile float a = (float)x[0], b = (float)x[1], c = (float)x[2];
  switch (operation) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return a / b;
  case 'r':
    return 1 / a;
  case 's':
    return sqrtf(a);
  case 'f':
    return fmaf(a, b, c);
  default:
    return (float)x[0];
  }
}

static uint64_t arithmetic(const nereid_extern_rounded_t *function, nereid_kind_t from, nereid_kind_t to,
                           const uint64_t *words) {
  volatile double x[3] = {0}, wide = 0;
  volatile float narrow = 0;
  for (int i = 0; i < function->arity; ++i)
    x[i] = nereid_bits_to_double(from, words[i]);
  fesetround(function->rounding);
  if (to.format == NEREID_FORMAT_F32)
    narrow = arithmetic_f32(function->operation, x);
  else
    wide = arithmetic_f64(function->operation, x);
  fesetround(FE_TONEAREST);
  return nereid_bits_from_double(to, to.format == NEREID_FORMAT_F32 ? (double)narrow : wide, false);
}

static double to_integral(const nereid_extern_rounded_t *function, double value) {
  if (function->away)
    return round(value);
  switch (function->rounding) {
  case FE_DOWNWARD:
    return floor(value);
  case FE_UPWARD:
    return ceil(value);
  case FE_TOWARDZERO:
    return trunc(value);
  default:
    return rint(value);
  }
}

static uint64_t to_integer(const nereid_extern_rounded_t *function, nereid_kind_t from, nereid_kind_t to,
                           uint64_t word) {
  const double value = to_integral(function, nereid_bits_to_double(from, word));
  const uint64_t high = UINT64_C(1) << (to.bits - 1);
  const double limit = ldexp(1, (int)to.bits - (function->is_signed ? 1 : 0));
  if (isnan(value))
    return from.bits == 64 || to.bits == 64 ? high : 0;
  if (value >= limit)
    return function->is_signed ? high - 1 : ~UINT64_C(0);
  if (function->is_signed)
    return value <= -limit ? high : (uint64_t)(int64_t)value;
  return value <= 0 ? 0 : (uint64_t)value;
}

static uint64_t to_float(const nereid_extern_rounded_t *function, nereid_kind_t from, nereid_kind_t to, uint64_t word) {
  const volatile int64_t with_sign = nereid_bits_signed(word, from.bits);
  const volatile uint64_t without = word;
  volatile double wide = 0;
  volatile float narrow = 0;
  fesetround(function->rounding);
  if (to.format == NEREID_FORMAT_F32)
    narrow = function->is_signed ? (float)with_sign : (float)without;
  else
    wide = function->is_signed ? (double)with_sign : (double)without;
  fesetround(FE_TONEAREST);
  return nereid_bits_from_double(to, to.format == NEREID_FORMAT_F32 ? (double)narrow : wide, false);
}

uint64_t nereid_extern_apply_rounded(const nereid_extern_rounded_t *function, nereid_kind_t from, nereid_kind_t to,
                                     const uint64_t *x) {
  switch (function->kind) {
  case NEREID_EXTERN_TO_INTEGER:
    return to_integer(function, from, to, x[0]);
  case NEREID_EXTERN_TO_FLOAT:
    return to_float(function, from, to, x[0]);
  default:
    return arithmetic(function, from, to, x);
  }
}
