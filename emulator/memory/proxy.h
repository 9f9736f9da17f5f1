/* The proxies (launch->proxy). The async proxy reads shared memory from cta->shared, or under AT_FENCE from a copy.
 * A byte of the copy is updated when its last writer fences, or when the async proxy writes it; bytes of a cp.async
 * that a phase of an mbarrier completed, when any thread of the CTA fences. */
#ifndef NEREID_EMULATOR_PROXY_H
#define NEREID_EMULATOR_PROXY_H

#include "emulator/machine/cta.h"

/* Records a generic write, including cp.async, before it happens. Requires AT_FENCE: cta->owners is set. */
void nereid_emulator_generic_write(emu_cta_t *cta, uint32_t offset, uint32_t bytes, const emu_warp_t *warp, int lane);
/* Marks bytes that cp.async has just written. Requires AT_FENCE. */
void nereid_emulator_async_copy_write(emu_cta_t *cta, uint32_t offset, uint32_t bytes);
/* An arrival completes the copies by cp.async that the lanes issued. Requires AT_FENCE. */
void nereid_emulator_async_copies_complete(const emu_warp_t *warp, uint32_t mask);
/* fence.proxy.async of the lanes: publishes the bytes that they wrote last, and copies that phases completed. */
void nereid_emulator_publish(emu_warp_t *warp, uint32_t mask);
/* Writes shared memory through the async proxy, to both copies. */
void nereid_emulator_async_write(emu_cta_t *cta, uint32_t offset, const void *bytes, uint32_t n);
/* Reads shared memory as the async proxy sees it. */
void nereid_emulator_async_read(const emu_cta_t *cta, uint32_t offset, void *bytes, uint32_t n);
/* The same without copying. */
static inline const uint8_t *nereid_emulator_async_view(const emu_cta_t *cta, uint32_t offset) {
  return (cta->published ? cta->published : cta->shared) + offset;
}

#endif
