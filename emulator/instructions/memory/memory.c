/* ld and st (PTX ISA, ld, st): every space, width and vector form. Cache operators, eviction priorities, policies,
 * scopes and orders have no effect: the threads of a CTA execute one instruction at a time, and CTAs that could
 * observe each other's atomics run sequentially. */
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"
#include "emulator/race/race.h"

/* The bytes of a request: one pointer per lane, or `run` if all lanes are active and consecutive. */
typedef struct request {
  uint8_t *run; /* null: `places` */
  uint8_t *places[EMU_LANES];
} request_t;

/* Whether the lanes' addresses are consecutive with a pitch of `bytes`; returns the first. */
EMU_SIMD static bool follows(const emu_warp_t *warp, const emu_insn_t *insn, unsigned k, uint64_t bytes,
                             uint64_t *out_first) {
  const uint8_t *from = emu_source(warp, insn, (int)k);
  uint64_t first = emu_lane(warp, &insn->operands[k], 0), wrong = 0;
  if (insn->operands[k].size == 8)
    for (uint64_t lane = 0; lane < EMU_LANES; ++lane)
      wrong |= LANE(uint64_t, from, lane) - first - lane * bytes;
  else
    for (uint64_t lane = 0; lane < EMU_LANES; ++lane)
      wrong |= LANE(uint32_t, from, lane) - first - lane * bytes;
  *out_first =
      insn->operands[k].size == 8 ? first + (uint64_t)insn->offset : (uint32_t)(first + (uint64_t)insn->offset);
  return !wrong;
}

/* Resolves the bytes of the lanes of `mask` and counts the request. */
static bool find_request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned k, uint32_t bytes,
                         bool stores, request_t *out) {
  const emu_cta_t *cta = warp->cta;
  uint64_t addresses[EMU_LANES];
  emu_access_t access = stores ? EMU_WRITE : EMU_READ;
  out->run = NULL;
  if (mask == UINT32_MAX && !cta->race && follows(warp, insn, k, bytes, addresses))
    out->run = nereid_emulator_access_run(warp, insn, addresses[0], bytes, access);
  if (out->run) {
    if (cta->launch->count)
      nereid_emulator_count_run(warp, addresses[0], bytes, nereid_emulator_access_space(insn, addresses[0]), stores);
    return true;
  }
  emu_addresses(warp, insn, (int)k, addresses);
  if (!nereid_emulator_access_lanes(warp, insn, mask, addresses, bytes, access, out->places))
    return false;
  if (cta->race)
    nereid_emulator_race_request(warp, insn, mask, addresses, bytes, access, out->places);
  if (cta->launch->count)
    nereid_emulator_count(warp, addresses, mask, bytes,
                          nereid_emulator_access_space(insn, addresses[__builtin_ctz(mask)]), stores);
  return true;
}

/* Copies an element of every lane, `at` bytes after the lane's first one; the lane has `n` elements. One loop per n,
 * so that it vectorizes. */
#define ELEMENTS(follow, each)                                                                                         \
  if (request->run && n == 1)                                                                                          \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      follow(lane);                                                                                                    \
  else if (request->run && n == 2)                                                                                     \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      follow(2 * lane);                                                                                                \
  else if (request->run)                                                                                               \
    for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                    \
      follow(n *lane);                                                                                                 \
  else                                                                                                                 \
    FOR_LANES(lane, mask) each

#define READ_RUN(i) memcpy(&values[lane], request->run + at + (i) * sizeof *values, sizeof *values)
#define WRITE_RUN(i) memcpy(request->run + at + (i) * sizeof *values, &values[lane], sizeof *values)
#define ELEMENT(N)                                                                                                     \
  EMU_SIMD static void read_##N(uint##N##_t *values, const request_t *request, size_t at, unsigned n, uint32_t mask) { \
    ELEMENTS(READ_RUN, memcpy(&values[lane], request->places[lane] + at, sizeof *values);)                             \
  }                                                                                                                    \
  EMU_SIMD static void write_##N(const uint##N##_t *values, const request_t *request, size_t at, unsigned n,           \
                                 uint32_t mask) {                                                                      \
    ELEMENTS(WRITE_RUN, memcpy(request->places[lane] + at, &values[lane], sizeof *values);)                            \
  }
ELEMENT(8)
ELEMENT(16)
ELEMENT(32)
ELEMENT(64)

/* Rows of four 32-bit elements, the most frequent request. */
EMU_SIMD static void read_rows(emu_warp_t *warp, const emu_insn_t *insn, const uint8_t *from) {
  uint32_t values[4][EMU_LANES];
  for (size_t lane = 0; lane < EMU_LANES; ++lane) {
    values[0][lane] = LANE(uint32_t, from, 4 * lane);
    values[1][lane] = LANE(uint32_t, from, 4 * lane + 1);
    values[2][lane] = LANE(uint32_t, from, 4 * lane + 2);
    values[3][lane] = LANE(uint32_t, from, 4 * lane + 3);
  }
  for (int i = 0; i < 4; ++i)
    memcpy(emu_destination(warp, insn, i), values[i], sizeof values[i]);
}

