/* Keys, and the bytes of a unit: any change of a unit is detected, and hostile sizes are rejected before use. */
#include "python-free-bindings/launch/store/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "test/fixture.h"

static const nereid_store_recipe_t recipe = {.size = sizeof recipe,
                                             .input = {"tt.func @f()", 12},
                                             .options = "num_warps=4",
                                             .architecture = "sm_90a",
                                             .compiler = "nereid 0.1.0",
                                             .assembler = "ptxas 13.0.88"};

static void expect_key(const nereid_store_recipe_t *of, const char *expected, bool is_equal) {
  nereid_store_key_t key;
  char text[NEREID_STORE_KEY_LETTERS + 1];
  assert_int_equal(nereid_store_key_make(of, &key), NEREID_OK);
  nereid_store_key_print(&key, text);
  assert_int_equal(strcmp(text, expected) == 0, is_equal);
}

/* The value was computed with the Python package blake3 1.0. */
static const char expected_key[] = "d522ad1510377d51dce4fc3828909deed7ecfad49d1d69686122a2f5bb14fae8";

static void a_key_depends_on_each_field(void **state) {
  (void)state;
  expect_key(&recipe, expected_key, true);
  nereid_store_recipe_t other[7] = {recipe, recipe, recipe, recipe, recipe, recipe, recipe};
  other[0].input.size = 11;
  other[1].options = "num_warps=8";
  other[2].architecture = "sm_80";
  other[3].compiler = "nereid 0.1.1";
  other[4].assembler = NULL;
  other[5].variant = "n < 1024";
  other[6].options = "num_warps=4sm", other[6].architecture = "_90a"; /* the same concatenation */
  for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
    expect_key(&other[i], expected_key, false);
  other[0].size = 8;
  nereid_store_key_t key;
  assert_int_equal(nereid_store_key_make(&other[0], &key), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_key_make(NULL, &key), NEREID_ERROR_ARGUMENT);
}

static void keys_are_parsed(void **state) {
  nereid_store_key_t key, again;
  char text[NEREID_STORE_KEY_LETTERS + 1];
  (void)state;
  assert_int_equal(nereid_store_key_make(&recipe, &key), NEREID_OK);
  assert_true(nereid_store_key_parse(nereid_view(expected_key), &again));
  assert_memory_equal(&key, &again, sizeof key);
  nereid_store_key_print(&key, text);
  text[7] = 'A';
  assert_true(nereid_store_key_parse(nereid_view(text), &again));
  text[7] = 'g';
  assert_false(nereid_store_key_parse(nereid_view(text), &again));
  assert_false(nereid_store_key_parse(nereid_view("ab"), &again));
  assert_false(nereid_store_key_parse(nereid_view(NULL), &again));
}

static const nereid_store_key_t some_key = {{1, 2, 3}};

static nereid_store_unit_t encode(const char *image, const char *metadata, const char *tuning) {
  const nereid_store_content_t content = {nereid_view(image), nereid_view(metadata), nereid_view(tuning)};
  nereid_store_unit_t unit;
  assert_int_equal(nereid_unit_encode(&some_key, &content, &unit, &message), NEREID_OK);
  return unit;
}

static nereid_status_t decode(const char *bytes, size_t size) {
  nereid_store_content_t content;
  message.text[0] = '\0';
  return nereid_unit_decode(&some_key, nereid_view_of(bytes, size), &content, &message);
}

static void a_unit_is_read_back(void **state) {
  static const char *const parts[][3] = {
      {"image", "{}", "[1]"}, {"image", "{}", NULL}, {"", "{}", ""}, {NULL, "", "t"}};
  (void)state;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    nereid_store_unit_t unit = encode(parts[i][0], parts[i][1], parts[i][2]);
    nereid_store_content_t content;
    assert_int_equal(nereid_unit_decode(&some_key, nereid_view_of(unit.bytes, unit.size), &content, &message),
                     NEREID_OK);
    assert_true(nereid_view_equal(content.image, nereid_view(parts[i][0])));
    assert_true(nereid_view_equal(content.metadata, nereid_view(parts[i][1])));
    assert_true(nereid_view_equal(content.tuning, nereid_view(parts[i][2])));
    assert_int_equal(content.metadata.data[content.metadata.size], 0);
    assert_int_equal(nereid_unit_size((const uint8_t *)unit.bytes), unit.size);
    free(unit.bytes);
  }
}

