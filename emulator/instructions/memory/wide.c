/* 128-bit registers: mov with packing, ld, st, atom.exch and atom.cas (PTX ISA, Fundamental Types; atom). A lane has 16
 * bytes; there is no 128-bit arithmetic.
 *
 *   mov.b128 %q, {%d1, %d2};   atom.global.cas.b128 %q0, [%d], %q1, %q2; */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"

enum { BYTES = 16 };

static uint8_t *lane_of(emu_warp_t *warp, const emu_operand_t *operand, uint32_t lane) {
  return warp->base[operand->base] + operand->offset + (size_t)lane * BYTES;
}

static uint8_t *place(emu_warp_t *warp, const emu_insn_t *insn, int k, uint32_t lane, emu_access_t access) {
  uint64_t address = emu_address(warp, insn, k, (int)lane);
  return nereid_emulator_access(warp, insn, (int)lane, (emu_space_t)insn->space, address, BYTES, access);
}

static void count(emu_warp_t *warp, const emu_insn_t *insn, int k, uint32_t mask, bool store) {
  uint64_t addresses[EMU_LANES] = {0};
  if (!warp->cta->launch->count || !mask)
    return;
  FOR_LANES(lane, mask) addresses[lane] = emu_address(warp, insn, k, (int)lane);
  nereid_emulator_count(warp, addresses, mask, BYTES,
                        nereid_emulator_access_space(insn, addresses[__builtin_ctz(mask)]), store);
}

static emu_next_t move(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  memmove(lane_of(warp, &insn->operands[0], lane), lane_of(warp, &insn->operands[1], lane), BYTES);
  return EMU_ADVANCE;
}

static emu_next_t load(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    const uint8_t *from = place(warp, insn, 1, lane, EMU_READ);
    if (!from)
      return EMU_FAILED;
    memcpy(lane_of(warp, &insn->operands[0], lane), from, BYTES);
  }
  count(warp, insn, 1, mask, false);
  return EMU_ADVANCE;
}

static emu_next_t store(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint8_t *to = place(warp, insn, 0, lane, EMU_WRITE);
    if (!to)
      return EMU_FAILED;
    memcpy(to, lane_of(warp, &insn->operands[1], lane), BYTES);
  }
  count(warp, insn, 0, mask, true);
  return EMU_ADVANCE;
}

/* Operands: d, address, b; for cas also c, which is stored if the old value equals b. */
static emu_next_t atomic(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  bool swaps = EMU_HAS(insn, cas);
  FOR_LANES(lane, mask) {
    uint8_t old[BYTES], *at = place(warp, insn, 1, lane, EMU_UPDATE);
    if (!at)
      return EMU_FAILED;
    memcpy(old, at, BYTES);
    bool equal = memcmp(old, lane_of(warp, &insn->operands[2], lane), BYTES) == 0;
    if (!swaps || equal)
      memcpy(at, lane_of(warp, &insn->operands[swaps ? 3 : 2], lane), BYTES);
    warp->yield |= swaps && !equal;
    memcpy(lane_of(warp, &insn->operands[0], lane), old, BYTES);
  }
  count(warp, insn, 1, mask, true);
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define SPACE (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(local) | EMU_BIT(param))
#define ORDER                                                                                                          \
  (EMU_BIT(volatile) | EMU_BIT(relaxed) | EMU_BIT(weak) | EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys))
#define LOAD_CACHE                                                                                                     \
  (EMU_BIT(eviction) | EMU_BIT(hint) | EMU_BIT(prefetch) | EMU_BIT(ca) | EMU_BIT(cg) | EMU_BIT(cs) | EMU_BIT(lu) |     \
   EMU_BIT(cv) | EMU_BIT(nc))
#define STORE_CACHE (EMU_BIT(eviction) | EMU_BIT(hint) | EMU_BIT(wb) | EMU_BIT(cg) | EMU_BIT(cs) | EMU_BIT(wt))
#define ATOMIC                                                                                                         \
  (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(relaxed) | EMU_BIT(acquire) | EMU_BIT(release) | EMU_BIT(acq_rel) |     \
   EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys) | EMU_BIT(hint))

const emu_form_t nereid_emulator_wide_forms[] = {
    {"mov", "b128", "d0s0", 0, 0, move, NEREID_EMULATOR_CLASS_MOVE | EMU_KIND(MOV)},
    {"ld", "b128", "d0m-", 0, SPACE | EMU_BIT(const) | ORDER | EMU_BIT(acquire) | LOAD_CACHE, load, MEMORY},
    {"ldu", "b128", "d0m-", 0, EMU_BIT(global), load, MEMORY},
    {"st", "b128", "m-s0", 0, SPACE | ORDER | EMU_BIT(release) | STORE_CACHE, store, MEMORY},
    {"atom", "b128", "d0m-s0", EMU_BIT(exch), ATOMIC, atomic, NEREID_EMULATOR_CLASS_ATOMIC},
    {"atom", "b128", "d0m-s0s0", EMU_BIT(cas), ATOMIC, atomic, NEREID_EMULATOR_CLASS_ATOMIC},
    {0}};
