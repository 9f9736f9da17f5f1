/* ldmatrix and stmatrix (PTX ISA): one, two or four 8x8 matrices of 16-bit elements between shared memory and a warp's
 * registers. Lane 8 i + r has the address of row r of matrix i; register i of lane 4 r + c / 2 has elements c and c + 1
 * of row r, of column r with .trans. */
#include "emulator/execute.h"

#include <assert.h>

static bool rows_of(emu_warp_t *warp, const emu_insn_t *insn, int k, uint8_t *rows[EMU_LANES]) {
  uint64_t addresses[EMU_LANES] = {0};
  uint32_t n = insn->n_vector * 8u;
  for (uint32_t lane = 0; lane < n; ++lane) {
    addresses[lane] = emu_lane(warp, &insn->operands[k], (int)lane) + (uint64_t)insn->offset;
    rows[lane] = nereid_emulator_access(warp, insn, (int)lane, (emu_space_t)insn->space, addresses[lane], 16,
                                        k ? EMU_READ : EMU_WRITE);
    if (!rows[lane])
      return false;
  }
  for (uint32_t from = 0; warp->cta->launch->count && from < n; from += 8)
    nereid_emulator_count(warp, addresses, UINT32_C(0xff) << from, 16, EMU_SHARED, k == 0);
  return true;
}

/* Where element (row, column) is: the lane, and the half of its register. */
static void place(const emu_insn_t *insn, uint32_t row, uint32_t column, uint32_t *out_lane, uint32_t *out_shift) {
  uint32_t major = EMU_HAS(insn, trans) ? column : row, minor = EMU_HAS(insn, trans) ? row : column;
  *out_lane = major * 4 + minor / 2;
  *out_shift = minor % 2 * 16;
}

static emu_next_t whole_warp(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (mask == UINT32_MAX)
    return EMU_ADVANCE;
  if (mask == warp->groups[warp->current].mask && warp->live == UINT32_MAX)
    return EMU_WAIT;
  return nereid_emulator_fail(warp, insn, mask ? __builtin_ctz(mask) : 0,
                              "only part of the warp reaches it: lanes 0x%08x", (unsigned)mask);
}

static emu_next_t stmatrix(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint8_t *rows[EMU_LANES] = {NULL};
  emu_next_t next = whole_warp(warp, insn, mask);
  if (next != EMU_ADVANCE || !rows_of(warp, insn, 0, rows))
    return next == EMU_ADVANCE ? EMU_FAILED : next;
  for (uint32_t i = 0; i < insn->n_vector * 64u; ++i) {
    uint32_t matrix = i / 64, row = i / 8 % 8, column = i % 8, lane, shift;
    place(insn, row, column, &lane, &shift);
    uint16_t element = (uint16_t)(emu_lane(warp, &insn->operands[1 + matrix], (int)lane) >> shift);
    memcpy(rows[matrix * 8 + row] + column * 2, &element, sizeof element);
  }
  return EMU_ADVANCE;
}

static emu_next_t ldmatrix(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint8_t *rows[EMU_LANES] = {NULL};
  uint32_t result[4][EMU_LANES] = {{0}};
  emu_next_t next = whole_warp(warp, insn, mask);
  if (next != EMU_ADVANCE || !rows_of(warp, insn, insn->n_vector, rows))
    return next == EMU_ADVANCE ? EMU_FAILED : next;
  for (uint32_t i = 0; i < insn->n_vector * 64u; ++i) {
    uint32_t matrix = i / 64, row = i / 8 % 8, column = i % 8, lane, shift;
    uint16_t element;
    place(insn, row, column, &lane, &shift);
    assert(rows[matrix * 8 + row]); /* rows_of set them all */
    memcpy(&element, rows[matrix * 8 + row] + column * 2, sizeof element);
    result[matrix][lane] |= (uint32_t)element << shift;
  }
  for (uint32_t i = 0; i < insn->n_vector; ++i)
    FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[i], (int)lane, result[i][lane]);
  return EMU_ADVANCE;
}

#define NEEDS(n) (EMU_BIT(sync) | EMU_BIT(aligned) | EMU_BIT(m8n8) | EMU_BIT(n) | EMU_BIT(shared))
#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
const emu_form_t nereid_emulator_matrix_forms[] = {
    {"ldmatrix", "b16", "vwm-", NEEDS(x1), EMU_BIT(trans), ldmatrix, MEMORY},
    {"ldmatrix", "b16", "vwm-", NEEDS(x2), EMU_BIT(trans), ldmatrix, MEMORY},
    {"ldmatrix", "b16", "vwm-", NEEDS(x4), EMU_BIT(trans), ldmatrix, MEMORY},
    {"stmatrix", "b16", "m-ww", NEEDS(x1), EMU_BIT(trans), stmatrix, MEMORY},
    {"stmatrix", "b16", "m-ww", NEEDS(x2), EMU_BIT(trans), stmatrix, MEMORY},
    {"stmatrix", "b16", "m-ww", NEEDS(x4), EMU_BIT(trans), stmatrix, MEMORY},
    {0}};
