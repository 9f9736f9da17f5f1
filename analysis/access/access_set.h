/* Accesses to shared and global memory that something still has to wait for, as intervals of bytes.
 *
 *   ttg.local_store %x, %a   {[0, 1024) written}
 *   ttg.local_load %b        {[0, 1024) written, [1024, 2048) read}
 *
 * A set is sorted by the first byte and knows how far everything up to an entry reaches, so that what overlaps an
 * interval is found by bisection. Each function's frame starts at byte 0; what is not in it lies far above, each
 * buffer in a space of its own (NEREID_SHARED_SPACE). So does global memory, each root of pointers
 * (analysis/global/global_root.h) in a space of its own; the shape of an access says where in it. */
#ifndef NEREID_ANALYSIS_ACCESS_SET_H
#define NEREID_ANALYSIS_ACCESS_SET_H

#include "analysis/access/access_shape.h"

#include "base/vector.h"

/* Byte 0 of space `number`; space 0 is the frame. */
#define NEREID_SHARED_SPACE(number) ((int64_t)(number) << 40)

/* The first space of global memory: that of everything whose root is not known, which reaches over all arguments. */
#define NEREID_GLOBAL_SPACE (1 << 20)

/* What an access does. */
typedef enum nereid_shared_kind {
  NEREID_SHARED_READ,
  NEREID_SHARED_WRITE,
  NEREID_SHARED_BARRIER_INIT,  /* an mbarrier begins or ends */
  NEREID_SHARED_BARRIER_COUNT, /* arrivals, bytes that are announced or come: a phase may end by it */
  NEREID_SHARED_BARRIER_WAIT,  /* looks whether a phase has ended */
  NEREID_SHARED_RELEASE,       /* tells others that everything before is done; never pending */
  NEREID_GLOBAL_ATOMIC,        /* reads and writes global memory at once */
} nereid_shared_kind_t;

enum { NEREID_SHARED_AGES = 15 }; /* as an age: any number of groups came since */

typedef struct nereid_shared_access {
  int64_t first, end;                 /* bytes [first, end) */
  const nereid_access_shape_t *shape; /* which of them who touches; null: any thread any of them */
  uint8_t kind;                       /* nereid_shared_kind_t */
  uint8_t age;                        /* of what is under way: 0 belongs to no group yet, 1 to the youngest, ... */
  uint8_t commutes;                   /* of atomics: those of one number other than 0 may change places */
  bool async_proxy;                   /* TMA or wgmma do it */
  bool warp_waited;                   /* the threads of each warp have waited for each other since */
  MlirOperation op;                   /* of global accesses, for remarks: what accesses */
} nereid_shared_access_t;

typedef struct nereid_access_set {
  nereid_shared_access_t *data;
  int64_t *reach; /* the largest end of entries 0 to i */
  size_t size, capacity;
} nereid_access_set_t;

static inline bool nereid_access_is_global(const nereid_shared_access_t *access) {
  return access->first >= NEREID_SHARED_SPACE(NEREID_GLOBAL_SPACE);
}

/* Adds `access`; true when the set has grown: nothing in it covers the access. Out of memory: arena->failed. */
bool nereid_access_set_add(nereid_arena_t *arena, nereid_access_set_t *set, nereid_shared_access_t access);

/* `set` becomes what `from` is, in its own memory; false when out of memory. */
bool nereid_access_set_copy(nereid_arena_t *arena, nereid_access_set_t *set, const nereid_access_set_t *from);

/* Adds all of `more`; true when the set has grown. */
bool nereid_access_set_join(nereid_arena_t *arena, nereid_access_set_t *set, const nereid_access_set_t *more);

/* What must happen between a pending access and a new one. */
typedef enum nereid_access_order {
  NEREID_ORDER_NONE,
  NEREID_ORDER_WARP, /* the threads of each warp wait for each other */
  NEREID_ORDER_CTA,  /* all threads wait for each other */
} nereid_access_order_t;

/* Of two accesses, the earlier first. */
nereid_access_order_t nereid_access_order(const nereid_shared_access_t *pending, const nereid_shared_access_t *access);

/* Of all of a set and a new one. */
nereid_access_order_t nereid_access_set_order(const nereid_access_set_t *set, const nereid_shared_access_t *access);

/* An access of global memory in `set` that needs as much before `access`; null when there is none. */
const nereid_shared_access_t *nereid_access_set_find(const nereid_access_set_t *set,
                                                     const nereid_shared_access_t *access, nereid_access_order_t order);

/* Whether anything of `set` touches a byte of `access`, whatever both do. */
bool nereid_access_set_overlaps(const nereid_access_set_t *set, const nereid_shared_access_t *access);

/* The set with each access transformed into another: by `transform`, which may leave one out (false). */
typedef bool (*nereid_access_transform_t)(nereid_shared_access_t *access, void *data);
void nereid_access_set_transform(nereid_arena_t *arena, nereid_access_set_t *set, nereid_access_transform_t transform,
                                 void *data);

#endif
