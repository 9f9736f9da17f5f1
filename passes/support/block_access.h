/* Pointers and masks for a block of a strided tensor.
 *
 *   out[i, j] = base[(offset0 + i) * stride0 + (offset1 + j) * stride1]     where (offset0 + i, ...) is in bounds
 *
 * Ops are inserted before the op that is rewritten; tensors have no encoding yet. */
#ifndef NEREID_PASSES_BLOCK_ACCESS_H
#define NEREID_PASSES_BLOCK_ACCESS_H

#include "nereid/builder.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

enum { NEREID_BLOCK_RANK = 16 };

typedef struct nereid_block_access {
  nereid_builder_t builder;
  MlirType type;  /* type of the tensor in registers; it may lack leading dimensions of size 1 */
  MlirValue base; /* !tt.ptr to an element */
  int rank;       /* rank of the block */
  MlirValue shape[NEREID_BLOCK_RANK], strides[NEREID_BLOCK_RANK]; /* i64; a null stride is 1 */
  MlirValue offsets[NEREID_BLOCK_RANK];                           /* i32: start of the block */
  MlirValue rows;   /* tensor<?xi32> in place of the offset of dimension 0, or null */
  uint32_t checked; /* dimensions with bounds checks, a bit each */
} nereid_block_access_t;

/* The pointers, a tensor like `type`. */
MlirValue nereid_block_pointers(nereid_block_access_t *access);

/* The in-bounds mask, i1 like `type`; null when no dimension is checked. */
MlirValue nereid_block_mask(nereid_block_access_t *access);

/* A constant tensor like `type`: zero, or NaN for floats. */
MlirValue nereid_block_padding(nereid_block_access_t *access, bool nan);

/* A scalar constant of an integer type. */
MlirValue nereid_block_integer(nereid_block_access_t *access, MlirType type, int64_t value);

#endif
