/* libFuzzer: images and metadata from untrusted files. Any bytes are read or rejected; metadata that was read prints
 * and reads back unchanged. */
#include "nereid/metadata.h"
#include "python-free-bindings/launch/kernel.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_metadata(nereid_arena_t *arena, nereid_view_t text) {
  nereid_metadata_t first, second;
  nereid_view_t printed, again;
  nereid_message_t message;
  if (nereid_metadata_parse(arena, text, &first, &message) || first.foreign)
    return;
  if (nereid_metadata_print(arena, &first, &printed) || nereid_metadata_parse(arena, printed, &second, &message) ||
      nereid_metadata_print(arena, &second, &again) || !nereid_view_equal(printed, again))
    abort();
}

static void fuzz_image(nereid_arena_t *arena, nereid_view_t bytes) {
  nereid_image_t image;
  nereid_metadata_t metadata;
  nereid_message_t message;
  if (nereid_image_inspect(arena, bytes, &image, &message))
    return;
  for (size_t i = 0; i < image.n_kernels && i < 4; ++i) {
    nereid_metadata_initialize(&metadata);
    metadata.name = image.kernels[i].name;
    if (nereid_kernel_match(arena, &image, &metadata, &message) == NEREID_OK && metadata.n_parameters > 65536)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_view_t view = nereid_view_of((const char *)bytes, size);
  fuzz_metadata(&arena, view);
  fuzz_image(&arena, view);
  nereid_arena_deinitialize(&arena);
  return 0;
}
