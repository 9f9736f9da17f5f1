/* What the header and the source of a library have in common. */
#ifndef NEREID_TOOLS_AOT_PRINT_H
#define NEREID_TOOLS_AOT_PRINT_H

#include "tools/nereid/aot/functions.h"

#include <stdio.h>

/* Returns the argument's type in C; static storage. */
const char *tool_aot_c_type(const tool_aot_argument_t *argument);

/* Prints the parameters of a launch function. */
void tool_aot_print_parameters(FILE *out, const tool_aot_function_t *function);

/* Returns what `print` prints; null when out of memory. The caller frees it. */
char *tool_aot_print_text(void (*print)(FILE *out, const tool_aot_library_t *library),
                          const tool_aot_library_t *library);

#endif
