/* Extended-precision integer arithmetic: CC.CF, a bit per lane, written by .cc and read by addc, subc, madc (PTX
 * ISA, Extended-Precision Integer Arithmetic Instructions). A difference is a + ~b + 1, so the bit is set if there
 * was no borrow: nvcc's 128-bit division reads it with addc after subc. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

typedef unsigned __int128 wide_t;

/* The sum of three values; the carry goes to `out`. */
static uint64_t add3(uint64_t a, uint64_t b, unsigned carry, unsigned bits, unsigned *out) {
  wide_t sum = (wide_t)a + b + carry;
  *out = (unsigned)(sum >> bits) & 1;
  return (uint64_t)sum;
}

static uint64_t product(const emu_insn_t *insn, uint64_t a, uint64_t b, unsigned bits) {
  bool is_signed = insn->types[0] == EMU_S32 || insn->types[0] == EMU_S64;
  if (EMU_HAS(insn, lo))
    return a * b;
  if (!is_signed)
    return (uint64_t)(((wide_t)a * b) >> bits);
  __int128 x = bits == 32 ? (int32_t)a : (int64_t)a, y = bits == 32 ? (int32_t)b : (int64_t)b;
  return (uint64_t)((x * y) >> bits);
}

static emu_next_t carried(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, bool multiplies, bool subtracts,
                          bool takes) {
  unsigned bits = insn->operands[0].size * 8u, out;
  uint64_t low = bits == 64 ? UINT64_MAX : UINT32_MAX;
  FOR_LANES(lane, mask) {
    uint64_t a = emu_lane(warp, &insn->operands[1], (int)lane), b = emu_lane(warp, &insn->operands[2], (int)lane);
    unsigned in = takes ? warp->carry >> lane & 1 : subtracts;
    if (multiplies) {
      a = product(insn, a, b, bits) & low;
      b = emu_lane(warp, &insn->operands[3], (int)lane);
    }
    uint64_t result = add3(a, subtracts ? ~b & low : b, in, bits, &out);
    emu_set_lane(warp, &insn->operands[0], (int)lane, result & low);
    if (EMU_HAS(insn, cc))
      warp->carry = (warp->carry & ~(UINT32_C(1) << lane)) | (uint32_t)out << lane;
  }
  return EMU_ADVANCE;
}

#define CARRIED(name, multiplies, subtracts, takes)                                                                    \
  static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                    \
    return carried(warp, insn, mask, multiplies, subtracts, takes);                                                    \
  }
CARRIED(add_cc, false, false, false)
CARRIED(addc, false, false, true)
CARRIED(sub_cc, false, true, false)
CARRIED(subc, false, true, true)
CARRIED(mad_cc, true, false, false)
CARRIED(madc, true, false, true)

#define TYPES "u32|s32|u64|s64"
#define INTEGER NEREID_EMULATOR_CLASS_INTEGER
const emu_form_t nereid_emulator_carry_forms[] = {
    {"add", TYPES, "d0s0s0", EMU_BIT(cc), 0, add_cc, INTEGER},
    {"addc", TYPES, "d0s0s0", 0, EMU_BIT(cc), addc, INTEGER},
    {"sub", TYPES, "d0s0s0", EMU_BIT(cc), 0, sub_cc, INTEGER},
    {"subc", TYPES, "d0s0s0", 0, EMU_BIT(cc), subc, INTEGER},
    {"mad", TYPES, "d0s0s0s0", EMU_BIT(cc) | EMU_BIT(lo), 0, mad_cc, INTEGER},
    {"mad", TYPES, "d0s0s0s0", EMU_BIT(cc) | EMU_BIT(hi), 0, mad_cc, INTEGER},
    {"madc", TYPES, "d0s0s0s0", EMU_BIT(lo), EMU_BIT(cc), madc, INTEGER},
    {"madc", TYPES, "d0s0s0s0", EMU_BIT(hi), EMU_BIT(cc), madc, INTEGER},
    {0}};
