/* Argument specifications: parsing, the generated data, errors. The test includes the tool's sources, because a tool is
 * not a library. */
#include "tools/nereid/run/fill.c"
#include "tools/nereid/run/npy.c"
#undef REFUSE
#include "tools/nereid/run/spec.c"

#include <unistd.h>

#include "test/fixture.h"

static tool_spec_t spec;

static nereid_status_t parse(const char *text) {
  return tool_spec_parse(&arena, text, &spec, &message);
}

static void scalars(void **state) {
  (void)state;
  assert_int_equal(parse("4096"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_INTEGER && spec.integer == 4096 && spec.element == NEREID_ELEMENT_NONE);
  assert_int_equal(parse("-0x10"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_INTEGER && spec.integer == -16);
  assert_int_equal(parse("0.5"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_FLOAT && spec.number == 0.5);
  assert_int_equal(parse("bf16:1e-3"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_FLOAT && spec.element == NEREID_ELEMENT_BF16);
  assert_int_equal(parse("-inf"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_FLOAT && isinf(spec.number));
  assert_int_equal(parse("true"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_INTEGER && spec.integer == 1);
  assert_int_equal(parse("null"), NEREID_OK);
  assert_int_equal(spec.kind, TOOL_SPEC_NULL);
}

static void tensors(void **state) {
  (void)state;
  assert_int_equal(parse("f32[1024x64]:rand"), NEREID_OK);
  assert_true(spec.kind == TOOL_SPEC_TENSOR && spec.element == NEREID_ELEMENT_F32 && spec.fill == TOOL_FILL_RAND);
  assert_true(spec.rank == 2 && spec.shape[0] == 1024 && spec.shape[1] == 64 && spec.box_rank == 0);
  assert_int_equal(parse("f16[4096x4096]:randint(-3,4)/128x64"), NEREID_OK);
  assert_true(spec.fill == TOOL_FILL_RANDINT && spec.low == -3 && spec.high == 4);
  assert_true(spec.box_rank == 2 && spec.box[0] == 128 && spec.box[1] == 64);
  assert_int_equal(parse("fp8e5[7]:full(2.5)"), NEREID_OK);
  assert_true(spec.fill == TOOL_FILL_FULL && spec.value == 2.5);
  assert_int_equal(parse("@/some/2x2/f.npy"), NEREID_OK);
  assert_true(spec.fill == TOOL_FILL_FILE && spec.rank == 0 && spec.box_rank == 0);
  assert_string_equal(spec.file, "/some/2x2/f.npy");
  assert_int_equal(parse("bf16[4x4]:@a/b.npy/32x16"), NEREID_OK);
  assert_string_equal(spec.file, "a/b.npy");
  assert_true(spec.rank == 2 && spec.box_rank == 2 && spec.box[1] == 16 && !spec.has_swizzle);
  assert_int_equal(parse("@a.npy/128x64s128"), NEREID_OK);
  assert_true(spec.box_rank == 2 && spec.box[1] == 64 && spec.has_swizzle && spec.swizzle == 128);
}

static void wrong_specifications(void **state) {
  static const char *const cases[] = {
      "",
      "x",
      "1 2",
      "0.5f",
      "f33:1",
      "f32:",
      "f32[]:rand",
      "f32[4",
      "f32[4]",
      "f32[4]rand",
      "f32[4]:randn",
      "f32[4x]:rand",
      "f32[4]:rand/4s5",
      "f32[x4]:rand",
      "f32[-4]:rand",
      "f32[4]:",
      "f99[4]:rand",
      "[4]:rand",
      "f32[4]:randint(4,4)",
      "f32[4]:randint(1)",
      "f32[4]:full()",
      "f32[4]:rand/",
      "f32[4]:rand/8x",
      "f32[4]:rand/0",
      "f32[4]:rand/1x1x1x1x1x1",
      "f32[1x1x1x1x1x1x1x1x1]:rand",
      "f32[99999999999999999999]:rand",
      "f32[1000000x1000000x1000000]:zeros",
      "99999999999999999999999",
      "f32[4]:@",
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    message.text[0] = '\0';
    if (parse(cases[i]) != NEREID_ERROR_ARGUMENT)
      fail_msg("'%s' was taken", cases[i]);
    assert_true(message.text[0] != '\0');
  }
}

static nereid_status_t bits_of(const char *text, nereid_element_t element, uint64_t *bits) {
  assert_int_equal(parse(text), NEREID_OK);
  return tool_spec_scalar(&spec, element, bits, &message);
}

static void scalars_are_checked_against_their_type(void **state) {
  static const struct {
    const char *text;
    nereid_element_t element;
    bool good;
    uint64_t bits;
  } cases[] = {
      {"1", NEREID_ELEMENT_I1, true, 1},
      {"2", NEREID_ELEMENT_I1, false, 0},
      {"255", NEREID_ELEMENT_I8, true, 0xff},
      {"-128", NEREID_ELEMENT_I8, true, 0x80},
      {"256", NEREID_ELEMENT_I8, false, 0},
      {"-129", NEREID_ELEMENT_I8, false, 0},
      {"65535", NEREID_ELEMENT_I16, true, 0xffff},
      {"4294967295", NEREID_ELEMENT_I32, true, 0xffffffff},
      {"4294967296", NEREID_ELEMENT_I32, false, 0},
      {"-2147483649", NEREID_ELEMENT_I32, false, 0},
      {"18446744073709551615", NEREID_ELEMENT_I64, true, UINT64_MAX},
      {"18446744073709551615", NEREID_ELEMENT_I32, false, 0},
      {"-9223372036854775808", NEREID_ELEMENT_I64, true, UINT64_C(1) << 63},
      {"0.5", NEREID_ELEMENT_I32, false, 0},
      {"0.5", NEREID_ELEMENT_F32, true, 0x3f000000},
      {"3", NEREID_ELEMENT_F64, true, 0x4008000000000000},
      {"65504", NEREID_ELEMENT_F16, true, 0x7bff},
      {"65520", NEREID_ELEMENT_F16, false, 0},
      {"inf", NEREID_ELEMENT_F16, true, 0x7c00},
      {"1e39", NEREID_ELEMENT_F32, false, 0},
      {"1e39", NEREID_ELEMENT_F64, true, 0},
      {"448", NEREID_ELEMENT_F8E4M3FN, true, 0x7e},
      {"480", NEREID_ELEMENT_F8E4M3FN, false, 0},
      {"inf", NEREID_ELEMENT_F8E4M3FN, false, 0},
      {"nan", NEREID_ELEMENT_F8E4M3FN, true, 0x7f},
      {"57344", NEREID_ELEMENT_F8E5M2, true, 0x7b},
      {"bf16:1", NEREID_ELEMENT_BF16, true, 0x3f80},
      {"bf16:1", NEREID_ELEMENT_F16, false, 0},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    uint64_t bits = 0;
    nereid_status_t status = bits_of(cases[i].text, cases[i].element, &bits);
    if ((status == NEREID_OK) != cases[i].good)
      fail_msg("%s as %s: %s", cases[i].text, nereid_element_name(cases[i].element), message.text);
    if (cases[i].good && cases[i].bits)
      assert_true(bits == cases[i].bits);
  }
  uint64_t bits;
  assert_int_equal(bits_of("f32[4]:rand", NEREID_ELEMENT_F32, &bits), NEREID_ERROR_ARGUMENT);
}

static tool_tensor_t fill(const char *text, uint64_t seed, uint32_t parameter) {
  tool_tensor_t tensor;
  assert_int_equal(parse(text), NEREID_OK);
  assert_int_equal(tool_spec_tensor(&arena, &spec, seed, parameter, &tensor, &message), NEREID_OK);
  return tensor;
}

static double value(const tool_tensor_t *tensor, size_t i) {
  return nereid_element_read(tensor->element, (char *)tensor->data + i * nereid_element_size(tensor->element));
}

static void fills(void **state) {
  (void)state;
  tool_tensor_t t = fill("i32[2x3]:arange", 0, 0);
  assert_int_equal(t.bytes, 24);
  for (size_t i = 0; i < 6; ++i)
    assert_true(value(&t, i) == (double)i);
  t = fill("bf16[3]:ones", 0, 0);
  assert_true(value(&t, 2) == 1);
  t = fill("f64[3]:full(-2.25)", 0, 0);
  assert_true(value(&t, 1) == -2.25);
  t = fill("f16[0]:rand", 0, 0);
  assert_int_equal(t.bytes, 0);
  t = fill("i64[1000]:randint(-2,3)", 7, 1);
  int seen[5] = {0};
  for (size_t i = 0; i < 1000; ++i) {
    assert_true(value(&t, i) >= -2 && value(&t, i) < 3);
    ++seen[(int)value(&t, i) + 2];
  }
  for (int i = 0; i < 5; ++i)
    assert_true(seen[i] > 100);
}

static void rand_is_uniform_and_repeatable(void **state) {
  double sum = 0, squares = 0;
  (void)state;
  tool_tensor_t a = fill("f32[10000]:rand", 1, 2), b = fill("f32[10000]:rand", 1, 2);
  tool_tensor_t other_seed = fill("f32[10000]:rand", 2, 2), other_parameter = fill("f32[10000]:rand", 1, 3);
  assert_memory_equal(a.data, b.data, a.bytes);
  assert_true(memcmp(a.data, other_seed.data, a.bytes) != 0);
  assert_true(memcmp(a.data, other_parameter.data, a.bytes) != 0);
  for (size_t i = 0; i < a.count; ++i) {
    assert_true(value(&a, i) >= -1 && value(&a, i) <= 1);
    sum += value(&a, i);
    squares += value(&a, i) * value(&a, i);
  }
  assert_true(fabs(sum / 10000) < 0.02); /* 3.5 standard deviations of the mean */
  assert_true(fabs(squares / 10000 - 1.0 / 3) < 0.011);
  assert_true(tool_random(0, 0, 0) == UINT64_C(0xe220a8397b1dcdaf)); /* first output of splitmix64 for seed 0 */
}

static void files(void **state) {
  char path[] = "/tmp/nereid-spec-XXXXXX";
  tool_tensor_t t = fill("f16[2x2]:rand", 0, 0), back;
  nereid_view_t bytes;
  (void)state;
  close(mkstemp(path));
  assert_int_equal(tool_npy_print(&arena, &t, &bytes), NEREID_OK);
  assert_int_equal(nereid_file_write(path, bytes, &message), NEREID_OK);
  back = fill(nereid_arena_format(&arena, "@%s", path), 0, 0);
  assert_int_equal(back.element, NEREID_ELEMENT_F16);
  assert_memory_equal(back.data, t.data, t.bytes);
  back = fill(nereid_arena_format(&arena, "f16[2x2]:@%s", path), 0, 0);
  assert_memory_equal(back.data, t.data, t.bytes);
  assert_int_equal(parse(nereid_arena_format(&arena, "f16[4]:@%s", path)), NEREID_OK);
  assert_int_equal(tool_spec_tensor(&arena, &spec, 0, 0, &back, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(parse(nereid_arena_format(&arena, "f32[2x2]:@%s", path)), NEREID_OK);
  assert_int_equal(tool_spec_tensor(&arena, &spec, 0, 0, &back, &message), NEREID_ERROR_ARGUMENT);
  unlink(path);
  assert_int_equal(tool_spec_tensor(&arena, &spec, 0, 0, &back, &message), NEREID_ERROR_IO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(scalars, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tensors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_specifications, set_up, tear_down),
      cmocka_unit_test_setup_teardown(scalars_are_checked_against_their_type, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fills, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rand_is_uniform_and_repeatable, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