EMU_SIMD static void write_rows(const emu_warp_t *warp, const emu_insn_t *insn, uint8_t *to) {
  const uint8_t *from[4];
  uint32_t values[4 * EMU_LANES];
  for (int i = 0; i < 4; ++i)
    from[i] = emu_source(warp, insn, 1 + i);
  for (size_t lane = 0; lane < EMU_LANES; ++lane) {
    values[4 * lane] = LANE(uint32_t, from[0], lane);
    values[4 * lane + 1] = LANE(uint32_t, from[1], lane);
    values[4 * lane + 2] = LANE(uint32_t, from[2], lane);
    values[4 * lane + 3] = LANE(uint32_t, from[3], lane);
  }
  memcpy(to, values, sizeof values);
}

static bool are_rows(const emu_insn_t *insn, const request_t *request, unsigned first, unsigned each) {
  bool rows = request->run && insn->n_vector == 4 && each == 4;
  for (unsigned i = first; rows && i < first + 4; ++i)
    rows = insn->operands[i].size == 4;
  return rows;
}

/* Extends a loaded value to the register: sign-extends .s types. */
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

/* Copies elements into a register of the same or a larger width; from one, its low bits. */
#define MOVE_ELEMENT(N)                                                                                                \
  static void load_##N(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned k,                            \
                       const request_t *request) {                                                                     \
    uint##N##_t values[EMU_LANES] = {0};                                                                               \
    uint64_t wide[EMU_LANES];                                                                                          \
    read_##N(values, request, k * sizeof *values, insn->n_vector, mask);                                               \
    if (insn->operands[k].size == sizeof *values) {                                                                    \
      STORE(uint##N##_t, values, (int)k);                                                                              \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int lane = 0; lane < EMU_LANES; ++lane)                                                                       \
      wide[lane] = extended(values[lane], insn->types[0]);                                                             \
    nereid_emulator_set_lanes(warp, &insn->operands[k], wide, mask);                                                   \
  }                                                                                                                    \
  static void store_##N(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned k,                           \
                        const request_t *request) {                                                                    \
    uint##N##_t values[EMU_LANES];                                                                                     \
    const uint8_t *from = emu_source(warp, insn, (int)k);                                                              \
    if (insn->operands[k].size == sizeof *values)                                                                      \
      memcpy(values, from, sizeof values);                                                                             \
    else                                                                                                               \
      for (size_t lane = 0; lane < EMU_LANES; ++lane)                                                                  \
        values[lane] = LANE(uint##N##_t, from + lane * insn->operands[k].size, 0);                                     \
    write_##N(values, request, (k - 1) * sizeof *values, insn->n_vector, mask);                                        \
  }
MOVE_ELEMENT(8)
MOVE_ELEMENT(16)
MOVE_ELEMENT(32)
MOVE_ELEMENT(64)

/* Loads a kernel parameter, the same for all lanes. */
static emu_next_t load_parameter(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned each) {
  unsigned n = insn->n_vector;
  uint64_t values[EMU_LANES], address = emu_address(warp, insn, n, 0);
  const uint8_t *from = nereid_emulator_access(warp, insn, __builtin_ctz(mask), EMU_PARAM, address, each * n, EMU_READ);
  if (!from)
    return EMU_FAILED;
  for (unsigned i = 0; i < n; ++i) {
    uint64_t bits = 0;
    memcpy(&bits, from + i * each, each);
    bits = extended(bits, insn->types[0]);
    for (int lane = 0; lane < EMU_LANES; ++lane)
      values[lane] = bits;
    nereid_emulator_set_lanes(warp, &insn->operands[i], values, mask);
  }
  return EMU_ADVANCE;
}

static emu_next_t load(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector, each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  request_t request;
  if (!mask)
    return EMU_ADVANCE;
  if (insn->space == EMU_PARAM && insn->operands[n].base == EMU_CONSTANTS)
    return load_parameter(warp, insn, mask, each);
  if (!find_request(warp, insn, mask, n, each * n, false, &request))
    return EMU_FAILED;
  if (are_rows(insn, &request, 0, each)) {
    read_rows(warp, insn, request.run);
    return EMU_ADVANCE;
  }
  for (unsigned i = 0; i < n; ++i)
    (each == 4 ? load_32 : each == 8 ? load_64 : each == 2 ? load_16 : load_8)(warp, insn, mask, i, &request);
  return EMU_ADVANCE;
}

static emu_next_t store(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned n = insn->n_vector, each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  request_t request;
  if (!mask)
    return EMU_ADVANCE;
  if (!find_request(warp, insn, mask, 0, each * n, true, &request))
    return EMU_FAILED;
  if (are_rows(insn, &request, 1, each)) {
    write_rows(warp, insn, request.run);
    return EMU_ADVANCE;
  }
  for (unsigned i = 1; i <= n; ++i)
    (each == 4 ? store_32 : each == 8 ? store_64 : each == 2 ? store_16 : store_8)(warp, insn, mask, i, &request);
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
