/* Accesses of memory: the bytes at an address, checked, and what a request costs. Private to the emulator. */
#ifndef NEREID_EMULATOR_ACCESS_H
#define NEREID_EMULATOR_ACCESS_H

#include "emulator/machine/cta.h"
#include "emulator/memory/space.h"

typedef enum emu_access { EMU_READ, EMU_WRITE, EMU_UPDATE /* by an atomic */ } emu_access_t;

/* The space of an access: the instruction's, or for a generic address that of its window. A request is one of the space
 * where its first lane points. Never SHARED_CLUSTER. */
emu_space_t nereid_emulator_access_space(const emu_insn_t *insn, uint64_t address);

/* The CTA of a shared address (its low 32 bits), null when its cluster has no such CTA. */
emu_cta_t *nereid_emulator_cta_of(emu_cta_t *cta, uint64_t address);

/* The bytes of a lane's access, null after failing. */
uint8_t *nereid_emulator_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                                uint32_t bytes, emu_access_t access);

/* The same for all lanes of `mask`, which is not empty, in the instruction's space; those of the others get a place
 * that can be read. A request of `bytes` each, a power of two. False after failing. */
bool nereid_emulator_access_lanes(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t **places);

/* The same for 32 lanes whose bytes follow each other from `address` on, in global or shared memory. Null when they are
 * not of one piece, or the request is not simple for another reason: then it is nereid_emulator_access_lanes'. */
uint8_t *nereid_emulator_access_run(emu_warp_t *warp, const emu_insn_t *insn, uint64_t address, uint32_t bytes,
                                    emu_access_t access);

/* Bytes at an address as `nereid_emulator_access` finds them, aligned to `alignment`. */
uint8_t *nereid_emulator_reach(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                               uint32_t bytes, uint32_t alignment, emu_access_t access);

/* Whether the bytes at a global address are all of one buffer. */
bool nereid_emulator_is_there(emu_cta_t *cta, uint64_t address, uint32_t bytes);

/* The CTA whose shared memory has those bytes, and their offset in it; null after failing. */
emu_cta_t *nereid_emulator_shared_range(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                        uint64_t address, uint32_t bytes, uint32_t alignment, uint32_t *out_offset);

/* Counts a request of the lanes of `mask`. */
void nereid_emulator_count(emu_warp_t *warp, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                           emu_space_t space, bool store);
void nereid_emulator_count_run(emu_warp_t *warp, uint64_t address, uint32_t bytes, emu_space_t space, bool store);

#endif
