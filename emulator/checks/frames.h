/* The frame check: finds shared-memory values that a called function overwrites before their owner reads them.
 *
 *   st.shared [0], x;   call f;   ld.shared [0]     if f stores to 0, the load reads f's value, whatever the barriers
 *
 * An activation is a call path of the kernel, shared by all warps of a CTA. Each byte of shared memory records its
 * last writer, the writer that it replaced, and whether the replaced value had been read. The check is on in
 * programs that contain calls. */
#ifndef NEREID_EMULATOR_FRAMES_H
#define NEREID_EMULATOR_FRAMES_H

#include "emulator/memory/access.h"

typedef struct emu_frames emu_frames_t;

/* State of one CTA; null: out of memory. */
emu_frames_t *nereid_emulator_frames_create(emu_cta_t *cta);
void nereid_emulator_frames_destroy(emu_frames_t *frames);

/* Records that lanes call from `insn`; that lanes return. */
void nereid_emulator_frames_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
void nereid_emulator_frames_return(emu_warp_t *warp, uint32_t mask);
/* The call path of a lane; an asynchronous effect uses its first lane's. */
uint32_t nereid_emulator_frames_path(const emu_warp_t *warp, int lane);

/* Records an access to shared memory by a lane, or by an effect that it issued. Requires cta->frames. */
void nereid_emulator_frames_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint32_t offset, uint32_t bytes,
                                   emu_access_t access);

/* Findings of all CTAs, merged in any order: the result does not depend on the number of host threads. */
typedef struct emu_overwrites {
  NEREID_VECTOR(nereid_emulator_overwrite_t) items;
} emu_overwrites_t;
/* False: out of memory. */
bool nereid_emulator_frames_collect(const emu_frames_t *frames, nereid_arena_t *arena, emu_overwrites_t *overwrites);
/* Sorts the findings by position in the text. */
void nereid_emulator_frames_sort(emu_overwrites_t *overwrites);

#endif
