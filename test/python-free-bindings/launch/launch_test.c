/* Launches on a fake driver that records its calls: the calls, their order and arguments. Errors that can be detected
 * before a driver call are reported without one. */
#include "test/python-free-bindings/launch/fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static nereid_message_t message;
static nereid_device_t *device;
static nereid_module_t *module;
static const nereid_kernel_t *kernel;

/* A kernel of a pointer, a descriptor with its shape and stride, a float and a half; PTX and metadata that agree. */
static const char ptx[] = ".version 8.7\n.target sm_90a\n.address_size 64\n"
                          ".visible .entry k(\n"
                          "\t.param .u64 .ptr .global .align 16 k_param_0,\n"
                          "\t.param .align 64 .b8 k_param_1[128],\n"
                          "\t.param .u32 k_param_2,\n"
                          "\t.param .u64 k_param_3,\n"
                          "\t.param .f32 k_param_4,\n"
                          "\t.param .align 2 .b8 k_param_5[2],\n"
                          "\t.param .u64 .ptr .global .align 1 k_param_6,\n"
                          "\t.param .u64 .ptr .global .align 1 k_param_7\n"
                          ")\n.reqntid 128\n{ ret; }\n";

static const char signature[] =
    "\"signature\": [{\"name\": \"x\", \"type\": \"ptr<f32>\", \"divisibility\": 16},"
    "{\"name\": \"d\", \"type\": \"tensordesc<f16[64]>\", \"role\": \"descriptor\", \"group\": 0},"
    "{\"name\": \"d\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 0, \"dim\": 0},"
    "{\"name\": \"d\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": 0},"
    "{\"name\": \"a\", \"type\": \"f32\"}, {\"name\": \"h\", \"type\": \"f16\"}]";

static const nereid_tma_descriptor_t descriptor = {{'m', 'a', 'p'}};

static const size_t sizes[] = {8, 128, 4, 8, 4, 2, 8, 8};
enum { ARGUMENTS = 6 };

static void arguments(nereid_value_t out[ARGUMENTS]) {
  out[0] = nereid_value_pointer_to(NEREID_ELEMENT_F32, 0x7000);
  out[1] = nereid_value_descriptor(&descriptor);
  out[2] = nereid_value_i32(-5);
  out[3] = nereid_value_i64(INT64_C(1) << 40);
  out[4] = nereid_value_f32(1.5F);
  out[5] = nereid_value_float_bits(NEREID_ELEMENT_F16, 0x3c00);
}

static int set_up(void **state) {
  (void)state;
  fake_reset();
  fake.n_parameters = 8;
  fake.descriptor_at = 1;
  memcpy(fake.sizes, sizes, sizeof sizes);
  message.text[0] = '\0';
  module = NULL;
  return nereid_device_open_with(fake_driver(), 0, &device, &message);
}

static int tear_down(void **state) {
  (void)state;
  nereid_module_unload(module);
  nereid_device_close(device);
  assert_int_equal(fake.pushed, fake.popped);
  assert_int_equal(fake.retained, fake.released);
  assert_int_equal(fake.loaded, fake.unloaded);
  assert_int_equal(fake.allocations, fake.frees);
  assert_int_equal(fake.async_allocations, fake.async_frees);
  return 0;
}

/* Loads with additional metadata fields, each followed by a comma. */
static nereid_status_t load(const char *fields) {
  char metadata[2048];
  snprintf(metadata, sizeof metadata, "{\"nereid\": 1, \"name\": \"k\", \"num_warps\": 4, %s %s}", fields, signature);
  nereid_module_unload(module);
  nereid_status_t status = nereid_module_load(device, nereid_view(ptx), nereid_view(metadata), &module, &message);
  return status ? status : nereid_module_kernel(module, "k", &kernel, &message);
}

static nereid_status_t launch(uint32_t x, uint32_t y, uint32_t z) {
  nereid_value_t values[ARGUMENTS];
  arguments(values);
  return nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {x, y, z}, .stream = (void *)0x5}, ARGUMENTS, values,
                              &message);
}

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention %s", message.text, text);
}

