/* Buffers of TMA stores that a loop repeats.
 *
 *   scf.for … { tt.descriptor_store %d[…], %x }
 *   ->
 *   %buffer = ttg.local_alloc
 *   scf.for … { ttng.async_tma_store_wait; ttg.local_store %x, %buffer; ttng.async_tma_copy_local_to_global %buffer }
 *   ttng.async_tma_store_wait; ttg.local_dealloc %buffer
 *
 * With a buffer that lives as long as the loop, an iteration waits for the store of the previous one only before it
 * writes the buffer again. Otherwise the bytes of the buffer are used by others in between, and each store is
 * awaited. */
#ifndef NEREID_PASSES_TMA_STORES_H
#define NEREID_PASSES_TMA_STORES_H

#include "base/map.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

typedef struct nereid_tma_store {
  MlirOperation op, loop;
  MlirValue buffer; /* before the loop, mutable */
  int32_t pendings; /* stores that may still read buffers when the wait before this one ends */
} nereid_tma_store_t;

typedef NEREID_VECTOR(nereid_tma_store_t) nereid_tma_stores_t;

/* Lets the stores and reductions among `accesses` take their tensors before conversions of the layout: a buffer can be
 * written in any. If tt.expand_dims or tt.reshape changes the shape after a conversion, a reshape changes it in the
 * layout before the conversion:
 *
 *   %c = ttg.convert_layout %x : #mma -> #slice       %e = tt.expand_dims %c       tt.descriptor_store %d[…], %e
 *   ->
 *   %e = tt.reshape %x : #mma -> #linear              tt.descriptor_store %d[…], %e */
void nereid_tma_stores_skip_conversions(const nereid_operations_t *accesses);

/* Creates buffers for the stores and reductions among `accesses` that are in a loop, if they fit in shared memory next
 * to all others of the loop. Appends these stores to `out`. False when out of memory. */
bool nereid_tma_stores_hoist(const nereid_pass_t *pass, const nereid_operations_t *accesses, nereid_tma_stores_t *out);

/* The store that is `op`; null without a buffer. */
const nereid_tma_store_t *nereid_tma_stores_find(const nereid_tma_stores_t *stores, MlirOperation op);

#endif
