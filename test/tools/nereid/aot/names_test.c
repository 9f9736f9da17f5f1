/* Names of generated C functions and arguments, and the kernels that are found in a text. */
#include "python-free-bindings/compile/scan.c"
#include "tools/nereid/aot/find_kernels.c"
#include "tools/nereid/aot/names.c"

#include "test/fixture.h"

static void names_become_identifiers(void **state) {
  static const struct {
    const char *name, *identifier, *variable;
  } rows[] = {
      {"x", "x", "x"},
      {"x.ptr", "x_ptr", "x_ptr"},
      {"2d", "_2d", "_2d"},
      {"ä", "__", "__"},
      {"register", "register", "register_"},
      {"class", "class", "class_"},
      {"linux", "linux", "linux_"},
      {"bool", "bool", "bool_"},
      {"Int", "Int", "Int"},
      {"", "", ""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    assert_string_equal(tool_name_identifier(&arena, rows[i].name), rows[i].identifier);
    assert_string_equal(tool_name_variable(&arena, rows[i].name), rows[i].variable);
  }
  assert_true(tool_name_is_identifier("a_1"));
  assert_false(tool_name_is_identifier(""));
  assert_false(tool_name_is_identifier("a-1"));
}

/* Compares the kernels of a text, separated by spaces. */
static void finds(const char *text, const char *expected) {
  tool_list_t names;
  const char *found = "";
  assert_int_equal(tool_aot_find_kernels(&arena, nereid_view(text), &names, &message), NEREID_OK);
  for (size_t i = 0; i < names.size; ++i)
    found = nereid_arena_format(&arena, "%s%s%s", found, i ? " " : "", names.items[i]);
  assert_string_equal(found, expected);
}

static void public_functions_are_kernels(void **state) {
  (void)state;
  finds("tt.func public @a() {}\n tt.func @b(%x: i32)\ntt.func  public\n@c\n(", "a b c");
  finds("tt.func private @a() tt.func nested @b() tt.func public @c()", "c");
  finds("// tt.func public @a()\ntt.func public @b() loc(\"tt.func public @c(\")", "b");
  finds("tt.func public @\"odd name\"() tt.func public @d$.-1(", "odd name d$.-1");
  finds("xtt.func public @a() tt.funct public @b() my.tt.func @c()", "");
}

static void torn_texts_have_no_kernels(void **state) {
  (void)state;
  static const char text[] = "tt.func public @\"a\"";
  for (size_t size = 0; size < sizeof text - 2; ++size) {
    tool_list_t names;
    char *copy = nereid_arena_copy(&arena, nereid_view_of(text, size));
    assert_int_equal(tool_aot_find_kernels(&arena, nereid_view_of(copy, size), &names, &message), NEREID_OK);
    assert_int_equal(names.size, 0);
  }
  finds("tt.func public @", "");
  finds("tt.func", "");
  finds("\"tt.func public @a(", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(names_become_identifiers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(public_functions_are_kernels, set_up, tear_down),
      cmocka_unit_test_setup_teardown(torn_texts_have_no_kernels, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
