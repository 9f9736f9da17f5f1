/* The emulator as a device: programs that use nereid/launch.h run on it without a driver, and read its report. */
#include "nereid/launch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { THREADS = 64, CTAS = 5, COUNT = 300 };

static nereid_message_t message;

#define PTX_HEAD(target) ".version 8.7\n.target " target "\n.address_size 64\n"

/* out[i] = x[i] * a + y[i] for i < n, in Nereid's ABI: two scratch pointers follow. */
#define SCALE(target)                                                                                                  \
  PTX_HEAD(target)                                                                                                     \
  ".visible .entry scale(.param .u64 .ptr .global .align 16 px, .param .u64 .ptr .global .align 16 py,\n"              \
  "  .param .u64 .ptr .global .align 16 pout, .param .f32 pa, .param .u32 pn,\n"                                       \
  "  .param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p)\n"                                      \
  ".reqntid 64\n{\n"                                                                                                   \
  "  .reg .pred %q;\n  .reg .b32 %r<6>;\n  .reg .f32 %f<5>;\n  .reg .b64 %a<8>;\n"                                     \
  "  ld.param.u64 %a1, [px];\n  ld.param.u64 %a2, [py];\n  ld.param.u64 %a3, [pout];\n"                                \
  "  ld.param.f32 %f1, [pa];\n  ld.param.u32 %r1, [pn];\n"                                                             \
  "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.s32 %r4, %r2, 64, %r3;\n"                                \
  "  setp.ge.s32 %q, %r4, %r1;\n  @%q bra done;\n"                                                                     \
  "  mul.wide.s32 %a4, %r4, 4;\n  add.s64 %a5, %a1, %a4;\n  add.s64 %a6, %a2, %a4;\n  add.s64 %a7, %a3, %a4;\n"        \
  "  ld.global.f32 %f2, [%a5];\n  ld.global.f32 %f3, [%a6];\n  fma.rn.f32 %f4, %f2, %f1, %f3;\n"                       \
  "  st.global.f32 [%a7], %f4;\n"                                                                                      \
  "done:\n  ret;\n}\n"

static const char scale_json[] =
    "{\"nereid\": 1, \"name\": \"scale\", \"num_warps\": 2, \"shared\": 0, \"signature\": ["
    "{\"name\": \"x\", \"type\": \"ptr<f32>\"}, {\"name\": \"y\", \"type\": \"ptr<f32>\"},"
    "{\"name\": \"out\", \"type\": \"ptr<f32>\"}, {\"name\": \"a\", \"type\": \"f32\"},"
    "{\"name\": \"n\", \"type\": \"i32\"}]}";

/* Two warps store to one word of shared memory without a barrier; thread 0 then copies it. */
static const char racy[] =
    PTX_HEAD("sm_90a") ".visible .entry racy(.param .u64 .ptr .global .align 4 pout,\n"
                       "  .param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p)\n"
                       ".reqntid 64\n{\n"
                       "  .reg .pred %q;\n  .reg .b32 %r<4>;\n  .reg .b64 %a<2>;\n  .shared .align 4 .b8 word[4];\n"
                       "  ld.param.u64 %a1, [pout];\n  mov.u32 %r1, %tid.x;\n"
                       "  st.shared.b32 [word], %r1;\n"
                       "  setp.ne.s32 %q, %r1, 0;\n  @%q bra done;\n"
                       "  ld.shared.b32 %r2, [word];\n  st.global.b32 [%a1], %r2;\n"
                       "done:\n  ret;\n}\n";

static const char racy_json[] = "{\"nereid\": 1, \"name\": \"racy\", \"num_warps\": 2, \"shared\": 0,"
                                "\"signature\": [{\"name\": \"out\", \"type\": \"ptr<i32>\"}]}";

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention '%s'", message.text, text);
}

