/* Words of four 8-bit elements from other words.
 *
 *   four words of elements (a0 a1 a2 a3) (b0 b1 b2 b3) ..   ->   prmt   ->   (a0 b0 c0 d0) (a1 b1 c1 d1) ..
 *
 * A tensor is an array of elements. LLVM would extract each byte and insert it again, with seven instructions per word;
 * a transposition of 4x4 bytes takes two permutations per word. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_BYTE_WORDS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_BYTE_WORDS_H

#include "conversion/ttg_to_llvm/context.h"

/* i32: a word of four i8 values that are elements of words; null where they are not, or `count` is not 4. */
MlirValue nereid_byte_word(nereid_lower_t *lower, intptr_t count, const MlirValue *values);

#endif
