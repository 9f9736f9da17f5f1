/* The launch attributes through the C bindings: round trips of values; an invalid value gets a diagnostic and null. */
#include "nereid/context.h"
#include "nereid/dialects/nereid.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka requires the four above. */
#include <cmocka.h>

typedef struct fixture {
  MlirContext context;
  char message[256]; /* text of the last diagnostic */
} fixture_t;

static void append(MlirStringRef piece, void *user_data) {
  fixture_t *fixture = user_data;
  size_t used = strlen(fixture->message), left = sizeof fixture->message - 1 - used;
  strncat(fixture->message, piece.data, piece.length < left ? piece.length : left);
}

static MlirLogicalResult remember(MlirDiagnostic diagnostic, void *user_data) {
  ((fixture_t *)user_data)->message[0] = '\0';
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

/* (d0) -> (d0 ceildiv 1024) */
static MlirAttribute tiles_of_1024(MlirContext context) {
  MlirAffineExpr tiles =
      mlirAffineCeilDivExprGet(mlirAffineDimExprGet(context, 0), mlirAffineConstantExprGet(context, 1024));
  return mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 1, &tiles));
}

static void test_grid(void **state) {
  MlirContext context = ((fixture_t *)*state)->context;
  MlirAttribute map = tiles_of_1024(context), args = mlirDenseI32ArrayGet(context, 1, (int32_t[]){3});
  MlirAttribute grid = nereid_nereid_grid_attr_create(context, map, args, 2);
  assert_true(nereid_nereid_grid_attr_isa(grid));
  assert_true(mlirAttributeEqual(nereid_nereid_grid_attr_get_map(grid), map));
  assert_true(mlirAttributeEqual(nereid_nereid_grid_attr_get_args(grid), args));
  assert_int_equal(nereid_nereid_grid_attr_get_per_sm(grid), 2);
  assert_false(nereid_nereid_role_attr_isa(grid));
}

static void test_wrong_grid_is_null(void **state) {
  fixture_t *fixture = *state;
  MlirContext context = fixture->context;
  MlirAttribute none = mlirDenseI32ArrayGet(context, 0, NULL);
  assert_true(mlirAttributeIsNull(nereid_nereid_grid_attr_create(context, tiles_of_1024(context), none, 0)));
  assert_string_equal(fixture->message, "grid expects one argument position for each of the map's 1 inputs, got 0");
}

static void test_options(void **state) {
  fixture_t *fixture = *state;
  MlirAttribute options =
      nereid_nereid_launch_options_attr_create(fixture->context, 8, 3, 2, 168, 87, true, false, true);
  assert_true(nereid_nereid_launch_options_attr_isa(options));
  assert_int_equal(nereid_nereid_launch_options_attr_get_num_warps(options), 8);
  assert_int_equal(nereid_nereid_launch_options_attr_get_num_stages(options), 3);
  assert_int_equal(nereid_nereid_launch_options_attr_get_num_ctas(options), 2);
  assert_int_equal(nereid_nereid_launch_options_attr_get_maxnreg(options), 168);
  assert_int_equal(nereid_nereid_launch_options_attr_get_ptx_version(options), 87);
  assert_true(nereid_nereid_launch_options_attr_get_cooperative(options));
  assert_false(nereid_nereid_launch_options_attr_get_pdl(options));
  assert_true(nereid_nereid_launch_options_attr_get_fp_fusion(options));
  assert_true(mlirAttributeIsNull(
      nereid_nereid_launch_options_attr_create(fixture->context, 3, 0, 0, 0, 0, false, false, true)));
  assert_string_equal(fixture->message, "launch_options expects num_warps to be a power of two from 1 to 32, got 3");
}

static void test_role(void **state) {
  MlirContext context = ((fixture_t *)*state)->context;
  MlirAttribute role = nereid_nereid_role_attr_create(context, NEREID_NEREID_ROLE_KIND_STRIDE, 1, 4);
  assert_int_equal(nereid_nereid_role_attr_get_kind(role), NEREID_NEREID_ROLE_KIND_STRIDE);
  assert_int_equal(nereid_nereid_role_attr_get_group(role), 1);
  assert_int_equal(nereid_nereid_role_attr_get_dim(role), 4);
  MlirAttribute parsed =
      mlirAttributeParseGet(context, mlirStringRefCreateFromCString("#nereid.role<stride, group = 1, dim = 4>"));
  assert_true(mlirAttributeEqual(parsed, role));
}

static void test_descriptor(void **state) {
  MlirContext context = ((fixture_t *)*state)->context;
  MlirAttribute block = mlirDenseI32ArrayGet(context, 2, (int32_t[]){64, 32});
  MlirType element = mlirF16TypeGet(context);
  MlirAttribute descriptor = nereid_nereid_descriptor_attr_create(context, element, block, 64, false, true);
  assert_true(mlirTypeEqual(nereid_nereid_descriptor_attr_get_element(descriptor), element));
  assert_true(mlirAttributeEqual(nereid_nereid_descriptor_attr_get_block(descriptor), block));
  assert_int_equal(nereid_nereid_descriptor_attr_get_swizzle(descriptor), 64);
  assert_false(nereid_nereid_descriptor_attr_get_fp4_padded(descriptor));
  assert_true(nereid_nereid_descriptor_attr_get_nan_padding(descriptor));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_grid, setup, teardown),
      cmocka_unit_test_setup_teardown(test_wrong_grid_is_null, setup, teardown),
      cmocka_unit_test_setup_teardown(test_options, setup, teardown),
      cmocka_unit_test_setup_teardown(test_role, setup, teardown),
      cmocka_unit_test_setup_teardown(test_descriptor, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
