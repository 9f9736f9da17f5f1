/* atom and red (PTX ISA, atom, red). The lanes of a warp execute in order, lowest first. A kernel with a global
 * atomic runs its CTAs sequentially, so that returned values do not depend on the host. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"
#include "emulator/race/race.h"

static int64_t signed_of(uint64_t bits, unsigned size) {
  return size == 4 ? (int32_t)bits : (int64_t)bits;
}

/* min and max of halves: NaN operands are ignored; -0 is less than +0. */
static double extreme(double a, double b, bool greater) {
  if (a != a || b != b)
    return a != a ? b : a;
  if (a == b)
    return (signbit(a) != 0) != greater ? a : b;
  return (a < b) != greater ? a : b;
}

static uint64_t halves(const emu_insn_t *insn, uint64_t a, uint64_t b) {
  bool is_bf16 = insn->types[0] == EMU_BF16 || insn->types[0] == EMU_BF16X2;
  unsigned bits = 8 * nereid_emulator_type_size((emu_type_t)insn->types[0]);
  uint64_t result = 0;
  for (unsigned shift = 0; shift < bits; shift += 16) {
    uint16_t u = (uint16_t)(a >> shift), v = (uint16_t)(b >> shift);
    double x = (double)(is_bf16 ? nereid_float_from_bf16(u) : nereid_float_from_f16(u));
    double y = (double)(is_bf16 ? nereid_float_from_bf16(v) : nereid_float_from_f16(v));
    double now = EMU_HAS(insn, add) ? emu_add_odd(x, y) : extreme(x, y, EMU_HAS(insn, max));
    result |= (uint64_t)(is_bf16 ? nereid_float_to_bf16(now, NEREID_FLOAT_NEAREST)
                                 : nereid_float_to_f16(now, NEREID_FLOAT_NEAREST))
              << shift;
  }
  return result;
}

static uint64_t floats(const emu_insn_t *insn, uint64_t a, uint64_t b) {
  switch (insn->types[0]) {
  case EMU_F32: {
    float x = emu_f32((uint32_t)a), y = emu_f32((uint32_t)b);
    bool flush =
        !EMU_HAS(insn, shared); /* atom.add.f32 flushes subnormals on global memory, but not on shared memory */
    return emu_f32_bits(flush ? emu_flush(emu_canonical(emu_flush(x) + emu_flush(y))) : emu_canonical(x + y));
  }
  case EMU_F64:
    return emu_f64_bits(emu_canonical64(emu_f64(a) + emu_f64(b)));
  default:
    break;
  }
  return halves(insn, a, b);
}

static bool is_float(unsigned type) {
  return type >= EMU_F16 && type <= EMU_F64;
}

/* The new value in memory for the old one. */
static uint64_t combined(const emu_insn_t *insn, uint64_t old, uint64_t b, uint64_t c) {
  unsigned size = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  bool sign = insn->types[0] == EMU_S32 || insn->types[0] == EMU_S64;
  bool less = sign ? signed_of(b, size) < signed_of(old, size) : b < old;
  if (is_float(insn->types[0]) && !EMU_HAS(insn, exch))
    return floats(insn, old, b);
  if (EMU_HAS(insn, add))
    return old + b;
  if (EMU_HAS(insn, min))
    return less ? b : old;
  if (EMU_HAS(insn, max))
    return less ? old : b;
  if (EMU_HAS(insn, inc))
    return old >= b ? 0 : old + 1;
  if (EMU_HAS(insn, dec))
    return old == 0 || old > b ? b : old - 1;
  if (EMU_HAS(insn, and))
    return old & b;
  if (EMU_HAS(insn, or))
    return old | b;
  if (EMU_HAS(insn, xor))
    return old ^ b;
  if (EMU_HAS(insn, cas))
    return old == b ? c : old;
  return b; /* exch */
}

static bool swaps(const emu_warp_t *warp, const emu_insn_t *insn, int lane, const uint8_t *place, unsigned at,
                  unsigned size) {
  uint64_t old = 0;
  memcpy(&old, place, size);
  return old == emu_lane(warp, &insn->operands[at + 1], lane);
}

uint64_t nereid_emulator_combined(const emu_insn_t *insn, uint64_t old, uint64_t with) {
  return combined(insn, old, with, 0);
}

