/* Lazy kernels with Nereid's compiler on the emulator: constants in types and grids, tensors whose block shapes differ
 * by configuration, properties of arguments, located errors. */
#include "nereid/compile.h"
#include "nereid/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 100, COLUMNS = 136, N = ROWS * COLUMNS };

static nereid_message_t message;
static nereid_device_t *device;

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (call)                                                                                                          \
      fail_msg("%s: %s", #call, message.text);                                                                         \
  } while (0)

static void contains(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("'%s' does not contain '%s'", text, part);
}

static int open_device(void **state) {
  (void)state;
  return nereid_device_open_named("emulator", &device, &message);
}

static int close_device(void **state) {
  (void)state;
  nereid_device_close(device);
  return 0;
}

#define TILE "tensor<${M}x${N}xf16>"
#define DESCRIPTOR "!tt.tensordesc<" TILE ">"

/* b = 2 * a, in tiles. */
static const char twice[] =
    "module {\n"
    "  tt.func public @twice(%a: " DESCRIPTOR ", %a0: i32, %a1: i32, %a2: i64, %a3: i64,\n"
    "                        %b: " DESCRIPTOR ", %b0: i32, %b1: i32, %b2: i64, %b3: i64, %offset: i32) {\n"
    "    %x = tt.get_program_id x : i32\n"
    "    %y = tt.get_program_id y : i32\n"
    "    %m = arith.constant ${M} : i32\n"
    "    %n = arith.constant ${N} : i32\n"
    "    %i = arith.muli %x, %m : i32\n"
    "    %j = arith.muli %y, %n : i32\n"
    "    %t = tt.descriptor_load %a[%i, %j] : " DESCRIPTOR " -> " TILE "\n"
    "    %d = arith.addf %t, %t : " TILE "\n"
    "    %first = arith.addi %i, %offset : i32\n"
    "    tt.descriptor_store %b[%first, %j], %d : " DESCRIPTOR ", " TILE "\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

static nereid_lazy_configuration_t tiles(nereid_constant_t constants[2], const char *m, const char *n) {
  constants[0] = (nereid_constant_t){"M", m};
  constants[1] = (nereid_constant_t){"N", n};
  return (nereid_lazy_configuration_t){.num_warps = 4, .n_constants = 2, .constants = constants};
}

typedef struct matrices {
  uint64_t a, b;
  nereid_tensor_t from, to;
} matrices_t;

/* a[i] = i % 512 as f16, b = 0. */
static matrices_t allocate(void) {
  static uint16_t host[N];
  matrices_t it;
  CHECK(nereid_device_allocate(device, sizeof host, &it.a, &message));
  CHECK(nereid_device_allocate(device, sizeof host, &it.b, &message));
  for (int i = 0; i < N; ++i)
    nereid_element_write(NEREID_ELEMENT_F16, &host[i], i % 512);
  CHECK(nereid_device_upload(device, it.a, host, sizeof host, &message));
  it.from = (nereid_tensor_t){.address = it.a, .rank = 2, .shape = {ROWS, COLUMNS}};
  it.to = (nereid_tensor_t){.address = it.b, .rank = 2, .shape = {ROWS, COLUMNS}};
  return it;
}

static void expect_twice(const matrices_t *it) {
  static uint16_t host[N];
  CHECK(nereid_device_download(device, host, it->b, sizeof host, &message));
  for (int i = 0; i < N; ++i)
    if (nereid_element_read(NEREID_ELEMENT_F16, &host[i]) != 2 * (i % 512))
      fail_msg("element %d is %g", i, nereid_element_read(NEREID_ELEMENT_F16, &host[i]));
}

static void free_matrices(const matrices_t *it) {
  nereid_device_free(device, it->a);
  nereid_device_free(device, it->b);
}

