/* State shared by the CTAs of a cluster: barrier.cluster arrivals, wake-ups after events, and the random numbers of
 * a random schedule. */
#include "emulator/machine/cta.h"

bool nereid_emulator_lives(const emu_cta_t *cta) {
  uint32_t live = 0;
  for (uint32_t i = 0; i < cta->n_warps; ++i)
    live |= cta->warps[i].live;
  return live != 0;
}

void nereid_emulator_wake(emu_cluster_t *cluster) {
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps; ++i) {
      emu_warp_t *warp = &cluster->ctas[c].warps[i];
      for (uint32_t g = 0; g < warp->n_groups; ++g)
        if (warp->groups[g].state == EMU_AT_EVENT) {
          warp->groups[g].state = EMU_RUNNING;
          warp->regrouped = true;
        }
    }
}

uint64_t nereid_emulator_random(emu_cluster_t *cluster) { /* splitmix64 */
  uint64_t z = cluster->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
