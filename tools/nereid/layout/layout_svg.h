/* SVG output of `nereid layout`. */
#ifndef NEREID_TOOLS_LAYOUT_SVG_H
#define NEREID_TOOLS_LAYOUT_SVG_H

#include "tools/nereid/layout/layout_map.h"

#include <stdio.h>

/* Draws the map as SVG. Threads have colors, and adjacent elements of one thread form one box. For a shared layout it
 * draws the tensor with its banks and the memory with its rows. */
void tool_layout_draw(const tool_layout_t *layout, const char *title, FILE *out);

#endif