static void block_shapes_differ(void **state) {
  nereid_constant_t constants[5][2];
  const nereid_lazy_configuration_t configurations[] = {
      tiles(constants[0], "16", "16"), tiles(constants[1], "64", "64"), tiles(constants[2], "32", "128"),
      tiles(constants[3], "512", "256"), /* too much shared memory */
      tiles(constants[4], "48", "64")};  /* not a power of two */
  const nereid_lazy_options_t options = {.size = sizeof options,
                                         .text = nereid_view(twice),
                                         .name = "twice.ttir",
                                         .grid = "x = ceildiv(b[0], ${M}), y = ceildiv(b[1], ${N})",
                                         .specialize = NEREID_LAZY_SPECIALIZE_DIVISIBLE,
                                         .n_configurations = 5,
                                         .configurations = configurations,
                                         .compiler = nereid_lazy_compiler()};
  nereid_lazy_kernel_t *kernel;
  nereid_arena_t arena;
  nereid_view_t text;
  size_t winner;
  const nereid_kernel_t *loaded;
  matrices_t it = allocate();
  (void)state;
  const nereid_value_t values[] = {nereid_value_tensor(&it.from), nereid_value_tensor(&it.to), nereid_value_i32(0)};
  CHECK(nereid_lazy_create(device, &options, &kernel, &message));
  CHECK(nereid_lazy_launch(kernel, NULL, 3, values, &message));
  expect_twice(&it);
  CHECK(nereid_lazy_winner(kernel, NULL, 3, values, &winner, &loaded, &message));
  assert_true(winner == 1 || winner == 2);
  assert_int_equal(nereid_kernel_metadata(loaded)->parameters[0].block[1], winner == 1 ? 64 : 128);
  nereid_arena_initialize(&arena);
  assert_int_equal(nereid_lazy_report(kernel, &arena, &text), NEREID_OK);
  contains(text.data, "\"configuration\": 2, \"outcome\": \"stopped early\"");
  contains(text.data, "\"configuration\": 3, \"outcome\": \"not built\", \"status\": \"");
  contains(text.data, "of shared memory");
  contains(text.data, "\"configuration\": 4, \"outcome\": \"not built\"");
  contains(text.data, "twice.ttir:");
  contains(text.data, "\"properties\": [\"as written\", \"as written\", \"divisible\"]");
  assert_int_equal(nereid_kernel_metadata(loaded)->parameters[10].divisibility, 16);
  assert_int_equal(nereid_kernel_metadata(loaded)->parameters[2].divisibility, 1);
  nereid_arena_deinitialize(&arena);
  nereid_lazy_destroy(kernel);
  free_matrices(&it);
}

/* --- properties of arguments --- */

static const char strided[] =
    "module {\n"
    "  tt.func public @strided(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %mask: !tt.ptr<i8>,\n"
    "                          %n: i32 {tt.divisibility = 16 : i32}, %stride: i32) {\n"
    "    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>\n"
    "    %pid = tt.get_program_id x : i32\n"
    "    %block = arith.constant 512 : i32\n"
    "    %start = arith.muli %pid, %block : i32\n"
    "    %s = tt.splat %start : i32 -> tensor<512xi32>\n"
    "    %i = arith.addi %s, %range : tensor<512xi32>\n"
    "    %ns = tt.splat %n : i32 -> tensor<512xi32>\n"
    "    %inside = arith.cmpi slt, %i, %ns : tensor<512xi32>\n"
    "    %strides = tt.splat %stride : i32 -> tensor<512xi32>\n"
    "    %at = arith.muli %i, %strides : tensor<512xi32>\n"
    "    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>\n"
    "    %p = tt.addptr %xs, %at : tensor<512x!tt.ptr<f32>>, tensor<512xi32>\n"
    "    %v = tt.load %p, %inside : tensor<512x!tt.ptr<f32>>\n"
    "    %w = arith.addf %v, %v : tensor<512xf32>\n"
    "    tt.store %p, %w, %inside : tensor<512x!tt.ptr<f32>>\n"
    "    %bits = tt.ptr_to_int %mask : !tt.ptr<i8> -> i64\n"
    "    %zero = arith.constant 0 : i64\n"
    "    %some = arith.cmpi ne, %bits, %zero : i64\n"
    "    scf.if %some {\n"
    "      %c = arith.constant 7 : i8\n"
    "      tt.store %mask, %c : !tt.ptr<i8>\n"
    "    }\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

/* Compiles with the properties; the caller destroys the result. */
static nereid_result_t *compile(nereid_stage_t stage, const uint8_t properties[4]) {
  const nereid_compile_options_t options = {
      .size = sizeof options, .emit = stage, .n_properties = 4, .properties = properties};
  nereid_compiler_t *compiler;
  nereid_result_t *result;
  assert_int_equal(nereid_compiler_create(NULL, &compiler), NEREID_OK);
  assert_int_equal(nereid_compile(compiler, nereid_view(strided), "strided.ttir", &options, &result), NEREID_OK);
  nereid_compiler_destroy(compiler);
  return result;
}

