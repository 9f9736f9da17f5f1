/* Atomics without a PTX instruction, as compare-and-swap loops. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_ATOMIC_LOOP_H
#define NEREID_CONVERSION_TTG_TO_LLVM_ATOMIC_LOOP_H

#include "conversion/ttg_to_llvm/lower.h"
#include "nereid/dialects/tt.h"

/* The PTX modifiers of an order and a scope. */
const char *nereid_atomic_order(nereid_tt_mem_semantic_t order);
const char *nereid_atomic_scope(nereid_tt_mem_sync_scope_t scope);

/* Whether there is a loop for elements of this type: all of 16 bits and more. */
bool nereid_atomic_has_loop(MlirType element);

typedef struct nereid_atomic_rmw {
  nereid_tt_rmw_op_t function;
  nereid_tt_mem_semantic_t order;
  nereid_tt_mem_sync_scope_t scope;
  bool shared; /* memory of the CTA, else global memory */
} nereid_atomic_rmw_t;

/* The PTX modifier of the memory, and the constraint letter of a pointer to it. */
static inline const char *nereid_atomic_space(bool shared) {
  return shared ? "shared" : "global";
}
static inline const char *nereid_atomic_pointer(bool shared) {
  return shared ? "r" : "l";
}

/* The read-modify-write of one element. The old value, of the type of `value`; 0 where `predicate`, an i1 that may be
 * null, is false. */
MlirValue nereid_atomic_loop(nereid_lower_t *lower, nereid_atomic_rmw_t rmw, MlirValue pointer, MlirValue predicate,
                             MlirValue value);

#endif
