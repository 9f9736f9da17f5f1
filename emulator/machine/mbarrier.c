/* mbarrier objects in shared memory. The opaque 64 bits, which are also the state that an arrival returns, are
 *
 *   bits 0-19 pending arrivals   20-39 expected arrivals   40-61 transaction bytes, signed   62 parity of the phase
 *   63 one
 *
 * A phase completes when no arrivals and no transaction bytes are pending; the next phase expects the same number of
 * arrivals. A CTA keeps a list of its mbarriers with their expected bits. It detects use before init, use after
 * inval, and stores that overwrite the object. */
#include "emulator/machine/mbarrier.h"

#include "emulator/checks/rules.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1, TX_SHIFT = 40 };

typedef struct fields {
  uint32_t pending, expected, parity;
  int32_t tx;
} fields_t;

static fields_t unpack(uint64_t bits) {
  return (fields_t){.pending = bits & COUNT_MAX,
                    .expected = bits >> COUNT_BITS & COUNT_MAX,
                    .parity = emu_mbarrier_parity(bits),
                    .tx = (int32_t)((int64_t)(bits << 2) >> (TX_SHIFT + 2))};
}

static uint64_t pack(fields_t it) {
  return it.pending | (uint64_t)it.expected << COUNT_BITS | ((uint64_t)(uint32_t)it.tx & 0x3fffff) << TX_SHIFT |
         (uint64_t)it.parity << EMU_MBARRIER_PARITY | UINT64_C(1) << 63;
}

emu_mbarrier_t *nereid_emulator_mbarrier_valid(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                               uint32_t offset) {
  emu_mbarrier_t *it = emu_mbarrier_find(cta, offset);
  uint64_t there;
  memcpy(&there, cta->shared + offset, sizeof there);
  if (!it)
    (void)nereid_emulator_fail(
        warp, insn, lane, "no mbarrier is at shared address 0x%x: not initialized, or invalidated", (unsigned)offset);
  else if (there != it->bits)
    (void)nereid_emulator_fail(
        warp, insn, lane,
        "the mbarrier at shared address 0x%x was overwritten by a store that is not an mbarrier operation",
        (unsigned)offset);
  return it && there == it->bits ? it : NULL;
}

/* Writes the mbarrier's new fields and completes the phase if nothing is pending. */
static void update(emu_cta_t *cta, emu_mbarrier_t *it, fields_t now) {
  bool done = !now.pending && !now.tx;
  if (cta->cluster->timeline)
    nereid_emulator_timeline_phase(cta, it, done, now.parity);
  if (done) {
    now.parity ^= 1;
    it->phases++;
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

static bool transacted(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_mbarrier_t *it, fields_t *now,
                       int64_t bytes) {
  bytes += now->tx;
  now->tx = (int32_t)bytes;
  return (bytes >= -COUNT_MAX && bytes <= COUNT_MAX) ||
         nereid_emulator_fail(warp, insn, lane,
                              "the transaction count of the mbarrier at shared address 0x%x becomes %lld, out of range",
                              (unsigned)it->offset, (long long)bytes) == EMU_ADVANCE;
}

bool nereid_emulator_mbarrier_init(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta, uint32_t offset,
                                   uint32_t count) {
  emu_mbarrier_t it = {.offset = offset, .bits = pack((fields_t){.pending = count, .expected = count})};
  emu_mbarrier_t *old = emu_mbarrier_find(cta, offset);
  emu_next_t next = EMU_ADVANCE;
  if (!count || count > COUNT_MAX)
    next = nereid_emulator_fail(warp, insn, lane, "an mbarrier expects 1 to %d arrivals, not %u", COUNT_MAX, count);
  else if (old)
    next = nereid_emulator_violate(warp, insn, lane, NEREID_EMULATOR_RULE_MBARRIER_REUSE,
                                   "an mbarrier is at shared address 0x%x already and was not invalidated",
                                   (unsigned)offset);
  else if (!nereid_vector_push(&cta->cluster->arena, &cta->mbarriers, it))
    next = nereid_emulator_fail(warp, insn, lane, "out of memory for an mbarrier");
  if (next == EMU_ADVANCE && old)
    *old = it;
  if (next == EMU_ADVANCE)
    memcpy(cta->shared + offset, &it.bits, sizeof it.bits);
  return next == EMU_ADVANCE;
}

void nereid_emulator_mbarrier_inval(emu_cta_t *cta, emu_mbarrier_t *it) {
  *it = cta->mbarriers.data[--cta->mbarriers.size];
}

bool nereid_emulator_mbarrier_transact(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                       uint32_t offset, int64_t bytes) {
  emu_mbarrier_t *it = nereid_emulator_mbarrier_valid(warp, insn, lane, cta, offset);
  if (!it)
    return false;
  fields_t now = unpack(it->bits);
  if (!transacted(warp, insn, lane, it, &now, bytes))
    return false;
  update(cta, it, now);
  return true;
}

bool nereid_emulator_mbarrier_arrive(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                     uint32_t offset, const emu_arrival_t *arrival) {
  emu_mbarrier_t *it = nereid_emulator_mbarrier_valid(warp, insn, lane, cta, offset);
  emu_next_t next = EMU_ADVANCE;
  const uint32_t count = arrival->count;
  if (!it)
    return false;
  fields_t now = unpack(it->bits);
  if (!transacted(warp, insn, lane, it, &now, arrival->bytes))
    return false;
  if (arrival->must_not_complete && count >= now.pending && !now.tx)
    next = nereid_emulator_fail(warp, insn, lane, ".noComplete arrival completes the phase");
  else if (arrival->drops && count > now.expected)
    next = nereid_emulator_fail(warp, insn, lane, "%u arrivals are dropped of %u expected ones", count, now.expected);
  else if (!count || count > now.pending)
    next = nereid_emulator_fail(warp, insn, lane, "%u arrivals at the mbarrier at shared address 0x%x, which awaits %u",
                                count, (unsigned)it->offset, now.pending);
  if (next != EMU_ADVANCE)
    return false;
  now.expected -= arrival->drops ? count : 0;
  now.pending -= count;
  update(cta, it, now);
  return true;
}

bool nereid_emulator_mbarrier_await(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *cta,
                                    uint32_t offset) {
  emu_mbarrier_t *it = nereid_emulator_mbarrier_valid(warp, insn, lane, cta, offset);
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

uint32_t nereid_emulator_mbarrier_pending(uint64_t state) {
  return unpack(state).pending;
}

emu_mbarrier_state_t nereid_emulator_mbarrier_state(uint64_t bits) {
  const fields_t it = unpack(bits);
  return (emu_mbarrier_state_t){it.parity, it.pending, it.expected, it.tx};
}
