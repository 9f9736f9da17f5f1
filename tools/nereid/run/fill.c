/* Converts specifications to bits: checks scalars against their type, fills tensors. */
#include "tools/nereid/run/spec.h"

#include "base/file.h"

#include <inttypes.h>
#include <math.h>

#define REFUSE(...) nereid_message_set(message, NEREID_ERROR_ARGUMENT, __VA_ARGS__)

static nereid_status_t integer_scalar(const tool_spec_t *spec, nereid_element_t element, uint64_t *out_bits,
                                      nereid_message_t *message) {
  unsigned bits = element == NEREID_ELEMENT_I1 ? 1 : 8 * (unsigned)nereid_element_size(element);
  const char *name = nereid_element_name(element);
  if (spec->kind != TOOL_SPEC_INTEGER)
    return REFUSE("%g is not a value of %s", spec->number, name);
  bool fits = bits == 64;
  if (!fits && !spec->large)
    fits = spec->integer >= -(INT64_C(1) << (bits - 1)) && spec->integer < INT64_C(1) << bits;
  if (!fits)
    return REFUSE("%.17g is out of the range of %s", spec->number, name);
  *out_bits = 0;
  nereid_element_write_integer(element, out_bits, spec->integer);
  return NEREID_OK;
}

/* Overflow to infinity (in f8E4M3FN to NaN) is an error, because the caller cannot have intended it. */
static nereid_status_t float_scalar(const tool_spec_t *spec, nereid_element_t element, uint64_t *out_bits,
                                    nereid_message_t *message) {
  *out_bits = 0;
  if (spec->kind == TOOL_SPEC_INTEGER && !spec->large)
    nereid_element_write_integer(element, out_bits, spec->integer);
  else
    nereid_element_write(element, out_bits, spec->number);
  double back = nereid_element_read(element, out_bits);
  bool lost = isfinite(spec->number) ? !isfinite(back) : !isnan(spec->number) && isnan(back);
  if (lost)
    return REFUSE("%g is out of the range of %s", spec->number, nereid_element_name(element));
  return NEREID_OK;
}

nereid_status_t tool_spec_scalar(const tool_spec_t *spec, nereid_element_t element, uint64_t *out_bits,
                                 nereid_message_t *message) {
  if (spec->kind != TOOL_SPEC_INTEGER && spec->kind != TOOL_SPEC_FLOAT)
    return REFUSE("expected %s, not a tensor", nereid_element_name(element));
  if (spec->element && spec->element != element)
    return REFUSE("expected %s, not %s", nereid_element_name(element), nereid_element_name(spec->element));
  if (nereid_element_is_float(element))
    return float_scalar(spec, element, out_bits, message);
  return integer_scalar(spec, element, out_bits, message);
}

uint64_t tool_random(uint64_t seed, uint32_t parameter, uint64_t index) {
  uint64_t z = ((seed << 32) + parameter) * UINT64_C(0x9E3779B97F4A7C15) + index;
  z += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/* Returns a uniform number in 0 ... range-1: the high half of a 128-bit product. */
static uint64_t below(uint64_t random, uint64_t range) {
  uint64_t high = (random >> 32) * (range >> 32);
  uint64_t middle = (random >> 32) * (range & 0xffffffff), other = (random & 0xffffffff) * (range >> 32);
  uint64_t low = (random & 0xffffffff) * (range & 0xffffffff);
  uint64_t carry = ((middle & 0xffffffff) + (other & 0xffffffff) + (low >> 32)) >> 32;
  return high + (middle >> 32) + (other >> 32) + carry;
}

static void fill_element(const tool_spec_t *spec, nereid_element_t element, uint64_t random, size_t i, void *place) {
  bool whole = !nereid_element_is_float(element);
  switch (spec->fill) {
  case TOOL_FILL_RAND:
    if (whole)
      nereid_element_write_integer(element, place, (int64_t)below(random, element == NEREID_ELEMENT_I1 ? 2 : 128));
    else
      nereid_element_write(element, place, (double)(random >> 11) * 0x1p-52 - 1.0);
    break;
  case TOOL_FILL_RANDINT:
    nereid_element_write_integer(element, place,
                                 spec->low + (int64_t)below(random, (uint64_t)spec->high - (uint64_t)spec->low));
    break;
  case TOOL_FILL_ARANGE:
    nereid_element_write_integer(element, place, (int64_t)i);
    break;
  case TOOL_FILL_FULL:
    nereid_element_write(element, place, spec->value);
    break;
  case TOOL_FILL_FILE:
    break;
  }
}

static nereid_status_t read_file(nereid_arena_t *arena, const tool_spec_t *spec, tool_tensor_t *out_tensor,
                                 nereid_message_t *message) {
  nereid_view_t bytes;
  nereid_message_t reason = {0};
  nereid_status_t status = nereid_file_read(arena, spec->file, &bytes, message);
  if (status)
    return status;
  status = tool_npy_parse(bytes, spec->element, out_tensor, &reason);
  if (status)
    return nereid_message_set(message, status, "'%s': %s", spec->file, reason.text);
  bool same = !spec->rank || spec->rank == out_tensor->rank;
  for (uint32_t i = 0; same && i < spec->rank; ++i)
    same = spec->shape[i] == out_tensor->shape[i];
  if (!same)
    return REFUSE("the shape in '%s' differs from the shape of the argument", spec->file);
  void *copy =
      nereid_arena_allocate(arena, out_tensor->bytes ? out_tensor->bytes : 1, 1); /* an aligned copy in the arena */
  if (!copy)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory for '%s'", spec->file);
  memcpy(copy, out_tensor->data, out_tensor->bytes);
  out_tensor->data = copy;
  return NEREID_OK;
}

nereid_status_t tool_spec_tensor(nereid_arena_t *arena, const tool_spec_t *spec, uint64_t seed, uint32_t parameter,
                                 tool_tensor_t *out_tensor, nereid_message_t *message) {
  if (spec->kind != TOOL_SPEC_TENSOR)
    return REFUSE("expected a tensor, such as f32[1024]:rand");
  if (spec->fill == TOOL_FILL_FILE)
    return read_file(arena, spec, out_tensor, message);
  *out_tensor = (tool_tensor_t){.element = spec->element, .rank = spec->rank};
  memcpy(out_tensor->shape, spec->shape, sizeof out_tensor->shape);
  if (!tool_tensor_measure(out_tensor))
    return REFUSE("the tensor is too large");
  out_tensor->data = nereid_arena_allocate(arena, out_tensor->bytes ? out_tensor->bytes : 1, 1);
  if (!out_tensor->data)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory for a tensor of %zu bytes",
                              out_tensor->bytes);
  size_t size = nereid_element_size(spec->element);
  if (spec->fill == TOOL_FILL_FULL && spec->value == 0)
    return NEREID_OK; /* the arena returns zeroed memory */
  for (size_t i = 0; i < out_tensor->count; ++i)
    fill_element(spec, spec->element, tool_random(seed, parameter, i), i, (char *)out_tensor->data + i * size);
  return NEREID_OK;
}
