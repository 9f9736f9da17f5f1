/* Values in scope, their types, constants and conversions. */
#include "module.h"

#include <stdarg.h>
#include <string.h>

static const struct {
  const char *name;
  int bits;
  bool is_float;
} elements[ELEMENTS] = {{"i1", 1, false},   {"i8", 8, false},   {"i16", 16, false},
                        {"i32", 32, false}, {"i64", 64, false}, {"f16", 16, true},
                        {"bf16", 16, true}, {"f32", 32, true},  {"f64", 64, true}};

uint32_t module_random(module_t *module, uint32_t n) { /* splitmix64 */
  uint64_t z = module->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((z ^ (z >> 31)) % n);
}

bool module_chance(module_t *module, uint32_t percent) {
  return module_random(module, 100) < percent;
}

const char *module_element(element_t element) {
  return elements[element].name;
}

int module_bits(element_t element) {
  return elements[element].bits;
}

bool module_is_float(element_t element) {
  return elements[element].is_float;
}

const char *module_type(char out[64], const value_t *value) {
  size_t n = 0;
  if (value->rank)
    n += (size_t)snprintf(out, 64, "tensor<");
  for (int d = 0; d < value->rank; ++d)
    n += (size_t)snprintf(out + n, 64 - n, "%dx", value->shape[d]);
  snprintf(out + n, 64 - n, "%s%s", elements[value->element].name, value->rank ? ">" : "");
  return out;
}

int64_t module_size(const value_t *value) {
  int64_t size = 1;
  for (int d = 0; d < value->rank; ++d)
    size *= value->shape[d];
  return size;
}

