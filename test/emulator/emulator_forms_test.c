/* Decodes every form of Inputs/forms.txt, one kernel each. A form with a leading number is executed on 1024 threads;
 * the number is the hash of an H200's results over the pattern's forms. */
#include "nereid/emulator.h"
#include "test/emulator/forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#ifndef NEREID_TEST_FORMS
#error "NEREID_TEST_FORMS is the path of forms.txt"
#endif

typedef struct forms {
  uint64_t numbers[FORMS_THREADS][4];
  uint8_t results[FORMS_THREADS][FORMS_RESULT];
  char text[2 * FORMS_TEXT];
  uint64_t hash;
  nereid_emulator_memory_t *memory;
  uint64_t addresses[2];
  unsigned decoded, executed;
} forms_t;

static nereid_emulator_program_t *load(forms_t *forms, const char *instruction) {
  nereid_emulator_program_t *program = NULL;
  nereid_message_t message = {""};
  if (nereid_emulator_load(nereid_view(forms->text), "form", &program, &message) != NEREID_OK)
    fail_msg("%s: %s", instruction, message.text);
  forms->decoded++;
  return program;
}

static void decode(void *data, const char *instruction) {
  forms_t *forms = data;
  memcpy(forms->text, forms_head, sizeof forms_head);
  forms_decoded(forms->text + sizeof forms_head - 1, "t", instruction);
  nereid_emulator_unload(load(forms, instruction));
}

static void execute(void *data, const char *instruction) {
  forms_t *forms = data;
  nereid_emulator_report_t report;
  memcpy(forms->text, forms_head, sizeof forms_head);
  forms_executed(forms->text + sizeof forms_head - 1, "k", instruction);
  nereid_emulator_program_t *program = load(forms, instruction);
  memset(forms->results, 0, sizeof forms->results);
  nereid_emulator_launch_t launch = {.grid = {FORMS_THREADS / FORMS_BLOCK, 1, 1},
                                     .block = {FORMS_BLOCK, 1, 1},
                                     .parameters = forms->addresses,
                                     .parameter_bytes = sizeof forms->addresses,
                                     .memory = forms->memory,
                                     .threads = 1};
  if (nereid_emulator_run(nereid_emulator_kernel(program, "k"), &launch, &report) != NEREID_OK)
    fail_msg("%s: %s", instruction, report.message.text);
  forms->hash = forms_hash(forms->hash, forms->results, sizeof forms->results);
  forms->executed++;
  nereid_emulator_unload(program);
}

static void all_forms(void **state) {
  static forms_t forms;
  char line[1024], *stop;
  unsigned wrong = 0;
  (void)state;
  FILE *file = fopen(NEREID_TEST_FORMS, "r");
  if (!file) {
    fail_msg("no '%s'", NEREID_TEST_FORMS);
    return;
  }
  forms_inputs(forms.numbers);
  assert_int_equal(nereid_emulator_memory_create(&forms.memory), NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(forms.memory, forms.numbers, sizeof forms.numbers, 256, "numbers",
                                              &forms.addresses[0]),
                   NEREID_OK);
  assert_int_equal(nereid_emulator_memory_add(forms.memory, forms.results, sizeof forms.results, 256, "results",
                                              &forms.addresses[1]),
                   NEREID_OK);
  while (fgets(line, sizeof line, file)) {
    char *end = strchr(line, '\n');
    if (end)
      *end = 0;
    forms.hash = UINT64_C(14695981039346656037);
    if (line[0] == '#' || !line[0])
      continue;
    if (line[0] == '-') {
      forms_expand(line + 2, decode, &forms);
      continue;
    }
    uint64_t expected = strtoull(line, &stop, 16);
    forms_expand(stop + 1, execute, &forms);
    if (forms.hash != expected && ++wrong)
      print_error("%016llx, not the H200's %s\n", (unsigned long long)forms.hash, line);
  }
  fclose(file);
  nereid_emulator_memory_destroy(forms.memory);
  assert_int_equal(wrong, 0);
  assert_true(forms.decoded > 5000 && forms.executed > 2500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
