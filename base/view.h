/* A non-owning view of bytes: the string type of all interfaces that do not use MLIR. */
#ifndef NEREID_BASE_VIEW_H
#define NEREID_BASE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `data` need not be NUL-terminated and may be null when `size` is 0. The view owns nothing. */
typedef struct nereid_view {
  const char *data;
  size_t size; /* bytes */
} nereid_view_t;

static inline nereid_view_t nereid_view(const char *text) {
  const nereid_view_t view = {text, text ? strlen(text) : 0};
  return view;
}

static inline nereid_view_t nereid_view_of(const char *data, size_t size) {
  const nereid_view_t view = {data, size};
  return view;
}

static inline bool nereid_view_equal(nereid_view_t a, nereid_view_t b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool nereid_view_starts_with(nereid_view_t text, nereid_view_t prefix) {
  return text.size >= prefix.size && (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0);
}

/* A hash of the size and of the first and last eight bytes: two steps instead of one per byte. */
static inline uint32_t nereid_view_hash_ends(nereid_view_t text) {
  uint64_t first = 0, last = 0;
  if (text.size)
    memcpy(&first, text.data, text.size < sizeof first ? text.size : sizeof first);
  if (text.size > sizeof last)
    memcpy(&last, text.data + text.size - sizeof last, sizeof last);
  const uint64_t hash = ((first + text.size) * 0x9e3779b97f4a7c15u) ^ (last * 0xc2b2ae3d27d4eb4fu);
  return (uint32_t)((hash >> 32) ^ (hash >> 48));
}

#endif
