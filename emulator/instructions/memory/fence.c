/* Fences and execution hints (PTX ISA: membar, fence, griddepcontrol). Instructions take effect in
 * order, so a fence of the generic proxy has no effect; fence.proxy.async publishes its threads' writes to shared
 * memory (proxy.c). Grids run sequentially. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/proxy.h"
#include "emulator/race/race.h"

/* Visible to the race detector only. */
static emu_next_t fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (warp->cta->race)
    nereid_emulator_race_fence(warp, insn, mask);
  return EMU_ADVANCE;
}

static emu_next_t publish(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (warp->cta->race)
    nereid_emulator_race_proxy_fence(warp, insn, mask);
  if (warp->cta->owners && !EMU_HAS(insn, global))
    nereid_emulator_publish(warp, mask);
  return EMU_ADVANCE;
}

static emu_next_t release_maps(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, warp->cta->race ? mask : 0)
  nereid_emulator_race_map(warp, insn, (int)lane, NULL, 0, EMU_RACE_MAP_RELEASE);
  return EMU_ADVANCE;
}

/* Operands: address, size. A tensor map is always read from memory, never from a cache. */
static emu_next_t acquire_map(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  if (!nereid_emulator_reach(warp, insn, (int)lane, EMU_GENERIC, emu_address(warp, insn, 0, (int)lane), 128, 128,
                             EMU_READ))
    return EMU_FAILED;
  FOR_LANES(lane, warp->cta->race ? mask : 0)
  nereid_emulator_race_map(warp, insn, (int)lane, NULL,
                           emu_lane(warp, &insn->operands[0], (int)lane) + (uint64_t)insn->offset,
                           EMU_RACE_MAP_ACQUIRE);
  return EMU_ADVANCE;
}

#define BARRIER NEREID_EMULATOR_CLASS_BARRIER
#define CONTROL NEREID_EMULATOR_CLASS_CONTROL
#define ONE_SCOPE(X) X(cta) X(cluster) X(gpu) X(sys)
#define SCOPE (EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys))
#define ORDER (EMU_BIT(acq_rel) | EMU_BIT(sc) | EMU_BIT(acquire) | EMU_BIT(release))
#define FENCES(scope) {"fence", "", "", EMU_BIT(scope), ORDER, fence, BARRIER},
#define RESTRICTED(name, order, what)                                                                                  \
  {name " sync_restrict::shared::" what, "", "", EMU_BIT(order) | EMU_BIT(cluster), 0, fence, BARRIER}

const emu_form_t nereid_emulator_fence_forms[] = {
    {"membar", "", "", EMU_BIT(cta), 0, fence, BARRIER | EMU_KIND(MEMBAR)},
    {"membar", "", "", EMU_BIT(sys), 0, fence, BARRIER | EMU_KIND(MEMBAR)},
    {"membar", "", "", EMU_BIT(gl), 0, fence, BARRIER | EMU_KIND(MEMBAR)},
    {"membar proxy alias", "", "", 0, 0, nereid_emulator_nothing, BARRIER},
    /* clang-format off */
    ONE_SCOPE(FENCES)
    /* clang-format on */
    RESTRICTED("fence", acquire, "cluster"),
    RESTRICTED("fence", release, "cta"),
    RESTRICTED("fence proxy async::generic", acquire, "cluster"),
    RESTRICTED("fence proxy async::generic", release, "cta"),
    {"fence mbarrier_init", "", "", EMU_BIT(release) | EMU_BIT(cluster), 0, fence, BARRIER},
    {"fence proxy alias", "", "", 0, 0, nereid_emulator_nothing, BARRIER},
    {"fence proxy async", "", "", 0, EMU_BIT(global), publish, BARRIER},
    {"fence proxy async", "", "", EMU_BIT(shared), 0, publish, BARRIER},
    {"fence proxy async", "", "", EMU_BIT(shared_cluster), 0, publish, BARRIER},
    {"fence proxy tensormap::generic", "", "", EMU_BIT(release), SCOPE, release_maps, BARRIER},
    {"fence proxy tensormap::generic", "", "m-sw", EMU_BIT(acquire), SCOPE, acquire_map, BARRIER},
    {"griddepcontrol wait|launch_dependents", "", "", 0, 0, nereid_emulator_nothing, CONTROL},
    {0}};
