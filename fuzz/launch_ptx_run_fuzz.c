/* libFuzzer: the PTX emulator can run everything that it loads, for a limited number of steps. Kernels end, fail with a
 * message or reach the limit, without a sanitizer finding. The first byte selects the schedule and the checks.
 *
 *   build/fuzz/fuzz/launch_ptx_run_fuzz CORPUS fuzz/ptx -dict=fuzz/ptx.dict -max_total_time=600 */
#include "nereid/emulator.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const nereid_emulator_kernel_t *kernel, uint8_t choice) {
  static uint64_t buffer[512];
  static uint8_t parameters[1 << 15];
  nereid_emulator_memory_t *memory = NULL;
  nereid_emulator_report_t report;
  uint64_t address = 0;
  uint32_t block[3], bytes = nereid_emulator_kernel_parameter_bytes(kernel);
  if (nereid_emulator_memory_create(&memory) != NEREID_OK)
    return;
  if (nereid_emulator_memory_add(memory, buffer, sizeof buffer, 256, NULL, &address) != NEREID_OK)
    abort();
  for (size_t at = 0; at + sizeof address <= sizeof parameters; at += sizeof address)
    memcpy(parameters + at, &address, sizeof address);
  nereid_emulator_kernel_block(kernel, block);
  nereid_emulator_launch_t launch = {.grid = {2, 1, 1},
                                     .block = {48, 1, 1},
                                     .shared_bytes = 4096,
                                     .parameters = parameters,
                                     .parameter_bytes = bytes,
                                     .memory = memory,
                                     .threads = 1,
                                     .schedule = (nereid_emulator_schedule_t)(choice % 3),
                                     .landing = (nereid_emulator_landing_t)(choice / 3 % 3),
                                     .proxy =
                                         choice & 16 ? NEREID_EMULATOR_PROXY_AT_FENCE : NEREID_EMULATOR_PROXY_AT_ONCE,
                                     .steps = 500,
                                     .count = choice & 32,
                                     .racecheck = choice & 64};
  if (block[0])
    memcpy(launch.block, block, sizeof block);
  if (nereid_emulator_run(kernel, &launch, &report) != NEREID_OK && !report.message.text[0])
    abort(); /* a failure has a message */
  nereid_emulator_memory_destroy(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid_emulator_program_t *program = NULL;
  nereid_message_t message = {""};
  if (!size)
    return 0;
  if (nereid_emulator_load(nereid_view_of((const char *)data + 1, size - 1), "fuzz.ptx", &program, &message) !=
      NEREID_OK)
    return 0;
  const nereid_emulator_kernel_t *kernel = nereid_emulator_kernel(program, NULL);
  if (kernel)
    run(kernel, data[0]);
  nereid_emulator_unload(program);
  return 0;
}
