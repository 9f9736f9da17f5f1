/* Operations that move elements: views, reductions, scans, gathers, histograms, dots. */
#include "module.h"

#include <string.h>

static value_t view(module_t *module, const value_t *a, int rank, const int *shape) {
  value_t result = module_new(module, a->element, rank, shape);
  module->values[module->n_values - 1].product = a->product;
  result.product = a->product;
  return result;
}

static void line_to(module_t *module, const char *name, const value_t *result, const value_t *a,
                    const char *attributes) {
  char from[64], to[64];
  module_line(module, "%%v%d = %s %%v%d%s : %s -> %s", result->id, name, a->id, attributes, module_type(from, a),
              module_type(to, result));
}

static void reshape(module_t *module, const value_t *a) {
  int shape[MAX_RANK], rank = 1 + (int)module_random(module, MAX_RANK);
  int64_t left = module_size(a);
  for (int d = 0; d < MAX_RANK && d < rank; ++d) {
    int size = 1;
    while (size < left && (d == rank - 1 || module_chance(module, 60)))
      size *= 2;
    shape[d] = size;
    left /= size;
  }
  value_t result = view(module, a, rank, shape);
  line_to(module, "tt.reshape", &result, a, "");
}

static void transpose(module_t *module, const value_t *a) {
  int order[MAX_RANK] = {0, 1, 2}, shape[MAX_RANK];
  char attributes[64];
  for (int d = a->rank - 1; d > 0; --d) {
    int other = (int)module_random(module, (uint32_t)d + 1), kept = order[d];
    order[d] = order[other];
    order[other] = kept;
  }
  for (int d = 0; d < a->rank; ++d)
    shape[d] = a->shape[order[d]];
  if (a->rank == 2)
    snprintf(attributes, sizeof attributes, " {order = array<i32: %d, %d>}", order[0], order[1]);
  else
    snprintf(attributes, sizeof attributes, " {order = array<i32: %d, %d, %d>}", order[0], order[1], order[2]);
  value_t result = view(module, a, a->rank, shape);
  line_to(module, "tt.trans", &result, a, attributes);
}

static void expand(module_t *module, const value_t *a) {
  int axis = (int)module_random(module, (uint32_t)a->rank + 1), shape[MAX_RANK], n = 0;
  char attributes[32];
  for (int d = 0; d <= a->rank; ++d)
    shape[d] = d == axis ? 1 : a->shape[n++];
  value_t result = view(module, a, a->rank + 1, shape);
  snprintf(attributes, sizeof attributes, " {axis = %d : i32}", axis);
  line_to(module, "tt.expand_dims", &result, a, attributes);
}

static bool broadcast(module_t *module, const value_t *a) {
  int shape[MAX_RANK];
  bool grows = false;
  int64_t size = module_size(a);
  for (int d = 0; d < a->rank; ++d) {
    shape[d] = a->shape[d];
    while (a->shape[d] == 1 && size * 2 <= MAX_ELEMENTS && module_chance(module, 75)) {
      shape[d] *= 2;
      size *= 2;
      grows = true;
    }
  }
  if (!grows)
    return false;
  value_t result = view(module, a, a->rank, shape);
  line_to(module, "tt.broadcast", &result, a, "");
  return true;
}

static void splat(module_t *module, const value_t *a) {
  int shape[MAX_RANK], rank = 1 + (int)module_random(module, 2);
  for (int d = 0; d < rank; ++d)
    shape[d] = 1 << module_random(module, 7);
  value_t result = view(module, a, rank, shape);
  line_to(module, "tt.splat", &result, a, "");
}

/* join, and split of a value whose last extent is 2. */
static void join(module_t *module, const value_t *a) {
  value_t b = module_of_type(module, a);
  int shape[MAX_RANK];
  memcpy(shape, a->shape, sizeof shape);
  shape[a->rank] = 2;
  char from[64], to[64];
  value_t result = view(module, a, a->rank + 1, shape);
  module->values[module->n_values - 1].product |= b.product;
  module_line(module, "%%v%d = tt.join %%v%d, %%v%d : %s -> %s", result.id, a->id, b.id, module_type(from, a),
              module_type(to, &result));
}

static void split(module_t *module, const value_t *a) {
  char from[64], to[64];
  value_t first = view(module, a, a->rank - 1, a->shape), second = view(module, a, a->rank - 1, a->shape);
  module_line(module, "%%v%d, %%v%d = tt.split %%v%d : %s -> %s", first.id, second.id, a->id, module_type(from, a),
              module_type(to, &first));
}

