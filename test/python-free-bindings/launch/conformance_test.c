/* What every device of nereid/launch.h does: memory, launches, tensors of rank 1 to 5 through TMA, streams, graphs,
 * errors. The device is the emulator, or the one that NEREID_TEST_DEVICE names ("0": a GPU of sm_90). */
#include "test/python-free-bindings/launch/tile_kernel.h"

#include "nereid/stream.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COUNT = 1000, THREADS = 128, CTAS = (COUNT + THREADS - 1) / THREADS };

static nereid_message_t message;
static nereid_device_t *device;

/* y[i] += a * x[i] for i < n. */
static const char axpy_ptx[] = PTX_HEAD
    ".visible .entry axpy(.param .u64 .ptr .global .align 16 px, .param .u64 .ptr .global .align 16 py,\n"
    "  .param .f32 pa, .param .u32 pn, " SCRATCH ")\n.reqntid 128\n{\n"
    "  .reg .pred %q;\n  .reg .b32 %r<6>;\n  .reg .f32 %f<5>;\n  .reg .b64 %a<8>;\n"
    "  ld.param.u64 %a1, [px];\n  ld.param.u64 %a2, [py];\n  ld.param.f32 %f1, [pa];\n  ld.param.u32 %r1, [pn];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.s32 %r4, %r2, 128, %r3;\n"
    "  setp.ge.s32 %q, %r4, %r1;\n  @%q bra done;\n"
    "  mul.wide.s32 %a4, %r4, 4;\n  add.s64 %a5, %a1, %a4;\n  add.s64 %a6, %a2, %a4;\n"
    "  ld.global.f32 %f2, [%a5];\n  ld.global.f32 %f3, [%a6];\n  fma.rn.f32 %f4, %f2, %f1, %f3;\n"
    "  st.global.f32 [%a6], %f4;\ndone:\n  ret;\n}\n";
static const char axpy_json[] = "{\"nereid\": 1, \"name\": \"axpy\", \"num_warps\": 4, \"shared\": 0, \"signature\": ["
                                "{\"name\": \"x\", \"type\": \"ptr<f32>\", \"divisibility\": 16},"
                                "{\"name\": \"y\", \"type\": \"ptr<f32>\", \"divisibility\": 16},"
                                "{\"name\": \"a\", \"type\": \"f32\"}, {\"name\": \"n\", \"type\": \"i32\"}]}";

static const nereid_kernel_t *load(const char *ptx, const char *json, nereid_module_t **module) {
  const nereid_kernel_t *kernel = NULL;
  if (nereid_module_load(device, nereid_view(ptx), nereid_view(json), module, &message) ||
      nereid_module_kernel(*module, NULL, &kernel, &message))
    fail_msg("%s", message.text);
  return kernel;
}

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (call)                                                                                                          \
      fail_msg("%s: %s", #call, message.text);                                                                         \
  } while (0)

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention '%s'", message.text, text);
}

static int open_device(void **state) {
  const char *name = getenv("NEREID_TEST_DEVICE");
  (void)state;
  return nereid_device_open_named(name ? name : "emulator", &device, &message);
}

static int close_device(void **state) {
  (void)state;
  nereid_device_close(device);
  return 0;
}

/* x holds i, y holds 1. */
typedef struct vectors {
  uint64_t x, y;
} vectors_t;

static vectors_t allocate(void) {
  vectors_t vectors;
  float host[COUNT];
  CHECK(nereid_device_allocate(device, sizeof host, &vectors.x, &message));
  CHECK(nereid_device_allocate(device, sizeof host, &vectors.y, &message));
  for (int i = 0; i < COUNT; ++i)
    host[i] = (float)i;
  CHECK(nereid_device_upload(device, vectors.x, host, sizeof host, &message));
  for (int i = 0; i < COUNT; ++i)
    host[i] = 1;
  CHECK(nereid_device_upload(device, vectors.y, host, sizeof host, &message));
  return vectors;
}

static void release(vectors_t vectors) {
  nereid_device_free(device, vectors.x);
  nereid_device_free(device, vectors.y);
}

