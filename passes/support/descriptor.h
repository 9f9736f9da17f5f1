/* Tensor descriptors as tensor maps: the limits of TMA on sm_90, and the swizzle of a block. */
#ifndef NEREID_PASSES_DESCRIPTOR_H
#define NEREID_PASSES_DESCRIPTOR_H

#include "passes/pass.h"

enum { NEREID_DESCRIPTOR_RANK = 5 /* dimensions of a tensor map */ };

/* The type of the blocks that a !tt.tensordesc describes. */
MlirType nereid_descriptor_block(MlirValue descriptor);

/* Bits of an element of a block; 0 for an element that is not a number. */
unsigned nereid_descriptor_element_bits(MlirType block);

/* The widest swizzle, in bytes, with which TMA copies boxes of a block to or from shared memory: 128, 64 or 32, at most
 * a row, in groups of 8 rows; 0 for less than 32 bytes per row, fewer rows or one dimension. */
unsigned nereid_descriptor_swizzle(MlirType block);

/* The swizzle of a descriptor: of the #ttg.nvmma_shared encoding of its block, otherwise the widest. */
unsigned nereid_descriptor_swizzle_of(MlirValue descriptor);

/* The extents of the boxes of `block`, before the limits of TMA: the CTA layout of its encoding divides it. `out` has
 * NEREID_DESCRIPTOR_RANK elements. */
void nereid_descriptor_box(MlirType block, int64_t *out);

/* The encoding of buffers for copies of tensors of type `tensor` through `descriptor`: the swizzle of the descriptor,
 * the parts of the tensor in the CTAs of a cluster. */
MlirAttribute nereid_descriptor_buffer_encoding(MlirValue descriptor, MlirType tensor);

/* The type of a buffer for a tensor of type `tensor` that is copied through `descriptor`. */
MlirType nereid_descriptor_buffer_type(MlirValue descriptor, MlirType tensor, bool mutable_memory);

/* The innermost scf.for around `op`, if it is a store or reduction through a descriptor; null otherwise. */
MlirOperation nereid_descriptor_store_loop(MlirOperation op);

/* Bytes of the buffers for stores through descriptors in a loop: one buffer per store, or one per buffer type. */
typedef struct nereid_store_bytes {
  int64_t per_store, per_type;
} nereid_store_bytes_t;

/* Those of `loop`, without the stores in nested loops. */
nereid_store_bytes_t nereid_descriptor_store_bytes(MlirOperation loop);

/* The kernel argument that is the tensor map `descriptor`, or its address; null for others. */
MlirValue nereid_descriptor_argument(MlirValue descriptor);

/* `nereid.descriptor` of the kernel argument that is `descriptor`; null for others and without the attribute. */
MlirAttribute nereid_descriptor_given(MlirValue descriptor);

/* Whether a tensor map can have boxes of the block type of `descriptor`: 1 to 5 dimensions, elements of 8 to 64 bits,
 * rows of at least 16 bytes. False after an error at `op`, which accesses it. */
bool nereid_descriptor_check_block(MlirOperation op, MlirValue descriptor);

/* Records in `nereid.descriptor` of the kernel argument what the host needs to encode the map: element, box and
 * swizzle of `descriptor`. They replace earlier ones, as types may have been edited. False after an error at `op` if
 * the block cannot be a box, or the argument is a pointer with descriptors of several blocks or swizzles. */
bool nereid_descriptor_describe(const nereid_pass_t *pass, MlirOperation op, MlirValue descriptor);

/* Whether a loop makes the descriptor: each iteration creates its tensor map again. */
bool nereid_descriptor_is_made_in_loop(MlirValue descriptor);

/* Whether the front end names dimension `dimension` of the shape (`is_shape`) or strides of the descriptor `name` so:
 * `name` itself (Triton 3.6), or "a.shape.0" and "a.stride.0" for the descriptor "a" (3.9). */
bool nereid_descriptor_names_part(MlirStringRef part, MlirStringRef name, bool is_shape, int dimension);

/* Why the accesses through `descriptor`, an argument of a kernel or the result of tt.make_tensor_descriptor, cannot be
 * TMA copies of sm_90; null if they can. */
const char *nereid_descriptor_obstacle(MlirValue descriptor);

#endif
