/* Lazy kernels with a store: images and tuning results are found by later kernels, also without a compiler; a damaged
 * or foreign entry is compiled again. */
#include "lazy_fixture.h"

static char folder[64];
static nereid_store_t *store;

static int open_store(void **state) {
  const nereid_store_options_t options = {.size = sizeof options, .folder = folder};
  (void)state;
  reset(state);
  snprintf(folder, sizeof folder, "/tmp/nereid-lazy-test-XXXXXX");
  return !mkdtemp(folder) || nereid_store_open(&options, &store, &message);
}

static int close_store(void **state) {
  char command[128];
  nereid_store_close(store);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) || check_leaks(state);
}

static const nereid_lazy_compiler_t *const with = &compiler, *const without = NULL;

static nereid_lazy_kernel_t *create_stored(const rows_t *rows, const nereid_lazy_compiler_t *by) {
  return create(rows, OPTIONS(.store = store, .compiler = by));
}

/* Tunes the three configurations into the store. */
static void fill(void) {
  nereid_lazy_kernel_t *kernel = create_stored(&three, with);
  vectors_t vectors = allocate();
  CHECK(launch(kernel, vectors, 0));
  assert_int_equal(log_of_compiler.compilations, 3);
  nereid_lazy_destroy(kernel);
  free_vectors(vectors);
}

static const char *reason_of(const cJSON *json) {
  return text_in(json, "decisions", 0, "reason");
}

static void later_kernels_neither_compile_nor_tune(void **state) {
  vectors_t vectors = allocate();
  (void)state;
  fill();
  for (int i = 0; i < 2; ++i) {
    nereid_lazy_kernel_t *kernel = create_stored(&three, i ? without : with);
    CHECK(launch(kernel, vectors, 0));
    assert_true(is_multiple(vectors, i + 1));
    assert_int_equal(winner_of(kernel, 0), FASTEST);
    cJSON *json = report(kernel);
    assert_string_equal(reason_of(json), "store");
    const cJSON *decision = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "decisions"), 0);
    assert_string_equal(text_in(decision, "results", 1, "outcome"), "timed");
    const cJSON *builds = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "variants"), 0);
    assert_string_equal(text_in(builds, "builds", 1, "state"), "stored");
    cJSON_Delete(json);
    nereid_lazy_destroy(kernel);
  }
  assert_int_equal(log_of_compiler.compilations, 3);
  free_vectors(vectors);
}

static void stored_images_are_tuned_for_new_keys(void **state) {
  static const char *const reasons[] = {"tuned", "store"};
  vectors_t vectors = allocate();
  (void)state;
  fill();
  for (int i = 0; i < 2; ++i) {
    nereid_lazy_kernel_t *kernel = create_stored(&three, without);
    CHECK(launch(kernel, vectors, 5));
    assert_true(is_multiple(vectors, i + 1));
    cJSON *json = report(kernel);
    assert_string_equal(reason_of(json), reasons[i]);
    cJSON_Delete(json);
    nereid_lazy_destroy(kernel);
  }
  free_vectors(vectors);
}

static void captures_load_stored_images(void **state) {
  vectors_t vectors = allocate();
  nereid_graph_t *graph;
  void *stream;
  (void)state;
  fill();
  nereid_lazy_kernel_t *kernel = create_stored(&three, without);
  CHECK(nereid_stream_create(device, &stream, &message));
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(launch_on(kernel, vectors, 0, stream, &message));
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  assert_true(is_multiple(vectors, 1));
  nereid_graph_destroy(graph);
  nereid_stream_destroy(device, stream);
  nereid_lazy_destroy(kernel);
  free_vectors(vectors);
}

static void other_texts_and_options_have_other_keys(void **state) {
  const rows_t others = {{{"64", "61", "0"}, {"128", "4", "0"}}, 2};
  vectors_t vectors = allocate();
  (void)state;
  fill();
  nereid_lazy_kernel_t *kernel = create_stored(&others, with);
  CHECK(launch(kernel, vectors, 0));
  assert_int_equal(log_of_compiler.compilations, 4); /* the second row is stored */
  cJSON *json = report(kernel);
  assert_string_equal(reason_of(json), "tuned"); /* the list is another one */
  cJSON_Delete(json);
  nereid_lazy_destroy(kernel);
  free_vectors(vectors);
}

