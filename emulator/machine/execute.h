/* Macros for instruction functions: `LOAD` the arrays of the operands, compute 32 lanes, `STORE` those of the mask.
 * All lanes are computed so that the loops vectorize; the expression must be defined for all bit patterns. EMU_SIMD
 * compiles a function for several x86-64 levels; the loader selects the one for the host. The thread sanitizer
 * instruments the selection, which runs before the sanitizer does. */
#ifndef NEREID_EMULATOR_EXECUTE_H
#define NEREID_EMULATOR_EXECUTE_H

#include "emulator/memory/access.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define EMU_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EMU_SIMD
#endif

static inline const uint8_t *emu_source(const emu_warp_t *warp, const emu_insn_t *insn, int k) {
  return warp->base[insn->operands[k].base] + insn->operands[k].offset;
}

static inline uint8_t *emu_destination(const emu_warp_t *warp, const emu_insn_t *insn, int k) {
  return warp->base[insn->operands[k].base] + insn->operands[k].offset;
}

static inline uint32_t emu_predicate(const emu_warp_t *warp, const emu_operand_t *operand) {
  uint32_t bits;
  memcpy(&bits, warp->base[operand->base] + operand->offset, sizeof bits);
  return operand->negated ? ~bits : bits;
}

static inline void emu_set_predicate(emu_warp_t *warp, const emu_operand_t *operand, uint32_t bits, uint32_t mask) {
  uint32_t old;
  uint8_t *place = warp->base[operand->base] + operand->offset;
  if (operand->absent)
    return;
  memcpy(&old, place, sizeof old);
  bits = (bits & mask) | (old & ~mask);
  memcpy(place, &bits, sizeof bits);
}

/* One lane of an operand of any width, zero-extended. */
static inline uint64_t emu_lane(const emu_warp_t *warp, const emu_operand_t *operand, int lane) {
  const uint8_t *from = warp->base[operand->base] + operand->offset + (size_t)lane * operand->size;
  uint64_t bits = 0;
  switch (operand->size) { /* the host is little endian; copies of constant size compile to loads */
  case 1:
    memcpy(&bits, from, 1);
    break;
  case 2:
    memcpy(&bits, from, 2);
    break;
  case 4:
    memcpy(&bits, from, 4);
    break;
  case 8:
    memcpy(&bits, from, 8);
    break;
  default:
    break;
  }
  return bits;
}

static inline void emu_set_lane(emu_warp_t *warp, const emu_operand_t *operand, int lane, uint64_t bits) {
  uint8_t *to = warp->base[operand->base] + operand->offset + (size_t)lane * operand->size;
  switch (operand->size) {
  case 1:
    memcpy(to, &bits, 1);
    break;
  case 2:
    memcpy(to, &bits, 2);
    break;
  case 4:
    memcpy(to, &bits, 4);
    break;
  case 8:
    memcpy(to, &bits, 8);
    break;
  default:
    break;
  }
}

#define FOR_LANES(lane, mask)                                                                                          \
  for (uint32_t lanes_left = (mask), lane; lanes_left && (lane = (uint32_t)__builtin_ctz(lanes_left), true);           \
       lanes_left &= lanes_left - 1)

/* Lvalue of a lane in an array of T. */
#define LANE(T, from, lane)                                                                                            \
  (__extension__({                                                                                                     \
    T here;                                                                                                            \
    memcpy(&here, (from) + (lane) * sizeof(T), sizeof here);                                                           \
    here;                                                                                                              \
  }))

#define LOAD(T, name, k)                                                                                               \
  T name[EMU_LANES];                                                                                                   \
  memcpy(name, emu_source(warp, insn, k), sizeof name)

