/* Tensor descriptors of both modes of TMA.
 *
 *   !tt.tensordesc<tensor<64x32xf16>>        boxes of a tensor       block: tensor<64x32xf16>
 *   !ttng.tensordesc_im2col<64x32xf16>       pixels of images        block: tensor<64x32xf16>, 64 pixels */
#ifndef NEREID_DIALECTS_TTNG_DESCRIPTOR_TYPE_H
#define NEREID_DIALECTS_TTNG_DESCRIPTOR_TYPE_H

#include <mlir-c/IR.h>

#include <stdbool.h>

bool nereid_ttng_is_descriptor_type(MlirType type);

/* The tensor type of a block; null for other types. */
MlirType nereid_ttng_descriptor_block(MlirType type);

/* The coordinates of a ttng.async_tma_copy_global_to_local, which offsets of im2col may follow. */
intptr_t nereid_ttng_copy_rank(MlirOperation op);

#endif