static nereid_status_t axpy(const nereid_kernel_t *kernel, vectors_t vectors, float a, void *stream) {
  const nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y),
                                   nereid_value_f32(a), nereid_value_i32(COUNT)};
  const nereid_launch_t how = {.grid = {CTAS, 1, 1}, .stream = stream};
  return nereid_kernel_launch(kernel, &how, 4, values, &message);
}

/* Fails unless y = 1 + factor * x. */
static void expect_multiple(vectors_t vectors, float factor) {
  float host[COUNT];
  CHECK(nereid_device_synchronize(device, &message));
  CHECK(nereid_device_download(device, host, vectors.y, sizeof host, &message));
  for (int i = 0; i < COUNT; ++i)
    if (host[i] != 1 + factor * (float)i)
      fail_msg("y[%d] is %g, not %g", i, (double)host[i], (double)(1 + factor * (float)i));
}

static void launches_compute(void **state) {
  nereid_module_t *module;
  const nereid_kernel_t *kernel = load(axpy_ptx, axpy_json, &module);
  vectors_t vectors = allocate();
  void *stream;
  (void)state;
  CHECK(axpy(kernel, vectors, 2, NULL));
  expect_multiple(vectors, 2);
  CHECK(nereid_stream_create(device, &stream, &message));
  CHECK(axpy(kernel, vectors, 3, stream));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  expect_multiple(vectors, 5);
  nereid_stream_destroy(device, stream);
  release(vectors);
  nereid_module_unload(module);
}

static const char grid_json[] = "{\"nereid\": 1, \"name\": \"axpy\", \"num_warps\": 4, \"shared\": 0,"
                                "\"grid\": {\"map\": \"%s\", \"args\": [3], \"per_sm\": %d}, \"signature\": ["
                                "{\"name\": \"x\", \"type\": \"ptr<f32>\"}, {\"name\": \"y\", \"type\": \"ptr<f32>\"},"
                                "{\"name\": \"a\", \"type\": \"f32\"}, {\"name\": \"n\", \"type\": \"i32\"}]}";

