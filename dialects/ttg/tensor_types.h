/* Tensor types with encodings, for passes on layouts. */
#ifndef NEREID_DIALECTS_TTG_TENSOR_TYPES_H
#define NEREID_DIALECTS_TTG_TENSOR_TYPES_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* Returns the encoding of a tensor value; null for other values and for tensors without one. */
MlirAttribute nereid_ttg_encoding_of(MlirValue value);

/* Returns whether `value` is a tensor with an encoding. */
bool nereid_ttg_is_laid_out(MlirValue value);

/* Returns the tensor type with another encoding. */
MlirType nereid_ttg_with_encoding(MlirType tensor, MlirAttribute encoding);

/* Returns the type of `tensor` with another shape, in row-major order: each element stays in its thread. Null when no
 * encoding describes that. `rank` is NEREID_TTG_MAX_RANK at most. */
MlirType nereid_ttg_reshaped(MlirType tensor, intptr_t rank, const int64_t *shape);

/* Returns the number of elements of a tensor type. */
int64_t nereid_ttg_num_elements(MlirType tensor);

/* Returns how the encoding of `tensor` divides it among the CTAs of a cluster, as the CGALayout of other encodings;
 * null for one CTA and without an encoding. If the parts are not blocks, each CTA has the whole tensor in it. */
MlirAttribute nereid_ttg_cga_of_tensor(MlirType tensor);

/* Whether the part of each CTA is a block of `tensor`, which a CGALayout describes; true for one CTA and without an
 * encoding. CTAs of linear layouts may have other parts, such as every second element. */
bool nereid_ttg_has_block_parts(MlirType tensor);

/* Whether `encoding` divides `tensor` among the CTAs of a cluster as its own encoding does: a conversion between them
 * moves no element to another CTA. */
bool nereid_ttg_has_same_parts(MlirType tensor, MlirAttribute encoding);

/* Whether the ttg.convert_layout `op` moves elements between the CTAs of a cluster. */
bool nereid_ttg_crosses_ctas(MlirOperation op);

/* Gets the sizes of what one CTA of a cluster holds of a tensor or, of the block type of a descriptor, the sizes of the
 * boxes into which its encoding divides the block. `rank` is the tensor's, NEREID_TTG_MAX_RANK at most. */
void nereid_ttg_part_of_tensor(MlirType tensor, int rank, int64_t *out_sizes);

#endif
