/* Global memory: the host's buffers at virtual addresses (base/kernel/address.h). */
#include "emulator/memory/memory.h"

#include "base/kernel/address.h"

#include <stdlib.h>

nereid_status_t nereid_emulator_memory_create_at(uint64_t start, nereid_emulator_memory_t **out_memory) {
  *out_memory = NULL;
  if (start >= NEREID_ADDRESS_LIMIT)
    return NEREID_ERROR_ARGUMENT;
  nereid_emulator_memory_t *memory = calloc(1, sizeof *memory);
  if (!memory)
    return NEREID_ERROR_MEMORY;
  nereid_arena_initialize(&memory->arena);
  memory->position = start > NEREID_ADDRESS_START ? start : NEREID_ADDRESS_START;
  *out_memory = memory;
  return NEREID_OK;
}

nereid_status_t nereid_emulator_memory_create(nereid_emulator_memory_t **out_memory) {
  return nereid_emulator_memory_create_at(NEREID_ADDRESS_START, out_memory);
}

void nereid_emulator_memory_destroy(nereid_emulator_memory_t *memory) {
  if (!memory)
    return;
  for (size_t i = 0; i < memory->regions.size; ++i)
    free(memory->regions.data[i].undefined);
  nereid_arena_deinitialize(&memory->arena);
  free(memory);
}

/* The buffer that has the address, or begins there when `begins`; null when there is none. */
static emu_region_t *find(const nereid_emulator_memory_t *memory, uint64_t address, bool begins) {
  for (size_t i = 0; i < memory->regions.size; ++i) {
    emu_region_t *region = &memory->regions.data[i];
    if (begins ? region->address == address : address >= region->address && address - region->address < region->bytes)
      return region;
  }
  return NULL;
}

nereid_status_t nereid_emulator_memory_scratch(nereid_emulator_memory_t *memory, uint64_t address) {
  emu_region_t *region = find(memory, address, true);
  if (!region)
    return NEREID_ERROR_NOT_FOUND;
  if (!region->undefined)
    region->undefined = malloc((size_t)region->bytes + 1);
  if (!region->undefined)
    return NEREID_ERROR_MEMORY;
  memset(region->undefined, 0xff, (size_t)region->bytes);
  return NEREID_OK;
}

nereid_status_t nereid_emulator_memory_remove(nereid_emulator_memory_t *memory, uint64_t address) {
  emu_region_t *region = find(memory, address, true);
  if (!region)
    return NEREID_ERROR_NOT_FOUND;
  emu_freed_t freed = {address, region->bytes};
  if (!nereid_vector_push(&memory->arena, &memory->freed, freed))
    return NEREID_ERROR_MEMORY;
  free(region->undefined);
  const size_t after = (size_t)(memory->regions.data + memory->regions.size - region) - 1;
  memmove(region, region + 1, after * sizeof *region);
  --memory->regions.size;
  return NEREID_OK;
}

const emu_freed_t *nereid_emulator_memory_freed(const nereid_emulator_memory_t *memory, uint64_t address) {
  for (size_t i = 0; memory && i < memory->freed.size; ++i)
    if (address >= memory->freed.data[i].address &&
        address - memory->freed.data[i].address < memory->freed.data[i].bytes)
      return &memory->freed.data[i];
  return NULL;
}

void *nereid_emulator_memory_host(const nereid_emulator_memory_t *memory, uint64_t address, size_t bytes) {
  const emu_region_t *region = find(memory, address, false);
  if (!region || bytes > region->bytes - (address - region->address))
    return NULL;
  return region->host + (address - region->address);
}

void nereid_emulator_memory_define(nereid_emulator_memory_t *memory, uint64_t address, size_t bytes) {
  const emu_region_t *region = find(memory, address, false);
  if (!region || !region->undefined)
    return;
  const uint64_t at = address - region->address, rest = region->bytes - at;
  memset(region->undefined + at, 0, bytes < rest ? bytes : (size_t)rest);
}

nereid_status_t nereid_emulator_memory_add(nereid_emulator_memory_t *memory, void *host, size_t bytes,
                                           uint64_t alignment, const char *label, uint64_t *out_address) {
  uint64_t address;
  if (!nereid_address_assign(&memory->position, bytes, alignment, &address))
    return NEREID_ERROR_ARGUMENT;
  emu_region_t region = {address, bytes, host, label, NULL};
  if (!nereid_vector_push(&memory->arena, &memory->regions, region))
    return NEREID_ERROR_MEMORY;
  *out_address = address;
  return NEREID_OK;
}
