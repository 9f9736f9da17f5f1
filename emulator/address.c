/* Where an address points: the bytes of a shared, local, parameter or global access, checked for bounds and alignment.
 */
#include "emulator/program.h"

#include <stdlib.h>

static uint8_t *outside(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, uint32_t bytes,
                        const char *space, uint64_t limit) {
  (void)nereid_emulator_fail(warp, insn, lane, "%u bytes at 0x%llx are out of bounds: %s memory has %llu bytes", bytes,
                             (unsigned long long)address, space, (unsigned long long)limit);
  return NULL;
}

/* The buffer that begins last before the address, for the message. */
static uint8_t *nowhere(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, uint32_t bytes) {
  const emu_cta_t *cta = warp->cta;
  const emu_region_t *near = NULL;
  for (size_t i = 0; i < cta->n_regions; ++i) {
    const emu_region_t *region = &cta->regions[i];
    if (region->address <= address && (!near || region->address > near->address))
      near = region;
  }
  if (near && address - near->address < near->bytes + (1 << 20))
    (void)nereid_emulator_fail(warp, insn, lane,
                               "%u bytes at 0x%llx are out of bounds: byte %llu of %s, which has %llu bytes", bytes,
                               (unsigned long long)address, (unsigned long long)(address - near->address),
                               near->label ? near->label : "a buffer", (unsigned long long)near->bytes);
  else
    (void)nereid_emulator_fail(warp, insn, lane, "%u bytes at 0x%llx are out of bounds: no buffer is there", bytes,
                               (unsigned long long)address);
  return NULL;
}

static uint8_t *global(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, uint32_t bytes) {
  emu_cta_t *cta = warp->cta;
  for (size_t k = 0; k < cta->n_regions; ++k) {
    size_t i = (cta->last_region + k) % cta->n_regions;
    const emu_region_t *region = &cta->regions[i];
    uint64_t at = address - region->address;
    if (at < region->bytes && bytes <= region->bytes - at) {
      cta->last_region = i;
      return region->host + at;
    }
  }
  return nowhere(warp, insn, lane, address, bytes);
}

uint8_t *nereid_emulator_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                                uint32_t bytes, emu_access_t access) {
  emu_cta_t *cta = warp->cta;
  uint64_t at = address;
  if (address % bytes) {
    (void)nereid_emulator_fail(warp, insn, lane, "the address 0x%llx is misaligned: %u bytes need a multiple of %u",
                               (unsigned long long)address, bytes, bytes);
    return NULL;
  }
  if (space == EMU_GENERIC) {
    space = address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES  ? EMU_SHARED
            : address - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES ? EMU_LOCAL
            : address - EMU_PARAM_WINDOW < EMU_WINDOW_BYTES ? EMU_PARAM
                                                            : EMU_GLOBAL;
    at = space == EMU_GLOBAL ? address : address & (EMU_WINDOW_BYTES - 1);
  }
  if (space == EMU_SHARED)
    return at < cta->shared_bytes && bytes <= cta->shared_bytes - at
               ? cta->shared + at
               : outside(warp, insn, lane, at, bytes, "shared", cta->shared_bytes);
  if (space == EMU_LOCAL) {
    uint8_t *local = cta->local + (size_t)(warp->index * EMU_LANES + (uint32_t)lane) * cta->local_bytes;
    return at < cta->local_bytes && bytes <= cta->local_bytes - at
               ? local + at
               : outside(warp, insn, lane, at, bytes, "local", cta->local_bytes);
  }
  if (space == EMU_PARAM) {
    uint32_t limit = cta->launch->parameter_bytes;
    if (access != EMU_READ) {
      (void)nereid_emulator_fail(warp, insn, lane, "a kernel's parameters are read only");
      return NULL;
    }
    return at < limit && bytes <= limit - at ? (uint8_t *)(uintptr_t)cta->launch->parameters + at
                                             : outside(warp, insn, lane, at, bytes, "parameter", limit);
  }
  return global(warp, insn, lane, address, bytes);
}

nereid_status_t nereid_emulator_memory_create(nereid_emulator_memory_t **out_memory) {
  nereid_emulator_memory_t *memory = calloc(1, sizeof *memory);
  if (!memory)
    return NEREID_ERROR_MEMORY;
  nereid_arena_initialize(&memory->arena);
  memory->next = EMU_BUFFERS_AT;
  *out_memory = memory;
  return NEREID_OK;
}

void nereid_emulator_memory_destroy(nereid_emulator_memory_t *memory) {
  if (!memory)
    return;
  nereid_arena_deinitialize(&memory->arena);
  free(memory);
}

/* Buffers lie a megabyte apart. */
nereid_status_t nereid_emulator_memory_add(nereid_emulator_memory_t *memory, void *host, size_t bytes,
                                           uint64_t alignment, const char *label, uint64_t *out_address) {
  uint64_t step = alignment > 256 ? alignment : 256;
  if (alignment & (alignment - 1) || bytes > UINT64_C(1) << 40 || memory->next > EMU_PARAM_WINDOW - (UINT64_C(2) << 40))
    return NEREID_ERROR_ARGUMENT;
  uint64_t address = (memory->next + step - 1) / step * step;
  emu_region_t region = {address, bytes, host, label};
  if (!nereid_vector_push(&memory->arena, &memory->regions, region))
    return NEREID_ERROR_MEMORY;
  memory->next = address + bytes + (1 << 20);
  *out_address = address;
  return NEREID_OK;
}
