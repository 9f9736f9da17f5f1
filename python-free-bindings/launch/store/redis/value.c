/* Compresses units with zstd. The frame's size is checked before memory is allocated for it. */
#include "python-free-bindings/launch/store/redis/value.h"

#include "python-free-bindings/launch/store/server.h"

#include <stdlib.h>
#include <zstd.h>

static const char magic[8] = {'N', 'E', 'R', 'E', 'I', 'D', 'Z', 1};

enum { LEVEL = 3 };

nereid_status_t nereid_redis_value_encode(nereid_view_t unit, char **out_value, size_t *out_size,
                                          nereid_message_t *message) {
  if (unit.size > NEREID_SERVER_UNIT_LIMIT)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "a unit of %zu bytes is not sent to the server: the limit is %d", unit.size,
                              NEREID_SERVER_UNIT_LIMIT);
  const size_t bound = ZSTD_compressBound(unit.size);
  char *value = malloc(sizeof magic + bound);
  const size_t size = value ? ZSTD_compress(value + sizeof magic, bound, unit.data, unit.size, LEVEL) : 0;
  if (!value || ZSTD_isError(size)) {
    free(value);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  memcpy(value, magic, sizeof magic);
  *out_value = value;
  *out_size = sizeof magic + size;
  return NEREID_OK;
}

static nereid_status_t refuse(nereid_message_t *message, const char *reason) {
  return nereid_message_set(message, NEREID_ERROR_PROGRAM, "damaged: %s", reason);
}

nereid_status_t nereid_redis_value_decode(nereid_view_t value, char **out_unit, size_t *out_size,
                                          nereid_message_t *message) {
  if (value.size < sizeof magic || memcmp(value.data, magic, sizeof magic) != 0)
    return refuse(message, "it does not begin as a value");
  const char *frame = value.data + sizeof magic;
  const size_t frame_size = value.size - sizeof magic;
  const unsigned long long size = ZSTD_getFrameContentSize(frame, frame_size);
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || !size || size > NEREID_SERVER_UNIT_LIMIT)
    return refuse(message, "its size is wrong or above the limit");
  char *unit = malloc((size_t)size);
  if (!unit)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (ZSTD_decompress(unit, (size_t)size, frame, frame_size) != size) {
    free(unit);
    return refuse(message, "it cannot be decompressed");
  }
  *out_unit = unit;
  *out_size = (size_t)size;
  return NEREID_OK;
}
