/* Runs a few instructions on one thread: sources a, b, c are in %r1 %r2 %r3, %d1.., %h1.. (their low bits); the result
 * is in %r0, %d0 or %h0. Static functions, for the tests of this folder. */
#ifndef NEREID_TEST_EMULATE_H
#define NEREID_TEST_EMULATE_H

#include "nereid/emulator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Runs kernel t with the data's address as its parameter; `launch` has the other options. */
static nereid_status_t emulate_launch(const char *text, void *data, size_t bytes, nereid_emulator_launch_t launch,
                                      nereid_emulator_report_t *report) {
  nereid_emulator_program_t *program = NULL;
  nereid_emulator_memory_t *memory = NULL;
  uint64_t address = 0;
  *report = (nereid_emulator_report_t){0};
  nereid_status_t status = nereid_emulator_load(nereid_view(text), "t.ptx", &program, &report->message);
  if (status)
    return status;
  assert_int_equal(nereid_emulator_memory_create(&memory), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(memory, data, bytes, 128, "data", &address), NEREID_OK);
  launch.parameters = &address;
  launch.parameter_bytes = 8;
  launch.memory = memory;
  launch.count = true;
  status = nereid_emulator_run(nereid_emulator_kernel(program, "t"), &launch, report);
  nereid_emulator_memory_destroy(memory);
  nereid_emulator_unload(program);
  return status;
}

static inline nereid_status_t emulate_text(const char *text, uint64_t *data, size_t bytes, uint32_t threads,
                                           nereid_emulator_schedule_t schedule, nereid_emulator_report_t *report) {
  nereid_emulator_launch_t launch = {
      .grid = {1, 1, 1}, .block = {threads, 1, 1}, .shared_bytes = 1024, .schedule = schedule, .seed = 7};
  return emulate_launch(text, data, bytes, launch, report);
}

/* A kernel around `body`; %d9 is the address of the data. */
static const char *emulate_kernel(const char *body) {
  static char text[16384];
  snprintf(text, sizeof text,
           ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 smem[];\n"
           ".visible .entry t(.param .u64 t_0)\n{\n.reg .pred %%p<8>;\n.reg .b16 %%h<10>;\n.reg .b32 %%r<20>;\n"
           ".reg .b64 %%d<10>;\nld.param.b64 %%d9, [t_0];\n%s\nret;\n}\n",
           body);
  return text;
}

static inline uint64_t emulate(char kind, const char *instructions, uint64_t a, uint64_t b, uint64_t c) {
  char body[8192];
  uint64_t data[4] = {a, b, c, 0};
  nereid_emulator_report_t report;
  snprintf(
      body, sizeof body,
      "ld.global.b64 %%d1, [%%d9]; ld.global.b64 %%d2, [%%d9+8]; ld.global.b64 %%d3, [%%d9+16];\n"
      "cvt.u32.u64 %%r1, %%d1; cvt.u32.u64 %%r2, %%d2; cvt.u32.u64 %%r3, %%d3;\n"
      "cvt.u16.u64 %%h1, %%d1; cvt.u16.u64 %%h2, %%d2; cvt.u16.u64 %%h3, %%d3;\n%s\nst.global.%s [%%d9+24], %%%c0;",
      instructions,
      kind == 'd'   ? "b64"
      : kind == 'r' ? "b32"
                    : "b16",
      kind);
  if (emulate_text(emulate_kernel(body), data, sizeof data, 1, NEREID_EMULATOR_ROUND_ROBIN, &report))
    fail_msg("%s", report.message.text);
  return data[3];
}

#define R(text, a, b, c) ((uint32_t)emulate('r', text, a, b, c))
#define D(text, a, b, c) emulate('d', text, a, b, c)
#define H(text, a, b, c) ((uint16_t)emulate('h', text, a, b, c))

#endif