static void a_plain_launch(void **state) {
  (void)state;
  assert_int_equal(load("\"shared\": 1024,"), NEREID_OK);
  assert_string_equal(fake.kernel, "k");
  assert_memory_equal(fake.image, ptx, sizeof fake.image - 1);
  assert_int_equal(fake.n_function_attributes, 0);
  assert_int_equal(launch(10, 20, 30), NEREID_OK);
  assert_int_equal(fake.launches, 1);
  assert_int_equal(fake.config.grid_x, 10);
  assert_int_equal(fake.config.grid_y, 20);
  assert_int_equal(fake.config.grid_z, 30);
  assert_int_equal(fake.config.block_x, 128);
  assert_int_equal(fake.config.block_y * fake.config.block_z, 1);
  assert_int_equal(fake.config.shared, 1024);
  assert_ptr_equal(fake.config.stream, (void *)0x5);
  assert_int_equal(fake.config.n_attributes, 0);
}

static void arguments_arrive_as_they_are(void **state) {
  float single = 1.5F;
  (void)state;
  assert_int_equal(load("\"shared\": 0,"), NEREID_OK);
  assert_int_equal(launch(1, 1, 1), NEREID_OK);
  assert_int_equal(fake.parameters[0], 0x7000);
  assert_memory_equal(fake.descriptor, descriptor.bytes, 128);
  assert_int_equal((int32_t)fake.parameters[2], -5);
  assert_true(fake.parameters[3] == UINT64_C(1) << 40);
  assert_memory_equal(&fake.parameters[4], &single, 4);
  assert_int_equal(fake.parameters[5], 0x3c00);
  assert_int_equal(fake.parameters[6], 0); /* no scratch: null */
  assert_int_equal(fake.parameters[7], 0);
}

static void large_shared_memory_raises_the_limit(void **state) {
  (void)state;
  fake.static_shared = 1024;
  assert_int_equal(load("\"shared\": 48128,"), NEREID_OK); /* with the static part exactly 48 KiB */
  assert_int_equal(fake.n_function_attributes, 0);
  assert_int_equal(load("\"shared\": 147456,"), NEREID_OK);
  assert_int_equal(fake.n_function_attributes, 1);
  assert_int_equal(fake.function_attributes[0][0], NEREID_CU_FUNC_MAX_DYNAMIC_SHARED);
  assert_int_equal(fake.function_attributes[0][1], 147456);
  assert_int_equal(load("\"shared\": 300000,"), NEREID_ERROR_UNSUPPORTED);
  mentions("300000");
  mentions("232448");
}

static void clusters_multiply_the_grid(void **state) {
  (void)state;
  assert_int_equal(load("\"shared\": 0, \"num_ctas\": 4,"), NEREID_OK);
  assert_int_equal(fake.n_function_attributes, 0);
  assert_int_equal(launch(10, 2, 1), NEREID_OK);
  assert_int_equal(fake.config.grid_x, 40);
  assert_int_equal(fake.config.grid_y, 2);
  assert_int_equal(fake.config.n_attributes, 2);
  assert_int_equal(fake.attributes[0].id, NEREID_CU_LAUNCH_CLUSTER_DIMENSION);
  assert_int_equal(fake.attributes[0].value.cluster.x, 4);
  assert_int_equal(fake.attributes[0].value.cluster.y, 1);
  assert_int_equal(fake.attributes[0].value.cluster.z, 1);
  assert_int_equal(fake.attributes[1].id, NEREID_CU_LAUNCH_CLUSTER_SCHEDULING);
  assert_int_equal(fake.attributes[1].value.flag, NEREID_CU_CLUSTER_SPREAD);
  assert_int_equal(load("\"shared\": 0, \"num_ctas\": 16,"), NEREID_OK);
  assert_int_equal(fake.function_attributes[0][0], NEREID_CU_FUNC_NON_PORTABLE_CLUSTER);
}

static void cooperative_and_dependent_launches(void **state) {
  (void)state;
  assert_int_equal(load("\"shared\": 0, \"launch_cooperative_grid\": true, \"launch_pdl\": true, \"num_ctas\": 2,"),
                   NEREID_OK);
  assert_int_equal(launch(1, 1, 1), NEREID_OK);
  assert_int_equal(fake.config.n_attributes, 4);
  assert_int_equal(fake.attributes[0].id, NEREID_CU_LAUNCH_PROGRAMMATIC_SERIALIZATION);
  assert_int_equal(fake.attributes[0].value.flag, 1);
  assert_int_equal(fake.attributes[1].id, NEREID_CU_LAUNCH_COOPERATIVE);
  assert_int_equal(fake.attributes[1].value.flag, 1);
}

