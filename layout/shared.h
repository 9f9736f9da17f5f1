/* Builds the layouts of buffers in shared memory from integer parameters.
 *
 *   swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>: element (r, c) at offset 4 r + (c ^ r)
 *
 * A shared layout maps an offset, in elements from the start of the buffer, to the element that is there; the block
 * input selects the CTA's memory. Arguments, errors and rules as in layout/distributed.h. */
#ifndef NEREID_LAYOUT_SHARED_H
#define NEREID_LAYOUT_SHARED_H

#include "layout/distributed.h"

/* #ttg.swizzled_shared: groups of `vec` elements of a row, permuted by an xor with (row / per_phase) mod max_phase. */
NEREID_MUST_USE nereid_status_t nereid_layout_swizzled_shared(int rank, const int64_t *shape, int vec, int per_phase,
                                                              int max_phase, const int32_t *order,
                                                              const nereid_layout_cga_t *cga, nereid_layout_t *out);

/* #ttg.nvmma_shared: the swizzle modes of TMA and wgmma. `swizzle_bytes` is 0, 32, 64 or 128; `transposed`: dimension
 * 0 is contiguous; `fp4_padded`: each 8 bytes of packed 4-bit pairs are followed by 8 unused ones, which alias them
 * here. ARGUMENT also when the shape is smaller than one swizzle atom (8 rows of swizzle_bytes). */
NEREID_MUST_USE nereid_status_t nereid_layout_nvmma_shared(int rank, const int64_t *shape, int swizzle_bytes,
                                                           bool transposed, int element_bits, bool fp4_padded,
                                                           const nereid_layout_cga_t *cga, nereid_layout_t *out);

/* #ttg.shared_linear: the vectors must span exactly `shape`. */
NEREID_MUST_USE nereid_status_t nereid_layout_shared_linear(int rank, const int64_t *shape,
                                                            const nereid_layout_vectors_t *offsets,
                                                            const nereid_layout_vectors_t *blocks,
                                                            nereid_layout_t *out);

/* The same buffer `shape[0] x ..` times: dimensions before those of `layout`, the last of them fastest, each copy after
 * the other in memory. This is how a ring of stages is declared. */
NEREID_MUST_USE nereid_status_t nereid_layout_stack(nereid_layout_t *layout, int count, const int64_t *shape);

#endif
