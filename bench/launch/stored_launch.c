/* Measures the first launch of a stored kernel in a fresh process without LLVM, from the text of its IR to the end of
 * the launch: key, get, module, launch, synchronization.
 *
 *   nereid compile IR --store STORE                    puts the kernel into the store, before
 *                                                      (for the emulator with --emit ptx)
 *   stored_launch emulator|GPU STORE IR                an f32 kernel with arguments (pointer…, i32), as gelu.ttir
 *
 * The unit of STORE, of which there must be one, is copied to a store of its own, under the key of the IR. Then this
 * program runs itself 21 times, because only the first launch of a process counts, and prints the median and the
 * slowest, in milliseconds. The open of the device is measured separately: a driver takes 100 ms and more, whatever the
 * kernel. Exit status 0, or 2 if it cannot run. */
#include "nereid/launch.h"
#include "nereid/store.h"

#include "base/file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 21, PHASES = 5, ELEMENTS = 1024, MAX_ARGUMENTS = 16 };

static const char *const names[PHASES] = {"device", "read IR, key", "open, get", "module", "launch"};

typedef struct times {
  double milliseconds[PHASES];
} times_t;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void fail(const char *what, const nereid_message_t *message) {
  fprintf(stderr, "stored_launch: %s: %s\n", what, message->text);
  exit(2);
}

static bool take_key(void *user_data, const nereid_store_item_t *item) {
  *(nereid_store_key_t *)user_data = item->key;
  return true;
}

/* The key that this program uses: that of a program that knows its architecture, compiler and assembler. */
static nereid_store_key_t key_of(nereid_arena_t *arena, const char *path, nereid_message_t *message) {
  nereid_store_recipe_t recipe = {.size = sizeof recipe,
                                  .options = "num_warps=4",
                                  .architecture = "sm_90a",
                                  .compiler = "nereid 0.1.0, LLVM 22.1.8",
                                  .assembler = "ptxas 13.0.88"};
  nereid_store_key_t key;
  if (nereid_file_read(arena, path, &recipe.input, message) || nereid_store_key_make(&recipe, &key))
    fail(path, message);
  return key;
}

/* Passes a buffer for each pointer and ELEMENTS for each integer. */
static nereid_status_t launch(nereid_device_t *device, const nereid_kernel_t *kernel, const nereid_metadata_t *metadata,
                              uint64_t buffer, nereid_message_t *message) {
  nereid_value_t arguments[MAX_ARGUMENTS];
  if (metadata->n_parameters > MAX_ARGUMENTS)
    return NEREID_ERROR_UNSUPPORTED;
  for (size_t i = 0; i < metadata->n_parameters; ++i)
    arguments[i] = metadata->parameters[i].kind == NEREID_PARAMETER_POINTER ? nereid_value_pointer(buffer)
                                                                            : nereid_value_i32(ELEMENTS);
  nereid_status_t status =
      nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {1, 1, 1}}, metadata->n_parameters, arguments, message);
  return status ? status : nereid_device_synchronize(device, message);
}

