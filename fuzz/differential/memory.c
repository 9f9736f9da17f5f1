/* Loads, stores and atomics: every argument is large enough for the whole grid, so that no access is out of bounds. */
#include "module.h"

/* Adds an argument; returns its index, or -1. */
static int add_argument(module_t *module, element_t element, bool output, int64_t elements) {
  if (module->n_arguments == MAX_ARGUMENTS)
    return -1;
  module->arguments[module->n_arguments] = (argument_t){element, output, (int)elements * module->grid};
  return module->n_arguments++;
}

value_t module_along(module_t *module, const value_t *type, int d) {
  char from[64], to[64];
  int line[1] = {type->shape[d]};
  value_t index = module_new(module, I32, 1, line);
  module_line(module, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", index.id, line[0],
              module_type(to, &index));
  for (int k = 0; k < type->rank; ++k) {
    if (k == d)
      continue;
    int shape[MAX_RANK], at = k < d ? 0 : index.rank, n = 0;
    for (int i = 0; i < MAX_RANK && i <= index.rank; ++i)
      shape[i] = i == at ? 1 : index.shape[n++];
    value_t next = module_new(module, I32, index.rank + 1, shape);
    module_line(module, "%%v%d = tt.expand_dims %%v%d {axis = %d : i32} : %s -> %s", next.id, index.id, at,
                module_type(from, &index), module_type(to, &next));
    index = next;
  }
  value_t whole = module_like(module, type, I32);
  module_line(module, "%%v%d = tt.broadcast %%v%d : %s -> %s", whole.id, index.id, module_type(from, &index),
              module_type(to, &whole));
  return whole;
}

/* Generates an offset for each element of the grid's tensors: dimensions in any order, programs consecutive. */
static value_t offsets(module_t *module, const value_t *type, bool straight) {
  value_t base = {.element = I32};
  value_t pid = module_new(module, I32, 0, NULL);
  module_line(module, "%%v%d = tt.get_program_id x : i32", pid.id);
  value_t size = module_constant(module, &base, module_size(type)), start = module_new(module, I32, 0, NULL);
  module_line(module, "%%v%d = arith.muli %%v%d, %%v%d : i32", start.id, pid.id, size.id);
  char text[64];
  value_t sum = module_like(module, type, I32);
  module_line(module, "%%v%d = tt.splat %%v%d : i32 -> %s", sum.id, start.id, module_type(text, &sum));
  bool backward = straight || module_chance(module, 70);
  int64_t stride = 1;
  for (int i = 0; i < type->rank; ++i) {
    int d = backward ? type->rank - 1 - i : i;
    value_t index = module_along(module, type, d), unit = module_constant(module, &sum, stride);
    value_t scaled = module_like(module, type, I32), next = module_like(module, type, I32);
    module_line(module, "%%v%d = arith.muli %%v%d, %%v%d : %s", scaled.id, index.id, unit.id, text);
    module_line(module, "%%v%d = arith.addi %%v%d, %%v%d : %s", next.id, sum.id, scaled.id, text);
    sum = next;
    stride *= type->shape[d];
  }
  return sum;
}

/* Pointers to the elements of a new argument. */
static bool pointers(module_t *module, const value_t *type, bool output, value_t *out_offsets, char out_text[64],
                     int *out_id) {
  char shape[64], integers[64];
  int argument = add_argument(module, type->element, output, module_size(type));
  if (argument < 0)
    return false;
  value_t scalar_like = *type;
  *out_offsets = offsets(module, type, output);
  module_type(shape, &scalar_like);
  const char *element = module_element(type->element);
  int n = snprintf(out_text, 64, "tensor<");
  for (int d = 0; d < type->rank; ++d)
    n += snprintf(out_text + n, 64 - (size_t)n, "%dx", type->shape[d]);
  snprintf(out_text + n, 64 - (size_t)n, "!tt.ptr<%s>>", element);
  int base = module->next_id++;
  *out_id = module->next_id++;
  module_line(module, "%%v%d = tt.splat %%arg%d : !tt.ptr<%s> -> %s", base, argument, element, out_text);
  module_line(module, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", *out_id, base, out_offsets->id, out_text,
              module_type(integers, out_offsets));
  return true;
}

