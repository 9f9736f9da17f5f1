/* .npy files: round trips of every type and rank, files as NumPy writes them, corrupt files, comparison of tensors. */
#include "tools/nereid/run/compare.c"
#include "tools/nereid/run/npy.c"

#include "test/fixture.h"

static tool_tensor_t tensor_of(nereid_element_t element, uint32_t rank) {
  static const uint64_t shape[TOOL_RANK_LIMIT] = {2, 3, 1, 2, 1, 2, 1, 1};
  tool_tensor_t tensor = {.element = element, .rank = rank};
  memcpy(tensor.shape, shape, rank * sizeof *shape);
  assert_true(tool_tensor_measure(&tensor));
  tensor.data = nereid_arena_allocate(&arena, tensor.bytes, 1);
  for (size_t i = 0; i < tensor.bytes; ++i)
    ((uint8_t *)tensor.data)[i] = (uint8_t)(i * 7 + 1);
  return tensor;
}

static void round_trips(void **state) {
  (void)state;
  for (int element = 1; element < NEREID_ELEMENT_COUNT; ++element)
    for (uint32_t rank = 0; rank <= TOOL_RANK_LIMIT; ++rank) {
      tool_tensor_t tensor = tensor_of((nereid_element_t)element, rank), back;
      nereid_view_t bytes;
      assert_int_equal(tool_npy_print(&arena, &tensor, &bytes), NEREID_OK);
      assert_int_equal((bytes.size - tensor.bytes) % 64, 0);
      assert_int_equal(tool_npy_parse(bytes, (nereid_element_t)element, &back, &message), NEREID_OK);
      assert_int_equal(back.element, element);
      assert_int_equal(back.rank, rank);
      assert_memory_equal(back.shape, tensor.shape, rank * sizeof *tensor.shape);
      assert_memory_equal(back.data, tensor.data, tensor.bytes);
    }
}

/* A version 1 file with this header text and some data. */
static nereid_view_t file_of(const char *dictionary, size_t data) {
  size_t length = strlen(dictionary);
  char *bytes = nereid_arena_allocate(&arena, 10 + length + data, 1);
  memcpy(bytes, "\x93NUMPY\x01\x00", 8);
  bytes[8] = (char)(length & 0xff);
  bytes[9] = (char)(length >> 8);
  memcpy(bytes + 10, dictionary, length);
  return nereid_view_of(bytes, 10 + length + data);
}

static void types_that_numpy_lacks(void **state) {
  tool_tensor_t tensor;
  nereid_view_t u2 = file_of("{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }\n", 6);
  nereid_view_t u1 = file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", 3);
  (void)state;
  assert_int_equal(tool_npy_parse(u2, NEREID_ELEMENT_BF16, &tensor, &message), NEREID_OK);
  assert_int_equal(tensor.element, NEREID_ELEMENT_BF16);
  assert_int_equal(tool_npy_parse(u2, NEREID_ELEMENT_NONE, &tensor, &message), NEREID_OK);
  assert_int_equal(tensor.element, NEREID_ELEMENT_I16);
  assert_int_equal(tool_npy_parse(u2, NEREID_ELEMENT_F16, &tensor, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(tool_npy_parse(u1, NEREID_ELEMENT_F8E4M3FN, &tensor, &message), NEREID_OK);
  assert_int_equal(tool_npy_parse(u1, NEREID_ELEMENT_F8E5M2, &tensor, &message), NEREID_OK);
  assert_int_equal(tool_npy_parse(u1, NEREID_ELEMENT_BF16, &tensor, &message), NEREID_ERROR_ARGUMENT);
}

static void files_that_are_refused(void **state) {
  static const struct {
    const char *dictionary;
    size_t data;
    const char *mentions;
  } cases[] = {
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4, "big endian"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8, "kernels do not support"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, "kernels do not support"},
      {"{'fortran_order': False, 'shape': (1,), }", 4, "kernels do not support"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16, "Fortran"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 15, "truncated"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }", 16, "shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", 16, "shape"},
      {"{'descr': '<f4', 'fortran_order': False, }", 16, "shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", 4, "shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", 4, "shape"},
  };
  tool_tensor_t tensor;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_view_t bytes = file_of(cases[i].dictionary, cases[i].data);
    assert_int_equal(tool_npy_parse(bytes, NEREID_ELEMENT_NONE, &tensor, &message), NEREID_ERROR_ARGUMENT);
    if (!strstr(message.text, cases[i].mentions))
      fail_msg("'%s' does not mention %s", message.text, cases[i].mentions);
  }
  assert_int_equal(tool_npy_parse(nereid_view("text"), NEREID_ELEMENT_NONE, &tensor, &message), NEREID_ERROR_ARGUMENT);
}

