/* Accesses to global memory, as membar takes them; see docs/barriers.md.
 *
 *   %old = tt.load %p            all threads read root 1
 *   tt.store %p, %new            the first thread writes root 1: a barrier before it
 *   tt.atomic_rmw fadd, %q, %v   reads and writes root 2; atomics of one kind may change places when no result is used
 *
 * A function whose accesses cannot depend on one another, such as one that reads some arguments and writes others once,
 * has none. */
#ifndef NEREID_ANALYSIS_MEMBAR_MEMBAR_GLOBAL_H
#define NEREID_ANALYSIS_MEMBAR_MEMBAR_GLOBAL_H

#include "analysis/access/access_set.h"
#include "analysis/global/address_relation.h"
#include "analysis/global/global_root.h"
#include "analysis/global/tile.h"
#include "nereid/dialects/ops.h"

#include "base/vector.h"

typedef struct nereid_membar_global {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph; /* borrowed */
  nereid_access_shapes_t *shapes;   /* borrowed */
  nereid_roots_t roots;
  nereid_forms_t forms;
  int warps;
  bool by_layout;         /* distinguishes threads by layouts */
  bool enabled;           /* some accesses may depend on one another */
  bool bulk;              /* some accesses are by TMA */
  bool *tracked;          /* by root up to the last argument; scratch is always */
  nereid_map_t owners[2]; /* of loads, of others: type -> const nereid_address_owners_t * */
  nereid_map_t addresses; /* form -> the addresses that have it */
  nereid_map_t tiles;     /* form, or descriptor -> the tiles that have it in the outermost dimension */
  uint32_t *shared;       /* by argument, see nereid_roots_t */
} nereid_membar_global_t;

/* For the function of `graph`. With `calls`, it is called or calls: all of its accesses matter. `roots` of it has been
 * initialized. False when out of memory. */
bool nereid_membar_global_initialize(nereid_membar_global_t *global, const nereid_axis_result_t *axis, bool calls);

/* What an op does to global memory: appends to `out`. */
typedef NEREID_VECTOR(nereid_shared_access_t) nereid_shared_accesses_t;
void nereid_membar_global_add(nereid_membar_global_t *global, MlirOperation op, nereid_shared_accesses_t *out);

/* `shape`, which has an address or a tile, after `edge`. */
const nereid_access_shape_t *nereid_membar_global_cross(nereid_membar_global_t *global,
                                                        const nereid_access_shape_t *shape,
                                                        const nereid_flow_edge_t *edge);

/* Bytes of everything that `root` may be; of the access to it. */
void nereid_membar_global_range(const nereid_membar_global_t *global, uint32_t root, nereid_shared_access_t *access);

/* An access of a callee, in the caller's roots: appends to `out`. */
void nereid_membar_global_bind(nereid_membar_global_t *caller, MlirOperation call, const nereid_membar_global_t *callee,
                               nereid_shared_access_t access, nereid_access_set_t *out);

#endif
