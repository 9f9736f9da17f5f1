/* Global memory: the host's buffers at virtual addresses (base/kernel/address.h). */
#include "emulator/memory/memory.h"

#include "base/kernel/address.h"

#include <stdlib.h>

nereid_status_t nereid_emulator_memory_create(nereid_emulator_memory_t **out_memory) {
  nereid_emulator_memory_t *memory = calloc(1, sizeof *memory);
  if (!memory)
    return NEREID_ERROR_MEMORY;
  nereid_arena_initialize(&memory->arena);
  memory->position = NEREID_ADDRESS_START;
  *out_memory = memory;
  return NEREID_OK;
}

void nereid_emulator_memory_destroy(nereid_emulator_memory_t *memory) {
  if (!memory)
    return;
  nereid_arena_deinitialize(&memory->arena);
  free(memory);
}

nereid_status_t nereid_emulator_memory_scratch(nereid_emulator_memory_t *memory, uint64_t address) {
  for (size_t i = 0; i < memory->regions.size; ++i) {
    emu_region_t *region = &memory->regions.data[i];
    if (region->address != address)
      continue;
    region->undefined = nereid_arena_allocate(&memory->arena, region->bytes + 1, 1);
    if (!region->undefined)
      return NEREID_ERROR_MEMORY;
    memset(region->undefined, 0xff, region->bytes);
    return NEREID_OK;
  }
  return NEREID_ERROR_NOT_FOUND;
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
