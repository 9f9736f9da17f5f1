/* Matrix multiplication with descriptors that the program encodes, and a kernel that is kept in a store.
 *
 *   matmul_store MATMUL.ttir FOLDER [emulator | GPU]
 *
 * The first run compiles the kernel and puts it into the store in FOLDER; a later one, also of another process, loads
 * it from there without a compiler session. The descriptors are maps of a cache: each is encoded once, although every
 * launch requests it. Exit status: 0 all results are right; 1 some are not, or a call failed; 3 there is no such
 * device. */
#include "base/file.h"
#include "base/float.h"
#include "nereid/compile.h"
#include "nereid/constants.h"
#include "nereid/launch.h"
#include "nereid/store.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ROWS = 200, INNER = 96, COLUMNS = 120, LAUNCHES = 3, NO_DEVICE = 3 };

static void print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  fprintf(stderr, "%s:%u:%u: %s\n", diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->column,
          diagnostic->message);
}

/* --- the kernel --- */

/* What the kernel depends on. The emulator runs PTX. */
typedef struct source {
  nereid_view_t text;
  nereid_stage_t emit;
  const char *options; /* all that is not the default */
} source_t;

static nereid_status_t compile(const source_t *source, nereid_result_t **out_result) {
  const nereid_compiler_options_t session = {.size = sizeof session, .handler = print_diagnostic};
  const nereid_compile_options_t options = {
      .size = sizeof options, .target = "sm_90a", .emit = source->emit, .grid = "auto"};
  nereid_compiler_t *compiler = NULL;
  nereid_status_t status = nereid_compiler_create(&session, &compiler);
  if (!status)
    status = nereid_compile(compiler, source->text, "matmul.ttir", &options, out_result);
  nereid_compiler_destroy(compiler);
  return status;
}

/* Compiles, stores and loads. A store that cannot be written costs time only. */
static nereid_status_t compile_and_put(nereid_store_t *store, const nereid_store_key_t *key, const source_t *source,
                                       nereid_device_t *device, nereid_module_t **out_module,
                                       nereid_message_t *message) {
  nereid_result_t *result = NULL;
  nereid_status_t status = compile(source, &result);
  if (!status) {
    const nereid_store_content_t content = {.image = nereid_result_bytes(result),
                                            .metadata = nereid_result_metadata(result)};
    if (nereid_store_put(store, key, &content, message))
      fprintf(stderr, "not stored: %s\n", message->text);
    status = nereid_module_load(device, content.image, content.metadata, out_module, message);
  }
  nereid_result_destroy(result);
  return status;
}

/* Loads the kernel from the store, else compiles it. */
static nereid_status_t load(nereid_store_t *store, const source_t *source, nereid_device_t *device,
                            nereid_module_t **out_module, nereid_message_t *message) {
  const nereid_store_recipe_t recipe = {.size = sizeof recipe,
                                        .input = source->text,
                                        .options = source->options,
                                        .architecture = "sm_90a",
                                        .compiler = nereid_compiler_version()};
  nereid_store_key_t key;
  nereid_store_unit_t *unit = NULL;
  nereid_store_claim_t *claim = NULL;
  nereid_status_t status = nereid_store_key_make(&recipe, &key);
  if (status)
    return status;
  status = nereid_store_claim(store, &key, 0, NULL, &unit, &claim, message);
  if (!status) {
    const nereid_store_content_t content = nereid_store_unit_content(unit);
    status = nereid_module_load(device, content.image, content.metadata, out_module, message);
    puts("kernel: from the store");
  } else if (status == NEREID_ERROR_NOT_FOUND) {
    status = compile_and_put(store, &key, source, device, out_module, message);
    puts("kernel: compiled");
  }
  nereid_store_claim_release(claim);
  nereid_store_unit_destroy(unit);
  return status;
}

/* --- launches --- */

typedef struct program {
  nereid_device_t *device;
  const nereid_kernel_t *kernel;
  nereid_tma_cache_t *maps;
  uint64_t a, b, c;
} program_t;

static int element(int seed, int i, int k) {
  return (i * 7 + k * 3 + seed) % 5 - 2;
}

static nereid_status_t upload(nereid_device_t *device, uint64_t address, int seed, int rows, int columns,
                              nereid_message_t *message) {
  static uint16_t host[MAX_ROWS * COLUMNS];
  for (int i = 0; i < rows * columns; ++i)
    host[i] = nereid_float_to_f16(element(seed, i / columns, i % columns), NEREID_FLOAT_NEAREST);
  return nereid_device_upload(device, address, host, (size_t)rows * (size_t)columns * sizeof *host, message);
}

static nereid_status_t count_wrong(program_t *program, int rows, int *wrong, nereid_message_t *message) {
  static uint16_t c[MAX_ROWS * COLUMNS];
  nereid_status_t status =
      nereid_device_download(program->device, c, program->c, (size_t)rows * COLUMNS * sizeof *c, message);
  for (int i = 0; !status && i < rows; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      int expected = 0;
      for (int k = 0; k < INNER; ++k)
        expected += element(1, i, k) * element(2, k, j);
      *wrong += nereid_float_from_f16(c[i * COLUMNS + j]) != (float)expected;
    }
  return status;
}

/* Adds a matrix to the arguments: its descriptor for the tile and swizzle of the kernel's parameter at this position,
 * then its shape and strides, which are parameters of the kernel. */
