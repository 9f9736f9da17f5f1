/* Pending accesses to shared and global memory, as intervals of bytes.
 *
 *   ttg.local_store %x, %a   {[0, 1024) written}
 *   ttg.local_load %b        {[0, 1024) written, [1024, 2048) read}
 *
 * A set is sorted by first byte and stores the largest end up to each entry, so that overlaps with an interval are
 * found by bisection. Each function's frame starts at byte 0. Each buffer outside of the frame has a space of its own
 * at a large offset (NEREID_SHARED_SPACE). So does each root of global pointers (analysis/global/global_root.h); the
 * shape of an access then describes its position. */
#ifndef NEREID_ANALYSIS_ACCESS_SET_H
#define NEREID_ANALYSIS_ACCESS_SET_H

#include "analysis/access/access_shape.h"

#include "base/vector.h"

/* Byte 0 of space `number`; space 0 is the frame. */
#define NEREID_SHARED_SPACE(number) ((int64_t)(number) << 40)

/* The first space of global memory: for pointers with an unknown root, which overlaps all arguments. */
#define NEREID_GLOBAL_SPACE (1 << 20)

/* The kind of an access. */
typedef enum nereid_shared_kind {
  NEREID_SHARED_READ,
  NEREID_SHARED_WRITE,
  NEREID_SHARED_BARRIER_INIT,  /* initializes or invalidates an mbarrier */
  NEREID_SHARED_BARRIER_COUNT, /* arrivals, expected or arrived bytes: may complete a phase */
  NEREID_SHARED_BARRIER_WAIT,  /* tests whether a phase has completed */
  NEREID_SHARED_RELEASE,       /* signals other threads that all earlier accesses are done; never pending */
  NEREID_GLOBAL_ATOMIC,        /* reads and writes global memory atomically */
} nereid_shared_kind_t;

enum { NEREID_SHARED_AGES = 15 }; /* as an age: any number of later groups */

typedef struct nereid_shared_access {
  int64_t first, end;                 /* bytes [first, end) */
  const nereid_access_shape_t *shape; /* which bytes each thread accesses; null: any thread any byte */
  uint8_t kind;                       /* nereid_shared_kind_t */
  uint8_t age;      /* of accesses in flight: 0 is not in a group yet, 1 is in the youngest group, ... */
  uint8_t commutes; /* of atomics: accesses with the same number other than 0 commute */
  bool async_proxy; /* executed by TMA or wgmma */
  bool warp_waited; /* the threads of each warp have synchronized since */
  MlirOperation op; /* of global accesses, for remarks: the accessing op */
} nereid_shared_access_t;

typedef struct nereid_access_set {
  nereid_shared_access_t *data;
  int64_t *reach; /* the largest end of entries 0 to i */
  size_t size, capacity;
} nereid_access_set_t;

static inline bool nereid_access_is_global(const nereid_shared_access_t *access) {
  return access->first >= NEREID_SHARED_SPACE(NEREID_GLOBAL_SPACE);
}

/* A write to shared memory that the async proxy observes only after a fence. */
static inline bool nereid_access_needs_fence(const nereid_shared_access_t *access) {
  return (access->kind == NEREID_SHARED_WRITE || access->kind == NEREID_SHARED_BARRIER_INIT) && !access->async_proxy &&
         !nereid_access_is_global(access);
}

/* Adds `access`; true when the set has grown because no entry covers the access. Out of memory: arena->failed. */
bool nereid_access_set_add(nereid_arena_t *arena, nereid_access_set_t *set, nereid_shared_access_t access);

/* Copies `from` to `set`, in its own memory; false when out of memory. */
bool nereid_access_set_copy(nereid_arena_t *arena, nereid_access_set_t *set, const nereid_access_set_t *from);

/* Adds all of `more`; true when the set has grown. */
bool nereid_access_set_join(nereid_arena_t *arena, nereid_access_set_t *set, const nereid_access_set_t *more);

/* The synchronization required between a pending access and a new one. */
typedef enum nereid_access_order {
  NEREID_ORDER_NONE,
  NEREID_ORDER_WARP, /* synchronizes the threads of each warp */
  NEREID_ORDER_CTA,  /* synchronizes all threads of the CTA */
} nereid_access_order_t;

/* For two accesses, the earlier first. */
nereid_access_order_t nereid_access_order(const nereid_shared_access_t *pending, const nereid_shared_access_t *access);

/* The strongest order between any access of a set and a new one. */
nereid_access_order_t nereid_access_set_order(const nereid_access_set_t *set, const nereid_shared_access_t *access);

/* A global access in `set` that requires at least `order` before `access`; null when there is none. */
const nereid_shared_access_t *nereid_access_set_find(const nereid_access_set_t *set,
                                                     const nereid_shared_access_t *access, nereid_access_order_t order);

/* An access in `set` that has a byte in common with `access` where either writes, by whatever threads; null when there
 * is none. */
const nereid_shared_access_t *nereid_access_set_conflict(const nereid_access_set_t *set,
                                                         const nereid_shared_access_t *access);

/* Whether the accesses have a byte in common and either writes it. The earlier is the first. */
bool nereid_access_conflicts(const nereid_shared_access_t *earlier, const nereid_shared_access_t *access);

/* Whether any access in `set` overlaps a byte of `access`, regardless of their kinds. */
bool nereid_access_set_overlaps(const nereid_access_set_t *set, const nereid_shared_access_t *access);

/* Replaces each access by its transformation; `transform` returns false to drop an access. */
typedef bool (*nereid_access_transform_t)(nereid_shared_access_t *access, void *data);
void nereid_access_set_transform(nereid_arena_t *arena, nereid_access_set_t *set, nereid_access_transform_t transform,
                                 void *data);

#endif