static void cut_anywhere(void **state) {
  tool_tensor_t tensor = tensor_of(NEREID_ELEMENT_F32, 2), back;
  nereid_view_t bytes;
  (void)state;
  assert_int_equal(tool_npy_print(&arena, &tensor, &bytes), NEREID_OK);
  for (size_t size = 0; size < bytes.size; ++size) {
    char *exact = nereid_arena_allocate(&arena, size + 1, 1);
    memcpy(exact, bytes.data, size);
    nereid_view_t cut = nereid_view_of(exact, size);
    assert_int_equal(tool_npy_parse(cut, NEREID_ELEMENT_NONE, &back, &message), NEREID_ERROR_ARGUMENT);
  }
}

static tool_tensor_t of_values(nereid_element_t element, size_t n, const double *values) {
  tool_tensor_t tensor = {.element = element, .rank = 1, .shape = {n}};
  assert_true(tool_tensor_measure(&tensor));
  tensor.data = nereid_arena_allocate(&arena, tensor.bytes, 1);
  for (size_t i = 0; i < n; ++i)
    nereid_element_write(element, (char *)tensor.data + i * nereid_element_size(element), values[i]);
  return tensor;
}

static void differences(void **state) {
  (void)state;
  tool_tensor_t b = of_values(NEREID_ELEMENT_F32, 4, (const double[]){1, 1, 1, 1});
  tool_tensor_t a = of_values(NEREID_ELEMENT_F32, 4, (const double[]){1, 1.0005, 1, 0.998});
  tool_difference_t d = tool_compare(&a, &b, -1);
  assert_int_equal(d.beyond, 1);
  assert_int_equal(d.worst, 3);
  assert_true(fabs(d.absolute - 0.002) < 1e-6 && fabs(d.relative - 0.002) < 1e-6);
  assert_int_equal(tool_compare(&a, &b, 0.01).beyond, 0);
  assert_int_equal(tool_compare(&a, &a, 0).beyond, 0);
  /* The error of an element after cancellation is relative to the tensor's magnitude, not to its own. */
  b = of_values(NEREID_ELEMENT_F32, 2, (const double[]){100, 0});
  a = of_values(NEREID_ELEMENT_F32, 2, (const double[]){100, 1e-3});
  assert_int_equal(tool_compare(&a, &b, -1).beyond, 0);
  b = of_values(NEREID_ELEMENT_F16, 3, (const double[]){NAN, INFINITY, 1});
  a = of_values(NEREID_ELEMENT_F16, 3, (const double[]){NAN, INFINITY, NAN});
  d = tool_compare(&a, &b, -1);
  assert_int_equal(d.beyond, 1);
  assert_int_equal(d.worst, 2);
  b = of_values(NEREID_ELEMENT_I32, 1, (const double[]){5});
  a = of_values(NEREID_ELEMENT_I32, 1, (const double[]){6});
  assert_int_equal(tool_compare(&a, &b, -1).beyond, 1);
  b = of_values(NEREID_ELEMENT_F32, 1, (const double[]){0});
  a = of_values(NEREID_ELEMENT_F32, 1, (const double[]){1e-30});
  assert_int_equal(tool_compare(&a, &b, -1).beyond, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(round_trips, set_up, tear_down),
      cmocka_unit_test_setup_teardown(types_that_numpy_lacks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files_that_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(cut_anywhere, set_up, tear_down),
      cmocka_unit_test_setup_teardown(differences, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
