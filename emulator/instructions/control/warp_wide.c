/* Instructions that lanes execute together (PTX ISA, Parallel Synchronization and Communication Instructions): shfl,
 * vote, match, redux, activemask, elect, bar.warp.sync. With a member mask they wait until all of its live lanes
 * have arrived. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

typedef emu_next_t (*collective_t)(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Calls `run` for the lanes of each member mask, operand `k`, whose lanes have all arrived. The other lanes stay in
 * a group of their own. */
static emu_next_t together(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int k, collective_t run) {
  emu_group_t *group = &warp->groups[warp->current];
  uint32_t late = 0;
  for (uint32_t left = mask, same = 0; left; left &= ~same) {
    uint32_t members = (uint32_t)emu_lane(warp, &insn->operands[k], __builtin_ctz(left));
    same = insn->operands[k].base == EMU_CONSTANTS ? left : 0;
    FOR_LANES(lane, left & ~same)
    same |= ((uint32_t)emu_lane(warp, &insn->operands[k], (int)lane) == members ? UINT32_C(1) : 0) << lane;
    if (same & ~members)
      return nereid_emulator_fail(warp, insn, __builtin_ctz(same & ~members),
                                  "the lane is not in its own member mask 0x%08x", (unsigned)members);
    bool here = nereid_emulator_all_here(warp, members, group->mask);
    late |= here ? 0 : same;
    emu_next_t next = here ? run(warp, insn, same) : EMU_ADVANCE;
    if (next != EMU_ADVANCE)
      return next;
  }
  if (!late)
    return EMU_ADVANCE;
  if (late == mask)
    return EMU_WAIT;
  warp->groups[warp->n_groups++] =
      (emu_group_t){.mask = late, .pc = group->pc, .depth = group->depth, .state = EMU_WAITING};
  group->mask &= ~late;
  return EMU_ADVANCE;
}

#define COLLECTIVE(name, k)                                                                                            \
  static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                                    \
    return together(warp, insn, mask, k, name##_of);                                                                   \
  }

/* The source lane of each lane, and whether it is in its segment; otherwise the lane reads itself. */
EMU_SIMD static void shuffle(const emu_insn_t *insn, const uint64_t *by, const uint64_t *clamp, int32_t *from,
                             uint32_t *in) {
  const bool up = EMU_HAS(insn, up), down = EMU_HAS(insn, down), bfly = EMU_HAS(insn, bfly);
  for (int32_t lane = 0; lane < EMU_LANES; ++lane) {
    int32_t b = (int32_t)(by[lane] & 31), c = (int32_t)clamp[lane], segment = c >> 8 & 31, bound = c & 31;
    int32_t most = (lane & segment) | (bound & ~segment), to = (lane & segment) | (b & ~segment);
    to = up ? lane - b : down ? lane + b : bfly ? lane ^ b : to;
    in[lane] = up ? to >= most : to <= most;
    from[lane] = in[lane] ? to : lane;
  }
}

/* Operands: d, p, a, b, c, members. */
static emu_next_t shfl_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint64_t a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], results[EMU_LANES];
  uint32_t in[EMU_LANES], valid = 0;
  int32_t from[EMU_LANES];
  nereid_emulator_lanes(warp, &insn->operands[2], a);
  nereid_emulator_lanes(warp, &insn->operands[3], b);
  nereid_emulator_lanes(warp, &insn->operands[4], c);
  shuffle(insn, b, c, from, in);
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane) {
    if (mask >> lane & 1 && !(mask >> from[lane] & 1))
      return nereid_emulator_fail(warp, insn, (int)lane, "it reads lane %d, which does not execute the instruction",
                                  (int)from[lane]);
    results[lane] = a[from[lane]];
    valid |= in[lane] << lane;
  }
  nereid_emulator_set_lanes(warp, &insn->operands[0], results, mask);
  emu_set_predicate(warp, &insn->operands[1], valid, mask);
  return EMU_ADVANCE;
}
COLLECTIVE(shfl, 5)

/* Operands: d, a, members. */
static emu_next_t vote_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t votes = emu_predicate(warp, &insn->operands[1]) & mask;
  if (EMU_HAS(insn, ballot)) {
    FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, votes);
    return EMU_ADVANCE;
  }
  bool is = EMU_HAS(insn, all) ? votes == mask : EMU_HAS(insn, any) ? votes != 0 : votes == 0 || votes == mask;
  emu_set_predicate(warp, &insn->operands[0], is ? UINT32_MAX : 0, mask);
  return EMU_ADVANCE;
}
COLLECTIVE(vote, 2)

/* Operands: d, p, a, members. */
static emu_next_t match_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t all = UINT32_MAX, equal[EMU_LANES] = {0};
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
COLLECTIVE(match, 3)

/* Operands: d, a, members. */
static emu_next_t redux_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t result = 0;
  bool first = true, sign = insn->types[0] == EMU_S32;
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
COLLECTIVE(redux, 2)

static emu_next_t activemask(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, mask);
  return EMU_ADVANCE;
}

/* Operands: d, p, members: the lowest lane is elected. */
static emu_next_t elect_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t leader = (uint32_t)__builtin_ctz(mask);
  FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[0], (int)lane, leader);
  emu_set_predicate(warp, &insn->operands[1], UINT32_C(1) << leader, mask);
  return EMU_ADVANCE;
}
COLLECTIVE(elect, 2)

static emu_next_t warp_sync_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (warp->cta->race)
    nereid_emulator_race_warp_sync(warp, mask);
  (void)insn;
  return EMU_ADVANCE;
}
COLLECTIVE(warp_sync, 0)

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