static void properties_change_the_code(void **state) {
  static const uint8_t as_written[4] = {0};
  static const uint8_t generic[4] = {NEREID_PROPERTY_GENERIC, NEREID_PROPERTY_GENERIC, NEREID_PROPERTY_GENERIC,
                                     NEREID_PROPERTY_GENERIC};
  static const uint8_t known[4] = {NEREID_PROPERTY_DIVISIBLE, NEREID_PROPERTY_NULL, NEREID_PROPERTY_DIVISIBLE,
                                   NEREID_PROPERTY_ONE};
  static const uint8_t impossible[4] = {NEREID_PROPERTY_ONE, NEREID_PROPERTY_ONE, NEREID_PROPERTY_NULL,
                                        NEREID_PROPERTY_NULL};
  (void)state;
  nereid_result_t *result = compile(NEREID_STAGE_PTX, known);
  contains(nereid_result_bytes(result).data, "ld.global.v4"); /* a stride of 1 makes a vector of 16 bytes */
  assert_null(strstr(nereid_result_bytes(result).data, "st.global.b8"));
  contains(nereid_result_metadata(result).data, "\"name\": \"stride\"");
  nereid_result_destroy(result);
  result = compile(NEREID_STAGE_PTX, as_written);
  assert_null(strstr(nereid_result_bytes(result).data, "ld.global.v4"));
  contains(nereid_result_bytes(result).data, "st.global.b8");
  contains(nereid_result_metadata(result).data, "\"divisibility\": 16");
  nereid_result_destroy(result);
  result = compile(NEREID_STAGE_TTIR, generic);
  assert_null(strstr(nereid_result_bytes(result).data, "tt.divisibility"));
  assert_null(strstr(nereid_result_metadata(result).data, "\"divisibility\": 16"));
  nereid_result_destroy(result);
  result = compile(NEREID_STAGE_TTIR, impossible); /* ignored */
  contains(nereid_result_bytes(result).data, "tt.divisibility");
  assert_null(strstr(nereid_result_bytes(result).data, "tt.int_to_ptr"));
  nereid_result_destroy(result);
}

static void properties_require_ttgir(void **state) {
  static const uint8_t known[4] = {NEREID_PROPERTY_DIVISIBLE};
  static const uint8_t none[4] = {0};
  const nereid_compile_options_t options = {.size = sizeof options, .n_properties = 4, .properties = known};
  nereid_result_t *result = compile(NEREID_STAGE_PTX, none), *again;
  nereid_compiler_t *compiler;
  (void)state;
  assert_int_equal(nereid_compiler_create(NULL, &compiler), NEREID_OK);
  assert_int_equal(nereid_compile(compiler, nereid_result_bytes(result), "strided.ptx", &options, &again),
                   NEREID_ERROR_ARGUMENT);
  nereid_compiler_destroy(compiler);
  nereid_result_destroy(result);
}

enum { COUNT = 300 };

static void launch_strided(nereid_lazy_kernel_t *kernel, uint64_t x, uint64_t mask, int32_t n, int32_t stride) {
  const nereid_value_t values[] = {nereid_value_pointer(x), nereid_value_pointer(mask), nereid_value_i32(n),
                                   nereid_value_i32(stride)};
  const uint64_t sizes[] = {COUNT * sizeof(float), 0, 0, 0};
  const nereid_lazy_launch_t how = {.sizes = sizes};
  CHECK(nereid_lazy_launch(kernel, &how, 4, values, &message));
}

