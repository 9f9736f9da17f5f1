/* Finds the kernels of an input before it is compiled, in its text, because constants in it may not have values yet:
 *
 *   tt.func public @add(%x: ...       add
 *   tt.func private @sum(%x: ...      no kernel
 *
 * The text of other stages, and bytecode, have no `tt.func`: their kernel is known after the compilation. */
#include "tools/nereid/aot/plan.h"

#include "base/vector.h"
#include "python-free-bindings/compile/scan.h"

#include <ctype.h>

static bool is_symbol(char c) {
  return isalnum((unsigned char)c) || strchr("_$.-", c);
}

static const char *skip_spaces(const char *at, const char *end) {
  while (at < end && isspace((unsigned char)*at))
    at++;
  return at;
}

static nereid_view_t take_symbol(const char *at, const char *end) {
  const char *start = at;
  while (at < end && *at && is_symbol(*at))
    at++;
  return nereid_view_of(start, (size_t)(at - start));
}

/* Returns the name of the public function whose text begins after `tt.func`; empty when it is not public. */
static nereid_view_t public_name(const char *at, const char *end) {
  at = skip_spaces(at, end);
  const nereid_view_t visibility = take_symbol(at, end);
  at = skip_spaces(at + visibility.size, end);
  if (at == end || *at != '@' || (visibility.size && !nereid_view_equal(visibility, nereid_view("public"))))
    return nereid_view_of(NULL, 0);
  at++;
  if (at == end || *at != '"')
    return take_symbol(at, end);
  const char *close = nereid_scan_skip(at, end);
  const bool is_closed = close - at >= 2 && close[-1] == '"';
  return nereid_view_of(at + 1, is_closed ? (size_t)(close - at) - 2 : 0);
}

nereid_status_t tool_aot_find_kernels(nereid_arena_t *arena, nereid_view_t text, tool_list_t *out_names,
                                      nereid_message_t *message) {
  static const char keyword[] = "tt.func";
  NEREID_VECTOR(const char *) names = {0};
  const char *end = text.data + text.size;
  for (const char *at = text.data, *next; at < end; at = next) {
    next = nereid_scan_skip(at, end);
    if (next != at)
      continue;
    const nereid_view_t word = take_symbol(at, end);
    next = at + (word.size ? word.size : 1);
    if (!nereid_view_equal(word, nereid_view(keyword)))
      continue;
    const nereid_view_t name = public_name(next, end);
    const char *copy = name.size ? nereid_arena_copy(arena, name) : NULL;
    if (name.size && (!copy || !nereid_vector_push(arena, &names, copy)))
      return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  }
  out_names->items = names.data;
  out_names->size = names.size;
  return NEREID_OK;
}
