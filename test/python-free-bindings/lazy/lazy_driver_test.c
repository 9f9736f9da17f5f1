/* Tuning on a GPU that a fake driver simulates: warm-up, early stop, second round, restored and flushed memory, faults,
 * memory of another device, and the driver calls of a later launch. */
#include "../launch/fake_driver.h"
#include "lazy_fixture.h"

enum { MAX_LAUNCHES = 256 };

/* The simulated GPU: a clock that launches advance, and its calls. */
static struct {
  double clock;                 /* nanoseconds */
  double (*duration)(int run);  /* duration of launch `run` of the configuration in `threads` */
  unsigned threads;             /* threads of a CTA of the launch in progress */
  int runs[3], n_launches;      /* by configuration: 64, 128, 256 threads */
  unsigned order[MAX_LAUNCHES]; /* threads of each launch */
  int copies, fills;            /* calls made in the context */
  atomic_int queries;           /* calls of cuCtxGetCurrent on all threads */
  size_t fill_bytes;
  uint64_t foreign; /* an address of another device */
  int fault_after;  /* launches; 0: none */
} gpu;

static int index_of(unsigned threads) {
  return threads == 64 ? 0 : threads == 128 ? 1 : 2;
}

static nereid_cu_result_t current(void **context) {
  *context = (void *)0x11; /* the primary context, on every thread */
  atomic_fetch_add(&gpu.queries, 1);
  return 0;
}

static nereid_cu_result_t run_kernel(const nereid_cu_launch_config_t *config, void *function, void **parameters,
                                     void **extra) {
  (void)function, (void)parameters, (void)extra;
  gpu.threads = config->block_x;
  gpu.clock += gpu.duration(gpu.runs[index_of(config->block_x)]++);
  if (gpu.n_launches < MAX_LAUNCHES)
    gpu.order[gpu.n_launches] = config->block_x;
  ++gpu.n_launches;
  return 0;
}

static nereid_cu_result_t wait_stream(void *stream) {
  (void)stream;
  return gpu.fault_after && gpu.n_launches >= gpu.fault_after ? NEREID_CU_LAUNCH_FAILED : 0;
}

static nereid_cu_result_t create_event(void **event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof(double));
  return *event ? 0 : NEREID_CU_OUT_OF_MEMORY;
}

static nereid_cu_result_t destroy_event(void *event) {
  free(event);
  return 0;
}

static nereid_cu_result_t record_event(void *event, void *stream) {
  (void)stream;
  *(double *)event = gpu.clock;
  return 0;
}

static nereid_cu_result_t wait_event(void *event) {
  (void)event;
  return 0;
}

static nereid_cu_result_t elapsed(float *milliseconds, void *start, void *end) {
  *milliseconds = (float)((*(double *)end - *(double *)start) * 1e-6);
  return 0;
}

static nereid_cu_result_t copy(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  (void)to, (void)from, (void)bytes, (void)stream;
  ++gpu.copies;
  return 0;
}

static nereid_cu_result_t fill(uint64_t address, unsigned char value, size_t n, void *stream) {
  (void)address, (void)value, (void)stream;
  ++gpu.fills;
  gpu.fill_bytes = n;
  gpu.clock += 1e6; /* must not count */
  return 0;
}

static nereid_cu_result_t query(void *value, int attribute, uint64_t address) {
  if (attribute == NEREID_CU_POINTER_MEMORY_TYPE) {
    *(int *)value = NEREID_CU_MEMORY_DEVICE;
    return 0;
  }
  return address == gpu.foreign ? NEREID_CU_INVALID_VALUE : 0;
}

static nereid_driver_t table;
static nereid_lazy_pool_t *pool; /* with one thread: the fake driver is not thread safe */

static int open_gpu(void **state) {
  (void)state;
  fake_reset();
  memset(&gpu, 0, sizeof gpu);
  table = *fake_driver();
  table.ctx_get_current = current;
  table.launch_kernel_ex = run_kernel;
  table.stream_synchronize = wait_stream;
  table.event_create = create_event;
  table.event_destroy = destroy_event;
  table.event_record = record_event;
  table.event_synchronize = wait_event;
  table.event_elapsed_time = elapsed;
  table.memcpy_dtod_async = copy;
  table.memset_d8_async = fill;
  table.pointer_get_attribute = query;
  three = three_of_gpu;
  reset(state);
  return nereid_device_open_with(&table, 0, &device, &message) || nereid_lazy_pool_create(1, &pool, &message);
}

static int close_gpu(void **state) {
  nereid_lazy_pool_destroy(pool);
  nereid_device_close(device);
  return check_leaks(state) || fake.allocations != fake.frees || fake.loaded != fake.unloaded;
}

static nereid_status_t launch_once(nereid_lazy_kernel_t *kernel) {
  const vectors_t vectors = {0x1000, 0x2000};
  return launch(kernel, vectors, 0);
}

/* --- durations --- */

static double distinct(int run) {
  static const double nanoseconds[] = {9000, 5000, 20000};
  (void)run;
  return nanoseconds[index_of(gpu.threads)];
}

