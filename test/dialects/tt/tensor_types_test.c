/* The check of tensor types that the compile driver runs on whole modules: operations of other dialects lack the trait
 * that rejects a tensor of an invalid size. */
#include "dialects/tt/tt_hooks.h"
#include "nereid/context.h"

#include <mlir-c/Diagnostics.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka requires the four above. */
#include <cmocka.h>

typedef struct fixture {
  MlirContext context;
  char message[512]; /* text of the last diagnostic, with its location as prefix */
} fixture_t;

static void append(MlirStringRef piece, void *user_data) {
  fixture_t *fixture = user_data;
  size_t used = strlen(fixture->message), left = sizeof fixture->message - 1 - used;
  strncat(fixture->message, piece.data, piece.length < left ? piece.length : left);
}

static MlirLogicalResult remember(MlirDiagnostic diagnostic, void *user_data) {
  ((fixture_t *)user_data)->message[0] = '\0';
  mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), append, user_data);
  append(mlirStringRefCreateFromCString(": "), user_data);
  mlirDiagnosticPrint(diagnostic, append, user_data);
  return mlirLogicalResultSuccess();
}

static int setup(void **state) {
  fixture_t *fixture = calloc(1, sizeof *fixture);
  fixture->context = nereid_context_create();
  mlirContextAttachDiagnosticHandler(fixture->context, remember, fixture, NULL);
  *state = fixture;
  return 0;
}

static int teardown(void **state) {
  fixture_t *fixture = *state;
  mlirContextDestroy(fixture->context);
  free(fixture);
  return 0;
}

static bool accepts(fixture_t *fixture, const char *text) {
  fixture->message[0] = '\0';
  MlirModule module = mlirModuleCreateParse(fixture->context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  MlirLogicalResult result = nereid_tt_tensor_types_verify(mlirModuleGetOperation(module));
  mlirModuleDestroy(module);
  return mlirLogicalResultIsSuccess(result);
}

static void accepts_powers_of_two(void **state) {
  assert_true(accepts(*state, "tt.func @f(%x: tensor<1024x1024xf32>) {\n"
                              "  %0 = arith.addf %x, %x : tensor<1024x1024xf32>\n"
                              "  tt.return\n"
                              "}"));
}

static void refuses_results_of_other_dialects(void **state) {
  fixture_t *fixture = *state;
  assert_false(accepts(fixture, "tt.func @f() {\n"
                                "  %0 = arith.constant dense<0> : tensor<48xi32>\n"
                                "  tt.return\n"
                                "}"));
  assert_string_equal(fixture->message,
                      "loc(\"-\":2:8): 'arith.constant' op result #0 is a tensor with an element count that is not a "
                      "power of two: tensor<48xi32>; expected a power of two, at most 1048576");
}

static void refuses_arguments_of_blocks(void **state) {
  fixture_t *fixture = *state;
  assert_false(accepts(fixture, "tt.func @f(%x: tensor<65536x32768xf32>) {\n"
                                "  tt.return\n"
                                "}"));
  assert_non_null(strstr(fixture->message, "'tt.func' op block argument #0 is a tensor with too many elements"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(accepts_powers_of_two, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_results_of_other_dialects, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_arguments_of_blocks, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
