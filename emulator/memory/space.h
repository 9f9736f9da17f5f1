/* Address spaces and windows.
 *
 *   generic 0x00007f0000000010   shared memory, 16    its window is above the offset
 *   shared  0x02000010           the same offset in the CTA of rank 1 in the cluster: 1 + rank is above the offset */
#ifndef NEREID_EMULATOR_SPACE_H
#define NEREID_EMULATOR_SPACE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum emu_space {
  EMU_GENERIC,
  EMU_GLOBAL,
  EMU_SHARED,
  EMU_LOCAL,
  EMU_PARAM,
  EMU_SHARED_CLUSTER, /* shared memory of any CTA of the cluster: EMU_RANK_SHIFT */
} emu_space_t;

/* A 32-bit address in the shared::cluster window: 0 or 1 + the CTA's rank above an offset. 0: the CTA's own memory. In
 * a cluster the address of a variable in a register has the rank, as on hardware: code that packs addresses into fewer
 * bits, such as matrix descriptors, must remove it. */
enum { EMU_RANK_SHIFT = 24, EMU_OFFSET_MASK = (1 << EMU_RANK_SHIFT) - 1, EMU_MAX_CLUSTER = 16 };

/* Windows of the spaces among generic addresses. Buffers have the addresses of base/kernel/address.h: at least 2^36
 * bytes below or above each window. */
#define EMU_SHARED_WINDOW UINT64_C(0x00007f0000000000)
#define EMU_LOCAL_WINDOW UINT64_C(0x00007e0000000000)
#define EMU_PARAM_WINDOW UINT64_C(0x00007d0000000000)
#define EMU_WINDOW_BYTES UINT64_C(0x0000000100000000)
#define EMU_FUNCTIONS_AT UINT64_C(0x0000000400000000)
#define EMU_FUNCTION_BYTES 128
#define EMU_CONSTANTS_AT UINT64_C(0x0000000600000000)
#define EMU_CONSTANTS_BYTES UINT64_C(0x0000000200000000)
#define EMU_VARIABLES_AT UINT64_C(0x4000000000000000) /* variables of the module; separated like buffers */

/* Upper bits of a generic address of space `where`; offsets have 32 bits except in global memory. */
static inline uint64_t emu_window_of(emu_space_t space, emu_space_t where, uint64_t address) {
  return space == EMU_GENERIC && where != EMU_GLOBAL ? address & ~(EMU_WINDOW_BYTES - 1) : 0;
}

/* The actual space of an address of `space`. A shared address with a rank is SHARED_CLUSTER, without one SHARED. */
static inline emu_space_t emu_space_of(emu_space_t space, uint64_t address) {
  bool ranked = (uint32_t)address >> EMU_RANK_SHIFT != 0;
  if (space == EMU_SHARED || space == EMU_SHARED_CLUSTER ||
      (space == EMU_GENERIC && address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES))
    return ranked ? EMU_SHARED_CLUSTER : EMU_SHARED;
  return space != EMU_GENERIC                            ? space
         : address - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES ? EMU_LOCAL
         : address - EMU_PARAM_WINDOW < EMU_WINDOW_BYTES ? EMU_PARAM
                                                         : EMU_GLOBAL;
}

#endif
