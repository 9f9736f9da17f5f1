/* bar and barrier (PTX ISA, bar, barrier): sixteen per CTA, by number, for all threads of the CTA or a count of them.
 *
 * Threads arrive in groups of a warp's lanes and stay at the instruction; the arrival that makes the number full lets
 * all go and gives them their results. `.aligned` forms, which bar's are, need the whole warp. */
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

static uint32_t live_threads(const emu_cta_t *cta) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < cta->n_warps; ++i)
    n += (uint32_t)__builtin_popcount(cta->warps[i].live);
  return n;
}

static bool reduces(const emu_insn_t *insn) {
  return EMU_HAS(insn, red);
}

/* Operands: number, count for sync and arrive; d, number, count, p for red. */
static unsigned number_at(const emu_insn_t *insn) {
  return reduces(insn) ? 1 : 0;
}

static unsigned number_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return (unsigned)emu_lane(warp, &insn->operands[number_at(insn)], __builtin_ctz(mask));
}

static void release(emu_warp_t *warp, emu_group_t *group, const emu_barrier_t *barrier) {
  const emu_insn_t *insn = &warp->cta->kernel->program->insns.data[group->pc];
  if (warp->cta->race)
    nereid_emulator_race_leave(warp, number_of(warp, insn, group->mask), group->mask);
  if (reduces(insn) && EMU_HAS(insn, popc))
    FOR_LANES(lane, group->mask) emu_set_lane(warp, &insn->operands[0], (int)lane, barrier->count);
  else if (reduces(insn))
    emu_set_predicate(warp, &insn->operands[0], EMU_HAS(insn, and) ? barrier->all : barrier->any, group->mask);
  group->state = EMU_RUNNING;
  warp->regrouped = true;
  group->pc++;
}

void nereid_emulator_barrier_check(emu_cta_t *cta, unsigned id) {
  emu_barrier_t *barrier = &cta->barriers[id];
  if (!barrier->in_use || barrier->arrived < (barrier->expected ? barrier->expected : live_threads(cta)))
    return;
  emu_barrier_t done = *barrier;
  *barrier = (emu_barrier_t){0};
  cta->counters.barriers++;
  for (uint32_t i = 0; i < cta->n_warps; ++i)
    for (uint32_t g = 0; g < cta->warps[i].n_groups; ++g) {
      emu_group_t *group = &cta->warps[i].groups[g];
      const emu_insn_t *insn = &cta->kernel->program->insns.data[group->pc];
      if (group->state == EMU_AT_BARRIER && number_of(&cta->warps[i], insn, group->mask) == id)
        release(&cta->warps[i], group, &done);
    }
  if (cta->race)
    nereid_emulator_race_reset(cta, id);
}

static emu_next_t arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, bool waits) {
  unsigned at = number_at(insn), count = 0;
  if (!mask)
    return EMU_ADVANCE;
  emu_group_t *group = &warp->groups[warp->current];
  bool aligned = strncmp(insn->text, "bar.", 4) == 0 || EMU_HAS(insn, aligned);
  if (aligned && mask != group->mask)
    return nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "only part of the warp reaches it: lanes 0x%08x",
                                (unsigned)mask);
  if (aligned && !nereid_emulator_all_here(warp, UINT32_MAX, mask))
    return EMU_WAIT;
  unsigned id = number_of(warp, insn, mask);
  int first = __builtin_ctz(mask);
  if (id > 15)
    return nereid_emulator_fail(warp, insn, first, "there is no barrier %u: they go to 15", id);
  if (!insn->operands[at + 1].absent)
    count = (unsigned)emu_lane(warp, &insn->operands[at + 1], first);
  if (!insn->operands[at + 1].absent && (count == 0 || count % 32))
    return nereid_emulator_fail(warp, insn, first, "a barrier's count is a multiple of 32, not %u", count);
  emu_barrier_t *barrier = &warp->cta->barriers[id];
  if (barrier->in_use && barrier->expected != count)
    return nereid_emulator_fail(warp, insn, first, "barrier %u is used with counts %u and %u at once", id,
                                (unsigned)barrier->expected, count);
  if (!barrier->in_use)
    *barrier = (emu_barrier_t){.in_use = true, .expected = count, .all = UINT32_MAX};
  if (warp->cta->race)
    nereid_emulator_race_arrive(warp, id, mask);
  barrier->arrived += (uint32_t)__builtin_popcount(mask);
  if (count && barrier->arrived > count)
    return nereid_emulator_fail(warp, insn, first, "%u threads arrive at barrier %u, which is for %u",
                                (unsigned)barrier->arrived, id, count);
  if (reduces(insn)) {
    uint32_t bits = emu_predicate(warp, &insn->operands[3]);
    barrier->count += (uint32_t)__builtin_popcount(bits & mask);
    barrier->all = (bits & mask) == mask ? barrier->all : 0;
    barrier->any = bits & mask ? UINT32_MAX : barrier->any;
  }
  if (!waits) {
    nereid_emulator_barrier_check(warp->cta, id);
    return EMU_ADVANCE;
  }
  if (mask != group->mask) /* the others go on */
    warp->groups[warp->n_groups++] = (emu_group_t){group->mask & ~mask, group->pc + 1, group->depth, EMU_RUNNING};
  group->mask = mask;
  group->state = EMU_AT_BARRIER;
  nereid_emulator_barrier_check(warp->cta, id);
  return EMU_BLOCKED;
}

static emu_next_t wait(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return arrive(warp, insn, mask, true);
}

static emu_next_t only_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return arrive(warp, insn, mask, false);
}

#define BARRIER NEREID_EMULATOR_CLASS_BARRIER
#define MAY (EMU_BIT(cta) | EMU_BIT(aligned))
#define ROWS(name)                                                                                                     \
  {name, "", "swOw", EMU_BIT(sync), MAY, wait, BARRIER},                                                               \
      {name, "", "swsw", EMU_BIT(arrive), MAY, only_arrive, BARRIER},                                                  \
      {name, "u32", "dwswCwq-", EMU_BIT(red) | EMU_BIT(popc), MAY, wait, BARRIER},                                     \
      {name, "pred", "p-swCwq-", EMU_BIT(red) | EMU_BIT(and), MAY, wait, BARRIER}, {                                   \
    name, "pred", "p-swCwq-", EMU_BIT(red) | EMU_BIT(or), MAY, wait, BARRIER                                           \
  }
const emu_form_t nereid_emulator_barrier_forms[] = {ROWS("bar"), ROWS("barrier"), {0}};
