/* Words and permutations of bytes; see words.h.
 *
 *   low = prmt(a, b): a0 b0 a1 b1      high = prmt(c, d): c0 d0 c1 d1
 *   prmt(low, high): a0 b0 c0 d0       and from the same two: a1 b1 c1 d1
 *
 * Four bytes of two words, also those that a program cuts from them by shifts and truncations, take one permutation.
 * LLVM merges equal permutations. PTX ISA, "prmt". */
#include "conversion/ttg_to_llvm/words.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "dialects/ir.h"

#include <string.h>

enum { WORD_BYTES = 4, BYTE_BITS = 8 };

typedef struct byte {
  MlirValue word; /* null: not an element of a word */
  int32_t index;
} byte_t;

static MlirOperation defining_op_named(MlirValue value, const char *name) {
  if (!mlirValueIsAOpResult(value))
    return (MlirOperation){NULL};
  MlirOperation op = mlirOpResultGetOwner(value);
  const bool same = mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), nereid_ir_ref(name));
  return same ? op : (MlirOperation){NULL};
}

/* The word that an i8 is extracted from: llvm.extractelement of llvm.bitcast of an i32. */
static byte_t byte_of(nereid_lower_t *lower, MlirValue value) {
  const byte_t none = {.index = 0};
  MlirOperation extract = defining_op_named(value, "llvm.extractelement");
  if (mlirOperationIsNull(extract) || !mlirTypeEqual(mlirValueGetType(value), lower->types->i8))
    return none;
  MlirOperation cast = defining_op_named(mlirOperationGetOperand(extract, 0), "llvm.bitcast");
  MlirOperation constant = defining_op_named(mlirOperationGetOperand(extract, 1), "llvm.mlir.constant");
  if (mlirOperationIsNull(cast) || mlirOperationIsNull(constant))
    return none;
  MlirValue word = mlirOperationGetOperand(cast, 0);
  if (!mlirTypeEqual(mlirValueGetType(word), lower->types->i32))
    return none;
  const int64_t index = mlirIntegerAttrGetValueInt(nereid_ir_attribute(constant, "value"));
  return (byte_t){word, (int32_t)index};
}

/* The word that an i8 is cut from: llvm.trunc of an i32, or of one that is shifted right by bytes. */
static byte_t byte_cut_from(nereid_lower_t *lower, MlirValue value) {
  const byte_t none = {.index = 0};
  MlirOperation trunc = defining_op_named(value, "llvm.trunc");
  if (mlirOperationIsNull(trunc) || !mlirTypeEqual(mlirValueGetType(value), lower->types->i8) ||
      !mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(trunc, 0)), lower->types->i32))
    return none;
  MlirValue word = mlirOperationGetOperand(trunc, 0);
  MlirOperation shift = defining_op_named(word, "llvm.lshr");
  if (mlirOperationIsNull(shift))
    shift = defining_op_named(word, "llvm.ashr");
  MlirOperation constant =
      mlirOperationIsNull(shift) ? shift : defining_op_named(mlirOperationGetOperand(shift, 1), "llvm.mlir.constant");
  if (mlirOperationIsNull(constant))
    return (byte_t){word, 0};
  const int64_t bits = mlirIntegerAttrGetValueInt(nereid_ir_attribute(constant, "value"));
  return bits % BYTE_BITS || bits < 0 || bits >= WORD_BYTES * BYTE_BITS
             ? (byte_t){word, 0}
             : (byte_t){mlirOperationGetOperand(shift, 0), (int32_t)(bits / BYTE_BITS)};
}

MlirValue nereid_emit_permute(nereid_lower_t *lower, MlirValue low, MlirValue high, int32_t selector) {
  MlirValue operands[] = {low, high, nereid_emit_i32(lower, selector)};
  return nereid_emit_intrinsic(lower, "llvm.nvvm.prmt", lower->types->i32, 3, operands);
}

/* Two bytes in the low half of a word. Where both have one index, the upper half has those of the index's neighbour,
 * which a transposition needs next; `*out_odd`: the bytes are in the upper half. */
static MlirValue pair(nereid_lower_t *lower, byte_t a, byte_t b, bool *out_odd) {
  const bool same = a.index == b.index;
  const int32_t even = a.index & ~1, second = 4;
  const int32_t neighbours = even | (even + second) << 4 | (even + 1) << 8 | (even + 1 + second) << 12;
  *out_odd = same && a.index & 1;
  return nereid_emit_permute(lower, a.word, b.word, same ? neighbours : a.index | (b.index + second) << 4);
}

