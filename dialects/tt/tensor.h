/* Tensor types taken apart into C arrays, for the hooks of the dialect.
 *
 *   nereid_tt_tensor_t t;
 *   nereid_tt_tensor_read(type, &t);          tensor<128x1xf32, #e>  ->  rank 2, shape {128, 1}, f32, #e
 *   t.shape[1] = 64;
 *   type = nereid_tt_tensor_type(&t);         tensor<128x64xf32, #e>
 *
 * A value on the stack, so that hooks need no allocator. */
#ifndef NEREID_DIALECTS_TT_TENSOR_H
#define NEREID_DIALECTS_TT_TENSOR_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

enum {
  NEREID_TT_MAX_RANK = 32,                 /* dimensions of a tensor */
  NEREID_TT_MAX_TENSOR_ELEMENTS = 1 << 20, /* as in Triton 3.6 */
};

typedef struct nereid_tt_tensor {
  intptr_t rank;
  int64_t shape[NEREID_TT_MAX_RANK]; /* elements */
  MlirType element;
  MlirAttribute encoding; /* null: none */
} nereid_tt_tensor_t;

/* Fills *out from a ranked tensor type. False, with *out of rank 0 and null handles, when `type` is another type or has
 * more than NEREID_TT_MAX_RANK dimensions. */
bool nereid_tt_tensor_read(MlirType type, nereid_tt_tensor_t *out);

/* The same for a value's type; for operands that the declaration says are tensors, which makes failing impossible once
 * ValidTensors is verified. */
nereid_tt_tensor_t nereid_tt_tensor_of(MlirValue value);

MlirType nereid_tt_tensor_type(const nereid_tt_tensor_t *tensor);

/* Product of the sizes; INT64_MAX when it does not fit; meaningless for dynamic shapes. */
int64_t nereid_tt_tensor_count(const nereid_tt_tensor_t *tensor);

bool nereid_tt_tensor_same_shape(const nereid_tt_tensor_t *a, const nereid_tt_tensor_t *b);

/* The element type of a tensor type, any other type itself. */
MlirType nereid_tt_element_type(MlirType type);

/* The tensor type of what a block pointer points to; null when `type` is not a block pointer. */
MlirType nereid_tt_block_of_pointer(MlirType type);

/* Bits of an integer or float type; 0 of any other. */
unsigned nereid_tt_bit_width(MlirType type);

/* Equal, or tensors of one shape and element whose encodings give every thread the same elements. */
bool nereid_tt_types_equivalent(MlirType a, MlirType b);

#endif
