/* tt.extern_elementwise: libdevice functions by name, computed in double and rounded to the result's type.
 *
 *   "__nv_tanhf"   →   (float)tanh((double)x)
 *
 * A float function has the suffix f. Functions on bits and functions with a rounding mode in their name are in
 * separate files. Functions that write through a pointer cannot be called on tensors. */
#include "interpreter/ops/extern.h"

#include <math.h>

typedef struct symbol {
  const char *name; /* without __nv_ and the suffix f of float functions */
  int arity;
  double (*one)(double);
  double (*two)(double, double);
  double (*three)(double, double, double);
  double (*four)(double, double, double, double);
} symbol_t;

static double rsqrt_(double x) {
  return 1 / sqrt(x);
}
static double rcbrt_(double x) {
  return 1 / cbrt(x);
}
static double sinpi_(double x) {
  return sin(M_PI * fmod(x, 2));
}
static double cospi_(double x) {
  return cos(M_PI * fmod(x, 2));
}
static double exp10_(double x) {
  return pow(10, x);
}
static double saturate_(double x) {
  return x > 0 ? fmin(x, 1) : 0;
}
/* Where the factors exceed the range of double, the first term of the asymptotic series suffices. */
static double erfcx_(double x) {
  return x > 25 ? 0.564189583547756287 / x * (1 - 0.5 / (x * x)) : exp(x * x) * erfc(x);
}
static double fast_pow_(double x, double y) {
  return exp2(y * log2(x));
}
static double normcdf_(double x) {
  return 0.5 * erfc(-x * M_SQRT1_2);
}
static double divide_(double x, double y) {
  return x / y;
}
static double rhypot_(double x, double y) {
  return 1 / hypot(x, y);
}
static double ldexp_(double x, double n) {
  return ldexp(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);
}
static double jn_(double n, double x) {
  return n < 0 ? NAN : jn((int)n, x);
}
static double yn_(double n, double x) {
  return n < 0 ? NAN : yn((int)n, x);
}
static double norm3d_(double x, double y, double z) {
  return hypot(hypot(x, y), z);
}
static double rnorm3d_(double x, double y, double z) {
  return 1 / norm3d_(x, y, z);
}
static double norm4d_(double x, double y, double z, double w) {
  return hypot(hypot(x, y), hypot(z, w));
}
static double rnorm4d_(double x, double y, double z, double w) {
  return 1 / norm4d_(x, y, z, w);
}

/* The inverse of erfc: Newton's method from a logarithmic first approximation. */
static double erfcinv_(double y) {
  if (!(y >= 0 && y <= 2))
    return NAN;
  if (y == 0 || y == 2)
    return y == 0 ? INFINITY : -INFINITY;
  const double small = y < 1 ? y : 2 - y, t = sqrt(-2 * log(small / 2));
  double x = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
  for (int i = 0; i < 4; ++i) {
    const double error = erfc(x) - small;
    x += error / (1.12837916709551257 * exp(-x * x) - x * error);
  }
  return y < 1 ? x : -x;
}
static double erfinv_(double x) {
  if (fabs(x) > 0.5 || isnan(x))
    return x < 0 ? -erfcinv_(1 + x) : erfcinv_(1 - x);
  double y = x * 0.886226925452758; /* near zero 1 - x would lose precision */
  for (int i = 0; i < 5; ++i)
    y -= (erf(y) - x) / (1.12837916709551257 * exp(-y * y));
  return x == 0 ? x : y;
}
static double normcdfinv_(double x) {
  return -M_SQRT2 * erfcinv_(2 * x);
}

/* Modified Bessel functions of the first kind: sum of (x / 2)^(2 k + n) / (k! (k + n)!). */
static double bessel_i(int n, double x) {
  const double half = x / 2;
  double term = n ? half : 1, sum = term;
  if (isinf(x))
    return n ? x : INFINITY;
  for (int k = 1; k < 1000 && fabs(term) > fabs(sum) * 1e-18; ++k) {
    term *= half * half / ((double)k * (k + n));
    sum += term;
  }
  return sum;
}
static double bessel_i0(double x) {
  return bessel_i(0, x);
}
static double bessel_i1(double x) {
  return bessel_i(1, x);
}