/* In a fresh process: writes the times to `out`. */
static void run(const char *device_name, const char *folder, const char *path, int out) {
  const nereid_store_options_t where = {.size = sizeof where, .folder = folder};
  nereid_device_t *device;
  nereid_store_t *store;
  nereid_store_unit_t *unit;
  nereid_module_t *module;
  const nereid_kernel_t *kernel;
  nereid_metadata_t metadata;
  nereid_message_t message = {""};
  nereid_arena_t arena;
  uint64_t buffer;
  times_t times;
  double at[PHASES + 1] = {now()};
  nereid_arena_initialize(&arena);
  if (nereid_device_open_named(device_name, &device, &message) ||
      nereid_device_allocate(device, ELEMENTS * sizeof(float), &buffer, &message))
    fail("device", &message);
  at[1] = now();
  const nereid_store_key_t key = key_of(&arena, path, &message);
  at[2] = now();
  if (nereid_store_open(&where, &store, &message) || nereid_store_get(store, &key, &unit, &message))
    fail("store", &message);
  at[3] = now();
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  if (nereid_module_load(device, content.image, content.metadata, &module, &message) ||
      nereid_module_kernel(module, NULL, &kernel, &message))
    fail("module", &message);
  at[4] = now();
  if (nereid_metadata_parse(&arena, content.metadata, &metadata, &message) ||
      launch(device, kernel, &metadata, buffer, &message))
    fail("launch", &message);
  at[5] = now();
  for (size_t i = 0; i < PHASES; ++i)
    times.milliseconds[i] = at[i + 1] - at[i];
  _exit(write(out, &times, sizeof times) == sizeof times ? 0 : 2);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, double *values) {
  qsort(values, RUNS, sizeof *values, by_value);
  printf("%-28s %10.3f %10.3f\n", name, values[RUNS / 2], values[RUNS - 1]);
}

/* Copies the unit of STORE to a folder of its own, under the key of this program. */
static void prepare(const char *from, const char *to, const char *path) {
  nereid_store_key_t key;
  nereid_store_t *source, *target;
  nereid_store_unit_t *unit;
  nereid_message_t message = {""};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const nereid_store_options_t reads = {.size = sizeof reads, .folder = from, .read_only = true};
  const nereid_store_options_t writes = {.size = sizeof writes, .folder = to};
  if (nereid_store_open(&reads, &source, &message) || nereid_store_walk(source, take_key, &key, &message) ||
      nereid_store_inspect(source, &key, &unit, &message) || nereid_store_open(&writes, &target, &message))
    fail(from, &message);
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  key = key_of(&arena, path, &message);
  if (nereid_store_put(target, &key, &content, &message))
    fail(to, &message);
  nereid_store_unit_destroy(unit);
  nereid_store_close(source);
  nereid_store_close(target);
  nereid_arena_deinitialize(&arena);
}

/* Runs a fresh process; its time from the start to the end, with the linking of libraries, is the result. */
static double run_process(const char *device, const char *folder, const char *path, times_t *out_times) {
  int pipes[2], code = 0;
  char descriptor[16];
  const double start = now();
  if (pipe(pipes) != 0)
    exit(2);
  snprintf(descriptor, sizeof descriptor, "%d", pipes[1]);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "stored_launch", device, folder, path, descriptor, (char *)NULL);
    _exit(2);
  }
  close(pipes[1]);
  const bool done = read(pipes[0], out_times, sizeof *out_times) == sizeof *out_times;
  close(pipes[0]);
  waitpid(child, &code, 0);
  if (!done || code)
    exit(2);
  return now() - start;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about, (void)kind, (void)place;
  return remove(path);
}

int main(int argc, char **argv) {
  static double columns[PHASES + 2][RUNS];
  char folder[] = "/tmp/nereid-bench-XXXXXX";
  if (argc == 5)
    run(argv[1], argv[2], argv[3], (int)strtol(argv[4], NULL, 10));
  if (argc != 4 || !mkdtemp(folder)) {
    fputs("usage: stored_launch emulator|GPU STORE IR\n", stderr);
    return 2;
  }
  prepare(argv[2], folder, argv[3]);
  for (size_t i = 0; i < RUNS; ++i) {
    times_t times;
    columns[PHASES + 1][i] = run_process(argv[1], folder, argv[3], &times);
    for (size_t k = 0; k < PHASES; ++k) {
      columns[k][i] = times.milliseconds[k];
      columns[PHASES][i] += k ? times.milliseconds[k] : 0;
    }
  }
  printf("%-28s %10s %10s\n", "ms", "median", "slowest");
  for (size_t k = 0; k < PHASES; ++k)
    print(names[k], columns[k]);
  print("IR file to end of launch", columns[PHASES]);
  print("whole process", columns[PHASES + 1]);
  return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 ? 0 : 2;
}
