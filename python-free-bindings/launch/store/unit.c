/* Encodes and checks units. A decoder trusts nothing: each size is compared with what is there before it is used. */
#include "python-free-bindings/launch/store/unit.h"

#include <llvm-c/blake3.h>
#include <stdlib.h>

static const uint8_t magic[8] = {'N', 'E', 'R', 'E', 'I', 'D', 'U', 1};

enum { AT_SIZE = 8, AT_KEY = 16, AT_METADATA = 48, AT_TUNING = 56, AT_IMAGE = 64, AT_ZERO = 72, AT_CHECKSUM = 80 };

static void write_integer(uint8_t *at, uint64_t value) {
  for (unsigned i = 0; i < 8; ++i)
    at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t read_integer(const uint8_t *at) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i)
    value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static void compute_checksum(nereid_view_t bytes, uint8_t out_checksum[LLVM_BLAKE3_OUT_LEN]) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, bytes.data, AT_CHECKSUM);
  llvm_blake3_hasher_update(&hasher, bytes.data + NEREID_UNIT_HEADER, bytes.size - NEREID_UNIT_HEADER);
  llvm_blake3_hasher_finalize(&hasher, out_checksum, LLVM_BLAKE3_OUT_LEN);
}

static nereid_status_t check_content(const nereid_store_content_t *content, nereid_message_t *message) {
  if (content->metadata.size > NEREID_UNIT_TEXT_LIMIT || content->tuning.size > NEREID_UNIT_TEXT_LIMIT)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the %s of a unit has %zu bytes; expected at most %d",
                              content->metadata.size > NEREID_UNIT_TEXT_LIMIT ? "metadata" : "tuning result",
                              content->metadata.size > NEREID_UNIT_TEXT_LIMIT ? content->metadata.size
                                                                              : content->tuning.size,
                              NEREID_UNIT_TEXT_LIMIT);
  if (content->image.size > NEREID_UNIT_IMAGE_LIMIT)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the image of a unit has %zu bytes; expected at most %d",
                              content->image.size, NEREID_UNIT_IMAGE_LIMIT);
  if (!content->image.size && !content->metadata.size && !content->tuning.size)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a unit is empty: no image, metadata or tuning result");
  return NEREID_OK;
}

static char *append(char *at, nereid_view_t part, bool is_text) {
  if (part.size)
    memcpy(at, part.data, part.size);
  at += part.size;
  if (is_text)
    *at++ = '\0';
  return at;
}

nereid_status_t nereid_unit_encode(const nereid_store_key_t *key, const nereid_store_content_t *content,
                                   nereid_store_unit_t *out_unit, nereid_message_t *message) {
  const nereid_status_t status = check_content(content, message);
  if (status)
    return status;
  const size_t size = NEREID_UNIT_HEADER + content->metadata.size + content->tuning.size + content->image.size + 2;
  char *bytes = malloc(size);
  if (!bytes)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  uint8_t *header = (uint8_t *)bytes;
  memcpy(header, magic, sizeof magic);
  write_integer(header + AT_SIZE, size);
  memcpy(header + AT_KEY, key->bytes, sizeof key->bytes);
  write_integer(header + AT_METADATA, content->metadata.size);
  write_integer(header + AT_TUNING, content->tuning.size);
  write_integer(header + AT_IMAGE, content->image.size);
  write_integer(header + AT_ZERO, 0);
  char *at = append(bytes + NEREID_UNIT_HEADER, content->metadata, true);
  at = append(at, content->tuning, true);
  append(at, content->image, false);
  compute_checksum(nereid_view_of(bytes, size), header + AT_CHECKSUM);
  *out_unit = (nereid_store_unit_t){.content = *content, .bytes = bytes, .size = size};
  return NEREID_OK;
}

uint64_t nereid_unit_size(const uint8_t header[NEREID_UNIT_HEADER]) {
  const uint64_t size = read_integer(header + AT_SIZE);
  const bool is_unit =
      memcmp(header, magic, sizeof magic) == 0 && size > NEREID_UNIT_HEADER && size <= NEREID_UNIT_LIMIT;
  return is_unit ? size : 0;
}

