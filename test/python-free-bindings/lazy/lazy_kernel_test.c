/* What lazy kernels do on every device: background compilation, tuning on the first launch, keys, variants, captures,
 * threads, errors. The compiler is one of lazy_fixture.h, which writes PTX, so the test links no LLVM and runs under
 * the thread sanitizer. The device is the emulator, or the one that NEREID_TEST_DEVICE names. */
#include "lazy_fixture.h"

/* --- tuning --- */

static void first_launch_tunes(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(0));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 1)); /* tuning ran the kernel more than once */
  assert_int_equal(winner_of(kernel, 0), FASTEST);
  assert_int_equal(log_of_compiler.compilations, 3);
  CHECK(launch(kernel, vectors, 0));
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 3));
  assert_int_equal(log_of_compiler.compilations, 3);
  cJSON *json = report(kernel);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "unit")),
                      is_emulator ? "warp instructions" : "nanoseconds");
  const cJSON *decision = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "decisions"), 0);
  assert_string_equal(text_in(json, "decisions", 0, "reason"), "tuned");
  assert_string_equal(text_in(decision, "results", 1, "outcome"), "timed");
  assert_string_equal(text_in(decision, "results", 2, "outcome"), "stopped early");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "decisions")), 1);
  assert_string_equal(text_in(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "variants"), 0), "builds", 2, "state"),
                      "compiled");
  const cJSON *constants =
      cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "configurations"), 2), "constants");
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(constants, "THREADS")), "256");
  cJSON_Delete(json);
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static void keys_have_their_own_winner(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(0));
  vectors_t vectors = allocate();
  (void)state;
  for (uint64_t key = 0; key < 40; ++key) /* the table grows */
    CHECK(launch(kernel, vectors, key * key));
  assert_true(is_multiple(vectors, 40));
  for (uint64_t key = 0; key < 40; ++key)
    assert_int_equal(winner_of(kernel, key * key), FASTEST);
  const nereid_lazy_launch_t other = {.key = 2};
  const nereid_value_t values[4] = {nereid_value_pointer(0), nereid_value_pointer(0), nereid_value_f32(0),
                                    nereid_value_i32(0)};
  assert_int_equal(nereid_lazy_winner(kernel, &other, 4, values, NULL, NULL, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(log_of_compiler.compilations, 3);
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static void buckets_of_sizes(void **state) {
  static const uint64_t expected[][2] = {
      {0, 0},          {1, 1}, {2, 2}, {3, 3}, {4, 3}, {5, 4}, {1024, 11}, {1025, 12}, {UINT64_C(1) << 63, 64},
      {UINT64_MAX, 65}};
  (void)state;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    assert_int_equal(nereid_lazy_bucket(expected[i][0]), expected[i][1]);
  assert_int_not_equal(nereid_lazy_key(nereid_lazy_key(0, 1), 2), nereid_lazy_key(nereid_lazy_key(0, 2), 1));
}

static void tuning_without_a_launch(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(0));
  vectors_t vectors = allocate();
  const nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y),
                                   nereid_value_f32(2), nereid_value_i32(COUNT)};
  const nereid_lazy_launch_t how = {.sizes = sizes};
  (void)state;
  CHECK(nereid_lazy_tune(kernel, &how, 4, values, &message));
  assert_true(is_multiple(vectors, 0));
  assert_int_equal(winner_of(kernel, 0), FASTEST);
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static void failing_configurations_are_skipped(void **state) {
  static const rows_t rows = {{{"error", "1", "0"}, {"128", "1", "9999999"}, {"64", "300", "0"}, {"96", "1", "0"}}, 4};
  nereid_lazy_kernel_t *kernel = create(&rows, OPTIONS(0));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(nereid_lazy_wait(kernel, &message));
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 1));
  assert_int_equal(winner_of(kernel, 0), 3);
  expect_outcomes(kernel, "decisions", 4, (const char *[]){"not built", "not built", "timed", "timed"});
  cJSON *json = report(kernel);
  const cJSON *variant = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "variants"), 0);
  assert_non_null(strstr(text_in(variant, "builds", 0, "message"), "axpy.ttir:1:1: 'axpy error 1 0' is not a kernel"));
  assert_non_null(strstr(text_in(variant, "builds", 1, "message"), "9999999 bytes of shared memory"));
  cJSON_Delete(json);
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static void one_configuration_is_not_timed(void **state) {
  static const rows_t rows = {{{"error", "1", "0"}, {"64", "3", "0"}}, 2};
  nereid_lazy_kernel_t *kernel = create(&rows, OPTIONS(0));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 1));
  expect_outcomes(kernel, "decisions", 2, (const char *[]){"not built", "not timed"});
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static void no_configuration_is_left(void **state) {
  static const rows_t rows = {{{"128", "1", "9999999"}, {"error", "1", "0"}}, 2};
  nereid_lazy_kernel_t *kernel = create(&rows, OPTIONS(0));
  vectors_t vectors = allocate();
  (void)state;
  assert_int_equal(nereid_lazy_wait(kernel, &message), NEREID_ERROR_UNSUPPORTED);
  mentions("configuration 0: ");
  assert_int_equal(launch(kernel, vectors, 0), NEREID_ERROR_UNSUPPORTED);
  mentions("configuration 0: ");
  mentions("shared memory");
  expect_outcomes(kernel, "failure", 2, (const char *[]){"not built", "not built"});
  assert_true(is_multiple(vectors, 0));
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static bool prune(void *user_data, size_t configuration, const nereid_metadata_t *metadata, size_t n,
                  const nereid_value_t *arguments) {
  assert_int_equal(n, 4);
  assert_int_equal(arguments[3].as.bits, COUNT);
  assert_string_equal(metadata->name, "axpy");
  return *(const unsigned *)user_data >> configuration & 1;
}

static void callers_prune(void **state) {
  unsigned pruned = 1U << FASTEST;
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.prune = prune, .user_data = &pruned));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(launch(kernel, vectors, 0));
  assert_int_equal(winner_of(kernel, 0), 2);
  expect_outcomes(kernel, "decisions", 3, (const char *[]){"timed", "pruned", "timed"});
  pruned = 7;
  assert_int_equal(launch(kernel, vectors, 1), NEREID_ERROR_ARGUMENT);
  mentions("every configuration was pruned");
  assert_true(is_multiple(vectors, 1));
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