bool module_view(module_t *module) {
  value_t a = module_any(module);
  if (!a.rank) {
    splat(module, &a);
    return true;
  }
  switch (module_random(module, 6)) {
  case 0:
    reshape(module, &a);
    return true;
  case 1:
    if (a.rank > 1)
      transpose(module, &a);
    return a.rank > 1;
  case 2:
    if (a.rank < MAX_RANK)
      expand(module, &a);
    return a.rank < MAX_RANK;
  case 3:
    if (a.rank < MAX_RANK && module_size(&a) * 2 <= MAX_ELEMENTS)
      join(module, &a);
    return true;
  case 4:
    if (a.rank > 1 && a.shape[a.rank - 1] == 2)
      split(module, &a);
    return true;
  default:
    return broadcast(module, &a);
  }
}

/* An associative and commutative combination of two values of `element`. */
static const char *combination(module_t *module, element_t element) {
  static const char *const of_integers[] = {"arith.addi", "arith.maxsi", "arith.minsi", "arith.xori",
                                            "arith.andi", "arith.ori",   "arith.maxui", "arith.minui"};
  static const char *const of_floats[] = {"arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf"};
  return module_is_float(element) ? of_floats[module_random(module, 4)] : of_integers[module_random(module, 8)];
}

static void without(const value_t *a, int axis, int shape[MAX_RANK]) {
  int n = 0;
  for (int d = 0; d < a->rank; ++d)
    if (d != axis)
      shape[n++] = a->shape[d];
}

static void reduce_one(module_t *module, const value_t *a, int axis) {
  char from[64], to[64];
  int shape[MAX_RANK];
  const char *element = module_element(a->element);
  without(a, axis, shape);
  value_t result = module_new(module, a->element, a->rank - 1, shape);
  int id = result.id;
  module_line(module, "%%v%d = \"tt.reduce\"(%%v%d) <{axis = %d : i32}> ({", id, a->id, axis);
  module_line(module, "^bb0(%%x%d: %s, %%y%d: %s):", id, element, id, element);
  module_line(module, "  %%z%d = %s %%x%d, %%y%d : %s", id, combination(module, a->element), id, id, element);
  module_line(module, "  tt.reduce.return %%z%d : %s", id, element);
  module_line(module, "}) : (%s) -> %s", module_type(from, a), module_type(to, &result));
}

/* A loop over reductions that accumulates their results with the same combination. */
bool module_accumulate(module_t *module) {
  value_t a = module_any(module), base = {.element = I32};
  if (!a.rank || module->depth > 1 || module->n_values >= MAX_VALUES / 4)
    return false;
  const char *how = combination(module, a.element), *element = module_element(a.element);
  value_t result = {.element = a.element, .rank = a.rank - 1};
  char from[64], to[64], whole[64];
  const int axis = (int)module_random(module, (uint32_t)a.rank);
  without(&a, axis, result.shape);
  value_t init = module_of_type(module, &result), zero = module_constant(module, &base, 0);
  value_t end = module_constant(module, &base, (int64_t)module_random(module, 5)),
          step = module_constant(module, &base, 1);
  module_type(from, &a);
  module_type(to, &result);
  const int id = module->next_id++, last = module->n_values;
  value_t index_type = a;
  index_type.element = I32;
  module_line(module, "%%r%d = scf.for %%i%d = %%v%d to %%v%d step %%v%d iter_args(%%c%d = %%v%d) -> (%s) : i32 {", id,
              id, zero.id, end.id, step.id, id, init.id, to);
  module->indent += 2;
  value_t index = module_like(module, &index_type, I32);
  module_line(module, "%%v%d = tt.splat %%i%d : i32 -> %s", index.id, id, module_type(whole, &index_type));
  value_t moved = module_cast(module, &index, a.element);
  module_line(module, "%%x%d = %s %%v%d, %%v%d : %s", id, how, a.id, moved.id, from);
  module_line(module, "%%s%d = \"tt.reduce\"(%%x%d) <{axis = %d : i32}> ({", id, id, axis);
  module_line(module, "^bb0(%%p%d: %s, %%q%d: %s):", id, element, id, element);
  module_line(module, "  %%z%d = %s %%p%d, %%q%d : %s", id, how, id, id, element);
  module_line(module, "  tt.reduce.return %%z%d : %s", id, element);
  module_line(module, "}) : (%s) -> %s", from, to);
  module_line(module, "%%n%d = %s %%c%d, %%s%d : %s", id, how, id, id, to);
  module_line(module, "scf.yield %%n%d : %s", id, to);
  module->indent -= 2;
  module_line(module, "}");
  module->n_values = last;
  value_t value = module_new(module, result.element, result.rank, result.shape);
  module_line(module, "%%v%d = arith.select %%true, %%r%d, %%r%d : %s", value.id, id, id, to);
  return true;
}

