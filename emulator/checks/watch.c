/* The last write to watched bytes of global memory.
 *
 *   st.global.b32 [%rd4], %r1;   by thread (4,0,0) of CTA (1,0,0)   ->   3 writes, the last one by this thread
 *
 * Each cluster records its own last write. CTAs have no order, so the last one is by definition that of the last
 * cluster of the grid that wrote: the result does not depend on the number of host threads. */
#include "emulator/checks/watch.h"

#include "emulator/machine/special_registers.h"

emu_watch_t nereid_emulator_watch_begin(const nereid_emulator_launch_t *launch, const emu_region_t *regions,
                                        size_t n_regions) {
  const uintptr_t watched = (uintptr_t)launch->watch;
  for (size_t i = 0; launch->watch && i < n_regions; ++i) {
    const uintptr_t host = (uintptr_t)regions[i].host;
    if (watched >= host && watched - host < regions[i].bytes)
      return (emu_watch_t){.address = regions[i].address + (watched - host), .bytes = launch->watch_bytes};
  }
  return (emu_watch_t){.bytes = 0};
}

void nereid_emulator_locate(const emu_warp_t *warp, const emu_insn_t *insn, int lane,
                            nereid_emulator_place_t *out_place, uint32_t out_thread[3], uint32_t out_cta[3]) {
  const nereid_emulator_program_t *program = warp->cta->kernel->program;
  const emu_place_t *source = insn->place ? &program->places.data[insn->place] : NULL;
  *out_place = (nereid_emulator_place_t){.program = program->name,
                                         .source = source ? source->text : NULL,
                                         .line = insn->line,
                                         .source_line = source ? source->line : 0,
                                         .text = nereid_emulator_statement(program, insn)};
  for (int i = 0; i < 3; ++i) {
    memcpy(&out_thread[i], warp->base[EMU_SPECIALS] + (EMU_TID_X + i) * 128 + lane * 4, 4);
    out_cta[i] = warp->cta->id[i];
  }
}

void nereid_emulator_watch_write(const emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address,
                                 uint64_t bytes) {
  emu_watch_t *watch = warp->cta->cluster->watch;
  if (address >= watch->address + watch->bytes || watch->address >= address + bytes)
    return;
  ++watch->last.count;
  nereid_emulator_locate(warp, insn, lane, &watch->last.place, watch->last.thread, watch->last.cta);
}

void nereid_emulator_watch_add(nereid_emulator_write_t *sum, const nereid_emulator_write_t *part, bool later) {
  const uint64_t count = sum->count + part->count;
  if (part->count && (later || !sum->count))
    *sum = *part;
  sum->count = count;
}