static void grids_are_evaluated(void **state) {
  nereid_module_t *module;
  char json[1024];
  vectors_t vectors = allocate();
  uint32_t grid[3];
  (void)state;
  snprintf(json, sizeof json, grid_json, "()[s0] -> (s0 ceildiv 128)", 0);
  const nereid_kernel_t *kernel = load(axpy_ptx, json, &module);
  nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y), nereid_value_f32(1),
                             nereid_value_i32(COUNT)};
  CHECK(nereid_kernel_grid(kernel, 4, values, grid, &message));
  assert_int_equal(grid[0], CTAS);
  CHECK(nereid_kernel_launch(kernel, NULL, 4, values, &message));
  expect_multiple(vectors, 1);
  CHECK(nereid_kernel_launch(kernel, &(nereid_launch_t){.stream = NULL}, 4, values, &message));
  expect_multiple(vectors, 2);
  int32_t n = COUNT;
  float a = 1;
  void *raw[] = {&vectors.x, &vectors.y, &a, &n};
  CHECK(nereid_kernel_launch_raw(kernel, NULL, 4, raw, &message));
  expect_multiple(vectors, 3);
  CHECK(nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {0, 1, 1}}, 4, values, &message)); /* nothing */
  expect_multiple(vectors, 3);
  CHECK(nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {CTAS, 1, 1}}, 4, values, &message));
  expect_multiple(vectors, 4);
  values[3] = nereid_value_i32(-1000);
  assert_int_equal(nereid_kernel_launch(kernel, NULL, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("evaluates to -7 along x");
  values[3] = nereid_value_i32(0);
  CHECK(nereid_kernel_launch(kernel, NULL, 4, values, &message)); /* an empty grid */
  expect_multiple(vectors, 4);
  nereid_module_unload(module);
  release(vectors);
}

static void grids_are_limited_to_the_device(void **state) {
  nereid_module_t *module;
  char json[1024];
  uint32_t grid[3];
  (void)state;
  snprintf(json, sizeof json, grid_json, "()[s0] -> (s0, 2)", 3);
  const nereid_kernel_t *kernel = load(axpy_ptx, json, &module);
  const nereid_value_t values[] = {nereid_value_pointer(0), nereid_value_pointer(0), nereid_value_f32(1),
                                   nereid_value_i32(1 << 30)};
  CHECK(nereid_kernel_grid(kernel, 4, values, grid, &message));
  assert_int_equal(grid[0], 3 * nereid_device_info(device)->multiprocessors);
  assert_int_equal(grid[1], 2);
  nereid_module_unload(module);
}

static void grids_that_do_not_load(void **state) {
  static const char *const wrong[] = {"()[s0] -> (s1)", "()[s0] -> (s0 + )", "(d0, d1) -> (d0)"};
  nereid_module_t *module;
  char json[1024];
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    snprintf(json, sizeof json, grid_json, wrong[i], 0);
    assert_int_equal(nereid_module_load(device, nereid_view(axpy_ptx), nereid_view(json), &module, &message),
                     NEREID_ERROR_ARGUMENT);
    mentions("the grid map");
  }
  const nereid_kernel_t *kernel = load(axpy_ptx, axpy_json, &module);
  const nereid_value_t values[] = {nereid_value_pointer(0), nereid_value_pointer(0), nereid_value_f32(1),
                                   nereid_value_i32(0)};
  assert_int_equal(nereid_kernel_launch(kernel, NULL, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("no grid map");
  nereid_module_unload(module);
}

static void events_measure(void **state) {
  nereid_module_t *module;
  const nereid_kernel_t *kernel = load(axpy_ptx, axpy_json, &module);
  vectors_t vectors = allocate();
  nereid_event_t *start, *end;
  float milliseconds = -1;
  (void)state;
  CHECK(nereid_event_create(device, &start, &message));
  CHECK(nereid_event_create(device, &end, &message));
  CHECK(nereid_event_record(start, NULL, &message));
  CHECK(axpy(kernel, vectors, 1, NULL));
  CHECK(nereid_event_record(end, NULL, &message));
  CHECK(nereid_event_elapsed(start, end, &milliseconds, &message));
  assert_true(milliseconds > 0);
  nereid_event_destroy(start);
  nereid_event_destroy(end);
  release(vectors);
  nereid_module_unload(module);
}

static void graphs_repeat_their_launches(void **state) {
  nereid_module_t *module;
  const nereid_kernel_t *kernel = load(axpy_ptx, axpy_json, &module);
  vectors_t vectors = allocate();
  nereid_graph_t *graph;
  void *stream;
  (void)state;
  CHECK(nereid_stream_create(device, &stream, &message));
  assert_false(nereid_stream_is_captured(device, stream));
  CHECK(nereid_stream_capture(device, stream, &message));
  assert_true(nereid_stream_is_captured(device, stream));
  CHECK(axpy(kernel, vectors, 1, stream));
  CHECK(axpy(kernel, vectors, 2, stream));
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  assert_false(nereid_stream_is_captured(device, stream));
  expect_multiple(vectors, 0); /* recorded, not executed */
  for (int i = 0; i < 4; ++i)
    CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  expect_multiple(vectors, 12);
  nereid_graph_destroy(graph);
  assert_int_equal(nereid_stream_end_capture(device, stream, &graph, &message), NEREID_ERROR_DEVICE);
  assert_null(graph);
  assert_int_equal(nereid_stream_capture(device, NULL, &message), NEREID_ERROR_ARGUMENT);
  nereid_stream_destroy(device, stream);
  release(vectors);
  nereid_module_unload(module);
}

static void graphs_fill(void **state) {
  uint8_t host[64];
  uint64_t address;
  nereid_graph_t *graph;
  void *stream;
  (void)state;
  CHECK(nereid_device_allocate(device, sizeof host, &address, &message));
  CHECK(nereid_device_fill(device, address, 1, sizeof host, NULL, &message));
  CHECK(nereid_stream_create(device, &stream, &message));
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(nereid_device_fill(device, address, 9, 32, stream, &message));
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  CHECK(nereid_device_download(device, host, address, sizeof host, &message));
  assert_true(host[31] == 9 && host[32] == 1);
  nereid_graph_destroy(graph);
  nereid_stream_destroy(device, stream);
  nereid_device_free(device, address);
}

static void copies_are_ordered_with_fills(void **state) {
  uint8_t host[64];
  uint64_t address;
  nereid_graph_t *graph;
  void *stream;
  (void)state;
  CHECK(nereid_device_allocate(device, sizeof host, &address, &message));
  CHECK(nereid_device_fill(device, address, 1, 32, NULL, &message));
  CHECK(nereid_device_copy(device, address + 32, address, 32, NULL, &message));
  CHECK(nereid_device_copy(device, address, address + 32, 0, NULL, &message));
  CHECK(nereid_stream_create(device, &stream, &message));
  CHECK(nereid_device_synchronize(device, &message));
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(nereid_device_fill(device, address, 9, 16, stream, &message));
  CHECK(nereid_device_copy(device, address + 48, address + 8, 16, stream, &message));
  CHECK(nereid_device_fill(device, address, 7, 8, stream, &message));
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  CHECK(nereid_device_download(device, host, address, sizeof host, &message));
  assert_true(host[0] == 1 && host[32] == 1 && host[63] == 1);
  CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  CHECK(nereid_device_download(device, host, address, sizeof host, &message));
  assert_true(host[7] == 7 && host[8] == 9 && host[15] == 9 && host[16] == 1);
  assert_true(host[47] == 1 && host[48] == 9 && host[55] == 9 && host[56] == 1);
  nereid_graph_destroy(graph);
  nereid_stream_destroy(device, stream);
  nereid_device_free(device, address);
}

/* --- tensors --- */

static bool same(float a, float b) {
  return a == b || (isnan(a) && isnan(b));
}

static void tensors_of_every_rank(void **state) {
  static float data[PITCH * 64];
  static char ptx[TEXT], json[TEXT];
  uint64_t address, out;
  float host[2 * MAX_TILE];
  (void)state;
  for (size_t i = 0; i < sizeof data / sizeof *data; ++i)
    data[i] = (float)i;
  CHECK(nereid_device_allocate(device, sizeof data, &address, &message));
  CHECK(nereid_device_upload(device, address, data, sizeof data, &message));
  CHECK(nereid_device_allocate(device, sizeof host, &out, &message));
  for (uint32_t rank = 1; rank <= NEREID_TMA_RANK; ++rank)
    for (int padding = NEREID_PADDING_ZERO; padding <= NEREID_PADDING_NAN; ++padding) {
      nereid_module_t *module;
      nereid_tensor_t tensor = tensor_of(rank, address);
      tensor.padding = (nereid_padding_t)padding;
      tile_kernel(rank, ptx, json);
      const nereid_kernel_t *kernel = load(ptx, json, &module);
      const nereid_value_t values[] = {nereid_value_tensor(&tensor), nereid_value_pointer(out)};
      CHECK(nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {2, 1, 1}}, 2, values, &message));
      CHECK(nereid_device_synchronize(device, &message));
      CHECK(nereid_device_download(device, host, out, sizeof host, &message));
      const int tile = BOX << (rank - 1);
      for (int k = 0; k < 2 * tile; ++k)
        if (!same(host[k], expected(&tensor, k / tile, k % tile)))
          fail_msg("rank %u, tile %d, element %d is %g, not %g", rank, k / tile, k % tile, (double)host[k],
                   (double)expected(&tensor, k / tile, k % tile));
      nereid_module_unload(module);
    }
  nereid_device_free(device, address);
  nereid_device_free(device, out);
}

