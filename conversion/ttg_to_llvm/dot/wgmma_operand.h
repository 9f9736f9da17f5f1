/* Operands of wgmma: a tile in shared memory, by its descriptor, or A in registers. In a batch, an instruction reads a
 * tile of one matrix.
 *
 *   shared      lower half of the descriptor: (%base + rows of the warp group) >> 4, plus a constant for tile and k
 *   registers   four words of each k: (row, k), (row + 8, k), (row, k + half), (row + 8, k + half) */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DOT_WGMMA_OPERAND_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DOT_WGMMA_OPERAND_H

#include "conversion/ttg_to_llvm/dot/asm_text.h"
#include "layout/matrix_descriptor.h"

typedef struct nereid_wgmma_operand {
  MlirType type;
  MlirType element;
  int rank;                       /* 3: matrices of a batch, the first dimension */
  int row_dim, k_dim;             /* dimensions of the operand; "rows" of B are its columns */
  int matrix_bits;                /* log2 of the rows of a matrix in a CTA */
  nereid_layout_operand_t shared; /* its rows are those of all matrices, one matrix after the other */
  nereid_layout_matrix_t matrix;
  MlirValue low;               /* i32: the lower half of the first descriptor; null: in registers */
  const nereid_layout_t *held; /* layout of the registers that hold it */
  MlirValue *words;            /* i32 */
  size_t n_words;
  int word_bits;    /* log2 of elements in a word */
  size_t number;    /* number of the statement's first operand */
  const char *name; /* register of the lower half; null: the statement's operand */
} nereid_wgmma_operand_t;

/* Operand `index` (0: A, 1: B) of the dot `op` with a result of layout `result`, for tiles of 2^tile_bits rows of A or
 * columns of B. False after a diagnostic. Tiles are given by the coordinates `at` of their first element in the
 * result. */
bool nereid_wgmma_operand_make(nereid_lower_t *lower, MlirOperation op, int index, const nereid_layout_t *result,
                               int tile_bits, nereid_wgmma_operand_t *out);

/* Whether adjacent rows of A, or columns of B, are adjacent in memory. */
bool nereid_wgmma_operand_is_transposed(const nereid_wgmma_operand_t *operand);

/* Adds the operands of the statement. */
void nereid_wgmma_operand_add(nereid_wgmma_operand_t *operand, nereid_asm_text_t *text);

/* Adds the instructions that set the 64-bit register `name` to the descriptor of the tile at `at` and `k`. */
void nereid_wgmma_operand_set(const nereid_wgmma_operand_t *operand, nereid_asm_text_t *text, const char *name,
                              const int32_t *at, int32_t k);

/* The offset to add to the matrix descriptor of the tile at `at`, in shared memory, to advance from one k to
 * another. */
int32_t nereid_wgmma_operand_advance(const nereid_wgmma_operand_t *operand, const int32_t *at, int32_t from,
                                     int32_t to);

/* Adds the operand of the instruction for that tile: `name`, or registers. */
void nereid_wgmma_operand_use(const nereid_wgmma_operand_t *operand, nereid_asm_text_t *text, const char *name,
                              const int32_t *at, int32_t k);

#endif
