/* Floating-point formats without a C type, converted in software with one rounding.
 *
 *   format     sign exponent mantissa bias   largest    infinity   NaN of conversions
 *   f16          1      5       10     15     65504     0x7c00     0x7fff
 *   bf16         1      8        7    127     3.39e38   0x7f80     0x7fff
 *   f8E4M3FN     1      4        3      7     448       none       0x7f   (Triton: fp8e4nv)
 *   f8E5M2       1      5        2     15     57344     0x7c       0x7f   (Triton: fp8e5)
 *
 * Narrowing rounds a double to nearest, ties to even, so that f32 and f64 sources are rounded exactly once. NaN becomes
 * the positive NaN of the table, as in `cvt` (PTX ISA, cvt). The caller chooses the overflow behavior:
 * NEREID_FLOAT_NEAREST returns infinity, or NaN in f8E4M3FN, which has no infinity. NEREID_FLOAT_SATFINITE returns the
 * largest value with the sign of the source, for infinities too (PTX `.satfinite`). Widening is exact; a NaN stays a
 * NaN. Pure functions: any thread. */
#ifndef NEREID_BASE_FLOAT_H
#define NEREID_BASE_FLOAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nereid_float_overflow {
  NEREID_FLOAT_NEAREST = 0,
  NEREID_FLOAT_SATFINITE = 1,
} nereid_float_overflow_t;

uint16_t nereid_float_to_f16(double value, nereid_float_overflow_t overflow);
uint16_t nereid_float_to_bf16(double value, nereid_float_overflow_t overflow);
uint8_t nereid_float_to_f8e4m3fn(double value, nereid_float_overflow_t overflow);
uint8_t nereid_float_to_f8e5m2(double value, nereid_float_overflow_t overflow);

float nereid_float_from_f16(uint16_t bits);
float nereid_float_from_bf16(uint16_t bits);
float nereid_float_from_f8e4m3fn(uint8_t bits);
float nereid_float_from_f8e5m2(uint8_t bits);

#ifdef __cplusplus
}
#endif

#endif
