/* ld and st (PTX ISA, ld, st): every space, width and vector form. Cache operators, eviction priorities and policies
 * are read and have no effect, nor have scopes and orders: the threads of a CTA run one instruction after the other,
 * and CTAs that could see each other's atomics run one after the other too. */
#include "emulator/execute.h"
#include "emulator/race.h"

/* The lanes' elements in memory: at `places`, and when `step` is not 0 one lane's that many bytes behind the last
 * lane's. ELEMENTS writes a loop over them for each step that is common, so that it becomes SIMD. */
#define ELEMENTS(T, dense, sparse)                                                                                     \
  if (step == sizeof(T))                                                                                               \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      dense(T, lane);                                                                                                  \
  else if (step == 2 * sizeof(T))                                                                                      \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      dense(T, 2 * lane);                                                                                              \
  else if (step == 4 * sizeof(T))                                                                                      \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      dense(T, 4 * lane);                                                                                              \
  else                                                                                                                 \
    sparse

#define READ_DENSE(T, i) values[lane] = LANE(T, places[0] + at, i)
#define WRITE_DENSE(T, i) memcpy(places[0] + at + (i) * sizeof(T), &values[lane], sizeof(T))
#define ELEMENT(N)                                                                                                     \
  EMU_SIMD static void read_##N(uint##N##_t *values, uint8_t *const *places, size_t at, size_t step) {                 \
    ELEMENTS(uint##N##_t, READ_DENSE,                                                                                  \
             for (int lane = 0; lane < EMU_LANES; ++lane) values[lane] = LANE(uint##N##_t, places[lane] + at, 0);)     \
  }                                                                                                                    \
  EMU_SIMD static void write_##N(const uint##N##_t *values, uint8_t *const *places, size_t at, size_t step,            \
                                 uint32_t mask) {                                                                      \
    ELEMENTS(uint##N##_t, WRITE_DENSE,                                                                                 \
             FOR_LANES(lane, mask) memcpy(places[lane] + at, &values[lane], sizeof values[lane]);)                     \
  }
ELEMENT(8)
ELEMENT(16)
ELEMENT(32)
ELEMENT(64)

