/* mbarriers (PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier). The opaque 64 bits in shared
 * memory, which are also the state that arrive returns, are here
 *
 *   bits 0-19 pending arrivals   20-39 expected ones   40-61 transaction bytes, signed   62 parity of the phase   63
 * one
 *
 * A phase ends when no arrival is pending and no transaction open; the next one expects as many arrivals again. A CTA
 * keeps a list of its mbarriers with the bits that each should have, so that use before init, after inval, and behind a
 * store over the object is found. A try_wait whose phase is not done stops its lanes until some phase ends or nothing
 * else can go on, and so does a test_wait that a branch repeats, so that a loop around it counts once; else a failed
 * test_wait returns at once and ends the turn. */
#include "emulator/instructions/mbarrier.h"

#include "emulator/machine/effect.h"
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1, TX_SHIFT = 40, PARITY = 62 };

typedef struct fields {
  uint32_t pending, expected, parity;
  int32_t tx;
} fields_t;

static fields_t unpack(uint64_t bits) {
  return (fields_t){.pending = bits & COUNT_MAX,
                    .expected = bits >> COUNT_BITS & COUNT_MAX,
                    .parity = bits >> PARITY & 1,
                    .tx = (int32_t)((int64_t)(bits << 2) >> (TX_SHIFT + 2))};
}

static uint64_t pack(fields_t it) {
  return it.pending | (uint64_t)it.expected << COUNT_BITS | ((uint64_t)(uint32_t)it.tx & 0x3fffff) << TX_SHIFT |
         (uint64_t)it.parity << PARITY | UINT64_C(1) << 63;
}

static emu_mbarrier_t *find(emu_cta_t *cta, uint32_t offset) {
  for (size_t i = 0; i < cta->mbarriers.size; ++i)
    if (cta->mbarriers.data[i].offset == offset)
      return &cta->mbarriers.data[i];
  return NULL;
}

/* The mbarrier, found to be one. */
static emu_mbarrier_t *valid(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta, uint32_t offset) {
  emu_mbarrier_t *it = find(cta, offset);
  uint64_t there;
  memcpy(&there, cta->shared + offset, sizeof there);
  if (!it)
    (void)nereid_emulator_fail(
        warp, insn, lane, "no mbarrier is at shared address 0x%x: not initialised, or invalidated", (unsigned)offset);
  else if (there != it->bits)
    (void)nereid_emulator_fail(warp, insn, lane,
                               "the mbarrier at shared address 0x%x was written over by what is no mbarrier operation",
                               (unsigned)offset);
  return it && there == it->bits ? it : NULL;
}

/* Puts what an operation made of the mbarrier, which may end its phase. */
static void update(emu_cta_t *cta, emu_mbarrier_t *it, fields_t now) {
  bool done = !now.pending && !now.tx;
  if (done) {
    now.parity ^= 1;
    now.pending = now.expected;
  }
  it->bits = pack(now);
  memcpy(cta->shared + it->offset, &it->bits, sizeof it->bits);
  if (!done)
    return;
  if (cta->race)
    nereid_emulator_race_phase(cta, it->offset);
  cta->cluster->completions++;
  cta->cluster->timeouts = 0;
  nereid_emulator_wake(cta->cluster);
}

static bool arrived(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta, emu_mbarrier_t *it,
                    fields_t now, uint32_t count) {
  if (!count || count > now.pending) {
    (void)nereid_emulator_fail(warp, insn, lane, "%u arrivals at the mbarrier at shared address 0x%x, which awaits %u",
                               count, (unsigned)it->offset, now.pending);
    return false;
  }
  now.pending -= count;
  update(cta, it, now);
  return true;
}

static bool transacted(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_mbarrier_t *it, fields_t *now,
                       int64_t bytes) {
  bytes += now->tx;
  now->tx = (int32_t)bytes;
  return (bytes >= -COUNT_MAX && bytes <= COUNT_MAX) ||
         nereid_emulator_fail(warp, insn, lane,
                              "the transaction count of the mbarrier at shared address 0x%x becomes %lld",
                              (unsigned)it->offset, (long long)bytes) == EMU_ADVANCE;
}

