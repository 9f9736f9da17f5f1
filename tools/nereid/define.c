/* Replaces named constants in an input before it is compiled or run. Diagnostics of the compiler then refer to the
 * replaced text, and the caret is under the column that they name. */
#include "tools/nereid/define.h"

#include "nereid/constants.h"
#include "tools/nereid/caret.h"

/* Splits "NAME=VALUE" at the first =. */
static nereid_status_t split(nereid_arena_t *arena, const char *definition, nereid_constant_t *out_constant,
                             nereid_message_t *message) {
  const char *equals = strchr(definition, '=');
  if (!equals)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--define %s: expected NAME=VALUE", definition);
  out_constant->name = nereid_arena_copy(arena, nereid_view_of(definition, (size_t)(equals - definition)));
  out_constant->value = equals + 1;
  return out_constant->name ? NEREID_OK : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static void print_at(const char *name, nereid_view_t text, nereid_constants_place_t place,
                     const nereid_message_t *message) {
  tool_source_t source = {.name = name, .text = text};
  const nereid_diagnostic_t diagnostic = {.severity = NEREID_SEVERITY_ERROR,
                                          .file = name,
                                          .line = place.line,
                                          .column = place.column,
                                          .message = message->text};
  tool_print_diagnostic(&source, &diagnostic);
}

nereid_status_t tool_define(nereid_arena_t *arena, const char *name, const tool_list_t *defines, nereid_view_t *text,
                            nereid_message_t *message) {
  nereid_constant_t *constants = nereid_arena_new(arena, nereid_constant_t, defines->size);
  nereid_constants_place_t place;
  nereid_message_t problem;
  nereid_view_t result;
  nereid_status_t status = constants ? NEREID_OK : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; !status && i < defines->size; ++i)
    status = split(arena, defines->items[i], &constants[i], message);
  if (status || (!defines->size && (!text->size || memchr(text->data, 0, text->size))))
    return status;
  status = nereid_constants_substitute(arena, *text, defines->size, constants, &result, &place, &problem);
  if (!status)
    *text = result;
  else if (status == NEREID_ERROR_PROGRAM)
    print_at(name, *text, place, &problem);
  else
    return nereid_message_set(message, status, "%s", problem.text);
  return status;
}
