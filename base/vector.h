/* A growing array in an arena: `struct { T *data; size_t size, capacity; }` of any element type.
 *
 *   NEREID_VECTOR(int) numbers = {0};
 *   if (!nereid_vector_push(arena, &numbers, 7)) return NEREID_ERROR_MEMORY;
 *
 * Old storage stays in the arena, so pointers into it stay valid but stale. The pushed expression must not read the
 * vector. */
#ifndef NEREID_BASE_VECTOR_H
#define NEREID_BASE_VECTOR_H

#include "base/arena.h"

#define NEREID_VECTOR(type)                                                                                            \
  struct {                                                                                                             \
    type *data;                                                                                                        \
    size_t size, capacity;                                                                                             \
  }

/* Reserves space for one more element of `element_size` bytes; false when out of memory. */
bool nereid_vector_grow(nereid_arena_t *arena, void **data, size_t size, size_t *capacity, size_t element_size);

#define nereid_vector_reserve_one(arena, vector)                                                                       \
  ((vector)->size < (vector)->capacity ||                                                                              \
   nereid_vector_grow((arena), (void **)&(vector)->data, (vector)->size, &(vector)->capacity, sizeof *(vector)->data))

#define nereid_vector_push(arena, vector, ...)                                                                         \
  (nereid_vector_reserve_one(arena, vector)                                                                            \
       ? ((vector)->data[(vector)->size] = (__VA_ARGS__), (vector)->size += 1, true)                                   \
       : false)

#endif