bool nereid_emulator_mbarrier_complete(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                       uint32_t offset, uint32_t bytes) {
  emu_mbarrier_t *it = valid(warp, insn, lane, cta, offset);
  if (!it)
    return false;
  fields_t now = unpack(it->bits);
  if (!transacted(warp, insn, lane, it, &now, -(int64_t)bytes))
    return false;
  update(cta, it, now);
  return true;
}

bool nereid_emulator_mbarrier_arrive(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                     uint32_t offset, uint32_t count) {
  emu_mbarrier_t *it = valid(warp, insn, lane, cta, offset);
  return it && arrived(warp, insn, lane, cta, it, unpack(it->bits), count);
}

bool nereid_emulator_mbarrier_await(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                    uint32_t offset) {
  emu_mbarrier_t *it = valid(warp, insn, lane, cta, offset);
  if (!it)
    return false;
  fields_t now = unpack(it->bits);
  if (now.pending == COUNT_MAX)
    return nereid_emulator_fail(warp, insn, lane, "the mbarrier at shared address 0x%x awaits too many arrivals",
                                (unsigned)offset) == EMU_ADVANCE;
  now.pending++;
  it->bits = pack(now);
  memcpy(cta->shared + offset, &it->bits, sizeof it->bits);
  return true;
}

emu_cta_t *nereid_emulator_mbarrier_at(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                       uint64_t address, uint32_t *out_offset) {
  return nereid_emulator_shared_range(warp, insn, lane, space, address, 8, 8, out_offset);
}

/* The mbarrier of a lane's address operand `k`. */
static emu_mbarrier_t *object(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, emu_cta_t **out_cta) {
  uint32_t offset = 0;
  *out_cta = nereid_emulator_mbarrier_at(warp, insn, lane, (emu_space_t)insn->space, emu_address(warp, insn, k, lane),
                                         &offset);
  return *out_cta ? valid(warp, insn, lane, *out_cta, offset) : NULL;
}

/* Operands: address, count. */
static emu_next_t init(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint32_t offset = 0, count = (uint32_t)emu_lane(warp, &insn->operands[1], (int)lane);
    emu_cta_t *cta = nereid_emulator_mbarrier_at(warp, insn, (int)lane, (emu_space_t)insn->space,
                                                 emu_address(warp, insn, 0, (int)lane), &offset);
    if (!cta)
      return EMU_FAILED;
    if (!count || count > COUNT_MAX)
      return nereid_emulator_fail(warp, insn, (int)lane, "an mbarrier expects 1 to %d arrivals, not %u", COUNT_MAX,
                                  count);
    if (find(cta, offset))
      return nereid_emulator_fail(warp, insn, (int)lane,
                                  "an mbarrier is at shared address 0x%x already and was not invalidated",
                                  (unsigned)offset);
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, offset, EMU_RACE_INIT);
    emu_mbarrier_t it = {offset, pack((fields_t){.pending = count, .expected = count})};
    if (!nereid_vector_push(&cta->cluster->arena, &cta->mbarriers, it))
      return nereid_emulator_fail(warp, insn, (int)lane, "out of memory for an mbarrier");
    memcpy(cta->shared + offset, &it.bits, sizeof it.bits);
  }
  return EMU_ADVANCE;
}

/* Operand: address. */
static emu_next_t inval(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    emu_cta_t *cta;
    emu_mbarrier_t *it = object(warp, insn, (int)lane, 0, &cta);
    if (!it)
      return EMU_FAILED;
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, it->offset, EMU_RACE_INIT);
    *it = cta->mbarriers.data[--cta->mbarriers.size];
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
    fields_t now = unpack(it->bits);
    if (!transacted(warp, insn, (int)lane, it, &now, insn->variant ? -bytes : bytes))
      return EMU_FAILED;
    update(cta, it, now);
  }
  return EMU_ADVANCE;
}

enum { DROP = 1, NO_COMPLETE = 2, EXPECT = 4 };

