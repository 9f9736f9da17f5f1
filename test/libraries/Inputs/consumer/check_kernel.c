/* check-kernel: a program that uses the installed package. Compiles IR to PTX, cancels a compilation, runs the PTX on
 * the emulator and the IR in the interpreter, and reads a race report. Prints a line for each. */
#include <nereid/compile.h>
#include <nereid/emulator.h>
#include <nereid/interpreter.h>
#include <nereid/launch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x[i] = -x[i] for i < n. */
static const char ir[] = "tt.func public @negate(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {\n"
                         "  %c128 = arith.constant 128 : i32\n"
                         "  %zero = arith.constant dense<0.0> : tensor<128xf32>\n"
                         "  %pid = tt.get_program_id x : i32\n"
                         "  %first = arith.muli %pid, %c128 : i32\n"
                         "  %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>\n"
                         "  %base = tt.splat %first : i32 -> tensor<128xi32>\n"
                         "  %i = arith.addi %base, %range : tensor<128xi32>\n"
                         "  %limit = tt.splat %n : i32 -> tensor<128xi32>\n"
                         "  %mask = arith.cmpi slt, %i, %limit : tensor<128xi32>\n"
                         "  %p = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
                         "  %at = tt.addptr %p, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
                         "  %v = tt.load %at, %mask : tensor<128x!tt.ptr<f32>>\n"
                         "  %w = arith.subf %zero, %v : tensor<128xf32>\n"
                         "  tt.store %at, %w, %mask : tensor<128x!tt.ptr<f32>>\n"
                         "  tt.return\n"
                         "}\n";

/* Each program stores its id to the same word: programs are not ordered. */
static const char racy_ir[] = "tt.func public @last(%x: !tt.ptr<i32>) {\n"
                              "  %pid = tt.get_program_id x : i32\n"
                              "  tt.store %x, %pid : !tt.ptr<i32>\n"
                              "  tt.return\n"
                              "}\n";

enum { COUNT = 300 };

static nereid_message_t message;

static void check(nereid_status_t status, const char *what) {
  if (!status)
    return;
  fprintf(stderr, "%s: %s %s\n", what, nereid_status_string(status), message.text);
  exit(1);
}

static void say(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  fprintf(stderr, "%u:%u: %s\n", diagnostic->line, diagnostic->column, diagnostic->message);
}

static void stop_at_ptx(void *user_data, const nereid_progress_t *progress) {
  if (strcmp(progress->stage, "ptx") == 0)
    nereid_cancellation_request(user_data);
}

static nereid_result_t *compile(nereid_compiler_t *compiler, const char *text) {
  nereid_compile_options_t options = {
      .size = sizeof options, .target = "sm_80", .emit = NEREID_STAGE_PTX, .lineinfo = true};
  nereid_result_t *result = NULL;
  check(nereid_compile(compiler, nereid_view(text), "kernel.ttir", &options, &result), "compiling");
  return result;
}

static void cancel(nereid_compiler_t *compiler) {
  nereid_cancellation_t *cancellation = NULL;
  nereid_result_t *result = NULL;
  check(nereid_cancellation_create(&cancellation), "a cancellation");
  nereid_compile_options_t options = {.size = sizeof options,
                                      .emit = NEREID_STAGE_PTX,
                                      .cancellation = cancellation,
                                      .progress = stop_at_ptx,
                                      .progress_data = cancellation};
  nereid_status_t status = nereid_compile(compiler, nereid_view(ir), "kernel.ttir", &options, &result);
  printf("cancelled: %s\n", status == NEREID_ERROR_CANCELLED && !result ? "yes" : "no");
  nereid_cancellation_destroy(cancellation);
}

static const nereid_kernel_t *load(nereid_device_t *device, const nereid_result_t *result, nereid_module_t **module) {
  const nereid_kernel_t *kernel = NULL;
  check(nereid_module_load(device, nereid_result_bytes(result), nereid_result_metadata(result), module, &message),
        "loading");
  check(nereid_module_kernel(*module, NULL, &kernel, &message), "the kernel");
  return kernel;
}

