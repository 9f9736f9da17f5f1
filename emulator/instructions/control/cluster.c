/* Clusters (PTX ISA, barrier.cluster, mapa, getctarank): threads of several CTAs that synchronize and access each
 * other's shared memory. In the shared::cluster window, the upper byte of an address is 1 + the CTA's rank; 0 is the
 * executing CTA. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

static emu_next_t arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = nereid_emulator_aligned(warp, insn, mask);
  if (next != EMU_ADVANCE || !mask)
    return next;
  if (warp->cluster_arrived & mask)
    return nereid_emulator_fail(warp, insn, __builtin_ctz(warp->cluster_arrived & mask),
                                "a second arrival without a wait after the first");
  emu_cluster_t *cluster = warp->cta->cluster;
  if (warp->cta->race)
    nereid_emulator_race_cluster_arrive(warp, insn, mask);
  if (cluster->timeline)
    nereid_emulator_timeline_cluster_arrive(warp);
  warp->cluster_arrived |= mask;
  warp->cluster_phase = (warp->cluster_phase & ~mask) | (cluster->barrier_phase & 1 ? mask : 0);
  nereid_emulator_cluster_check(warp->cta);
  return EMU_ADVANCE;
}

static emu_next_t wait(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = nereid_emulator_aligned(warp, insn, mask);
  if (next != EMU_ADVANCE || !mask)
    return next;
  emu_group_t *group = &warp->groups[warp->current];
  if (mask & ~warp->cluster_arrived)
    return nereid_emulator_fail(warp, insn, __builtin_ctz(mask & ~warp->cluster_arrived), "a wait without an arrival");
  if ((warp->cluster_phase & mask) == (warp->cta->cluster->barrier_phase & 1 ? mask : 0)) {
    group->state = EMU_AT_EVENT;
    return EMU_STALL;
  }
  if (warp->cta->race)
    nereid_emulator_race_cluster_leave(warp, mask);
  warp->cluster_arrived &= ~mask;
  return EMU_ADVANCE;
}

/* Operands: d, address, rank of the CTA. */
static emu_next_t mapa(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint64_t address = emu_lane(warp, &insn->operands[1], (int)lane);
    uint32_t rank = (uint32_t)emu_lane(warp, &insn->operands[2], (int)lane);
    uint64_t upper = insn->space == EMU_GENERIC ? EMU_SHARED_WINDOW : 0;
    if (rank >= warp->cta->cluster->n_ctas)
      return nereid_emulator_fail(warp, insn, (int)lane, "there is no CTA %u in a cluster of %u", rank,
                                  warp->cta->cluster->n_ctas);
    if (upper && address - upper >= EMU_WINDOW_BYTES)
      return nereid_emulator_fail(warp, insn, (int)lane, "0x%llx is not a shared address", (unsigned long long)address);
    emu_set_lane(warp, &insn->operands[0], (int)lane,
                 upper | (uint64_t)(rank + 1) << EMU_RANK_SHIFT | (address & EMU_OFFSET_MASK));
  }
  return EMU_ADVANCE;
}

/* Operands: d, address. */
static emu_next_t getctarank(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint64_t address = emu_lane(warp, &insn->operands[1], (int)lane);
    const emu_cta_t *cta = nereid_emulator_cta_of(warp->cta, address);
    if (!cta || (insn->space == EMU_GENERIC && address - EMU_SHARED_WINDOW >= EMU_WINDOW_BYTES))
      return nereid_emulator_fail(warp, insn, (int)lane, "0x%llx is not a shared address", (unsigned long long)address);
    emu_set_lane(warp, &insn->operands[0], (int)lane, cta->rank);
  }
  return EMU_ADVANCE;
}

#define BARRIER NEREID_EMULATOR_CLASS_BARRIER
#define MOVE NEREID_EMULATOR_CLASS_MOVE
#define CLUSTER (EMU_BIT(cluster))
const emu_form_t nereid_emulator_cluster_forms[] = {
    {"barrier", "", "", CLUSTER | EMU_BIT(arrive), EMU_BIT(release) | EMU_BIT(relaxed) | EMU_BIT(aligned), arrive,
     BARRIER},
    {"barrier wait", "", "", CLUSTER, EMU_BIT(acquire) | EMU_BIT(aligned), wait, BARRIER},
    {"mapa", "u32|u64", "d0s0sw", EMU_BIT(shared_cluster), 0, mapa, MOVE},
    {"mapa", "u64", "d0s0sw", 0, 0, mapa, MOVE},
    {"getctarank", "u32|u64", "dws0", EMU_BIT(shared_cluster), 0, getctarank, MOVE},
    {"getctarank", "u64", "dws0", 0, 0, getctarank, MOVE},
    {0}};
