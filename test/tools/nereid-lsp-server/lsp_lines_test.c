/* Positions: columns in UTF-16, UTF-8 and UTF-32, line breaks, text that is not UTF-8; edits of documents; tokens. */
#include "tools/nereid-lsp-server/text/document.c"
#include "tools/nereid-lsp-server/text/lexer.c"
#include "tools/nereid-lsp-server/text/lines.c"

#include "test/fixture.h"

#include <stdio.h>

static lsp_lines_t lines_of(const char *text) {
  lsp_lines_t lines;
  assert_true(lsp_lines_find(&arena, nereid_view(text), &lines));
  return lines;
}

static void columns_count_units(void **state) {
  (void)state;
  /* e with an accent: 2 bytes; a Chinese character: 3; a letter beyond U+FFFF: 4 bytes, two UTF-16 units. */
  static const struct {
    size_t offset;
    uint32_t utf8, utf16, utf32;
  } places[] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {3, 3, 2, 2}, {6, 6, 3, 3}, {10, 10, 5, 4}, {11, 11, 6, 5}};
  const lsp_lines_t lines = lines_of("a\xC3\xA9\xE6\xBC\xA2\xF0\x9D\x92\xB3z");
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    const uint32_t columns[] = {
        [LSP_UTF8] = places[i].utf8, [LSP_UTF16] = places[i].utf16, [LSP_UTF32] = places[i].utf32};
    for (int encoding = LSP_UTF16; encoding <= LSP_UTF32; ++encoding) {
      const lsp_position_t position = {0, columns[encoding]};
      assert_int_equal(lsp_lines_position(&lines, (lsp_encoding_t)encoding, places[i].offset).character,
                       columns[encoding]);
      assert_int_equal(lsp_lines_offset(&lines, (lsp_encoding_t)encoding, position), places[i].offset);
    }
  }
  /* Inside of a character: its start. */
  assert_int_equal(lsp_lines_offset(&lines, LSP_UTF16, (lsp_position_t){0, 4}), 6);
  assert_int_equal(lsp_lines_position(&lines, LSP_UTF16, 8).character, 3);
}

static void lines_end_in_three_ways(void **state) {
  (void)state;
  const lsp_lines_t lines = lines_of("ab\ncd\r\nef\rgh\n\r\n");
  static const size_t starts[] = {0, 3, 7, 10, 13, 15}, ends[] = {2, 5, 9, 12, 13, 15};
  assert_int_equal(lines.count, 6);
  for (size_t i = 0; i < lines.count; ++i) {
    assert_int_equal(lines.starts[i], starts[i]);
    assert_int_equal(lsp_lines_end(&lines, i), ends[i]);
    assert_int_equal(lsp_lines_line(&lines, starts[i]), i);
  }
  /* A column after the end of a line, a line after the last one. */
  assert_int_equal(lsp_lines_offset(&lines, LSP_UTF16, (lsp_position_t){1, 99}), 5);
  assert_int_equal(lsp_lines_offset(&lines, LSP_UTF16, (lsp_position_t){99, 0}), 15);
  /* Between \r and \n: the end of the line. */
  assert_int_equal(lsp_lines_position(&lines, LSP_UTF16, 6).character, 2);
}

static void bytes_that_are_not_utf8_count_one(void **state) {
  (void)state;
  /* A lone continuation byte, an overlong form, a sequence that the text cuts, a byte that never occurs. */
  const lsp_lines_t lines = lines_of("\x80\xC0\x80\xFF\xE6\xBC");
  for (uint32_t i = 0; i <= 6; ++i) {
    assert_int_equal(lsp_lines_position(&lines, LSP_UTF16, i).character, i);
    assert_int_equal(lsp_lines_offset(&lines, LSP_UTF32, (lsp_position_t){0, i}), i);
  }
  const lsp_lines_t empty = lines_of("");
  assert_int_equal(empty.count, 1);
  assert_int_equal(lsp_lines_offset(&empty, LSP_UTF16, (lsp_position_t){0, 5}), 0);
}

