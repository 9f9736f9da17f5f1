/* The frame check: values in shared memory that a called function overwrote before their owner read them.
 *
 *   st.shared [0], x;   call f;   ld.shared [0]     where f stores to 0: what is loaded is f's, whatever the barriers
 *
 * An activation is a call path of the kernel, the same for all warps of a CTA. Each byte of shared memory remembers who
 * wrote it last, the writer that this replaced, and whether the replaced value had been read. On in programs that call
 * functions. */
#ifndef NEREID_EMULATOR_FRAMES_H
#define NEREID_EMULATOR_FRAMES_H

#include "emulator/memory/access.h"

typedef struct emu_frames emu_frames_t;

/* What one CTA needs; null when memory is out. */
emu_frames_t *nereid_emulator_frames_create(emu_cta_t *cta);
void nereid_emulator_frames_destroy(emu_frames_t *frames);

/* Lanes call from `insn`; lanes return. */
void nereid_emulator_frames_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
void nereid_emulator_frames_return(emu_warp_t *warp, uint32_t mask);
/* The call path of a lane; the first lane's is that of an asynchronous effect. */
uint32_t nereid_emulator_frames_path(const emu_warp_t *warp, int lane);

/* A lane, or an effect that it issued, accesses shared memory of its CTA. Called only when cta->frames is set. */
void nereid_emulator_frames_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint32_t offset, uint32_t bytes,
                                   emu_access_t access);

/* What the CTAs found, joined in any order: the same list for any number of threads. */
typedef struct emu_overwrites {
  NEREID_VECTOR(nereid_emulator_overwrite_t) items;
} emu_overwrites_t;
/* False when memory is out. */
bool nereid_emulator_frames_collect(const emu_frames_t *frames, nereid_arena_t *arena, emu_overwrites_t *overwrites);
/* Puts them in the order of their places in the text. */
void nereid_emulator_frames_sort(emu_overwrites_t *overwrites);

#endif
