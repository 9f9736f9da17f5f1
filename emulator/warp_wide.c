/* Instructions that lanes execute together (PTX ISA, Parallel Synchronization and Communication Instructions): shfl,
 * vote, match, redux, activemask, elect, bar.warp.sync. With a member mask they wait until all its lanes that live are
 * here. */
#include "emulator/execute.h"
#include "emulator/race.h"

/* The member mask of the first lane, and whether all of it is here. */
static emu_next_t gather(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int k, uint32_t *out_members) {
  if (!mask)
    return EMU_ADVANCE;
  int first = __builtin_ctz(mask);
  *out_members = (uint32_t)emu_lane(warp, &insn->operands[k], first);
  FOR_LANES(lane, mask)
  if (!((uint32_t)emu_lane(warp, &insn->operands[k], (int)lane) >> lane & 1))
    return nereid_emulator_fail(warp, insn, (int)lane, "the lane is not in its own member mask 0x%08x",
                                (unsigned)*out_members);
  return nereid_emulator_all_here(warp, *out_members, warp->groups[warp->current].mask) ? EMU_ADVANCE : EMU_WAIT;
}

/* Operands: d, p, a, b, c, members. */
static emu_next_t shfl(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t members = 0, valid = 0;
  uint64_t results[EMU_LANES];
  emu_next_t next = gather(warp, insn, mask, 5, &members);
  if (next != EMU_ADVANCE)
    return next;
  FOR_LANES(lane, mask) {
    uint32_t b = (uint32_t)emu_lane(warp, &insn->operands[3], (int)lane);
    uint32_t c = (uint32_t)emu_lane(warp, &insn->operands[4], (int)lane);
    uint32_t segment = c >> 8 & 31, bound = c & 31, by = b & 31;
    uint32_t most = (lane & segment) | (bound & ~segment), least = lane & segment;
    int32_t from;
    bool in;
    if (EMU_HAS(insn, up)) {
      from = (int32_t)lane - (int32_t)by;
      in = from >= (int32_t)most;
    } else if (EMU_HAS(insn, down)) {
      from = (int32_t)(lane + by);
      in = from <= (int32_t)most;
    } else if (EMU_HAS(insn, bfly)) {
      from = (int32_t)(lane ^ by);
      in = from <= (int32_t)most;
    } else {
      from = (int32_t)(least | (by & ~segment));
      in = from <= (int32_t)most;
    }
    from = in ? from : (int32_t)lane;
    if (!(mask >> from & 1))
      return nereid_emulator_fail(warp, insn, (int)lane, "it reads lane %d, which does not execute the instruction",
                                  (int)from);
    results[lane] = emu_lane(warp, &insn->operands[2], from);
    valid |= (uint32_t)in << lane;
  }
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, results[lane]);
  emu_set_predicate(warp, &insn->operands[1], valid, mask);
  return EMU_ADVANCE;
}

/* Operands: d, a, members. */
static emu_next_t vote(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t members = 0;
  emu_next_t next = gather(warp, insn, mask, 2, &members);
  if (next != EMU_ADVANCE)
    return next;
  uint32_t votes = emu_predicate(warp, &insn->operands[1]) & mask;
  if (EMU_HAS(insn, ballot)) {
    FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, votes);
    return EMU_ADVANCE;
  }
  bool is = EMU_HAS(insn, all) ? votes == mask : EMU_HAS(insn, any) ? votes != 0 : votes == 0 || votes == mask;
  emu_set_predicate(warp, &insn->operands[0], is ? UINT32_MAX : 0, mask);
  return EMU_ADVANCE;
}

/* Operands: d, p, a, members. */
static emu_next_t match(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t members = 0, all = UINT32_MAX, equal[EMU_LANES] = {0};
  emu_next_t next = gather(warp, insn, mask, 3, &members);
  if (next != EMU_ADVANCE)
    return next;
  FOR_LANES(lane, mask) {
    uint64_t mine = emu_lane(warp, &insn->operands[2], (int)lane);
    for (int other = 0; other < EMU_LANES; ++other)
      if (mask >> other & 1 && emu_lane(warp, &insn->operands[2], other) == mine)
        equal[lane] |= UINT32_C(1) << other;
    all = equal[lane] == mask ? all : 0;
  }
  FOR_LANES(lane, mask)
  emu_set_lane(warp, &insn->operands[0], (int)lane, EMU_HAS(insn, any) ? equal[lane] : all & mask);
  emu_set_predicate(warp, &insn->operands[1], all, mask);
  return EMU_ADVANCE;
}

