/* Compiles a kernel from its text, launches it, and compares the result with a reference computed here:
 *
 *   run_gelu examples/gelu.ttir
 *
 * Exit status: 0 the results agree; 1 they differ, or the kernel does not compile; 3 there is no GPU. */
#include "nereid/compile.h"
#include "nereid/launch.h"

#include <math.h>
#include <stdio.h>

/* COUNT is a multiple of 16, as the IR promises of n. */
enum { COUNT = 100000, BLOCK = 1024, SHOWN = 6, NO_GPU = 3 };

static void print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  fprintf(stderr, "%s:%u:%u: %s\n", diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->column,
          diagnostic->message);
}

static nereid_result_t *compile(const char *path) {
  static char text[1 << 20];
  nereid_compiler_options_t session = {.size = sizeof session, .handler = print_diagnostic};
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  if (file)
    fclose(file);
  nereid_status_t status = size ? nereid_compiler_create(&session, &compiler) : NEREID_ERROR_IO;
  if (status == NEREID_OK)
    status = nereid_compile(compiler, nereid_view_of(text, size), path, NULL, &result);
  if (status != NEREID_OK)
    fprintf(stderr, "%s: %s\n", path, nereid_status_string(status));
  nereid_compiler_destroy(compiler);
  return result;
}

/* The definition of gelu.py in double precision. */
static double reference(double x) {
  return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
}

static int compare(const float *input, const float *output) {
  double worst = 0;
  printf("%12s %12s %12s\n", "x", "gelu(x)", "reference");
  for (size_t i = 0; i < COUNT; i++) {
    double expected = reference(input[i]), error = fabs(output[i] - expected);
    if (i % (COUNT / SHOWN) == 0)
      printf("%12.6f %12.6f %12.6f\n", input[i], output[i], expected);
    worst = error > worst ? error : worst;
  }
  printf("largest error of %d elements: %.3g\n", COUNT, worst);
  return worst < 1e-5 ? 0 : 1;
}

static nereid_status_t launch(nereid_device_t *device, const nereid_kernel_t *kernel, uint64_t memory, float *input,
                              float *output, nereid_message_t *message) {
  uint64_t bytes = COUNT * sizeof(float), half = (bytes + 255) / 256 * 256;
  nereid_value_t arguments[] = {nereid_value_pointer(memory), nereid_value_pointer(memory + half),
                                nereid_value_i32(COUNT)};
  nereid_launch_t how = {.grid = {(COUNT + BLOCK - 1) / BLOCK, 1, 1}};
  nereid_status_t status = nereid_device_upload(device, memory, input, bytes, message);
  if (status == NEREID_OK)
    status = nereid_kernel_launch(kernel, &how, 3, arguments, message);
  if (status == NEREID_OK)
    status = nereid_device_synchronize(device, message);
  return status == NEREID_OK ? nereid_device_download(device, output, memory + half, bytes, message) : status;
}

static int run(nereid_device_t *device, const nereid_result_t *result) {
  static float input[COUNT], output[COUNT];
  nereid_message_t message = {""};
  nereid_module_t *module = NULL;
  const nereid_kernel_t *kernel = NULL;
  uint64_t memory = 0;
  for (size_t i = 0; i < COUNT; i++)
    input[i] = (float)i / COUNT * 8 - 4;
  nereid_status_t status =
      nereid_module_load(device, nereid_result_bytes(result), nereid_result_metadata(result), &module, &message);
  if (status == NEREID_OK)
    status = nereid_module_kernel(module, NULL, &kernel, &message);
  if (status == NEREID_OK)
    status = nereid_device_allocate(device, 2 * sizeof input + 512, &memory, &message);
  if (status == NEREID_OK)
    status = launch(device, kernel, memory, input, output, &message);
  if (status != NEREID_OK)
    fprintf(stderr, "%s: %s\n", nereid_status_string(status), message.text);
  int code = status == NEREID_OK ? compare(input, output) : 1;
  nereid_device_free(device, memory);
  nereid_module_unload(module);
  return code;
}

int main(int argc, char **argv) {
  nereid_message_t message = {""};
  nereid_device_t *device = NULL;
  nereid_result_t *result = compile(argc > 1 ? argv[1] : "examples/gelu.ttir");
  int code = result ? 0 : 1;
  if (result && nereid_device_open(0, &device, &message) != NEREID_OK) {
    printf("no GPU: %s\n", message.text);
    code = NO_GPU;
  } else if (result) {
    printf("on %s:\n", nereid_device_info(device)->name);
    code = run(device, result);
  }
  nereid_device_close(device);
  nereid_result_destroy(result);
  return code;
}
