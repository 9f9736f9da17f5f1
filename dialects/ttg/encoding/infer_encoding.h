/* Infers the encodings of results of shape operations. Each element stays in its thread: the result's encoding is the
 * operand's with renamed coordinates. A blocked encoding stays blocked if possible, a reduction returns the slice of
 * its operand, and `linear` is the general fallback (of a `generic_linear`, that). The results equal those of Triton
 * 3.6 and 3.9, so types in their files verify.
 *
 * Every function returns true and sets *out, or returns false, with an error at its location argument unless that is
 * null. For a null `src` (a tensor without encoding) *out is null and the result true. `shape` is in elements. All are
 * pure functions. */
#ifndef NEREID_DIALECTS_TTG_INFER_ENCODING_H
#define NEREID_DIALECTS_TTG_INFER_ENCODING_H

#include "layout/linear_layout.h"

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* #ttg.linear of a layout that is derived from that of `src`; #ttg.generic_linear if `src` is one or a slice of one.
 * Fails where register, lane or CTA bits move along several dimensions: after a reshape of a layout with steps that are
 * not powers of two. */
bool nereid_ttg_infer_linear(MlirAttribute src, const nereid_layout_t *layout, MlirLocation location,
                             MlirAttribute *out);

/* Result of reducing dimension `axis`: #ttg.slice<{dim = axis, parent = src}>. */
bool nereid_ttg_infer_reduce_encoding(MlirAttribute src, int axis, MlirAttribute *out);

/* Result of inserting a dimension of size 1 at `axis`: `src` must be the slice along `axis`, the result its parent. */
bool nereid_ttg_infer_expand_dims_encoding(MlirAttribute src, int axis, MlirLocation location, MlirAttribute *out);

/* Result dimension i is operand dimension order[i]. `shape` is the operand's. Supports shared encodings too. */
bool nereid_ttg_infer_trans_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, const int32_t *order,
                                     MlirLocation location, MlirAttribute *out);

/* Same elements in row-major order with another shape. For distributed encodings. A reshape that may reorder elements
 * accepts any encoding, so call this only for reshapes that keep the order. */
bool nereid_ttg_infer_reshape_encoding(intptr_t src_rank, const int64_t *src_shape, MlirAttribute src,
                                       intptr_t dst_rank, const int64_t *dst_shape, MlirLocation location,
                                       MlirAttribute *out);

/* The same for a buffer in shared memory. */
bool nereid_ttg_infer_memdesc_reshape_encoding(intptr_t src_rank, const int64_t *src_shape, MlirAttribute src,
                                               intptr_t dst_rank, const int64_t *dst_shape, MlirLocation location,
                                               MlirAttribute *out);

/* tt.join: `shape` is that of one operand; the result has an additional dimension of size 2 within a thread. */
bool nereid_ttg_infer_join_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirLocation location,
                                    MlirAttribute *out);
/* tt.split: `shape` is the operand's, whose last dimension has size 2 and must be in the registers of a thread. */
bool nereid_ttg_infer_split_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirLocation location,
                                     MlirAttribute *out);

/* ttg.fp4_to_fp: two fp4 values per byte along `axis`. `forward`: src is the packed operand's encoding and out the
 * result's; else the reverse. `shape` is that of the tensor with encoding `src`. */
bool nereid_ttg_infer_fp4_to_fp_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, int axis, bool forward,
                                         MlirLocation location, MlirAttribute *out);

/* tt.dot: verifies that operand `index` (0: a, 1: b) may have encoding `operand` when the result has `result`. */
bool nereid_ttg_dot_operand_encoding_verify(MlirAttribute operand, int index, MlirAttribute result,
                                            MlirLocation location);
/* tt.dot: verifies that the encodings of a and b are compatible. Both checks accept null encodings. */
bool nereid_ttg_dot_operand_encodings_verify(MlirAttribute a, MlirAttribute b, MlirLocation location);

/* Returns whether two encodings assign the same elements of a tensor to every thread (or the same offset of a buffer to
 * every element) for this shape. True for equal attributes; null equals null only. */
bool nereid_ttg_encodings_equivalent(MlirAttribute a, MlirAttribute b, intptr_t rank, const int64_t *shape);

/* Compares distributed encodings in the same way, but ignores replicated registers. */
bool nereid_ttg_encodings_hold_same(MlirAttribute a, MlirAttribute b, intptr_t rank, const int64_t *shape);

/* tt.broadcast: returns whether every thread with an element of the result also holds the operand's element that it
 * repeats. True for equal encodings, also null. Shapes are equal, or 1 in `src_shape`. */
bool nereid_ttg_encodings_broadcast(MlirAttribute src, const int64_t *src_shape, MlirAttribute dst,
                                    const int64_t *dst_shape, intptr_t rank);

#ifdef __cplusplus
}
#endif

#endif