/* Generates a mask: a comparison of the offsets, or any mask. */
static value_t mask_of(module_t *module, const value_t *offsets) {
  value_t type = *offsets;
  type.element = I1;
  if (module_chance(module, 30))
    return module_of_type(module, &type);
  char text[64];
  value_t limit = module_constant(module, offsets,
                                  (int64_t)module_random(module, (uint32_t)(module_size(offsets) * module->grid + 1)));
  value_t mask = module_like(module, offsets, I1);
  module_line(module, "%%v%d = arith.cmpi slt, %%v%d, %%v%d : %s", mask.id, offsets->id, limit.id,
              module_type(text, offsets));
  return mask;
}

bool module_load(module_t *module) {
  static const element_t elements[] = {I8, I16, I32, I64, F16, BF16, F32, F64};
  char text[64];
  int id;
  value_t type = {.element = elements[module_random(module, 8)], .rank = 1 + (int)module_random(module, MAX_RANK)}, at;
  int64_t size = 1;
  for (int d = 0; d < type.rank; ++d) {
    type.shape[d] = 1 << module_random(module, type.rank == 1 ? 12 : 7);
    size *= type.shape[d];
  }
  if (size > MAX_ELEMENTS || !pointers(module, &type, false, &at, text, &id))
    return false;
  if (module_chance(module, 60)) {
    value_t mask = mask_of(module, &at), other = module_of_type(module, &type),
            result = module_like(module, &type, type.element);
    module_line(module, "%%v%d = tt.load %%v%d, %%v%d, %%v%d : %s", result.id, id, mask.id, other.id, text);
    return true;
  }
  value_t result = module_like(module, &type, type.element);
  module_line(module, "%%v%d = tt.load %%v%d : %s", result.id, id, text);
  return true;
}

void module_store(module_t *module, const value_t *value) {
  char text[64];
  value_t stored = *value, at;
  int id;
  if (!value->rank) {
    int shape[1] = {1};
    stored = module_new(module, value->element, 1, shape);
    module_line(module, "%%v%d = tt.splat %%v%d : %s -> tensor<1x%s>", stored.id, value->id,
                module_element(value->element), module_element(value->element));
  }
  if (stored.element == I1)
    stored = module_cast(module, &stored, I8);
  if (!pointers(module, &stored, true, &at, text, &id))
    return;
  if (module_chance(module, 30)) {
    value_t mask = mask_of(module, &at);
    module_line(module, "tt.store %%v%d, %%v%d, %%v%d : %s", id, stored.id, mask.id, text);
  } else {
    module_line(module, "tt.store %%v%d, %%v%d : %s", id, stored.id, text);
  }
}

/* Many threads update few elements; the old values are not used, because the order is unspecified. */
bool module_atomic(module_t *module) {
  static const char *const kinds[] = {"add", "max", "min", "umax", "umin", "and", "or", "xor"};
  value_t value = module_any(module);
  char text[64], pointer[64], element[64];
  if (!value.rank || (value.element != I16 && value.element != I32 && value.element != I64))
    return false;
  int argument = add_argument(module, value.element, true, 64);
  if (argument < 0)
    return false;
  value_t at_type = value;
  at_type.element = I32;
  value_t number = module_of_type(module, &at_type), last = module_constant(module, &at_type, 63),
          at = module_like(module, &at_type, I32);
  module_line(module, "%%v%d = arith.andi %%v%d, %%v%d : %s", at.id, number.id, last.id, module_type(text, &at_type));
  int n = snprintf(pointer, sizeof pointer, "tensor<");
  for (int d = 0; d < value.rank; ++d)
    n += snprintf(pointer + n, sizeof pointer - (size_t)n, "%dx", value.shape[d]);
  snprintf(pointer + n, sizeof pointer - (size_t)n, "!tt.ptr<%s>>", module_element(value.element));
  int base = module->next_id++, place = module->next_id++, old = module->next_id++;
  module_line(module, "%%v%d = tt.splat %%arg%d : !tt.ptr<%s> -> %s", base, argument, module_element(value.element),
              pointer);
  module_line(module, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", place, base, at.id, pointer, text);
  value_t mask_type = value;
  mask_type.element = I1;
  value_t mask = module_of_type(module, &mask_type);
  char mask_text[64];
  module_line(module, "%%v%d = tt.atomic_rmw %s, relaxed, gpu, %%v%d, %%v%d, %%v%d : (%s, %s, %s) -> %s", old,
              kinds[module_random(module, 8)], place, value.id, mask.id, pointer, module_type(element, &value),
              module_type(mask_text, &mask), element);
  return true;
}
