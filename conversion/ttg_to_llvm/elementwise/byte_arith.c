/* Arithmetic of 8-bit integers on 32-bit words of four; see byte_arith.h. Weights of 4 and 8 bits are loaded as words.
 * Masks, shifts and the subtraction of a zero point then take a few instructions per word, not several per element:
 *
 *   a & b, a | b, a ^ b      of the words
 *   a + b                    ((a & 0x7F…) + (b & 0x7F…)) ^ ((a ^ b) & 0x80…)      carries stop at bit 7
 *   a - b                    ((a | 0x80…) - (b & 0x7F…)) ^ ((a ^ ~b) & 0x80…)     so do borrows
 *   a << c, a >>u c          of the words, without the bits that came from a neighbour
 *   a >>s c                  like >>u if users mask the copies of the sign; else the sign is extended by ^ and -
 *
 * LLVM knows the bits of constants and masks and removes what has no effect. Where another op takes the elements in the
 * end, as an extension or a comparison, each is extracted in any case, from the loaded word if there is no other. */
#include "conversion/ttg_to_llvm/elementwise/byte_arith.h"

#include "conversion/ttg_to_llvm/elementwise/byte_cast.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/words.h"
#include "passes/support/splat.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinTypes.h>

enum { BYTE = 0xFF, SIGN = 0x80, REPEATED = 0x01010101, BITS = 8 };

static MlirValue repeated(nereid_lower_t *lower, int64_t byte) {
  return nereid_emit_i32(lower, (int32_t)((uint32_t)(byte & BYTE) * REPEATED));
}

/* The value of a splat constant; -1 for other values. */
static int64_t splat_byte(MlirValue value) {
  MlirAttribute constant = nereid_splat_constant(value);
  return mlirAttributeIsNull(constant) ? -1 : mlirIntegerAttrGetValueInt(constant) & BYTE;
}

static bool is_shift(nereid_op_kind_t kind) {
  return kind == NEREID_OP_ARITH_SHLI || kind == NEREID_OP_ARITH_SHRUI || kind == NEREID_OP_ARITH_SHRSI;
}

static bool has_word_form(MlirOperation op, nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_ARITH_ANDI:
  case NEREID_OP_ARITH_ORI:
  case NEREID_OP_ARITH_XORI:
  case NEREID_OP_ARITH_ADDI:
  case NEREID_OP_ARITH_SUBI:
    return true;
  default: {
    const int64_t shift = is_shift(kind) ? splat_byte(mlirOperationGetOperand(op, 1)) : -1;
    return shift >= 0 && shift < BITS;
  }
  }
}

/* Whether all users of `value` take words: conversions to floats, ops of this file whose users do, and ops that are not
 * elementwise, such as stores. */
static bool are_taken_as_words(MlirValue value, int depth) {
  enum { MAX_DEPTH = 6 };
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_op_kind_t kind = nereid_op_kind(user);
    if (kind == NEREID_OP_ARITH_SITOFP || kind == NEREID_OP_ARITH_UITOFP ||
        !nereidMlirOperationHasTrait(user, NereidMlirTraitElementwise))
      continue;
    if (!has_word_form(user, kind) || depth == MAX_DEPTH ||
        !are_taken_as_words(mlirOperationGetResult(user, 0), depth + 1))
      return false;
  }
  return true;
}

/* Whether the elements of `operand` are those of words, or constants; `*out_loaded`: not all are constants. */
static bool is_of_words(nereid_lower_t *lower, MlirValue operand, bool *out_loaded) {
  if (splat_byte(operand) >= 0)
    return true;
  const nereid_lowered_t bytes = nereid_lower_get(lower, operand);
  *out_loaded = true;
  return nereid_emit_are_bytes_of_words(lower, bytes.count, bytes.values);
}

static MlirValue word_of(nereid_lower_t *lower, MlirValue operand, intptr_t first) {
  const int64_t constant = splat_byte(operand);
  if (constant >= 0)
    return repeated(lower, constant);
  return nereid_emit_word(lower, NEREID_BYTES_PER_WORD, nereid_lower_get(lower, operand).values + first);
}

/* (a op b) ^ signs, where bit 7 of a and b has been set or removed, so that no carry or borrow leaves a byte. */
static MlirValue corrected(nereid_lower_t *lower, MlirValue sum, MlirValue signs) {
  return nereid_emit_xor(lower, sum, nereid_emit_and(lower, signs, repeated(lower, SIGN)));
}

