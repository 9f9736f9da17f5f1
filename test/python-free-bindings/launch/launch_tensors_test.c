/* Tensors as arguments, on a fake driver: the maps and values that the kernel receives, the order of retain, launch and
 * release, captured graphs, and errors, after which nothing was launched and nothing is retained. */
#include "test/python-free-bindings/launch/fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static nereid_message_t message;
static nereid_device_t *device;
static nereid_module_t *module;
static const nereid_kernel_t *kernel;

#define PTX_HEAD ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(\n"
#define SCRATCH ".param .u64 .ptr .global .align 1 g, .param .u64 .ptr .global .align 1 p)\n.reqntid 128\n{ ret; }\n"

/* A kernel with a descriptor of a tile of 64x32 halves, one that was replaced by a pointer, and an integer. */
static const char ptx[] =
    PTX_HEAD ".param .align 64 .b8 d[128], .param .u32 d0, .param .u32 d1, .param .u64 t0, .param .u64 t1,\n"
             ".param .u64 .ptr .global .align 16 b, .param .u64 s0, .param .u64 u0, .param .u8 nan, .param .u32 s,\n"
             ".param .u32 n,\n" SCRATCH;
static const char metadata[] =
    "{\"nereid\": 1, \"name\": \"k\", \"num_warps\": 4, \"shared\": 0, \"signature\": ["
    "{\"name\": \"d\", \"type\": \"tensordesc<f16[64x32]>\", \"role\": \"descriptor\", \"group\": 0, \"swizzle\": 64},"
    "{\"name\": \"d\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 0, \"dim\": 0},"
    "{\"name\": \"d\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 0, \"dim\": 1},"
    "{\"name\": \"d\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": 0},"
    "{\"name\": \"d\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": 1},"
    "{\"name\": \"b\", \"type\": \"ptr<f32>\", \"role\": \"base\", \"group\": 1, \"block\": [16], \"divisibility\": "
    "16},"
    "{\"name\": \"b\", \"type\": \"i64\", \"role\": \"shape\", \"group\": 1, \"dim\": 0},"
    "{\"name\": \"b\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 1, \"dim\": 0},"
    "{\"name\": \"b\", \"type\": \"i1\", \"role\": \"padding\", \"group\": 1},"
    "{\"name\": \"b\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 1, \"dim\": 0},"
    "{\"name\": \"n\", \"type\": \"i32\"}]}";
static const size_t sizes[] = {128, 4, 4, 8, 8, 8, 8, 8, 1, 4, 4, 8, 8};

static const nereid_launch_t how = {.grid = {1, 1, 1}};

/* An owner that writes its letter when it is retained, and the next one when it is released. */
static int references;

static void retain(void *data) {
  ++references;
  fake_note(*(const char *)data);
}

static void release(void *data) {
  --references;
  fake_note((char)(*(const char *)data + 1));
}

static nereid_tensor_t matrix(void) {
  return (nereid_tensor_t){.address = 0x4000,
                           .element = NEREID_ELEMENT_F16,
                           .rank = 2,
                           .shape = {100, 512},
                           .strides = {640, 1},
                           .owner = {(void *)(uintptr_t)"a", retain, release}};
}

static nereid_tensor_t vector(void) {
  return (nereid_tensor_t){.address = 0x8000,
                           .rank = 1,
                           .shape = {1000},
                           .padding = NEREID_PADDING_NAN,
                           .owner = {(void *)(uintptr_t)"x", retain, release}};
}

static int set_up(void **state) {
  (void)state;
  fake_reset();
  fake.n_parameters = sizeof sizes / sizeof *sizes;
  memcpy(fake.sizes, sizes, sizeof sizes);
  message.text[0] = '\0';
  module = NULL;
  references = 0;
  if (nereid_device_open_with(fake_driver(), 0, &device, &message) ||
      nereid_module_load(device, nereid_view(ptx), nereid_view(metadata), &module, &message))
    return -1;
  return nereid_module_kernel(module, "k", &kernel, &message);
}

static int tear_down(void **state) {
  (void)state;
  nereid_module_unload(module);
  nereid_device_close(device);
  assert_int_equal(references, 0);
  assert_int_equal(fake.pushed, fake.popped);
  return 0;
}

