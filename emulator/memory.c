/* ld and st (PTX ISA, ld, st): every space, width and vector form. Cache operators, eviction priorities and policies
 * are read and have no effect, nor have scopes and orders: the threads of a CTA run one instruction after the other,
 * and CTAs that could see each other's atomics run one after the other too. */
#include "emulator/execute.h"

static uint64_t address_of(const emu_warp_t *warp, const emu_insn_t *insn, int k, int lane) {
  return emu_lane(warp, &insn->operands[k], lane) + (uint64_t)insn->offset;
}

enum { SECTOR = 32, BANKS = 32 };

/* Distinct 32-byte sectors of a request. */
static uint32_t sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint64_t seen[2 * EMU_LANES];
  uint32_t n = 0;
  FOR_LANES(lane, mask)
  for (uint64_t sector = addresses[lane] / SECTOR; sector <= (addresses[lane] + bytes - 1) / SECTOR; ++sector) {
    uint32_t i = n;
    while (i > 0 && seen[i - 1] != sector)
      --i;
    if (!i)
      seen[n++] = sector;
  }
  return n;
}

/* The most distinct words of one bank among `mask`: cycles that the banks need. */
static uint32_t bank_depth(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint64_t words[4 * EMU_LANES];
  uint32_t n = 0, depth[BANKS] = {0}, most = 0;
  FOR_LANES(lane, mask)
  for (uint64_t word = addresses[lane] / 4; word <= (addresses[lane] + bytes - 1) / 4; ++word) {
    uint32_t i = n;
    while (i > 0 && words[i - 1] != word)
      --i;
    if (i)
      continue;
    words[n++] = word;
    uint32_t here = ++depth[word % BANKS];
    most = here > most ? here : most;
  }
  return most;
}

/* 64-bit accesses go by half warps, 128-bit ones by quarters. */
static uint32_t wavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint32_t lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, total = 0;
  for (uint32_t from = 0; from < EMU_LANES; from += lanes) {
    uint32_t part = mask & ((lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1) << from);
    total += part ? bank_depth(addresses, part, bytes) : 0;
  }
  return total;
}

void nereid_emulator_count(emu_warp_t *warp, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                           emu_space_t space, bool store) {
  nereid_emulator_counters_t *counters = &warp->cta->counters;
  uint32_t lanes = (uint32_t)__builtin_popcount(mask);
  if (!mask || space == EMU_PARAM)
    return;
  if (space == EMU_SHARED) {
    counters->shared_requests[store]++;
    counters->shared_wavefronts[store] += wavefronts(addresses, mask, bytes);
    counters->shared_bytes[store] += (uint64_t)lanes * bytes;
  } else if (space == EMU_LOCAL) {
    counters->local_bytes[store] += (uint64_t)lanes * bytes;
  } else {
    counters->global_requests[store]++;
    counters->global_sectors[store] += sectors(addresses, mask, bytes);
    counters->global_bytes[store] += (uint64_t)lanes * bytes;
  }
}

/* A request of generic addresses is one of the space where its first lane points. */
emu_space_t nereid_emulator_space(const emu_insn_t *insn, uint64_t address) {
  if (insn->space != EMU_GENERIC)
    return (emu_space_t)insn->space;
  return address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES  ? EMU_SHARED
         : address - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES ? EMU_LOCAL
         : address - EMU_PARAM_WINDOW < EMU_WINDOW_BYTES ? EMU_PARAM
                                                         : EMU_GLOBAL;
}

static void count_request(emu_warp_t *warp, const emu_insn_t *insn, int k, uint32_t mask, uint32_t bytes, bool store) {
  uint64_t addresses[EMU_LANES] = {0};
  if (!warp->cta->launch->count || !mask)
    return;
  FOR_LANES(lane, mask) addresses[lane] = address_of(warp, insn, k, (int)lane);
  nereid_emulator_count(warp, addresses, mask, bytes, nereid_emulator_space(insn, addresses[__builtin_ctz(mask)]),
                        store);
}

