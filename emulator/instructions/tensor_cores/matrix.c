/* ldmatrix, stmatrix and movmatrix (PTX ISA): 8 x 8 matrices of 16-bit elements in a warp's registers, one per
 * register. Lane 4 r + c / 2 has elements c and c + 1 of row r, or of column r with .trans. In memory, lane 8 i + r
 * has the address of row r of matrix i. */
#include "emulator/instructions/form.h"
#include "emulator/instructions/tensor_cores/fragment.h"
#include "emulator/memory/space.h"
#include "emulator/race/race.h"

#include <assert.h>

enum { ROW_BYTES = 16 };

static bool rows_of(emu_warp_t *warp, const emu_insn_t *insn, int k, uint8_t *rows[EMU_LANES]) {
  uint64_t addresses[EMU_LANES];
  uint32_t n = insn->n_vector * 8u, lanes = n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
  emu_access_t access = k ? EMU_READ : EMU_WRITE;
  emu_addresses(warp, insn, k, addresses);
  FOR_LANES(lane, lanes)
  if (nereid_emulator_access_space(insn, addresses[lane]) != EMU_SHARED)
    return nereid_emulator_fail(warp, insn, (int)lane, "the address 0x%llx is not in shared memory",
                                (unsigned long long)addresses[lane]) != EMU_FAILED;
  if (!nereid_emulator_access_lanes(warp, insn, lanes, addresses, ROW_BYTES, access, rows))
    return false;
  if (warp->cta->race)
    nereid_emulator_race_request(warp, insn, lanes, addresses, ROW_BYTES, access, NULL);
  for (uint32_t from = 0; warp->cta->launch->count && from < n; from += 8)
    nereid_emulator_count(warp, addresses, UINT32_C(0xff) << from, ROW_BYTES, EMU_SHARED, k == 0);
  return true;
}

/* The address of a half of a lane's register among the rows of its matrix. */
static uint8_t *place(const emu_insn_t *insn, uint8_t *const *rows, uint32_t lane, uint32_t half) {
  return EMU_HAS(insn, trans) ? rows[lane % 4 * 2 + half] + lane / 4 * 2 : rows[lane / 4] + lane % 4 * 4 + half * 2;
}

static emu_next_t stmatrix(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint8_t *rows[EMU_LANES] = {NULL};
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  if (!rows_of(warp, insn, 0, rows))
    return EMU_FAILED;
  for (uint32_t i = 0; i < insn->n_vector; ++i) {
    const uint8_t *from = emu_source(warp, insn, (int)(1 + i));
    for (uint32_t k = 0; k < 2 * EMU_LANES; ++k)
      memcpy(place(insn, rows + (size_t)i * 8, k / 2, k % 2), from + (size_t)k * 2, 2);
  }
  return EMU_ADVANCE;
}

static emu_next_t ldmatrix(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint8_t *rows[EMU_LANES] = {NULL};
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  if (!rows_of(warp, insn, insn->n_vector, rows))
    return EMU_FAILED;
  for (uint32_t i = 0; i < insn->n_vector; ++i) {
    uint8_t *to = emu_destination(warp, insn, (int)i), *const *matrix = rows + (size_t)i * 8;
    if (EMU_HAS(insn, trans))
      for (uint32_t k = 0; k < 2 * EMU_LANES; ++k)
        memcpy(to + (size_t)k * 2, place(insn, matrix, k / 2, k % 2), 2);
    else
      for (uint32_t row = 0; row < 8; ++row) {
        assert(matrix[row]); /* set by rows_of */
        memcpy(to + (size_t)row * ROW_BYTES, matrix[row], ROW_BYTES);
      }
  }
  return EMU_ADVANCE;
}

static emu_next_t movmatrix(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint16_t from[8][8], to[8][8];
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  memcpy(from, emu_source(warp, insn, 1), sizeof from);
  for (int i = 0; i < 64; ++i)
    to[i / 8][i % 8] = from[i % 8][i / 8];
  memcpy(emu_destination(warp, insn, 0), to, sizeof to);
  return EMU_ADVANCE;
}

#define NEEDS(n) (EMU_BIT(sync) | EMU_BIT(aligned) | EMU_BIT(m8n8) | EMU_BIT(n))
#define MAY (EMU_BIT(trans) | EMU_BIT(shared))
#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define WARP NEREID_EMULATOR_CLASS_WARP
const emu_form_t nereid_emulator_matrix_forms[] = {
    {"ldmatrix", "b16", "vwm-", NEEDS(x1), MAY, ldmatrix, MEMORY},
    {"ldmatrix", "b16", "vwm-", NEEDS(x2), MAY, ldmatrix, MEMORY},
    {"ldmatrix", "b16", "vwm-", NEEDS(x4), MAY, ldmatrix, MEMORY},
    {"stmatrix", "b16", "m-ww", NEEDS(x1), MAY, stmatrix, MEMORY},
    {"stmatrix", "b16", "m-ww", NEEDS(x2), MAY, stmatrix, MEMORY},
    {"stmatrix", "b16", "m-ww", NEEDS(x4), MAY, stmatrix, MEMORY},
    {"movmatrix", "b16", "dwsw", EMU_BIT(sync) | EMU_BIT(aligned) | EMU_BIT(m8n8) | EMU_BIT(trans), 0, movmatrix, WARP},
    {0}};
