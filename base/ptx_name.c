/* An injective mapping of symbol names to PTX identifiers. */
#include "base/ptx_name.h"

#include <stdio.h>

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool stays(nereid_view_t name, size_t i) {
  const char c = name.data[i];
  if (c >= '0' && c <= '9')
    return i > 0;
  /* A lone underscore is not an identifier: at least one more character must follow. */
  return is_letter(c) || (c == '_' && (i > 0 || name.size > 1));
}

const char *nereid_ptx_name(nereid_arena_t *arena, nereid_view_t name) {
  if (name.size == 0)
    return nereid_arena_copy(arena, nereid_view("$"));
  char *text = nereid_arena_allocate(arena, name.size, 3 + 1);
  if (!text)
    return NULL;
  char *end = text;
  for (size_t i = 0; i < name.size; ++i) {
    if (stays(name, i))
      *end++ = name.data[i];
    else
      end += sprintf(end, "$%02X", (unsigned char)name.data[i]);
  }
  *end = 0;
  return text;
}