#define STORE(T, values, k)                                                                                            \
  do {                                                                                                                 \
    uint8_t *place = emu_destination(warp, insn, k);                                                                   \
    if (mask == UINT32_MAX)                                                                                            \
      memcpy(place, values, sizeof values);                                                                            \
    else                                                                                                               \
      for (uint32_t lane = 0; lane < EMU_LANES; ++lane) {                                                              \
        T kept = LANE(T, place, lane);                                                                                 \
        kept = mask >> lane & 1 ? values[lane] : kept;                                                                 \
        memcpy(place + lane * sizeof(T), &kept, sizeof kept);                                                          \
      }                                                                                                                \
  } while (0)

/* Address of a lane: operand `k` plus the instruction's offset, computed in 32 bits if the register has 32. */
static inline uint64_t emu_address(const emu_warp_t *warp, const emu_insn_t *insn, unsigned k, int lane) {
  uint64_t sum = emu_lane(warp, &insn->operands[k], lane) + (uint64_t)insn->offset;
  return insn->operands[k].size == 4 ? (uint32_t)sum : sum;
}

/* The addresses of all lanes: operand `k` plus the instruction's offset, in the operand's width. */
static inline void emu_addresses(const emu_warp_t *warp, const emu_insn_t *insn, int k, uint64_t *addresses) {
  const uint8_t *from = emu_source(warp, insn, k);
  if (insn->operands[k].size == 8)
    for (size_t lane = 0; lane < EMU_LANES; ++lane)
      addresses[lane] = LANE(uint64_t, from, lane) + (uint64_t)insn->offset;
  else
    for (size_t lane = 0; lane < EMU_LANES; ++lane)
      addresses[lane] = LANE(uint32_t, from, lane) + (uint32_t)insn->offset;
}

/* name(a): R from a T; name(a, b); name(a, b, c). `flags` are the instruction's modifiers, for expressions that use
 * them. */
#define UNARY(name, R, T, expression)                                                                                  \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    const uint8_t *x = emu_source(warp, insn, 1);                                                                      \
    R result[EMU_LANES];                                                                                               \
    for (int l = 0; l < EMU_LANES; ++l) {                                                                              \
      T a = LANE(T, x, l);                                                                                             \
      result[l] = (R)(expression);                                                                                     \
    }                                                                                                                  \
    STORE(R, result, 0);                                                                                               \
    return EMU_ADVANCE;                                                                                                \
  }

#define BINARY_OF(name, R, T, U, expression)                                                                           \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    const uint8_t *x = emu_source(warp, insn, 1);                                                                      \
    const uint8_t *y = emu_source(warp, insn, 2);                                                                      \
    R result[EMU_LANES];                                                                                               \
    for (int l = 0; l < EMU_LANES; ++l) {                                                                              \
      T a = LANE(T, x, l);                                                                                             \
      U b = LANE(U, y, l);                                                                                             \
      result[l] = (R)(expression);                                                                                     \
    }                                                                                                                  \
    STORE(R, result, 0);                                                                                               \
    return EMU_ADVANCE;                                                                                                \
  }

#define BINARY(name, T, expression) BINARY_OF(name, T, T, T, expression)

#define TERNARY_OF(name, R, T, U, V, expression)                                                                       \
  EMU_SIMD static emu_next_t name(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {                           \
    const uint8_t *x = emu_source(warp, insn, 1);                                                                      \
    const uint8_t *y = emu_source(warp, insn, 2);                                                                      \
    const uint8_t *z = emu_source(warp, insn, 3);                                                                      \
    R result[EMU_LANES];                                                                                               \
    for (int l = 0; l < EMU_LANES; ++l) {                                                                              \
      T a = LANE(T, x, l);                                                                                             \
      U b = LANE(U, y, l);                                                                                             \
      V c = LANE(V, z, l);                                                                                             \
      result[l] = (R)(expression);                                                                                     \
    }                                                                                                                  \
    STORE(R, result, 0);                                                                                               \
    return EMU_ADVANCE;                                                                                                \
  }

#define TERNARY(name, T, expression) TERNARY_OF(name, T, T, T, T, expression)

#endif