static const nereid_kernel_t *kernel_of(nereid_device_t *device, const char *ptx, const char *json,
                                        nereid_module_t **module) {
  const nereid_kernel_t *kernel = NULL;
  if (nereid_module_load(device, nereid_view(ptx), nereid_view(json), module, &message) ||
      nereid_module_kernel(*module, NULL, &kernel, &message))
    fail_msg("%s", message.text);
  return kernel;
}

/* Buffers of COUNT floats on a device; the first two hold i and 2 i. */
typedef struct data {
  uint64_t x, y, out;
} data_t;

static data_t allocate(nereid_device_t *device) {
  float host[2][COUNT];
  data_t data;
  for (int i = 0; i < COUNT; ++i) {
    host[0][i] = (float)i;
    host[1][i] = (float)(2 * i);
  }
  assert_int_equal(nereid_device_allocate(device, sizeof host[0], &data.x, &message), NEREID_OK);
  assert_int_equal(nereid_device_allocate(device, sizeof host[0], &data.y, &message), NEREID_OK);
  assert_int_equal(nereid_device_allocate(device, sizeof host[0], &data.out, &message), NEREID_OK);
  assert_int_equal(data.x % 256, 0);
  assert_int_equal(nereid_device_upload(device, data.x, host[0], sizeof host[0], &message), NEREID_OK);
  assert_int_equal(nereid_device_upload(device, data.y, host[1], sizeof host[1], &message), NEREID_OK);
  return data;
}

static nereid_status_t launch(const nereid_kernel_t *kernel, const data_t *data, int32_t n) {
  nereid_value_t arguments[] = {nereid_value_pointer_to(NEREID_ELEMENT_F32, data->x), nereid_value_pointer(data->y),
                                nereid_value_pointer(data->out), nereid_value_f32(3), nereid_value_i32(n)};
  return nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {CTAS, 1, 1}}, 5, arguments, &message);
}

static nereid_device_t *open_with(nereid_emulator_device_options_t options) {
  nereid_device_t *device = NULL;
  options.size = sizeof options;
  assert_int_equal(nereid_device_open_emulator(&options, &device, &message), NEREID_OK);
  return device;
}

static void a_kernel_runs_by_the_name_of_the_device(void **state) {
  nereid_device_t *device;
  nereid_module_t *module;
  nereid_event_t *events[2];
  nereid_emulator_report_t report;
  float out[COUNT], milliseconds = -1;
  (void)state;
  assert_int_equal(nereid_device_open_named("emulator", &device, &message), NEREID_OK);
  assert_int_equal(nereid_device_info(device)->capability, 90);
  const nereid_kernel_t *kernel = kernel_of(device, SCALE("sm_90a"), scale_json, &module);
  data_t data = allocate(device);
  assert_int_equal(nereid_emulator_device_report(device, &report, &message), NEREID_ERROR_NOT_FOUND);
  for (int i = 0; i < 2; ++i)
    assert_int_equal(nereid_event_create(device, &events[i], &message), NEREID_OK);
  assert_int_equal(nereid_event_record(events[0], NULL, &message), NEREID_OK);
  assert_int_equal(launch(kernel, &data, COUNT - 1), NEREID_OK);
  assert_int_equal(nereid_event_record(events[1], NULL, &message), NEREID_OK);
  assert_int_equal(nereid_event_elapsed(events[0], events[1], &milliseconds, &message), NEREID_OK);
  assert_true(milliseconds > 0);
  assert_int_equal(nereid_device_synchronize(device, &message), NEREID_OK);
  assert_int_equal(nereid_device_download(device, out, data.out, sizeof out, &message), NEREID_OK);
  for (int i = 0; i < COUNT; ++i)
    assert_true(out[i] == (i < COUNT - 1 ? 5 * (float)i : 0));
  assert_int_equal(nereid_emulator_device_report(device, &report, &message), NEREID_OK);
  assert_true(report.thread_instructions > CTAS * THREADS);
  for (int i = 0; i < 2; ++i)
    nereid_event_destroy(events[i]);
  nereid_module_unload(module);
  nereid_device_close(device); /* frees the buffers */
}

