/* A growing region of memory that is freed as a whole.
 *
 *   block 0 [ header | used ....... | free ]   <- allocations are bumped from the newest block
 *   block 1 [ header | used .. | free      ]
 *
 * A compilation has one arena, a pass run a scratch arena; single allocations are not freed. A failed allocation is
 * recorded, and every later allocation of that arena fails too: code may allocate freely and check `failed` once. Not
 * thread safe. */
#ifndef NEREID_BASE_ARENA_H
#define NEREID_BASE_ARENA_H

#include "base/status.h"
#include "base/view.h"

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_arena_block nereid_arena_block_t;

typedef struct nereid_arena {
  nereid_arena_block_t *newest; /* owned list */
  size_t allocated;             /* allocated bytes, for statistics */
  bool failed;                  /* an allocation failed since initialize */
} nereid_arena_t;

/* Initializes an empty arena; does not allocate yet. */
void nereid_arena_initialize(nereid_arena_t *arena);

/* Frees all memory of the arena and leaves it empty and usable. */
void nereid_arena_deinitialize(nereid_arena_t *arena);

/* Returns `count * size` zeroed bytes aligned for any type, owned by the arena; null when the size overflows or when
 * out of memory. A request of 0 bytes returns a valid pointer. */
void *nereid_arena_allocate(nereid_arena_t *arena, size_t count, size_t size);

/* Copies `view` and terminates it with a NUL. Null when out of memory. */
char *nereid_arena_copy(nereid_arena_t *arena, nereid_view_t view);

/* printf into the arena. Null when out of memory. */
char *nereid_arena_format(nereid_arena_t *arena, const char *format, ...) NEREID_PRINTF(2, 3);
char *nereid_arena_format_v(nereid_arena_t *arena, const char *format, va_list arguments);

/* Typed allocation of an array: `int *x = nereid_arena_new(arena, int, n);` */
#define nereid_arena_new(arena, type, count) ((type *)nereid_arena_allocate((arena), (count), sizeof(type)))

#ifdef __cplusplus
}
#endif

#endif
