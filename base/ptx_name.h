/* Names for PTX, which allows only letters, digits, _ and $ (PTX ISA, Identifiers). */
#ifndef NEREID_BASE_PTX_NAME_H
#define NEREID_BASE_PTX_NAME_H

#include "base/arena.h"

/* Returns `name` as a PTX identifier: unchanged if it is one without `$`, else every other byte and every `$` becomes
 * $XX (two hexadecimal digits), as does a leading digit. Different names stay different. In `arena`; null when out of
 * memory. An empty name becomes "$". */
const char *nereid_ptx_name(nereid_arena_t *arena, nereid_view_t name);

#endif