static void names_of_devices(void **state) {
  static const char *const wrong[] = {"", "gpu", "0x", "-1", "99999999999"};
  nereid_device_t *device;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    assert_int_equal(nereid_device_open_named(wrong[i], &device, &message), NEREID_ERROR_ARGUMENT);
    mentions("'emulator'");
    assert_null(device);
  }
}

static void options_are_checked(void **state) {
  nereid_emulator_device_options_t options = {.size = sizeof options, .capability = 75};
  nereid_device_t *device;
  (void)state;
  assert_int_equal(nereid_device_open_emulator(&options, &device, &message), NEREID_ERROR_ARGUMENT);
  mentions("80 to 90, not 75");
  options.size = 4;
  assert_int_equal(nereid_device_open_emulator(&options, &device, &message), NEREID_ERROR_ARGUMENT);
  mentions("is 4");
  assert_null(device);
}

static void a_fault_fails_the_launch_and_the_device_goes_on(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){.count = true});
  nereid_module_t *module;
  nereid_emulator_report_t report;
  const nereid_kernel_t *kernel = kernel_of(device, SCALE("sm_80"), scale_json, &module);
  data_t data = allocate(device);
  (void)state;
  assert_int_equal(launch(kernel, &data, COUNT + 1), NEREID_ERROR_DEVICE);
  mentions("CUDA_ERROR_LAUNCH_FAILED");
  mentions("scale:27: ld.global.f32");
  mentions("byte 1200 of a device allocation, which has 1200 bytes");
  assert_int_equal(nereid_emulator_device_report(device, &report, &message), NEREID_OK);
  assert_non_null(strstr(report.message.text, "out of bounds"));
  assert_int_equal(launch(kernel, &data, COUNT), NEREID_OK);
  assert_int_equal(nereid_emulator_device_report(device, &report, &message), NEREID_OK);
  assert_int_equal(report.counters.global_bytes[1], COUNT * sizeof(float));
  assert_int_equal(report.message.text[0], 0);
  nereid_module_unload(module);
  nereid_device_close(device);
}

static void freed_memory_is_noticed(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){0});
  nereid_module_t *module;
  const nereid_kernel_t *kernel = kernel_of(device, SCALE("sm_90a"), scale_json, &module);
  data_t data = allocate(device);
  uint64_t again;
  float value;
  (void)state;
  nereid_device_free(device, data.y);
  assert_int_equal(launch(kernel, &data, COUNT), NEREID_ERROR_DEVICE);
  mentions("in freed memory: byte 0 of a buffer of 1200 bytes");
  assert_int_equal(nereid_device_download(device, &value, data.y, sizeof value, &message), NEREID_ERROR_DEVICE);
  mentions("was freed");
  assert_int_equal(nereid_device_allocate(device, 1200, &again, &message), NEREID_OK);
  assert_true(again != data.y);
  nereid_module_unload(module);
  nereid_device_close(device);
}

static void copies_stay_within_an_allocation(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){0});
  uint64_t address;
  char bytes[16] = "";
  (void)state;
  assert_int_equal(nereid_device_allocate(device, 12, &address, &message), NEREID_OK);
  assert_int_equal(nereid_device_fill(device, address + 4, 7, 8, NULL, &message), NEREID_OK);
  assert_int_equal(nereid_device_download(device, bytes, address, 12, &message), NEREID_OK);
  assert_int_equal(bytes[3], 0);
  assert_int_equal(bytes[11], 7);
  assert_int_equal(nereid_device_fill(device, address + 4, 7, 9, NULL, &message), NEREID_ERROR_DEVICE);
  mentions("not within one allocation");
  assert_int_equal(nereid_device_upload(device, address, bytes, 13, &message), NEREID_ERROR_DEVICE);
  assert_int_equal(nereid_device_download(device, bytes, address - 1, 1, &message), NEREID_ERROR_DEVICE);
  nereid_device_close(device);
}

