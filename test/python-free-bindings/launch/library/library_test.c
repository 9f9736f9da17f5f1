/* Libraries of kernels: which image a device loads, which configuration arguments choose, lazy loading, errors. */
#include "nereid/library.h"

#include "python-free-bindings/launch/library/choose.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static nereid_message_t message;

/* Stores a number, by which a test recognizes the image that ran. */
#define STORE(target, number)                                                                                          \
  ".version 8.0\n.target " target "\n.address_size 64\n.visible .entry store(.param .u64 out, .param .u32 n, .param "  \
  ".u64 g, .param .u64 p)\n.reqntid 32\n{\n  .reg .b64 %a;\n  .reg .b32 %r;\n  ld.param.u64 %a, [out];\n"              \
  "  mov.u32 %r, " number ";\n  st.global.u32 [%a], %r;\n  ret;\n}\n"

#define METADATA(shared, divisibility)                                                                                 \
  "{\"nereid\": 1, \"name\": \"store\", \"num_warps\": 1, \"shared\": " shared ", \"signature\": [{\"name\": "         \
  "\"out\", \"type\": \"ptr<i32>\"}, {\"name\": \"n\", \"type\": \"i32\", \"divisibility\": " divisibility "}], "      \
  "\"grid\": {\"map\": \"() -> (1)\", \"args\": [], \"per_sm\": 0}}"

#define VIEW(text) {text, sizeof text - 1}
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char store_1[] = STORE("sm_80", "1"), store_2[] = STORE("sm_90", "2"), store_3[] = STORE("sm_80", "3");
static const char even[] = METADATA("0", "16"), any[] = METADATA("0", "1"), large[] = METADATA("160000", "1");

static const nereid_library_image_t multiples_of_16[] = {{"sm_90a", VIEW("cubin"), VIEW(even)},
                                                         {"compute_80", VIEW(store_1), VIEW(even)},
                                                         {"compute_90", VIEW(store_2), VIEW(even)}};
static const nereid_library_image_t all_numbers[] = {{"compute_80", VIEW(store_3), VIEW(any)}};
static const nereid_library_image_t much_memory[] = {{"compute_80", VIEW(store_1), VIEW(large)}};
static const nereid_library_image_t cubins[] = {{"sm_80", VIEW("cubin"), VIEW(any)},
                                                {"sm_90a", VIEW("cubin"), VIEW(any)}};
static const nereid_library_image_t broken[] = {{"compute_80", VIEW("no PTX"), VIEW(any)}};

static const nereid_library_configuration_t by_divisibility[] = {{"aligned", 3, multiples_of_16},
                                                                 {"general", 1, all_numbers}};
static const nereid_library_configuration_t by_memory[] = {{"large", 1, much_memory}, {"small", 1, all_numbers}};
static const nereid_library_configuration_t only_cubins[] = {{"default", 2, cubins}};
static const nereid_library_configuration_t only_broken[] = {{"default", 1, broken}};

static const nereid_library_kernel_t good_kernels[] = {{"divided", 2, by_divisibility}, {"sized", 2, by_memory}};
static const nereid_library_kernel_t cubin_kernels[] = {{"divided", 2, by_divisibility}, {"machine", 1, only_cubins}};
static const nereid_library_kernel_t broken_kernels[] = {{"divided", 2, by_divisibility}, {"torn", 1, only_broken}};

#define TABLE(lazy, kernels) {sizeof(nereid_library_table_t), "k", lazy, LENGTH(kernels), kernels}
static const nereid_library_table_t good = TABLE(false, good_kernels), lazy = TABLE(true, good_kernels),
                                    of_cubins = TABLE(false, cubin_kernels),
                                    lazy_of_cubins = TABLE(true, cubin_kernels), torn = TABLE(false, broken_kernels),
                                    lazy_torn = TABLE(true, broken_kernels);

enum { DIVIDED = 0, SIZED = 1 };

typedef struct fixture {
  nereid_device_t *device;
  nereid_library_t *library;
  uint64_t out;
} fixture_t;

static nereid_device_t *open_device(int32_t capability) {
  nereid_device_t *device = NULL;
  const nereid_emulator_device_options_t options = {.size = sizeof options, .capability = capability};
  if (nereid_device_open_emulator(&options, &device, &message))
    fail_msg("%s", message.text);
  return device;
}

static fixture_t open_library(const nereid_library_table_t *table, int32_t capability) {
  fixture_t fixture = {.device = open_device(capability)};
  if (nereid_library_open(table, fixture.device, &fixture.library, &message) ||
      nereid_device_allocate(fixture.device, 16, &fixture.out, &message))
    fail_msg("%s", message.text);
  return fixture;
}

static void close_library(fixture_t *fixture) {
  nereid_library_close(fixture->library);
  nereid_device_free(fixture->device, fixture->out);
  nereid_device_close(fixture->device);
}

