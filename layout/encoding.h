/* Converts encodings of the IR to linear layouts.
 *
 *   tensor<128x64xf16, #ttg.blocked<...>>  ->  registers, lanes, warps, CTAs -> (row, column)
 *   !ttg.memdesc<3x64x32xf16, #ttg.swizzled_shared<...>, #smem>  ->  offset in elements -> (stage, row, column)
 *
 * A thin adapter: layout/distributed.h and layout/shared.h define the encodings. */
#ifndef NEREID_LAYOUT_ENCODING_H
#define NEREID_LAYOUT_ENCODING_H

#include "base/status.h"
#include "layout/linear_layout.h"

#include <mlir-c/IR.h>

/* Gets the layout of a tensor or buffer of `shape` (rank entries, in elements) with `encoding`: blocked, linear,
 * generic_linear, slice, nvidia_mma, dot_op, swizzled_shared, nvmma_shared, shared_linear. A shared encoding of a lower
 * rank than the shape is stacked along the first dimensions (a ring of stages).
 *
 * NEREID_OK; NEREID_ERROR_UNSUPPORTED if the encoding is null, not an encoding, or not linear (padded_shared);
 * NEREID_ERROR_ARGUMENT if encoding and shape do not match: a size that is not a power of two, another rank. No
 * diagnostic is emitted. Allocates nothing; thread safe like reading an attribute. */
NEREID_MUST_USE nereid_status_t nereid_layout_from_encoding(MlirAttribute encoding, int rank, const int64_t *shape,
                                                            nereid_layout_t *out);

/* The same for a ranked tensor type with an encoding, or a memdesc type (with the shape of its allocation, so that
 * offsets of a view are relative to the whole buffer). */
NEREID_MUST_USE nereid_status_t nereid_layout_from_type(MlirType type, nereid_layout_t *out);

/* Gets the order of the elements of a #ttg.padded_shared buffer, without the gaps, so that it is linear. Fails as
 * above. */
NEREID_MUST_USE nereid_status_t nereid_layout_from_padded(MlirAttribute encoding, int rank, const int64_t *shape,
                                                          nereid_layout_t *out);

/* Gets the basis vectors of #ttg.linear and #ttg.generic_linear: an ArrayAttr for each input. False for other
 * attributes. */
bool nereid_layout_vectors_of_linear(MlirAttribute encoding, MlirAttribute out[NEREID_LAYOUT_DIMS]);

/* Returns the offset of element `index` of that order, in elements, including gaps. */
int64_t nereid_layout_padded_offset(MlirAttribute encoding, int64_t index);

#endif
