/* `nereid layout` as text. */
#ifndef NEREID_TOOLS_LAYOUT_TEXT_H
#define NEREID_TOOLS_LAYOUT_TEXT_H

#include "tools/nereid/layout/layout_map.h"

#include <stdio.h>

/* The map in a form to read: the layout's bases, and a grid whose cells say who holds them. */
void tool_layout_print(const tool_layout_t *layout, FILE *out);

#endif