static void edits_replace_ranges(void **state) {
  (void)state;
  lsp_document_t *document = lsp_document_create("file:///a.ttir", "mlir", 1, nereid_view("one\ntwo\n"));
  assert_non_null(document);
  assert_true(lsp_document_edit(document, 4, 7, nereid_view("2\n3")));
  assert_string_equal(document->text.data, "one\n2\n3\n");
  assert_int_equal(document->lines.count, 4);
  assert_true(lsp_document_edit(document, 8, 8, nereid_view("end")));
  assert_true(lsp_document_edit(document, 4, 0, nereid_view(""))); /* a client may swap them */
  assert_string_equal(document->text.data, "2\n3\nend");
  lsp_document_destroy(document);
}

static void languages_are_recognized(void **state) {
  (void)state;
  static const struct {
    const char *uri, *language, *text;
    bool is_mlir;
  } cases[] = {
      {"file:///k.ttir", "plaintext", "module {\n}", true},
      {"untitled:1", "mlir", "", true},
      {"file:///k.ptx", "ptx", ".version 8.7", false},
      {"file:///k.mlir", "mlir", "// generated\n.version 8.7", false},
      {"file:///k.ttgir", "ttgir", "; ModuleID\nsource_filename = \"x\"", false},
      {"file:///k.py", "python", "import triton", false},
      {"file:///k.mlir", "mlir", "ML\xEFR...", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    lsp_document_t *document = lsp_document_create(cases[i].uri, cases[i].language, 1, nereid_view(cases[i].text));
    assert_int_equal(lsp_document_is_mlir(document), cases[i].is_mlir);
    lsp_document_destroy(document);
  }
}

/* The kinds of the tokens of a text, one letter each. */
static const char *kinds_of(const char *text) {
  static const char letters[] = "c\"0%r@^#!ATBonw.";
  lsp_tokens_t tokens;
  assert_true(lsp_tokens_find(&arena, nereid_view(text), &tokens));
  char *result = nereid_arena_new(&arena, char, tokens.count + 1);
  size_t end = 0;
  for (size_t i = 0; i < tokens.count; ++i) {
    assert_true(tokens.data[i].start >= end && tokens.data[i].length > 0);
    end = tokens.data[i].start + tokens.data[i].length;
    result[i] = letters[tokens.data[i].kind];
  }
  assert_true(end <= strlen(text));
  return result;
}

static void tokens_have_kinds(void **state) {
  (void)state;
  static const struct {
    const char *text, *kinds;
  } cases[] = {
      {"%x = tt.load %p {cache = 1 : i32} : tensor<64x!tt.ptr<f32>, #b>", "%.o%.n.0.B..B.0.T.B..#."},
      {"%r:2 = \"scf.for\"(%a#1) : (f8E4M3FN) -> !row", "%.0.o.%r...B...!"},
      {"^bb0(%i: i32): // note", "^.%.B..c"},
      {"#b = #ttg.blocked<{order = [1, 0]}>", "#.A..n..0.0..."},
      {"tt.func public @f() attributes {noinline = false} {", "ow@..w.n.w.."},
      {"module {", "o."},
      {"x = dense<0x7F, 1.5e-3>", "n.w.0.0."},
      {"\"unterminated\n%a", "\"%"},
      {"%c-1_i32 -> %x->", "%..%.."},
      {"%", "."},
      {"\xFF\xFE", ".."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_string_equal(kinds_of(cases[i].text), cases[i].kinds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(columns_count_units, set_up, tear_down),
      cmocka_unit_test_setup_teardown(lines_end_in_three_ways, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bytes_that_are_not_utf8_count_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(edits_replace_ranges, set_up, tear_down),
      cmocka_unit_test_setup_teardown(languages_are_recognized, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tokens_have_kinds, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
