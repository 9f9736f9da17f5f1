/* A device, a compiler that writes PTX, and kernels of it, for the tests of lazy kernels. */
#ifndef NEREID_TEST_LAZY_FIXTURE_H
#define NEREID_TEST_LAZY_FIXTURE_H

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

static inline void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention '%s'", message.text, text);
}

/* --- a compiler --- */

/* y[i] += a * x[i] for i < n, after a loop of `repeat` loads of x[0], which the driver's compiler keeps. */
static const char ptx_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry axpy(.param .u64 .ptr .global .align 16 px, .param .u64 .ptr .global .align 16 py,\n"
    "  .param .f32 pa, .param .u32 pn, .param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p)\n"
    ".reqntid %d\n{\n"
    "  .reg .pred %%q;\n  .reg .b32 %%r<8>;\n  .reg .f32 %%f<5>;\n  .reg .b64 %%a<8>;\n"
    "  ld.param.u64 %%a1, [px];\n  ld.param.u64 %%a2, [py];\n  ld.param.f32 %%f1, [pa];\n  ld.param.u32 %%r1, [pn];\n"
    "  mov.u32 %%r5, 0;\nagain:\n  ld.volatile.global.f32 %%f4, [%%a1];\n  add.s32 %%r5, %%r5, 1;\n"
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
  uint8_t properties[64][4]; /* one row per compilation */
} log_of_compiler = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline nereid_status_t create_session(void **out_session) {
  atomic_fetch_add(&log_of_compiler.sessions, 1);
  *out_session = malloc(1);
  return *out_session ? NEREID_OK : NEREID_ERROR_MEMORY;
}

static inline void destroy_session(void *session) {
  atomic_fetch_sub(&log_of_compiler.sessions, 1);
  free(session);
}

static inline const char *divisibility(const nereid_lazy_request_t *request, size_t argument, bool is_pointer) {
  const uint8_t property = request->properties[argument];
  return property == NEREID_PROPERTY_DIVISIBLE || (property == NEREID_PROPERTY_AS_WRITTEN && is_pointer)
             ? ", \"divisibility\": 16"
             : "";
}

/* The text is "axpy THREADS REPEAT SHARED", or "error". */
static inline nereid_status_t compile(void *session, const nereid_lazy_request_t *request,
                                      nereid_lazy_image_t *out_image, nereid_message_t *problem) {
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

static inline void release(nereid_lazy_image_t *image) {
  atomic_fetch_sub(&log_of_compiler.images, 1);
  free(image->owner);
}

static inline const char *version(void) {
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

/* An iteration waits for a load: about 300 ns on a GPU, where a run takes at least 2,000. */
static const rows_t three_of_emulator = {{{"64", "60", "0"}, {"128", "4", "0"}, {"256", "40", "0"}}, 3},
                    three_of_gpu = {{{"64", "400", "0"}, {"128", "4", "0"}, {"256", "200", "0"}}, 3};
static rows_t three; /* arrays on the device */
enum { FASTEST = 1 };

/* Creates a kernel with these rows and the caller's other options, with the compiler unless there is a store. */
static inline nereid_status_t try_create(const rows_t *rows, nereid_lazy_options_t options,
                                         nereid_lazy_kernel_t **kernel) {
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
  if (!options.store)
    options.compiler = &compiler;
  options.n_configurations = rows->n;
  options.configurations = configurations;
  return nereid_lazy_create(device, &options, kernel, &message);
}

static inline nereid_lazy_kernel_t *create(const rows_t *rows, nereid_lazy_options_t options) {
  nereid_lazy_kernel_t *kernel;
  CHECK(try_create(rows, options, &kernel));
  return kernel;
}

#define OPTIONS(...) ((nereid_lazy_options_t){__VA_ARGS__})

/* x holds i, y holds 1. */
typedef struct vectors {
  uint64_t x, y;
} vectors_t;

static inline vectors_t allocate(void) {
  vectors_t vectors;
  float host[COUNT];
  nereid_message_t problem;
  for (int i = 0; i < COUNT; ++i)
    host[i] = (float)i;
  if (nereid_device_allocate(device, BYTES + 16, &vectors.x, &problem) ||
      nereid_device_allocate(device, BYTES + 16, &vectors.y, &problem) ||
      nereid_device_upload(device, vectors.x, host, BYTES, &problem) ||
      nereid_device_synchronize(device, &problem)) /* the staging buffer of the driver */
    abort();
  for (int i = 0; i < COUNT; ++i)
    host[i] = 1;
  if (nereid_device_upload(device, vectors.y, host, BYTES, &problem) || nereid_device_synchronize(device, &problem))
    abort();
  return vectors;
}

static inline void free_vectors(vectors_t vectors) {
  nereid_device_free(device, vectors.x);
  nereid_device_free(device, vectors.y);
}

static const uint64_t sizes[] = {0, BYTES, 0, 0};

static inline nereid_status_t launch_on(nereid_lazy_kernel_t *kernel, vectors_t vectors, uint64_t key, void *stream,
                                        nereid_message_t *problem) {
  const nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y),
                                   nereid_value_f32(2), nereid_value_i32(COUNT)};
  const nereid_lazy_launch_t how = {.launch = {.stream = stream}, .key = key, .sizes = sizes};
  return nereid_lazy_launch(kernel, &how, 4, values, problem);
}