bool module_same_type(const value_t *a, const value_t *b) {
  return a->element == b->element && a->rank == b->rank &&
         memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

void module_line(module_t *module, const char *format, ...) {
  va_list arguments;
  fprintf(module->body, "%*s", module->indent, "");
  va_start(arguments, format);
  vfprintf(module->body, format, arguments);
  va_end(arguments);
  fputc('\n', module->body);
}

module_steps_t module_steps(module_t *module, int steps) {
  module_steps_t bound = {.argument = "steps"};
  if (module_chance(module, 30)) {
    bound.argument = "unused";
    snprintf(bound.definition, sizeof bound.definition, "    %%steps = arith.constant %d : i32\n", steps);
  }
  return bound;
}

void module_tile_pointers(module_t *module, const char *name, const char *base, const char *result, const char *element,
                          int rows, int columns, int stride) {
  module_line(module, "%%%s_r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, rows, rows);
  module_line(module, "%%%s_c = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, columns,
              columns);
  module_line(module, "%%%s_re = tt.expand_dims %%%s_r {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>", name,
              name, rows, rows);
  module_line(module, "%%%s_ce = tt.expand_dims %%%s_c {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>", name,
              name, columns, columns);
  module_line(module, "%%%s_s = arith.constant dense<%d> : tensor<%dx1xi32>", name, stride, rows);
  module_line(module, "%%%s_rs = arith.muli %%%s_re, %%%s_s : tensor<%dx1xi32>", name, name, name, rows);
  module_line(module, "%%%s_b = tt.splat %%%s : !tt.ptr<%s> -> tensor<%dx1x!tt.ptr<%s>>", name, base, element, rows,
              element);
  module_line(module, "%%%s_br = tt.addptr %%%s_b, %%%s_rs : tensor<%dx1x!tt.ptr<%s>>, tensor<%dx1xi32>", name, name,
              name, rows, element, rows);
  module_line(module, "%%%s_bb = tt.broadcast %%%s_br : tensor<%dx1x!tt.ptr<%s>> -> tensor<%dx%dx!tt.ptr<%s>>", name,
              name, rows, element, rows, columns, element);
  module_line(module, "%%%s_cb = tt.broadcast %%%s_ce : tensor<1x%dxi32> -> tensor<%dx%dxi32>", name, name, columns,
              rows, columns);
  module_line(module, "%%%s = tt.addptr %%%s_bb, %%%s_cb : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>", result, name,
              name, rows, columns, element, rows, columns);
}

value_t module_new(module_t *module, element_t element, int rank, const int *shape) {
  value_t value = {.id = module->next_id++, .element = element, .rank = rank};
  if (rank)
    memcpy(value.shape, shape, (size_t)rank * sizeof *shape);
  if (module->n_values == MAX_VALUES) /* evicts the function's oldest value; blocks keep their own */
    memmove(module->values, module->values + 1, (size_t)--module->n_values * sizeof value);
  module->values[module->n_values++] = value;
  return value;
}

value_t module_like(module_t *module, const value_t *type, element_t element) {
  return module_new(module, element, type->rank, type->shape);
}

value_t module_any(module_t *module) {
  /* Prefers recent values, so that modules become deep. */
  int n = module->n_values, from = module_chance(module, 60) ? n / 2 : 0;
  return module->values[from + (int)module_random(module, (uint32_t)(n - from))];
}

static int write_number(char *out, size_t room, element_t element, int64_t number) {
  if (element == I1)
    return snprintf(out, room, "%s", number & 1 ? "true" : "false");
  return snprintf(out, room, "%lld%s", (long long)number, module_is_float(element) ? ".000000e+00" : "");
}

value_t module_constant(module_t *module, const value_t *type, int64_t number) {
  char text[64], body[48];
  value_t value = module_like(module, type, type->element);
  module_type(text, type);
  write_number(body, sizeof body, type->element, number);
  if (type->rank)
    module_line(module, "%%v%d = arith.constant dense<%s> : %s", value.id, body, text);
  else if (type->element == I1)
    module_line(module, "%%v%d = arith.constant %s", value.id, body);
  else
    module_line(module, "%%v%d = arith.constant %s : %s", value.id, body, text);
  return value;
}

/* A tensor of at most 64 distinct elements. */
static value_t different_constants(module_t *module, const value_t *type) {
  char text[64], body[2048];
  const int64_t size = module_size(type);
  int n = 0;
  for (int64_t i = 0; i < size; ++i) {
    int64_t inner = 1, opened = 0, closed = 0;
    for (int d = type->rank - 1; d >= 0; --d) {
      inner *= type->shape[d];
      opened += i % inner == 0;
      closed += (i + 1) % inner == 0;
    }
    n += snprintf(body + n, sizeof body - (size_t)n, "%s%.*s", i ? ", " : "", (int)opened, "[[[[[[[[");
    n += write_number(body + n, sizeof body - (size_t)n, type->element, (int64_t)module_random(module, 15) - 7);
    n += snprintf(body + n, sizeof body - (size_t)n, "%.*s", (int)closed, "]]]]]]]]");
  }
  value_t value = module_like(module, type, type->element);
  module_line(module, "%%v%d = arith.constant dense<%s> : %s", value.id, body, module_type(text, type));
  return value;
}

value_t module_of_type(module_t *module, const value_t *type) {
  int n = 0, chosen = -1;
  for (int i = 0; i < module->n_values; ++i)
    if (module_same_type(&module->values[i], type) && module_random(module, (uint32_t)++n) == 0)
      chosen = i;
  if (chosen >= 0 && !module_chance(module, 5))
    return module->values[chosen];
  if (type->rank && module_size(type) <= 64 && module_chance(module, 30))
    return different_constants(module, type);
  return module_constant(module, type, (int64_t)module_random(module, 15) - 7);
}

/* Conversion between integer types. */
static const char *integer_cast(module_t *module, int from, int to) {
  return from > to ? "trunci" : module_chance(module, 50) || from == 1 ? "extui" : "extsi";
}

/* Clamps floats to the range of every integer of that width; f16 is exact for integers up to 2048. */
static value_t clamped(module_t *module, const value_t *value, element_t to) {
  int64_t limit = module_bits(to) == 8 ? 100 : module_bits(to) == 16 ? 2000 : 100000;
  if (value->element == F16 && limit > 2000)
    limit = 2000;
  char text[64];
  module_type(text, value);
  value_t low = module_constant(module, value, -limit), high = module_constant(module, value, limit);
  value_t above = module_like(module, value, value->element);
  module_line(module, "%%v%d = arith.maxnumf %%v%d, %%v%d : %s", above.id, value->id, low.id, text);
  value_t between = module_like(module, value, value->element);
  module_line(module, "%%v%d = arith.minnumf %%v%d, %%v%d : %s", between.id, above.id, high.id, text);
  return between;
}

value_t module_cast(module_t *module, const value_t *value, element_t to) {
  char from_text[64], to_text[64];
  const char *operation;
  bool from_float = module_is_float(value->element), to_float = module_is_float(to);
  int from_bits = module_bits(value->element), to_bits = module_bits(to);
  value_t source = *value;
  if (value->element == to)
    return source;
  if (from_float && to == I1) {
    value_t zero = module_constant(module, value, 0), result = module_like(module, value, I1);
    module_line(module, "%%v%d = arith.cmpf ogt, %%v%d, %%v%d : %s", result.id, value->id, zero.id,
                module_type(from_text, value));
    return result;
  }
  if (from_float && to_float && from_bits == to_bits) { /* f16 and bf16 convert through f32 */
    value_t wide = module_cast(module, value, F32);
    return module_cast(module, &wide, to);
  }
  if (from_float && !to_float)
    source = clamped(module, value, to);
  operation = from_float && to_float ? (from_bits > to_bits ? "truncf" : "extf")
              : from_float           ? "fptosi"
              : to_float             ? (value->element == I1 ? "uitofp" : "sitofp")
                                     : integer_cast(module, from_bits, to_bits);
  value_t result = module_like(module, value, to);
  module->values[module->n_values - 1].product = result.product = source.product;
  module_line(module, "%%v%d = arith.%s %%v%d : %s to %s", result.id, operation, source.id,
              module_type(from_text, &source), module_type(to_text, &result));
  return result;
}
