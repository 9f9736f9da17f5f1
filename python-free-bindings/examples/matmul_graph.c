/* A small inference step, c = a * b, whose operands are tensors: the launcher makes their descriptors.
 *
 *   matmul_graph [emulator | GPU]
 *
 * The kernel is compiled for two tile shapes. Both are launched by the same call, which passes no tile, swizzle or
 * grid: these come from the metadata of the kernel. Every number of rows of a is one captured graph, which is launched
 * twice with new contents of the same memory. The memory of a has an owner; it is freed when the last graph is
 * destroyed. Exit status: 0 all results are right; 1 some are not, or a call failed; 3 there is no such device. */
#include "nereid/compile.h"
#include "nereid/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_ROWS = 200, INNER = 96, COLUMNS = 120, NO_DEVICE = 3, WAITS = 1000 };

/* Tile sizes in the order m, k, k, n, m, n, n - 1, n, m, n, k, then those of the tensors. */
static const char kernel_text[] =
    "tt.func public @matmul(%%a: !tt.tensordesc<tensor<%dx%dxf16>>, %%am: i32, %%ak: i32, %%as: i64, %%at: i64,\n"
    "                       %%b: !tt.tensordesc<tensor<%dx%dxf16>>, %%bk: i32, %%bn: i32, %%bs: i64, %%bt: i64,\n"
    "                       %%c: !tt.tensordesc<tensor<%dx%dxf16>>, %%cm: i32, %%cn: i32, %%cs: i64, %%ct: i64) {\n"
    "  %%c0 = arith.constant 0 : i32\n"
    "  %%tile_m = arith.constant %d : i32\n"
    "  %%tile_n = arith.constant %d : i32\n"
    "  %%tile_k = arith.constant %d : i32\n"
    "  %%less = arith.constant %d : i32\n"
    "  %%zero = arith.constant dense<0.0> : tensor<%dx%dxf32>\n"
    "  %%p = tt.get_program_id x : i32\n"
    "  %%more = arith.addi %%cn, %%less : i32\n"
    "  %%across = arith.divsi %%more, %%tile_n : i32\n"
    "  %%i = arith.divsi %%p, %%across : i32\n"
    "  %%j = arith.remsi %%p, %%across : i32\n"
    "  %%row = arith.muli %%i, %%tile_m : i32\n"
    "  %%column = arith.muli %%j, %%tile_n : i32\n"
    "  %%sum = scf.for %%k = %%c0 to %%ak step %%tile_k iter_args(%%acc = %%zero) -> (tensor<%dx%dxf32>) : i32 {\n"
    "    %%x = tt.descriptor_load %%a[%%row, %%k] : !tt.tensordesc<tensor<%dx%dxf16>> -> tensor<%dx%dxf16>\n"
    "    %%y = tt.descriptor_load %%b[%%k, %%column] : !tt.tensordesc<tensor<%dx%dxf16>> -> tensor<%dx%dxf16>\n"
    "    %%next = tt.dot %%x, %%y, %%acc : tensor<%dx%dxf16> * tensor<%dx%dxf16> -> tensor<%dx%dxf32>\n"
    "    scf.yield %%next : tensor<%dx%dxf32>\n"
    "  }\n"
    "  %%result = arith.truncf %%sum : tensor<%dx%dxf32> to tensor<%dx%dxf16>\n"
    "  tt.descriptor_store %%c[%%row, %%column], %%result : !tt.tensordesc<tensor<%dx%dxf16>>, tensor<%dx%dxf16>\n"
    "  tt.return\n"
    "}\n";

typedef struct tile {
  int m, n, k;
} tile_t;

static void print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  fprintf(stderr, "%s:%u:%u: %s\n", diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->column,
          diagnostic->message);
}

