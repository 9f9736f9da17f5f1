/* A tensor's registers in shared memory, where threads exchange them.
 *
 *   layout  register [1, 2], lane [4, 8 ..], warp [128 ..]          register r of lane l of warp w  ->  its slot
 *   store   st.shared.v4 [scratch + thread part], {r0, r1, r2, r3}   registers of adjacent slots form a vector
 *
 * A slot holds an element: i1 takes a byte, a pointer eight. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SLOTS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SLOTS_H

#include "conversion/ttg_to_llvm/lower.h"
#include "layout/exchange.h"

typedef struct nereid_slots {
  nereid_layout_t layout;  /* of one dimension, the slot */
  MlirType element;        /* in registers, an LLVM type */
  MlirType memory;         /* in shared memory */
  int64_t bytes;           /* bytes of a slot */
  int32_t vector;          /* registers per access */
  MlirValue base;          /* ptr<3>: slot 0 */
  MlirValue thread_offset; /* i32, bytes; null if independent of the thread */
  uint32_t mixed;        /* bits of a slot in the images of both registers and threads; other register bits are added */
  MlirAttribute padding; /* a padded encoding; null: no gaps between slots */
  bool last_first;       /* the last registers are stored first */
  uint32_t start;        /* the slot of a view's first element, where it shares bits with the layout; xored */
  bool in_pattern;       /* a view that starts at such a slot, known or not: later offsets are xored, too */
} nereid_slots_t;

/* Slots of `layout` from `scratch` (ptr<3>) on, 16-byte aligned, for elements of the LLVM type `element`. */
nereid_slots_t nereid_slots_make(nereid_lower_t *lower, const nereid_layout_t *layout, MlirType element,
                                 MlirValue scratch);

/* The same for a view that starts at slot `start` of the buffer whose slot 0 is at `scratch`, inside a swizzle
 * pattern. */
void nereid_slots_start(nereid_slots_t *slots, uint32_t start);

/* Reduces vectors to those that do not cross a multiple of the lowest of `bits`. */
void nereid_slots_align(nereid_slots_t *slots, uint32_t bits);

/* Gaps between slots, when `encoding` is a padded one. */
void nereid_slots_pad(nereid_slots_t *slots, MlirAttribute encoding);

/* Bytes (i32) from the start of a buffer of this encoding to the byte at `offset` without gaps. */
MlirValue nereid_slots_padded(nereid_lower_t *lower, MlirAttribute encoding, int64_t element_bytes, MlirValue offset);

/* The same slots at `offset` (i32, bytes), which is added (`adds`) or xored with the parts of threads and registers. */
nereid_slots_t nereid_slots_moved(nereid_lower_t *lower, const nereid_slots_t *slots, MlirValue offset, bool adds);

/* Bytes of an element of an LLVM type in a slot. */
int64_t nereid_slots_element_bytes(MlirType element);

/* The LLVM type of an element in shared memory, and the conversions to and from it. */
MlirType nereid_slots_memory_type(nereid_lower_t *lower, MlirType element);
MlirValue nereid_slots_to_memory(nereid_lower_t *lower, MlirType memory, MlirValue value);
MlirValue nereid_slots_from_memory(nereid_lower_t *lower, MlirType element, MlirValue value);

/* Stores one value per register of the layout. */
void nereid_slots_store(nereid_lower_t *lower, const nereid_slots_t *slots, const MlirValue *values);

/* Loads one value per register of the layout. */
void nereid_slots_load(nereid_lower_t *lower, const nereid_slots_t *slots, MlirValue *out_values);

/* The same by stmatrix and ldmatrix: `rows` are the slots of `matrices->rows`. */
void nereid_slots_store_matrices(nereid_lower_t *lower, const nereid_slots_t *rows,
                                 const nereid_layout_matrices_t *matrices, const MlirValue *values);
void nereid_slots_load_matrices(nereid_lower_t *lower, const nereid_slots_t *rows,
                                const nereid_layout_matrices_t *matrices, MlirValue *out_values);

/* ptr<3>: the slot of register `r`. */
MlirValue nereid_slots_address(nereid_lower_t *lower, const nereid_slots_t *slots, uint32_t r);

/* Whether `op` has a place in shared memory; false after a diagnostic. */
bool nereid_slots_check_scratch(MlirOperation op);

/* The op's scratch; earlier accesses of these bytes are complete (analysis/membar/membar.h). Null after a diagnostic if
 * shared memory has not been allocated. */
MlirValue nereid_slots_scratch(nereid_lower_t *lower, MlirOperation op);

#endif
