/* Matrices for the tests of tensor-core instructions: elements of every type from small numbers whose products and sums
 * are exact, and kernels that fill registers from memory and give them back. Static functions. */
#ifndef NEREID_TEST_MATRICES_H
#define NEREID_TEST_MATRICES_H

#include "base/float.h"
#include "test/emulator/emulate.h"

#include <stdlib.h>
#include <string.h>

/* Bits of an element of a type as PTX names it. */
static inline unsigned element_bits(const char *type) {
  return strcmp(type, "b1") == 0                                 ? 1
         : strchr("su", type[0])                                 ? (unsigned)atoi(type + 1)
         : type[0] == 'e'                                        ? 8
         : strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0 ? 16
         : strcmp(type, "f64") == 0                              ? 64
                                                                 : 32;
}

static inline uint32_t float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline uint64_t element_of(const char *type, double x) {
  uint64_t bits = 0;
  if (strcmp(type, "f16") == 0)
    return nereid_float_to_f16(x, NEREID_FLOAT_NEAREST);
  if (strcmp(type, "bf16") == 0)
    return nereid_float_to_bf16(x, NEREID_FLOAT_NEAREST);
  if (strcmp(type, "e4m3") == 0)
    return nereid_float_to_f8e4m3fn(x, NEREID_FLOAT_NEAREST);
  if (strcmp(type, "e5m2") == 0)
    return nereid_float_to_f8e5m2(x, NEREID_FLOAT_NEAREST);
  if (strcmp(type, "f64") == 0)
    return memcpy(&bits, &x, sizeof bits), bits;
  if (strstr(type, "f32"))
    return float_bits((float)x);
  return (uint64_t)(int64_t)x & (UINT64_MAX >> (64 - element_bits(type)));
}

/* A small number that the type has, and its square, exactly. */
static inline double small_number(const char *type, unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  unsigned random = *seed >> 16;
  if (type[0] == 'u' || type[0] == 'b')
    return strcmp(type, "bf16") == 0 ? ((int)(random % 17) - 8) / 2.0 : random % (type[0] == 'b' ? 2 : 16);
  return type[0] == 's' ? (int)(random % 16) - 8 : ((int)(random % 17) - 8) / 2.0;
}

/* Sets or gets the element of `bits` bits at `index` of packed words. */
static inline void put_element(void *words, size_t index, unsigned bits, uint64_t value) {
  uint8_t *at = (uint8_t *)words + index * bits / 8;
  if (bits >= 8)
    memcpy(at, &value, bits / 8);
  else
    *at = (uint8_t)((*at & ~(((1u << bits) - 1) << (index * bits % 8))) | value << (index * bits % 8));
}

static inline uint64_t get_element(const void *words, size_t index, unsigned bits) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)words + index * bits / 8, bits >= 8 ? bits / 8 : 1);
  return bits >= 8 ? value : value >> (index * bits % 8) & ((1u << bits) - 1);
}

/* Text of registers: "{%x0, %x1}". */
static inline int list_text(char *out, size_t size, char name, unsigned first, unsigned n) {
  int at = snprintf(out, size, "{");
  for (unsigned i = 0; i < n; ++i)
    at += snprintf(out + at, size - (size_t)at, "%s%%%c%u", i ? ", " : "", name, first + i);
  return at + snprintf(out + at, size - (size_t)at, "}");
}

#endif