static void keep_race(void *user_data, const nereid_emulator_race_t *race) {
  char *text = user_data;
  snprintf(text, 200, "%s: %s line %u, %s line %u", race->space, race->earlier.what, race->earlier.line,
           race->later.what, race->later.line);
}

static void races_are_reported(void **state) {
  char race[200] = "";
  nereid_device_t *device =
      open_with((nereid_emulator_device_options_t){.racecheck = true, .race = keep_race, .user_data = race});
  nereid_module_t *module;
  nereid_emulator_report_t report;
  uint64_t out;
  const nereid_kernel_t *kernel = kernel_of(device, racy, racy_json, &module);
  (void)state;
  assert_int_equal(nereid_device_allocate(device, 4, &out, &message), NEREID_OK);
  nereid_value_t argument = nereid_value_pointer(out);
  assert_int_equal(nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {1, 1, 1}}, 1, &argument, &message),
                   NEREID_OK);
  assert_int_equal(nereid_emulator_device_report(device, &report, &message), NEREID_OK);
  assert_true(report.races > 0);
  if (!strstr(race, "shared: ") || !strstr(race, "line 1"))
    fail_msg("'%s'", race);
  nereid_module_unload(module);
  nereid_device_close(device);
}

static void uninitialized_memory_is_noticed_on_request(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){.initcheck = true});
  nereid_module_t *module;
  (void)state;
  /* The kernel loads the address of its store from memory. */
  static const char ptx[] =
      PTX_HEAD("sm_90a") ".visible .entry store(.param .u64 .ptr .global .align 8 pp,\n"
                         "  .param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p)\n.reqntid 32\n{\n"
                         "  .reg .b64 %a<3>;\n  ld.param.u64 %a1, [pp];\n  ld.global.u64 %a2, [%a1];\n"
                         "  st.global.u64 [%a2], 1;\n  ret;\n}\n";
  static const char json[] = "{\"nereid\": 1, \"name\": \"store\", \"num_warps\": 1, \"shared\": 0,"
                             "\"signature\": [{\"name\": \"p\", \"type\": \"ptr<i64>\"}]}";
  const nereid_kernel_t *kernel = kernel_of(device, ptx, json, &module);
  uint64_t cell;
  assert_int_equal(nereid_device_allocate(device, 8, &cell, &message), NEREID_OK);
  nereid_value_t argument = nereid_value_pointer(cell);
  const nereid_launch_t how = {.grid = {1, 1, 1}};
  assert_int_equal(nereid_kernel_launch(kernel, &how, 1, &argument, &message), NEREID_ERROR_DEVICE);
  assert_int_equal(nereid_device_upload(device, cell, &cell, sizeof cell, &message), NEREID_OK);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 1, &argument, &message), NEREID_OK);
  nereid_module_unload(module);
  nereid_device_close(device);
}

static void images_that_the_emulator_does_not_run(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){.capability = 80});
  nereid_module_t *module;
  (void)state;
  assert_false(nereid_device_info(device)->clusters);
  assert_int_equal(nereid_module_load(device, nereid_view(SCALE("sm_90")), nereid_view(scale_json), &module, &message),
                   NEREID_ERROR_UNSUPPORTED);
  mentions("the PTX is for sm_90");
  assert_null(module);
  nereid_device_close(device);
}