static nereid_status_t launch(const nereid_tensor_t *first, const nereid_tensor_t *second) {
  const nereid_value_t values[] = {nereid_value_tensor(first), nereid_value_tensor(second), nereid_value_i32(7)};
  return nereid_kernel_launch(kernel, &how, 3, values, &message);
}

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention %s", message.text, text);
}

static void a_tensor_fills_its_group(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_true(fake.map_rank == 2 && fake.map_element == NEREID_TMA_F16 && fake.map_swizzle == 2);
  assert_true(fake.map_shape[0] == 512 && fake.map_shape[1] == 100 && fake.map_strides[0] == 1280);
  assert_true(fake.map_box[0] == 32 && fake.map_box[1] == 64);
  assert_int_equal(fake.map_fill, 0);
  const uint64_t expected[] = {100, 512, 640, 1, 0x8000, 1000, 1, 1, 1000, 7};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    assert_int_equal(fake.parameters[1 + i], expected[i]);
}

static void values_and_tensors_mix(void **state) {
  nereid_tensor_t b = vector();
  nereid_tma_descriptor_t map = {{0}};
  const nereid_value_t values[] = {
      nereid_value_descriptor(&map), nereid_value_i32(1),     nereid_value_i32(2), nereid_value_i64(3),
      nereid_value_i64(4),           nereid_value_tensor(&b), nereid_value_i32(7)};
  (void)state;
  assert_int_equal(nereid_kernel_launch(kernel, &how, 7, values, &message), NEREID_OK);
  assert_int_equal(fake.encodings, 0);
  assert_int_equal(fake.parameters[4], 4);
  assert_int_equal(fake.parameters[5], 0x8000);
  assert_int_equal(fake.parameters[10], 7);
}

static void owners_are_retained_until_the_launch_is_queued(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_string_equal(fake.order, "axLby");
  b.owner = (nereid_tma_owner_t){0};
  assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_string_equal(fake.order, "axLbyaLb");
}

static void equal_tensors_are_encoded_once(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  for (int i = 0; i < 5; ++i)
    assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_int_equal(fake.encodings, 1);
  a.shape[0] = 50;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  a.padding = NEREID_PADDING_NAN;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_int_equal(fake.encodings, 3);
  assert_int_equal(fake.map_fill, 1);
}

static void a_captured_graph_keeps_owners(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  fake.capturing = 1;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_string_equal(fake.order, "axaxLby"); /* once for the launch, once for the graph */
  assert_int_equal(references, 2);
  fake.capturing = 0;
  fake.order[0] = '\0';
  memset(fake.order, 0, sizeof fake.order);
  fake_destroy_graph();
  assert_string_equal(fake.order, ""); /* not on the driver's thread */
  assert_int_equal(references, 2);
  assert_int_equal(nereid_device_synchronize(device, &message), NEREID_OK);
  assert_string_equal(fake.order, "by");
  assert_int_equal(references, 0);
}

static void a_launch_or_a_close_releases_owners_of_graphs(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  fake.capturing = 1;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  fake.capturing = 0;
  fake_destroy_graph();
  assert_int_equal(launch(&a, &b), NEREID_OK);
  assert_int_equal(references, 0);
  fake.capturing = 1;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  fake_destroy_graph();
  nereid_module_unload(module);
  nereid_device_close(device);
  assert_int_equal(references, 0);
  assert_int_equal(set_up(NULL), 0);
  fake.capturing = 1;
  assert_int_equal(launch(&a, &b), NEREID_OK);
  nereid_module_unload(module);
  nereid_device_close(device);
  assert_int_equal(references, 2); /* the graph is older than the device */
  fake_destroy_graph();
  assert_int_equal(references, 0);
  assert_int_equal(set_up(NULL), 0);
}

static void failures_of_a_capture_launch_nothing(void **state) {
  static const char *const entries[] = {"user_object_create", "graph_retain_user_object"};
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  for (int i = 0; i < 2; ++i) {
    fake.capturing = 1;
    fake.fail = entries[i];
    fake.fail_with = NEREID_CU_OUT_OF_MEMORY;
    assert_int_equal(launch(&a, &b), NEREID_ERROR_MEMORY);
    mentions("captured graph");
    assert_int_equal(nereid_device_synchronize(device, &message), NEREID_OK);
    assert_int_equal(references, 0);
  }
  fake.fail = NULL;
  assert_int_equal(fake.launches, 0);
}