/* Operands: destinations (of atom), address, sources; n_vector of each. */
static emu_next_t atomic(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, bool returns) {
  unsigned n = insn->n_vector, size = nereid_emulator_type_size((emu_type_t)insn->types[0]), at = returns ? n : 0;
  uint64_t addresses[EMU_LANES] = {0}, olds[EMU_LANES][8];
  bool failed_cas = false;
  FOR_LANES(lane, mask) {
    addresses[lane] = emu_address(warp, insn, at, (int)lane);
    uint8_t *place =
        nereid_emulator_access(warp, insn, (int)lane, (emu_space_t)insn->space, addresses[lane], size * n, EMU_UPDATE);
    if (!place)
      return EMU_FAILED;
    if (warp->cta->race)
      nereid_emulator_race_request(
          warp, insn, UINT32_C(1) << lane, addresses, size * n,
          EMU_HAS(insn, cas) && !swaps(warp, insn, (int)lane, place, at, size) ? EMU_READ : EMU_UPDATE, NULL);
    for (unsigned i = 0; i < n; ++i) {
      uint64_t old = 0, b = emu_lane(warp, &insn->operands[at + 1 + i], (int)lane);
      uint64_t c = EMU_HAS(insn, cas) ? emu_lane(warp, &insn->operands[at + 2], (int)lane) : 0;
      memcpy(&old, place + i * size, size);
      uint64_t now = combined(insn, old, b, c);
      memcpy(place + i * size, &now, size);
      olds[lane][i] = old;
      failed_cas |= EMU_HAS(insn, cas) && old != b;
    }
  }
  for (unsigned i = 0; i < n && returns; ++i)
    FOR_LANES(lane, mask) emu_set_lane(warp, &insn->operands[i], (int)lane, olds[lane][i]);
  if (warp->cta->launch->count && mask)
    nereid_emulator_count(warp, addresses, mask, size * n,
                          nereid_emulator_access_space(insn, addresses[__builtin_ctz(mask)]), true);
  warp->yield |= failed_cas;
  return EMU_ADVANCE;
}

static emu_next_t atom(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return atomic(warp, insn, mask, true);
}

static emu_next_t red(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return atomic(warp, insn, mask, false);
}

#define HALVES "f16|f16x2|bf16|bf16x2"
#define ATOMIC NEREID_EMULATOR_CLASS_ATOMIC
#define MAY                                                                                                            \
  (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(shared_cluster) | EMU_BIT(relaxed) | EMU_BIT(acquire) |                 \
   EMU_BIT(release) | EMU_BIT(acq_rel) | EMU_BIT(cta) | EMU_BIT(cluster) | EMU_BIT(gpu) | EMU_BIT(sys) |               \
   EMU_BIT(hint))
#define BOTH(operation, types, may)                                                                                    \
  {"atom", types, "d0m-s0", EMU_BIT(operation), MAY | (may), atom, ATOMIC}, {                                          \
    "red", types, "m-s0", EMU_BIT(operation), MAY | (may), red, ATOMIC                                                 \
  }

#define HALF(operation)                                                                                                \
  {"atom", HALVES, "d0m-s0", EMU_BIT(operation) | EMU_BIT(noftz), MAY, atom, ATOMIC}, {                                \
    "red", HALVES, "m-s0", EMU_BIT(operation) | EMU_BIT(noftz), MAY, red, ATOMIC                                       \
  }
#define VECTOR(types, needs)                                                                                           \
  {"atom", types, "v*m-w*", needs, MAY & ~EMU_BIT(shared), atom, ATOMIC}, {                                            \
    "red", types, "m-w*", needs, MAY & ~EMU_BIT(shared), red, ATOMIC                                                   \
  }
#define HALF_VECTOR(operation)                                                                                         \
  VECTOR(HALVES, EMU_BIT(operation) | EMU_BIT(noftz) | EMU_BIT(v2)),                                                   \
      VECTOR(HALVES, EMU_BIT(operation) | EMU_BIT(noftz) | EMU_BIT(v4)),                                               \
      VECTOR("f16|bf16", EMU_BIT(operation) | EMU_BIT(noftz) | EMU_BIT(v8))

const emu_form_t nereid_emulator_atomic_forms[] = {BOTH(add, "u32|s32|u64|f32|f64", 0),
                                                   BOTH(min, "u32|s32|u64|s64", 0),
                                                   BOTH(max, "u32|s32|u64|s64", 0),
                                                   HALF(add),
                                                   HALF(min),
                                                   HALF(max),
                                                   VECTOR("f32", EMU_BIT(add) | EMU_BIT(v2)),
                                                   VECTOR("f32", EMU_BIT(add) | EMU_BIT(v4)),
                                                   HALF_VECTOR(add),
                                                   HALF_VECTOR(min),
                                                   HALF_VECTOR(max),
                                                   BOTH(inc, "u32", 0),
                                                   BOTH(dec, "u32", 0),
                                                   BOTH(and, "b32|b64", 0),
                                                   BOTH(or, "b32|b64", 0),
                                                   BOTH(xor, "b32|b64", 0),
                                                   {"atom", "b32|b64", "d0m-s0", EMU_BIT(exch), MAY, atom, ATOMIC},
                                                   {"atom", "b16|b32|b64", "d0m-s0s0", EMU_BIT(cas), MAY, atom, ATOMIC},
                                                   {0}};