static inline nereid_status_t launch(nereid_lazy_kernel_t *kernel, vectors_t vectors, uint64_t key) {
  return launch_on(kernel, vectors, key, NULL, &message);
}

/* Returns whether y = 1 + 2 * times * x. */
static inline bool is_multiple(vectors_t vectors, int times) {
  float host[COUNT];
  nereid_message_t problem;
  if (nereid_device_synchronize(device, &problem) || nereid_device_download(device, host, vectors.y, BYTES, &problem))
    return false;
  for (int i = 0; i < COUNT; ++i)
    if (host[i] != (float)(1 + 2 * times * i))
      return false;
  return true;
}

static inline size_t winner_of(nereid_lazy_kernel_t *kernel, uint64_t key) {
  const nereid_lazy_launch_t how = {.key = key};
  const nereid_value_t values[4] = {nereid_value_pointer(0), nereid_value_pointer(0), nereid_value_f32(0),
                                    nereid_value_i32(0)};
  size_t configuration = SIZE_MAX;
  CHECK(nereid_lazy_winner(kernel, &how, 4, values, &configuration, NULL, &message));
  return configuration;
}

static inline cJSON *report(nereid_lazy_kernel_t *kernel) {
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
static inline const char *text_in(const cJSON *object, const char *list, int i, const char *name) {
  const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(object, list), i);
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, name));
  return text ? text : "";
}

static inline void expect_outcomes(nereid_lazy_kernel_t *kernel, const char *list, size_t n,
                                   const char *const *outcomes) {
  cJSON *json = report(kernel);
  const cJSON *decision = strcmp(list, "failure") == 0 ? cJSON_GetObjectItem(json, list)
                                                       : cJSON_GetArrayItem(cJSON_GetObjectItem(json, list), 0);
  assert_non_null(decision);
  for (size_t i = 0; i < n; ++i)
    assert_string_equal(text_in(decision, "results", (int)i, "outcome"), outcomes[i]);
  cJSON_Delete(json);
}

static inline int open_device(void **state) {
  const char *name = getenv("NEREID_TEST_DEVICE");
  (void)state;
  is_emulator = !name || strcmp(name, "emulator") == 0;
  three = is_emulator ? three_of_emulator : three_of_gpu;
  return nereid_device_open_named(name ? name : "emulator", &device, &message);
}

static inline int close_device(void **state) {
  (void)state;
  nereid_device_close(device);
  return 0;
}

/* Nothing of the compiler is left after a test. */
static inline int check_leaks(void **state) {
  (void)state;
  return atomic_load(&log_of_compiler.sessions) || atomic_load(&log_of_compiler.images);
}

static inline int reset(void **state) {
  (void)state;
  atomic_store(&log_of_compiler.compilations, 0);
  return 0;
}

#endif