/* Operands: d, a, members. */
static emu_next_t redux(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t members = 0, result = 0;
  bool first = true, sign = insn->types[0] == EMU_S32;
  emu_next_t next = gather(warp, insn, mask, 2, &members);
  if (next != EMU_ADVANCE)
    return next;
  FOR_LANES(lane, mask) {
    uint32_t x = (uint32_t)emu_lane(warp, &insn->operands[1], (int)lane);
    bool less = sign ? (int32_t)x < (int32_t)result : x < result;
    if (first)
      result = x;
    else if (EMU_HAS(insn, add))
      result += x;
    else if (EMU_HAS(insn, and))
      result &= x;
    else if (EMU_HAS(insn, or))
      result |= x;
    else if (EMU_HAS(insn, xor))
      result ^= x;
    else if (EMU_HAS(insn, min) == less)
      result = x;
    first = false;
  }
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, result);
  return EMU_ADVANCE;
}

static emu_next_t activemask(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, mask);
  return EMU_ADVANCE;
}

/* Operands: d, p, members: the lowest lane is elected. */
static emu_next_t elect(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t members = 0;
  emu_next_t next = gather(warp, insn, mask, 2, &members);
  if (next != EMU_ADVANCE || !mask)
    return next;
  uint32_t leader = (uint32_t)__builtin_ctz(mask);
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, leader);
  emu_set_predicate(warp, &insn->operands[1], UINT32_C(1) << leader, mask);
  return EMU_ADVANCE;
}

static emu_next_t warp_sync(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t members = 0;
  emu_next_t next = gather(warp, insn, mask, 0, &members);
  if (next == EMU_ADVANCE && warp->cta->race)
    nereid_emulator_race_warp_sync(warp, mask);
  return next;
}

#define WARP NEREID_EMULATOR_CLASS_WARP
#define SYNC EMU_BIT(sync)
#define REDUX(operation, types) {"redux", types, "d0s0sw", SYNC | EMU_BIT(operation), 0, redux, WARP}
const emu_form_t nereid_emulator_warp_forms[] = {
    {"shfl", "b32", "d0o-s0swswsw", SYNC | EMU_BIT(up), 0, shfl, WARP},
    {"shfl", "b32", "d0o-s0swswsw", SYNC | EMU_BIT(down), 0, shfl, WARP},
    {"shfl", "b32", "d0o-s0swswsw", SYNC | EMU_BIT(bfly), 0, shfl, WARP},
    {"shfl", "b32", "d0o-s0swswsw", SYNC | EMU_BIT(idx), 0, shfl, WARP},
    {"vote", "b32", "dwq-sw", SYNC | EMU_BIT(ballot), 0, vote, WARP},
    {"vote", "pred", "p-q-sw", SYNC | EMU_BIT(all), 0, vote, WARP},
    {"vote", "pred", "p-q-sw", SYNC | EMU_BIT(any), 0, vote, WARP},
    {"vote", "pred", "p-q-sw", SYNC | EMU_BIT(uni), 0, vote, WARP},
    {"match", "b32|b64", "dwo-s0sw", SYNC | EMU_BIT(any), 0, match, WARP},
    {"match", "b32|b64", "dwo-s0sw", SYNC | EMU_BIT(all), 0, match, WARP},
    REDUX(add, "u32|s32"),
    REDUX(min, "u32|s32"),
    REDUX(max, "u32|s32"),
    REDUX(and, "b32"),
    REDUX(or, "b32"),
    REDUX(xor, "b32"),
    {"activemask", "b32", "d0", 0, 0, activemask, WARP},
    {"elect", "", "dwo-sw", SYNC, 0, elect, WARP},
    {"bar", "", "sw", EMU_BIT(warp) | SYNC, 0, warp_sync, NEREID_EMULATOR_CLASS_BARRIER},
    {0}};