static void each_changed_bit_is_found(void **state) {
  nereid_store_unit_t unit = encode("an image", "{\"name\": \"k\"}", "{}");
  (void)state;
  for (size_t i = 0; i < unit.size * 8; ++i) {
    unit.bytes[i / 8] ^= (char)(1 << i % 8);
    assert_int_equal(decode(unit.bytes, unit.size), NEREID_ERROR_IO);
    unit.bytes[i / 8] ^= (char)(1 << i % 8);
  }
  assert_int_equal(decode(unit.bytes, unit.size), NEREID_OK);
  free(unit.bytes);
}

/* In memory of exactly that size, for the address sanitizer. */
static void each_truncation_is_found(void **state) {
  nereid_store_unit_t unit = encode("an image", "{}", NULL);
  (void)state;
  for (size_t size = 0; size < unit.size; ++size) {
    char *bytes = malloc(size ? size : 1);
    memcpy(bytes, unit.bytes, size);
    assert_int_equal(decode(bytes, size), NEREID_ERROR_IO);
    free(bytes);
  }
  free(unit.bytes);
}

static void hostile_sizes_are_rejected(void **state) {
  static const unsigned char sizes[][8] = {
      {255, 255, 255, 255, 255, 255, 255, 255}, {0, 0, 0, 0, 0, 0, 0, 128}, {0, 0, 0, 1}, {0, 0, 0, 64}};
  (void)state;
  for (size_t field = 8; field < 80; field = field == 8 ? 48 : field + 8)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      nereid_store_unit_t unit = encode("an image", "{}", NULL);
      memcpy(unit.bytes + field, sizes[i], 8);
      assert_int_equal(decode(unit.bytes, unit.size), NEREID_ERROR_IO);
      assert_null(strstr(message.text, "checksum"));
      free(unit.bytes);
    }
}

static void reasons_are_named(void **state) {
  static const struct {
    size_t at;
    char value;
    const char *reason;
  } cases[] = {{0, 'X', "does not begin as a unit"},
               {7, 2, "another version"},
               {8, 1, "its size"},
               {16, 9, "the unit of another key"},
               {48, 9, "the sizes of its parts"},
               {79, 1, "reserved field"},
               {80, 0x55, "damaged: its checksum is wrong"},
               {112, 'x', "checksum"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_store_unit_t unit = encode("an image", "{}", NULL);
    unit.bytes[cases[i].at] ^= cases[i].value;
    assert_int_equal(decode(unit.bytes, unit.size), NEREID_ERROR_IO);
    assert_non_null(strstr(message.text, cases[i].reason));
    free(unit.bytes);
  }
}

static void a_unit_is_not_empty_or_too_large(void **state) {
  nereid_store_content_t content = {{0}, {0}, {0}};
  nereid_store_unit_t unit;
  (void)state;
  assert_int_equal(nereid_unit_encode(&some_key, &content, &unit, &message), NEREID_ERROR_ARGUMENT);
  content.metadata = nereid_view_of("", NEREID_UNIT_TEXT_LIMIT + 1);
  assert_int_equal(nereid_unit_encode(&some_key, &content, &unit, &message), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "metadata"));
  content = (nereid_store_content_t){.image = {"", (size_t)NEREID_UNIT_IMAGE_LIMIT + 1}};
  assert_int_equal(nereid_unit_encode(&some_key, &content, &unit, &message), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "image"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(a_key_depends_on_each_field), TEST(keys_are_parsed),
      TEST(a_unit_is_read_back),         TEST(each_changed_bit_is_found),
      TEST(each_truncation_is_found),    TEST(hostile_sizes_are_rejected),
      TEST(reasons_are_named),           TEST(a_unit_is_not_empty_or_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
