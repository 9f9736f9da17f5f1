/* Branches, returns, exits (PTX ISA, Control Flow Instructions). */
#include "emulator/checks/frames.h"
#include "emulator/instructions/control/call.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

static emu_next_t bra(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  if (insn->target <= group->pc && ++warp->backward % 10000 == 0)
    warp->yield = true;
  if (mask == group->mask) {
    group->pc = insn->target;
    return EMU_JUMPED;
  }
  if (!mask)
    return EMU_ADVANCE;
  uint32_t pcs[EMU_LANES];
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane)
    pcs[lane] = mask >> lane & 1 ? insn->target : group->pc + 1;
  nereid_emulator_regroup(warp, group->mask, pcs, group->depth);
  return EMU_JUMPED;
}

static emu_next_t brx(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  uint32_t pcs[EMU_LANES];
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane)
    pcs[lane] = group->pc + 1;
  FOR_LANES(lane, mask) {
    uint64_t index = emu_lane(warp, &insn->operands[0], (int)lane);
    if (index >= insn->n_list)
      return nereid_emulator_fail(warp, insn, (int)lane, "index %llu is not less than %u, the number of targets",
                                  (unsigned long long)index, (unsigned)insn->n_list);
    pcs[lane] = insn->list[index];
  }
  nereid_emulator_regroup(warp, group->mask, pcs, group->depth);
  return EMU_JUMPED;
}

static emu_next_t ret(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  (void)insn;
  if (!mask)
    return EMU_ADVANCE;
  if (group->depth == 0) {
    nereid_emulator_exit(warp, mask);
    return EMU_JUMPED;
  }
  if (warp->cta->frames)
    nereid_emulator_frames_return(warp, mask);
  uint32_t rest = group->mask & ~mask;
  if (rest)
    emu_add_group(warp, rest, group->pc + 1, group->depth);
  group->mask = mask;
  nereid_emulator_regroup(warp, mask, warp->returns[group->depth - 1], group->depth - 1);
  return EMU_JUMPED;
}

static emu_next_t leave(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)insn;
  if (!mask)
    return EMU_ADVANCE;
  nereid_emulator_exit(warp, mask);
  return EMU_JUMPED;
}

static emu_next_t trap(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return mask ? nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "the kernel traps") : EMU_ADVANCE;
}

static emu_next_t breakpoint(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return mask ? nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "the kernel reached a breakpoint") : EMU_ADVANCE;
}

static emu_next_t yield_slice(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)insn;
  warp->yield |= mask != 0;
  return EMU_ADVANCE;
}

#define CONTROL NEREID_EMULATOR_CLASS_CONTROL
const emu_form_t nereid_emulator_control_forms[] = {
    {"bra", "", "", 0, EMU_BIT(uni), bra, CONTROL | EMU_KIND(BRA)},
    {"brx", "", "sw", EMU_BIT(idx), EMU_BIT(uni), brx, CONTROL | EMU_KIND(BRX)},
    {"call", "", "", 0, EMU_BIT(uni), nereid_emulator_call, CONTROL | EMU_KIND(CALL)},
    {"ret", "", "", 0, EMU_BIT(uni), ret, CONTROL | EMU_KIND(RET)},
    {"exit", "", "", 0, 0, leave, CONTROL | EMU_KIND(EXIT)},
    {"trap", "", "", 0, 0, trap, CONTROL},
    {"brkpt", "", "", 0, 0, breakpoint, CONTROL},
    {"nanosleep", "u32", "sw", 0, 0, yield_slice, CONTROL},
    {0}};
