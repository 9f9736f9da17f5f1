/* The proxies (launch->proxy). Shared memory as the async proxy reads it: cta->shared, or under AT_FENCE a copy that
 * gets a byte when the thread that wrote it last fences, or when the async proxy itself writes it. */
#ifndef NEREID_EMULATOR_PROXY_H
#define NEREID_EMULATOR_PROXY_H

#include "emulator/machine/cta.h"

/* A generic write, cp.async's included, is about to happen. Only under AT_FENCE: cta->owners is set. */
void nereid_emulator_generic_write(emu_cta_t *cta, uint32_t offset, uint32_t bytes, const emu_warp_t *warp, int lane);
/* fence.proxy.async of the lanes: what they wrote last is published. */
void nereid_emulator_publish(emu_warp_t *warp, uint32_t mask);
/* Writes shared memory by the async proxy: both copies. */
void nereid_emulator_async_write(emu_cta_t *cta, uint32_t offset, const void *bytes, uint32_t n);
/* Reads shared memory as the async proxy sees it. */
void nereid_emulator_async_read(const emu_cta_t *cta, uint32_t offset, void *bytes, uint32_t n);
/* The same without a copy. */
static inline const uint8_t *nereid_emulator_async_view(const emu_cta_t *cta, uint32_t offset) {
  return (cta->published ? cta->published : cta->shared) + offset;
}

#endif