static void run_on_emulator(nereid_device_t *device, const nereid_result_t *result, float *x) {
  nereid_module_t *module;
  uint64_t address;
  const nereid_kernel_t *kernel = load(device, result, &module);
  check(nereid_device_allocate(device, COUNT * sizeof *x, &address, &message), "allocating");
  check(nereid_device_upload(device, address, x, COUNT * sizeof *x, &message), "copying");
  nereid_value_t arguments[] = {nereid_value_pointer_to(NEREID_ELEMENT_F32, address), nereid_value_i32(COUNT)};
  const nereid_launch_t launch = {.grid = {3, 1, 1}};
  check(nereid_kernel_launch(kernel, &launch, 2, arguments, &message), "launching");
  check(nereid_device_download(device, x, address, COUNT * sizeof *x, &message), "copying back");
  arguments[1] = nereid_value_i32(COUNT + 1);
  if (nereid_kernel_launch(kernel, &launch, 2, arguments, &message) == NEREID_ERROR_DEVICE)
    printf("fault: %s\n", message.text);
  nereid_module_unload(module);
}

static void run_in_interpreter(nereid_compiler_t *compiler, float *x) {
  const uint32_t grid[3] = {3, 1, 1};
  const nereid_interpreter_argument_t arguments[] = {
      {.kind = NEREID_INTERPRETER_BUFFER, .memory = x, .size = COUNT * sizeof *x, .alignment = 16, .name = "x"},
      {.kind = NEREID_INTERPRETER_BITS, .bits = COUNT, .name = "n"}};
  check(nereid_interpreter_run_text(compiler, nereid_view(ir), "kernel.ttir", NULL, grid, 2, arguments, NULL, &message),
        "interpreting");
}

static void print_race(void *user_data, const nereid_emulator_race_t *race) {
  (void)user_data;
  printf("race: %s memory, %u bytes, CTAs %u and %u, source lines %u and %u\n", race->space, race->bytes,
         race->earlier.cta[0], race->later.cta[0], race->earlier.source_line, race->later.source_line);
}

static void find_race(const nereid_result_t *result) {
  const nereid_emulator_device_options_t options = {.size = sizeof options, .racecheck = true, .race = print_race};
  nereid_emulator_report_t report;
  nereid_device_t *device;
  nereid_module_t *module;
  uint64_t address;
  check(nereid_device_open_emulator(&options, &device, &message), "opening");
  const nereid_kernel_t *kernel = load(device, result, &module);
  check(nereid_device_allocate(device, 4, &address, &message), "allocating");
  const nereid_value_t argument = nereid_value_pointer(address);
  check(nereid_kernel_launch(kernel, &(nereid_launch_t){.grid = {2, 1, 1}}, 1, &argument, &message), "launching");
  check(nereid_emulator_device_report(device, &report, &message), "the report");
  printf("races: %llu\n", (unsigned long long)report.races);
  nereid_module_unload(module);
  nereid_device_close(device);
}

int main(void) {
  const nereid_compiler_options_t options = {.size = sizeof options, .handler = say};
  nereid_compiler_t *compiler;
  nereid_device_t *device;
  float x[COUNT];
  int wrong = 0;
  for (int i = 0; i < COUNT; ++i)
    x[i] = (float)i;
  check(nereid_compiler_create(&options, &compiler), "a compiler");
  cancel(compiler);
  nereid_result_t *result = compile(compiler, ir), *racy = compile(compiler, racy_ir);
  check(nereid_device_open_named("emulator", &device, &message), "opening");
  run_on_emulator(device, result, x); /* negates, the interpreter negates again */
  run_in_interpreter(compiler, x);
  for (int i = 0; i < COUNT; ++i)
    wrong += x[i] != (float)i;
  printf("wrong: %d\n", wrong);
  find_race(racy);
  nereid_device_close(device);
  nereid_result_destroy(result);
  nereid_result_destroy(racy);
  nereid_compiler_destroy(compiler);
  return wrong != 0;
}
