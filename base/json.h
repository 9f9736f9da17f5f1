/* JSON text. */
#ifndef NEREID_BASE_JSON_H
#define NEREID_BASE_JSON_H

#include "base/view.h"

#include <stdio.h>

/* Prints a string in quotes, with quotes, backslashes and control characters escaped. */
void nereid_json_print_string(FILE *out, nereid_view_t text);

#endif