/* Four bytes of at most two words, by one permutation; null where there are more. */
static MlirValue permutation_of_two(nereid_lower_t *lower, const byte_t *bytes) {
  const MlirValue first = bytes[0].word;
  MlirValue second = first;
  int32_t selector = 0;
  for (int32_t i = 0; i < WORD_BYTES; ++i) {
    const bool is_first = mlirValueEqual(bytes[i].word, first);
    if (!is_first && mlirValueEqual(second, first))
      second = bytes[i].word;
    if (!is_first && !mlirValueEqual(bytes[i].word, second))
      return (MlirValue){NULL};
    selector |= (bytes[i].index + (is_first ? 0 : WORD_BYTES)) << (4 * i);
  }
  return nereid_emit_permute(lower, first, second, selector);
}

/* A word of four i8 values that are elements of words, or are cut from words; null where they are not, or are not
 * four. */
static MlirValue byte_word(nereid_lower_t *lower, intptr_t count, const MlirValue *values) {
  byte_t bytes[WORD_BYTES];
  bool odd[2], whole = true, are_elements = true;
  for (int32_t i = 0; i < WORD_BYTES; ++i) {
    bytes[i] = count == WORD_BYTES ? byte_of(lower, values[i]) : (byte_t){.index = 0};
    if (count == WORD_BYTES && mlirValueIsNull(bytes[i].word)) {
      are_elements = false;
      bytes[i] = byte_cut_from(lower, values[i]);
    }
    if (mlirValueIsNull(bytes[i].word))
      return (MlirValue){NULL};
    whole &= bytes[i].index == i && mlirValueEqual(bytes[i].word, bytes[0].word);
  }
  if (whole)
    return bytes[0].word;
  MlirValue permuted = permutation_of_two(lower, bytes);
  if (!mlirValueIsNull(permuted) || !are_elements) /* LLVM packs the low bytes of several words equally well */
    return permuted;
  MlirValue low = pair(lower, bytes[0], bytes[1], &odd[0]), high = pair(lower, bytes[2], bytes[3], &odd[1]);
  const int32_t halves[] = {odd[0] ? 0x32 : 0x10, odd[1] ? 0x76 : 0x54};
  return nereid_emit_permute(lower, low, high, halves[0] | halves[1] << 8);
}

bool nereid_emit_are_bytes_of_words(nereid_lower_t *lower, intptr_t count, const MlirValue *values) {
  bool are = count % WORD_BYTES == 0;
  for (intptr_t i = 0; are && i < count; ++i)
    are = !mlirValueIsNull(byte_of(lower, values[i]).word);
  return are;
}

/* --- words --- */

/* A word that was taken apart. */
struct nereid_lower_word {
  nereid_lower_word_t *previous; /* previous word of the function */
  MlirValue word, vector;
  intptr_t count;
  MlirValue *parts;
};

void nereid_emit_split(nereid_lower_t *lower, MlirType element, intptr_t count, MlirValue word, MlirValue *out_values) {
  nereid_lower_word_t *record = nereid_arena_new(lower->arena, nereid_lower_word_t, 1);
  MlirValue *parts = nereid_arena_new(lower->arena, MlirValue, (size_t)count);
  MlirValue vector = nereid_emit_bits(lower, nereid_emit_vector_type(element, count), word);
  for (intptr_t i = 0; i < count; ++i)
    out_values[i] = nereid_emit_extract(lower, vector, i);
  uintptr_t *found = nereid_map_insert(&lower->function->words, out_values[0].ptr);
  if (!record || !parts || !found)
    return;
  memcpy(parts, out_values, (size_t)count * sizeof *parts);
  *record = (nereid_lower_word_t){lower->function->last_word, word, vector, count, parts};
  *found = (uintptr_t)record;
  lower->function->last_word = record;
}

MlirValue nereid_emit_word(nereid_lower_t *lower, intptr_t count, const MlirValue *values) {
  const uintptr_t *found = nereid_map_find(&lower->function->words, values[0].ptr);
  const nereid_lower_word_t *record = found ? (const nereid_lower_word_t *)*found : NULL;
  bool whole = record && record->count == count;
  for (intptr_t i = 0; whole && i < count; ++i)
    whole = mlirValueEqual(record->parts[i], values[i]);
  if (whole)
    return record->word;
  MlirValue permuted = byte_word(lower, count, values);
  if (!mlirValueIsNull(permuted))
    return permuted;
  return nereid_emit_bits(lower, lower->types->i32, nereid_emit_pack(lower, count, values));
}

static void remove_unused(MlirValue value) {
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    mlirOperationDestroy(mlirOpResultGetOwner(value));
}

void nereid_emit_remove_unused(nereid_lower_t *lower) {
  for (const nereid_lower_word_t *record = lower->function->last_word; record; record = record->previous) {
    for (intptr_t i = 0; i < record->count; ++i)
      remove_unused(record->parts[i]);
    remove_unused(record->vector);
  }
  lower->function->last_word = NULL;
}