/* Each thread opens its own device or uses the shared one: results are independent. */
static void *work(void *data) {
  nereid_device_t *device = data, *own = NULL;
  nereid_module_t *module;
  nereid_message_t problem;
  const nereid_kernel_t *kernel;
  float out[COUNT];
  if (!device && nereid_device_open_emulator(NULL, &own, &problem))
    return "open";
  device = device ? device : own;
  if (nereid_module_load(device, nereid_view(SCALE("sm_90a")), nereid_view(scale_json), &module, &problem) ||
      nereid_module_kernel(module, "scale", &kernel, &problem))
    return "load";
  data_t buffers = allocate(device);
  for (int i = 0; i < 8; ++i)
    if (launch(kernel, &buffers, COUNT))
      return "launch";
  if (nereid_device_download(device, out, buffers.out, sizeof out, &problem) || out[COUNT - 1] != 5 * (COUNT - 1))
    return "result";
  nereid_module_unload(module);
  nereid_device_close(own);
  return NULL;
}

static void devices_work_side_by_side(void **state) {
  nereid_device_t *shared = open_with((nereid_emulator_device_options_t){0});
  pthread_t threads[16];
  (void)state;
  for (int i = 0; i < 16; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, work, i % 2 ? shared : NULL), 0);
  for (int i = 0; i < 16; ++i) {
    void *problem = "join";
    pthread_join(threads[i], &problem);
    if (problem)
      fail_msg("thread %d: %s", i, (const char *)problem);
  }
  nereid_device_close(shared);
}

static void tensor_maps_are_the_emulators(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){0});
  nereid_tma_descriptor_t by_device, direct;
  nereid_tma_request_t request = {.address = 0x10000000100,
                                  .element = NEREID_TMA_BF16,
                                  .rank = 3,
                                  .shape = {6, 100, 512},
                                  .strides = {102400, 1024, 2},
                                  .box = {2, 64, 32},
                                  .swizzle = 64,
                                  .nan_padding = true};
  (void)state;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_DRIVER, device, &request, &by_device, &message), NEREID_OK);
  assert_int_equal(nereid_tma_encode(NEREID_TMA_EMULATOR, NULL, &request, &direct, &message), NEREID_OK);
  assert_memory_equal(by_device.bytes, direct.bytes, sizeof direct.bytes);
  nereid_device_close(device);
}

/* Does nothing with a descriptor. */
static const char described[] = PTX_HEAD("sm_90a") ".visible .entry described(.param .align 64 .b8 d[128],\n"
                                                   "  .param .u64 .ptr .global .align 1 g,\n"
                                                   "  .param .u64 .ptr .global .align 1 p)\n"
                                                   ".reqntid 32\n{\n  ret;\n}\n";
static const char described_json[] = "{\"nereid\": 1, \"name\": \"described\", \"num_warps\": 1, \"shared\": 0,"
                                     "\"signature\": [{\"name\": \"d\", \"type\": \"tensordesc<f32[8]>\", "
                                     "\"role\": \"descriptor\", \"group\": 0}]}";

static void refuse_foreign_descriptors(nereid_device_t *device, nereid_device_t *other, const data_t *own,
                                       const data_t *foreign) {
  nereid_module_t *module;
  const nereid_kernel_t *kernel = kernel_of(device, described, described_json, &module);
  const nereid_launch_t how = {.grid = {1, 1, 1}};
  nereid_tensor_t tensor = {.address = foreign->x, .rank = 1, .shape = {64}};
  const nereid_value_t passed = nereid_value_tensor(&tensor);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 1, &passed, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 0 'd' of kernel 'described' is not valid: tensor map: the address 0x");
  mentions("is memory of another device");
  tensor.address = own->x;
  assert_int_equal(nereid_kernel_launch(kernel, &how, 1, &passed, &message), NEREID_OK);
  nereid_tma_request_t request = {
      .address = foreign->x, .element = NEREID_TMA_F32, .rank = 1, .shape = {64}, .strides = {4}, .box = {8}};
  nereid_tma_descriptor_t map;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_DRIVER, other, &request, &map, &message), NEREID_OK);
  const nereid_value_t encoded = nereid_value_descriptor(&map);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 1, &encoded, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 0 'd' of kernel 'described' is memory of another device");
  nereid_module_unload(module);
}

