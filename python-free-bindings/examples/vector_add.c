/* Builds a kernel in the tt dialect from C, without text, compiles it and runs it:
 *
 *   tt.func public @vector_add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32)
 *
 *   vector_add         compile and run; exit status 0: the sums are correct, 1: an error occurred, 3: there is no GPU
 *   vector_add --ir    print the kernel as text, which `nereid compile` accepts
 *
 * Program i adds elements 1024 i to 1024 i + 1023 of x and y that are below n. */
#include "nereid/compile.h"
#include "nereid/context.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/launch.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1024, COUNT = 100003, NO_GPU = 3 };

/* --- building --- */

/* The types of the kernel's values. */
typedef struct types {
  MlirType i32, pointer, offsets;
} types_t;

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static MlirType block_of(MlirType element) {
  int64_t shape = BLOCK;
  return mlirRankedTensorTypeGet(1, &shape, element, mlirAttributeGetNull());
}

static MlirType pointers(const types_t *types) {
  return block_of(types->pointer);
}

/* {tt.divisibility = 16 : i32}: the caller promises that an argument is a multiple of 16. */
static MlirAttribute divisible_by_16(MlirContext context, const types_t *types) {
  MlirNamedAttribute divisibility =
      mlirNamedAttributeGet(mlirIdentifierGet(context, text("tt.divisibility")), mlirIntegerAttrGet(types->i32, 16));
  return mlirDictionaryAttrGet(context, 1, &divisibility);
}

/* Computes the addresses base + offsets. */
static MlirValue addresses(nereid_builder_t *b, const types_t *types, MlirValue base, MlirValue offsets) {
  MlirOperation splat = nereid_tt_splat_build(b, pointers(types), base);
  return nereid_tt_addptr_get_result(nereid_tt_addptr_build(b, nereid_tt_splat_get_result(splat), offsets));
}

static MlirValue load(nereid_builder_t *b, MlirValue from, MlirValue mask) {
  MlirValue none = {NULL};
  MlirAttribute no_padding = {NULL};
  return nereid_tt_load_get_result(nereid_tt_load_build(b, from, mask, none, 0, NULL, no_padding,
                                                        NEREID_TT_CACHE_MODIFIER_NONE, NEREID_TT_EVICTION_POLICY_NORMAL,
                                                        false));
}

