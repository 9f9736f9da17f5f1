/* bar and barrier (PTX ISA, bar, barrier): sixteen numbered barriers per CTA, for all of its threads or a given count.
 *
 * Threads arrive in groups of a warp's lanes and wait at the instruction. The arrival that completes the count
 * releases all waiting groups with their results. `.aligned` forms, which include bar, require the whole warp. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

/* The thread count of an instruction's barrier, from operand `at`; 0: the whole CTA. False after failing. */
static bool read_count(emu_warp_t *warp, const emu_insn_t *insn, unsigned at, int lane, unsigned *out_count) {
  *out_count = 0;
  if (insn->operands[at].absent)
    return true;
  *out_count = (unsigned)emu_lane(warp, &insn->operands[at], lane);
  return (*out_count && *out_count % 32 == 0) ||
         nereid_emulator_fail(warp, insn, lane, "a barrier's count is a multiple of 32, not %u", *out_count) ==
             EMU_ADVANCE;
}

/* Adds the lanes to the arrivals at barrier `id`. False after failing. */
static bool join(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned id, unsigned count, bool waits) {
  emu_barrier_t *barrier = &warp->cta->barriers[id];
  int first = __builtin_ctz(mask);
  if (barrier->in_use && barrier->expected != count)
    return nereid_emulator_fail(warp, insn, first, "barrier %u is used with counts %u and %u at once", id,
                                (unsigned)barrier->expected, count) == EMU_ADVANCE;
  if (!barrier->in_use)
    *barrier = (emu_barrier_t){.in_use = true, .expected = count, .all = UINT32_MAX};
  if (warp->cta->race)
    nereid_emulator_race_arrive(warp, id, mask);
  if (warp->cta->cluster->timeline)
    nereid_emulator_timeline_arrive(warp, insn, mask, barrier, waits);
  barrier->arrived += (uint32_t)__builtin_popcount(mask);
  if (count && barrier->arrived > count)
    return nereid_emulator_fail(warp, insn, first, "%u threads arrive at barrier %u, which is for %u",
                                (unsigned)barrier->arrived, id, count) == EMU_ADVANCE;
  if (EMU_HAS(insn, red)) {
    uint32_t bits = emu_predicate(warp, &insn->operands[3]);
    barrier->count += (uint32_t)__builtin_popcount(bits & mask);
    barrier->all = (bits & mask) == mask ? barrier->all : 0;
    barrier->any = bits & mask ? UINT32_MAX : barrier->any;
  }
  return true;
}

/* Operands: number, count for sync and arrive; d, number, count, p for red. Variant 1: whole warps. */
static emu_next_t arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, bool waits) {
  unsigned at = EMU_HAS(insn, red) ? 1 : 0, count;
  if (!mask)
    return EMU_ADVANCE;
  emu_next_t next =
      insn->variant ? nereid_emulator_converged(warp, insn, mask) : nereid_emulator_aligned(warp, insn, mask);
  if (next != EMU_ADVANCE)
    return next;
  int first = __builtin_ctz(mask);
  unsigned id = (unsigned)emu_lane(warp, &insn->operands[at], first);
  if (id > 15)
    return nereid_emulator_fail(warp, insn, first, "there is no barrier %u: expected 0 to 15", id);
  if (!read_count(warp, insn, at + 1, first, &count) || !join(warp, insn, mask, id, count, waits))
    return EMU_FAILED;
  if (waits) {
    emu_group_t *group = &warp->groups[warp->current];
    if (mask != group->mask) /* the others continue */
      emu_add_group(warp, group->mask & ~mask, group->pc + 1, group->depth);
    group->mask = mask;
    group->state = EMU_AT_BARRIER;
    group->barrier = id;
  }
  nereid_emulator_barrier_check(warp->cta, id);
  return waits ? EMU_BLOCKED : EMU_ADVANCE;
}

static emu_next_t wait(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return arrive(warp, insn, mask, true);
}

static emu_next_t only_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return arrive(warp, insn, mask, false);
}

#define BARRIER NEREID_EMULATOR_CLASS_BARRIER
#define MAY (EMU_BIT(cta) | EMU_BIT(aligned))
#define ROWS(name, traits)                                                                                             \
  {name, "", "swOw", EMU_BIT(sync), MAY, wait, traits}, {name, "", "swsw", EMU_BIT(arrive), MAY, only_arrive, traits}, \
      {name, "u32", "dwswCwq-", EMU_BIT(red) | EMU_BIT(popc), MAY, wait, traits},                                      \
      {name, "pred", "p-swCwq-", EMU_BIT(red) | EMU_BIT(and), MAY, wait, traits}, {                                    \
    name, "pred", "p-swCwq-", EMU_BIT(red) | EMU_BIT(or), MAY, wait, traits                                            \
  }
const emu_form_t nereid_emulator_barrier_forms[] = {
    ROWS("bar", BARRIER | EMU_VARIANT(1)), ROWS("barrier", BARRIER), {0}};