static void count(void *data) {
  __atomic_fetch_add((int *)data, 1, __ATOMIC_SEQ_CST);
}

static void discount(void *data) {
  __atomic_fetch_sub((int *)data, 1, __ATOMIC_SEQ_CST);
}

static void graphs_keep_tensors_alive(void **state) {
  static char ptx[TEXT], json[TEXT];
  nereid_module_t *module;
  nereid_graph_t *graph;
  uint64_t address, out;
  float host[BOX];
  void *stream;
  int owners = 0;
  (void)state;
  tile_kernel(1, ptx, json);
  const nereid_kernel_t *kernel = load(ptx, json, &module);
  CHECK(nereid_device_allocate(device, 4096, &address, &message));
  CHECK(nereid_device_fill(device, address, 0, 4096, NULL, &message));
  CHECK(nereid_device_allocate(device, sizeof host, &out, &message));
  CHECK(nereid_device_fill(device, out, 1, sizeof host, NULL, &message));
  CHECK(nereid_stream_create(device, &stream, &message));
  nereid_tensor_t tensor = tensor_of(1, address);
  tensor.owner = (nereid_tma_owner_t){&owners, count, discount};
  const nereid_value_t values[] = {nereid_value_tensor(&tensor), nereid_value_pointer(out)};
  const nereid_launch_t how = {.grid = {1, 1, 1}, .stream = stream};
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(nereid_kernel_launch(kernel, &how, 2, values, &message));
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  assert_int_equal(owners, 1);
  CHECK(nereid_graph_launch(graph, stream, &message));
  CHECK(nereid_stream_synchronize(device, stream, &message));
  CHECK(nereid_device_download(device, host, out, sizeof host, &message));
  assert_true(host[0] == 0 && host[BOX - 1] == 0);
  assert_int_equal(owners, 1);
  nereid_graph_destroy(graph);
  for (int i = 0; owners && i < 1000; ++i) /* a GPU's driver destroys the owners' objects on a thread of its own */
    CHECK(nereid_device_synchronize(device, &message));
  assert_int_equal(owners, 0);
  nereid_stream_destroy(device, stream);
  nereid_device_free(device, address);
  nereid_device_free(device, out);
  nereid_module_unload(module);
}

