/* Builds the distributed layouts of tensors in registers from integer parameters.
 *
 *   nereid_layout_blocked(2, (int64_t[]){128, 64}, (int32_t[]){1, 8}, (int32_t[]){4, 8}, (int32_t[]){4, 1},
 *                         (int32_t[]){1, 0}, NULL, &layout)
 *
 * Shapes are in elements; arrays have `rank` entries; `order` begins with the fastest dimension. Registers are numbered
 * as Triton 3.6 numbers them, because printed IR (unsplat, inline assembly with pack > 1, tt.join) depends on it.
 * All functions return NEREID_OK, or NEREID_ERROR_ARGUMENT when a size is not a power of two, the rank is over
 * NEREID_LAYOUT_MAX_RANK, an order is not a permutation, or a layout would pass NEREID_LAYOUT_MAX_BITS; `out` is then
 * undefined. Nothing allocates. */
#ifndef NEREID_LAYOUT_DISTRIBUTED_H
#define NEREID_LAYOUT_DISTRIBUTED_H

#include "base/status.h"
#include "layout/cga.h"
#include "layout/linear_layout.h"

/* #ttg.blocked */
NEREID_MUST_USE nereid_status_t nereid_layout_blocked(int rank, const int64_t *shape, const int32_t *size_per_thread,
                                                      const int32_t *threads_per_warp, const int32_t *warps_per_cta,
                                                      const int32_t *order, const nereid_layout_cga_t *cga,
                                                      nereid_layout_t *out);

/* #ttg.nvidia_mma: the accumulator of mma.sync (version 2, `instruction` ends in M, N: [16, 8], or [8, 8] for the
 * m8n8k4 of f64) or of wgmma (version 3, `instruction` = [M, N, K]). Fragments: PTX ISA, "Matrix Fragments for
 * mma.m16n8k16" and "wgmma.mma_async". */
NEREID_MUST_USE nereid_status_t nereid_layout_nvidia_mma(int rank, const int64_t *shape, int version,
                                                         const int32_t *warps_per_cta, int instruction_rank,
                                                         const int32_t *instruction, const nereid_layout_cga_t *cga,
                                                         nereid_layout_t *out);

/* #ttg.dot_op of an mma accumulator: operand `op_idx` (0: M by K, 1: K by N), each thread holding `k_width` adjacent
 * elements along K. `instruction_m` is M of the accumulator's instruction, per warp: 16, or 8 for the m8n8k4 of f64.
 * `cga` is the accumulator's. The right operand of version 3 is never in registers (ARGUMENT). */
NEREID_MUST_USE nereid_status_t nereid_layout_dot_of_mma(int rank, const int64_t *shape, int op_idx, int k_width,
                                                         int version, int instruction_m, const int32_t *warps_per_cta,
                                                         const nereid_layout_cga_t *cga, nereid_layout_t *out);

/* #ttg.dot_op of a blocked accumulator: every thread holds all of K. The other arguments are the accumulator's. */
NEREID_MUST_USE nereid_status_t nereid_layout_dot_of_blocked(int rank, const int64_t *shape, int op_idx,
                                                             const int32_t *size_per_thread,
                                                             const int32_t *threads_per_warp,
                                                             const int32_t *warps_per_cta, const int32_t *order,
                                                             const nereid_layout_cga_t *cga, nereid_layout_t *out);

/* #ttg.slice, in place: `layout` is the parent's for a tensor of size 1 along `dim`, which is dropped together with the
 * registers that become redundant. */
void nereid_layout_slice(nereid_layout_t *layout, int dim);

/* Basis vectors of one input of #ttg.linear and #ttg.shared_linear: `count` vectors of `rank` coordinates each. */
typedef struct nereid_layout_vectors {
  int count;
  int32_t vectors[NEREID_LAYOUT_MAX_BITS][NEREID_LAYOUT_MAX_RANK];
} nereid_layout_vectors_t;

/* #ttg.linear: one table per input, in flat order. A larger shape is covered by more registers; for a smaller one,
 * registers outside of it are dropped, and lanes and warps replicate elements. */
NEREID_MUST_USE nereid_status_t nereid_layout_linear(int rank, const int64_t *shape,
                                                     const nereid_layout_vectors_t tables[NEREID_LAYOUT_DIMS],
                                                     nereid_layout_t *out);

#endif