/* Devices that are open at the same time have different addresses; those of one device alone do not change. */
static void memory_of_another_device_is_refused(void **state) {
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){0});
  nereid_device_t *other = open_with((nereid_emulator_device_options_t){0});
  nereid_module_t *module;
  const nereid_kernel_t *kernel = kernel_of(device, SCALE("sm_90a"), scale_json, &module);
  data_t own = allocate(device), foreign = allocate(other), mixed = own;
  (void)state;
  assert_int_equal(own.x, 0x10000000100);
  assert_int_equal(launch(kernel, &own, COUNT), NEREID_OK);
  mixed.y = foreign.y;
  assert_int_equal(launch(kernel, &mixed, COUNT), NEREID_ERROR_ARGUMENT);
  mentions("argument 1 'y' of kernel 'scale' is memory of another device");
  float a = 3;
  int32_t n = COUNT;
  void *raw[] = {&own.x, &own.y, &foreign.out, &a, &n};
  assert_int_equal(nereid_kernel_launch_raw(kernel, &(nereid_launch_t){.grid = {1, 1, 1}}, 5, raw, &message),
                   NEREID_ERROR_ARGUMENT);
  mentions("argument 2 'out' of kernel 'scale' is memory of another device");
  refuse_foreign_descriptors(device, other, &own, &foreign);
  nereid_device_close(other);
  assert_int_equal(launch(kernel, &mixed, COUNT), NEREID_ERROR_DEVICE); /* now it is no memory at all */
  other = open_with((nereid_emulator_device_options_t){0});
  foreign = allocate(other);
  assert_int_equal(foreign.y, mixed.y);
  nereid_module_unload(module);
  nereid_device_close(device);
  device = open_with((nereid_emulator_device_options_t){0});
  own = allocate(device);
  assert_int_equal(own.x, 0x10000000100);
  nereid_device_close(device);
  nereid_device_close(other);
}

/* More devices than places: they work, but are not told apart. */
static void many_devices(void **state) {
  enum { N = 70 };
  nereid_device_t *devices[N];
  data_t data[N];
  nereid_module_t *module;
  (void)state;
  for (size_t i = 0; i < N; ++i) {
    devices[i] = open_with((nereid_emulator_device_options_t){0});
    data[i] = allocate(devices[i]);
  }
  assert_int_not_equal(data[0].x, data[63].x);
  assert_int_equal(data[0].x, data[64].x);
  for (size_t i = 0; i < N; i += 23) {
    const nereid_kernel_t *kernel = kernel_of(devices[i], SCALE("sm_90a"), scale_json, &module);
    float out[COUNT];
    assert_int_equal(launch(kernel, &data[i], COUNT), NEREID_OK);
    assert_int_equal(nereid_device_download(devices[i], out, data[i].out, sizeof out, &message), NEREID_OK);
    assert_true(out[COUNT - 1] == 5 * (COUNT - 1));
    nereid_module_unload(module);
  }
  for (size_t i = 0; i < N; ++i)
    nereid_device_close(devices[i]);
  nereid_device_t *device = open_with((nereid_emulator_device_options_t){0});
  assert_int_equal(allocate(device).x, 0x10000000100);
  nereid_device_close(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_of_another_device_is_refused),
      cmocka_unit_test(many_devices),
      cmocka_unit_test(a_kernel_runs_by_the_name_of_the_device),
      cmocka_unit_test(names_of_devices),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(a_fault_fails_the_launch_and_the_device_goes_on),
      cmocka_unit_test(freed_memory_is_noticed),
      cmocka_unit_test(copies_stay_within_an_allocation),
      cmocka_unit_test(races_are_reported),
      cmocka_unit_test(uninitialized_memory_is_noticed_on_request),
      cmocka_unit_test(images_that_the_emulator_does_not_run),
      cmocka_unit_test(devices_work_side_by_side),
      cmocka_unit_test(tensor_maps_are_the_emulators),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
