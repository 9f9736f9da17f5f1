/* Which memory a pointer to global memory may be into.
 *
 *   %x: !tt.ptr<f32>, an argument           root 1 + its number
 *   tt.addptr %x, ..., splat, broadcast     the same
 *   arith.select %c, %x, %y; scf.if         both
 *   ttg.global_scratch_alloc                a root of its own, which nothing else is
 *   tt.call of a function of the module     those of the arguments that it returns
 *   tt.int_to_ptr, tt.load of a pointer     root 0: it may be any argument
 *
 * Arguments of different names are taken not to overlap, as Triton takes them. Arguments of a function that some call
 * passes pointers into the same memory share a root. */
#ifndef NEREID_ANALYSIS_GLOBAL_GLOBAL_ROOT_H
#define NEREID_ANALYSIS_GLOBAL_GLOBAL_ROOT_H

#include "analysis/flow_graph.h"

enum { NEREID_ROOT_UNKNOWN = 0 };

/* Ascending, without repetition. With NEREID_ROOT_UNKNOWN there is no other but of scratch. */
typedef struct nereid_root_set {
  const uint32_t *roots;
  uint32_t count;
} nereid_root_set_t;

typedef struct nereid_root_link {
  MlirValue from;
  uintptr_t next; /* of the same value, link + 1 */
} nereid_root_link_t;

typedef struct nereid_roots {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph; /* borrowed */
  const uint32_t *shared;           /* by argument: the root that it has; borrowed, null: its own */
  const nereid_map_t *returned;     /* by name (StringAttr) of functions: nereid_root_set_t of each result; borrowed */
  uint32_t n_arguments;
  nereid_map_t sets;     /* value -> nereid_root_set_t * */
  nereid_map_t scratch;  /* ttg.global_scratch_alloc -> its root */
  nereid_map_t forwards; /* value -> its first link + 1 */
  NEREID_VECTOR(nereid_root_link_t) links;
} nereid_roots_t;

/* Whether `value` is a pointer to global memory, or a tensor of such. */
bool nereid_is_global_pointer(MlirValue value);

/* For the function of `graph`, whose callees return what `returned` says (null: anything); false when out of memory. */
bool nereid_roots_initialize(nereid_roots_t *roots, const nereid_flow_graph_t *graph, const uint32_t *shared,
                             const nereid_map_t *returned, nereid_arena_t *arena);

/* What the function returns, by result: roots of its own arguments. Null when it returns no pointers, or out of memory.
 * `roots` has no `shared`. */
const nereid_root_set_t *nereid_roots_returned(nereid_roots_t *roots);

/* What `pointer` may be into. Lives in the arena; empty when out of memory. */
nereid_root_set_t nereid_roots_of(nereid_roots_t *roots, MlirValue pointer);

/* Lowers `shared`, by argument of the function that `call` calls, by what `call` passes. */
void nereid_roots_share(nereid_roots_t *caller, MlirOperation call, uint32_t *shared, uint32_t n_arguments);

#endif
