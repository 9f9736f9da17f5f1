/* mov with packing and unpacking, cvta, isspacep (PTX ISA, Data Movement and Conversion Instructions). Global
 * addresses equal generic ones; shared, local and parameter addresses are in windows above them. */
#include "base/kernel/address.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"

UNARY(mov_16, uint16_t, uint16_t, a)
UNARY(mov_32, uint32_t, uint32_t, a)
UNARY(mov_64, uint64_t, uint64_t, a)
static emu_next_t mov_pred(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_set_predicate(warp, &insn->operands[0], emu_predicate(warp, &insn->operands[1]), mask);
  return EMU_ADVANCE;
}

/* mov.v2, mov.v4, and mov of a special register to a narrower one. All sources are read before any destination is
 * written. */
emu_next_t nereid_emulator_move_each(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector;
  FOR_LANES(lane, mask) {
    uint64_t parts[4];
    for (unsigned i = 0; i < n; ++i)
      parts[i] = emu_lane(warp, &insn->operands[n + i], (int)lane);
    for (unsigned i = 0; i < n; ++i)
      emu_set_lane(warp, &insn->operands[i], (int)lane, parts[i]);
  }
  return EMU_ADVANCE;
}

/* Packs and unpacks a register of up to 16 bytes. */
EMU_SIMD emu_next_t nereid_emulator_pack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const emu_operand_t *whole = &insn->operands[0];
  if (whole->size <= 8) {
    uint64_t bits[EMU_LANES] = {0}, part[EMU_LANES];
    for (unsigned i = 0; i < insn->n_vector; ++i) {
      nereid_emulator_lanes(warp, &insn->operands[1 + i], part);
      for (int lane = 0; lane < EMU_LANES; ++lane)
        bits[lane] |= part[lane] << (8 * insn->size * i);
    }
    nereid_emulator_set_lanes(warp, whole, bits, mask);
    return EMU_ADVANCE;
  }
  FOR_LANES(lane, mask) {
    uint8_t bytes[16];
    for (unsigned i = 0; i < insn->n_vector; ++i) {
      uint64_t part = emu_lane(warp, &insn->operands[1 + i], (int)lane);
      memcpy(bytes + (size_t)i * insn->size, &part, insn->size);
    }
    memcpy(warp->base[whole->base] + whole->offset + (size_t)lane * whole->size, bytes, whole->size);
  }
  return EMU_ADVANCE;
}

EMU_SIMD emu_next_t nereid_emulator_unpack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const emu_operand_t *whole = &insn->operands[insn->n_vector];
  if (whole->size <= 8) {
    uint64_t bits[EMU_LANES];
    nereid_emulator_lanes(warp, whole, bits);
    for (unsigned i = 0; i < insn->n_vector; ++i) {
      if (insn->operands[i].size == insn->size) /* otherwise `_` */
        nereid_emulator_set_lanes(warp, &insn->operands[i], bits, mask);
      for (int lane = 0; lane < EMU_LANES; ++lane)
        bits[lane] >>= 8 * insn->size;
    }
    return EMU_ADVANCE;
  }
  FOR_LANES(lane, mask) {
    uint8_t bytes[16];
    memcpy(bytes, warp->base[whole->base] + whole->offset + (size_t)lane * whole->size, whole->size);
    for (unsigned i = 0; i < insn->n_vector; ++i) {
      uint64_t part = 0;
      memcpy(&part, bytes + (size_t)i * insn->size, insn->size);
      if (insn->operands[i].size == insn->size) /* otherwise `_` */
        emu_set_lane(warp, &insn->operands[i], (int)lane, part);
    }
  }
  return EMU_ADVANCE;
}

static uint64_t window(const emu_insn_t *insn) {
  return insn->space == EMU_SHARED || insn->space == EMU_SHARED_CLUSTER ? EMU_SHARED_WINDOW
         : insn->space == EMU_LOCAL                                     ? EMU_LOCAL_WINDOW
         : insn->space == EMU_PARAM                                     ? EMU_PARAM_WINDOW
                                                                        : 0;
}
UNARY(cvta_64, uint64_t, uint64_t, a + window(insn))
UNARY(cvta_to_64, uint64_t, uint64_t, a - window(insn))

static emu_next_t isspacep(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t bits = 0;
  uint64_t from = window(insn);
  FOR_LANES(lane, mask) {
    uint64_t address = emu_lane(warp, &insn->operands[1], (int)lane);
    bool is_const = address - EMU_CONSTANTS_AT < EMU_CONSTANTS_BYTES;
    bool in =
        from ? address - from < EMU_WINDOW_BYTES
        : EMU_HAS(insn, const)
            ? is_const
            : address - NEREID_ADDRESS_WINDOWS >= NEREID_ADDRESS_WINDOWS_END - NEREID_ADDRESS_WINDOWS && !is_const;
    if (in && insn->space == EMU_SHARED)
      in = nereid_emulator_cta_of(warp->cta, address) == warp->cta;
    bits |= (uint32_t)in << lane;
  }
  emu_set_predicate(warp, &insn->operands[0], bits, mask);
  return EMU_ADVANCE;
}

#define MOVE NEREID_EMULATOR_CLASS_MOVE
#define MOV (MOVE | EMU_KIND(MOV))
#define SPACES(name, types, operands, may, function)                                                                   \
  {name, types, operands, EMU_BIT(global) | (may), 0, function, MOVE},                                                 \
      {name, types, operands, EMU_BIT(shared) | (may), 0, function, MOVE},                                             \
      {name, types, operands, EMU_BIT(shared_cluster) | (may), 0, function, MOVE},                                     \
      {name, types, operands, EMU_BIT(local) | (may), 0, function, MOVE}, {                                            \
    name, types, operands, EMU_BIT(param) | (may), 0, function, MOVE                                                   \
  }

const emu_form_t nereid_emulator_move_forms[] = {
    {"mov", "b16|u16|s16", "d0s0", 0, 0, mov_16, MOV},
    {"mov", "b32|u32|s32|f32", "d0s0", 0, 0, mov_32, MOV},
    {"mov", "b64|u64|s64|f64", "d0s0", 0, 0, mov_64, MOV},
    {"mov", "pred", "p-q-", 0, 0, mov_pred, MOV},
    {"mov", "b32|u32|s32|f32", "v0w0", EMU_BIT(v2), 0, nereid_emulator_move_each, MOV},
    {"mov", "b32|u32|s32|f32|u16|s16|b16", "v0w0", EMU_BIT(v4), 0, nereid_emulator_move_each, MOV},
    SPACES("cvta", "u64", "d0s0", 0, cvta_64),
    SPACES("cvta", "u64", "d0s0", EMU_BIT(to), cvta_to_64),
    {"cvta", "u64", "d0s0", EMU_BIT(const), 0, mov_64, MOVE},
    {"cvta", "u64", "d0s0", EMU_BIT(const) | EMU_BIT(to), 0, mov_64, MOVE},
    SPACES("isspacep", "", "p-s*", 0, isspacep),
    {"isspacep", "", "p-s*", EMU_BIT(const), 0, isspacep, MOVE},
    {0}};