/* The memory of a tensor that a graph used is freed by the next launch, which is captured. */
typedef struct freed {
  uint64_t address; /* 0: freed */
  int references;
} freed_t;

static void retain_memory(void *data) {
  ++((freed_t *)data)->references;
}

static void release_memory(void *data) {
  freed_t *freed = data;
  if (--freed->references)
    return;
  nereid_device_free(device, freed->address);
  freed->address = 0;
}

static nereid_graph_t *capture_launch(const nereid_kernel_t *kernel, void *stream, const nereid_value_t *values) {
  nereid_graph_t *graph;
  CHECK(nereid_stream_capture(device, stream, &message));
  CHECK(nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {1, 1, 1}, .stream = stream}, 2, values, &message));
  CHECK(nereid_stream_end_capture(device, stream, &graph, &message));
  return graph;
}

static void a_capture_frees_memory_of_destroyed_graphs(void **state) {
  static char ptx[TEXT], json[TEXT];
  nereid_module_t *module;
  freed_t freed = {0};
  uint64_t address, out;
  void *stream;
  (void)state;
  tile_kernel(1, ptx, json);
  const nereid_kernel_t *kernel = load(ptx, json, &module);
  CHECK(nereid_device_allocate(device, 4096, &freed.address, &message));
  CHECK(nereid_device_allocate(device, 4096, &address, &message));
  CHECK(nereid_device_allocate(device, BOX * sizeof(float), &out, &message));
  CHECK(nereid_stream_create(device, &stream, &message));
  nereid_tensor_t owned = tensor_of(1, freed.address), tensor = tensor_of(1, address);
  owned.owner = (nereid_tma_owner_t){&freed, retain_memory, release_memory};
  nereid_graph_destroy(
      capture_launch(kernel, stream, (nereid_value_t[]){nereid_value_tensor(&owned), nereid_value_pointer(out)}));
  for (int i = 0; freed.address && i < 1000; ++i)
    nereid_graph_destroy(
        capture_launch(kernel, stream, (nereid_value_t[]){nereid_value_tensor(&tensor), nereid_value_pointer(out)}));
  assert_int_equal(freed.address, 0);
  nereid_stream_destroy(device, stream);
  nereid_device_free(device, address);
  nereid_device_free(device, out);
  nereid_module_unload(module);
}

enum { LAUNCHERS = 16, LAUNCHES = 40 };

typedef struct launcher {
  const nereid_kernel_t *kernel;
  uint64_t address, out;
  int owners;
} launcher_t;

/* Launches with tensors of the same and of other shapes. */
static void *launch_often(void *data) {
  launcher_t *launcher = data;
  nereid_message_t problem;
  for (uint64_t i = 0; i < LAUNCHES; ++i) {
    nereid_tensor_t tensor = tensor_of(1, launcher->address);
    tensor.shape[0] = 1 + i % 20;
    tensor.owner = (nereid_tma_owner_t){&launcher->owners, count, discount};
    const nereid_value_t values[] = {nereid_value_tensor(&tensor), nereid_value_pointer(launcher->out)};
    if (nereid_kernel_launch(launcher->kernel, &(nereid_launch_t){.grid = {1, 1, 1}}, 2, values, &problem))
      return launcher;
  }
  return NULL;
}

