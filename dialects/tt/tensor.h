/* Tensor types as C structs with arrays, for the hooks of the dialect.
 *
 *   nereid_tt_tensor_t t;
 *   nereid_tt_tensor_read(type, &t);          tensor<128x1xf32, #e>  ->  rank 2, shape {128, 1}, f32, #e
 *   t.shape[1] = 64;
 *   type = nereid_tt_tensor_type(&t);         tensor<128x64xf32, #e>
 *
 * A value on the stack, so that hooks do not allocate. */
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

/* Reads a ranked tensor type into *out. False, with *out of rank 0 and null handles, when `type` is another type or has
 * more than NEREID_TT_MAX_RANK dimensions. */
bool nereid_tt_tensor_read(MlirType type, nereid_tt_tensor_t *out);

/* Reads the type of a value. For operands declared as tensors, which cannot fail once ValidTensors is verified. */
nereid_tt_tensor_t nereid_tt_tensor_of(MlirValue value);

MlirType nereid_tt_tensor_type(const nereid_tt_tensor_t *tensor);

/* Returns the product of the sizes; INT64_MAX on overflow; undefined for dynamic shapes. */
int64_t nereid_tt_tensor_count(const nereid_tt_tensor_t *tensor);

bool nereid_tt_tensor_same_shape(const nereid_tt_tensor_t *a, const nereid_tt_tensor_t *b);

/* Returns the element type of a tensor type, any other type itself. */
MlirType nereid_tt_element_type(MlirType type);

/* Returns the pointee tensor type of a block pointer; null when `type` is not a block pointer. */
MlirType nereid_tt_block_of_pointer(MlirType type);

/* Returns the bits of an integer or float type; 0 for others. */
unsigned nereid_tt_bit_width(MlirType type);

/* Returns whether the types are equal, or tensors of one shape and element type whose encodings assign the same
 * elements to every thread. */
bool nereid_tt_types_equivalent(MlirType a, MlirType b);

#endif
