/* Open addressing with linear probing; pointers are mixed by Fibonacci hashing. */
#include "base/map.h"

void nereid_map_initialize(nereid_map_t *map, nereid_arena_t *arena) {
  *map = (nereid_map_t){.arena = arena};
}

static nereid_map_entry_t *probe(const nereid_map_t *map, const void *key) {
  uint64_t hash = ((uint64_t)(uintptr_t)key >> 3) * UINT64_C(0x9E3779B97F4A7C15);
  size_t mask = map->capacity - 1;
  for (size_t slot = (size_t)(hash >> 32) & mask;; slot = (slot + 1) & mask)
    if (!map->entries[slot].key || map->entries[slot].key == key)
      return &map->entries[slot];
}

uintptr_t *nereid_map_find(const nereid_map_t *map, const void *key) {
  if (!map->capacity)
    return NULL;
  nereid_map_entry_t *entry = probe(map, key);
  return entry->key ? &entry->value : NULL;
}

static bool grow(nereid_map_t *map) {
  nereid_map_t larger = {.arena = map->arena, .capacity = map->capacity ? map->capacity * 2 : 64};
  larger.entries = nereid_arena_new(map->arena, nereid_map_entry_t, larger.capacity);
  if (!larger.entries)
    return false;
  for (size_t i = 0; i < map->capacity; ++i)
    if (map->entries[i].key)
      *probe(&larger, map->entries[i].key) = map->entries[i];
  larger.size = map->size;
  *map = larger;
  return true;
}

uintptr_t *nereid_map_insert(nereid_map_t *map, const void *key) {
  if (4 * (map->size + 1) > 3 * map->capacity && !grow(map))
    return NULL;
  nereid_map_entry_t *entry = probe(map, key);
  if (!entry->key) {
    entry->key = key;
    ++map->size;
  }
  return &entry->value;
}