/* Launches, and returns the number that the image stored; 0 after an error. */
static int32_t launch(const fixture_t *fixture, const nereid_library_table_t *table, size_t kernel,
                      size_t configuration, int32_t n) {
  const nereid_value_t arguments[] = {nereid_value_pointer(fixture->out), nereid_value_i32(n)};
  int32_t stored = 0;
  if (nereid_device_upload(fixture->device, fixture->out, &stored, sizeof stored, &message))
    fail_msg("%s", message.text);
  if (nereid_library_launch(fixture->library, table, kernel, configuration, NULL, 2, arguments, &message))
    return 0;
  if (nereid_device_download(fixture->device, &stored, fixture->out, sizeof stored, &message))
    fail_msg("%s", message.text);
  return stored;
}

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention '%s'", message.text, text);
}

/* From the best image of each device to the worst, then images that it cannot run. */
static void images_follow_the_rules_of_compatibility(void **state) {
  static const struct {
    int32_t capability;
    bool runs_ptx;
    const char *usable, *unusable;
  } rows[] = {
      {80, false, "sm_80 compute_80", "sm_86 sm_90 sm_90a compute_86 compute_90a"},
      {86, false, "sm_86 sm_80 compute_86 compute_80", "sm_87 sm_89 compute_89 compute_90a"},
      {87, false, "sm_87 compute_87 compute_80", "sm_80 sm_86 sm_89"},
      {89, false, "sm_89 sm_86 sm_80 compute_89", "sm_87 sm_90"},
      {90, false, "sm_90a sm_90 compute_90a compute_90 compute_80", "sm_80 sm_89 sm_100a compute_100 sm_ sm_9x sm_90b"},
      {100, false, "compute_90 compute_80", "sm_90 sm_90a compute_90a"},
      {90, true, "compute_90a compute_90 compute_80", "sm_90a sm_90 sm_80"},
      {80, true, "compute_80", "compute_90 compute_90a sm_80"},
  };
  (void)state;
  for (size_t i = 0; i < LENGTH(rows); ++i) {
    char usable[128], unusable[128], *next;
    uint32_t before = UINT32_MAX;
    strcpy(usable, rows[i].usable);
    strcpy(unusable, rows[i].unusable);
    for (char *target = strtok_r(usable, " ", &next); target; target = strtok_r(NULL, " ", &next)) {
      const uint32_t now = nereid_image_suitability(target, rows[i].capability, rows[i].runs_ptx);
      if (!now || now >= before)
        fail_msg("%s on sm_%d: %u after %u", target, rows[i].capability, now, before);
      before = now;
    }
    for (char *target = strtok_r(unusable, " ", &next); target; target = strtok_r(NULL, " ", &next))
      if (nereid_image_suitability(target, rows[i].capability, rows[i].runs_ptx))
        fail_msg("%s runs on sm_%d", target, rows[i].capability);
  }
}

static void a_device_loads_its_best_image(void **state) {
  (void)state;
  fixture_t hopper = open_library(&good, 90), ampere = open_library(&lazy, 80);
  assert_int_equal(launch(&hopper, &good, DIVIDED, 0, 32), 2);
  assert_int_equal(launch(&ampere, &lazy, DIVIDED, 0, 32), 1);
  close_library(&hopper);
  close_library(&ampere);
}

static void the_first_configuration_that_accepts_the_arguments_runs(void **state) {
  (void)state;
  fixture_t fixture = open_library(&good, 90);
  assert_int_equal(launch(&fixture, &good, DIVIDED, NEREID_LIBRARY_ANY, 48), 2);
  assert_int_equal(launch(&fixture, &good, DIVIDED, NEREID_LIBRARY_ANY, 7), 3);
  assert_int_equal(launch(&fixture, &good, DIVIDED, 1, 48), 3);
  assert_int_equal(launch(&fixture, &good, DIVIDED, 0, 7), 0);
  mentions("argument 1 'n' of kernel 'store' is 7; the kernel was compiled for multiples of 16");
  close_library(&fixture);
}

static void a_configuration_that_exceeds_the_device_is_skipped(void **state) {
  (void)state;
  fixture_t fixture = open_library(&good, 86);
  assert_int_equal(launch(&fixture, &good, SIZED, NEREID_LIBRARY_ANY, 1), 3);
  assert_int_equal(launch(&fixture, &good, SIZED, 0, 1), 0);
  mentions("requires 160000 bytes of shared memory per CTA");
  close_library(&fixture);
  fixture = open_library(&good, 90);
  assert_int_equal(launch(&fixture, &good, SIZED, NEREID_LIBRARY_ANY, 1), 1);
  close_library(&fixture);
}

static void a_device_without_a_fitting_image_is_an_error(void **state) {
  (void)state;
  nereid_device_t *device = open_device(90);
  nereid_library_t *library = NULL;
  assert_int_equal(nereid_library_open(&of_cubins, device, &library, &message), NEREID_ERROR_UNSUPPORTED);
  assert_null(library);
  mentions("library 'k' has no image of kernel 'machine' for");
  mentions("(sm_90, PTX only); it has sm_80, sm_90a: compile with --target compute_90");
  nereid_device_close(device);

  fixture_t fixture = open_library(&lazy_of_cubins, 90);
  assert_int_equal(launch(&fixture, &lazy_of_cubins, 0, NEREID_LIBRARY_ANY, 16), 2);
  assert_int_equal(launch(&fixture, &lazy_of_cubins, 1, NEREID_LIBRARY_ANY, 16), 0);
  mentions("it has sm_80, sm_90a");
  assert_int_equal(nereid_library_load(fixture.library, &message), NEREID_ERROR_UNSUPPORTED);
  close_library(&fixture);
}

