/* The bytes of an access, and the bytes of each thread.
 *
 *   local_store tensor<64xf32> of 2 warps    byte = base + (offset xor the images of the set bits)
 *                                            image of    element byte 0, 1   lane 0..4         warp 0
 *                                                        1, 2                4, 8, 16, 32, 64  128
 *
 * Both the bytes and the threads of an access are linear over F2, so elimination compares two accesses: the pairs of
 * bits with equal images form a space in which lane and warp of both sides must be equal. */
#ifndef NEREID_ANALYSIS_ACCESS_SHAPE_H
#define NEREID_ANALYSIS_ACCESS_SHAPE_H

#include "analysis/access/relation.h"
#include "base/map.h"

#include "mlir-c/IR.h"

enum { NEREID_ACCESS_BASES = 48 };

/* The images of the bits that select a register, a lane, a warp or a byte of an element. */
typedef struct nereid_access_bases {
  bool owned; /* the threads are known */
  int n;
  struct {
    uint32_t bytes;
    uint32_t thread; /* lane, warp << NEREID_ACCESS_LANE_BITS; 0: the bit selects no thread */
  } bases[NEREID_ACCESS_BASES];
} nereid_access_bases_t;

/* The slots of one buffer that a loop counter cycles through; see analysis/access/ring_phase.h. One object per ring. */
typedef struct nereid_ring {
  uint32_t header;                     /* node of the flow graph at which iterations begin */
  const nereid_map_t *loop;            /* the nodes of the loop; null: the slot never changes */
  const void *root;                    /* the initial value of counters; null: zero */
  int64_t base, stride;                /* bytes */
  int32_t slots, step;                 /* the counter moves by `step` per iteration */
  bool any_slot;                       /* the slot is unknown: phases have no meaning */
  const struct nereid_ring *forgotten; /* the same slots with any_slot */
} nereid_ring_t;

typedef struct nereid_access_shape {
  int64_t base;                       /* base of the offsets: of the whole ring when there is one */
  uint32_t offset;                    /* bytes; of the slot when there is a ring */
  bool single;                        /* always executed by the same thread: the first of the CTA */
  const nereid_access_bases_t *bases; /* null: any byte of the interval */
  const nereid_ring_t *ring;
  const struct nereid_address *address;   /* of global memory (analysis/global/address_relation.h); else null */
  const struct nereid_tile *tile;         /* of global memory, by TMA (analysis/global/tile.h); null: anywhere */
  int32_t phase;                          /* its slot in iteration t is (root + phase + step * t) mod slots */
  const struct nereid_access_shape *next; /* next shape with the same hash */
} nereid_access_shape_t;

/* Equal shapes are one object. */
typedef struct nereid_access_shapes {
  nereid_arena_t *arena;
  nereid_map_t by_hash;
} nereid_access_shapes_t;

void nereid_access_shapes_initialize(nereid_access_shapes_t *shapes, nereid_arena_t *arena);

/* The unique object equal to `shape`; null when out of memory. */
const nereid_access_shape_t *nereid_access_shapes_get(nereid_access_shapes_t *shapes, nereid_access_shape_t shape);

/* Relates two accesses with overlapping intervals; null shapes are unknown. Threads are compared by warp, since matrix
 * instructions may move data of other threads in the warp. */
nereid_shapes_relation_t nereid_access_shape_relation(const nereid_access_shape_t *a, const nereid_access_shape_t *b);

/* The threads that transfer the elements of `tensor` (a ranked tensor type with an encoding; null: unknown threads)
 * between registers and a whole buffer of type `memdesc`. Null when the encodings do not determine them, or out of
 * memory. */
const nereid_access_bases_t *nereid_access_bases_of(MlirType tensor, MlirType memdesc, nereid_arena_t *arena);

/* The lowest and the highest byte, counted from the base, of an access at `offset`. */
void nereid_access_bases_range(const nereid_access_bases_t *bases, uint32_t offset, int64_t *first, int64_t *last);

#endif