/* Compiles the kernel with a grid that is derived from its stores. The emulator runs PTX. */
static nereid_status_t compile(nereid_compiler_t *compiler, tile_t t, bool emulated, nereid_result_t **out_result) {
  static char text[8192];
  const nereid_compile_options_t options = {.size = sizeof options,
                                            .target = "sm_90a",
                                            .emit = emulated ? NEREID_STAGE_PTX : NEREID_STAGE_CUBIN,
                                            .grid = "auto"};
  snprintf(text, sizeof text, kernel_text, t.m, t.k, t.k, t.n, t.m, t.n, t.m, t.n, t.k, t.n - 1, t.m, t.n, t.m, t.n,
           t.m, t.k, t.m, t.k, t.k, t.n, t.k, t.n, t.m, t.k, t.k, t.n, t.m, t.n, t.m, t.n, t.m, t.n, t.m, t.n, t.m, t.n,
           t.m, t.n);
  return nereid_compile(compiler, nereid_view(text), "matmul.ttir", &options, out_result);
}

/* The operands on the host, as 16-bit floats of small integers: exact. */
static uint16_t half_of(int value) {
  static const uint16_t halves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000}; /* -2 to 2 */
  return halves[value + 2];
}

static int element(int seed, int i, int k) {
  return (i * 7 + k * 3 + seed) % 5 - 2;
}

static nereid_status_t upload(nereid_device_t *device, uint64_t address, int seed, int rows, int columns,
                              nereid_message_t *message) {
  static uint16_t host[MAX_ROWS * COLUMNS];
  for (int i = 0; i < rows * columns; ++i)
    host[i] = half_of(element(seed, i / columns, i % columns));
  return nereid_device_upload(device, address, host, (size_t)rows * (size_t)columns * 2, message);
}

static int count_wrong(const uint16_t *c, int rows, int seed) {
  int wrong = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      int expected = 0;
      for (int k = 0; k < INNER; ++k)
        expected += element(seed, i, k) * element(1, k, j);
      const uint16_t bits = c[i * COLUMNS + j];
      const int exponent = bits >> 10 & 31, fraction = bits & 1023;
      const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : 0;
      wrong += (bits >> 15 ? -size : size) != expected;
    }
  return wrong;
}

/* Memory that several graphs use. */
typedef struct storage {
  nereid_device_t *device;
  uint64_t address;
  int references;
} storage_t;

static void storage_retain(void *data) {
  ++((storage_t *)data)->references;
}

static void storage_release(void *data) {
  storage_t *storage = data;
  if (--storage->references == 0) {
    nereid_device_free(storage->device, storage->address);
    storage->address = 0;
  }
}

typedef struct program {
  nereid_device_t *device;
  const nereid_kernel_t *kernel;
  void *stream;
  storage_t a;
  uint64_t b, c;
} program_t;

/* Captures one step for a number of rows. */
static nereid_status_t capture(program_t *program, int rows, nereid_graph_t **out_graph, nereid_message_t *message) {
  const nereid_tensor_t a = {.address = program->a.address,
                             .rank = 2,
                             .shape = {(uint64_t)rows, INNER},
                             .owner = {&program->a, storage_retain, storage_release}};
  const nereid_tensor_t b = {.address = program->b, .rank = 2, .shape = {INNER, COLUMNS}};
  const nereid_tensor_t c = {.address = program->c, .rank = 2, .shape = {(uint64_t)rows, COLUMNS}};
  const nereid_value_t arguments[] = {nereid_value_tensor(&a), nereid_value_tensor(&b), nereid_value_tensor(&c)};
  *out_graph = NULL;
  nereid_status_t status = nereid_stream_capture(program->device, program->stream, message);
  if (status)
    return status;
  status = nereid_kernel_launch(program->kernel, &(nereid_launch_t){.stream = program->stream}, 3, arguments, message);
  nereid_message_t ignored;
  nereid_status_t ended =
      nereid_stream_end_capture(program->device, program->stream, out_graph, status ? &ignored : message);
  return status ? status : ended;
}

/* Launches a graph with new contents of a, and compares. */
static nereid_status_t step(program_t *program, nereid_graph_t *graph, int rows, int seed, int *wrong,
                            nereid_message_t *message) {
  static uint16_t host[MAX_ROWS * COLUMNS];
  nereid_status_t status = upload(program->device, program->a.address, seed, rows, INNER, message);
  if (!status)
    status = nereid_graph_launch(graph, program->stream, message);
  if (!status)
    status = nereid_stream_synchronize(program->device, program->stream, message);
  if (!status)
    status = nereid_device_download(program->device, host, program->c, (size_t)rows * COLUMNS * 2, message);
  if (!status)
    *wrong += count_wrong(host, rows, seed);
  return status;
}

