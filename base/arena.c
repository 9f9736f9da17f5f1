/* Bump allocation in blocks that double up to 1 MiB; arena.h has a drawing. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

struct nereid_arena_block {
  nereid_arena_block_t *older;
  size_t capacity, used; /* bytes after the header */
  alignas(max_align_t) char data[];
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

void nereid_arena_initialize(nereid_arena_t *arena) {
  *arena = (nereid_arena_t){0};
}

void nereid_arena_deinitialize(nereid_arena_t *arena) {
  for (nereid_arena_block_t *block = arena->newest; block;) {
    nereid_arena_block_t *older = block->older;
    free(block);
    block = older;
  }
  nereid_arena_initialize(arena);
}

static nereid_arena_block_t *add_block(nereid_arena_t *arena, size_t bytes) {
  size_t capacity = arena->newest ? arena->newest->capacity * 2 : FIRST_BLOCK;
  if (capacity > LARGEST_BLOCK)
    capacity = LARGEST_BLOCK;
  if (capacity < bytes)
    capacity = bytes;
  if (capacity > SIZE_MAX - sizeof(nereid_arena_block_t))
    return NULL;
  nereid_arena_block_t *block = calloc(1, sizeof(nereid_arena_block_t) + capacity);
  if (!block)
    return NULL;
  block->capacity = capacity;
  block->older = arena->newest;
  arena->newest = block;
  return block;
}

void *nereid_arena_allocate(nereid_arena_t *arena, size_t count, size_t size) {
  if (arena->failed || (size && count > (SIZE_MAX / 2) / size)) {
    arena->failed = true;
    return NULL;
  }
  size_t align = alignof(max_align_t);
  size_t bytes = (count * size + align - 1) / align * align;
  nereid_arena_block_t *block = arena->newest;
  if (!block || block->capacity - block->used < bytes)
    block = add_block(arena, bytes);
  if (!block) {
    arena->failed = true;
    return NULL;
  }
  void *memory = block->data + block->used;
  block->used += bytes;
  arena->allocated += bytes;
  return memory;
}

char *nereid_arena_copy(nereid_arena_t *arena, nereid_view_t view) {
  if (view.size == SIZE_MAX)
    return NULL;
  char *copy = nereid_arena_allocate(arena, view.size + 1, 1);
  if (copy && view.size)
    memcpy(copy, view.data, view.size);
  return copy;
}

char *nereid_arena_format_v(nereid_arena_t *arena, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *text = length < 0 ? NULL : nereid_arena_allocate(arena, (size_t)length + 1, 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

char *nereid_arena_format(nereid_arena_t *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = nereid_arena_format_v(arena, format, arguments);
  va_end(arguments);
  return text;
}
