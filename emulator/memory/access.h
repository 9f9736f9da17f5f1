/* Memory accesses: checked bytes at an address, and the cost of a request. Private to the emulator. */
#ifndef NEREID_EMULATOR_ACCESS_H
#define NEREID_EMULATOR_ACCESS_H

#include "emulator/machine/cta.h"
#include "emulator/memory/space.h"

typedef enum emu_access { EMU_READ, EMU_WRITE, EMU_UPDATE /* by an atomic */ } emu_access_t;

/* The space of an access: the instruction's, or that of a generic address's window. The first lane's address
 * determines the space of a request. Never SHARED_CLUSTER. */
emu_space_t nereid_emulator_access_space(const emu_insn_t *insn, uint64_t address);

/* The CTA of a shared address (its low 32 bits); null: no such CTA in the cluster. */
emu_cta_t *nereid_emulator_cta_of(emu_cta_t *cta, uint64_t address);

/* Returns the bytes of a lane's access; null after failing. */
uint8_t *nereid_emulator_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                                uint32_t bytes, emu_access_t access);

/* The same for all lanes of `mask`, which is not empty, in the instruction's space; inactive lanes get readable
 * dummy bytes. Each lane accesses `bytes`, a power of two. False after failing. */
bool nereid_emulator_access_lanes(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t **places);

/* The same for 32 lanes with consecutive bytes from `address` on, in global or shared memory. Null: the bytes are
 * not in one buffer, or the request is not simple for another reason; use nereid_emulator_access_lanes. */
uint8_t *nereid_emulator_access_run(emu_warp_t *warp, const emu_insn_t *insn, uint64_t address, uint32_t bytes,
                                    emu_access_t access);

/* Like `nereid_emulator_access`, for any number of bytes, aligned to `alignment`. */
uint8_t *nereid_emulator_reach(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                               uint32_t bytes, uint32_t alignment, emu_access_t access);

/* Whether one buffer contains all bytes at a global address. */
bool nereid_emulator_is_there(emu_cta_t *cta, uint64_t address, uint32_t bytes);

/* Returns the CTA whose shared memory contains the bytes, and their offset; null after failing. */
emu_cta_t *nereid_emulator_shared_range(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                        uint64_t address, uint32_t bytes, uint32_t alignment, uint32_t *out_offset);

/* Counts a request of the lanes of `mask`. */
void nereid_emulator_count(emu_warp_t *warp, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                           emu_space_t space, bool store);
void nereid_emulator_count_run(emu_warp_t *warp, uint64_t address, uint32_t bytes, emu_space_t space, bool store);

#endif