static const symbol_t symbols[] = {
    {"sin", 1, .one = sin},
    {"cos", 1, .one = cos},
    {"tan", 1, .one = tan},
    {"asin", 1, .one = asin},
    {"acos", 1, .one = acos},
    {"atan", 1, .one = atan},
    {"sinh", 1, .one = sinh},
    {"cosh", 1, .one = cosh},
    {"tanh", 1, .one = tanh},
    {"asinh", 1, .one = asinh},
    {"acosh", 1, .one = acosh},
    {"atanh", 1, .one = atanh},
    {"exp", 1, .one = exp},
    {"exp2", 1, .one = exp2},
    {"exp10", 1, .one = exp10_},
    {"expm1", 1, .one = expm1},
    {"log", 1, .one = log},
    {"log2", 1, .one = log2},
    {"log10", 1, .one = log10},
    {"log1p", 1, .one = log1p},
    {"logb", 1, .one = logb},
    {"sqrt", 1, .one = sqrt},
    {"rsqrt", 1, .one = rsqrt_},
    {"cbrt", 1, .one = cbrt},
    {"rcbrt", 1, .one = rcbrt_},
    {"erf", 1, .one = erf},
    {"erfc", 1, .one = erfc},
    {"erfcx", 1, .one = erfcx_},
    {"normcdf", 1, .one = normcdf_},
    {"lgamma", 1, .one = lgamma},
    {"tgamma", 1, .one = tgamma},
    {"floor", 1, .one = floor},
    {"ceil", 1, .one = ceil},
    {"trunc", 1, .one = trunc},
    {"round", 1, .one = round},
    {"rint", 1, .one = rint},
    {"nearbyint", 1, .one = rint},
    {"fabs", 1, .one = fabs},
    {"sinpi", 1, .one = sinpi_},
    {"cospi", 1, .one = cospi_},
    {"saturate", 1, .one = saturate_},
    {"erfinv", 1, .one = erfinv_},
    {"erfcinv", 1, .one = erfcinv_},
    {"normcdfinv", 1, .one = normcdfinv_},
    {"cyl_bessel_i0", 1, .one = bessel_i0},
    {"cyl_bessel_i1", 1, .one = bessel_i1},
    {"j0", 1, .one = j0},
    {"j1", 1, .one = j1},
    {"y0", 1, .one = y0},
    {"y1", 1, .one = y1},
    {"fast_tanh", 1, .one = tanh},
    {"fast_sin", 1, .one = sin},
    {"fast_cos", 1, .one = cos},
    {"fast_tan", 1, .one = tan},
    {"fast_exp", 1, .one = exp},
    {"fast_exp10", 1, .one = exp10_},
    {"fast_log", 1, .one = log},
    {"fast_log2", 1, .one = log2},
    {"fast_log10", 1, .one = log10},
    {"frsqrt_rn", 1, .one = rsqrt_},
    {"pow", 2, .two = pow},
    {"fast_pow", 2, .two = fast_pow_},
    {"fmod", 2, .two = fmod},
    {"remainder", 2, .two = remainder},
    {"atan2", 2, .two = atan2},
    {"hypot", 2, .two = hypot},
    {"fdim", 2, .two = fdim},
    {"fmax", 2, .two = fmax},
    {"fmin", 2, .two = fmin},
    {"copysign", 2, .two = copysign},
    {"fast_fdivide", 2, .two = divide_},
    {"powi", 2, .two = pow},
    {"rhypot", 2, .two = rhypot_},
    {"ldexp", 2, .two = ldexp_},
    {"scalbn", 2, .two = ldexp_},
    {"jn", 2, .two = jn_},
    {"yn", 2, .two = yn_},
    {"norm3d", 3, .three = norm3d_},
    {"rnorm3d", 3, .three = rnorm3d_},
    {"fma", 3, .three = fma},
    {"norm4d", 4, .four = norm4d_},
    {"rnorm4d", 4, .four = rnorm4d_},
};