static void slow_configurations_run_once(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool));
  (void)state;
  gpu.duration = distinct;
  CHECK(launch_once(kernel));
  assert_int_equal(winner_of(kernel, 0), 1);
  assert_int_equal(gpu.runs[0], 11);        /* first in the list: warm-up and 10 runs */
  assert_int_equal(gpu.runs[1], 12);        /* and the launch */
  assert_int_equal(gpu.runs[2], 2);         /* warm-up and one run */
  assert_int_equal(gpu.copies, 1 + 24 + 1); /* saved, before each timed or warming run, after the last */
  assert_int_equal(gpu.fills, 24);
  assert_int_equal(gpu.fill_bytes, 2 * nereid_device_info(device)->l2_size);
  expect_outcomes(kernel, "decisions", 3, (const char *[]){"timed", "timed", "stopped early"});
  cJSON *json = report(kernel);
  const cJSON *decision = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "decisions"), 0);
  const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(decision, "results"), 1);
  assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "time")) == 5000);
  cJSON_Delete(json);
  nereid_lazy_destroy(kernel);
}

/* The first runs of configuration 1 are disturbed; it is faster by 4 %. */
static double disturbed(int run) {
  static const double nanoseconds[] = {5000, 4800, 6100};
  return nanoseconds[index_of(gpu.threads)] + (gpu.threads == 128 && run <= 10 ? 300 : 0);
}

static void close_times_are_taken_again_in_turn(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool, .early_stop = 1.2));
  (void)state;
  gpu.duration = disturbed;
  CHECK(launch_once(kernel)); /* 5000 against 5100, then medians of (10 * 5100, 10 * 4800) */
  assert_int_equal(winner_of(kernel, 0), 1);
  for (int i = 24; i < 24 + 20; ++i) /* after 11, 11 and 2 launches */
    assert_int_equal(gpu.order[i], i % 2 ? 128 : 64);
  assert_int_equal(gpu.n_launches, 24 + 20 + 1);
  nereid_lazy_destroy(kernel);
}

static void runs_and_flushes_are_options(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool, .runs = 3, .no_flush = true));
  (void)state;
  gpu.duration = distinct;
  CHECK(launch_once(kernel));
  assert_int_equal(gpu.runs[0], 4);
  assert_int_equal(gpu.fills, 0);
  nereid_lazy_destroy(kernel);
}

static double asleep(int run) {
  (void)run;
  usleep(150000);
  return 150e6;
}

static void repeated_runs_stay_within_the_budget(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool, .budget = 1000));
  (void)state;
  gpu.duration = asleep;
  CHECK(launch_once(kernel));
  assert_true(gpu.n_launches <= 9); /* 2 and 4 of the first configuration, 2 of the second one, the launch */
  expect_outcomes(kernel, "decisions", 1, (const char *[]){"timed"});
  nereid_lazy_destroy(kernel);
}

/* --- the call after tuning --- */

static void later_launches_call_the_driver_twice(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool, .specialize = NEREID_LAZY_SPECIALIZE_ONE));
  (void)state;
  gpu.duration = distinct;
  CHECK(launch_once(kernel));
  const int launches = gpu.n_launches, queries = gpu.queries, copies = gpu.copies, allocations = fake.allocations;
  CHECK(launch_once(kernel));
  assert_int_equal(gpu.n_launches, launches + 1);
  assert_int_equal(gpu.queries, queries + 1); /* whether the context is current */
  assert_int_equal(gpu.copies, copies);
  assert_int_equal(fake.allocations, allocations);
  nereid_lazy_destroy(kernel);
}

/* --- errors --- */

static void memory_of_another_device_is_refused(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool));
  (void)state;
  gpu.foreign = 0x2000;
  gpu.duration = distinct;
  assert_int_equal(launch_once(kernel), NEREID_ERROR_ARGUMENT);
  mentions("argument 1 is memory of another device, which kernels of Fake (device 0) cannot use: 0x2000");
  assert_int_equal(gpu.n_launches, 0);
  nereid_lazy_destroy(kernel);
}

static void faults_end_the_tuning(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool));
  (void)state;
  gpu.duration = distinct;
  gpu.fault_after = 5;
  assert_int_equal(launch_once(kernel), NEREID_ERROR_DEVICE);
  assert_true(gpu.n_launches < 12); /* no other configuration */
  expect_outcomes(kernel, "failure", 3, (const char *[]){"timed", "not reached", "not reached"});
  nereid_lazy_destroy(kernel);
}

static void out_of_memory_launches_nothing(void **state) {
  nereid_lazy_kernel_t *kernel = create(&three, OPTIONS(.pool = pool));
  (void)state;
  CHECK(nereid_lazy_wait(kernel, &message));
  gpu.duration = distinct;
  fake.fail = "mem_alloc";
  fake.fail_with = NEREID_CU_OUT_OF_MEMORY;
  assert_int_equal(launch_once(kernel), NEREID_ERROR_MEMORY);
  mentions("argument 1: saving its 4000 bytes failed");
  assert_int_equal(gpu.n_launches, 0);
  fake.fail = NULL;
  CHECK(launch_once(kernel));
  nereid_lazy_destroy(kernel);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_gpu, close_gpu)
  const struct CMUnitTest tests[] = {
      TEST(slow_configurations_run_once),
      TEST(close_times_are_taken_again_in_turn),
      TEST(runs_and_flushes_are_options),
      TEST(repeated_runs_stay_within_the_budget),
      TEST(later_launches_call_the_driver_twice),
      TEST(memory_of_another_device_is_refused),
      TEST(faults_end_the_tuning),
      TEST(out_of_memory_launches_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
