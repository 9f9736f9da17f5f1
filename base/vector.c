/* Grows vectors: doubles the capacity; the old storage stays in the arena. */
#include "base/vector.h"

bool nereid_vector_grow(nereid_arena_t *arena, void **data, size_t size, size_t *capacity, size_t element_size) {
  size_t new_capacity = *capacity ? *capacity * 2 : 8;
  void *grown = nereid_arena_allocate(arena, new_capacity, element_size);
  if (!grown)
    return false;
  if (size)
    memcpy(grown, *data, size * element_size);
  *data = grown;
  *capacity = new_capacity;
  return true;
}
