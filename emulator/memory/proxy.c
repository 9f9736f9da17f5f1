/* Shared memory as the async proxy sees it, if generic writes become visible to it only at their fence.
 *
 * `published` is a second copy of a CTA's shared memory. `owners` stores for each byte 1 + the cluster index of the
 * last writing thread that has not fenced since, else 0. A fence copies the thread's bytes; another thread that
 * overwrites a byte becomes its owner. Writes by the async proxy update both copies. This is the strict
 * interpretation: the writer itself must fence before it synchronizes with the thread that issues the asynchronous
 * access. A thread cannot fence what its cp.async writes if a phase of an mbarrier completes the copies instead of a
 * wait of the thread. Such bytes have the owner PHASE, and any thread's fence after that copies them. */
#include "emulator/memory/proxy.h"

#include "emulator/checks/frames.h"
#include "emulator/checks/undefined.h"
#include "emulator/machine/effect.h"

enum { COPY = 0x8000 /* in an owner: by cp.async */, PHASE = 0xffff };

void nereid_emulator_generic_write(emu_cta_t *cta, uint32_t offset, uint32_t bytes, const emu_warp_t *warp, int lane) {
  uint32_t thread = (warp->cta->rank * warp->cta->n_warps + warp->index) * EMU_LANES + (uint32_t)lane;
  for (uint32_t i = 0; i < bytes; ++i)
    cta->owners[offset + i] = (uint16_t)(thread + 1);
}

void nereid_emulator_async_copy_write(emu_cta_t *cta, uint32_t offset, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    cta->owners[offset + i] |= COPY;
}

void nereid_emulator_async_copies_complete(const emu_warp_t *warp, uint32_t mask) {
  emu_cta_t *cta = warp->cta;
  const uint32_t first = (cta->rank * cta->n_warps + warp->index) * EMU_LANES + 1;
  for (uint32_t i = 0; i < cta->shared_bytes; ++i) {
    const uint32_t lane = (uint32_t)(cta->owners[i] & ~COPY) - first;
    if (cta->owners[i] & COPY && cta->owners[i] != PHASE && lane < EMU_LANES && mask >> lane & 1)
      cta->owners[i] = PHASE;
  }
}

void nereid_emulator_publish(emu_warp_t *warp, uint32_t mask) {
  emu_cluster_t *cluster = warp->cta->cluster;
  uint32_t first = (warp->cta->rank * warp->cta->n_warps + warp->index) * EMU_LANES + 1;
  for (uint32_t c = 0; c < cluster->n_ctas && cluster->ctas[c].owners; ++c) {
    emu_cta_t *cta = &cluster->ctas[c];
    for (uint32_t i = 0; i < cta->shared_bytes; ++i) {
      const uint32_t lane = (uint32_t)(cta->owners[i] & ~COPY) - first;
      if ((cta->owners[i] == PHASE && cta == warp->cta) || (lane < EMU_LANES && mask >> lane & 1)) {
        cta->published[i] = cta->shared[i];
        cta->owners[i] = 0;
      }
    }
  }
}

void nereid_emulator_async_write(emu_cta_t *cta, uint32_t offset, const void *bytes, uint32_t n) {
  const emu_effect_t *landing = cta->cluster->landing;
  if (cta->frames && landing && landing->warp->cta == cta)
    nereid_emulator_frames_access(landing->warp, landing->insn, 0, offset, n, EMU_WRITE);
  if (cta->undefined)
    nereid_emulator_undefined_written(cta, offset, n);
  memcpy(cta->shared + offset, bytes, n);
  if (!cta->published)
    return;
  memcpy(cta->published + offset, bytes, n);
  memset(cta->owners + offset, 0, n * sizeof *cta->owners);
}

void nereid_emulator_async_read(const emu_cta_t *cta, uint32_t offset, void *bytes, uint32_t n) {
  const emu_effect_t *landing = cta->cluster->landing;
  if (cta->frames && landing)
    nereid_emulator_frames_access(landing->warp, landing->insn, 0, offset, n, EMU_READ);
  if (cta->undefined && landing && landing->warp->cta == cta)
    (void)nereid_emulator_undefined_read(landing->warp, landing->insn, offset,
                                         n); /* the launch fails with its message */
  memcpy(bytes, nereid_emulator_async_view(cta, offset), n);
}
