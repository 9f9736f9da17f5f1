/* Names in generated C: identifiers that are valid in C11 and C++17. */
#ifndef NEREID_TOOLS_AOT_NAMES_H
#define NEREID_TOOLS_AOT_NAMES_H

#include "base/arena.h"

/* Returns whether the text has letters, digits and _ only, and at least one of them. */
bool tool_name_is_identifier(const char *text);

/* Returns `text` with each other byte replaced by _, and with a _ before a leading digit; null when out of memory. It
 * may be a keyword. */
const char *tool_name_identifier(nereid_arena_t *arena, const char *text);

/* As above, with a _ after a keyword of C or C++. */
const char *tool_name_variable(nereid_arena_t *arena, const char *text);

#endif
