/* cp.async (PTX ISA, Data Movement and Conversion Instructions: cp.async): copies of 4, 8 or 16 bytes from global to
 * shared memory that land in groups. Bytes beyond the source size are filled with zeros; the source is not accessed
 * if its size is 0 or it is ignored. The accesses belong to the generic proxy of the issuing thread. */
#include "emulator/instructions/form.h"
#include "emulator/machine/effect.h"
#include "emulator/machine/execute.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/memory/proxy.h"
#include "emulator/race/race.h"

typedef struct copies {
  uint64_t to[EMU_LANES], from[EMU_LANES];
  uint8_t read[EMU_LANES]; /* bytes of the source; the rest of `size` is zero-filled */
  uint32_t size;
} copies_t;

static bool land(emu_effect_t *effect, uint32_t lanes) {
  const copies_t *copies = (const copies_t *)(const void *)effect->payload;
  emu_warp_t *warp = effect->warp;
  FOR_LANES(lane, lanes) {
    uint32_t read = copies->read[lane];
    const uint8_t *from = read ? nereid_emulator_reach(warp, effect->insn, (int)lane, EMU_GLOBAL, copies->from[lane],
                                                       read, copies->size, EMU_READ)
                               : NULL;
    uint8_t *to = read && !from ? NULL
                                : nereid_emulator_access(warp, effect->insn, (int)lane, EMU_SHARED, copies->to[lane],
                                                         copies->size, EMU_WRITE);
    if (!to)
      return false;
    if (from)
      memcpy(to, from, read);
    memset(to + read, 0, copies->size - read);
    if (warp->cta->owners)
      nereid_emulator_async_copy_write(warp->cta, copies->to[lane] & EMU_OFFSET_MASK, copies->size);
  }
  return true;
}

static void count(emu_warp_t *warp, const copies_t *copies, uint32_t mask) {
  uint32_t reading = 0;
  FOR_LANES(lane, mask) reading |= copies->read[lane] ? UINT32_C(1) << lane : 0;
  if (!warp->cta->launch->count)
    return;
  nereid_emulator_count(warp, copies->from, reading, copies->size, EMU_GLOBAL, false);
  nereid_emulator_count(warp, copies->to, mask, copies->size, EMU_SHARED, true);
}

/* Operands: to, from, size, then the source's size, or a predicate that ignores the source. */
static emu_next_t copy(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (!mask)
    return EMU_ADVANCE;
  const emu_operand_t *last = &insn->operands[3];
  emu_effect_t *effect = nereid_emulator_effect(warp, insn, mask, EMU_GROUP_ASYNC, sizeof(copies_t));
  if (!effect)
    return EMU_FAILED;
  copies_t *copies = (copies_t *)(void *)effect->payload;
  copies->size = (uint32_t)emu_lane(warp, &insn->operands[2], __builtin_ctz(mask));
  if ((copies->size != 4 && copies->size != 8 && copies->size != 16) || (EMU_HAS(insn, cg) && copies->size != 16)) {
    nereid_emulator_free_effect(effect);
    return nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "expected a copy of %s bytes, not %u",
                                EMU_HAS(insn, cg) ? "16" : "4, 8 or 16", copies->size);
  }
  uint32_t ignored = last->absent || last->size ? 0 : emu_predicate(warp, last);
  FOR_LANES(lane, mask) {
    uint64_t read = last->absent || !last->size ? copies->size : emu_lane(warp, last, (int)lane);
    copies->to[lane] = emu_address(warp, insn, 0, (int)lane);
    copies->from[lane] = emu_lane(warp, &insn->operands[1], (int)lane) + (uint64_t)insn->offsets[0];
    copies->read[lane] = ignored >> lane & 1 ? 0 : (uint8_t)(read < copies->size ? read : copies->size);
    if (read > copies->size) {
      nereid_emulator_free_effect(effect);
      return nereid_emulator_fail(warp, insn, (int)lane, "a source of %llu bytes is larger than the copy",
                                  (unsigned long long)read);
    }
  }
  effect->land = land;
  FOR_LANES(lane, warp->cta->race ? mask : 0) {
    nereid_emulator_race_effect(effect, (int)lane, false, NULL, copies->from[lane], copies->read[lane]);
    nereid_emulator_race_effect(effect, (int)lane, true, warp->cta, copies->to[lane] & EMU_OFFSET_MASK, copies->size);
  }
  count(warp, copies, mask);
  return nereid_emulator_issue(effect) ? EMU_ADVANCE : EMU_FAILED;
}