static void a_malformed_image_is_an_error_when_it_is_loaded(void **state) {
  (void)state;
  nereid_device_t *device = open_device(90);
  nereid_library_t *library = NULL;
  assert_int_equal(nereid_library_open(&torn, device, &library, &message), NEREID_ERROR_ARGUMENT);
  nereid_device_close(device);
  fixture_t fixture = open_library(&lazy_torn, 90);
  assert_int_equal(launch(&fixture, &lazy_torn, 1, 0, 1), 0);
  mentions("neither");
  assert_int_equal(launch(&fixture, &lazy_torn, 0, 0, 16), 2);
  close_library(&fixture);
}

static void wrong_calls_are_refused(void **state) {
  (void)state;
  fixture_t fixture = open_library(&good, 90);
  nereid_library_t *other = NULL;
  const nereid_library_table_t old = {.size = 8};
  const nereid_value_t number = nereid_value_i32(1);
  assert_int_equal(launch(&fixture, &lazy, 0, 0, 16), 0);
  mentions("expected a library that was opened from 'k'");
  assert_int_equal(launch(&fixture, &good, 2, 0, 16), 0);
  mentions("no configuration 0 of kernel 2");
  assert_int_equal(launch(&fixture, &good, 0, 2, 16), 0);
  assert_int_equal(nereid_library_launch(NULL, &good, 0, 0, NULL, 0, NULL, &message), NEREID_ERROR_ARGUMENT);
  mentions("not null");
  assert_int_equal(nereid_library_launch(fixture.library, &good, 0, NEREID_LIBRARY_ANY, NULL, 1, &number, &message),
                   NEREID_ERROR_ARGUMENT);
  mentions("takes 2 arguments, not 1");
  assert_int_equal(nereid_library_open(&old, fixture.device, &other, &message), NEREID_ERROR_ARGUMENT);
  mentions("another version");
  assert_int_equal(nereid_library_open(NULL, fixture.device, &other, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_library_open(&good, NULL, &other, &message), NEREID_ERROR_ARGUMENT);
  nereid_library_close(NULL);
  close_library(&fixture);
}

static void kernels_are_found_by_name(void **state) {
  (void)state;
  fixture_t fixture = open_library(&lazy, 90);
  const nereid_kernel_t *kernel = NULL;
  assert_int_equal(nereid_library_kernel(fixture.library, "divided", "general", &kernel, &message), NEREID_OK);
  assert_int_equal(nereid_kernel_metadata(kernel)->parameters[1].divisibility, 1);
  assert_int_equal(nereid_library_kernel(fixture.library, "divided", NULL, &kernel, &message), NEREID_OK);
  assert_int_equal(nereid_kernel_metadata(kernel)->parameters[1].divisibility, 16);
  assert_int_equal(nereid_library_kernel(fixture.library, "divide", NULL, &kernel, &message), NEREID_ERROR_NOT_FOUND);
  mentions("library 'k' has no kernel 'divide'; it has divided, sized");
  assert_int_equal(nereid_library_kernel(fixture.library, "sized", "huge", &kernel, &message), NEREID_ERROR_NOT_FOUND);
  mentions("kernel 'sized' of library 'k' has no configuration 'huge'; it has large, small");
  close_library(&fixture);
}

typedef struct racer {
  const fixture_t *fixture;
  const nereid_kernel_t *kernel;
} racer_t;

static void *get_kernel(void *data) {
  racer_t *racer = data;
  nereid_message_t own;
  return nereid_library_kernel(racer->fixture->library, "divided", NULL, &racer->kernel, &own) ? data : NULL;
}

static void threads_load_an_image_once(void **state) {
  (void)state;
  fixture_t fixture = open_library(&lazy, 90);
  pthread_t threads[16];
  racer_t racers[16];
  for (size_t i = 0; i < 16; ++i) {
    racers[i] = (racer_t){&fixture, NULL};
    assert_int_equal(pthread_create(&threads[i], NULL, get_kernel, &racers[i]), 0);
  }
  for (size_t i = 0; i < 16; ++i) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
    assert_ptr_equal(racers[i].kernel, racers[0].kernel);
  }
  close_library(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_follow_the_rules_of_compatibility),
      cmocka_unit_test(a_device_loads_its_best_image),
      cmocka_unit_test(the_first_configuration_that_accepts_the_arguments_runs),
      cmocka_unit_test(a_configuration_that_exceeds_the_device_is_skipped),
      cmocka_unit_test(a_device_without_a_fitting_image_is_an_error),
      cmocka_unit_test(a_malformed_image_is_an_error_when_it_is_loaded),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(kernels_are_found_by_name),
      cmocka_unit_test(threads_load_an_image_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
