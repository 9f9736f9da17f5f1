/* Names for PTX, which knows letters, digits, _ and $ only (PTX ISA, Identifiers). */
#ifndef NEREID_BASE_PTX_NAME_H
#define NEREID_BASE_PTX_NAME_H

#include "base/arena.h"

/* `name` as a PTX identifier: itself when it is one without `$`, else every other byte and every `$` becomes $XX (two
 * hexadecimal digits), and a leading digit is written so too. Different names stay different. The text is the arena's;
 * null when memory is out. An empty name becomes "$". */
const char *nereid_ptx_name(nereid_arena_t *arena, nereid_view_t name);

#endif
