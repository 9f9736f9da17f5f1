/* Creates the map from elements to places. */
#include "tools/nereid/layout/layout_map.h"

#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinTypes.h>

uint32_t tool_layout_element_bits(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

/* Inserts the gaps of a padded encoding. */
static void pad(MlirAttribute encoding, tool_layout_t *layout) {
  layout->end = UINT32_C(1) << layout->layout.in_bits[NEREID_LAYOUT_OFFSET];
  if (!nereid_ttg_padded_shared_attr_isa(encoding))
    return;
  layout->end = (uint32_t)nereid_layout_padded_offset(encoding, layout->end - 1) + 1;
  for (uint32_t i = 0; i < layout->n; ++i)
    layout->first[i].registr = (uint32_t)nereid_layout_padded_offset(encoding, layout->first[i].registr);
}

/* Visits all places backwards, so that the first place of each element remains. */
static bool find_places(nereid_arena_t *arena, tool_layout_t *out) {
  const nereid_layout_t *l = &out->layout;
  out->n = UINT32_C(1) << nereid_layout_out_total(l);
  out->first = nereid_arena_new(arena, tool_place_t, out->n);
  int r = l->in_bits[NEREID_LAYOUT_REGISTER], t = l->in_bits[NEREID_LAYOUT_LANE], w = l->in_bits[NEREID_LAYOUT_WARP];
  for (uint64_t flat = UINT64_C(1) << nereid_layout_in_total(l); out->first && flat-- > 0;) {
    tool_place_t place = {(uint32_t)(flat & ((UINT64_C(1) << r) - 1)), (uint32_t)(flat >> r & ((UINT64_C(1) << t) - 1)),
                          (uint32_t)(flat >> (r + t) & ((UINT64_C(1) << w) - 1)), (uint32_t)(flat >> (r + t + w))};
    out->first[nereid_layout_apply_flat(l, flat)] = place;
  }
  out->copies = UINT32_C(1) << (nereid_layout_in_total(l) - nereid_layout_image_bits(l));
  return out->first != NULL;
}

static bool is_shared(MlirAttribute encoding) {
  return nereid_ttg_swizzled_shared_attr_isa(encoding) || nereid_ttg_nvmma_shared_attr_isa(encoding) ||
         nereid_ttg_padded_shared_attr_isa(encoding) || nereid_ttg_shared_linear_attr_isa(encoding);
}

/* "16x64" */
static const char *print_shape(nereid_arena_t *arena, int rank, const int64_t *shape) {
  const char *text = "";
  for (int d = 0; text && d < rank; ++d)
    text = nereid_arena_format(arena, "%s%s%lld", text, d ? "x" : "", (long long)shape[d]);
  return text ? text : "";
}

nereid_status_t tool_layout_create(nereid_arena_t *arena, MlirAttribute encoding, int rank, const int64_t *shape,
                                   uint32_t element_bits, tool_layout_t *out, nereid_message_t *message) {
  *out = (tool_layout_t){.element_bits = element_bits, .shared = is_shared(encoding)};
  const char *text = print_shape(arena, rank, shape);
  const nereid_status_t status = nereid_ttg_padded_shared_attr_isa(encoding)
                                     ? nereid_layout_from_padded(encoding, rank, shape, &out->layout)
                                     : nereid_layout_from_encoding(encoding, rank, shape, &out->layout);
  if (status == NEREID_ERROR_UNSUPPORTED)
    return nereid_message_set(message, status, "the encoding is not a layout that can be printed");
  if (status)
    return nereid_message_set(message, NEREID_ERROR_PROGRAM,
                              "the encoding does not fit the shape %s: expected one power of two per dimension of the "
                              "encoding, and at least one instance of its pattern",
                              text);
  if (nereid_layout_in_total(&out->layout) > 24 || nereid_layout_out_total(&out->layout) > 16)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s has more than %d elements", text,
                              TOOL_LAYOUT_MAX_ELEMENTS);
  if (!nereid_layout_surjective(&out->layout))
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "the encoding does not cover all elements of %s", text);
  if (!find_places(arena, out))
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  pad(encoding, out);
  return NEREID_OK;
}
