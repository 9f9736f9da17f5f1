/* --define NAME=VALUE: named constants in the text of an input (nereid/constants.h). */
#ifndef NEREID_TOOLS_DEFINE_H
#define NEREID_TOOLS_DEFINE_H

#include "tools/nereid/tool.h"

/* Replaces the placeholders of the input `name` by the values of `defines`, "NAME=VALUE"; binary input is unchanged.
 * The result is in `arena`, or is `*text`. NEREID_ERROR_PROGRAM, after a diagnostic on stderr at the placeholder and
 * with an empty message: see nereid_constants_substitute. NEREID_ERROR_ARGUMENT: a definition is malformed or not used.
 * NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_define(nereid_arena_t *arena, const char *name, const tool_list_t *defines,
                                            nereid_view_t *text, nereid_message_t *message);

#endif
