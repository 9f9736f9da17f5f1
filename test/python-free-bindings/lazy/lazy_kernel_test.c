/* What lazy kernels do on every device: background compilation, tuning on the first launch, keys, variants, captures,
 * threads, errors. The compiler is one of this file, which writes PTX, so the test links no LLVM and runs under the
 * thread sanitizer. The device is the emulator, or the one that NEREID_TEST_DEVICE names. */
#include "nereid/kernel.h"
#include "nereid/stream.h"

#include <cjson/cJSON.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 1000, BYTES = COUNT * sizeof(float) };

static nereid_message_t message;
static nereid_device_t *device;
static bool is_emulator;

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (call)                                                                                                          \
      fail_msg("%s: %s", #call, message.text);                                                                         \
  } while (0)

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention '%s'", message.text, text);
}

/* --- a compiler --- */

/* y[i] += a * x[i] for i < n, after a loop of `repeat` iterations. */
static const char ptx_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry axpy(.param .u64 .ptr .global .align 16 px, .param .u64 .ptr .global .align 16 py,\n"
    "  .param .f32 pa, .param .u32 pn, .param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p)\n"
    ".reqntid %d\n{\n"
    "  .reg .pred %%q;\n  .reg .b32 %%r<8>;\n  .reg .f32 %%f<5>;\n  .reg .b64 %%a<8>;\n"
    "  ld.param.u64 %%a1, [px];\n  ld.param.u64 %%a2, [py];\n  ld.param.f32 %%f1, [pa];\n  ld.param.u32 %%r1, [pn];\n"
    "  mov.u32 %%r5, 0;\nagain:\n  mov.u32 %%r6, %%clock;\n  add.s32 %%r5, %%r5, 1;\n"
    "  setp.lt.s32 %%q, %%r5, %d;\n  @%%q bra again;\n"
    "  mov.u32 %%r2, %%ctaid.x;\n  mov.u32 %%r3, %%tid.x;\n  mad.lo.s32 %%r4, %%r2, %d, %%r3;\n"
    "  setp.ge.s32 %%q, %%r4, %%r1;\n  @%%q bra done;\n"
    "  mul.wide.s32 %%a4, %%r4, 4;\n  add.s64 %%a5, %%a1, %%a4;\n  add.s64 %%a6, %%a2, %%a4;\n"
    "  ld.global.f32 %%f2, [%%a5];\n  ld.global.f32 %%f3, [%%a6];\n  fma.rn.f32 %%f4, %%f2, %%f1, %%f3;\n"
    "  st.global.f32 [%%a6], %%f4;\ndone:\n  ret;\n}\n";

static const char json_text[] =
    "{\"nereid\": 1, \"name\": \"axpy\", \"num_warps\": %d, \"shared\": %d,"
    "\"grid\": {\"map\": \"()[s0] -> (s0 ceildiv %d)\", \"args\": [3], \"per_sm\": 0}, \"signature\": ["
    "{\"name\": \"x\", \"type\": \"ptr<f32>\"%s}, {\"name\": \"y\", \"type\": \"ptr<f32>\"%s},"
    "{\"name\": \"a\", \"type\": \"f32\"}, {\"name\": \"n\", \"type\": \"i32\"%s}]}";

static struct {
  atomic_int compilations, sessions, images;
  atomic_bool blocks; /* compilations wait for their cancellation */
  pthread_mutex_t lock;
  uint8_t properties[64][4]; /* of each compilation */
} log_of_compiler = {.lock = PTHREAD_MUTEX_INITIALIZER};

static nereid_status_t create_session(void **out_session) {
  atomic_fetch_add(&log_of_compiler.sessions, 1);
  *out_session = malloc(1);
  return *out_session ? NEREID_OK : NEREID_ERROR_MEMORY;
}

static void destroy_session(void *session) {
  atomic_fetch_sub(&log_of_compiler.sessions, 1);
  free(session);
}

static const char *divisibility(const nereid_lazy_request_t *request, size_t argument, bool is_pointer) {
  const uint8_t property = request->properties[argument];
  return property == NEREID_PROPERTY_DIVISIBLE || (property == NEREID_PROPERTY_AS_WRITTEN && is_pointer)
             ? ", \"divisibility\": 16"
             : "";
}

/* The text is "axpy THREADS REPEAT SHARED", or "error". */
static nereid_status_t compile(void *session, const nereid_lazy_request_t *request, nereid_lazy_image_t *out_image,
                               nereid_message_t *problem) {
  int threads, repeat, shared;
  const int index = atomic_fetch_add(&log_of_compiler.compilations, 1);
  assert_non_null(session);
  if (index < 64) {
    pthread_mutex_lock(&log_of_compiler.lock);
    memcpy(log_of_compiler.properties[index], request->properties, 4);
    pthread_mutex_unlock(&log_of_compiler.lock);
  }
  while (atomic_load(&log_of_compiler.blocks)) {
    usleep(1000);
    if (nereid_cancellation_is_requested(request->cancellation))
      return NEREID_ERROR_CANCELLED;
  }
  char text[256];
  snprintf(text, sizeof text, "%.*s", (int)request->text.size, request->text.data);
  if (sscanf(text, "axpy %d %d %d", &threads, &repeat, &shared) != 3)
    return nereid_message_set(problem, NEREID_ERROR_PROGRAM, "%s:1:1: '%s' is not a kernel", request->name, text);
  char *both = malloc(8192);
  if (!both)
    return NEREID_ERROR_MEMORY;
  snprintf(both, 4096, ptx_text, threads, repeat, threads);
  snprintf(both + 4096, 4096, json_text, threads / 32, shared, threads, divisibility(request, 0, true),
           divisibility(request, 1, true), divisibility(request, 3, false));
  *out_image = (nereid_lazy_image_t){nereid_view(both), nereid_view(both + 4096), both};
  atomic_fetch_add(&log_of_compiler.images, 1);
  return NEREID_OK;
}

static void release(nereid_lazy_image_t *image) {
  atomic_fetch_sub(&log_of_compiler.images, 1);
  free(image->owner);
}

static const char *version(void) {
  return "compiler of a test";
}

static const nereid_lazy_compiler_t compiler = {version, create_session, destroy_session, compile, release};

/* --- kernels --- */

/* One configuration per row of constants. */
enum { N_CONSTANTS = 3, MAX_ROWS = 16 };

typedef struct rows {
  const char *values[MAX_ROWS][N_CONSTANTS]; /* threads, repeat, shared */
  size_t n;
} rows_t;

/* Iterations of about 20 ns on a GPU, where a run takes at least 2,000. */
static const rows_t three_of_emulator = {{{"64", "60", "0"}, {"128", "4", "0"}, {"256", "40", "0"}}, 3},
                    three_of_gpu = {{{"64", "4000", "0"}, {"128", "4", "0"}, {"256", "2000", "0"}}, 3};
static rows_t three; /* of the device */
enum { FASTEST = 1 };

/* Creates a kernel with these rows and the caller's other options. */
static nereid_status_t try_create(const rows_t *rows, nereid_lazy_options_t options, nereid_lazy_kernel_t **kernel) {
  static const char *const names[] = {"THREADS", "REPEAT", "SHARED"};
  nereid_constant_t constants[MAX_ROWS][N_CONSTANTS];
  nereid_lazy_configuration_t configurations[MAX_ROWS] = {{0}};
  for (size_t i = 0; i < rows->n; ++i) {
    for (size_t k = 0; k < N_CONSTANTS; ++k)
      constants[i][k] = (nereid_constant_t){names[k], rows->values[i][k]};
    configurations[i].n_constants = N_CONSTANTS;
    configurations[i].constants = constants[i];
  }
  options.size = sizeof options;
  options.text = nereid_view("axpy ${THREADS} ${REPEAT} ${SHARED}");
  options.name = "axpy.ttir";
  options.compiler = &compiler;
  options.n_configurations = rows->n;
  options.configurations = configurations;
  return nereid_lazy_create(device, &options, kernel, &message);
}

static nereid_lazy_kernel_t *create(const rows_t *rows, nereid_lazy_options_t options) {
  nereid_lazy_kernel_t *kernel;
  CHECK(try_create(rows, options, &kernel));
  return kernel;
}

#define OPTIONS(...) ((nereid_lazy_options_t){__VA_ARGS__})

/* x holds i, y holds 1. */
typedef struct vectors {
  uint64_t x, y;
} vectors_t;

static vectors_t allocate(void) {
  vectors_t vectors;
  float host[COUNT];
  nereid_message_t problem;
  for (int i = 0; i < COUNT; ++i)
    host[i] = (float)i;
  if (nereid_device_allocate(device, BYTES + 16, &vectors.x, &problem) ||
      nereid_device_allocate(device, BYTES + 16, &vectors.y, &problem) ||
      nereid_device_upload(device, vectors.x, host, BYTES, &problem))
    abort();
  for (int i = 0; i < COUNT; ++i)
    host[i] = 1;
  if (nereid_device_upload(device, vectors.y, host, BYTES, &problem))
    abort();
  return vectors;
}

static void free_vectors(vectors_t vectors) {
  nereid_device_free(device, vectors.x);
  nereid_device_free(device, vectors.y);
}

static const uint64_t sizes[] = {0, BYTES, 0, 0};

static nereid_status_t launch_on(nereid_lazy_kernel_t *kernel, vectors_t vectors, uint64_t key, void *stream,
                                 nereid_message_t *problem) {
  const nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y),
                                   nereid_value_f32(2), nereid_value_i32(COUNT)};
  const nereid_lazy_launch_t how = {.launch = {.stream = stream}, .key = key, .sizes = sizes};
  return nereid_lazy_launch(kernel, &how, 4, values, problem);
}

