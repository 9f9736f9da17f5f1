/* The version of ptxas is read from its file: from the constants of an ELF file first, else from any bytes. */
#include "target/assembler/assemble.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* An ELF file with a section of code before one of constants. */
typedef struct program {
  Elf64_Ehdr header;
  Elf64_Shdr sections[2];
  char code[64], constants[64];
} program_t;

static program_t make_program(const char *code, const char *constants) {
  program_t program = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                                  .e_shoff = offsetof(program_t, sections),
                                  .e_shentsize = sizeof(Elf64_Shdr),
                                  .e_shnum = 2},
                       .sections = {{.sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                     .sh_offset = offsetof(program_t, code),
                                     .sh_size = sizeof program.code},
                                    {.sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC,
                                     .sh_offset = offsetof(program_t, constants),
                                     .sh_size = sizeof program.constants}}};
  snprintf(program.code, sizeof program.code, "%s", code);
  snprintf(program.constants, sizeof program.constants, "%s", constants);
  return program;
}

/* Writes an executable file of these bytes and checks what is read from it; null: nothing. */
static void check(const void *bytes, size_t size, const char *expected) {
  char path[] = "/tmp/nereid-version-XXXXXX";
  nereid_arena_t arena;
  const int file = mkstemp(path);
  if (file < 0)
    fail();
  assert_int_equal(write(file, bytes, size), (ssize_t)size);
  assert_int_equal(fchmod(file, 0700), 0);
  close(file);
  nereid_arena_initialize(&arena);
  for (int i = 0; i < 2; ++i) { /* the second answer is remembered */
    const char *version = nereid_assembler_version(path, false, &arena);
    if (expected) {
      assert_non_null(version);
      assert_string_equal(version, expected);
    } else
      assert_null(version);
  }
  nereid_arena_deinitialize(&arena);
  unlink(path);
}

static const char newer[] = "Cuda compilation tools, release 13.0, V13.0.88\n";
static const char older[] = "Cuda compilation tools, release 12.4, V12.4.131\n";

static void test_constants_before_code(void **state) {
  (void)state;
  const program_t both = make_program(older, newer), in_code = make_program(older, "");
  check(&both, sizeof both, "ptxas 13.0.88");
  check(&in_code, sizeof in_code, "ptxas 12.4.131");
}

static void test_other_files(void **state) {
  (void)state;
  static const char script[] = "#!/bin/sh\n# Cuda compilation tools, release 12.9, V12.9.86\nexec ptxas \"$@\"\n";
  check(script, sizeof script - 1, "ptxas 12.9.86");
  check("#!/bin/sh\n", 10, NULL);
  check("Cuda compilation tools, release 13.0", 36, NULL);
  check("Cuda compilation tools, release 13.0, V", 39, NULL);
}

/* Sections outside the file are not read. */
static void test_damaged_sections(void **state) {
  (void)state;
  const uint64_t hostile[] = {UINT64_MAX, UINT64_MAX - 63, sizeof(program_t) - 1, sizeof(program_t) + 1};
  for (size_t i = 0; i < 4; ++i) {
    program_t program = make_program(older, newer);
    program.sections[1].sh_offset = hostile[i];
    check(&program, sizeof program, "ptxas 12.4.131");
    program = make_program(older, newer);
    program.sections[1].sh_size = hostile[i];
    check(&program, sizeof program, "ptxas 12.4.131");
    program = make_program(older, newer);
    program.header.e_shoff = hostile[i];
    check(&program, sizeof program, "ptxas 12.4.131");
  }
  const program_t program = make_program(older, newer);
  for (size_t size = 1; size < offsetof(program_t, code); size += 7)
    check(&program, size, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constants_before_code),
      cmocka_unit_test(test_other_files),
      cmocka_unit_test(test_damaged_sections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
