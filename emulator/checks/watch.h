/* The last write to watched bytes of global memory: launch->watch. */
#ifndef NEREID_EMULATOR_WATCH_H
#define NEREID_EMULATOR_WATCH_H

#include "emulator/machine/cta.h"

/* State of one cluster. */
typedef struct emu_watch {
  uint64_t address, bytes; /* 0 bytes: nothing is watched */
  nereid_emulator_write_t last;
} emu_watch_t;

/* Resolves the launch's bytes to their address in `regions`; 0 bytes when no buffer contains them. */
emu_watch_t nereid_emulator_watch_begin(const nereid_emulator_launch_t *launch, const emu_region_t *regions,
                                        size_t n_regions);

/* Records a lane's write to global memory if it writes a watched byte. Requires cta->watch. */
void nereid_emulator_watch_write(const emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address,
                                 uint64_t bytes);

/* Adds the writes of a cluster, `later` in the order of the grid than those of `sum`. */
void nereid_emulator_watch_add(nereid_emulator_write_t *sum, const nereid_emulator_write_t *part, bool later);

/* Stores an instruction's position in the PTX and the source, and the thread and CTA of a lane. */
void nereid_emulator_locate(const emu_warp_t *warp, const emu_insn_t *insn, int lane,
                            nereid_emulator_place_t *out_place, uint32_t out_thread[3], uint32_t out_cta[3]);

#endif