/* Spends the budget after the first configuration. */
static void sleep_long(void *user_data, const nereid_lazy_progress_t *progress) {
  (void)user_data;
  if (progress->tuning && progress->done == 1)
    usleep(1100000);
}

static void budgets_end_tuning(void **state) {
  static const rows_t quick = {{{"128", "1", "0"}, {"64", "1", "0"}, {"32", "1", "0"}}, 3};
  const rows_t slow = {{{"64", is_emulator ? "4000" : "1000000", "0"}, {"128", "1", "0"}}, 2};
  nereid_lazy_kernel_t *kernel = create(&slow, OPTIONS(.budget = 1));
  vectors_t vectors = allocate();
  (void)state;
  assert_int_equal(launch(kernel, vectors, 0), NEREID_ERROR_TIMEOUT);
  mentions("no configuration completed a run within the budget of 1 ms");
  expect_outcomes(kernel, "failure", 2, (const char *[]){"too slow", "left out"});
  assert_true(is_multiple(vectors, 0));
  nereid_lazy_destroy(kernel);
  kernel = create(&quick, OPTIONS(.budget = 1000, .progress = sleep_long));
  CHECK(launch(kernel, vectors, 0));
  assert_int_equal(winner_of(kernel, 0), 0);
  expect_outcomes(kernel, "decisions", 3, (const char *[]){"timed", "left out", "left out"});
  assert_true(is_multiple(vectors, 1));
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

/* --- captures --- */

static void captures_are_not_timed(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(0));
  vectors_t vectors = allocate();
  nereid_graph_t *graph;
  void *stream;
  (void)state;
  CHECK(nereid_stream_create(device, &stream, &message));
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(launch_on(kernel, vectors, 0, stream, &message));
  const nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y),
                                   nereid_value_f32(2), nereid_value_i32(COUNT)};
  const nereid_lazy_launch_t how = {.launch = {.stream = stream}};
  assert_int_equal(nereid_lazy_tune(kernel, &how, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("being captured");
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  assert_true(is_multiple(vectors, 0));
  assert_int_equal(nereid_lazy_winner(kernel, NULL, 4, values, NULL, NULL, &message), NEREID_ERROR_NOT_FOUND);
  for (int i = 0; i < 3; ++i)
    CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  assert_true(is_multiple(vectors, 3));
  nereid_graph_destroy(graph);
  CHECK(launch_on(kernel, vectors, 0, stream, &message)); /* tunes */
  assert_true(is_multiple(vectors, 4));
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(launch_on(kernel, vectors, 0, stream, &message));  /* the winner */
  CHECK(launch_on(kernel, vectors, 77, stream, &message)); /* the last winner */
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  assert_true(is_multiple(vectors, 6));
  cJSON *json = report(kernel);
  assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "captured")), 2);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "decisions")), 1);
  cJSON_Delete(json);
  nereid_graph_destroy(graph);
  nereid_stream_destroy(device, stream);
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

