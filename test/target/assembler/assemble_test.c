/* PTX to cubin with the installed assembler; diagnostics name a missing one, and errors are located. */
#include "target/assembler/assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char good[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [p];\n"
                           "  st.global.u64 [%rd1], %rd1;\n  ret;\n}\n";
static const char bad[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k()\n{\n  mov.b32 %r1, 0;\n  ret;\n}\n";

typedef struct said {
  char text[4096];
  unsigned line, errors;
} said_t;

static void keep(void *user_data, nereid_report_level_t level, const char *file, unsigned line, unsigned column,
                 const char *message) {
  said_t *said = user_data;
  (void)file, (void)column;
  if (level != NEREID_REPORT_ERROR)
    return;
  said->errors++;
  said->line = line;
  snprintf(said->text, sizeof said->text, "%s", message);
}

static nereid_status_t assemble(const char *ptx, nereid_assembler_t assembler, const char *program,
                                const char *arguments, said_t *said, nereid_assembled_t *out) {
  nereid_report_t report = {keep, said};
  nereid_arena_t arena;
  nereid_assemble_options_t options = {.assembler = assembler, .ptxas = program, .arguments = arguments};
  *said = (said_t){.errors = 0};
  assert_int_equal(nereid_target_parse(nereid_view("sm_80"), NULL, &options.target), NEREID_OK);
  nereid_arena_initialize(&arena);
  nereid_status_t status = nereid_assemble(nereid_view(ptx), &options, &report, &arena, out);
  if (status == NEREID_OK) {
    assert_memory_equal(out->cubin.data,
                        "\x7f"
                        "ELF",
                        4);
    assert_non_null(nereid_assembled_by(out, &arena));
  }
  nereid_arena_deinitialize(&arena);
  return status;
}

static bool has(nereid_assembler_t assembler) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  bool found = assembler == NEREID_ASSEMBLER_NVJITLINK ? nereid_assembler_has_nvjitlink(NULL, NULL)
                                                       : nereid_assembler_find_ptxas(NULL, &arena) != NULL;
  nereid_arena_deinitialize(&arena);
  return found;
}

static void check(nereid_assembler_t assembler) {
  said_t said;
  nereid_assembled_t out;
  if (!has(assembler))
    skip();
  assert_int_equal(assemble(good, assembler, NULL, NULL, &said, &out), NEREID_OK);
  assert_int_equal(out.used, assembler);
  assert_int_equal(said.errors, 0);
  assert_int_equal(assemble(bad, assembler, NULL, NULL, &said, &out), NEREID_ERROR_PROGRAM);
  assert_true(said.errors > 0);
  assert_int_equal(said.line, 6);
  assert_non_null(strstr(said.text, "%r1"));
  assert_int_not_equal(assemble(good, assembler, NULL, "--no-such-option", &said, &out), NEREID_OK);
  assert_int_not_equal(said.errors, 0);
}

/* Sixty-four simultaneously live values in a kernel limited to 24 registers. */
static void make_spilling(char *text, size_t room) {
  size_t n = (size_t)snprintf(text, room, "%s",
                              ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k(.param .u64 p)\n.maxnreg 24\n{\n  .reg .b64 %rd<2>;\n"
                              "  .reg .b32 %r<64>;\n  ld.param.u64 %rd1, [p];\n");
  for (int i = 0; i < 64; i++)
    n += (size_t)snprintf(text + n, room - n, "  ld.volatile.global.u32 %%r%d, [%%rd1+%d];\n", i, 4 * i);
  for (int i = 0; i < 64; i++)
    n += (size_t)snprintf(text + n, room - n, "  st.volatile.global.u32 [%%rd1+%d], %%r%d;\n", 4 * i, 63 - i);
  snprintf(text + n, room - n, "  ret;\n}\n");
}

static void check_spills(nereid_assembler_t assembler) {
  static char spilling[8192];
  said_t said;
  nereid_assembled_t out;
  if (!has(assembler))
    skip();
  make_spilling(spilling, sizeof spilling);
  assert_int_equal(assemble(good, assembler, NULL, NULL, &said, &out), NEREID_OK);
  assert_true(out.registers > 0 && out.spill_stores == 0 && out.spill_loads == 0);
  assert_int_equal(assemble(spilling, assembler, NULL, NULL, &said, &out), NEREID_OK);
  assert_int_equal(out.registers, 24);
  assert_true(out.spill_stores >= 4 * (64 - 24));
  assert_true(out.spill_loads >= out.spill_stores);
}

static void test_spills_ptxas(void **state) {
  (void)state;
  check_spills(NEREID_ASSEMBLER_PTXAS);
}

static void test_spills_nvjitlink(void **state) {
  (void)state;
  check_spills(NEREID_ASSEMBLER_NVJITLINK);
}

static void test_ptxas(void **state) {
  (void)state;
  check(NEREID_ASSEMBLER_PTXAS);
}

static void test_nvjitlink(void **state) {
  (void)state;
  check(NEREID_ASSEMBLER_NVJITLINK);
}

/* nvJitLink's code is slower, so it only replaces a missing ptxas. */
static void test_choice(void **state) {
  (void)state;
  said_t said;
  nereid_assembled_t out;
  const bool ptxas = has(NEREID_ASSEMBLER_PTXAS);
  if (!ptxas && !has(NEREID_ASSEMBLER_NVJITLINK))
    skip();
  assert_int_equal(assemble(good, NEREID_ASSEMBLER_AUTO, NULL, NULL, &said, &out), NEREID_OK);
  assert_int_equal(out.used, ptxas ? NEREID_ASSEMBLER_PTXAS : NEREID_ASSEMBLER_NVJITLINK);
}

static void test_missing(void **state) {
  (void)state;
  said_t said;
  nereid_assembled_t out;
  assert_int_equal(assemble(good, NEREID_ASSEMBLER_AUTO, "/nonexistent/ptxas", NULL, &said, &out),
                   NEREID_ERROR_NOT_FOUND);
  assert_non_null(strstr(said.text, "/nonexistent/ptxas"));
}

static void test_temporary_folder(void **state) {
  (void)state;
  said_t said;
  nereid_assembled_t out;
  if (!has(NEREID_ASSEMBLER_PTXAS))
    skip();
  assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
  assert_int_equal(assemble(good, NEREID_ASSEMBLER_PTXAS, NULL, NULL, &said, &out), NEREID_ERROR_IO);
  assert_non_null(strstr(said.text, "/nonexistent"));
  assert_int_equal(unsetenv("TMPDIR"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ptxas),
      cmocka_unit_test(test_nvjitlink),
      cmocka_unit_test(test_spills_ptxas),
      cmocka_unit_test(test_spills_nvjitlink),
      cmocka_unit_test(test_choice),
      cmocka_unit_test(test_missing),
      cmocka_unit_test(test_temporary_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
