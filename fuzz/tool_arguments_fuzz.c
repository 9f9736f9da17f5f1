/* libFuzzer: user input of the tools: argument specifications, .npy files, grid maps. The first byte selects the
 * parser. */
#include "tools/nereid/run/fill.c"
#include "tools/nereid/run/npy.c"
#undef REFUSE
#include "tools/nereid/run/spec.c"

#include "nereid/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_spec(nereid_arena_t *arena, const char *text) {
  tool_spec_t spec;
  nereid_message_t message;
  uint64_t bits;
  if (tool_spec_parse(arena, text, &spec, &message))
    return;
  for (int element = 1; element < NEREID_ELEMENT_COUNT; ++element)
    if (tool_spec_scalar(&spec, (nereid_element_t)element, &bits, &message) == NEREID_OK &&
        spec.kind == TOOL_SPEC_TENSOR)
      abort();
}

static void fuzz_npy(nereid_arena_t *arena, nereid_view_t bytes) {
  tool_tensor_t tensor, back;
  nereid_view_t printed;
  nereid_message_t message;
  if (tool_npy_parse(bytes, NEREID_ELEMENT_NONE, &tensor, &message))
    return;
  if (tool_npy_print(arena, &tensor, &printed) || tool_npy_parse(printed, tensor.element, &back, &message) ||
      back.bytes != tensor.bytes || (back.bytes && memcmp(back.data, tensor.data, back.bytes) != 0))
    abort();
}

static void fuzz_grid(const char *text) {
  static const int32_t positions[] = {0, 1};
  const nereid_value_t values[] = {nereid_value_i32(1000), nereid_value_i64(-7)};
  nereid_metadata_t metadata;
  nereid_message_t message;
  uint32_t grid[3];
  nereid_metadata_initialize(&metadata);
  metadata.name = "k";
  metadata.grid_map = text;
  metadata.grid_arguments = positions;
  metadata.n_grid_arguments = 2;
  if (nereid_grid_evaluate(&metadata, 132, 2, values, grid, &message) == NEREID_OK && grid[1] > 65535)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  nereid_arena_t arena;
  if (size == 0)
    return 0;
  nereid_arena_initialize(&arena);
  nereid_view_t rest = nereid_view_of((const char *)bytes + 1, size - 1);
  const char *text = nereid_arena_copy(&arena, rest);
  if (bytes[0] % 3 == 0)
    fuzz_spec(&arena, text);
  else if (bytes[0] % 3 == 1)
    fuzz_npy(&arena, rest);
  else
    fuzz_grid(text);
  nereid_arena_deinitialize(&arena);
  return 0;
}
