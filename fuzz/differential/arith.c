/* Elementwise operations. */
#include "module.h"

#include <string.h>

static const char *choose(module_t *module, const char *const *names, size_t n) {
  return names[module_random(module, (uint32_t)n)];
}

#define CHOOSE(module, ...)                                                                                            \
  choose(module, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static value_t binary(module_t *module, const char *name, const value_t *a, const value_t *b) {
  char text[64];
  value_t result = module_like(module, a, a->element);
  module_line(module, "%%v%d = %s %%v%d, %%v%d : %s", result.id, name, a->id, b->id, module_type(text, a));
  return result;
}

/* Maps b into [low, low + 2^k), so that it is a valid shift amount or divisor. */
static value_t safe(module_t *module, const value_t *b, int64_t mask, int64_t low) {
  value_t bits = module_constant(module, b, mask), masked = binary(module, "arith.andi", b, &bits);
  if (!low)
    return masked;
  value_t one = module_constant(module, b, low);
  return binary(module, "arith.addi", &masked, &one);
}

static void integers(module_t *module, const value_t *a, const value_t *b) {
  const char *name = CHOOSE(module, "addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui",
                            "shli", "shrsi", "shrui", "divsi", "remsi", "divui", "remui");
  char operation[24];
  value_t right = *b;
  if (a->element == I1)
    name = CHOOSE(module, "andi", "ori", "xori");
  else if (name[0] == 's' && name[1] == 'h')
    right = safe(module, b, module_bits(a->element) - 1, 0);
  else if (strncmp(name, "div", 3) == 0 || strncmp(name, "rem", 3) == 0)
    right = safe(module, b, 15, 1);
  snprintf(operation, sizeof operation, "arith.%s", name);
  (void)binary(module, operation, a, &right);
  if ((a->element == I32 || a->element == I64) && module_chance(module, 5))
    (void)binary(module, "tt.mulhiui", a, b);
}

static void floats(module_t *module, const value_t *a, const value_t *b) {
  const char *name = CHOOSE(module, "arith.addf", "arith.subf", "arith.mulf", "arith.minnumf", "arith.maxnumf",
                            "arith.minimumf", "arith.maximumf", "tt.precise_divf");
  bool sums = strcmp(name, "arith.addf") == 0 || strcmp(name, "arith.subf") == 0;
  if (sums && (a->product || b->product))
    name = "arith.maxnumf";
  if (strcmp(name, "tt.precise_divf") == 0 && a->element != F32)
    name = "arith.minnumf";
  value_t result = binary(module, name, a, b);
  module->values[module->n_values - 1].product = strcmp(name, "arith.mulf") == 0;
  (void)result;
}

static void compare(module_t *module, const value_t *a, const value_t *b) {
  char text[64], mask[64];
  bool is_float = module_is_float(a->element);
  const char *how = is_float
                        ? CHOOSE(module, "oeq", "ogt", "oge", "olt", "ole", "one", "une", "ult", "uge", "ord", "uno")
                        : CHOOSE(module, "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge");
  value_t result = module_like(module, a, I1);
  module_line(module, "%%v%d = arith.%s %s, %%v%d, %%v%d : %s", result.id, is_float ? "cmpf" : "cmpi", how, a->id,
              b->id, module_type(text, a));
  if (!module_chance(module, 60))
    return;
  value_t other = module_of_type(module, a), chosen = module_like(module, a, a->element);
  module_type(mask, &result);
  module->values[module->n_values - 1].product = a->product || other.product;
  if (a->rank)
    module_line(module, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", chosen.id, result.id, a->id, other.id,
                mask, text);
  else
    module_line(module, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s", chosen.id, result.id, a->id, other.id, text);
}

static void unary(module_t *module, const value_t *a) {
  char text[64];
  bool is_float = module_is_float(a->element);
  const char *name = is_float ? CHOOSE(module, "arith.negf", "math.absf") : "math.absi";
  if (a->element == F32 && module_chance(module, 50))
    name = CHOOSE(module, "math.floor", "math.ceil");
  if (a->element == I1)
    return;
  value_t result = module_like(module, a, a->element);
  module->values[module->n_values - 1].product = a->product;
  module_line(module, "%%v%d = %s %%v%d : %s", result.id, name, a->id, module_type(text, a));
}

bool module_elementwise(module_t *module) {
  value_t a = module_any(module), b = module_of_type(module, &a);
  if (module_chance(module, 25))
    compare(module, &a, &b);
  else if (module_chance(module, 10))
    unary(module, &a);
  else if (module_is_float(a.element))
    floats(module, &a, &b);
  else
    integers(module, &a, &b);
  return true;
}

bool module_convert(module_t *module) {
  value_t value = module_any(module);
  (void)module_cast(module, &value, (element_t)module_random(module, ELEMENTS));
  return true;
}
