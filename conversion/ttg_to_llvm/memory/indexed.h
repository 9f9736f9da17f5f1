/* Elements of a buffer at indices along one dimension, for ttg.local_gather, local_scatter and their atomics. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_INDEXED_H
#define NEREID_CONVERSION_TTG_TO_LLVM_INDEXED_H

#include "conversion/ttg_to_llvm/slots.h"

typedef struct nereid_indexed {
  nereid_slots_t slots; /* of the thread's elements at index 0 */
  nereid_lowered_t indices;
  uint32_t images[NEREID_LAYOUT_MAX_BITS]; /* the slot of each bit of an index */
  int bits;                                /* of an index; higher ones are ignored */
  bool adds;                               /* slots of indices are added to the others, else xored */
} nereid_indexed_t;

/* Sets `out` to the addresses of the elements of `buffer` at `indices` along dimension `axis`. With `writes`, every
 * CTA of a cluster must write all elements to its replica of the buffer. False after a diagnostic at `op`. */
bool nereid_indexed_slots(nereid_lower_t *lower, MlirOperation op, MlirValue buffer, MlirValue indices, int axis,
                          bool writes, nereid_indexed_t *out);

/* ptr<3>: the element at the index in register `r`. */
MlirValue nereid_indexed_address(nereid_lower_t *lower, const nereid_indexed_t *indexed, intptr_t r);

#endif
