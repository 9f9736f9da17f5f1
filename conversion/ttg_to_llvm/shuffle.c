/* Shuffles of any type, in words of 32 bits; see shuffle.h. */
#include "conversion/ttg_to_llvm/shuffle.h"

#include "conversion/ttg_to_llvm/emit.h"

#include <stdio.h>

enum { WORD_BITS = 32, MAX_PACKED = 4 };

/* i32 and f32 need no conversion. The last operand bounds the lanes: 0 for up, 31 for the others. */
static MlirValue shuffle_word(nereid_lower_t *lower, nereid_shuffle_t mode, MlirValue lane, MlirValue word) {
  static const char *const names[] = {"bfly", "up", "down", "idx"};
  char name[48];
  MlirType type = mlirValueGetType(word);
  ++lower->module->emitted.shuffles;
  snprintf(name, sizeof name, "llvm.nvvm.shfl.sync.%s.%s", names[mode], mlirTypeIsAF32(type) ? "f32" : "i32");
  MlirValue operands[] = {nereid_emit_i32(lower, -1), word, lane,
                          nereid_emit_i32(lower, mode == NEREID_SHUFFLE_UP ? 0 : 31)};
  return nereid_emit_intrinsic(lower, name, type, 4, operands);
}

static void shuffle_wide(nereid_lower_t *lower, nereid_shuffle_t mode, MlirValue lane, MlirValue value,
                         MlirValue *out) {
  MlirType pair = nereid_emit_vector_type(lower->types->i32, 2), type = mlirValueGetType(value);
  MlirValue words = nereid_emit_cast(lower, "llvm.bitcast", pair, nereid_emit_bits(lower, lower->types->i64, value));
  MlirValue halves[2];
  for (intptr_t i = 0; i < 2; ++i)
    halves[i] = shuffle_word(lower, mode, lane, nereid_emit_extract(lower, words, i));
  words = nereid_emit_pack(lower, 2, halves);
  *out = nereid_emit_bits(lower, type, nereid_emit_cast(lower, "llvm.bitcast", lower->types->i64, words));
}

/* `count` values, 1, 2 or 4, in one word. */
static void shuffle_packed(nereid_lower_t *lower, nereid_shuffle_t mode, MlirValue lane, unsigned bits, intptr_t count,
                           const MlirValue *values, MlirValue *out) {
  MlirType element = mlirValueGetType(values[0]), memory = mlirIntegerTypeGet(lower->context, bits);
  MlirType all = mlirIntegerTypeGet(lower->context, bits * (unsigned)count);
  MlirType type = count == 1 ? memory : nereid_emit_vector_type(memory, count);
  const bool narrow = bits * (unsigned)count < WORD_BITS, is_bool = mlirTypeEqual(element, lower->types->i1);
  MlirValue parts[MAX_PACKED];
  for (intptr_t i = 0; i < count; ++i)
    parts[i] =
        is_bool ? nereid_emit_cast(lower, "llvm.zext", memory, values[i]) : nereid_emit_bits(lower, memory, values[i]);
  MlirValue word = nereid_emit_bits(lower, all, nereid_emit_pack(lower, count, parts));
  if (narrow)
    word = nereid_emit_cast(lower, "llvm.zext", lower->types->i32, word);
  word = shuffle_word(lower, mode, lane, word);
  if (narrow)
    word = nereid_emit_cast(lower, "llvm.trunc", all, word);
  word = nereid_emit_bits(lower, type, word);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue part = count == 1 ? word : nereid_emit_extract(lower, word, i);
    out[i] = is_bool ? nereid_emit_cast(lower, "llvm.trunc", element, part) : nereid_emit_bits(lower, element, part);
  }
}

void nereid_shuffle(nereid_lower_t *lower, nereid_shuffle_t mode, MlirValue lane, intptr_t count,
                    const MlirValue *values, MlirValue *out_values) {
  if (count == 0)
    return;
  const unsigned bits = nereid_lower_memory_bits(mlirValueGetType(values[0]));
  for (intptr_t r = 0; r < count;) {
    intptr_t together = bits < WORD_BITS ? WORD_BITS / (intptr_t)bits : 1;
    while (together > count - r)
      together /= 2;
    if (bits > WORD_BITS)
      shuffle_wide(lower, mode, lane, values[r], out_values + r);
    else if (mlirTypeIsAF32(mlirValueGetType(values[0])))
      out_values[r] = shuffle_word(lower, mode, lane, values[r]);
    else
      shuffle_packed(lower, mode, lane, bits, together, values + r, out_values + r);
    r += together;
  }
}

MlirValue nereid_shuffle_first_thread(nereid_lower_t *lower) {
  nereid_lower_t prologue = nereid_lower_in_prologue(lower);
  if (mlirValueIsNull(lower->group->uniform_thread))
    lower->group->uniform_thread =
        shuffle_word(&prologue, NEREID_SHUFFLE_INDEX, nereid_emit_i32(&prologue, 0), lower->group->thread_id);
  return lower->group->uniform_thread;
}