/* --- variants --- */

static nereid_status_t launch_with(nereid_lazy_kernel_t *kernel, vectors_t vectors, uint64_t offset, int32_t n) {
  const nereid_value_t values[] = {nereid_value_pointer(vectors.x + offset), nereid_value_pointer(vectors.y),
                                   nereid_value_f32(2), nereid_value_i32(n)};
  const nereid_lazy_launch_t how = {.sizes = sizes};
  return nereid_lazy_launch(kernel, &how, 4, values, &message);
}

static void arguments_select_variants(void **state) {
  nereid_lazy_kernel_t *kernel =
      create(&three, OPTIONS(.specialize = NEREID_LAZY_SPECIALIZE_DIVISIBLE | NEREID_LAZY_SPECIALIZE_ONE));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(nereid_lazy_wait(kernel, &message));
  CHECK(launch_with(kernel, vectors, 0, 999)); /* as the IR states: divisible addresses, any n */
  assert_int_equal(log_of_compiler.compilations, 3);
  CHECK(launch_with(kernel, vectors, 0, 992));
  assert_int_equal(log_of_compiler.compilations, 6);
  assert_int_equal(log_of_compiler.properties[3][0], NEREID_PROPERTY_DIVISIBLE);
  assert_int_equal(log_of_compiler.properties[3][2], NEREID_PROPERTY_AS_WRITTEN);
  assert_int_equal(log_of_compiler.properties[3][3], NEREID_PROPERTY_DIVISIBLE);
  CHECK(launch_with(kernel, vectors, 4, 1));
  assert_int_equal(log_of_compiler.compilations, 9);
  assert_int_equal(log_of_compiler.properties[6][0], NEREID_PROPERTY_GENERIC);
  assert_int_equal(log_of_compiler.properties[6][3], NEREID_PROPERTY_ONE);
  CHECK(launch_with(kernel, vectors, 8, 1));
  CHECK(launch_with(kernel, vectors, 0, 16));
  assert_int_equal(log_of_compiler.compilations, 9);
  nereid_lazy_destroy(kernel);
  kernel = create(&three, OPTIONS(0));
  assert_int_equal(launch_with(kernel, vectors, 4, 1), NEREID_ERROR_ARGUMENT); /* without specialization */
  mentions("multiples of 16");
  nereid_lazy_destroy(kernel);
  free_vectors(vectors);
}

static void unspecialized_arguments(void **state) {
  nereid_lazy_kernel_t *kernel =
      create(&three, OPTIONS(.specialize = NEREID_LAZY_SPECIALIZE_DIVISIBLE | NEREID_LAZY_SPECIALIZE_NULL,
                             .unspecialized = 1U << 3));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(launch_with(kernel, vectors, 0, 992));
  CHECK(launch_with(kernel, vectors, 0, 1));
  assert_int_equal(log_of_compiler.compilations, 3);
  const nereid_value_t values[] = {nereid_value_pointer(0), nereid_value_pointer(vectors.y), nereid_value_f32(2),
                                   nereid_value_i32(0)};
  CHECK(nereid_lazy_launch(kernel, NULL, 4, values, &message));
  assert_int_equal(log_of_compiler.properties[3][0], NEREID_PROPERTY_NULL);
  assert_int_equal(log_of_compiler.properties[3][3], NEREID_PROPERTY_AS_WRITTEN);
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

/* --- threads --- */

enum { THREADS = 16, LAUNCHES = 20, KEYS = 3 };

typedef struct launcher {
  nereid_lazy_kernel_t *kernel;
  bool good;
} launcher_t;

static void *launch_often(void *argument) {
  launcher_t *launcher = argument;
  vectors_t vectors = allocate();
  nereid_message_t problem;
  void *stream;
  bool good = !nereid_stream_create(device, &stream, &problem);
  for (int i = 0; good && i < LAUNCHES; ++i)
    good = !launch_on(launcher->kernel, vectors, (uint64_t)(i % KEYS), stream, &problem);
  good = good && !nereid_stream_synchronize(device, stream, &problem);
  launcher->good = good && is_multiple(vectors, LAUNCHES);
  nereid_stream_destroy(device, stream);
  free_vectors(vectors);
  return NULL;
}

static void threads_launch_during_tuning(void **state) {
  nereid_lazy_pool_t *pool;
  launcher_t launchers[THREADS];
  pthread_t threads[THREADS];
  (void)state;
  CHECK(nereid_lazy_pool_create(3, &pool, &message));
  nereid_lazy_kernel_t *kernels[2] = {create(&three, OPTIONS(.pool = pool)), create(&three, OPTIONS(.pool = pool))};
  for (int i = 0; i < THREADS; ++i) {
    launchers[i] = (launcher_t){kernels[i % 2], false};
    assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &launchers[i]), 0);
  }
  cJSON_Delete(report(kernels[0]));
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    assert_true(launchers[i].good);
  }
  for (uint64_t key = 0; key < KEYS; ++key)
    assert_int_equal(winner_of(kernels[1], key), FASTEST);
  assert_int_equal(log_of_compiler.compilations, 6);
  nereid_lazy_destroy(kernels[0]);
  nereid_lazy_destroy(kernels[1]);
  nereid_lazy_pool_destroy(pool);
}