void nereid_unit_key(const uint8_t header[NEREID_UNIT_HEADER], nereid_store_key_t *out_key) {
  memcpy(out_key->bytes, header + AT_KEY, sizeof out_key->bytes);
}

/* Returns the reason why the header does not describe `bytes`; null when it does. */
static const char *check_header(const nereid_store_key_t *key, nereid_view_t bytes) {
  const uint8_t *header = (const uint8_t *)bytes.data;
  if (bytes.size < NEREID_UNIT_HEADER)
    return "it is shorter than a header";
  if (memcmp(header, magic, sizeof magic - 1) != 0)
    return "it does not begin as a unit";
  if (header[sizeof magic - 1] != magic[sizeof magic - 1])
    return "its format has another version";
  if (read_integer(header + AT_SIZE) != bytes.size)
    return "its size is not that of its header";
  if (memcmp(header + AT_KEY, key->bytes, sizeof key->bytes) != 0)
    return "it is the unit of another key";
  const uint64_t metadata = read_integer(header + AT_METADATA), tuning = read_integer(header + AT_TUNING),
                 image = read_integer(header + AT_IMAGE);
  if (metadata > NEREID_UNIT_TEXT_LIMIT || tuning > NEREID_UNIT_TEXT_LIMIT || image > NEREID_UNIT_IMAGE_LIMIT ||
      NEREID_UNIT_HEADER + metadata + tuning + image + 2 != bytes.size)
    return "the sizes of its parts are wrong";
  return read_integer(header + AT_ZERO) != 0 ? "a reserved field is not 0" : NULL;
}

nereid_status_t nereid_unit_decode(const nereid_store_key_t *key, nereid_view_t bytes,
                                   nereid_store_content_t *out_content, nereid_message_t *message) {
  uint8_t checksum[LLVM_BLAKE3_OUT_LEN];
  const char *reason = check_header(key, bytes);
  if (reason)
    return nereid_message_set(message, NEREID_ERROR_IO, "damaged: %s", reason);
  compute_checksum(bytes, checksum);
  const uint8_t *header = (const uint8_t *)bytes.data;
  if (memcmp(checksum, header + AT_CHECKSUM, sizeof checksum) != 0)
    return nereid_message_set(message, NEREID_ERROR_IO, "damaged: its checksum is wrong");
  const char *metadata = bytes.data + NEREID_UNIT_HEADER;
  const char *tuning = metadata + read_integer(header + AT_METADATA) + 1;
  const char *image = tuning + read_integer(header + AT_TUNING) + 1;
  if (tuning[-1] || image[-1])
    return nereid_message_set(message, NEREID_ERROR_IO, "damaged: a text does not end in a NUL");
  out_content->metadata = nereid_view_of(metadata, (size_t)read_integer(header + AT_METADATA));
  out_content->tuning = nereid_view_of(tuning, (size_t)read_integer(header + AT_TUNING));
  out_content->image = nereid_view_of(image, (size_t)read_integer(header + AT_IMAGE));
  return NEREID_OK;
}

nereid_status_t nereid_unit_create(const nereid_store_key_t *key, char *bytes, size_t size,
                                   nereid_store_unit_t **out_unit, nereid_message_t *message) {
  nereid_store_unit_t *unit = calloc(1, sizeof *unit);
  *out_unit = NULL;
  if (!unit) {
    free(bytes);
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  const nereid_status_t status = nereid_unit_decode(key, nereid_view_of(bytes, size), &unit->content, message);
  if (status != NEREID_OK) {
    free(unit);
    free(bytes);
    return status;
  }
  unit->bytes = bytes;
  unit->size = size;
  *out_unit = unit;
  return NEREID_OK;
}

nereid_store_content_t nereid_store_unit_content(const nereid_store_unit_t *unit) {
  return unit->content;
}

void nereid_store_unit_destroy(nereid_store_unit_t *unit) {
  if (!unit)
    return;
  free(unit->bytes);
  free(unit);
}
