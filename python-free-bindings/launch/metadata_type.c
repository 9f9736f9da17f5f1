/* Prints and parses parameter types and roles of metadata.
 *
 *   i32   ptr<f32>   ptr<ptr<f32>>   tensordesc<f16[128x64]>   tensordesc_im2col<f16[128x64]>   tensormap   opaque
 *
 * A pointer to pointers has no element type: its pointees are addresses. */
#include "nereid/metadata.h"

static const char *const role_names[] = {"argument", "descriptor", "base", "shape", "stride", "padding"};

const char *nereid_role_name(nereid_parameter_role_t role) {
  return (size_t)role < sizeof role_names / sizeof *role_names ? role_names[role] : "argument";
}

static const char *tile_print(nereid_arena_t *arena, const nereid_parameter_t *parameter) {
  const char *shape = "";
  for (int32_t i = 0; shape && i < parameter->rank && i < NEREID_RANK_LIMIT; ++i)
    shape = nereid_arena_format(arena, "%s%s%d", shape, i ? "x" : "", parameter->block[i]);
  return shape ? nereid_arena_format(arena, "tensordesc%s<%s[%s]>", parameter->im2col ? "_im2col" : "",
                                     nereid_element_name(parameter->element), shape)
               : NULL;
}

const char *nereid_parameter_type_print(nereid_arena_t *arena, const nereid_parameter_t *parameter) {
  switch (parameter->kind) {
  case NEREID_PARAMETER_SCALAR:
    return nereid_element_name(parameter->element);
  case NEREID_PARAMETER_POINTER:
    if (parameter->element == NEREID_ELEMENT_NONE)
      return "ptr<ptr>";
    return nereid_arena_format(arena, "ptr<%s>", nereid_element_name(parameter->element));
  case NEREID_PARAMETER_DESCRIPTOR:
    return parameter->rank ? tile_print(arena, parameter) : "tensormap";
  case NEREID_PARAMETER_TENSOR:
  case NEREID_PARAMETER_OPAQUE:
    break;
  }
  return "opaque";
}

static bool unwrap(nereid_view_t text, const char *prefix, nereid_view_t *out_inside) {
  size_t length = strlen(prefix);
  if (text.size < length + 1 || !nereid_view_starts_with(text, nereid_view(prefix)) || text.data[text.size - 1] != '>')
    return false;
  *out_inside = nereid_view_of(text.data + length, text.size - length - 1);
  return true;
}

/* Parses "128x64"; false for other text. */
static bool tile_parse(nereid_view_t text, nereid_parameter_t *parameter) {
  parameter->rank = 0;
  for (size_t at = 0; at < text.size; ++at) {
    int64_t extent = 0;
    size_t start = at;
    for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9' && extent < (1 << 24); ++at)
      extent = extent * 10 + (text.data[at] - '0');
    bool ends = at == text.size;
    if (at == start || (!ends && text.data[at] != 'x') || at + 1 == text.size || extent >= (1 << 24) || extent == 0 ||
        parameter->rank == NEREID_RANK_LIMIT)
      return false;
    parameter->block[parameter->rank++] = (int32_t)extent;
  }
  return parameter->rank > 0;
}

static bool descriptor_parse(nereid_view_t inside, nereid_parameter_t *parameter) {
  const char *open = inside.size ? memchr(inside.data, '[', inside.size) : NULL;
  if (!open || inside.data[inside.size - 1] != ']')
    return false;
  size_t at = (size_t)(open - inside.data);
  parameter->kind = NEREID_PARAMETER_DESCRIPTOR;
  parameter->size = 128;
  parameter->element = nereid_element_parse(nereid_view_of(inside.data, at));
  return parameter->element && tile_parse(nereid_view_of(open + 1, inside.size - at - 2), parameter);
}

static bool pointer_parse(nereid_view_t inside, nereid_parameter_t *parameter) {
  parameter->kind = NEREID_PARAMETER_POINTER;
  parameter->size = 8;
  parameter->element = nereid_element_parse(inside);
  return parameter->element || nereid_view_starts_with(inside, nereid_view("ptr"));
}

bool nereid_parameter_type_parse(nereid_view_t text, nereid_parameter_t *parameter) {
  nereid_view_t inside;
  parameter->rank = 0;
  parameter->element = NEREID_ELEMENT_NONE;
  if (unwrap(text, "ptr<", &inside))
    return pointer_parse(inside, parameter);
  if (unwrap(text, "tensordesc<", &inside))
    return descriptor_parse(inside, parameter);
  if (unwrap(text, "tensordesc_im2col<", &inside)) {
    parameter->im2col = true;
    return descriptor_parse(inside, parameter) && parameter->rank == 2;
  }
  if (nereid_view_equal(text, nereid_view("tensormap"))) {
    parameter->kind = NEREID_PARAMETER_DESCRIPTOR;
    parameter->size = 128;
    return true;
  }
  if (nereid_view_equal(text, nereid_view("opaque"))) {
    parameter->kind = NEREID_PARAMETER_OPAQUE;
    return true;
  }
  parameter->kind = NEREID_PARAMETER_SCALAR;
  parameter->element = nereid_element_parse(text);
  parameter->size = (uint32_t)nereid_element_size(parameter->element);
  return parameter->element != NEREID_ELEMENT_NONE;
}
