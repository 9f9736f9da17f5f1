/* Named constants: replacement, expressions, defaults, and the place of each error. */
#include "nereid/constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static nereid_arena_t arena;
static nereid_message_t message;
static nereid_constants_place_t place;

static const nereid_constant_t constants[] = {{"M", "128"}, {"K", "64"}, {"T", "f16"}, {"N", "-7"}};

static nereid_status_t substitute(const char *text, size_t n, nereid_view_t *out) {
  return nereid_constants_substitute(&arena, nereid_view(text), n, constants, out, &place, &message);
}

/* With the first `n` constants. */
static void becomes(const char *text, size_t n, const char *expected) {
  nereid_view_t out;
  if (substitute(text, n, &out))
    fail_msg("'%s': %s", text, message.text);
  if (!nereid_view_equal(out, nereid_view(expected)))
    fail_msg("'%s' became '%.*s', not '%s'", text, (int)out.size, out.data, expected);
}

static void fails(const char *text, size_t n, nereid_status_t status, const char *mention, unsigned line,
                  unsigned column) {
  nereid_view_t out;
  assert_int_equal(substitute(text, n, &out), status);
  assert_int_equal(out.size, 0);
  if (!strstr(message.text, mention))
    fail_msg("'%s' does not mention '%s'", message.text, mention);
  assert_int_equal(place.line, line);
  assert_int_equal(place.column, column);
}

static void replaces_names(void **state) {
  (void)state;
  becomes("tensor<${M}x${K}x${T}>", 3, "tensor<128x64xf16>");
  becomes("${ M }", 1, "128");
  becomes("a${M}", 1, "a128");
  becomes("${M}\n${M}\n", 1, "128\n128\n");
  becomes("no placeholder", 0, "no placeholder");
  becomes("", 0, "");
}

static void evaluates_expressions(void **state) {
  (void)state;
  becomes("${M + 2 * K}", 2, "256");
  becomes("${(M + 2) * K - 1}", 2, "8319");
  becomes("${M/K/2}${M%100}", 2, "128"); /* 1 and 28 */
  becomes("${M - K - 1}", 2, "63");
  becomes("${-M}", 1, "-128");
  becomes("${N / 2} ${N % 2} ${M}${K}${T}", 4, "-4 1 12864f16");
  becomes("${-9223372036854775807 - 1 + M - M}", 1, "-9223372036854775808");
}

static void applies_defaults(void **state) {
  (void)state;
  becomes("${X = 32} ${X} ${X * 2}", 0, "32 32 64");
  becomes("${X} ${X=32}", 0, "32 32");
  becomes("${M = 1} ${M}", 1, "128 128");
  becomes("${U = f16} ${U = f16}", 0, "f16 f16");
}

static void leaves_other_text(void **state) {
  (void)state;
  becomes("\"mov.b32 $0, ${1:h};\" $$ $ ${", 0, "\"mov.b32 $0, ${1:h};\" $$ $ ${");
  becomes("$${M} ${M}", 1, "$${M} 128");
  becomes("@f$M %x$", 0, "@f$M %x$");
}

static void wrong_texts(void **state) {
  (void)state;
  fails("x\n  ${Q}", 1, NEREID_ERROR_PROGRAM, "constant 'Q' has no value", 2, 3);
  fails("x\n  ${Q + 1}", 1, NEREID_ERROR_PROGRAM, "defined: M", 2, 3);
  fails("${M", 1, NEREID_ERROR_PROGRAM, "no '}'", 1, 1);
  fails("${M\n}", 1, NEREID_ERROR_PROGRAM, "no '}'", 1, 1);
  fails("${M +}", 1, NEREID_ERROR_PROGRAM, "expected a name", 1, 1);
  fails("${(M}", 1, NEREID_ERROR_PROGRAM, "expected ')' in '${(M}'", 1, 1);
  fails("${M 2}", 1, NEREID_ERROR_PROGRAM, "expected an operator", 1, 1);
  fails("${M / (M - M)}", 1, NEREID_ERROR_PROGRAM, "division by zero", 1, 1);
  fails("${M * 9223372036854775807}", 1, NEREID_ERROR_PROGRAM, "overflow", 1, 1);
  fails("${M + 9223372036854775808}", 1, NEREID_ERROR_PROGRAM, "fits 64 bits", 1, 1);
  fails("${M}${K}${T + 1}", 3, NEREID_ERROR_PROGRAM, "requires an integer", 1, 9);
  fails("${X = 1}\n${X = 2}", 0, NEREID_ERROR_PROGRAM, "two defaults", 2, 1);
  fails("${X = }", 0, NEREID_ERROR_PROGRAM, "expected ${NAME = VALUE}", 1, 1);
  fails("${M}", 2, NEREID_ERROR_ARGUMENT, "constant 'K' is defined, but the text has no ${K}", 0, 0);
}

static void nested_parentheses_end(void **state) {
  char text[2048] = "${(";
  nereid_view_t out;
  (void)state;
  memset(text + 3, '(', 1000);
  strcpy(text + 1003, "M}");
  assert_int_equal(substitute(text, 1, &out), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(message.text, "too many parentheses"));
}

static void wrong_constants(void **state) {
  static const nereid_constant_t wrong[][2] = {
      {{"1x", "2"}, {0}}, {{"", "2"}, {0}}, {{"M", ""}, {0}}, {{"M", "1\n2"}, {0}}, {{"M", "1"}, {"M", "2"}}};
  nereid_view_t out;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    assert_int_equal(nereid_constants_substitute(&arena, nereid_view("${M}"), wrong[i][1].name ? 2 : 1, wrong[i], &out,
                                                 NULL, &message),
                     NEREID_ERROR_ARGUMENT);
}

static int free_arena(void **state) {
  (void)state;
  nereid_arena_deinitialize(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replaces_names),   cmocka_unit_test(evaluates_expressions),
      cmocka_unit_test(applies_defaults), cmocka_unit_test(leaves_other_text),
      cmocka_unit_test(wrong_texts),      cmocka_unit_test(nested_parentheses_end),
      cmocka_unit_test(wrong_constants),
  };
  nereid_arena_initialize(&arena);
  return cmocka_run_group_tests(tests, NULL, free_arena);
}