static void variants_compute_the_same(void **state) {
  static const struct {
    uint64_t offset; /* bytes */
    bool mask;
    int32_t n, stride;
  } cases[] = {{0, true, 160, 1}, {4, false, 77, 3}, {8, false, 1, 1}, {0, false, 64, 2}, {16, true, 1, 16}};
  const nereid_lazy_configuration_t configurations[] = {{.num_warps = 1}, {.num_warps = 2}};
  const nereid_lazy_options_t options = {.size = sizeof options,
                                         .text = nereid_view(strided),
                                         .grid = "x = ceildiv(n, 512)",
                                         .n_configurations = 2,
                                         .configurations = configurations,
                                         .compiler = nereid_lazy_compiler(),
                                         .specialize = NEREID_LAZY_SPECIALIZE_DIVISIBLE | NEREID_LAZY_SPECIALIZE_ONE |
                                                       NEREID_LAZY_SPECIALIZE_NULL};
  nereid_lazy_kernel_t *kernel;
  uint64_t x, mask;
  (void)state;
  CHECK(nereid_lazy_create(device, &options, &kernel, &message));
  CHECK(nereid_device_allocate(device, COUNT * sizeof(float) + 64, &x, &message));
  CHECK(nereid_device_allocate(device, 16, &mask, &message));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    float host[COUNT + 16];
    uint8_t flag = 0;
    for (int k = 0; k < COUNT + 16; ++k)
      host[k] = (float)k;
    CHECK(nereid_device_upload(device, x, host, sizeof host, &message));
    CHECK(nereid_device_upload(device, mask, &flag, 1, &message));
    launch_strided(kernel, x + cases[i].offset, cases[i].mask ? mask : 0, cases[i].n, cases[i].stride);
    CHECK(nereid_device_download(device, host, x, sizeof host, &message));
    CHECK(nereid_device_download(device, &flag, mask, 1, &message));
    assert_int_equal(flag, cases[i].mask ? 7 : 0);
    for (int k = 0; k < COUNT + 16; ++k) {
      const int at = k - (int)cases[i].offset / 4;
      const bool doubled = at >= 0 && at % cases[i].stride == 0 && at / cases[i].stride < cases[i].n;
      if (host[k] != (float)(doubled ? 2 * k : k))
        fail_msg("case %zu: element %d is %g", i, k, (double)host[k]);
    }
  }
  nereid_lazy_destroy(kernel);
  nereid_device_free(device, x);
  nereid_device_free(device, mask);
}

/* --- errors --- */

static void errors_have_places(void **state) {
  static const nereid_constant_t constants[] = {{"M", "16"}, {"N", "16"}};
  const nereid_lazy_configuration_t configuration = {.n_constants = 2, .constants = constants};
  nereid_lazy_options_t options = {.size = sizeof options,
                                   .text = nereid_view(twice),
                                   .name = "twice.ttir",
                                   .function = "thrice",
                                   .n_configurations = 1,
                                   .configurations = &configuration,
                                   .compiler = nereid_lazy_compiler()};
  nereid_lazy_kernel_t *kernel;
  (void)state;
  CHECK(nereid_lazy_create(device, &options, &kernel, &message));
  assert_int_equal(nereid_lazy_launch(kernel, NULL, 0, NULL, &message), NEREID_ERROR_NOT_FOUND);
  contains(message.text, "the module has no kernel 'thrice'");
  nereid_lazy_destroy(kernel);
  options.function = NULL;
  options.grid = "x = ceildiv(row, ${M})";
  CHECK(nereid_lazy_create(device, &options, &kernel, &message));
  assert_int_equal(nereid_lazy_wait(kernel, &message), NEREID_ERROR_ARGUMENT);
  contains(message.text, "row");
  nereid_lazy_destroy(kernel);
  options.grid = NULL;
  options.text = nereid_view("module {\n  tt.func public @f(%x: tensor<${M}x${N}xf15>) { tt.return }\n}\n");
  CHECK(nereid_lazy_create(device, &options, &kernel, &message));
  assert_int_equal(nereid_lazy_wait(kernel, &message), NEREID_ERROR_PROGRAM);
  contains(message.text, "configuration 0: twice.ttir:2:");
  nereid_lazy_destroy(kernel);
  options.target = "sm_20";
  CHECK(nereid_lazy_create(device, &options, &kernel, &message));
  assert_int_equal(nereid_lazy_wait(kernel, &message), NEREID_ERROR_ARGUMENT);
  contains(message.text, "sm_20");
  nereid_lazy_destroy(kernel);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_shapes_differ),      cmocka_unit_test(properties_change_the_code),
      cmocka_unit_test(properties_require_ttgir), cmocka_unit_test(variants_compute_the_same),
      cmocka_unit_test(errors_have_places),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