/* Computes program_id * BLOCK + [0, BLOCK). */
static MlirValue element_numbers(nereid_builder_t *b, const types_t *types) {
  MlirValue id = nereid_tt_get_program_id_get_result(nereid_tt_get_program_id_build(b, NEREID_TT_PROGRAM_ID_DIM_X));
  MlirOperation size = nereid_arith_constant_build(b, mlirIntegerAttrGet(types->i32, BLOCK));
  MlirOperation first =
      nereid_arith_muli_build(b, id, nereid_arith_constant_get_result(size), NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE);
  MlirOperation start = nereid_tt_splat_build(b, types->offsets, nereid_arith_muli_get_result(first));
  MlirOperation range = nereid_tt_make_range_build(b, types->offsets, 0, BLOCK);
  return nereid_arith_addi_get_result(nereid_arith_addi_build(b, nereid_tt_splat_get_result(start),
                                                              nereid_tt_make_range_get_result(range),
                                                              NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

static void build_body(nereid_builder_t *b, const types_t *types) {
  MlirValue x = mlirBlockGetArgument(b->block, 0), y = mlirBlockGetArgument(b->block, 1);
  MlirValue out = mlirBlockGetArgument(b->block, 2), n = mlirBlockGetArgument(b->block, 3);
  MlirValue offsets = element_numbers(b, types);
  MlirOperation limit = nereid_tt_splat_build(b, types->offsets, n);
  MlirOperation below =
      nereid_arith_cmpi_build(b, offsets, nereid_tt_splat_get_result(limit), NEREID_ARITH_CMP_I_PREDICATE_SLT);
  MlirValue mask = nereid_arith_cmpi_get_result(below);
  MlirValue left = load(b, addresses(b, types, x, offsets), mask);
  MlirValue right = load(b, addresses(b, types, y, offsets), mask);
  MlirOperation sum = nereid_arith_addf_build(b, left, right, NEREID_ARITH_FAST_MATH_FLAGS_NONE);
  nereid_tt_store_build(b, addresses(b, types, out, offsets), nereid_arith_addf_get_result(sum), mask, 0, NULL,
                        NEREID_TT_CACHE_MODIFIER_NONE, NEREID_TT_EVICTION_POLICY_NORMAL);
  nereid_tt_return_build(b, 0, NULL);
}

static MlirModule build(MlirContext context) {
  MlirLocation location = mlirLocationFileLineColGet(context, text("vector_add.c"), 1, 1);
  MlirModule module = mlirModuleCreateEmpty(location);
  nereid_builder_t b = nereid_builder_at_end(location, mlirModuleGetBody(module));
  types_t types = {.i32 = mlirIntegerTypeGet(context, 32),
                   .pointer = nereid_tt_ptr_type_create(context, mlirF32TypeGet(context), 1)};
  types.offsets = block_of(types.i32);

  MlirType inputs[] = {types.pointer, types.pointer, types.pointer, types.i32};
  MlirAttribute promises[4], nothing = {NULL};
  for (int i = 0; i < 4; i++)
    promises[i] = divisible_by_16(context, &types);
  MlirType type = mlirFunctionTypeGet(context, 4, inputs, 0, NULL);
  MlirOperation function =
      nereid_tt_func_build(&b, text("vector_add"), mlirTypeAttrGet(type), mlirStringAttrGet(context, text("public")),
                           mlirArrayAttrGet(context, 4, promises), nothing);

  MlirLocation locations[] = {location, location, location, location};
  b.block = mlirBlockCreate(4, inputs, locations);
  mlirRegionAppendOwnedBlock(nereid_tt_func_get_body(function), b.block);
  build_body(&b, &types);
  return module;
}

/* --- compiling --- */

typedef struct bytes {
  char *data;
  size_t size;
} bytes_t;

static void append(MlirStringRef part, void *data) {
  bytes_t *bytes = data;
  char *longer = realloc(bytes->data, bytes->size + part.length + 1);
  if (!longer)
    abort();
  memcpy(longer + bytes->size, part.data, part.length);
  bytes->data = longer;
  bytes->size += part.length;
}

static void print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  fprintf(stderr, "%s:%u:%u: %s\n", diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->column,
          diagnostic->message);
}

/* Compiles to a cubin, or on a machine without an assembler to PTX, which the driver assembles. */
static nereid_result_t *compile(MlirModule module) {
  nereid_compiler_options_t session = {.size = sizeof session, .handler = print_diagnostic};
  nereid_compile_options_t options = {.size = sizeof options, .target = "sm_90a", .emit = NEREID_STAGE_CUBIN};
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  bytes_t bytecode = {NULL, 0};
  mlirOperationWriteBytecode(mlirModuleGetOperation(module), append, &bytecode);
  nereid_view_t input = nereid_view_of(bytecode.data, bytecode.size);
  nereid_status_t status = nereid_compiler_create(&session, &compiler);
  if (status == NEREID_OK)
    status = nereid_compile(compiler, input, "vector_add", &options, &result);
  if (status == NEREID_ERROR_NOT_FOUND) {
    options.emit = NEREID_STAGE_PTX;
    status = nereid_compile(compiler, input, "vector_add", &options, &result);
  }
  if (status != NEREID_OK)
    fprintf(stderr, "vector_add: %s\n", nereid_status_string(status));
  nereid_compiler_destroy(compiler);
  free(bytecode.data);
  return result;
}

/* --- running --- */

static nereid_status_t add(nereid_device_t *device, const nereid_kernel_t *kernel, uint64_t memory, const float *x,
                           const float *y, float *out, nereid_message_t *message) {
  uint64_t bytes = COUNT * sizeof *x, part = (bytes + 255) / 256 * 256;
  nereid_value_t arguments[] = {nereid_value_pointer(memory), nereid_value_pointer(memory + part),
                                nereid_value_pointer(memory + 2 * part), nereid_value_i32(COUNT)};
  nereid_launch_t launch = {.grid = {(COUNT + BLOCK - 1) / BLOCK, 1, 1}};
  nereid_status_t status = nereid_device_upload(device, memory, x, bytes, message);
  if (status == NEREID_OK)
    status = nereid_device_upload(device, memory + part, y, bytes, message);
  if (status == NEREID_OK)
    status = nereid_kernel_launch(kernel, &launch, 4, arguments, message);
  if (status == NEREID_OK)
    status = nereid_device_synchronize(device, message);
  return status == NEREID_OK ? nereid_device_download(device, out, memory + 2 * part, bytes, message) : status;
}

static int compare(const float *x, const float *y, const float *out) {
  int wrong = 0;
  for (int i = 0; i < COUNT; i++)
    wrong += out[i] != x[i] + y[i];
  printf("%d sums, %d wrong\n", COUNT, wrong);
  return wrong != 0;
}

static int run(nereid_device_t *device, const nereid_result_t *result) {
  static float x[COUNT], y[COUNT], out[COUNT];
  nereid_message_t message = {""};
  nereid_module_t *module = NULL;
  const nereid_kernel_t *kernel = NULL;
  uint64_t memory = 0;
  for (int i = 0; i < COUNT; i++) {
    x[i] = (float)i;
    y[i] = (float)(i % 7);
  }
  nereid_status_t status =
      nereid_module_load(device, nereid_result_bytes(result), nereid_result_metadata(result), &module, &message);
  if (status == NEREID_OK)
    status = nereid_module_kernel(module, NULL, &kernel, &message);
  if (status == NEREID_OK)
    status = nereid_device_allocate(device, 3 * (sizeof x + 256), &memory, &message);
  if (status == NEREID_OK)
    status = add(device, kernel, memory, x, y, out, &message);
  if (status != NEREID_OK)
    fprintf(stderr, "%s: %s\n", nereid_status_string(status), message.text);
  int code = status == NEREID_OK ? compare(x, y, out) : 1;
  nereid_device_free(device, memory);
  nereid_module_unload(module);
  return code;
}

static int compile_and_run(MlirModule module) {
  nereid_message_t message = {""};
  nereid_device_t *device = NULL;
  nereid_result_t *result = compile(module);
  int code = result ? 0 : 1;
  if (result)
    printf("%s: %zu bytes of %s\n", nereid_result_kernel(result), nereid_result_bytes(result).size,
           nereid_stage_name(nereid_result_stage(result)));
  if (result && nereid_device_open(0, &device, &message) != NEREID_OK) {
    printf("no GPU: %s\n", message.text);
    code = NO_GPU;
  } else if (result) {
    code = run(device, result);
  }
  nereid_device_close(device);
  nereid_result_destroy(result);
  return code;
}

static void print(MlirStringRef part, void *file) {
  fwrite(part.data, 1, part.length, file);
}

int main(int argc, char **argv) {
  MlirContext context = nereid_context_create();
  MlirModule module = build(context);
  int code = mlirOperationVerify(mlirModuleGetOperation(module)) ? 0 : 1;
  if (code == 0 && argc > 1 && strcmp(argv[1], "--ir") == 0)
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  else if (code == 0)
    code = compile_and_run(module);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return code;
}
