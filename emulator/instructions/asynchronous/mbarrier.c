/* mbarrier instructions (PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier);
 * machine/mbarrier.c has the object. A try_wait on an incomplete phase blocks its lanes until a phase completes or
 * no other group can run. So does a test_wait in a retry loop, so that the loop counts once. Any other failed
 * test_wait returns at once and ends the scheduling slice. */
#include "emulator/machine/mbarrier.h"
#include "emulator/instructions/form.h"

#include "emulator/checks/rules.h"
#include "emulator/machine/effect.h"
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

/* The mbarrier of a lane's address operand `k`. */
static emu_mbarrier_t *object(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, emu_cta_t **out_cta) {
  uint32_t offset = 0;
  *out_cta = nereid_emulator_mbarrier_at(warp, insn, lane, (emu_space_t)insn->space, emu_address(warp, insn, k, lane),
                                         &offset);
  return *out_cta ? nereid_emulator_mbarrier_valid(warp, insn, lane, *out_cta, offset) : NULL;
}

/* Operands: address, count. */
static emu_next_t init(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint32_t offset = 0, count = (uint32_t)emu_lane(warp, &insn->operands[1], (int)lane);
    emu_cta_t *cta = nereid_emulator_mbarrier_at(warp, insn, (int)lane, (emu_space_t)insn->space,
                                                 emu_address(warp, insn, 0, (int)lane), &offset);
    if (!cta || !nereid_emulator_mbarrier_init(warp, insn, (int)lane, cta, offset, count))
      return EMU_FAILED;
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, offset, EMU_RACE_INIT);
  }
  return EMU_ADVANCE;
}

/* Operand: address. */
static emu_next_t inval(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint32_t offset = 0;
    emu_cta_t *cta = nereid_emulator_mbarrier_at(warp, insn, (int)lane, (emu_space_t)insn->space,
                                                 emu_address(warp, insn, 0, (int)lane), &offset);
    emu_mbarrier_t *it = cta ? emu_mbarrier_find(cta, offset) : NULL;
    if (!cta ||
        (!it && nereid_emulator_violate(warp, insn, (int)lane, NEREID_EMULATOR_RULE_MBARRIER_INVALID,
                                        "no mbarrier is at shared address 0x%x: not initialized, or invalidated",
                                        (unsigned)offset) == EMU_FAILED))
      return EMU_FAILED;
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, offset, EMU_RACE_INIT);
    if (it)
      nereid_emulator_mbarrier_inval(cta, it);
  }
  return EMU_ADVANCE;
}

/* Operands: address, bytes. Variant 1: complete. */
static emu_next_t transact(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    emu_cta_t *cta;
    emu_mbarrier_t *it = object(warp, insn, (int)lane, 0, &cta);
    int64_t bytes = (int64_t)emu_lane(warp, &insn->operands[1], (int)lane);
    if (!it)
      return EMU_FAILED;
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, it->offset, EMU_RACE_USE);
    if (!nereid_emulator_mbarrier_transact(warp, insn, (int)lane, cta, it->offset, insn->variant ? -bytes : bytes))
      return EMU_FAILED;
  }
  return EMU_ADVANCE;
}

enum { DROP = 1, NO_COMPLETE = 2, EXPECT = 4 };

/* Operands: state, address, count or bytes. Variant: additional operations. */
static emu_next_t arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    emu_cta_t *cta;
    emu_mbarrier_t *it = object(warp, insn, (int)lane, 1, &cta);
    bool has_number = !insn->operands[2].absent, expects = insn->variant & EXPECT;
    uint32_t number = has_number ? (uint32_t)emu_lane(warp, &insn->operands[2], (int)lane) : 1;
    const emu_arrival_t arrival = {.count = expects ? 1 : number,
                                   .bytes = expects ? number : 0,
                                   .drops = insn->variant & DROP,
                                   .must_not_complete = insn->variant & NO_COMPLETE};
    if (!it)
      return EMU_FAILED;
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, it->offset, EMU_RACE_ARRIVE);
    uint64_t state = it->bits;
    if (!nereid_emulator_mbarrier_arrive(warp, insn, (int)lane, cta, it->offset, &arrival))
      return EMU_FAILED;
    emu_set_lane(warp, &insn->operands[0], (int)lane, state);
  }
  return EMU_ADVANCE;
}

