/* A smaller launch: the grid, warps, stages, scalars, extents and contents of tensors.
 *
 *   --grid 32,4 --arg n=4096 --arg x=f32[4096x64]:rand   ->   --grid 1,1 --arg n=2048 --arg x=f32[2048x64]:ones
 *
 * Half of a multiple of 16 is rounded down to one, because kernels may require that. A launch that the kernel does not
 * fit, for example because it accesses elements beyond a tensor, does not show the property and is not kept. */
#include "tools/nereid/reduce/edit.h"
#include "tools/nereid/run/spec.h"

#include <inttypes.h>
#include <stdio.h>

static tool_edit_result_t set(const char **out, const char *text) {
  *out = text;
  return text ? TOOL_EDIT_DONE : TOOL_EDIT_SKIP;
}

/* Variant 0: one CTA. Variant 1: half of the largest extent. */
static tool_edit_result_t shrink_grid(tool_candidate_t *candidate, size_t variant) {
  const char *grid = candidate->settings.grid;
  uint32_t extents[3], most = 0;
  const bool numbers = grid && tool_parse_extents(grid, extents);
  if (!grid || (variant && !numbers) || (numbers && extents[0] <= 1 && extents[1] <= 1 && extents[2] <= 1))
    return TOOL_EDIT_SKIP;
  if (!variant)
    return set(&candidate->settings.grid, "1");
  for (uint32_t i = 1; i < 3; ++i)
    most = extents[i] > extents[most] ? i : most;
  extents[most] /= 2;
  return set(&candidate->settings.grid, nereid_arena_format(candidate->arena, "%" PRIu32 ",%" PRIu32 ",%" PRIu32,
                                                            extents[0], extents[1], extents[2]));
}

/* 0 means the default, which is above 2. */
static tool_edit_result_t set_number(int64_t *number, int64_t value) {
  if (*number && *number <= value)
    return TOOL_EDIT_SKIP;
  *number = value;
  return TOOL_EDIT_DONE;
}

static int64_t half_of(int64_t value) {
  return value >= 32 && value % 16 == 0 ? value / 32 * 16 : value / 2;
}

/* Variant 0: 1, or 0 for a number with a fraction. Variant 1: half, or 1. */
static tool_edit_result_t shrink_scalar(tool_candidate_t *candidate, const char **spec, const tool_spec_t *parsed,
                                        size_t variant) {
  const char *colon = strchr(*spec, ':');
  const int prefix = colon ? (int)(colon + 1 - *spec) : 0;
  const bool is_whole = parsed->kind == TOOL_SPEC_INTEGER && !parsed->large;
  const double old = parsed->number;
  if (!is_whole && ((!(old > 0) && !(old < 0)) || (variant && !(old > 1) && !(old < 1))))
    return TOOL_EDIT_SKIP;
  if (!is_whole)
    return set(spec, nereid_arena_format(candidate->arena, "%.*s%s", prefix, *spec, variant ? "1.0" : "0.0"));
  const int64_t value = variant ? half_of(parsed->integer) : 1;
  if (parsed->integer == 0 || value == parsed->integer)
    return TOOL_EDIT_SKIP;
  return set(spec, nereid_arena_format(candidate->arena, "%.*s%" PRId64, prefix, *spec, value));
}

/* "64x32" */
static const char *print_shape(nereid_arena_t *arena, const uint64_t *shape, uint32_t rank) {
  const char *text = "";
  for (uint32_t i = 0; text && i < rank; ++i)
    text = nereid_arena_format(arena, "%s%s%" PRIu64, text, i ? "x" : "", shape[i]);
  return text;
}

/* Variant 0: one element. Variant 1: half. */
static tool_edit_result_t shrink_extent(tool_candidate_t *candidate, const char **spec, tool_spec_t *parsed,
                                        size_t dimension, size_t variant) {
  const char *end = strchr(*spec, ']');
  if (parsed->fill == TOOL_FILL_FILE || !end || parsed->shape[dimension] <= 1)
    return TOOL_EDIT_SKIP;
  parsed->shape[dimension] = variant ? (uint64_t)half_of((int64_t)parsed->shape[dimension]) : 1;
  const char *shape = print_shape(candidate->arena, parsed->shape, parsed->rank);
  return set(spec, nereid_arena_format(candidate->arena, "%.*s[%s%s", (int)strcspn(*spec, "["), *spec, shape, end));
}

