/* Open addressing with linear probing. Adjacent pointers, such as the operations of a function, get adjacent slots, so
 * that walking the IR also walks the table; blocks of 64 KiB are scattered by Fibonacci hashing. */
#include "base/map.h"

void nereid_map_initialize(nereid_map_t *map, nereid_arena_t *arena) {
  *map = (nereid_map_t){.arena = arena};
}

static nereid_map_entry_t *probe(const nereid_map_t *map, const void *key) {
  const uint64_t address = (uint64_t)(uintptr_t)key;
  const uint64_t scattered = ((address >> 16) * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
  const size_t mask = map->capacity - 1;
  for (size_t slot = (size_t)(scattered + (address >> 4)) & mask;; slot = (slot + 1) & mask)
    if (!map->entries[slot].key || map->entries[slot].key == key)
      return &map->entries[slot];
}

uintptr_t *nereid_map_find(const nereid_map_t *map, const void *key) {
  if (!map->capacity)
    return NULL;
  nereid_map_entry_t *entry = probe(map, key);
  return entry->key ? &entry->value : NULL;
}

static bool grow(nereid_map_t *map, size_t capacity) {
  nereid_map_t larger = {.arena = map->arena, .capacity = capacity};
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

bool nereid_map_reserve(nereid_map_t *map, size_t count) {
  size_t capacity = map->capacity ? map->capacity : 64;
  while (capacity < SIZE_MAX / 8 && count > capacity / 4 * 3)
    capacity *= 2;
  return capacity == map->capacity || grow(map, capacity);
}

uintptr_t *nereid_map_insert(nereid_map_t *map, const void *key) {
  if (4 * (map->size + 1) > 3 * map->capacity && !grow(map, map->capacity ? map->capacity * 2 : 64))
    return NULL;
  nereid_map_entry_t *entry = probe(map, key);
  if (!entry->key) {
    entry->key = key;
    ++map->size;
  }
  return &entry->value;
}