static MlirValue add_bytes(nereid_lower_t *lower, MlirValue a, MlirValue b) {
  MlirValue low = repeated(lower, SIGN - 1);
  MlirValue sum = nereid_emit_add(lower, nereid_emit_and(lower, a, low), nereid_emit_and(lower, b, low));
  return corrected(lower, sum, nereid_emit_xor(lower, a, b));
}

static MlirValue subtract_bytes(nereid_lower_t *lower, MlirValue a, MlirValue b) {
  MlirValue low = nereid_emit_and(lower, b, repeated(lower, SIGN - 1));
  MlirValue difference = nereid_emit_binary(lower, "llvm.sub", nereid_emit_or(lower, a, repeated(lower, SIGN)), low);
  MlirValue inverted = nereid_emit_xor(lower, b, repeated(lower, BYTE));
  return corrected(lower, difference, nereid_emit_xor(lower, a, inverted));
}

/* Whether all users of the result of a shift to the right by `shift` remove its upper bits with a mask. */
static bool are_upper_bits_masked(MlirOperation op, int64_t shift) {
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const int64_t mask =
        nereid_op_kind(user) == NEREID_OP_ARITH_ANDI ? splat_byte(mlirOperationGetOperand(user, 1)) : -1;
    if (mask < 0 || (mask & ~(BYTE >> shift)) != 0)
      return false;
  }
  return true;
}

static MlirValue shift_bytes(nereid_lower_t *lower, MlirOperation op, nereid_op_kind_t kind, MlirValue a) {
  const int64_t shift = splat_byte(mlirOperationGetOperand(op, 1)) & (BITS - 1); /* has_word_form excludes others */
  MlirValue amount = nereid_emit_i32(lower, (int32_t)shift);
  if (kind == NEREID_OP_ARITH_SHLI)
    return nereid_emit_and(lower, nereid_emit_shl(lower, a, amount), repeated(lower, BYTE << shift));
  MlirValue shifted = nereid_emit_and(lower, nereid_emit_lshr(lower, a, amount), repeated(lower, BYTE >> shift));
  if (kind == NEREID_OP_ARITH_SHRUI || are_upper_bits_masked(op, shift))
    return shifted;
  MlirValue sign = repeated(lower, SIGN >> shift);
  return subtract_bytes(lower, nereid_emit_xor(lower, shifted, sign), sign);
}

static MlirValue word_op(nereid_lower_t *lower, MlirOperation op, nereid_op_kind_t kind, intptr_t first) {
  MlirValue a = word_of(lower, mlirOperationGetOperand(op, 0), first);
  if (is_shift(kind))
    return shift_bytes(lower, op, kind, a);
  MlirValue b = word_of(lower, mlirOperationGetOperand(op, 1), first);
  switch (kind) {
  case NEREID_OP_ARITH_ANDI:
    return nereid_emit_and(lower, a, b);
  case NEREID_OP_ARITH_ORI:
    return nereid_emit_or(lower, a, b);
  case NEREID_OP_ARITH_XORI:
    return nereid_emit_xor(lower, a, b);
  case NEREID_OP_ARITH_ADDI:
    return add_bytes(lower, a, b);
  default:
    return subtract_bytes(lower, a, b);
  }
}

bool nereid_lower_byte_arith(nereid_lower_t *lower, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_element_type(mlirValueGetType(result));
  const nereid_op_kind_t kind = nereid_op_kind(op);
  bool is_loaded = false;
  if (!mlirTypeIsARankedTensor(mlirValueGetType(result)) ||
      !mlirTypeEqual(element, mlirIntegerTypeGet(lower->context, BITS)) || !has_word_form(op, kind) ||
      !is_of_words(lower, mlirOperationGetOperand(op, 0), &is_loaded) ||
      (!is_shift(kind) && !is_of_words(lower, mlirOperationGetOperand(op, 1), &is_loaded)) || !is_loaded ||
      !are_taken_as_words(result, 0))
    return false;
  const intptr_t count = nereid_lower_get(lower, mlirOperationGetOperand(op, 0)).count;
  nereid_lowered_t lowered = nereid_lower_array(lower, count);
  for (intptr_t r = 0; lowered.values && r < count; r += NEREID_BYTES_PER_WORD)
    nereid_emit_split(lower, element, NEREID_BYTES_PER_WORD, word_op(lower, op, kind, r), lowered.values + r);
  nereid_lower_set(lower, result, lowered);
  return true;
}
