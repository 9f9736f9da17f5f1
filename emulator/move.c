/* mov with packing and unpacking, cvta, isspacep, createpolicy (PTX ISA, Data Movement and Conversion Instructions).
 * Global addresses are generic ones as they are; shared, local and parameter addresses lie in windows above them. */
#include "emulator/execute.h"

UNARY(mov_16, uint16_t, uint16_t, a)
UNARY(mov_32, uint32_t, uint32_t, a)
UNARY(mov_64, uint64_t, uint64_t, a)
static emu_next_t mov_pred(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_set_predicate(warp, &insn->operands[0], emu_predicate(warp, &insn->operands[1]), mask);
  return EMU_ADVANCE;
}

emu_next_t nereid_emulator_pack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint64_t bits = 0;
    for (unsigned i = insn->n_vector; i-- > 0;)
      bits = bits << (8 * insn->size) | emu_lane(warp, &insn->operands[1 + i], (int)lane);
    emu_set_lane(warp, &insn->operands[0], (int)lane, bits);
  }
  return EMU_ADVANCE;
}

emu_next_t nereid_emulator_unpack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint64_t bits = emu_lane(warp, &insn->operands[insn->n_vector], (int)lane);
    for (unsigned i = 0; i < insn->n_vector; ++i, bits >>= 8 * insn->size)
      if (insn->operands[i].size == insn->size) /* else it is the sink */
        emu_set_lane(warp, &insn->operands[i], (int)lane, bits);
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
    bool in = from ? address - from < EMU_WINDOW_BYTES : address < EMU_PARAM_WINDOW;
    if (in && insn->space == EMU_SHARED)
      in = nereid_emulator_cta_of(warp->cta, address) == warp->cta;
    bits |= (uint32_t)in << lane;
  }
  emu_set_predicate(warp, &insn->operands[0], bits, mask);
  return EMU_ADVANCE;
}

/* A policy is a hint: its value is nobody's business. */
static emu_next_t createpolicy(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, 0);
  return EMU_ADVANCE;
}

#define MOVE NEREID_EMULATOR_CLASS_MOVE
#define SPACES(name, types, operands, may, function)                                                                   \
  {name, types, operands, EMU_BIT(global) | (may), 0, function, MOVE},                                                 \
      {name, types, operands, EMU_BIT(shared) | (may), 0, function, MOVE},                                             \
      {name, types, operands, EMU_BIT(shared_cluster) | (may), 0, function, MOVE},                                     \
      {name, types, operands, EMU_BIT(local) | (may), 0, function, MOVE}, {                                            \
    name, types, operands, EMU_BIT(param) | (may), 0, function, MOVE                                                   \
  }

const emu_form_t nereid_emulator_move_forms[] = {
    {"mov", "b16|u16|s16|f16|bf16", "d0s0", 0, 0, mov_16, MOVE},
    {"mov", "b32|u32|s32|f32", "d0s0", 0, 0, mov_32, MOVE},
    {"mov", "b64|u64|s64|f64", "d0s0", 0, 0, mov_64, MOVE},
    {"mov", "pred", "p-q-", 0, 0, mov_pred, MOVE},
    SPACES("cvta", "u64", "d0s0", 0, cvta_64),
    SPACES("cvta", "u64", "d0s0", EMU_BIT(to), cvta_to_64),
    {"cvta", "u64", "d0s0", EMU_BIT(const), 0, mov_64, MOVE},
    {"cvta", "u64", "d0s0", EMU_BIT(const) | EMU_BIT(to), 0, mov_64, MOVE},
    SPACES("isspacep", "", "p-sl", 0, isspacep),
    {"createpolicy", "b64", "dlOw", EMU_BIT(fractional) | EMU_BIT(eviction), 0, createpolicy, MOVE},
    {0}};