/* Whether the phase that a lane waits for is complete. False: failed. */
static bool test(emu_warp_t *warp, const emu_insn_t *insn, int lane, bool *out_done) {
  emu_cta_t *cta;
  emu_mbarrier_t *it = object(warp, insn, lane, 1, &cta);
  uint64_t phase = emu_lane(warp, &insn->operands[2], lane);
  uint32_t parity = insn->operands[2].size == 8 ? emu_mbarrier_parity(phase) : (uint32_t)phase;
  if (!it)
    return false;
  if (parity > 1)
    return nereid_emulator_fail(warp, insn, lane, "a phase's parity is 0 or 1, not %u", parity) == EMU_ADVANCE;
  *out_done = emu_mbarrier_parity(it->bits) != parity;
  uint32_t offset = it->offset;
  if (!*out_done && warp->cta->launch->landing == NEREID_EMULATOR_LAND_AT_WAIT) {
    if (!nereid_emulator_land_tracked(cta, offset))
      return false;
    it = nereid_emulator_mbarrier_valid(warp, insn, lane, cta, offset);
    *out_done = it && emu_mbarrier_parity(it->bits) != parity;
  }
  if (cta->race)
    nereid_emulator_race_mbarrier(warp, insn, lane, cta, offset, *out_done ? EMU_RACE_OBSERVE : EMU_RACE_USE);
  if (*out_done && cta->cluster->keeps_landed)
    nereid_emulator_phase_observed(cta, offset);
  return it != NULL;
}

/* Whether the next instruction branches back to this one while the predicate is false. */
static bool loops(const emu_insn_t *insn, const emu_group_t *group) {
  const emu_insn_t *after = insn + 1; /* exists, since a function ends with ret */
  return after->flow == EMU_FLOW_BRANCH && after->has_guard && after->guard.negated && after->target == group->pc &&
         after->guard.base == insn->operands[0].base && after->guard.offset == insn->operands[0].offset;
}

/* Operands: p, address, state or parity, suspend time. Variant 1: try_wait. */
static emu_next_t wait(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  uint32_t done = 0;
  FOR_LANES(lane, mask) {
    bool is = false;
    if (!test(warp, insn, (int)lane, &is))
      return EMU_FAILED;
    done |= (uint32_t)is << lane;
  }
  if (mask && !done && (insn->variant || loops(insn, group)) && !(warp->timed_out & mask)) {
    group->state = EMU_AT_EVENT;
    return EMU_STALL;
  }
  warp->timed_out &= ~mask;
  warp->yield |= done != mask;
  emu_set_predicate(warp, &insn->operands[0], done, mask);
  return EMU_ADVANCE;
}

/* Operands: count, state. */
static emu_next_t pending_count(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  emu_set_lane(warp, &insn->operands[0], (int)lane,
               nereid_emulator_mbarrier_pending(emu_lane(warp, &insn->operands[1], (int)lane)));
  return EMU_ADVANCE;
}

#define SYNC NEREID_EMULATOR_CLASS_BARRIER
#define WITH(n) (SYNC | EMU_VARIANT(n))
#define WAIT(n) (WITH(n) | EMU_KIND(MBARRIER_WAIT))
#define SHARED EMU_BIT(shared)
#define ANY (EMU_BIT(shared) | EMU_BIT(shared_cluster))
#define SCOPE (EMU_BIT(cta) | EMU_BIT(cluster))
#define RELEASE (SCOPE | EMU_BIT(release) | EMU_BIT(relaxed))
#define ACQUIRE (SCOPE | EMU_BIT(acquire) | EMU_BIT(relaxed))
#define ARRIVE EMU_BIT(arrive)

const emu_form_t nereid_emulator_mbarrier_forms[] = {
    {"mbarrier init", "b64", "m-sw", 0, SHARED, init, SYNC},
    {"mbarrier inval", "b64", "m-", 0, SHARED, inval, SYNC},
    {"mbarrier expect_tx", "b64", "m-sw", 0, ANY | SCOPE | EMU_BIT(relaxed), transact, WITH(0)},
    {"mbarrier complete_tx", "b64", "m-sw", 0, ANY | SCOPE | EMU_BIT(relaxed), transact, WITH(1)},
    {"mbarrier", "b64", "dlm-Ow", ARRIVE, ANY | RELEASE, arrive, WITH(0)},
    {"mbarrier noComplete", "b64", "dlm-sw", ARRIVE, SHARED | RELEASE, arrive, WITH(NO_COMPLETE)},
    {"mbarrier expect_tx", "b64", "dlm-sw", ARRIVE, ANY | RELEASE, arrive, WITH(EXPECT)},
    {"mbarrier arrive_drop", "b64", "dlm-Ow", 0, ANY | RELEASE, arrive, WITH(DROP)},
    {"mbarrier arrive_drop noComplete", "b64", "dlm-sw", 0, SHARED | RELEASE, arrive, WITH(DROP | NO_COMPLETE)},
    {"mbarrier arrive_drop expect_tx", "b64", "dlm-sw", 0, ANY | RELEASE, arrive, WITH(DROP | EXPECT)},
    {"mbarrier test_wait", "b64", "p-m-sl", 0, SHARED | ACQUIRE, wait, WAIT(0)},
    {"mbarrier test_wait parity", "b64", "p-m-sw", 0, SHARED | ACQUIRE, wait, WAIT(0)},
    {"mbarrier try_wait", "b64", "p-m-slOw", 0, SHARED | ACQUIRE, wait, WAIT(1)},
    {"mbarrier try_wait parity", "b64", "p-m-swOw", 0, SHARED | ACQUIRE, wait, WAIT(1)},
    {"mbarrier pending_count", "b64", "dwsl", 0, 0, pending_count, SYNC},
    {0}};
