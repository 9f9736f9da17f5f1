/* `nereid layout` as a picture. */
#ifndef NEREID_TOOLS_LAYOUT_SVG_H
#define NEREID_TOOLS_LAYOUT_SVG_H

#include "tools/nereid/layout/layout_map.h"

#include <stdio.h>

/* Draws the map as SVG: threads as colours, what a thread holds side by side as one box; of a shared layout the
 * tensor with its banks and the memory with its rows. */
void tool_layout_draw(const tool_layout_t *layout, const char *title, FILE *out);

#endif
