/* Text output of `nereid layout`. */
#ifndef NEREID_TOOLS_LAYOUT_TEXT_H
#define NEREID_TOOLS_LAYOUT_TEXT_H

#include "tools/nereid/layout/layout_map.h"

#include <stdio.h>

/* Prints the layout's bases and a grid with the place of each element: of the first `limit` rows and columns of the
 * first slice, and of all elements when `limit` is 0. */
void tool_layout_print(const tool_layout_t *layout, uint32_t limit, FILE *out);

#endif