/* The maximum and its lowest index: two operands, in any order of combination. */
static void reduce_index(module_t *module, const value_t *a, int axis) {
  char from[64], index_from[64], to[64], index_to[64];
  int shape[MAX_RANK];
  value_t whole = module_along(module, a, axis);
  without(a, axis, shape);
  value_t best = module_new(module, a->element, a->rank - 1, shape),
          where = module_new(module, I32, a->rank - 1, shape);
  const char *e = module_element(a->element);
  int i = best.id;
  bool is_float = module_is_float(a->element);
  module_line(module, "%%r%d:2 = \"tt.reduce\"(%%v%d, %%v%d) <{axis = %d : i32}> ({", i, a->id, whole.id, axis);
  module_line(module, "^bb0(%%a%d: %s, %%i%d: i32, %%b%d: %s, %%j%d: i32):", i, e, i, i, e, i);
  module_line(module, "  %%g%d = arith.cmp%s, %%a%d, %%b%d : %s", i, is_float ? "f ogt" : "i sgt", i, i, e);
  module_line(module, "  %%e%d = arith.cmp%s, %%a%d, %%b%d : %s", i, is_float ? "f oeq" : "i eq", i, i, e);
  module_line(module, "  %%l%d = arith.cmpi slt, %%i%d, %%j%d : i32", i, i, i);
  module_line(module, "  %%t%d = arith.andi %%e%d, %%l%d : i1", i, i, i);
  module_line(module, "  %%c%d = arith.ori %%g%d, %%t%d : i1", i, i, i);
  module_line(module, "  %%m%d = arith.select %%c%d, %%a%d, %%b%d : %s", i, i, i, i, e);
  module_line(module, "  %%k%d = arith.select %%c%d, %%i%d, %%j%d : i32", i, i, i, i);
  module_line(module, "  tt.reduce.return %%m%d, %%k%d : %s, i32", i, i, e);
  module_line(module, "}) : (%s, %s) -> (%s, %s)", module_type(from, a), module_type(index_from, &whole),
              module_type(to, &best), module_type(index_to, &where));
  module_line(module, "%%v%d = arith.select %%true, %%r%d#0, %%r%d#0 : %s", i, i, i, to);
  module_line(module, "%%v%d = arith.select %%true, %%r%d#1, %%r%d#1 : %s", where.id, i, i, index_to);
}

bool module_reduce(module_t *module) {
  value_t a = module_any(module);
  if (!a.rank)
    return false;
  int axis = (int)module_random(module, (uint32_t)a.rank);
  if (!module_is_float(a.element) && a.element != I1 && module_chance(module, 25))
    reduce_index(module, &a, axis);
  else
    reduce_one(module, &a, axis);
  return true;
}

static const char *direction(module_t *module) {
  return module_chance(module, 30) ? "true" : "false";
}

/* x -> factor * x + summand as a scan: two operands, order-dependent. */
static void scan_steps(module_t *module, const value_t *a, int axis) {
  char type[64];
  value_t factor = module_of_type(module, a);
  value_t sums = module_like(module, a, a->element), products = module_like(module, a, a->element);
  const char *e = module_element(a->element);
  const int i = sums.id;
  module_type(type, a);
  module_line(module, "%%r%d:2 = \"tt.scan\"(%%v%d, %%v%d) <{axis = %d : i32, reverse = %s}> ({", i, a->id, factor.id,
              axis, direction(module));
  module_line(module, "^bb0(%%a%d: %s, %%f%d: %s, %%b%d: %s, %%g%d: %s):", i, e, i, e, i, e, i, e);
  module_line(module, "  %%t%d = arith.muli %%a%d, %%g%d : %s", i, i, i, e);
  module_line(module, "  %%s%d = arith.addi %%t%d, %%b%d : %s", i, i, i, e);
  module_line(module, "  %%p%d = arith.muli %%f%d, %%g%d : %s", i, i, i, e);
  module_line(module, "  tt.scan.return %%s%d, %%p%d : %s, %s", i, i, e, e);
  module_line(module, "}) : (%s, %s) -> (%s, %s)", type, type, type, type);
  module_line(module, "%%v%d = arith.select %%true, %%r%d#0, %%r%d#0 : %s", i, i, i, type);
  module_line(module, "%%v%d = arith.select %%true, %%r%d#1, %%r%d#1 : %s", products.id, i, i, type);
}

