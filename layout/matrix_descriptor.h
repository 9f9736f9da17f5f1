/* Computes matrix descriptors of wgmma: the addressing of a tile in shared memory.
 *
 *   64 x 16 f16 of #ttg.nvmma_shared<{swizzlingByteWidth = 128, ...}>, K contiguous
 *     ->  swizzle 128 bytes; 8 rows, an atom, take 1024 bytes, so that the stride is 1024
 *
 * PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout" and "Matrix-Descriptor Format". An operand has
 * rows of K elements: the M rows of A, the N columns of B. An instruction reads a tile of `rows` by 32 bytes of K. */
#ifndef NEREID_LAYOUT_MATRIX_DESCRIPTOR_H
#define NEREID_LAYOUT_MATRIX_DESCRIPTOR_H

#include "layout/linear_layout.h"

enum { NEREID_LAYOUT_MATRIX_K_BYTES = 32 /* bytes of an instruction along k */ };

/* An operand in shared memory. */
typedef struct nereid_layout_operand {
  nereid_layout_t
      slots; /* one dimension: register bit i < row_bits is bit i of the row, the bits after it those of k */
  int row_bits, k_bits;
  int element_bytes; /* 1, 2 or 4 */
} nereid_layout_operand_t;

typedef struct nereid_layout_matrix {
  bool rows_contiguous;     /* adjacent rows, not adjacent k, are adjacent in memory: the transposed form */
  int32_t swizzle;          /* bytes: 0, 32, 64 or 128; the operand is aligned to 8 times as many, at least 128 */
  uint32_t leading, stride; /* bytes; 0 where the tile has no such step */
} nereid_layout_matrix_t;

/* The descriptor of tiles of 2^tile_bits rows (at least 8). Every tile of the operand has the same one at another start
 * address: the operand's plus the offset of the tile's first element. False when none describes the slots. */
bool nereid_layout_matrix_describe(const nereid_layout_operand_t *operand, int tile_bits, nereid_layout_matrix_t *out);

/* The descriptor for start address 0; bits 0 to 13 are the start address over 16. */
uint64_t nereid_layout_matrix_bits(const nereid_layout_matrix_t *matrix);

/* Bytes from the operand's first element to the one at `row` and `k`. */
uint32_t nereid_layout_operand_offset(const nereid_layout_operand_t *operand, uint32_t row, uint32_t k);

#endif