/* Variant 0: ones instead of other contents. Variant 1: generated contents instead of those of a file. */
static tool_edit_result_t simplify_fill(tool_candidate_t *candidate, const char **spec, const tool_spec_t *parsed,
                                        size_t variant) {
  nereid_message_t message = {""};
  tool_tensor_t tensor;
  const bool is_file = parsed->fill == TOOL_FILL_FILE;
  if (parsed->fill == TOOL_FILL_FULL || (variant && !is_file) ||
      tool_spec_tensor(candidate->arena, parsed, 0, 0, &tensor, &message))
    return TOOL_EDIT_SKIP;
  const char *slash = is_file ? NULL : strchr(*spec, '/');
  const char *shape = print_shape(candidate->arena, tensor.shape, tensor.rank);
  return set(spec, nereid_arena_format(candidate->arena, "%s[%s]:%s%s", nereid_element_name(tensor.element), shape,
                                       variant ? "rand" : "ones", slash ? slash : ""));
}

/* Position 0 of a tensor: its contents; then one per dimension. */
static tool_edit_result_t shrink_argument(tool_candidate_t *candidate, const char **spec, tool_spec_t *parsed,
                                          size_t position, size_t variant) {
  if (parsed->kind == TOOL_SPEC_NULL)
    return TOOL_EDIT_SKIP;
  if (parsed->kind != TOOL_SPEC_TENSOR)
    return shrink_scalar(candidate, spec, parsed, variant);
  return position ? shrink_extent(candidate, spec, parsed, position - 1, variant)
                  : simplify_fill(candidate, spec, parsed, variant);
}

/* Shrinks the scalars, or the tensors: `position` counts them, or the contents and extents of each tensor. */
static tool_edit_result_t shrink_arguments(tool_candidate_t *candidate, size_t position, size_t variant, bool tensors) {
  tool_list_t *list = &candidate->settings.arguments;
  nereid_message_t message = {""};
  for (size_t i = 0; i < list->size; ++i) {
    tool_spec_t parsed = {0};
    const char *item = list->items[i], *equals = strchr(item, '='), *spec = equals ? equals + 1 : item;
    const bool good = equals && tool_spec_parse(candidate->arena, spec, &parsed, &message) == NEREID_OK;
    const bool is_tensor = good && parsed.kind == TOOL_SPEC_TENSOR;
    const size_t n = !good || is_tensor != tensors ? 0 : is_tensor ? 1 + parsed.rank : 1;
    if (position >= n) {
      position -= n;
      continue;
    }
    const char **items = nereid_arena_new(candidate->arena, const char *, list->size);
    if (!items || shrink_argument(candidate, &spec, &parsed, position, variant) != TOOL_EDIT_DONE)
      return TOOL_EDIT_SKIP;
    memcpy(items, list->items, list->size * sizeof *items);
    items[i] = nereid_arena_format(candidate->arena, "%.*s=%s", (int)(equals - item), item, spec);
    list->items = items;
    return items[i] ? TOOL_EDIT_DONE : TOOL_EDIT_SKIP;
  }
  return TOOL_EDIT_END;
}

tool_edit_result_t tool_edit_grid(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  return place->position ? TOOL_EDIT_END : shrink_grid(candidate, place->variant);
}

tool_edit_result_t tool_edit_scalar(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  return shrink_arguments(candidate, place->position, place->variant, false);
}

tool_edit_result_t tool_edit_tensor(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  return shrink_arguments(candidate, place->position, place->variant, true);
}

tool_edit_result_t tool_edit_options(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  run_settings_t *settings = &candidate->settings;
  const int64_t value = place->variant ? 2 : 1;
  switch (place->position) {
  case 0:
    return set_number(&settings->num_warps, value);
  case 1:
    return set_number(&settings->num_stages, value);
  case 2:
    return settings->num_ctas > 1 ? set_number(&settings->num_ctas, 1) : TOOL_EDIT_SKIP;
  default:
    return TOOL_EDIT_END;
  }
}