static void threads_launch_with_tensors(void **state) {
  static char ptx[TEXT], json[TEXT];
  launcher_t launchers[LAUNCHERS];
  pthread_t threads[LAUNCHERS];
  nereid_module_t *module;
  uint64_t address, out;
  (void)state;
  tile_kernel(1, ptx, json);
  const nereid_kernel_t *kernel = load(ptx, json, &module);
  CHECK(nereid_device_allocate(device, 4096, &address, &message));
  CHECK(nereid_device_fill(device, address, 0, 4096, NULL, &message));
  CHECK(nereid_device_allocate(device, (uint64_t)LAUNCHERS * BOX * 4, &out, &message));
  for (uint64_t i = 0; i < LAUNCHERS; ++i) {
    launchers[i] = (launcher_t){kernel, address + 128 * (i % 3), out + BOX * 4 * i, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &launchers[i]), 0);
  }
  for (int i = 0; i < LAUNCHERS; ++i) {
    void *problem;
    pthread_join(threads[i], &problem);
    assert_null(problem);
    assert_int_equal(launchers[i].owners, 0);
  }
  CHECK(nereid_device_synchronize(device, &message));
  nereid_device_free(device, address);
  nereid_device_free(device, out);
  nereid_module_unload(module);
}

/* --- errors --- */

static void errors_launch_nothing(void **state) {
  nereid_module_t *module;
  const nereid_kernel_t *kernel = load(axpy_ptx, axpy_json, &module);
  vectors_t vectors = allocate();
  nereid_value_t values[] = {nereid_value_pointer(vectors.x), nereid_value_pointer(vectors.y), nereid_value_i32(2),
                             nereid_value_i32(COUNT)};
  const nereid_launch_t how = {.grid = {CTAS, 1, 1}};
  (void)state;
  assert_int_equal(nereid_kernel_launch(kernel, &how, 3, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("takes 4 arguments, not 3");
  assert_int_equal(nereid_kernel_launch(kernel, &how, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 2 'a'");
  values[2] = nereid_value_f32(1);
  values[0] = nereid_value_pointer(vectors.x + 4);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("multiples of 16");
  expect_multiple(vectors, 0);
  release(vectors);
  nereid_module_unload(module);
}

static void images_that_do_not_load(void **state) {
  nereid_module_t *module = NULL;
  char other[sizeof axpy_ptx + 8];
  (void)state;
  snprintf(other, sizeof other, ".version 8.0\n.target sm_120%s", strstr(axpy_ptx, "\n.address_size"));
  assert_int_not_equal(nereid_module_load(device, nereid_view(other), nereid_view(axpy_json), &module, &message),
                       NEREID_OK);
  assert_null(module);
  assert_int_equal(nereid_module_load(device, nereid_view(axpy_ptx), nereid_view_of(axpy_json, sizeof axpy_json / 2),
                                      &module, &message),
                   NEREID_ERROR_ARGUMENT);
  assert_null(module);
  assert_int_equal(nereid_module_load(device, nereid_view(""), nereid_view(axpy_json), &module, &message),
                   NEREID_ERROR_ARGUMENT);
  assert_null(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launches_compute),
      cmocka_unit_test(grids_are_evaluated),
      cmocka_unit_test(grids_are_limited_to_the_device),
      cmocka_unit_test(grids_that_do_not_load),
      cmocka_unit_test(events_measure),
      cmocka_unit_test(graphs_repeat_their_launches),
      cmocka_unit_test(graphs_fill),
      cmocka_unit_test(copies_are_ordered_with_fills),
      cmocka_unit_test(tensors_of_every_rank),
      cmocka_unit_test(graphs_keep_tensors_alive),
      cmocka_unit_test(a_capture_frees_memory_of_destroyed_graphs),
      cmocka_unit_test(threads_launch_with_tensors),
      cmocka_unit_test(errors_launch_nothing),
      cmocka_unit_test(images_that_do_not_load),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
