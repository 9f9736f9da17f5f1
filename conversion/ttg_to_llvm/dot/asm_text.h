/* Text, constraints and operands of an inline assembly statement with hundreds of registers.
 *
 *   results "=f,=f"   operands in the registers of results "0,1"   other operands "r,b"   memory clobber
 *
 * $0 is the first result; operands follow the results in the order in which they are added. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_DOT_ASM_TEXT_H
#define NEREID_CONVERSION_TTG_TO_LLVM_DOT_ASM_TEXT_H

#include "base/vector.h"
#include "conversion/ttg_to_llvm/lower.h"

typedef NEREID_VECTOR(char) nereid_asm_characters_t;

typedef struct nereid_asm_text {
  nereid_arena_t *arena; /* the only field to initialize */
  nereid_asm_characters_t text, constraints;
  NEREID_VECTOR(MlirType) results;
  NEREID_VECTOR(MlirValue) operands;
} nereid_asm_text_t;

/* Appends to the text. */
void nereid_asm_text_add(nereid_asm_text_t *text, const char *format, ...) NEREID_PRINTF(2, 3);

/* Appends "{$first,$first+1,...}", `count` registers. */
void nereid_asm_text_add_list(nereid_asm_text_t *text, size_t first, size_t count);

/* Adds a result of type i32, i64, f32 or f64. Results precede all operands. */
void nereid_asm_text_result(nereid_asm_text_t *text, MlirType type);

/* Adds an operand of such a type, or an i1 (a predicate), and returns its number; _tied in the register of a result. */
size_t nereid_asm_text_operand(nereid_asm_text_t *text, MlirValue value);
void nereid_asm_text_tied(nereid_asm_text_t *text, MlirValue value, size_t result);

/* Emits the statement, volatile and with a memory clobber. Returns its results, in the arena; null when out of memory.
 */
MlirValue *nereid_asm_text_emit(nereid_lower_t *lower, nereid_asm_text_t *text);

#endif
