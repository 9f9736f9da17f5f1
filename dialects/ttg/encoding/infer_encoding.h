/* Encodings that shape-changing operations give their results, by the rule that no element changes its thread:
 * the result's encoding is the operand's under a renaming of coordinates. A blocked encoding stays blocked where the
 * renaming allows it, a reduction gives the slice of its operand, and `linear` is the fallback that always exists;
 * the results are those of Triton 3.6, so types in its files verify.
 *
 * Every function returns true and sets *out, or returns false; where a location is taken and it is not null, the
 * reason was then reported there as an error. A null `src` (a tensor without encoding) gives a null *out and true.
 * `shape` is in elements. All are pure functions of their arguments. */
#ifndef NEREID_DIALECTS_TTG_INFER_ENCODING_H
#define NEREID_DIALECTS_TTG_INFER_ENCODING_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Result of reducing dimension `axis`: #ttg.slice<{dim = axis, parent = src}>. */
bool nereid_ttg_infer_reduce_encoding(MlirAttribute src, int axis, MlirAttribute *out);

/* Result of inserting a dimension of size 1 at `axis`: `src` must be the slice along `axis`, the result its parent. */
bool nereid_ttg_infer_expand_dims_encoding(MlirAttribute src, int axis, MlirLocation location, MlirAttribute *out);

/* Result dimension i is operand dimension order[i]. `shape` is the operand's. Works for shared encodings too. */
bool nereid_ttg_infer_trans_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, const int32_t *order,
                                     MlirLocation location, MlirAttribute *out);

/* Same elements in row-major order under another shape. When elements may be reordered any encoding is good, so call
 * it for reshapes that keep the order only. Distributed encodings. */
bool nereid_ttg_infer_reshape_encoding(intptr_t src_rank, const int64_t *src_shape, MlirAttribute src,
                                       intptr_t dst_rank, const int64_t *dst_shape, MlirLocation location,
                                       MlirAttribute *out);

/* The same for a buffer in shared memory. */
bool nereid_ttg_infer_memdesc_reshape_encoding(intptr_t src_rank, const int64_t *src_shape, MlirAttribute src,
                                               intptr_t dst_rank, const int64_t *dst_shape, MlirLocation location,
                                               MlirAttribute *out);

/* tt.join: `shape` is that of one operand; the result has one more dimension, of size 2, both parts in one thread. */
bool nereid_ttg_infer_join_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirLocation location,
                                    MlirAttribute *out);
/* tt.split: `shape` is the operand's, whose last dimension has size 2 and must lie in the registers of a thread. */
bool nereid_ttg_infer_split_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirLocation location,
                                     MlirAttribute *out);

/* ttg.fp4_to_fp: two fp4 per byte along `axis`. `forward`: src is the packed operand's encoding, out the result's; else
 * the other way round. `shape` is that of the tensor that `src` belongs to. */
bool nereid_ttg_infer_fp4_to_fp_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, int axis, bool forward,
                                         MlirLocation location, MlirAttribute *out);

/* tt.dot: may operand `index` (0: a, 1: b) have encoding `operand` when the result has `result`? */
bool nereid_ttg_dot_operand_encoding_verify(MlirAttribute operand, int index, MlirAttribute result,
                                            MlirLocation location);
/* tt.dot: do the encodings of a and b go together? Both checks accept null encodings. */
bool nereid_ttg_dot_operand_encodings_verify(MlirAttribute a, MlirAttribute b, MlirLocation location);

/* Do two encodings give every thread the same elements of a tensor (or every element the same offset of a buffer) of
 * this shape? Equal attributes do; null equals null only. */
bool nereid_ttg_encodings_equivalent(MlirAttribute a, MlirAttribute b, intptr_t rank, const int64_t *shape);

/* The same for distributed encodings, but registers that hold copies of other registers' elements do not count. */
bool nereid_ttg_encodings_hold_same(MlirAttribute a, MlirAttribute b, intptr_t rank, const int64_t *shape);

/* tt.broadcast: does every thread that holds an element of the result hold the operand's element that it repeats? Equal
 * encodings do, and null ones. Shapes are equal, or 1 in `src_shape`. */
bool nereid_ttg_encodings_broadcast(MlirAttribute src, const int64_t *src_shape, MlirAttribute dst,
                                    const int64_t *dst_shape, intptr_t rank);

#ifdef __cplusplus
}
#endif

#endif
