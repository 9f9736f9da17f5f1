/* setmaxnreg (PTX ISA, Miscellaneous Instructions: setmaxnreg): a warpgroup gives registers to its CTA or takes some.
 *
 *   .maxnreg 168, three warpgroups             168 + 168 + 168 per thread, none free
 *   setmaxnreg.dec 40   by the producer         40 + 168 + 168, 128 free
 *   setmaxnreg.inc 232  by the consumers        40 + 232 + 232: each waits until 64 are free
 *
 * The numbers of registers are known for kernels with .maxnreg; the assembler ignores setmaxnreg in others. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"

enum { LEAST = 24, MOST = 256, UNIT = 8, GROUP_WARPS = 4 };

/* Whether two setmaxnreg have the same effect: regions for parts of a warpgroup have one each. */
static bool same(const emu_warp_t *warp, const emu_insn_t *a, const emu_insn_t *b) {
  return EMU_HAS(a, inc) == EMU_HAS(b, inc) && emu_lane(warp, &a->operands[0], 0) == emu_lane(warp, &b->operands[0], 0);
}

/* Checks that the warps of the warpgroup execute the same setmaxnreg, each once. */
static bool join_group(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  const uint32_t first = warp->index & ~(uint32_t)(GROUP_WARPS - 1);
  const uint32_t end = first + GROUP_WARPS < warp->cta->n_warps ? first + GROUP_WARPS : warp->cta->n_warps;
  emu_warp_t *warps = warp->cta->warps;
  bool all = true;
  for (uint32_t i = first; i < end; ++i) {
    if (warps[i].reallocates && (i == warp->index || !same(warp, warps[i].reallocates, insn)))
      return nereid_emulator_fail(warp, insn, lane,
                                  "warp %u of the warpgroup executed the setmaxnreg at line %u, which not all of its "
                                  "warps have executed",
                                  i, warps[i].reallocates->line) == EMU_ADVANCE;
    all = all && (i == warp->index || warps[i].reallocates);
  }
  warp->reallocates = insn;
  for (uint32_t i = first; all && i < end; ++i)
    warps[i].reallocates = NULL;
  return true;
}

/* Operand: registers per thread. */
static emu_next_t reallocate(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const int lane = mask ? __builtin_ctz(mask) : 0;
  const uint32_t count = mask ? (uint32_t)emu_lane(warp, &insn->operands[0], lane) : LEAST;
  const bool grows = EMU_HAS(insn, inc);
  emu_cta_t *cta = warp->cta;
  if (count % UNIT || count < LEAST || count > MOST)
    return nereid_emulator_fail(warp, insn, lane, "expected 24 to 256 registers, a multiple of 8, not %u", count);
  emu_next_t next = nereid_emulator_aligned(warp, insn, mask);
  if (next != EMU_ADVANCE || !mask)
    return next;
  if (warp->registers && (grows ? count < warp->registers : count > warp->registers))
    return nereid_emulator_fail(warp, insn, lane, "%s to %u registers: the warp has %u",
                                grows ? "an increase" : "a decrease", count, warp->registers);
  if (warp->registers && count > warp->registers + cta->free_registers / EMU_LANES) {
    warp->groups[warp->current].state = EMU_AT_EVENT;
    return EMU_STALL;
  }
  if (!join_group(warp, insn, lane))
    return EMU_FAILED;
  if (!warp->registers)
    return EMU_ADVANCE;
  cta->free_registers = cta->free_registers + warp->registers * EMU_LANES - count * EMU_LANES;
  warp->registers = count;
  nereid_emulator_wake(cta->cluster);
  return EMU_ADVANCE;
}

#define ALIGNED (EMU_BIT(sync) | EMU_BIT(aligned))
#define TRAITS (NEREID_EMULATOR_CLASS_CONTROL | EMU_KIND(REGISTERS))
const emu_form_t nereid_emulator_registers_forms[] = {
    {"setmaxnreg", "u32", "sw", ALIGNED | EMU_BIT(inc), 0, reallocate, TRAITS},
    {"setmaxnreg", "u32", "sw", ALIGNED | EMU_BIT(dec), 0, reallocate, TRAITS},
    {0}};