/* Extends what was read to the register: by sign for .s types. */
static uint64_t extended(uint64_t bits, unsigned type) {
  switch (type) {
  case EMU_S8:
    return (uint64_t)(int64_t)(int8_t)bits;
  case EMU_S16:
    return (uint64_t)(int64_t)(int16_t)bits;
  case EMU_S32:
    return (uint64_t)(int64_t)(int32_t)bits;
  default:
    return bits;
  }
}

static emu_next_t load(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector, each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  uint8_t raw[EMU_LANES][32]; /* four elements of eight bytes at most */
  FOR_LANES(lane, mask) {     /* all are read before any is written: an address register may be a destination */
    const uint8_t *from = nereid_emulator_access(warp, insn, (int)lane, (emu_space_t)insn->space,
                                                 address_of(warp, insn, (int)n, (int)lane), each * n, EMU_READ);
    if (!from)
      return EMU_FAILED;
    memcpy(raw[lane], from, (size_t)each * n);
  }
  count_request(warp, insn, (int)n, mask, each * n, false);
  FOR_LANES(lane, mask)
  for (unsigned i = 0; i < n; ++i) {
    uint64_t bits = 0;
    memcpy(&bits, raw[lane] + i * each, each);
    emu_set_lane(warp, &insn->operands[i], (int)lane, extended(bits, insn->types[0]));
  }
  return EMU_ADVANCE;
}

static emu_next_t store(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector, each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  FOR_LANES(lane, mask) {
    uint8_t *to = nereid_emulator_access(warp, insn, (int)lane, (emu_space_t)insn->space,
                                         address_of(warp, insn, 0, (int)lane), each * n, EMU_WRITE);
    if (!to)
      return EMU_FAILED;
    for (unsigned i = 0; i < n; ++i) {
      uint64_t bits = emu_lane(warp, &insn->operands[1 + i], (int)lane);
      memcpy(to + i * each, &bits, each);
    }
  }
  count_request(warp, insn, 0, mask, each * n, true);
  return EMU_ADVANCE;
}

static emu_next_t nothing(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)warp;
  (void)insn;
  (void)mask;
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define SPACE (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(local) | EMU_BIT(param))
#define ORDER                                                                                                          \
  (EMU_BIT(volatile) | EMU_BIT(relaxed) | EMU_BIT(weak) | EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys))
#define VECTOR (EMU_BIT(v2) | EMU_BIT(v4))
#define CACHE (EMU_BIT(eviction) | EMU_BIT(hint))
#define LOAD_CACHE                                                                                                     \
  (CACHE | EMU_BIT(prefetch) | EMU_BIT(ca) | EMU_BIT(cg) | EMU_BIT(cs) | EMU_BIT(lu) | EMU_BIT(cv) | EMU_BIT(nc))
#define STORE_CACHE (CACHE | EMU_BIT(wb) | EMU_BIT(cg) | EMU_BIT(cs) | EMU_BIT(wt))
#define TYPES "any|b8|b16|b32|b64"
#define FENCE (EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys) | EMU_BIT(acq_rel) | EMU_BIT(sc))
#define BARRIER NEREID_EMULATOR_CLASS_BARRIER

const emu_form_t nereid_emulator_memory_forms[] = {
    {"ld", TYPES, "v*m-", 0, SPACE | EMU_BIT(const) | ORDER | EMU_BIT(acquire) | VECTOR | LOAD_CACHE, load, MEMORY},
    {"ldu", TYPES, "v*m-", 0, EMU_BIT(global) | VECTOR, load, MEMORY},
    {"st", TYPES, "m-w*", 0, SPACE | ORDER | EMU_BIT(release) | VECTOR | STORE_CACHE, store, MEMORY},
    {"membar", "", "", EMU_BIT(cta), 0, nothing, BARRIER},
    {"membar", "", "", EMU_BIT(sys), 0, nothing, BARRIER},
    {"membar", "", "", EMU_BIT(gl), 0, nothing, BARRIER},
    {"fence", "", "", 0, FENCE, nothing, BARRIER},
    {0}};
