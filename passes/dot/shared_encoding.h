/* Encodings of shared-memory buffers for the operands of tensor core instructions, and for other tensors.
 *
 *   wgmma      tensor<128x64xf16>, order [1, 0]
 *              ->  #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
 *   mma.sync   tensor<128x32xf16>, order [1, 0]
 *              ->  #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
 *
 * An order lists the dimensions of the buffer, the contiguous one first. The CTA layout of a result is that of the
 * tensor's encoding. All functions are pure. */
#ifndef NEREID_PASSES_DOT_SHARED_ENCODING_H
#define NEREID_PASSES_DOT_SHARED_ENCODING_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* Writes the order in which a distributed tensor with this encoding is contiguous in the registers of a thread: that of
 * a blocked encoding, or of the parent of a slice or dot operand; row-major for other encodings. Has as many entries as
 * the tensor has dimensions. */
void nereid_dot_register_order(MlirType tensor, int32_t *out_order);

/* Returns the #ttg.nvmma_shared encoding of a buffer for `tensor`, an operand of wgmma, with the contiguous dimension
 * order[0]. The swizzle is the widest one (128, 64, 32 bytes, or none) whose row fits the contiguous dimension of one
 * CTA. A batch of matrices whose rows are contiguous along dimension 1 has the same as #ttg.shared_linear. Null when no
 * swizzle has a shape that wgmma can read: a contiguous dimension below 16 bytes, fewer than 8 rows, a rank other than
 * 2 and 3, a contiguous batch dimension, or a batch of transposed matrices that is split over CTAs. */
MlirAttribute nereid_dot_wgmma_shared(MlirType tensor, const int32_t *order);

/* Returns whether wgmma can read a buffer of `element` type whose contiguous dimension is not K. Only 16-bit elements
 * have such a mode (PTX ISA, "Asynchronous wgmma.mma_async", imm-trans-a and imm-trans-b). */
bool nereid_dot_wgmma_reads_transposed(MlirType element);

/* Returns the #ttg.swizzled_shared encoding of a buffer for `tensor` from which operands of `dot_op` (a #ttg.dot_op of
 * an mma.sync or wgmma accumulator) are loaded without bank conflicts: by ldmatrix where it has a form for the element
 * width, order and kWidth, else by vector loads of each lane. Null when `dot_op` is another encoding. */
MlirAttribute nereid_dot_mma_shared(MlirType tensor, MlirAttribute dot_op, const int32_t *order);

/* Returns the #ttg.swizzled_shared encoding of a buffer for `tensor` from which threads load the distributed encoding
 * `reader` with fewer bank conflicts than from rows without a swizzle: the lanes of a wavefront load parts of several
 * consecutive rows, as in the layout of a dot's result. Null when they do not. */
MlirAttribute nereid_read_shared(MlirType tensor, MlirAttribute reader, const int32_t *order);

#endif
