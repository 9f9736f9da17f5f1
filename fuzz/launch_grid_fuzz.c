/* libFuzzer: grids, as users write them and as affine maps of metadata. Any text is read or rejected; a map that was
 * read from names evaluates or fails with a message, and prints and parses to the same metadata. */
#include "nereid/launch.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const nereid_parameter_t parameters[] = {
    {.name = "x", .kind = NEREID_PARAMETER_POINTER, .size = 8, .group = -1, .dimension = -1, .divisibility = 1},
    {.name = "m",
     .kind = NEREID_PARAMETER_SCALAR,
     .element = NEREID_ELEMENT_I32,
     .size = 4,
     .group = -1,
     .dimension = -1,
     .divisibility = 1},
    {.name = "n",
     .kind = NEREID_PARAMETER_SCALAR,
     .element = NEREID_ELEMENT_I64,
     .size = 8,
     .group = -1,
     .dimension = -1,
     .divisibility = 1},
};
enum { COUNT = sizeof parameters / sizeof *parameters };

static void evaluate(const nereid_metadata_t *metadata) {
  static const int64_t numbers[] = {0, 1, -1, 1000, INT32_MAX, INT32_MIN};
  nereid_message_t message;
  uint32_t grid[3];
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    const nereid_value_t values[COUNT] = {nereid_value_pointer(0), nereid_value_i32((int32_t)numbers[i]),
                                          nereid_value_i64(numbers[i] * INT32_MAX)};
    nereid_status_t status = nereid_grid_evaluate(metadata, 132, COUNT, values, grid, &message);
    if (status ? status != NEREID_ERROR_ARGUMENT : grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const int32_t positions[] = {1, 2};
  nereid_view_t text = nereid_view_of((const char *)bytes, size), printed;
  nereid_metadata_t metadata, again;
  nereid_message_t message;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_metadata_initialize(&metadata);
  metadata.name = "k";
  metadata.arch = "sm_90a";
  metadata.signature = true;
  metadata.parameters = parameters;
  metadata.n_parameters = COUNT;
  if (nereid_metadata_set_grid(&arena, text, &metadata, &message) == NEREID_OK) {
    evaluate(&metadata);
    if (nereid_metadata_print(&arena, &metadata, &printed) ||
        nereid_metadata_parse(&arena, printed, &again, &message) || strcmp(again.grid_map, metadata.grid_map) != 0)
      abort();
  }
  metadata.grid_map = nereid_arena_copy(&arena, text);
  metadata.grid_arguments = positions;
  metadata.n_grid_arguments = 2;
  if (metadata.grid_map)
    evaluate(&metadata);
  nereid_arena_deinitialize(&arena);
  return 0;
}