static nereid_status_t launch(nereid_lazy_kernel_t *kernel, vectors_t vectors, uint64_t key) {
  return launch_on(kernel, vectors, key, NULL, &message);
}

/* Returns whether y = 1 + 2 * times * x. */
static bool is_multiple(vectors_t vectors, int times) {
  float host[COUNT];
  nereid_message_t problem;
  if (nereid_device_synchronize(device, &problem) || nereid_device_download(device, host, vectors.y, BYTES, &problem))
    return false;
  for (int i = 0; i < COUNT; ++i)
    if (host[i] != (float)(1 + 2 * times * i))
      return false;
  return true;
}

static size_t winner_of(nereid_lazy_kernel_t *kernel, uint64_t key) {
  const nereid_lazy_launch_t how = {.key = key};
  const nereid_value_t values[4] = {nereid_value_pointer(0), nereid_value_pointer(0), nereid_value_f32(0),
                                    nereid_value_i32(0)};
  size_t configuration = SIZE_MAX;
  CHECK(nereid_lazy_winner(kernel, &how, 4, values, &configuration, NULL, &message));
  return configuration;
}

static cJSON *report(nereid_lazy_kernel_t *kernel) {
  nereid_arena_t arena;
  nereid_view_t text;
  nereid_arena_initialize(&arena);
  assert_int_equal(nereid_lazy_report(kernel, &arena, &text), NEREID_OK);
  cJSON *json = cJSON_ParseWithLength(text.data, text.size);
  if (!json)
    fail_msg("not JSON: %s", text.data);
  nereid_arena_deinitialize(&arena);
  return json;
}

