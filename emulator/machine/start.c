/* Allocates a CTA's state in one block and initializes it.
 *
 *   warps | shared | shared memory as the async proxy sees it | registers | local   zeroed at the start of every CTA
 *   special registers | return addresses      initialized once per block: only the CTA's coordinates change
 *
 * A host thread reuses the block for the next CTA of its launch. */
#include "emulator/machine/effect.h"
#include "emulator/machine/special_registers.h"

#include <stdlib.h>

static void fill(uint8_t *specials, unsigned which, uint32_t value) {
  for (unsigned lane = 0; lane < EMU_LANES; ++lane)
    memcpy(specials + which * 128 + lane * 4, &value, sizeof value);
}

/* Special registers that differ between lanes. */
static void set_lanes(const emu_cta_t *cta, const emu_warp_t *warp) {
  const uint32_t *block = cta->launch->block;
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane) {
    uint32_t thread = warp->index * EMU_LANES + lane;
    const struct {
      uint32_t which, value;
    } values[] = {{EMU_TID_X, thread % block[0]},
                  {EMU_TID_Y, thread / block[0] % block[1]},
                  {EMU_TID_Z, thread / block[0] / block[1]},
                  {EMU_LANEID, lane},
                  {EMU_LANEMASK_EQ, UINT32_C(1) << lane},
                  {EMU_LANEMASK_LT, (UINT32_C(1) << lane) - 1},
                  {EMU_LANEMASK_LE, UINT32_MAX >> (31 - lane)},
                  {EMU_LANEMASK_GT, (UINT32_MAX << lane) << 1},
                  {EMU_LANEMASK_GE, UINT32_MAX << lane}};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
      memcpy(warp->base[EMU_SPECIALS] + values[i].which * 128 + lane * 4, &values[i].value, 4);
  }
}

/* Special registers that are constant for a launch and cluster rank. */
static void set_launch(const emu_cta_t *cta, const emu_warp_t *warp) {
  const uint32_t *block = cta->launch->block, *grid = cta->launch->grid, *shape = cta->launch->cluster;
  uint8_t *s = warp->base[EMU_SPECIALS];
  for (unsigned i = 0; i < 3; ++i) {
    fill(s, EMU_NTID_X + i, block[i]);
    fill(s, EMU_NCTAID_X + i, grid[i]);
    fill(s, EMU_CLUSTER_NCTAID_X + i, shape[i]);
    fill(s, EMU_NCLUSTERID_X + i, grid[i] / shape[i]);
  }
  fill(s, EMU_WARPID, warp->index);
  fill(s, EMU_NWARPID, cta->n_warps);
  fill(s, EMU_SMID, 0);
  fill(s, EMU_NSMID, 1);
  fill(s, EMU_GRIDID, 0);
  fill(s, EMU_DYNAMIC_SMEM, cta->launch->shared_bytes);
  fill(s, EMU_TOTAL_SMEM, cta->shared_bytes);
  fill(s, EMU_CLUSTER_CTARANK, cta->rank);
  fill(s, EMU_CLUSTER_NCTARANK, cta->cluster->n_ctas);
  fill(s, EMU_EXPLICIT_CLUSTER, cta->kernel->cluster[0] || cta->cluster->n_ctas > 1 ? UINT32_MAX : 0);
}

static void set_place(const emu_cta_t *cta, const emu_warp_t *warp) {
  for (unsigned i = 0; i < 3; ++i) {
    fill(warp->base[EMU_SPECIALS], EMU_CTAID_X + i, cta->id[i]);
    fill(warp->base[EMU_SPECIALS], EMU_CLUSTER_CTAID_X + i, cta->id[i] % cta->launch->cluster[i]);
    fill(warp->base[EMU_SPECIALS], EMU_CLUSTERID_X + i, cta->cluster->id[i]);
  }
}

enum { REGISTER_UNIT = 8 }; /* granularity of the registers per thread */

static size_t rounded(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/* Allocates the block if necessary, partitions it and clears the parts that must be zero. */
static bool cut(emu_cta_t *cta, bool *out_new) {
  const nereid_emulator_program_t *program = cta->kernel->program;
  size_t warps = rounded(cta->n_warps * sizeof(emu_warp_t)), shared = rounded(cta->shared_bytes);
  size_t views = cta->launch->proxy == NEREID_EMULATOR_PROXY_AT_FENCE ? 3 * shared : 0;
  size_t registers = rounded(program->register_bytes);
  size_t local = rounded((size_t)EMU_LANES * cta->n_warps * cta->local_bytes);
  size_t specials = EMU_SPECIAL_COUNT * 128, returns = program->call_depth * sizeof *cta->warps->returns;
  size_t zeros = warps + shared + views + cta->n_warps * registers + local;
  *out_new = !cta->block;
  if (!cta->block)
    cta->block = aligned_alloc(64, zeros + cta->n_warps * (specials + returns));
  if (!cta->block)
    return false;
  memset(cta->block, 0, zeros);
  cta->warps = (emu_warp_t *)(void *)cta->block;
  cta->shared = cta->block + warps;
  cta->published = views ? cta->shared + shared : NULL;
  cta->owners = views ? (uint16_t *)(void *)(cta->published + shared) : NULL;
  cta->local = cta->shared + shared + views + cta->n_warps * registers;
  for (uint32_t i = 0; i < cta->n_warps; ++i) {
    emu_warp_t *warp = &cta->warps[i];
    uint8_t *kept = cta->block + zeros + i * (specials + returns);
    warp->base[EMU_REGISTERS] = cta->shared + shared + views + i * registers;
    warp->base[EMU_SPECIALS] = kept;
    warp->base[EMU_CONSTANTS] = program->constants;
    warp->returns = (uint32_t (*)[EMU_LANES])(void *)(kept + specials);
  }
  return true;
}

bool nereid_emulator_start_cta(emu_cta_t *cta, emu_cluster_t *cluster, uint32_t rank) {
  const uint32_t *shape = cluster->launch->cluster, *block = cluster->launch->block;
  const uint32_t in[3] = {rank % shape[0], rank / shape[0] % shape[1], rank / shape[0] / shape[1]};
  const nereid_emulator_program_t *program = cluster->kernel->program;
  *cta = (emu_cta_t){.block = cta->block,
                     .cluster = cluster,
                     .rank = rank,
                     .kernel = cluster->kernel,
                     .launch = cluster->launch,
                     .regions = cluster->regions,
                     .n_regions = cluster->n_regions,
                     .n_threads = block[0] * block[1] * block[2],
                     .local_bytes = (program->local_bytes + 15) / 16 * 16};
  bool made;
  cta->n_warps = (cta->n_threads + EMU_LANES - 1) / EMU_LANES;
  cta->shared_bytes = (program->shared_static + 1023) / 1024 * 1024 + cluster->launch->shared_bytes;
  for (int i = 0; i < 3; ++i)
    cta->id[i] = cluster->id[i] * shape[i] + in[i];
  if (!cut(cta, &made))
    return false;
  for (uint32_t i = 0; i < cta->n_warps; ++i) {
    emu_warp_t *warp = &cta->warps[i];
    uint32_t threads = cta->n_threads - i * EMU_LANES;
    warp->cta = cta;
    warp->index = i;
    warp->registers = (cta->kernel->registers + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    warp->live = threads >= EMU_LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    emu_add_group(warp, warp->live, cta->kernel->entry, 0);
    if (made)
      set_lanes(cta, warp);
    if (made)
      set_launch(cta, warp);
    set_place(cta, warp);
  }
  return true;
}
