/* Barriers between threads: reconvergence of a warp's lanes, CTA barriers and barrier.cluster.
 *
 * Each arrival and each exiting lane checks whether a barrier is complete. A complete barrier releases its waiting
 * groups: they continue after their instruction, with its result. */
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

bool nereid_emulator_all_here(const emu_warp_t *warp, uint32_t members, uint32_t mask) {
  return !(members & warp->live & ~mask);
}

emu_next_t nereid_emulator_converged(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (mask != warp->groups[warp->current].mask)
    return nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "only part of the warp reaches it: lanes 0x%08x",
                                (unsigned)mask);
  return nereid_emulator_all_here(warp, UINT32_MAX, mask) ? EMU_ADVANCE : EMU_WAIT;
}

emu_next_t nereid_emulator_aligned(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return mask && EMU_HAS(insn, aligned) ? nereid_emulator_converged(warp, insn, mask) : EMU_ADVANCE;
}

static uint32_t live_threads(const emu_cta_t *cta) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < cta->n_warps; ++i)
    n += (uint32_t)__builtin_popcount(cta->warps[i].live);
  return n;
}

/* Releases a group and writes its bar.red results. */
static void release(emu_warp_t *warp, emu_group_t *group, const emu_barrier_t *barrier) {
  const emu_insn_t *insn = &warp->cta->kernel->program->insns.data[group->pc];
  if (warp->cta->race)
    nereid_emulator_race_leave(warp, group->barrier, group->mask);
  if (warp->cta->cluster->timeline)
    nereid_emulator_timeline_leave(warp, group, barrier->latest);
  if (EMU_HAS(insn, red) && EMU_HAS(insn, popc))
    FOR_LANES(lane, group->mask) emu_set_lane(warp, &insn->operands[0], (int)lane, barrier->count);
  else if (EMU_HAS(insn, red))
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
      if (group->state == EMU_AT_BARRIER && group->barrier == id)
        release(&cta->warps[i], group, &done);
    }
  if (cta->race)
    nereid_emulator_race_reset(cta, id);
}

/* Exited lanes count as arrived. */
void nereid_emulator_cluster_check(emu_cta_t *cta) {
  emu_cluster_t *cluster = cta->cluster;
  bool any = false;
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps; ++i) {
      const emu_warp_t *warp = &cluster->ctas[c].warps[i];
      uint32_t here = ~(warp->cluster_phase ^ (0 - (cluster->barrier_phase & 1))) & warp->cluster_arrived;
      any |= here != 0;
      if (warp->live & ~here)
        return;
    }
  if (!any)
    return;
  cluster->barrier_phase++;
  if (cluster->timeline)
    nereid_emulator_timeline_cluster_done(cluster);
  if (cluster->ctas[0].race)
    nereid_emulator_race_cluster_done(cluster);
  cta->counters.barriers++;
  nereid_emulator_wake(cluster);
}
