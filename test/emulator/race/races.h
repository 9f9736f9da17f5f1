/* Runs small kernels under the race detector, for the tests of this folder: `races(n_threads, body)` lists the reports,
 * "race 3 5" for the lines of a pair, counted from the body's first. %r70 is the thread, MINE its word of shared
 * memory, OTHER that of the adjacent warp, NEXT that of the adjacent lane. */
#ifndef NEREID_TEST_RACES_H
#define NEREID_TEST_RACES_H

#include "test/emulator/emulate.h"

#include <string.h>

#define MINE "%r71"
#define OTHER "%r72"
#define NEXT "%r73"

static char races_text[2048];

static void races_note(void *user_data, const nereid_emulator_race_t *race) {
  static const char *const kinds[] = {"race", "proxy", "wgmma-reg", "tensor-map"};
  size_t used = strlen(races_text);
  unsigned earlier = race->earlier.line, later = race->later.line;
  char text[64];
  (void)user_data;
  snprintf(text, sizeof text, "%s %u %u", kinds[race->kind], earlier - 15, later - 15);
  if (strstr(races_text, text)) /* of another instruction of the line */
    return;
  snprintf(races_text + used, sizeof races_text - used, "%s%s", used ? ", " : "", text);
}

static const char *races_of_cluster(const char *body, uint32_t threads, uint32_t ctas, uint32_t cluster) {
  static char text[16384];
  static uint64_t data[1 << 12];
  nereid_emulator_program_t *program = NULL;
  nereid_emulator_memory_t *memory = NULL;
  nereid_emulator_report_t report = {0};
  uint64_t address = 0;
  races_text[0] = 0;
  memset(data, 0, sizeof data);
  snprintf(text, sizeof text,
           ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
           ".visible .entry t(.param .u64 t_0)\n{\n.reg .pred %%p<8>;\n.reg .b16 %%h<10>;\n.reg .b32 %%r<80>;\n"
           ".reg .b64 %%d<10>;\nld.param.b64 %%d9, [t_0];\n"
           "mov.u32 %%r70, %%tid.x; mov.u32 %%r0, smem; mad.lo.u32 %%r71, %%r70, 4, %%r0;\n"
           "xor.b32 %%r1, %%r70, 32; mad.lo.u32 %%r72, %%r1, 4, %%r0; xor.b32 %%r1, %%r70, 1;\n"
           "mad.lo.u32 %%r73, %%r1, 4, %%r0; setp.eq.u32 %%p0, %%r70, 0; setp.lt.u32 %%p1, %%r70, 32;\n\n%s\nret;\n}\n",
           body);
  if (nereid_emulator_load(nereid_view(text), "t.ptx", &program, &report.message))
    fail_msg("%s", report.message.text);
  assert_int_equal(nereid_emulator_memory_create(&memory), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, data, sizeof data, 128, "data", &address), NEREID_OK);
  nereid_emulator_launch_t launch = {.grid = {ctas, 1, 1},
                                     .cluster = {cluster, 1, 1},
                                     .block = {threads, 1, 1},
                                     .shared_bytes = 1 << 16,
                                     .parameters = &address,
                                     .parameter_bytes = 8,
                                     .memory = memory,
                                     .racecheck = true,
                                     .race = races_note};
  if (nereid_emulator_run(nereid_emulator_kernel(program, "t"), &launch, &report))
    fail_msg("%s", report.message.text);
  nereid_emulator_memory_destroy(memory);
  nereid_emulator_unload(program);
  return races_text;
}

static inline const char *races_of(const char *body, uint32_t threads, uint32_t ctas) {
  return races_of_cluster(body, threads, ctas, 1);
}

#define RACES(threads, body, expected) assert_string_equal(races_of(body, threads, 1), expected)
#define RACES_OF_CTAS(ctas, threads, body, expected) assert_string_equal(races_of(body, threads, ctas), expected)

#endif
