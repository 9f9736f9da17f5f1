/* Matrices in a warp's registers, and the dot of all tensor-core instructions. Private to the emulator.
 *
 * Every operand is divided into tiles of 8 rows of A, 8 columns of B, or 8 x 8 elements of C and D. Lane 4 g + t has
 * row (column) g of each tile of A (B), and columns 2 t and 2 t + 1 of row g of C and D:
 *
 *   A, B   register r belongs to tile r % tiles; it contains the elements k from (r / tiles * 4 + t) * e on, where e is
 *          the number of elements per register
 *   C, D   slots 2 p and 2 p + 1 (registers, or the halves of one) belong to tile p: rows from p % (M / 8) * 8 on,
 *          columns from p / (M / 8) * 8 on
 *
 * This is the PTX ISA's layout for mma (Matrix Fragments for mma.m16n8k16 and similar; only m8n8k4 of f16 differs)
 * and for wgmma (Register Fragments). For wmma, where the layout is unspecified, it is the emulator's choice. */
#ifndef NEREID_EMULATOR_FRAGMENT_H
#define NEREID_EMULATOR_FRAGMENT_H

#include "emulator/machine/execute.h"

/* insn->variant of the class MATRIX; determines the instruction's lists in nereid_emulator_matrix. */
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
  unsigned fraction, mantissa; /* accumulation of floating-point types except f64 (dot.c); 0, 0 for the others */
} emu_dot_t;

/* sums[row][column] += A B, with b.count columns. */
void nereid_emulator_dot(double *sums, const emu_dot_t *dot);

/* Reads rows of A or columns of B from a list of registers into `bytes`, with a pitch of `pitch` bytes. */
void nereid_emulator_rows_read(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned count,
                               unsigned k, uint8_t *bytes, size_t pitch);
/* Reads C from registers; writes D, rounded to nearest, to registers. `sums` has n values per row. */
void nereid_emulator_sums_read(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned m,
                               unsigned n, double *sums);
void nereid_emulator_sums_write(emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, bool satfinite,
                                unsigned m, unsigned n, const double *sums);
/* The bits of an element of D in its type. */
uint64_t nereid_emulator_sum_bits(double sum, emu_type_t type, bool satfinite);
double nereid_emulator_sum_of(uint64_t bits, emu_type_t type);

/* For .aligned: ADVANCE if the whole warp has arrived, WAIT if other lanes may still arrive, else a failure. `mask`
 * is not 0. */
emu_next_t nereid_emulator_whole_warp(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

#endif