/* Operands: state, address, count or bytes. Variant: what it does besides. */
static emu_next_t arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    emu_cta_t *cta;
    emu_mbarrier_t *it = object(warp, insn, (int)lane, 1, &cta);
    bool has_number = !insn->operands[2].absent;
    uint32_t number = has_number ? (uint32_t)emu_lane(warp, &insn->operands[2], (int)lane) : 1;
    uint32_t count = insn->variant & EXPECT ? 1 : number;
    if (!it)
      return EMU_FAILED;
    if (cta->race)
      nereid_emulator_race_mbarrier(warp, insn, (int)lane, cta, it->offset, EMU_RACE_ARRIVE);
    fields_t now = unpack(it->bits);
    uint64_t state = it->bits;
    if (insn->variant & EXPECT && !transacted(warp, insn, (int)lane, it, &now, number))
      return EMU_FAILED;
    if (insn->variant & NO_COMPLETE && count >= now.pending && !now.tx)
      return nereid_emulator_fail(warp, insn, (int)lane, ".noComplete, and it completes the phase");
    if (insn->variant & DROP && count > now.expected)
      return nereid_emulator_fail(warp, insn, (int)lane, "%u arrivals are dropped of %u expected ones", count,
                                  now.expected);
    now.expected -= insn->variant & DROP ? count : 0;
    if (!arrived(warp, insn, (int)lane, cta, it, now, count))
      return EMU_FAILED;
    emu_set_lane(warp, &insn->operands[0], (int)lane, state);
  }
  return EMU_ADVANCE;
}

/* Whether the phase that a lane waits for is done. False: it failed. */
static bool test(emu_warp_t *warp, const emu_insn_t *insn, int lane, bool *out_done) {
  emu_cta_t *cta;
  emu_mbarrier_t *it = object(warp, insn, lane, 1, &cta);
  uint64_t phase = emu_lane(warp, &insn->operands[2], lane);
  uint32_t parity = insn->operands[2].size == 8 ? phase >> PARITY & 1 : (uint32_t)phase;
  if (!it)
    return false;
  if (parity > 1)
    return nereid_emulator_fail(warp, insn, lane, "a phase's parity is 0 or 1, not %u", parity) == EMU_ADVANCE;
  *out_done = unpack(it->bits).parity != parity;
  uint32_t offset = it->offset;
  if (!*out_done && warp->cta->launch->landing == NEREID_EMULATOR_LAND_AT_WAIT) {
    if (!nereid_emulator_land_tracked(cta, offset))
      return false;
    it = valid(warp, insn, lane, cta, offset);
    *out_done = it && unpack(it->bits).parity != parity;
  }
  if (cta->race)
    nereid_emulator_race_mbarrier(warp, insn, lane, cta, offset, *out_done ? EMU_RACE_OBSERVE : EMU_RACE_USE);
  return it != NULL;
}

/* Whether the branch behind goes back to the instruction until it is true. */
static bool loops(const emu_insn_t *insn, const emu_group_t *group) {
  const emu_insn_t *behind = insn + 1; /* there is one: the function's last is a ret */
  return behind->flow == EMU_FLOW_BRANCH && behind->has_guard && behind->guard.negated && behind->target == group->pc &&
         behind->guard.base == insn->operands[0].base && behind->guard.offset == insn->operands[0].offset;
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
  emu_set_lane(warp, &insn->operands[0], (int)lane, unpack(emu_lane(warp, &insn->operands[1], (int)lane)).pending);
  return EMU_ADVANCE;
}

#define SYNC NEREID_EMULATOR_CLASS_BARRIER
#define WITH(n) (SYNC | EMU_VARIANT(n))
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
    {"mbarrier test_wait", "b64", "p-m-sl", 0, SHARED | ACQUIRE, wait, WITH(0)},
    {"mbarrier test_wait parity", "b64", "p-m-sw", 0, SHARED | ACQUIRE, wait, WITH(0)},
    {"mbarrier try_wait", "b64", "p-m-slOw", 0, SHARED | ACQUIRE, wait, WITH(1)},
    {"mbarrier try_wait parity", "b64", "p-m-swOw", 0, SHARED | ACQUIRE, wait, WITH(1)},
    {"mbarrier pending_count", "b64", "dwsl", 0, 0, pending_count, SYNC},
    {0}};
