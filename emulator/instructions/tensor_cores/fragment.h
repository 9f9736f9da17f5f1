/* Matrices in a warp's registers and the product that all tensor-core instructions share. Private to the emulator.
 *
 * Every operand is cut into tiles of 8 rows of A, 8 columns of B, or 8 x 8 numbers of C and D; lane 4 g + t has row
 * (column) g of each tile of A (B), and of C and D the columns 2 t and 2 t + 1 of row g:
 *
 *   A, B   register r is of tile r % tiles; it holds the elements k from (r / tiles * 4 + t) * e on, where e is
 *          how many elements a register has
 *   C, D   slots 2 p and 2 p + 1 (registers, or the halves of one) are of tile p: rows from p % (M / 8) * 8 on,
 *          columns from p / (M / 8) * 8 on
 *
 * That is what the PTX ISA draws for mma (Matrix Fragments for mma.m16n8k16 and its neighbours; only m8n8k4 of f16
 * differs) and for wgmma (Register Fragments), and the emulator's choice for wmma, where it is left open. */
#ifndef NEREID_EMULATOR_FRAGMENT_H
#define NEREID_EMULATOR_FRAGMENT_H

#include "emulator/machine/execute.h"

/* Which variant of the class MATRIX an instruction is; by it nereid_emulator_matrix knows what its lists are. */
enum {
  EMU_MMA,
  EMU_MMA_QUADS /* m8n8k4 of f16 */,
  EMU_WMMA,
  EMU_WMMA_A,
  EMU_WMMA_B,
  EMU_WMMA_C,
  EMU_WMMA_D,
  EMU_WGMMA
};

enum { EMU_TILE = 8, EMU_MAX_ROWS = 32, EMU_MAX_COLUMNS = 256, EMU_MAX_ROW_BYTES = 128 };

/* insn->list of the class MATRIX. */
typedef enum emu_dimension { EMU_M, EMU_N, EMU_K } emu_dimension_t;

/* Bits of an element in registers and in memory. */
static inline unsigned emu_element_bits(emu_type_t type) {
  return type == EMU_B1 ? 1 : type == EMU_S4 || type == EMU_U4 ? 4 : 8 * nereid_emulator_type_size(type);
}

/* Rows of A, or columns of B: `count` times `k` elements of `type`, each packed into `pitch` bytes from `bytes` on. */
typedef struct emu_rows {
  const uint8_t *bytes;
  size_t pitch;
  emu_type_t type;
  unsigned count;
} emu_rows_t;

typedef struct emu_dot {
  emu_rows_t a, b;
  unsigned k;
  bool negates;                /* minus A B */
  bool exclusive;              /* b1 with xor instead of and */
  unsigned fraction, mantissa; /* how floating-point numbers but f64 are added (dot.c); 0, 0 for the others */
} emu_dot_t;

/* sums[row][column] += A B, with b.count columns. */
void nereid_emulator_dot(double *sums, const emu_dot_t *dot);

/* Rows of A or columns of B out of a list of registers, into `bytes`, `pitch` bytes each. */
void nereid_emulator_rows_read(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned count,
                               unsigned k, uint8_t *bytes, size_t pitch);
/* C out of registers and D, rounded to nearest, into them; `sums` has n numbers per row. */
void nereid_emulator_sums_read(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned m,
                               unsigned n, double *sums);
void nereid_emulator_sums_write(emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, bool satfinite,
                                unsigned m, unsigned n, const double *sums);
/* One number of D in its type's bits. */
uint64_t nereid_emulator_sum_bits(double sum, emu_type_t type, bool satfinite);
double nereid_emulator_sum_of(uint64_t bits, emu_type_t type);

/* For .aligned: ADVANCE when the whole warp is here, WAIT when its other lanes may still come, else a failure. `mask`
 * is not 0. */
emu_next_t nereid_emulator_whole_warp(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

#endif
