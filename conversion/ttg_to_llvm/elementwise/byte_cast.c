/* Conversions of 8-bit integers to 16-bit floats; see byte_cast.h. An instruction that converts an integer takes four
 * times as long as an addition. Instead, bytes become low bits of significands:
 *
 *   f16     prmt of the bytes with 0x64: 1024 + b, minus 1024; signed: 1024 + (b + 128), minus 1152
 *   bf16    b & 0x7F | 0x4300: 128 + (b & 0x7F), minus b & 0x80 | 0x4300: 128, or 256 where b is negative
 *
 * The significand of bf16 has seven bits for a byte, so that the sign bit is in the exponent of a second number. */
#include "conversion/ttg_to_llvm/elementwise/byte_cast.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"
#include "conversion/ttg_to_llvm/words.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

bool nereid_lower_can_convert_bytes(MlirType type, bool is_signed) {
  return mlirTypeIsAF16(type) || (mlirTypeIsABF16(type) && is_signed);
}

/* Bytes 2 * half and 2 * half + 1 of the word in the low bytes of two 16-bit numbers, with the byte `high` above. */
static MlirValue widen(nereid_lower_t *lower, MlirValue word, int half, int32_t high) {
  enum { FIRST = 0x4140, NEXT_HALF = 0x0202 };
  return nereid_emit_permute(lower, word, nereid_emit_i32(lower, high), FIRST + half * NEXT_HALF);
}

/* Two equal f16 or bf16. */
static MlirValue pair_of(nereid_lower_t *lower, MlirType type, double value) {
  const MlirValue values[] = {nereid_emit_float(lower, type, value), nereid_emit_float(lower, type, value)};
  return nereid_emit_pack(lower, 2, values);
}

static MlirValue to_f16(nereid_lower_t *lower, MlirValue word, int half, bool is_signed) {
  enum { HIGH = 0x64 };
  MlirType f16 = lower->types->f16;
  MlirValue biased = nereid_emit_bits(lower, nereid_emit_vector_type(f16, 2), widen(lower, word, half, HIGH));
  return nereid_emit_binary(lower, "llvm.fsub", biased, pair_of(lower, f16, is_signed ? 1152.0 : 1024.0));
}

/* value & mask | bits in one instruction, which the assembler does not form of two constants. */
static MlirValue and_or(nereid_lower_t *lower, MlirValue value, int32_t mask, int32_t bits) {
  MlirValue operands[] = {value, nereid_emit_i32(lower, mask), nereid_emit_i32(lower, bits)}, result;
  nereid_emit_asm(lower, "lop3.b32 $0, $1, $2, $3, 0xEA;", "=r,r,r,r", false, 1, &lower->types->i32, 3, operands,
                  &result);
  return result;
}

static MlirValue to_bf16(nereid_lower_t *lower, MlirType bf16, MlirValue word, int half) {
  enum { MAGNITUDES = 0x007F007F, SIGNS = 0x00800080, EXPONENTS = 0x43004300 };
  MlirType vector = nereid_emit_vector_type(bf16, 2);
  MlirValue bytes = widen(lower, word, half, 0);
  MlirValue operands[] = {nereid_emit_bits(lower, vector, and_or(lower, bytes, SIGNS, EXPONENTS)),
                          pair_of(lower, bf16, -1.0),
                          nereid_emit_bits(lower, vector, and_or(lower, bytes, MAGNITUDES, EXPONENTS))};
  return nereid_emit(lower, "llvm.intr.fma", vector, 3, operands); /* sm_80 has no other sum of bf16x2 */
}

void nereid_lower_bytes_to_float(nereid_lower_t *lower, MlirType type, bool is_signed, const MlirValue *bytes,
                                 MlirValue *out) {
  enum { SIGNS = (int32_t)0x80808080 };
  MlirValue word = nereid_emit_word(lower, NEREID_BYTES_PER_WORD, bytes);
  if (mlirTypeIsAF16(type) && is_signed)
    word = nereid_emit_xor(lower, word, nereid_emit_i32(lower, SIGNS));
  for (int half = 0; half < 2; ++half) {
    MlirValue pair = mlirTypeIsAF16(type) ? to_f16(lower, word, half, is_signed) : to_bf16(lower, type, word, half);
    nereid_emit_split(lower, type, 2, nereid_emit_bits(lower, lower->types->i32, pair), out + (ptrdiff_t)2 * half);
  }
}
