/* 32-bit words of narrower elements: instructions and shared memory use words, a tensor is an array of elements.
 *
 *   %w: i32    ->  nereid_emit_split  ->  %a, %b: f16  ->  nereid_emit_word  ->  %w
 *
 * A word that was split and is built again is the same value, without operations between. A word of four 8-bit elements
 * of other words is built by permutations: LLVM would extract each byte and insert it again, with seven instructions
 * per word; a transposition of 4x4 bytes takes two permutations per word. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_WORDS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_WORDS_H

#include "conversion/ttg_to_llvm/context.h"

#include <stdbool.h>

/* A 32-bit word of `count` elements of one LLVM type: the word that nereid_emit_split took apart, if it is that. */
MlirValue nereid_emit_word(nereid_lower_t *lower, intptr_t count, const MlirValue *values);
/* prmt: a word of four of the eight bytes of `low` and `high`, by four bits of `selector` each. */
MlirValue nereid_emit_permute(nereid_lower_t *lower, MlirValue low, MlirValue high, int32_t selector);
/* Whether `count` i8 are elements of words, in groups of four, so that nereid_emit_word inserts no byte. */
bool nereid_emit_are_bytes_of_words(nereid_lower_t *lower, intptr_t count, const MlirValue *values);
/* Takes a word (i32) apart. What nothing uses in the end is removed with the function's last op. */
void nereid_emit_split(nereid_lower_t *lower, MlirType element, intptr_t count, MlirValue word, MlirValue *out_values);
/* Removes the parts of words that have no use. */
void nereid_emit_remove_unused(nereid_lower_t *lower);

#endif
