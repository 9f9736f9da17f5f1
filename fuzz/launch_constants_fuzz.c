/* libFuzzer: named constants in any text. The text is replaced, with as many lines as before, or rejected at a place in
 * it. */
#include "nereid/constants.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t count_lines(nereid_view_t text) {
  size_t n = 0;
  for (size_t i = 0; i < text.size; ++i)
    n += text.data[i] == '\n';
  return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const nereid_constant_t constants[] = {{"M", "128"}, {"N", "-3"}, {"T", "f16"}};
  const nereid_view_t text = {(const char *)bytes, size};
  const size_t n_lines = count_lines(text);
  for (size_t n = 0; n <= 3; ++n) {
    nereid_constants_place_t place;
    nereid_message_t message = {""};
    nereid_arena_t arena;
    nereid_view_t result;
    nereid_arena_initialize(&arena);
    nereid_status_t status = nereid_constants_substitute(&arena, text, n, constants, &result, &place, &message);
    if (!status && count_lines(result) != n_lines)
      abort();
    if (status && (result.size || !message.text[0] || (status != NEREID_ERROR_PROGRAM && place.line)))
      abort();
    if (status == NEREID_ERROR_PROGRAM && (place.line < 1 || place.line > n_lines + 1 || place.column < 1))
      abort();
    nereid_arena_deinitialize(&arena);
  }
  return 0;
}
