/* A map from pointers to pointer-sized values, open addressing in an arena.
 *
 * The key of nearly every table of a compiler: an operation, value, block or uniqued attribute. Null is no key.
 * No removal. Iteration order is that of addresses and so never deterministic: code that prints or emits walks
 * the IR and looks up. */
#ifndef NEREID_BASE_MAP_H
#define NEREID_BASE_MAP_H

#include "base/arena.h"

typedef struct nereid_map_entry {
  const void *key;
  uintptr_t value;
} nereid_map_entry_t;

typedef struct nereid_map {
  nereid_arena_t *arena;       /* borrowed, outlives the map */
  nereid_map_entry_t *entries; /* a power of two of them, at most 3/4 used */
  size_t capacity, size;
} nereid_map_t;

void nereid_map_initialize(nereid_map_t *map, nereid_arena_t *arena);

/* The value's place for `key`, or null when it has none; valid until the next insertion. */
uintptr_t *nereid_map_find(const nereid_map_t *map, const void *key);

/* The value's place for `key`, made with value 0 when it was not there; null when memory is out. */
uintptr_t *nereid_map_insert(nereid_map_t *map, const void *key);

/* Makes room for `count` keys at once, so that inserting them moves nothing. False when memory is out. */
bool nereid_map_reserve(nereid_map_t *map, size_t count);

#endif