/* Variant: the kind of group. */
static emu_next_t commit(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  nereid_emulator_commit(warp, mask, insn->variant);
  return EMU_ADVANCE;
}

/* Operand: maximum number of pending groups. Optional word: waits only for the reads. */
static emu_next_t wait_group(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t keep = mask ? (uint32_t)emu_lane(warp, &insn->operands[0], __builtin_ctz(mask)) : 0;
  return nereid_emulator_wait_groups(warp, mask, insn->variant, keep, insn->choices[0] != 0) ? EMU_ADVANCE : EMU_FAILED;
}

static emu_next_t wait_all(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)insn;
  nereid_emulator_commit(warp, mask, EMU_GROUP_ASYNC);
  return nereid_emulator_wait_groups(warp, mask, EMU_GROUP_ASYNC, 0, false) ? EMU_ADVANCE : EMU_FAILED;
}

/* The copies that the lanes issued earlier have landed: performs their arrivals. Those of a thread are in order, so
 * that each copy belongs to the first of them. */
static bool land_arrival(emu_effect_t *effect, uint32_t lanes) {
  if (!nereid_emulator_land_earlier_like(effect, lanes) ||
      !nereid_emulator_land_earlier(effect, lanes, EMU_GROUP_ASYNC))
    return false;
  if (effect->warp->cta->owners)
    nereid_emulator_async_copies_complete(effect->warp, lanes);
  const emu_arrival_t arrival = {.count = (uint32_t)__builtin_popcount(lanes)};
  return nereid_emulator_mbarrier_arrive(effect->warp, effect->insn, __builtin_ctz(lanes), effect->mbarrier_cta,
                                         effect->mbarrier, &arrival);
}

/* Operand: address. Choice: noinc. */
static emu_next_t arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint32_t offset = 0;
    uint64_t address = emu_address(warp, insn, 0, (int)lane);
    emu_cta_t *cta = nereid_emulator_mbarrier_at(warp, insn, (int)lane, (emu_space_t)insn->space, address, &offset);
    if (!cta || (!insn->choices[0] && !nereid_emulator_mbarrier_await(warp, insn, (int)lane, cta, offset)))
      return EMU_FAILED;
    emu_effect_t *effect = nereid_emulator_effect(warp, insn, UINT32_C(1) << lane, EMU_GROUP_NONE, 0);
    if (!effect)
      return EMU_FAILED;
    effect->mbarrier_cta = cta;
    effect->mbarrier = offset;
    effect->land = land_arrival;
    if (!nereid_emulator_issue(effect))
      return EMU_FAILED;
  }
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define BARRIER NEREID_EMULATOR_CLASS_BARRIER
#define WITH(n) (BARRIER | EMU_VARIANT(n))
#define SPACES (EMU_BIT(shared) | EMU_BIT(global))
#define CACHE (EMU_BIT(prefetch) | EMU_BIT(hint))

const emu_form_t nereid_emulator_async_forms[] = {
    {"cp async", "", "m-m-swA-", SPACES | EMU_BIT(ca), CACHE, copy, MEMORY},
    {"cp async", "", "m-m-swA-", SPACES | EMU_BIT(cg), CACHE, copy, MEMORY},
    {"cp async commit_group", "", "", 0, 0, commit, WITH(EMU_GROUP_ASYNC)},
    {"cp async wait_group", "", "sw", 0, 0, wait_group, WITH(EMU_GROUP_ASYNC) | EMU_KIND(COPY_WAIT)},
    {"cp async wait_all", "", "", 0, 0, wait_all, BARRIER | EMU_KIND(COPY_WAIT)},
    {"cp async mbarrier noinc?", "b64", "m-", EMU_BIT(arrive), EMU_BIT(shared), arrive,
     BARRIER | EMU_KIND(COPY_ARRIVE)},
    {"cp async bulk commit_group", "", "", 0, 0, commit, WITH(EMU_GROUP_BULK)},
    {"cp async bulk wait_group read?", "", "sw", 0, 0, wait_group, WITH(EMU_GROUP_BULK)},
    {0}};