/* --- progress and cancellation --- */

typedef struct progress_log {
  pthread_mutex_t lock;
  size_t compiled, tuned, last_done;
  nereid_cancellation_t *stop; /* requested by the first report of a tuning; may be null */
} progress_log_t;

static void take_progress(void *user_data, const nereid_lazy_progress_t *progress) {
  progress_log_t *seen = user_data;
  pthread_mutex_lock(&seen->lock);
  assert_int_equal(progress->total, 3);
  seen->compiled += !progress->tuning;
  seen->tuned += progress->tuning;
  if (progress->tuning) {
    seen->last_done = progress->done;
    nereid_cancellation_request(seen->stop);
  }
  pthread_mutex_unlock(&seen->lock);
}

static void progress_is_reported(void **state) {
  progress_log_t seen = {.lock = PTHREAD_MUTEX_INITIALIZER};
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.progress = take_progress, .user_data = &seen));
  vectors_t vectors = allocate();
  (void)state;
  CHECK(launch(kernel, vectors, 0));
  nereid_lazy_destroy(kernel); /* the last report of a compilation may come after the launch */
  assert_int_equal(seen.compiled, 3);
  assert_int_equal(seen.tuned, 3);
  assert_int_equal(seen.last_done, 3);
  free_vectors(vectors);
}

static void tuning_is_cancelled(void **state) {
  progress_log_t seen = {.lock = PTHREAD_MUTEX_INITIALIZER};
  vectors_t vectors = allocate();
  (void)state;
  CHECK(nereid_cancellation_create(&seen.stop));
  nereid_lazy_kernel_t *kernel =
      create(&three, OPTIONS(.progress = take_progress, .user_data = &seen, .cancellation = seen.stop));
  CHECK(nereid_lazy_wait(kernel, &message));
  assert_int_equal(launch(kernel, vectors, 0), NEREID_ERROR_CANCELLED);
  assert_true(is_multiple(vectors, 0));
  nereid_cancellation_t *stop = seen.stop;
  seen.stop = NULL;
  nereid_cancellation_reset(stop);
  CHECK(launch(kernel, vectors, 0));
  assert_true(is_multiple(vectors, 1));
  nereid_lazy_destroy(kernel);
  nereid_cancellation_destroy(stop);
  free_vectors(vectors);
}

static void compilation_is_cancelled(void **state) {
  nereid_cancellation_t *stop;
  vectors_t vectors = allocate();
  (void)state;
  CHECK(nereid_cancellation_create(&stop));
  atomic_store(&log_of_compiler.blocks, true);
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.cancellation = stop));
  nereid_cancellation_request(stop);
  assert_int_equal(nereid_lazy_wait(kernel, &message), NEREID_ERROR_CANCELLED);
  assert_int_equal(launch(kernel, vectors, 0), NEREID_ERROR_CANCELLED);
  mentions("cancelled");
  atomic_store(&log_of_compiler.blocks, false);
  nereid_cancellation_reset(stop);
  CHECK(launch(kernel, vectors, 0)); /* compiles what was cancelled */
  assert_true(is_multiple(vectors, 1));
  nereid_lazy_destroy(kernel);
  nereid_cancellation_destroy(stop);
  free_vectors(vectors);
}

static void kernels_are_destroyed_while_they_compile(void **state) {
  nereid_lazy_pool_t *pool;
  (void)state;
  CHECK(nereid_lazy_pool_create(1, &pool, &message));
  atomic_store(&log_of_compiler.blocks, true);
  nereid_lazy_kernel_t *first = create(&three, OPTIONS(.pool = pool));
  nereid_lazy_kernel_t *second = create(&three, OPTIONS(.pool = pool));
  while (atomic_load(&log_of_compiler.compilations) == 0)
    usleep(1000);
  nereid_lazy_destroy(second); /* queued behind the other one */
  nereid_lazy_destroy(first);
  atomic_store(&log_of_compiler.blocks, false);
  assert_true(atomic_load(&log_of_compiler.compilations) <= 3);
  nereid_lazy_pool_destroy(pool);
}