static void what_the_device_lacks_is_said(void **state) {
  nereid_device_close(device);
  (void)state;
  fake.clusters = fake.cooperative = 0;
  assert_int_equal(nereid_device_open_with(fake_driver(), 0, &device, &message), NEREID_OK);
  assert_int_equal(load("\"shared\": 0, \"num_ctas\": 2,"), NEREID_ERROR_UNSUPPORTED);
  mentions("clusters of 2");
  assert_int_equal(load("\"shared\": 0, \"launch_cooperative_grid\": true,"), NEREID_ERROR_UNSUPPORTED);
  mentions("cooperative");
  assert_int_equal(fake.loaded, 0);
}

static void specialized_warps_are_launched(void **state) {
  const char *at = strstr(ptx, ".reqntid 128");
  char other[sizeof ptx];
  nereid_view_t metadata = nereid_view("{\"name\": \"k\", \"num_warps\": 7, \"shared\": 0}");
  (void)state;
  assert_non_null(at);
  memcpy(other, ptx, sizeof ptx);
  memcpy(other + (at - ptx), ".reqntid 224", 12);
  assert_int_equal(nereid_module_load(device, nereid_view(other), metadata, &module, &message), NEREID_OK);
  assert_int_equal(nereid_module_kernel(module, NULL, &kernel, &message), NEREID_OK);
  assert_int_equal(launch(1, 1, 1), NEREID_OK);
  assert_int_equal(fake.config.block_x, 224);
}