/* A GPU's driver drops what graphs keep on a thread of its own; a later synchronization then releases owners. */
static nereid_status_t wait_for_release(program_t *program, nereid_message_t *message) {
  nereid_status_t status = NEREID_OK;
  for (int i = 0; !status && program->a.references && i < WAITS; ++i) {
    status = nereid_device_synchronize(program->device, message);
    if (program->a.references)
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return status;
}

static nereid_status_t serve(program_t *program, int *wrong, nereid_message_t *message) {
  static const int batches[] = {1, 64, MAX_ROWS};
  nereid_graph_t *graphs[3] = {NULL};
  nereid_status_t status = upload(program->device, program->b, 1, INNER, COLUMNS, message);
  for (size_t i = 0; !status && i < 3; ++i)
    status = capture(program, batches[i], &graphs[i], message);
  storage_release(&program->a); /* the program's reference: now the graphs keep the memory */
  for (int seed = 0; !status && seed < 2; ++seed)
    for (size_t i = 0; !status && i < 3; ++i)
      status = step(program, graphs[i], batches[i], seed, wrong, message);
  for (size_t i = 0; i < 3; ++i)
    nereid_graph_destroy(graphs[i]);
  return status ? status : wait_for_release(program, message);
}

static nereid_status_t run(nereid_device_t *device, const nereid_result_t *result, int *wrong, bool *freed,
                           nereid_message_t *message) {
  program_t program = {.device = device, .a = {device, 0, 1}};
  nereid_module_t *module = NULL;
  nereid_status_t status =
      nereid_module_load(device, nereid_result_bytes(result), nereid_result_metadata(result), &module, message);
  if (!status)
    status = nereid_module_kernel(module, NULL, &program.kernel, message);
  if (!status)
    status = nereid_stream_create(device, &program.stream, message);
  if (!status)
    status = nereid_device_allocate(device, MAX_ROWS * INNER * 2, &program.a.address, message);
  if (!status)
    status = nereid_device_allocate(device, INNER * COLUMNS * 2, &program.b, message);
  if (!status)
    status = nereid_device_allocate(device, MAX_ROWS * COLUMNS * 2, &program.c, message);
  if (!status)
    status = serve(&program, wrong, message);
  *freed = program.a.address == 0;
  nereid_device_free(device, program.b);
  nereid_device_free(device, program.c);
  nereid_stream_destroy(device, program.stream);
  nereid_module_unload(module);
  return status;
}

static nereid_status_t run_tile(nereid_compiler_t *compiler, nereid_device_t *device, tile_t tile, bool emulated,
                                int *wrong, nereid_message_t *message) {
  nereid_result_t *result = NULL;
  bool freed = false;
  int here = 0;
  nereid_status_t status = compile(compiler, tile, emulated, &result);
  if (!status)
    status = run(device, result, &here, &freed, message);
  if (!status)
    printf("tiles of %dx%d: 3 graphs, 6 steps, %d elements wrong, memory of a %s\n", tile.m, tile.n, here,
           freed ? "freed" : "kept");
  *wrong += here + !freed;
  nereid_result_destroy(result);
  return status;
}

int main(int argc, char **argv) {
  static const tile_t tiles[] = {{64, 64, 32}, {32, 128, 64}};
  const nereid_compiler_options_t session = {.size = sizeof session, .handler = print_diagnostic};
  const char *name = argc > 1 ? argv[1] : "emulator";
  const bool emulated = name[0] < '0' || name[0] > '9';
  nereid_message_t message = {""};
  nereid_compiler_t *compiler = NULL;
  nereid_device_t *device = NULL;
  int wrong = 0;
  if (nereid_device_open_named(name, &device, &message)) {
    printf("no device: %s\n", message.text);
    return NO_DEVICE;
  }
  nereid_status_t status = nereid_compiler_create(&session, &compiler);
  for (size_t i = 0; !status && i < sizeof tiles / sizeof *tiles; ++i)
    status = run_tile(compiler, device, tiles[i], emulated, &wrong, &message);
  if (status)
    fprintf(stderr, "%s: %s\n", nereid_status_string(status), message.text);
  nereid_compiler_destroy(compiler);
  nereid_device_close(device);
  return status || wrong ? 1 : 0;
}
