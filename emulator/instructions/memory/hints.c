/* Hints to caches and profilers, which do not change any value (PTX ISA, prefetch, applypriority, discard,
 * createpolicy, pmevent). Their addresses are not checked: an out-of-bounds prefetch is not an error. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

emu_next_t nereid_emulator_nothing(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)warp;
  (void)insn;
  (void)mask;
  return EMU_ADVANCE;
}

/* The value of a policy is unspecified, since policies have no effect. */
static emu_next_t createpolicy(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, 0);
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define MOVE NEREID_EMULATOR_CLASS_MOVE
#define EVICTION EMU_BIT(eviction)
const emu_form_t nereid_emulator_hint_forms[] = {
    {"prefetch L1|L2", "", "m-", 0, EMU_BIT(global) | EMU_BIT(local), nereid_emulator_nothing, MEMORY},
    {"prefetch", "", "m-", EVICTION | EMU_BIT(global), 0, nereid_emulator_nothing, MEMORY},
    {"prefetch tensormap", "", "m-", 0, EMU_BIT(const) | EMU_BIT(param), nereid_emulator_nothing, MEMORY},
    {"prefetchu L1", "", "m-", 0, 0, nereid_emulator_nothing, MEMORY},
    {"applypriority", "", "m-sw", EVICTION, EMU_BIT(global), nereid_emulator_nothing, MEMORY},
    {"discard L2", "", "m-sw", 0, EMU_BIT(global), nereid_emulator_nothing, MEMORY},
    {"createpolicy", "b64", "dlOw", EMU_BIT(fractional) | EVICTION, 0, createpolicy, MOVE},
    {"createpolicy", "b64", "dlm-swsw", EMU_BIT(range) | EVICTION, EMU_BIT(global), createpolicy, MOVE},
    {"createpolicy cvt L2", "b64", "dlsl", 0, 0, createpolicy, MOVE},
    {"pmevent", "", "sw", 0, 0, nereid_emulator_nothing, NEREID_EMULATOR_CLASS_CONTROL},
    {"pmevent mask", "", "sw", 0, 0, nereid_emulator_nothing, NEREID_EMULATOR_CLASS_CONTROL},
    {0}};