#define PUT(N)                                                                                                         \
  EMU_SIMD static void put_##N(emu_warp_t *warp, const emu_insn_t *insn, int k, const uint64_t *values,                \
                               uint32_t mask) {                                                                        \
    uint##N##_t narrow[EMU_LANES];                                                                                     \
    for (int lane = 0; lane < EMU_LANES; ++lane)                                                                       \
      narrow[lane] = (uint##N##_t)values[lane];                                                                        \
    STORE(uint##N##_t, narrow, k);                                                                                     \
  }
PUT(16)
PUT(32)
PUT(64)

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

/* Elements into a register that is as wide, or wider. */
#define LOAD_ELEMENT(N)                                                                                                \
  static void load_##N(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int k, uint8_t *const *places,         \
                       size_t step) {                                                                                  \
    uint##N##_t values[EMU_LANES];                                                                                     \
    uint64_t wide[EMU_LANES];                                                                                          \
    read_##N(values, places, (size_t)k * sizeof *values, step);                                                        \
    if (insn->operands[k].size == sizeof *values) {                                                                    \
      STORE(uint##N##_t, values, k);                                                                                   \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int lane = 0; lane < EMU_LANES; ++lane)                                                                       \
      wide[lane] = extended(values[lane], insn->types[0]);                                                             \
    if (insn->operands[k].size == 8)                                                                                   \
      put_64(warp, insn, k, wide, mask);                                                                               \
    else if (insn->operands[k].size == 4)                                                                              \
      put_32(warp, insn, k, wide, mask);                                                                               \
    else                                                                                                               \
      put_16(warp, insn, k, wide, mask);                                                                               \
  }                                                                                                                    \
  static void store_##N(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int k, uint8_t *const *places,        \
                        size_t step) {                                                                                 \
    uint##N##_t values[EMU_LANES];                                                                                     \
    const uint8_t *from = emu_source(warp, insn, k);                                                                   \
    if (insn->operands[k].size == sizeof *values)                                                                      \
      memcpy(values, from, sizeof values);                                                                             \
    else                                                                                                               \
      for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                  \
        values[lane] = LANE(uint##N##_t, from + lane * insn->operands[k].size, 0);                                     \
    write_##N(values, places, (size_t)(k - 1) * sizeof *values, step, mask);                                           \
  }
LOAD_ELEMENT(8)
LOAD_ELEMENT(16)
LOAD_ELEMENT(32)
LOAD_ELEMENT(64)

/* How far apart the lanes' places are when it is `bytes` for all of them, else 0. */
EMU_SIMD static size_t step_of(uint8_t *const *places, uint32_t mask, uint32_t bytes) {
  uintptr_t wrong = ~mask;
  for (uintptr_t lane = 0; lane < EMU_LANES; ++lane)
    wrong |= (uintptr_t)places[lane] - (uintptr_t)places[0] - lane * bytes;
  return wrong ? 0 : bytes;
}

/* The request: where its lanes' bytes are, counted. */
static bool request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned k, uint32_t bytes, bool stores,
                    uint8_t **places) {
  uint64_t addresses[EMU_LANES];
  emu_addresses(warp, insn, (int)k, addresses);
  if (!nereid_emulator_access_lanes(warp, insn, mask, addresses, bytes, stores ? EMU_WRITE : EMU_READ, places))
    return false;
  if (warp->cta->race)
    nereid_emulator_race_request(warp, insn, mask, addresses, bytes, stores ? EMU_WRITE : EMU_READ, places);
  if (warp->cta->launch->count)
    nereid_emulator_count(warp, addresses, mask, bytes, nereid_emulator_space(insn, addresses[__builtin_ctz(mask)]),
                          stores);
  return true;
}

static emu_next_t load(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector, each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  uint8_t *places[EMU_LANES];
  if (!mask)
    return EMU_ADVANCE;
  if (!request(warp, insn, mask, n, each * n, false, places))
    return EMU_FAILED;
  size_t step = step_of(places, mask, each * n);
  for (unsigned i = 0; i < n; ++i)
    (each == 4 ? load_32 : each == 8 ? load_64 : each == 2 ? load_16 : load_8)(warp, insn, mask, (int)i, places, step);
  return EMU_ADVANCE;
}

static emu_next_t store(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector, each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  uint8_t *places[EMU_LANES];
  if (!mask)
    return EMU_ADVANCE;
  if (!request(warp, insn, mask, 0, each * n, true, places))
    return EMU_FAILED;
  size_t step = step_of(places, mask, each * n);
  for (unsigned i = 1; i <= n; ++i)
    (each == 4   ? store_32
     : each == 8 ? store_64
     : each == 2 ? store_16
                 : store_8)(warp, insn, mask, (int)i, places, step);
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define SPACE (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(shared_cluster) | EMU_BIT(local) | EMU_BIT(param))
#define ORDER                                                                                                          \
  (EMU_BIT(volatile) | EMU_BIT(relaxed) | EMU_BIT(weak) | EMU_BIT(mmio) | EMU_BIT(cta) | EMU_BIT(cluster) |            \
   EMU_BIT(gpu) | EMU_BIT(sys))
#define VECTOR (EMU_BIT(v2) | EMU_BIT(v4))
#define CACHE (EMU_BIT(eviction) | EMU_BIT(hint))
#define LOAD_CACHE                                                                                                     \
  (CACHE | EMU_BIT(prefetch) | EMU_BIT(ca) | EMU_BIT(cg) | EMU_BIT(cs) | EMU_BIT(lu) | EMU_BIT(cv) | EMU_BIT(nc))
#define STORE_CACHE (CACHE | EMU_BIT(wb) | EMU_BIT(cg) | EMU_BIT(cs) | EMU_BIT(wt))
#define TYPES "any|b8|b16|b32|b64"

const emu_form_t nereid_emulator_memory_forms[] = {
    {"ld", TYPES, "v*m-", 0, SPACE | EMU_BIT(const) | ORDER | EMU_BIT(acquire) | VECTOR | LOAD_CACHE, load, MEMORY},
    {"ldu", TYPES, "v*m-", 0, EMU_BIT(global) | VECTOR, load, MEMORY},
    {"st", TYPES, "m-w*", 0, SPACE | ORDER | EMU_BIT(release) | VECTOR | STORE_CACHE, store, MEMORY},
    {0}};