/* fabsf has the suffix f, fabs does not: tries the whole name first. */
static const symbol_t *find(nereid_view_t name) {
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
      if (nereid_view_equal(name, nereid_view(symbols[i].name)))
        return &symbols[i];
    if (name.size == 0 || name.data[name.size - 1] != 'f')
      return NULL;
    --name.size;
  }
  return NULL;
}

static double operand(const nereid_slot_t *slot, size_t i) {
  const nereid_kind_t kind = slot->shape.element;
  const uint64_t word = nereid_machine_word(slot, i);
  return nereid_kind_is_float(kind) ? nereid_bits_to_double(kind, word) : (double)nereid_bits_signed(word, kind.bits);
}

/* fma of f32 and f64 is rounded once; other functions are computed in double, then rounded to the type. */
static uint64_t apply(const symbol_t *symbol, const nereid_step_t *step, size_t i) {
  if (symbol->three == fma)
    return nereid_bits_fma(step->to, nereid_machine_word(step->operands[0], i),
                           nereid_machine_word(step->operands[1], i), nereid_machine_word(step->operands[2], i));
  double x[4] = {0};
  for (int k = 0; k < symbol->arity; ++k)
    x[k] = operand(step->operands[k], i);
  const double value = symbol->arity == 4   ? symbol->four(x[0], x[1], x[2], x[3])
                       : symbol->arity == 3 ? symbol->three(x[0], x[1], x[2])
                       : symbol->arity == 2 ? symbol->two(x[0], x[1])
                                            : symbol->one(x[0]);
  return nereid_bits_from_double(step->to, value, false);
}

/* The implementation of a name: one of the three. */
typedef struct function {
  const symbol_t *symbol;
  const nereid_extern_word_t *word;
  bool is_rounded;
  nereid_extern_rounded_t rounded;
} function_t;

static bool look_up(const nereid_step_t *step, nereid_view_t name, function_t *out) {
  static const char prefix[] = "__nv_";
  *out = (function_t){.symbol = NULL};
  if (!nereid_view_starts_with(name, nereid_view(prefix)))
    return false;
  name = nereid_view_of(name.data + sizeof prefix - 1, name.size - (sizeof prefix - 1));
  const size_t n = step->n_operands;
  out->word = nereid_extern_find_word(name);
  if (out->word)
    return (size_t)out->word->arity == n;
  out->is_rounded = nereid_extern_find_rounded(name, &out->rounded);
  if (out->is_rounded)
    return (size_t)out->rounded.arity == n;
  out->symbol = find(name);
  return out->symbol && (size_t)out->symbol->arity == n && nereid_kind_is_float(step->to);
}

enum { ARITY = 3 };

static uint64_t call(const function_t *function, const nereid_step_t *step, size_t i) {
  uint64_t x[ARITY] = {0};
  if (function->symbol)
    return apply(function->symbol, step, i);
  for (size_t k = 0; k < step->n_operands && k < ARITY; ++k)
    x[k] = nereid_machine_word(step->operands[k], i);
  const uint64_t word = function->word ? function->word->apply(x)
                                       : nereid_extern_apply_rounded(&function->rounded, step->from, step->to, x);
  return nereid_bits_cut(word, step->to.bits);
}

static bool extern_elementwise(nereid_machine_t *machine, const nereid_step_t *step) {
  const MlirStringRef name = nereid_tt_extern_elementwise_get_symbol(step->op);
  function_t function;
  if (!look_up(step, nereid_view_of(name.data, name.length), &function))
    return nereid_machine_error(step, "calls '%.*s', which the interpreter does not support for these operands",
                                (int)name.length, name.data);
  size_t count = step->results[0]->shape.count;
  for (size_t k = 0; k < step->n_operands; ++k)
    if (step->operands[k]->count > count)
      count = step->operands[k]->count;
  uint64_t *out = nereid_machine_resize(machine, step->results[0], count);
  for (size_t i = 0; out && i < count; ++i)
    out[i] = call(&function, step, i);
  return out != NULL;
}

const nereid_machine_row_t nereid_machine_extern_rows[] = {
    {.kind = NEREID_OP_TT_EXTERN_ELEMENTWISE, .run = extern_elementwise},
    {.kind = NEREID_OP_UNKNOWN},
};
