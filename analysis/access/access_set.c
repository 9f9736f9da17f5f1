/* Sorted intervals; see access_set.h.
 *
 *   data    [0, 64) w   [0, 512) r   [256, 320) w   [1024, 2048) r
 *   reach        64          512            512             2048      overlaps with [300, 400): backwards from the last
 *                                                                    entry that begins before 400 while reach > 300 */
#include "analysis/access/access_set.h"

#include <string.h>

/* Maximum distinct accesses per root of global memory; further ones are assumed to access any byte of the root. */
enum { MAX_OF_ROOT = 24 };

/* The number of entries that begin before `byte`. */
static size_t begin_before(const nereid_access_set_t *set, int64_t byte) {
  size_t low = 0, high = set->size;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (set->data[middle].first < byte)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool covers(const nereid_shared_access_t *a, const nereid_shared_access_t *b) {
  return a->first <= b->first && a->end >= b->end && (a->shape == b->shape || !a->shape) && a->kind == b->kind &&
         a->age == b->age && a->async_proxy == b->async_proxy && a->warp_waited <= b->warp_waited &&
         a->commutes == b->commutes;
}

static bool grow(nereid_arena_t *arena, nereid_access_set_t *set) {
  const size_t capacity = set->capacity ? 2 * set->capacity : 4;
  nereid_shared_access_t *data = nereid_arena_new(arena, nereid_shared_access_t, capacity);
  int64_t *reach = nereid_arena_new(arena, int64_t, capacity);
  if (!data || !reach)
    return false;
  if (set->size) {
    memcpy(data, set->data, set->size * sizeof *data);
    memcpy(reach, set->reach, set->size * sizeof *reach);
  }
  *set = (nereid_access_set_t){data, reach, set->size, capacity};
  return true;
}

static void insert(nereid_access_set_t *set, size_t place, nereid_shared_access_t access) {
  memmove(set->data + place + 1, set->data + place, (set->size - place) * sizeof *set->data);
  set->data[place] = access;
  ++set->size;
  for (size_t i = place; i < set->size; ++i)
    set->reach[i] = i && set->reach[i - 1] > set->data[i].end ? set->reach[i - 1] : set->data[i].end;
}

bool nereid_access_set_add(nereid_arena_t *arena, nereid_access_set_t *set, nereid_shared_access_t access) {
  size_t others = 0;
  for (size_t i = begin_before(set, access.end); i > 0 && set->reach[i - 1] > access.first; --i) {
    if (covers(&set->data[i - 1], &access))
      return false;
    others += set->data[i - 1].first == access.first;
  }
  if (nereid_access_is_global(&access) && access.shape && others >= MAX_OF_ROOT) {
    access.shape = NULL;
    return nereid_access_set_add(arena, set, access);
  }
  if (set->size == set->capacity && !grow(arena, set))
    return false;
  insert(set, begin_before(set, access.first), access);
  return true;
}

bool nereid_access_set_copy(nereid_arena_t *arena, nereid_access_set_t *set, const nereid_access_set_t *from) {
  while (set->capacity < from->size)
    if (!grow(arena, set))
      return false;
  if (from->size) {
    memcpy(set->data, from->data, from->size * sizeof *from->data);
    memcpy(set->reach, from->reach, from->size * sizeof *from->reach);
  }
  set->size = from->size;
  return true;
}

bool nereid_access_set_join(nereid_arena_t *arena, nereid_access_set_t *set, const nereid_access_set_t *more) {
  bool grew = false;
  for (size_t i = 0; i < more->size; ++i)
    grew |= nereid_access_set_add(arena, set, more->data[i]);
  return grew;
}

/* Whether `pending` and `access` must be ordered if they access a common byte. Arrivals at an mbarrier and waits for
 * them need no order among each other, but a phase must not end before all threads have observed the end of the
 * previous one. */
static bool kinds_conflict(uint8_t pending, uint8_t access) {
  if (pending == NEREID_GLOBAL_ATOMIC || access == NEREID_GLOBAL_ATOMIC)
    return true;
  if (access == NEREID_SHARED_RELEASE)
    return true;
  if (pending == NEREID_SHARED_READ && access == NEREID_SHARED_READ)
    return false;
  if (pending >= NEREID_SHARED_BARRIER_COUNT && access >= NEREID_SHARED_BARRIER_COUNT)
    return pending == NEREID_SHARED_BARRIER_WAIT && access == NEREID_SHARED_BARRIER_COUNT;
  return true;
}

/* Whether the accesses must be ordered if a byte of their intervals is common. */
static bool may_conflict(const nereid_shared_access_t *earlier, const nereid_shared_access_t *access) {
  return earlier->end > access->first && access->end > earlier->first && kinds_conflict(earlier->kind, access->kind) &&
         !(earlier->commutes && earlier->commutes == access->commutes);
}

nereid_access_order_t nereid_access_order(const nereid_shared_access_t *pending, const nereid_shared_access_t *access) {
  if (!may_conflict(pending, access))
    return NEREID_ORDER_NONE;
  switch (nereid_access_shape_relation(pending->shape, access->shape)) {
  case NEREID_SHAPES_DISJOINT:
    return NEREID_ORDER_NONE;
  case NEREID_SHAPES_SAME_THREAD: /* a new mbarrier counts the work of the copy engine, which is not a thread */
    return pending->kind == NEREID_SHARED_BARRIER_INIT && access->kind != NEREID_SHARED_BARRIER_INIT
               ? NEREID_ORDER_CTA
               : NEREID_ORDER_NONE;
  case NEREID_SHAPES_SAME_WARP:
    return pending->warp_waited ? NEREID_ORDER_NONE : NEREID_ORDER_WARP;
  case NEREID_SHAPES_ANY:
    break;
  }
  return NEREID_ORDER_CTA;
}

nereid_access_order_t nereid_access_set_order(const nereid_access_set_t *set, const nereid_shared_access_t *access) {
  nereid_access_order_t most = NEREID_ORDER_NONE;
  for (size_t i = begin_before(set, access->end); i > 0 && set->reach[i - 1] > access->first; --i) {
    const nereid_access_order_t order = nereid_access_order(&set->data[i - 1], access);
    most = order > most ? order : most;
    if (most == NEREID_ORDER_CTA)
      break;
  }
  return most;
}

const nereid_shared_access_t *nereid_access_set_find(const nereid_access_set_t *set,
                                                     const nereid_shared_access_t *access,
                                                     nereid_access_order_t order) {
  for (size_t i = begin_before(set, access->end); i > 0 && set->reach[i - 1] > access->first; --i)
    if (nereid_access_is_global(&set->data[i - 1]) && nereid_access_order(&set->data[i - 1], access) >= order)
      return &set->data[i - 1];
  return NULL;
}

bool nereid_access_conflicts(const nereid_shared_access_t *earlier, const nereid_shared_access_t *access) {
  return may_conflict(earlier, access) &&
         nereid_access_shape_relation(earlier->shape, access->shape) != NEREID_SHAPES_DISJOINT;
}

const nereid_shared_access_t *nereid_access_set_conflict(const nereid_access_set_t *set,
                                                         const nereid_shared_access_t *access) {
  for (size_t i = begin_before(set, access->end); i > 0 && set->reach[i - 1] > access->first; --i)
    if (nereid_access_conflicts(&set->data[i - 1], access))
      return &set->data[i - 1];
  return NULL;
}

bool nereid_access_set_overlaps(const nereid_access_set_t *set, const nereid_shared_access_t *access) {
  for (size_t i = begin_before(set, access->end); i > 0 && set->reach[i - 1] > access->first; --i)
    if (set->data[i - 1].end > access->first &&
        nereid_access_shape_relation(set->data[i - 1].shape, access->shape) != NEREID_SHAPES_DISJOINT)
      return true;
  return false;
}

void nereid_access_set_transform(nereid_arena_t *arena, nereid_access_set_t *set, nereid_access_transform_t transform,
                                 void *data) {
  nereid_access_set_t transformed = {0};
  for (size_t i = 0; i < set->size; ++i) {
    nereid_shared_access_t access = set->data[i];
    if (transform(&access, data))
      nereid_access_set_add(arena, &transformed, access);
  }
  *set = transformed;
}
