/* Interface of buffers in shared memory. A memdesc is one ptr<3>: the address of its first element. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SHARED_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SHARED_H

#include "conversion/ttg_to_llvm/slots.h"

/* The slots (conversion/ttg_to_llvm/slots.h), in elements from the start of the view `memdesc`, of a tensor that is
 * distributed by `tensor`, of the view's shape. False after a diagnostic at `op`. */
bool nereid_shared_slot_layout(MlirOperation op, const nereid_layout_t *tensor, MlirType memdesc, nereid_layout_t *out);

/* ptr<3>: the first element of the view `memdesc`. */
MlirValue nereid_shared_base(nereid_lower_t *lower, MlirValue memdesc);

/* The slots `layout` of view `buffer` for elements of LLVM type `element`, with the view's offset and gaps. */
nereid_slots_t nereid_shared_view_slots(nereid_lower_t *lower, MlirValue buffer, const nereid_layout_t *layout,
                                        MlirType element);

/* The same for the slots of `chunk`, one of several that together have the slots `layout`. */
nereid_slots_t nereid_shared_chunk_slots(nereid_lower_t *lower, MlirValue buffer, const nereid_layout_t *layout,
                                         const nereid_layout_t *chunk, MlirType element);

/* Whether the ttg.local_load `op` puts nothing into registers: its one user is a tt.dot after it, which reads the
 * buffer itself, a few columns at a time. Only other loads and views of buffers are between them. */
bool nereid_shared_load_is_deferred(MlirOperation op);

#endif
