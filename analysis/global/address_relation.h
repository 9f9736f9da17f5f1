/* Determines whether two accesses to global memory with the same root may overlap, and in which threads.
 *
 *   load  x + 4 * (1024 * pid + range)   4 warps, #blocked
 *   store x + 4 * (1024 * pid + range)   the same layout   NEREID_SHAPES_SAME_THREAD
 *   store the same, #blocked1                              NEREID_SHAPES_ANY
 *   store x + 4096 + ...                                   NEREID_SHAPES_DISJOINT
 *
 * The difference of two addresses is a sum of weights of both sides and of terms (analysis/global/address_form.h). The
 * accesses touch the same byte if it is zero. Modulo a power of two that divides every unknown, and without carries,
 * this condition is linear over F2 in the bits of register, lane and warp. Gaussian elimination determines whether the
 * threads are equal, as in analysis/access/access_shape.h. With weights of several strides,
 *
 *   x + stride * (128 * %m + rows) + (64 * %n + columns)
 *
 * rows and columns are compared separately, as rows of one tensor are assumed to be disjoint. For a constant stride
 * this is checked. Otherwise it follows from the assumption that the elements of one store have different addresses:
 * overlapping rows would make the store write an address twice. docs/barriers.md lists the assumptions. */
#ifndef NEREID_ANALYSIS_GLOBAL_ADDRESS_RELATION_H
#define NEREID_ANALYSIS_GLOBAL_ADDRESS_RELATION_H

#include "analysis/access/relation.h"
#include "analysis/global/address_form.h"

enum { NEREID_OWNER_BITS = 64 };

/* The mapping from threads to elements: one entry per bit of register, lane and warp. */
typedef struct nereid_address_owners {
  int n;
  struct {
    uint32_t element; /* packed coordinate */
    uint32_t thread;  /* lane, warp << NEREID_ACCESS_LANE_BITS */
  } bits[NEREID_OWNER_BITS];
} nereid_address_owners_t;

typedef struct nereid_address {
  nereid_forms_t *forms;
  const nereid_form_t *form;             /* form of the pointers */
  const nereid_address_owners_t *owners; /* one object per layout and `writes` */
  uint32_t bytes;                        /* size of an element */
  bool masked;
  bool writes; /* a write, not a read or a read-modify-write */
} nereid_address_t;

/* Returns the threads that access elements through pointers of type `type`, a scalar or a tensor with an encoding: all
 * threads that hold an element load it (`loads`), the first of them stores it. Null when the encoding has no layout, or
 * out of memory. */
const nereid_address_owners_t *nereid_address_owners(MlirType type, bool loads, int warps, nereid_arena_t *arena);

/* The relation of two accesses through the same root. The form of `earlier` must have crossed (nereid_forms_cross) all
 * edges up to `later`. */
nereid_shapes_relation_t nereid_address_relation(const nereid_address_t *earlier, const nereid_address_t *later);

#endif
