/* Converts all lanes of an operand of any width to and from 64-bit integers. Functions that are too irregular for
 * the macros of execute.h use these arrays, so that their loops vectorize too. */
#include "emulator/machine/execute.h"

#define TAKE(N)                                                                                                        \
  EMU_SIMD static void take_##N(const uint8_t *from, uint64_t *out) {                                                  \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      out[lane] = LANE(uint##N##_t, from, lane);                                                                       \
  }                                                                                                                    \
  EMU_SIMD static void put_##N(uint8_t *to, const uint64_t *values, uint32_t mask) {                                   \
    for (uint32_t lane = 0; lane < EMU_LANES; ++lane) {                                                                \
      uint##N##_t kept = LANE(uint##N##_t, to, lane);                                                                  \
      kept = mask >> lane & 1 ? (uint##N##_t)values[lane] : kept;                                                      \
      memcpy(to + lane * sizeof kept, &kept, sizeof kept);                                                             \
    }                                                                                                                  \
  }
TAKE(8)
TAKE(16)
TAKE(32)
TAKE(64)

void nereid_emulator_lanes(const emu_warp_t *warp, const emu_operand_t *operand, uint64_t *out) {
  const uint8_t *from = warp->base[operand->base] + operand->offset;
  (operand->size == 8 ? take_64 : operand->size == 4 ? take_32 : operand->size == 2 ? take_16 : take_8)(from, out);
}

void nereid_emulator_set_lanes(emu_warp_t *warp, const emu_operand_t *operand, const uint64_t *values, uint32_t mask) {
  uint8_t *to = warp->base[operand->base] + operand->offset;
  (operand->size == 8 ? put_64 : operand->size == 4 ? put_32 : operand->size == 2 ? put_16 : put_8)(to, values, mask);
}