static void failures_are_stored(void **state) {
  static const rows_t rows = {{{"error", "1", "0"}, {"64", "3", "0"}}, 2};
  vectors_t vectors = allocate();
  (void)state;
  for (int i = 0; i < 2; ++i) {
    nereid_lazy_kernel_t *kernel = create_stored(&rows, with);
    CHECK(launch(kernel, vectors, 0));
    cJSON *json = report(kernel);
    const cJSON *builds = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "variants"), 0);
    assert_non_null(strstr(text_in(builds, "builds", 0, "message"), "'axpy error 1 0' is not a kernel"));
    cJSON_Delete(json);
    nereid_lazy_destroy(kernel);
  }
  assert_int_equal(log_of_compiler.compilations, 2);
  free_vectors(vectors);
}

static void empty_stores_need_a_compiler(void **state) {
  nereid_lazy_kernel_t *kernel = create_stored(&three, without);
  vectors_t vectors = allocate();
  (void)state;
  assert_int_equal(launch(kernel, vectors, 0), NEREID_ERROR_NOT_FOUND);
  mentions("configuration 0: configuration 0 of kernel 'axpy.ttir' is not in the store");
  nereid_lazy_destroy(kernel);
  free_vectors(vectors);
}

/* --- wrong entries --- */

static bool spoil_image, spoil_tuning;

/* Replaces the contents of a unit by valid units with wrong contents. */
static bool spoil(void *user_data, const nereid_store_item_t *item) {
  static const char *const tunings[] = {"{\"winner\": 3, \"results\": []}", "{\"winner\": -1}", "{\"winner\": 0.5}",
                                        "[", "{}"};
  size_t *n = user_data;
  nereid_store_unit_t *unit;
  CHECK(nereid_store_get(store, &item->key, &unit, &message));
  nereid_store_content_t content = nereid_store_unit_content(unit);
  if (content.image.size && spoil_image)
    content.image = nereid_view("not PTX");
  if (!content.image.size && content.tuning.size && spoil_tuning)
    content.tuning = nereid_view(tunings[(*n)++ % 5]);
  CHECK(nereid_store_put(store, &item->key, &content, &message));
  nereid_store_unit_destroy(unit);
  return true;
}

static void wrong_images_are_compiled_again(void **state) {
  vectors_t vectors = allocate();
  size_t n = 0;
  (void)state;
  fill();
  spoil_image = true;
  CHECK(nereid_store_walk(store, spoil, &n, &message));
  spoil_image = false;
  nereid_lazy_kernel_t *kernel = create_stored(&three, without);
  assert_int_not_equal(launch(kernel, vectors, 0), NEREID_OK);
  assert_true(is_multiple(vectors, 0));
  nereid_lazy_destroy(kernel);
  kernel = create_stored(&three, with);
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 1));
  assert_int_equal(log_of_compiler.compilations, 4); /* the winner only */
  CHECK(nereid_lazy_wait(kernel, &message));
  assert_int_equal(log_of_compiler.compilations, 6);
  nereid_lazy_destroy(kernel);
  kernel = create_stored(&three, without); /* repaired */
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 2));
  nereid_lazy_destroy(kernel);
  free_vectors(vectors);
}

static void wrong_results_are_tuned_again(void **state) {
  vectors_t vectors = allocate();
  size_t n = 0;
  (void)state;
  fill();
  spoil_tuning = true;
  for (int i = 0; i < 5; ++i) {
    CHECK(nereid_store_walk(store, spoil, &n, &message));
    nereid_lazy_kernel_t *kernel = create_stored(&three, without);
    CHECK(launch(kernel, vectors, 0));
    assert_int_equal(winner_of(kernel, 0), FASTEST);
    cJSON *json = report(kernel);
    assert_string_equal(reason_of(json), "tuned");
    cJSON_Delete(json);
    nereid_lazy_destroy(kernel);
  }
  spoil_tuning = false;
  assert_int_equal(n, 5);
  assert_true(is_multiple(vectors, 5));
  free_vectors(vectors);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)
  const struct CMUnitTest tests[] = {
      TEST(later_kernels_neither_compile_nor_tune),
      TEST(stored_images_are_tuned_for_new_keys),
      TEST(captures_load_stored_images),
      TEST(other_texts_and_options_have_other_keys),
      TEST(failures_are_stored),
      TEST(empty_stores_need_a_compiler),
      TEST(wrong_images_are_compiled_again),
      TEST(wrong_results_are_tuned_again),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
