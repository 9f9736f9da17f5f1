/* Global memory: the buffers of a launch. Private to the emulator. */
#ifndef NEREID_EMULATOR_MEMORY_H
#define NEREID_EMULATOR_MEMORY_H

#include "base/arena.h"
#include "base/vector.h"
#include "nereid/emulator.h"

typedef struct emu_region {
  uint64_t address, bytes;
  uint8_t *host;
  const char *label;
  uint8_t *undefined; /* scratch: shadow of uninitialized bits; null: initialized */
} emu_region_t;

typedef struct emu_freed {
  uint64_t address, bytes;
} emu_freed_t;

struct nereid_emulator_memory {
  nereid_arena_t arena;
  NEREID_VECTOR(emu_region_t) regions;
  NEREID_VECTOR(emu_freed_t) freed; /* buffers that were removed, for messages */
  uint64_t position;                /* of nereid_address_assign */
};

/* The removed buffer that has the address; null when there is none. `memory` may be null. */
const emu_freed_t *nereid_emulator_memory_freed(const nereid_emulator_memory_t *memory, uint64_t address);

#endif
