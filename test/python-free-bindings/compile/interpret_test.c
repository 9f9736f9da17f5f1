/* nereid_interpreter_run_text: runs IR on the caller's buffers, or emits located diagnostics. */
#include "nereid/compile.h"
#include "nereid/interpreter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* out[i] = 3 x[i] + i, for the 16 elements of a program. */
static const char kernel[] = "tt.func public @ramp(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %factor: i32) {\n"
                             "  %c16 = arith.constant 16 : i32\n"
                             "  %p = tt.get_program_id x : i32\n"
                             "  %first = arith.muli %p, %c16 : i32\n"
                             "  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>\n"
                             "  %s = tt.splat %first : i32 -> tensor<16xi32>\n"
                             "  %i = arith.addi %s, %r : tensor<16xi32>\n"
                             "  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>\n"
                             "  %xi = tt.addptr %xs, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>\n"
                             "  %v = tt.load %xi : tensor<16x!tt.ptr<i32>>\n"
                             "  %f = tt.splat %factor : i32 -> tensor<16xi32>\n"
                             "  %m = arith.muli %v, %f : tensor<16xi32>\n"
                             "  %sum = arith.addi %m, %i : tensor<16xi32>\n"
                             "  %os = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>\n"
                             "  %oi = tt.addptr %os, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>\n"
                             "  tt.store %oi, %sum : tensor<16x!tt.ptr<i32>>\n"
                             "  tt.return\n"
                             "}\n";

enum { COUNT = 48 };

typedef struct heard {
  char text[512];
  unsigned line;
} heard_t;

static void hear(void *user_data, const nereid_diagnostic_t *diagnostic) {
  heard_t *heard = user_data;
  if (diagnostic->severity != NEREID_SEVERITY_ERROR)
    return;
  heard->line = diagnostic->line;
  snprintf(heard->text, sizeof heard->text, "%s", diagnostic->message);
}

static heard_t heard;
static nereid_compiler_t *compiler;
static nereid_message_t message;
static int32_t x[COUNT], out[COUNT];

static int set_up(void **state) {
  const nereid_compiler_options_t options = {.size = sizeof options, .handler = hear, .user_data = &heard};
  (void)state;
  heard = (heard_t){0};
  for (int i = 0; i < COUNT; ++i)
    x[i] = 100 - i;
  return nereid_compiler_create(&options, &compiler);
}

static int tear_down(void **state) {
  (void)state;
  nereid_compiler_destroy(compiler);
  return 0;
}

static nereid_status_t run(const char *text, uint32_t programs) {
  const uint32_t grid[3] = {programs, 1, 1};
  const nereid_interpreter_argument_t arguments[] = {
      {.kind = NEREID_INTERPRETER_BUFFER, .memory = x, .size = sizeof x, .alignment = 4, .name = "x"},
      {.kind = NEREID_INTERPRETER_BUFFER, .memory = out, .size = sizeof out, .alignment = 4, .name = "out"},
      {.kind = NEREID_INTERPRETER_BITS, .bits = 3, .name = "factor"}};
  return nereid_interpreter_run_text(compiler, nereid_view(text), "ramp.ttir", NULL, grid, 3, arguments, NULL,
                                     &message);
}

static void a_kernel_fills_the_buffer(void **state) {
  (void)state;
  for (int round = 0; round < 2; ++round) { /* a compiler session is reused for several runs */
    memset(out, 0, sizeof out);
    assert_int_equal(run(kernel, 3), NEREID_OK);
    for (int i = 0; i < COUNT; ++i)
      assert_int_equal(out[i], 3 * (100 - i) + i);
  }
}

static void an_access_outside_is_located(void **state) {
  (void)state;
  assert_int_equal(run(kernel, 4), NEREID_ERROR_PROGRAM);
  assert_int_equal(heard.line, 10); /* the load */
  assert_non_null(strstr(heard.text, "x"));
}

static void input_that_is_no_tensor_ir(void **state) {
  (void)state;
  assert_int_equal(run("tt.func @(", 1), NEREID_ERROR_PROGRAM);
  assert_int_equal(heard.line, 1);
  assert_int_equal(run(".version 8.7\n.target sm_90a\n.address_size 64\n", 1), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(heard.text, "stage ptx"));
  assert_int_equal(run("define void @f() {\n  ret void\n}\n", 1), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(heard.text, "stage ll"));
  assert_int_equal(run("", 1), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(message.text, "ramp.ttir"));
  assert_int_equal(run(kernel, 3), NEREID_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_kernel_fills_the_buffer, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_access_outside_is_located, set_up, tear_down),
      cmocka_unit_test_setup_teardown(input_that_is_no_tensor_ir, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
