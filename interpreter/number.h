/* Conversions between elements' bits and doubles, rounded once.
 *
 *   f16 a + b:   both become doubles, whose sum is exact or rounded to odd, and is then rounded to f16
 *
 * A double has more than twice the precision of f32 plus two bits: sum, difference, product, quotient and square
 * root of narrower operands, computed in double and rounded again, are correctly rounded. NaN results are canonical:
 * 0x7fffffff in f32, 0x7fff in f16 and bf16, 0x7ff8000000000000 in f64, 0x7f in the 8-bit floats. */
#ifndef NEREID_INTERPRETER_NUMBER_H
#define NEREID_INTERPRETER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum nereid_format {
  NEREID_FORMAT_INTEGER,
  NEREID_FORMAT_F16,
  NEREID_FORMAT_BF16,
  NEREID_FORMAT_F32,
  NEREID_FORMAT_F64,
  NEREID_FORMAT_F8E4M3FN,
  NEREID_FORMAT_F8E5M2,
  NEREID_FORMAT_F8E8M0FNU, /* a scale: a power of two, or NaN */
  NEREID_FORMAT_F4E2M1FN,  /* one per byte; no infinities and no NaN */
  NEREID_FORMAT_POINTER,   /* a 64-bit address */
  NEREID_FORMAT_BLOCK,     /* a block pointer or a descriptor: the words of a nereid_block_t */
} nereid_format_t;

typedef struct nereid_kind {
  nereid_format_t format;
  unsigned bits;          /* bits of an element as a value: 1 for i1 */
  unsigned pointee_bytes; /* POINTER: the step of tt.addptr */
} nereid_kind_t;

static inline bool nereid_kind_is_float(nereid_kind_t kind) {
  return kind.format >= NEREID_FORMAT_F16 && kind.format <= NEREID_FORMAT_F4E2M1FN;
}

/* The low `bits` bits. */
static inline uint64_t nereid_bits_cut(uint64_t word, unsigned bits) {
  return bits >= 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

/* The word as a signed integer of its width. */
static inline int64_t nereid_bits_signed(uint64_t word, unsigned bits) {
  if (bits >= 64)
    return (int64_t)word;
  uint64_t sign = UINT64_C(1) << (bits - 1);
  return (int64_t)((nereid_bits_cut(word, bits) ^ sign) - sign);
}

float nereid_bits_to_f32(uint64_t word);
uint64_t nereid_bits_from_f32(float value);

/* The exact value of a float element. */
double nereid_bits_to_double(nereid_kind_t kind, uint64_t word);

/* Rounds a double to nearest, ties to even. `saturate`: overflow of an 8-bit float gives its largest value,
 * otherwise infinity, or NaN if the format has no infinity. */
uint64_t nereid_bits_from_double(nereid_kind_t kind, double value, bool saturate);

/* The same, rounded towards zero. */
uint64_t nereid_bits_toward_zero(nereid_kind_t kind, double value, bool saturate);

/* The NaN of a float kind; 0 for others. */
uint64_t nereid_bits_nan(nereid_kind_t kind);

/* a * b + c rounded once to the kind. */
uint64_t nereid_bits_fma(nereid_kind_t kind, uint64_t a, uint64_t b, uint64_t c);

/* A signed or unsigned integer rounded once to the float kind. */
uint64_t nereid_bits_from_integer(nereid_kind_t kind, uint64_t magnitude, bool negative);

#endif
