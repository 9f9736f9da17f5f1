/* Named constants in the text of IR: tile shapes, numbers and types that are chosen when a kernel is compiled.
 *
 *   tensor<${BLOCK_M}x${BLOCK_K}x${T = f16}>        BLOCK_M = 128, BLOCK_K = 64   →   tensor<128x64xf16>
 *   arith.constant ${BLOCK_K - 1} : i32                                           →   arith.constant 63 : i32
 *
 * A constant is a placeholder in the text, which is replaced before the text is parsed: types, attributes and operands
 * need no syntax of their own, and IR that Triton printed becomes a template by replacing the numbers in it.
 * `nereid compile --define` and `nereid run --define` accept the same placeholders (docs/kernels.md). */
#ifndef NEREID_CONSTANTS_H
#define NEREID_CONSTANTS_H

#include "base/arena.h"
#include "base/message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A constant and its value. A name is a letter or underscore, then letters, digits and underscores. The value is text
 * without a newline: an integer, or anything that is valid where the placeholder is ("f16", "1.0"). */
typedef struct nereid_constant {
  const char *name, *value;
} nereid_constant_t;

/* A place in a text; 0: unknown. */
typedef struct nereid_constants_place {
  unsigned line, column; /* counted from 1 */
} nereid_constants_place_t;

/* Replaces the placeholders of `text`:
 *
 *   ${NAME}           the value of NAME
 *   ${NAME = VALUE}   the same; VALUE is the default of NAME in the whole text
 *   ${a + 2 * b}      an integer expression of names and integers: + - * / % and parentheses; / and % round down
 *
 * `${` before another character than a letter, an underscore, a parenthesis or a minus sign, and `$${`, are unchanged:
 * inline assembly contains them. The number of lines stays the same. The result is in `arena`, or is `text` itself if
 * it has no placeholder. `out_place` may be null. On an error `*out_text` is empty.
 *   NEREID_ERROR_PROGRAM    a placeholder is malformed or has no value, two defaults of a constant differ, an
 *                           expression overflows, divides by zero or uses a value that is not an integer; `*out_place`
 *                           is the placeholder
 *   NEREID_ERROR_ARGUMENT   a constant is not used by the text, is defined twice, or its name or value is malformed
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_constants_substitute(nereid_arena_t *arena, nereid_view_t text, size_t n,
                                                            const nereid_constant_t *constants, nereid_view_t *out_text,
                                                            nereid_constants_place_t *out_place,
                                                            nereid_message_t *message);

#ifdef __cplusplus
}
#endif

#endif
