/* A map from pointers to pointer-sized values, with open addressing in an arena.
 *
 * Keys are operations, values, blocks or uniqued attributes, as in nearly every table of a compiler. Null is not a
 * valid key. Keys cannot be removed. The iteration order is that of addresses and therefore not deterministic: code
 * that prints or emits walks the IR and looks up. */
#ifndef NEREID_BASE_MAP_H
#define NEREID_BASE_MAP_H

#include "base/arena.h"

typedef struct nereid_map_entry {
  const void *key;
  uintptr_t value;
} nereid_map_entry_t;

typedef struct nereid_map {
  nereid_arena_t *arena;       /* borrowed, outlives the map */
  nereid_map_entry_t *entries; /* array of a power-of-two size, at most 3/4 used */
  size_t capacity, size;
} nereid_map_t;

void nereid_map_initialize(nereid_map_t *map, nereid_arena_t *arena);

/* Returns the location of the value for `key`, or null when there is none; valid until the next insertion. */
uintptr_t *nereid_map_find(const nereid_map_t *map, const void *key);

/* Returns the location of the value for `key`, inserted with value 0 if missing; null when out of memory. */
uintptr_t *nereid_map_insert(nereid_map_t *map, const void *key);

/* Reserves space for `count` keys, so that inserting them does not rehash. False when out of memory. */
bool nereid_map_reserve(nereid_map_t *map, size_t count);

#endif