static void scan_one(module_t *module, const value_t *a, int axis) {
  char text[64];
  const char *element = module_element(a->element);
  value_t result = module_like(module, a, a->element);
  int id = result.id;
  module_line(module, "%%v%d = \"tt.scan\"(%%v%d) <{axis = %d : i32, reverse = %s}> ({", id, a->id, axis,
              direction(module));
  module_line(module, "^bb0(%%x%d: %s, %%y%d: %s):", id, element, id, element);
  module_line(module, "  %%z%d = %s %%x%d, %%y%d : %s", id, combination(module, a->element), id, id, element);
  module_line(module, "  tt.scan.return %%z%d : %s", id, element);
  module_type(text, a);
  module_line(module, "}) : (%s) -> %s", text, text);
}

bool module_scan(module_t *module) {
  value_t a = module_any(module);
  if (!a.rank)
    return false;
  int axis = (int)module_random(module, (uint32_t)a.rank);
  if (!module_is_float(a.element) && a.element != I1 && module_chance(module, 30))
    scan_steps(module, &a, axis);
  else
    scan_one(module, &a, axis);
  return true;
}

/* Generates indices in [0, n) for n a power of two: any integers, masked. */
static value_t indices(module_t *module, const value_t *shape, int64_t n) {
  value_t type = *shape;
  char text[64];
  type.element = I32;
  value_t any = module_of_type(module, &type), mask = module_constant(module, &type, n - 1);
  value_t result = module_like(module, &type, I32);
  module_line(module, "%%v%d = arith.andi %%v%d, %%v%d : %s", result.id, any.id, mask.id, module_type(text, &type));
  return result;
}

bool module_gather(module_t *module) {
  value_t a = module_any(module), type = a;
  char from[64], at[64], to[64];
  if (!a.rank)
    return false;
  int axis = (int)module_random(module, (uint32_t)a.rank);
  if (module_chance(module, 50))
    type.shape[axis] = 1 << module_random(module, 6);
  if (module_size(&type) > MAX_ELEMENTS)
    return false;
  value_t index = indices(module, &type, a.shape[axis]), result = module_like(module, &type, a.element);
  module->values[module->n_values - 1].product = a.product;
  module_line(module, "%%v%d = tt.gather %%v%d[%%v%d] {axis = %d : i32} : (%s, %s) -> %s", result.id, a.id, index.id,
              axis, module_type(from, &a), module_type(at, &index), module_type(to, &result));
  return true;
}

bool module_histogram(module_t *module) {
  int shape[1] = {1 << (5 + module_random(module, 5))}, bins[1] = {1 << (1 + module_random(module, 8))};
  value_t type = {.element = I32, .rank = 1, .shape = {shape[0]}};
  value_t a = indices(module, &type, bins[0]), result = module_new(module, I32, 1, bins);
  char from[64], to[64], mask[64];
  if (module_chance(module, 50)) {
    value_t mask_type = type;
    mask_type.element = I1;
    value_t kept = module_of_type(module, &mask_type);
    module_type(mask, &kept);
    module_line(module, "%%v%d = tt.histogram %%v%d, %%v%d : %s -> %s", result.id, a.id, kept.id, module_type(from, &a),
                module_type(to, &result));
    return true;
  }
  line_to(module, "tt.histogram", &result, &a, "");
  return true;
}

/* Integers up to 8 of type f16, bf16 or f32, or i8: every sum is exact. */
static value_t factor(module_t *module, element_t element, int rows, int columns) {
  value_t type = {.element = I32, .rank = 2, .shape = {rows, columns}};
  value_t bits = indices(module, &type, 16), eight = module_constant(module, &type, 8);
  value_t number = module_like(module, &type, I32);
  char text[64];
  module_line(module, "%%v%d = arith.subi %%v%d, %%v%d : %s", number.id, bits.id, eight.id, module_type(text, &type));
  return module_cast(module, &number, element);
}

bool module_dot(module_t *module) {
  static const element_t factors[] = {F16, BF16, F32, I8};
  element_t element = factors[module_random(module, 4)];
  int m = 16 << module_random(module, 2), n = 16 << module_random(module, 2),
      k = (element == I8 ? 32 : 16) << module_random(module, 2);
  value_t a = factor(module, element, m, k), b = factor(module, element, k, n);
  int shape[2] = {m, n};
  value_t type = {.element = element == I8 ? I32 : F32, .rank = 2, .shape = {m, n}};
  value_t c = module_constant(module, &type, (int64_t)module_random(module, 9) - 4),
          result = module_new(module, type.element, 2, shape);
  char ta[64], tb[64], tc[64];
  module_line(module, "%%v%d = tt.dot %%v%d, %%v%d, %%v%d%s : %s * %s -> %s", result.id, a.id, b.id, c.id,
              element == F32 ? ", inputPrecision = ieee" : "", module_type(ta, &a), module_type(tb, &b),
              module_type(tc, &c));
  return true;
}
