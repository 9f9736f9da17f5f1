/* tt.extern_elementwise: functions of libdevice by name, computed in double and rounded to the result's type.
 *
 *   "__nv_tanhf"   →   (float)tanh((double)x)
 *
 * A float function has an f behind its name; the integer ones are listed as they are. */
#include "interpreter/machine.h"

#include <math.h>

typedef struct symbol {
  const char *name; /* without __nv_ and the f of float functions */
  int arity;
  double (*one)(double);
  double (*two)(double, double);
  double (*three)(double, double, double);
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
static double erfcx_(double x) {
  return exp(x * x) * erfc(x);
}
static double normcdf_(double x) {
  return 0.5 * erfc(-x * M_SQRT1_2);
}
static double divide_(double x, double y) {
  return x / y;
}
static double multiply_(double x, double y) {
  return x * y;
}
static double add_(double x, double y) {
  return x + y;
}
static double subtract_(double x, double y) {
  return x - y;
}
static double reciprocal_(double x) {
  return 1 / x;
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
    {"fast_sin", 1, .one = sin},
    {"fast_cos", 1, .one = cos},
    {"fast_tan", 1, .one = tan},
    {"fast_exp", 1, .one = exp},
    {"fast_exp10", 1, .one = exp10_},
    {"fast_log", 1, .one = log},
    {"fast_log2", 1, .one = log2},
    {"fast_log10", 1, .one = log10},
    {"frsqrt_rn", 1, .one = rsqrt_},
    {"frcp_rn", 1, .one = reciprocal_},
    {"drcp_rn", 1, .one = reciprocal_},
    {"fsqrt_rn", 1, .one = sqrt},
    {"dsqrt_rn", 1, .one = sqrt},
    {"pow", 2, .two = pow},
    {"fast_pow", 2, .two = pow},
    {"fmod", 2, .two = fmod},
    {"remainder", 2, .two = remainder},
    {"atan2", 2, .two = atan2},
    {"hypot", 2, .two = hypot},
    {"fdim", 2, .two = fdim},
    {"fmax", 2, .two = fmax},
    {"fmin", 2, .two = fmin},
    {"copysign", 2, .two = copysign},
    {"fast_fdivide", 2, .two = divide_},
    {"fdiv_rn", 2, .two = divide_},
    {"ddiv_rn", 2, .two = divide_},
    {"fmul_rn", 2, .two = multiply_},
    {"dmul_rn", 2, .two = multiply_},
    {"fadd_rn", 2, .two = add_},
    {"dadd_rn", 2, .two = add_},
    {"fsub_rn", 2, .two = subtract_},
    {"dsub_rn", 2, .two = subtract_},
    {"powi", 2, .two = pow},
    {"fma", 3, .three = fma},
    {"fma_rn", 3, .three = fma},
};

/* fabsf has the f of the type, fabs has none: the whole name is tried first. */
static const symbol_t *find(nereid_view_t name) {
  static const char prefix[] = "__nv_";
  if (!nereid_view_starts_with(name, nereid_view(prefix)))
    return NULL;
  name = nereid_view_of(name.data + sizeof prefix - 1, name.size - (sizeof prefix - 1));
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

/* fma of f32 and f64 is rounded once; the others in double and then to the type. */
static uint64_t apply(const symbol_t *symbol, const nereid_step_t *step, size_t i) {
  if (symbol->arity == 3)
    return nereid_bits_fma(step->to, nereid_machine_word(step->operands[0], i),
                           nereid_machine_word(step->operands[1], i), nereid_machine_word(step->operands[2], i));
  const double x = operand(step->operands[0], i);
  const double value = symbol->arity == 2 ? symbol->two(x, operand(step->operands[1], i)) : symbol->one(x);
  return nereid_bits_from_double(step->to, value, false);
}

static bool extern_elementwise(nereid_machine_t *machine, const nereid_step_t *step) {
  const MlirStringRef name = nereid_tt_extern_elementwise_get_symbol(step->op);
  const symbol_t *symbol = find(nereid_view_of(name.data, name.length));
  if (!symbol || (size_t)symbol->arity != step->n_operands || !nereid_kind_is_float(step->to))
    return nereid_machine_error(step, "calls '%.*s', which the interpreter does not know for these operands",
                                (int)name.length, name.data);
  size_t count = step->results[0]->shape.count;
  for (size_t k = 0; k < step->n_operands; ++k)
    if (step->operands[k]->count > count)
      count = step->operands[k]->count;
  uint64_t *out = nereid_machine_resize(machine, step->results[0], count);
  for (size_t i = 0; out && i < count; ++i)
    out[i] = apply(symbol, step, i);
  return out != NULL;
}

const nereid_machine_row_t nereid_machine_extern_rows[] = {
    {.kind = NEREID_OP_TT_EXTERN_ELEMENTWISE, .run = extern_elementwise},
    {.kind = NEREID_OP_UNKNOWN},
};
