/* A non-owning view of bytes: the string type of all interfaces that do not use MLIR. */
#ifndef NEREID_BASE_VIEW_H
#define NEREID_BASE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
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

#endif