/* The text of `object[list][i][name]`. */
static const char *text_in(const cJSON *object, const char *list, int i, const char *name) {
  const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(object, list), i);
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, name));
  return text ? text : "";
}

static void expect_outcomes(nereid_lazy_kernel_t *kernel, const char *list, size_t n, const char *const *outcomes) {
  cJSON *json = report(kernel);
  const cJSON *decision = strcmp(list, "failure") == 0 ? cJSON_GetObjectItem(json, list)
                                                       : cJSON_GetArrayItem(cJSON_GetObjectItem(json, list), 0);
  assert_non_null(decision);
  for (size_t i = 0; i < n; ++i)
    assert_string_equal(text_in(decision, "results", (int)i, "outcome"), outcomes[i]);
  cJSON_Delete(json);
}

static int open_device(void **state) {
  const char *name = getenv("NEREID_TEST_DEVICE");
  (void)state;
  is_emulator = !name || strcmp(name, "emulator") == 0;
  three = is_emulator ? three_of_emulator : three_of_gpu;
  return nereid_device_open_named(name ? name : "emulator", &device, &message);
}

static int close_device(void **state) {
  (void)state;
  nereid_device_close(device);
  return 0;
}

/* Nothing of the compiler is left after a test. */
static int check_leaks(void **state) {
  (void)state;
  return atomic_load(&log_of_compiler.sessions) || atomic_load(&log_of_compiler.images);
}

static int reset(void **state) {
  (void)state;
  atomic_store(&log_of_compiler.compilations, 0);
  return 0;
}

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
  const rows_t slow = {{{"64", is_emulator ? "4000" : "3000000", "0"}, {"128", "1", "0"}}, 2};
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