/* Triton's metadata has no types: only sizes are checked. */
static void tritons_kernels_are_checked_by_size(void **state) {
  nereid_value_t values[ARGUMENTS];
  nereid_launch_t how = {.grid = {1, 1, 1}};
  nereid_view_t metadata = nereid_view("{\"name\": \"k\", \"num_warps\": 4, \"shared\": 0, \"tensordesc_meta\": "
                                       "[{\"swizzle\": 3, \"elem_type\": 6, \"block_size\": [64]}]}");
  (void)state;
  assert_int_equal(nereid_module_load(device, nereid_view(ptx), metadata, &module, &message), NEREID_OK);
  assert_int_equal(nereid_module_kernel(module, NULL, &kernel, &message), NEREID_OK);
  const nereid_metadata_t *known = nereid_kernel_metadata(kernel);
  assert_int_equal(known->n_parameters, 6);
  assert_int_equal(known->parameters[0].kind, NEREID_PARAMETER_OPAQUE);
  assert_int_equal(known->parameters[1].kind, NEREID_PARAMETER_DESCRIPTOR);
  assert_int_equal(known->parameters[1].swizzle, 128);
  assert_int_equal(known->parameters[2].role, NEREID_ROLE_SHAPE);
  assert_int_equal(known->parameters[3].role, NEREID_ROLE_STRIDE);
  assert_int_equal(known->parameters[4].role, NEREID_ROLE_ARGUMENT);
  arguments(values);
  values[4] = nereid_value_i32(3); /* 4 bytes as well */
  assert_int_equal(nereid_kernel_launch(kernel, &how, ARGUMENTS, values, &message), NEREID_OK);
  values[4] = nereid_value_f64(3);
  assert_int_equal(nereid_kernel_launch(kernel, &how, ARGUMENTS, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 4");
}

static void wrong_arguments_are_named(void **state) {
  nereid_value_t values[ARGUMENTS];
  nereid_launch_t how = {.grid = {1, 1, 1}};
  (void)state;
  assert_int_equal(load("\"shared\": 0,"), NEREID_OK);
  arguments(values);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 5, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("takes 6 arguments, not 5");
  values[0] = nereid_value_pointer_to(NEREID_ELEMENT_F16, 0x7000);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 6, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 0 'x'");
  mentions("ptr<f32>");
  values[0] = nereid_value_pointer(0x7008);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 6, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("multiples of 16");
  arguments(values);
  values[2] = nereid_value_i64(5);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 6, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 2 'd'");
  arguments(values);
  values[1] = nereid_value_descriptor(NULL);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 6, values, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(fake.launches, 0);
}

static void raw_arguments_are_counted(void **state) {
  uint64_t x = 16, stride = 1;
  int32_t shape = 9;
  float a = 2;
  uint16_t h = 7;
  void *raw[] = {&x, (void *)(uintptr_t)&descriptor, &shape, &stride, &a, &h};
  nereid_launch_t how = {.grid = {3, 1, 1}};
  (void)state;
  assert_int_equal(load("\"shared\": 0,"), NEREID_OK);
  assert_int_equal(nereid_kernel_launch_raw(kernel, &how, 6, raw, &message), NEREID_OK);
  assert_int_equal(fake.parameters[2], 9);
  assert_int_equal(nereid_kernel_launch_raw(kernel, &how, 7, raw, &message), NEREID_ERROR_ARGUMENT);
  raw[3] = NULL;
  assert_int_equal(nereid_kernel_launch_raw(kernel, &how, 6, raw, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 3");
  assert_int_equal(fake.launches, 1);
}

static void grids_are_checked(void **state) {
  (void)state;
  assert_int_equal(load("\"shared\": 0, \"num_ctas\": 2,"), NEREID_OK);
  assert_int_equal(launch(0, 1, 1), NEREID_OK);
  assert_int_equal(launch(1, 0, 1), NEREID_OK);
  assert_int_equal(fake.launches, 0);
  assert_int_equal(launch(UINT32_C(1) << 30, 1, 1), NEREID_ERROR_ARGUMENT);
  mentions("grid x");
  assert_int_equal(launch(1, 65536, 1), NEREID_ERROR_ARGUMENT);
  assert_int_equal(launch((UINT32_C(1) << 30) - 1, 65535, 1), NEREID_OK);
}

#define SCRATCH "\"shared\": 0, \"num_ctas\": 2, \"global_scratch_size\": 100, \"global_scratch_align\": 128,"

static void scratch_is_allocated_for_every_cta(void **state) {
  (void)state;
  assert_int_equal(load(SCRATCH), NEREID_OK);
  assert_int_equal(launch(3, 5, 7), NEREID_OK);
  assert_int_equal(fake.async_allocations, 1);
  assert_int_equal(fake.async_frees, 1);
  assert_true(fake.allocated_bytes >= 3 * 5 * 7 * 2 * 100);
  assert_true(fake.parameters[6] != 0);
  assert_int_equal(fake.parameters[6] % 128, 0);
  assert_int_equal(fake.parameters[7], 0);
}

static void scratch_of_the_caller_is_used(void **state) {
  nereid_value_t values[ARGUMENTS];
  nereid_launch_t how = {.grid = {1, 1, 1}, .global_scratch = 0x1000};
  (void)state;
  arguments(values);
  assert_int_equal(load(SCRATCH), NEREID_OK);
  assert_int_equal(nereid_kernel_launch(kernel, &how, ARGUMENTS, values, &message), NEREID_OK);
  assert_int_equal(fake.async_allocations, 0);
  assert_int_equal(fake.parameters[6], 0x1000);
  how.global_scratch = 0x1040;
  assert_int_equal(nereid_kernel_launch(kernel, &how, ARGUMENTS, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("128");
}

static void scratch_without_pools_and_its_failures(void **state) {
  nereid_device_close(device);
  (void)state;
  fake.pools = 0;
  assert_int_equal(nereid_device_open_with(fake_driver(), 0, &device, &message), NEREID_OK);
  assert_int_equal(load(SCRATCH), NEREID_OK);
  assert_int_equal(launch(1, 1, 1), NEREID_OK);
  assert_int_equal(fake.allocations, 1);
  fake.fail = "mem_alloc";
  fake.fail_with = NEREID_CU_OUT_OF_MEMORY;
  assert_int_equal(launch(1, 1, 1), NEREID_ERROR_MEMORY);
  mentions("scratch");
  assert_int_equal(fake.launches, 1);
  fake.fail = NULL;
  assert_int_equal(load("\"shared\": 0, \"global_scratch_size\": 9007199254740991,"), NEREID_OK);
  assert_int_equal(launch(2147483647, 65535, 65535), NEREID_ERROR_ARGUMENT);
  mentions("2^62");
}

static void a_failed_launch_is_reported_in_the_drivers_words(void **state) {
  (void)state;
  assert_int_equal(load(SCRATCH), NEREID_OK);
  fake.fail = "launch_kernel_ex";
  fake.fail_with = 719;
  assert_int_equal(launch(1, 1, 1), NEREID_ERROR_DEVICE);
  mentions("launching the kernel");
  mentions("FAKE_ERROR (719)");
  assert_int_equal(fake.async_allocations, fake.async_frees);
}

static void images_that_do_not_load(void **state) {
  (void)state;
  fake.fail = "module_load_data_ex";
  fake.fail_with = NEREID_CU_NO_BINARY_FOR_GPU;
  assert_int_equal(load("\"shared\": 0,"), NEREID_ERROR_UNSUPPORTED);
  mentions("image for sm_90a, device sm_90");
  fake.fail = "module_get_function";
  fake.fail_with = NEREID_CU_NOT_FOUND;
  assert_int_equal(load("\"shared\": 0,"), NEREID_ERROR_NOT_FOUND);
  assert_null(module);
}

static void metadata_of_another_kernel(void **state) {
  static const struct {
    const char *metadata, *mentions;
  } cases[] = {
      {"{\"nereid\": 1, \"name\": \"other\", \"num_warps\": 4, \"shared\": 0, \"signature\": []}", "kernels are: k"},
      {"{\"nereid\": 1, \"name\": \"k\", \"num_warps\": 8, \"shared\": 0, \"signature\": []}", "128 threads"},
      {"{\"nereid\": 1, \"name\": \"k\", \"num_warps\": 4, \"shared\": 0, \"signature\": []}", "0 parameters"},
      {"{\"nereid\": 1, \"name\": \"k\", \"num_warps\": 4, \"shared\": 0, \"signature\": [{\"type\": \"i32\"}, "
       "{\"type\": \"i32\"}, {\"type\": \"i32\"}, {\"type\": \"i32\"}, {\"type\": \"i32\"}, {\"type\": \"i32\"}]}",
       "parameter 0 is 4 bytes"},
      {"no", "JSON"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_status_t status =
        nereid_module_load(device, nereid_view(ptx), nereid_view(cases[i].metadata), &module, &message);
    assert_int_equal(status, NEREID_ERROR_ARGUMENT);
    assert_null(module);
    mentions(cases[i].mentions);
  }
  assert_int_equal(load("\"shared\": 0,"), NEREID_OK);
  assert_int_equal(nereid_module_kernel(module, "other", &kernel, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(fake.loaded, 1);
}

static void contexts_are_left_as_they_were(void **state) {
  (void)state;
  assert_int_equal(load("\"shared\": 0,"), NEREID_OK);
  assert_int_equal(fake.retained, 1); /* nothing was current: the primary context */
  assert_null(fake.current);
  int pushed = fake.pushed;
  fake.current = (void *)0x99; /* another library's */
  assert_int_equal(launch(1, 1, 1), NEREID_OK);
  assert_ptr_equal(fake.current, (void *)0x99);
  assert_int_equal(fake.pushed, pushed + 1);
  nereid_module_unload(module);
  nereid_device_close(device);
  module = NULL;
  assert_int_equal(nereid_device_open_with(fake_driver(), -1, &device, &message), NEREID_OK);
  assert_int_equal(fake.retained, 1); /* one was current: it is used */
  pushed = fake.pushed;
  assert_int_equal(load("\"shared\": 0,"), NEREID_OK);
  assert_int_equal(launch(1, 1, 1), NEREID_OK);
  assert_int_equal(fake.pushed, pushed);
}

static void devices_that_are_not_there(void **state) {
  nereid_device_t *none;
  (void)state;
  assert_int_equal(nereid_device_open_with(fake_driver(), 1, &none, &message), NEREID_ERROR_NOT_FOUND);
  mentions("GPU 1 does not exist");
  fake.device_count = 0;
  assert_int_equal(nereid_device_open_with(fake_driver(), -1, &none, &message), NEREID_ERROR_NOT_FOUND);
  assert_null(none);
  fake.device_count = 1;
}

static void a_missing_driver_is_a_status(void **state) {
  nereid_driver_t driver;
  (void)state;
  assert_int_equal(nereid_driver_open("libcuda-that-is-not-there.so.1", &driver, &message), NEREID_ERROR_NOT_FOUND);
  mentions("libcuda-that-is-not-there.so.1");
  assert_int_equal(nereid_driver_open("libm.so.6", &driver, &message), NEREID_ERROR_UNSUPPORTED);
  mentions("cuInit");
  assert_null(driver.library);
}

static void memory_and_events(void **state) {
  uint64_t address = 1;
  (void)state;
  assert_int_equal(nereid_device_allocate(device, 0, &address, &message), NEREID_OK);
  assert_int_equal(address, 0);
  assert_int_equal(nereid_device_allocate(device, 100, &address, &message), NEREID_OK);
  assert_int_equal(nereid_device_upload(device, address, "x", 1, &message), NEREID_OK);
  assert_string_equal(fake.order, "cw"); /* the copy may be incomplete until the stream is */
  nereid_device_free(device, address);
  nereid_device_free(device, 0);
  fake.fail = "mem_alloc";
  fake.fail_with = NEREID_CU_OUT_OF_MEMORY;
  assert_int_equal(nereid_device_allocate(device, 1, &address, &message), NEREID_ERROR_MEMORY);
  assert_int_equal(nereid_device_info(device)->capability, 90);
}

static void tensor_maps_reach_the_driver_innermost_first(void **state) {
  nereid_tma_descriptor_t out;
  nereid_tma_request_t r = {.address = 0x400,
                            .element = NEREID_TMA_BF16,
                            .rank = 2,
                            .shape = {100, 512},
                            .strides = {1024, 2},
                            .box = {64, 32},
                            .swizzle = 64,
                            .nan_padding = true};
  (void)state;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_DRIVER, device, &r, &out, &message), NEREID_OK);
  assert_int_equal(fake.map_element, 9);
  assert_int_equal(fake.map_rank, 2);
  assert_int_equal(fake.map_shape[0], 512);
  assert_int_equal(fake.map_shape[1], 100);
  assert_int_equal(fake.map_strides[0], 1024);
  assert_int_equal(fake.map_box[0], 32);
  assert_int_equal(fake.map_box[1], 64);
  assert_int_equal(fake.map_swizzle, 2);
  assert_int_equal(fake.map_fill, 1);
  r.box[1] = 7;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_DRIVER, device, &r, &out, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(fake.encodings, 1);
  fake.fail = "tensor_map_encode_tiled";
  fake.fail_with = 1;
  r.box[1] = 32;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_DRIVER, device, &r, &out, &message), NEREID_ERROR_DEVICE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_plain_launch, set_up, tear_down),
      cmocka_unit_test_setup_teardown(arguments_arrive_as_they_are, set_up, tear_down),
      cmocka_unit_test_setup_teardown(large_shared_memory_raises_the_limit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(clusters_multiply_the_grid, set_up, tear_down),
      cmocka_unit_test_setup_teardown(cooperative_and_dependent_launches, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_the_device_lacks_is_said, set_up, tear_down),
      cmocka_unit_test_setup_teardown(specialized_warps_are_launched, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tritons_kernels_are_checked_by_size, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_arguments_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(raw_arguments_are_counted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(grids_are_checked, set_up, tear_down),
      cmocka_unit_test_setup_teardown(scratch_is_allocated_for_every_cta, set_up, tear_down),
      cmocka_unit_test_setup_teardown(scratch_of_the_caller_is_used, set_up, tear_down),
      cmocka_unit_test_setup_teardown(scratch_without_pools_and_its_failures, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_failed_launch_is_reported_in_the_drivers_words, set_up, tear_down),
      cmocka_unit_test_setup_teardown(images_that_do_not_load, set_up, tear_down),
      cmocka_unit_test_setup_teardown(metadata_of_another_kernel, set_up, tear_down),
      cmocka_unit_test_setup_teardown(contexts_are_left_as_they_were, set_up, tear_down),
      cmocka_unit_test_setup_teardown(devices_that_are_not_there, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_missing_driver_is_a_status, set_up, tear_down),
      cmocka_unit_test_setup_teardown(memory_and_events, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tensor_maps_reach_the_driver_innermost_first, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