#define REFUSED(change, mention)                                                                                       \
  do {                                                                                                                 \
    nereid_tensor_t a = matrix(), b = vector();                                                                        \
    change;                                                                                                            \
    assert_int_equal(launch(&a, &b), NEREID_ERROR_ARGUMENT);                                                           \
    mentions(mention);                                                                                                 \
    assert_int_equal(references, 0);                                                                                   \
    assert_int_equal(fake.launches, 0);                                                                                \
  } while (0)

static void wrong_tensors_are_named(void **state) {
  (void)state;
  REFUSED(a.address = 0, "argument 0 'd' of kernel 'k' is not valid: tensor map: the address");
  REFUSED(a.address = 0x4008, "multiple of 16");
  REFUSED(a.rank = 0, "is a tensor of rank 0; expected 2");
  REFUSED(a.rank = 6, "is a tensor of rank 6; expected 2");
  REFUSED(b.rank = 2, "argument 1 'b' of kernel 'k' is a tensor of rank 2; expected 1");
  REFUSED(a.strides[0] = 641, "stride of dimension 0 must be a multiple of 16");
  REFUSED(a.strides[1] = 2, "contiguous");
  REFUSED(a.element = NEREID_ELEMENT_F32, "is a tensor of f32; expected f16");
  REFUSED(b.element = NEREID_ELEMENT_I1, "is a tensor of i1; expected f32");
  REFUSED(a.shape[0] = UINT64_C(1) << 31, "the limit is 2^31 - 1");
  REFUSED(a.shape[0] = 0, "extent of dimension 0 must be 1");
  REFUSED(b.address = 0x8008, "argument 1 'b' of kernel 'k' is 32776; the kernel was compiled for multiples of 16");
}

static void wrong_lists_are_named(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  nereid_value_t values[] = {nereid_value_tensor(&a), nereid_value_tensor(&b), nereid_value_i32(7),
                             nereid_value_i32(8)};
  (void)state;
  assert_int_equal(nereid_kernel_launch(kernel, &how, 2, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("the 2 arguments fill 10 of 11 parameters");
  assert_int_equal(nereid_kernel_launch(kernel, &how, 4, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("left over");
  values[2] = nereid_value_tensor(&a);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 3, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 2 'n' of kernel 'k' is a tensor, but the parameter is not a descriptor");
  values[2] = nereid_value_i64(7);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 3, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 2 'n' of kernel 'k' must be i32");
  values[0] = nereid_value_tensor(NULL);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 3, values, &message), NEREID_ERROR_ARGUMENT);
  mentions("argument 0 'd' of kernel 'k' is a null tensor");
  values[0] = nereid_value_i32(1);
  assert_int_equal(nereid_kernel_launch(kernel, &how, 3, values, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(fake.launches, 0);
  assert_int_equal(references, 0);
}

static void a_failed_launch_releases_owners(void **state) {
  nereid_tensor_t a = matrix(), b = vector();
  (void)state;
  fake.fail = "launch_kernel_ex";
  fake.fail_with = 719;
  assert_int_equal(launch(&a, &b), NEREID_ERROR_DEVICE);
  fake.fail = "tensor_map_encode_tiled";
  fake.fail_with = 1;
  a.address += 16;
  assert_int_equal(launch(&a, &b), NEREID_ERROR_DEVICE);
  mentions("encoding a tensor map");
  assert_int_equal(references, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_tensor_fills_its_group, set_up, tear_down),
      cmocka_unit_test_setup_teardown(values_and_tensors_mix, set_up, tear_down),
      cmocka_unit_test_setup_teardown(owners_are_retained_until_the_launch_is_queued, set_up, tear_down),
      cmocka_unit_test_setup_teardown(equal_tensors_are_encoded_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_captured_graph_keeps_owners, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_launch_or_a_close_releases_owners_of_graphs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(failures_of_a_capture_launch_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_tensors_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_lists_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_failed_launch_releases_owners, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