static nereid_status_t add_matrix(program_t *program, uint64_t address, int rows, int columns,
                                  nereid_value_t *arguments, size_t *n, nereid_tma_reference_t *out_map,
                                  nereid_message_t *message) {
  const nereid_parameter_t *parameter = &nereid_kernel_metadata(program->kernel)->parameters[*n];
  const nereid_tensor_t tensor = {
      .address = address, .element = parameter->element, .rank = 2, .shape = {(uint64_t)rows, (uint64_t)columns}};
  nereid_tma_tile_t tile = {.rank = (uint32_t)parameter->rank, .swizzle = parameter->swizzle};
  nereid_tma_request_t request;
  memcpy(tile.block, parameter->block, sizeof tile.block);
  nereid_status_t status = nereid_tma_request_of_tile(&tensor, &tile, &request, message);
  if (!status)
    status = nereid_tma_cache_get(program->maps, &request, NULL, out_map, message);
  if (status)
    return status;
  arguments[(*n)++] = nereid_value_descriptor(out_map->descriptor);
  arguments[(*n)++] = nereid_value_i32(rows);
  arguments[(*n)++] = nereid_value_i32(columns);
  arguments[(*n)++] = nereid_value_i64(columns);
  arguments[(*n)++] = nereid_value_i64(1);
  return NEREID_OK;
}

static nereid_status_t launch(program_t *program, int rows, nereid_message_t *message) {
  nereid_value_t arguments[15];
  nereid_tma_reference_t maps[3] = {{NULL}};
  size_t n = 0;
  nereid_status_t status = add_matrix(program, program->a, rows, INNER, arguments, &n, &maps[0], message);
  if (!status)
    status = add_matrix(program, program->b, INNER, COLUMNS, arguments, &n, &maps[1], message);
  if (!status)
    status = add_matrix(program, program->c, rows, COLUMNS, arguments, &n, &maps[2], message);
  if (!status)
    status = nereid_kernel_launch(program->kernel, NULL, n, arguments, message);
  for (size_t i = 0; i < 3; ++i)
    nereid_tma_reference_release(&maps[i]); /* the launch has copied the descriptors */
  return status;
}

static nereid_status_t multiply(program_t *program, int rows, int *wrong, nereid_message_t *message) {
  nereid_status_t status = upload(program->device, program->a, 1, rows, INNER, message);
  for (int i = 0; !status && i < LAUNCHES; ++i)
    status = launch(program, rows, message);
  if (!status)
    status = nereid_device_synchronize(program->device, message);
  if (!status)
    status = count_wrong(program, rows, wrong, message);
  if (!status)
    printf("%d rows: %d elements wrong\n", rows, *wrong);
  return status;
}

static nereid_status_t run(program_t *program, bool emulated, int *wrong, nereid_message_t *message) {
  static const int rows[] = {1, 64, MAX_ROWS};
  nereid_status_t status =
      nereid_tma_cache_create(emulated ? NEREID_TMA_EMULATOR : NEREID_TMA_DRIVER, program->device, 0, &program->maps);
  if (!status)
    status = nereid_device_allocate(program->device, MAX_ROWS * INNER * 2, &program->a, message);
  if (!status)
    status = nereid_device_allocate(program->device, INNER * COLUMNS * 2, &program->b, message);
  if (!status)
    status = nereid_device_allocate(program->device, MAX_ROWS * COLUMNS * 2, &program->c, message);
  if (!status)
    status = upload(program->device, program->b, 2, INNER, COLUMNS, message);
  for (size_t i = 0; !status && i < sizeof rows / sizeof *rows; ++i)
    status = multiply(program, rows[i], wrong, message);
  nereid_device_free(program->device, program->a);
  nereid_device_free(program->device, program->b);
  nereid_device_free(program->device, program->c);
  nereid_tma_cache_destroy(program->maps);
  return status;
}

/* Reads the kernel's text and sets its constants. */
static nereid_status_t read_source(nereid_arena_t *arena, const char *path, bool emulated, source_t *out_source,
                                   nereid_message_t *message) {
  static const nereid_constant_t constants[] = {{"M", "64"}, {"N", "64"}, {"K", "32"}};
  nereid_view_t text;
  out_source->emit = emulated ? NEREID_STAGE_PTX : NEREID_STAGE_CUBIN;
  out_source->options = emulated ? "emit=ptx grid=auto" : "emit=cubin grid=auto";
  nereid_status_t status = nereid_file_read(arena, path, &text, message);
  return status ? status : nereid_constants_substitute(arena, text, 3, constants, &out_source->text, NULL, message);
}

int main(int argc, char **argv) {
  const char *name = argc > 3 ? argv[3] : "emulator";
  const bool emulated = name[0] < '0' || name[0] > '9';
  nereid_message_t message = {""};
  program_t program = {NULL};
  nereid_module_t *module = NULL;
  nereid_store_t *store = NULL;
  source_t source;
  nereid_arena_t arena;
  int wrong = 0;
  if (argc < 3) {
    fputs("usage: matmul_store MATMUL.ttir FOLDER [emulator | GPU]\n", stderr);
    return 1;
  }
  if (nereid_device_open_named(name, &program.device, &message)) {
    printf("no device: %s\n", message.text);
    return NO_DEVICE;
  }
  const nereid_store_options_t where = {.size = sizeof where, .folder = argv[2]};
  nereid_arena_initialize(&arena);
  nereid_status_t status = read_source(&arena, argv[1], emulated, &source, &message);
  if (!status)
    status = nereid_store_open(&where, &store, &message);
  if (!status)
    status = load(store, &source, program.device, &module, &message);
  if (!status)
    status = nereid_module_kernel(module, NULL, &program.kernel, &message);
  if (!status)
    status = run(&program, emulated, &wrong, &message);
  if (status)
    fprintf(stderr, "%s: %s\n", nereid_status_string(status), message.text);
  nereid_module_unload(module);
  nereid_store_close(store);
  nereid_device_close(program.device);
  nereid_arena_deinitialize(&arena);
  return status || wrong ? 1 : 0;
}
