/* Inline assembly with hundreds of registers; see asm_text.h. The type of a value determines its constraint. */
#include "conversion/ttg_to_llvm/dot/asm_text.h"

#include "conversion/ttg_to_llvm/emit.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_PIECE = 256 };

static void append(nereid_arena_t *arena, nereid_asm_characters_t *to, const char *piece) {
  for (; *piece; ++piece)
    nereid_vector_push(arena, to, *piece);
}

void nereid_asm_text_add(nereid_asm_text_t *text, const char *format, ...) {
  char piece[MAX_PIECE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  append(text->arena, &text->text, piece);
}

void nereid_asm_text_add_list(nereid_asm_text_t *text, size_t first, size_t count) {
  for (size_t i = 0; i < count; ++i)
    nereid_asm_text_add(text, "%s$%zu", i ? "," : "{", first + i);
  nereid_asm_text_add(text, "}");
}

static void constrain(nereid_asm_text_t *text, const char *format, ...) NEREID_PRINTF(2, 3);

static void constrain(nereid_asm_text_t *text, const char *format, ...) {
  char piece[MAX_PIECE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  append(text->arena, &text->constraints, text->constraints.size ? "," : "");
  append(text->arena, &text->constraints, piece);
}

static const char *register_class(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type) == 1 ? "b" : mlirIntegerTypeGetWidth(type) == 64 ? "l" : "r";
  return mlirTypeIsAF64(type) ? "d" : "f";
}

void nereid_asm_text_result(nereid_asm_text_t *text, MlirType type) {
  constrain(text, "=%s", register_class(type));
  nereid_vector_push(text->arena, &text->results, type);
}

size_t nereid_asm_text_operand(nereid_asm_text_t *text, MlirValue value) {
  constrain(text, "%s", register_class(mlirValueGetType(value)));
  nereid_vector_push(text->arena, &text->operands, value);
  return text->results.size + text->operands.size - 1;
}

void nereid_asm_text_tied(nereid_asm_text_t *text, MlirValue value, size_t result) {
  constrain(text, "%zu", result);
  nereid_vector_push(text->arena, &text->operands, value);
}

MlirValue *nereid_asm_text_emit(nereid_lower_t *lower, nereid_asm_text_t *text) {
  MlirValue *values = nereid_arena_new(text->arena, MlirValue, text->results.size);
  constrain(text, "~{memory}");
  nereid_vector_push(text->arena, &text->text, '\0');
  nereid_vector_push(text->arena, &text->constraints, '\0');
  if (text->arena->failed)
    return NULL;
  nereid_emit_asm(lower, text->text.data, text->constraints.data, true, (intptr_t)text->results.size,
                  text->results.data, (intptr_t)text->operands.size, text->operands.data, values);
  return values;
}