/* --- errors --- */

static void wrong_arguments(void **state) {
  static const uint64_t of_a_scalar[] = {0, BYTES, 4, 0}, too_large[] = {0, 1 << 20, 0, 0};
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(0));
  vectors_t vectors = allocate();
  nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y), nereid_value_i32(2),
                             nereid_value_i32(COUNT), nereid_value_i32(0)};
  nereid_lazy_launch_t how = {.sizes = sizes};
  (void)state;
  assert_int_equal(nereid_lazy_launch(kernel, &how, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("configuration 0: argument 2 'a' of kernel 'axpy' must be f32");
  assert_int_equal(nereid_lazy_launch(kernel, NULL, 5, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("takes 4 arguments, not 5");
  assert_int_equal(nereid_lazy_launch(kernel, NULL, 0, NULL, &message), NEREID_ERROR_ARGUMENT);
  values[2] = nereid_value_f32(2);
  how.sizes = of_a_scalar;
  assert_int_equal(nereid_lazy_launch(kernel, &how, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 2 has a size of 4 bytes, but is not a pointer or a tensor");
  how.sizes = too_large;
  assert_int_not_equal(nereid_lazy_launch(kernel, &how, 4, values, &message), NEREID_OK);
  mentions("argument 1: saving its 1048576 bytes failed");
  assert_true(is_multiple(vectors, 0));
  CHECK(launch(kernel, vectors, 0)); /* the kernel is usable after errors */
  assert_true(is_multiple(vectors, 1));
  free_vectors(vectors);
  nereid_lazy_destroy(kernel);
}

static void wrong_options(void **state) {
  static const nereid_constant_t unknown[] = {{"THREADS", "32"}};
  const nereid_lazy_configuration_t configuration = {.n_constants = 1, .constants = unknown};
  nereid_lazy_kernel_t *kernel;
  nereid_lazy_options_t options = {.size = sizeof options, .compiler = &compiler};
  (void)state;
  assert_int_equal(nereid_lazy_create(device, &options, &kernel, &message), NEREID_ERROR_ARGUMENT);
  mentions("either `text` or `path`");
  options.path = "/nonexistent/kernel.ttir";
  assert_int_equal(nereid_lazy_create(device, &options, &kernel, &message), NEREID_ERROR_IO);
  options.path = NULL;
  options.text = nereid_view("axpy 32 1\n ${SHARED}");
  options.specialize = 8;
  assert_int_equal(nereid_lazy_create(device, &options, &kernel, &message), NEREID_ERROR_ARGUMENT);
  mentions("`specialize`");
  options.specialize = 0;
  options.grid = "x = n\n";
  assert_int_equal(nereid_lazy_create(device, &options, &kernel, &message), NEREID_ERROR_ARGUMENT);
  mentions("newline");
  options.grid = "x = ceildiv(n, ${THREADS})";
  options.size = 8;
  assert_int_equal(nereid_lazy_create(device, &options, &kernel, &message), NEREID_ERROR_ARGUMENT);
  mentions("`size`");
  assert_null(kernel);
  options.size = sizeof options;
  options.n_configurations = 1;
  options.configurations = &configuration;
  CHECK(nereid_lazy_create(device, &options, &kernel, &message)); /* the configuration is wrong, not the call */
  assert_int_equal(nereid_lazy_wait(kernel, &message), NEREID_ERROR_PROGRAM);
  mentions("kernel:2:2: constant 'SHARED' has no value");
  nereid_lazy_destroy(kernel);
  nereid_lazy_destroy(NULL);
  nereid_lazy_pool_destroy(NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, check_leaks)
  const struct CMUnitTest tests[] = {
      TEST(first_launch_tunes),
      TEST(keys_have_their_own_winner),
      TEST(buckets_of_sizes),
      TEST(tuning_without_a_launch),
      TEST(failing_configurations_are_skipped),
      TEST(one_configuration_is_not_timed),
      TEST(no_configuration_is_left),
      TEST(callers_prune),
      TEST(budgets_end_tuning),
      TEST(captures_are_not_timed),
      TEST(arguments_select_variants),
      TEST(unspecialized_arguments),
      TEST(threads_launch_during_tuning),
      TEST(progress_is_reported),
      TEST(tuning_is_cancelled),
      TEST(compilation_is_cancelled),
      TEST(kernels_are_destroyed_while_they_compile),
      TEST(wrong_arguments),
      TEST(wrong_options),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
