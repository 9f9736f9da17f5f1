/* Matrices for the tests of tensor core instructions: elements of every type from small values with exact products and
 * sums, and kernels that load registers from memory and store them. Static functions. */
#ifndef NEREID_TEST_MATRICES_H
#define NEREID_TEST_MATRICES_H

#include "base/float.h"
#include "test/emulator/emulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bit width of an element of a PTX type. */
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

/* A small value whose square, too, is exact in the type. */
static inline double small_number(const char *type, unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  unsigned random = *seed >> 16;
  if (type[0] == 'u' || type[0] == 'b')
    return strcmp(type, "bf16") == 0 ? ((int)(random % 17) - 8) / 2.0 : random % (type[0] == 'b' ? 2 : 16);
  return type[0] == 's' ? (int)(random % 16) - 8 : ((int)(random % 17) - 8) / 2.0;
}

/* The value of an element. */
static inline double value_of(const char *type, uint64_t bits) {
  uint32_t low = (uint32_t)bits & (strcmp(type, "tf32") == 0 ? 0xffffe000 : UINT32_MAX);
  float single;
  memcpy(&single, &low, sizeof single);
  return strcmp(type, "f16") == 0    ? (double)nereid_float_from_f16((uint16_t)bits)
         : strcmp(type, "bf16") == 0 ? (double)nereid_float_from_bf16((uint16_t)bits)
         : strcmp(type, "e4m3") == 0 ? (double)nereid_float_from_f8e4m3fn((uint8_t)bits)
         : strcmp(type, "e5m2") == 0 ? (double)nereid_float_from_f8e5m2((uint8_t)bits)
                                     : (double)single;
}

/* A value of the type, of one of a few magnitudes. */
static inline double any_number(const char *type, unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  double x = ldexp((int)(*seed >> 8 & 0xffff) - 0x8000, (int)(*seed >> 24 & 7) - 19);
  return value_of(type, element_of(type, x));
}

/* The exponent of a value; for subnormals, the minimum exponent of its type. */
static inline int exponent_of(double x, int least) {
  int exponent;
  (void)frexp(x, &exponent);
  return exponent - 1 < least ? least : exponent - 1;
}

/* c + a[0] b[0] + a[1] b[1] + ..., each truncated `fraction` bits below the greatest exponent, their sum to `mantissa`
 * bits unless that is 0; `least`: the minimum exponent of a's and b's type. */
static inline double cut_sum(const double *a, const double *b, unsigned n, double c, int fraction, int mantissa,
                             int least) {
  int top = c != 0 ? exponent_of(c, -126) : -1000;
  double sum;
  for (unsigned i = 0; i < n; ++i) {
    int exponent = exponent_of(a[i], least) + exponent_of(b[i], least);
    top = a[i] != 0 && b[i] != 0 && exponent > top ? exponent : top;
  }
  sum = trunc(ldexp(c, fraction - top));
  for (unsigned i = 0; i < n; ++i)
    sum += trunc(ldexp(a[i] * b[i], fraction - top));
  sum = ldexp(sum, top - fraction);
  if (mantissa == 0 || sum == 0)
    return sum;
  int shift = mantissa - exponent_of(sum, -126);
  return ldexp(trunc(ldexp(sum, shift)), -shift);
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
