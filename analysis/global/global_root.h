/* Roots of pointers to global memory: the allocations that a pointer may point into.
 *
 *   %x: !tt.ptr<f32>, an argument           root 1 + its index
 *   tt.addptr %x, ..., splat, broadcast     the same
 *   arith.select %c, %x, %y; scf.if         both
 *   ttg.global_scratch_alloc                a new root
 *   a descriptor, a parameter               that of the argument; it is not the root of a pointer argument
 *   reinterpret_tensor_descriptor %p        that of the tensor in the tensormap_create of %p; otherwise root 0
 *   tt.call of a function of the module     the roots of the operands that it returns
 *   tt.int_to_ptr, tt.load of a pointer     root 0: it may be any argument
 *
 * Different arguments are assumed not to alias, as in Triton. Arguments of a function share a root when some call
 * passes them pointers into the same memory. */
#ifndef NEREID_ANALYSIS_GLOBAL_GLOBAL_ROOT_H
#define NEREID_ANALYSIS_GLOBAL_GLOBAL_ROOT_H

#include "analysis/flow_graph.h"

enum { NEREID_ROOT_UNKNOWN = 0 };

/* Ascending, without duplicates. NEREID_ROOT_UNKNOWN subsumes all roots except those of scratch. */
typedef struct nereid_root_set {
  const uint32_t *roots;
  uint32_t count;
} nereid_root_set_t;

typedef struct nereid_root_link {
  MlirValue from;
  uintptr_t next; /* next link of the same value + 1 */
} nereid_root_link_t;

typedef struct nereid_roots {
  nereid_arena_t *arena;
  const nereid_flow_graph_t *graph; /* borrowed */
  const uint32_t *shared;           /* by argument: its root; borrowed, null: all distinct */
  const nereid_map_t *returned;     /* by name (StringAttr) of functions: nereid_root_set_t of each result; borrowed */
  uint32_t n_arguments;
  nereid_map_t sets;     /* value -> nereid_root_set_t * */
  nereid_map_t scratch;  /* ttg.global_scratch_alloc -> its root */
  nereid_map_t forwards; /* value -> its first link + 1 */
  NEREID_VECTOR(nereid_root_link_t) links;
} nereid_roots_t;

/* Returns whether `value` is a pointer to global memory, a tensor of such pointers, or a descriptor. */
bool nereid_is_global_pointer(MlirValue value);

/* Computes the roots in the function of `graph`; `returned` holds the roots of its callees' results (null: unknown).
 * False when out of memory. */
bool nereid_roots_initialize(nereid_roots_t *roots, const nereid_flow_graph_t *graph, const uint32_t *shared,
                             const nereid_map_t *returned, nereid_arena_t *arena);

/* Returns the roots of the function's results, in terms of its arguments. Null when it returns no pointers, or out of
 * memory. `roots` has no `shared`. */
const nereid_root_set_t *nereid_roots_returned(nereid_roots_t *roots);

/* Returns the roots of `pointer`, in the arena; empty when out of memory. */
nereid_root_set_t nereid_roots_of(nereid_roots_t *roots, MlirValue pointer);

/* Returns the parameter of the kernel that contains `descriptor`, or the descriptor if the kernel makes it once, in its
 * first block; null otherwise. Accesses through equal values are to one tensor. */
MlirValue nereid_descriptor_of_kernel(const nereid_roots_t *roots, MlirValue descriptor);

/* Merges roots in `shared`, indexed by argument of the callee of `call`, according to the operands of `call`. */
void nereid_roots_share(nereid_roots_t *caller, MlirOperation call, uint32_t *shared, uint32_t n_arguments);

#endif
