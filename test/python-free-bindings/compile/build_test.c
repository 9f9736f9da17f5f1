/* Generated builders and accessors: the ops that they create, and the arguments that they reject. */
#include "nereid/context.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/gpu.h"
#include "nereid/dialects/llvm.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka requires the four above. */
#include <cmocka.h>

typedef struct fixture {
  MlirContext context;
  MlirModule module;
  nereid_builder_t b;
  MlirType i32, f32;
  MlirValue one; /* an i32 */
  int errors;
  char message[512], location[64];
} fixture_t;

typedef struct span {
  char *data;
  size_t size, capacity;
} span_t;

static void append(MlirStringRef part, void *data) {
  span_t *span = data;
  size_t n = part.length < span->capacity - 1 - span->size ? part.length : span->capacity - 1 - span->size;
  memcpy(span->data + span->size, part.data, n);
  span->size += n;
  span->data[span->size] = 0;
}

static MlirLogicalResult keep(MlirDiagnostic diagnostic, void *data) {
  fixture_t *f = data;
  span_t message = {f->message, 0, sizeof f->message}, location = {f->location, 0, sizeof f->location};
  mlirDiagnosticPrint(diagnostic, append, &message);
  mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), append, &location);
  f->errors++;
  return mlirLogicalResultSuccess();
}

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static int setup(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  f->context = nereid_context_create();
  mlirContextAttachDiagnosticHandler(f->context, keep, f, NULL);
  MlirLocation location = mlirLocationFileLineColGet(f->context, text("here.c"), 3, 7);
  f->module = mlirModuleCreateEmpty(location);
  f->b = nereid_builder_at_end(location, mlirModuleGetBody(f->module));
  f->i32 = mlirIntegerTypeGet(f->context, 32);
  f->f32 = mlirF32TypeGet(f->context);
  f->one = nereid_arith_constant_get_result(nereid_arith_constant_build(&f->b, mlirIntegerAttrGet(f->i32, 1)));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture_t *f = *state;
  mlirModuleDestroy(f->module);
  mlirContextDestroy(f->context);
  free(f);
  return 0;
}

static void assert_refused(fixture_t *f, MlirOperation op, const char *message) {
  assert_true(mlirOperationIsNull(op));
  assert_int_equal(f->errors, 1);
  assert_non_null(strstr(f->message, message));
  assert_non_null(strstr(f->location, "here.c"));
}

static void values_and_enums(void **state) {
  fixture_t *f = *state;
  MlirOperation sum = nereid_arith_addi_build(&f->b, f->one, f->one, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NSW);
  assert_true(mlirOperationVerify(sum));
  assert_int_equal(nereid_op_kind(sum), NEREID_OP_ARITH_ADDI);
  assert_string_equal(nereid_op_kind_name(NEREID_OP_ARITH_ADDI), "arith.addi");
  assert_true(mlirValueEqual(nereid_arith_addi_get_rhs(sum), f->one));
  assert_int_equal(nereid_arith_addi_get_overflow_flags(sum), NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NSW);
  assert_true(mlirTypeEqual(mlirValueGetType(nereid_arith_addi_get_result(sum)), f->i32));
  MlirOperation less = nereid_arith_cmpi_build(&f->b, f->one, f->one, NEREID_ARITH_CMP_I_PREDICATE_ULT);
  assert_true(mlirOperationVerify(less));
  assert_int_equal(mlirIntegerTypeGetWidth(mlirValueGetType(nereid_arith_cmpi_get_result(less))), 1);
  MlirOperation thread = nereid_gpu_thread_id_build(&f->b, NEREID_GPU_DIMENSION_Z, (MlirAttribute){NULL});
  assert_int_equal(nereid_gpu_thread_id_get_dimension(thread), NEREID_GPU_DIMENSION_Z);
  assert_true(mlirAttributeIsNull(nereid_gpu_thread_id_get_upper_bound_attr(thread)));
  assert_int_equal(f->errors, 0);
}

static void kinds_of_unknown_operations(void **state) {
  fixture_t *f = *state;
  assert_int_equal(nereid_op_kind(mlirModuleGetOperation(f->module)), NEREID_OP_UNKNOWN);
  assert_int_equal(nereid_op_kind_from_name(text("arith.add")), NEREID_OP_UNKNOWN);
  assert_int_equal(nereid_op_kind_from_name(text("")), NEREID_OP_UNKNOWN);
  for (int kind = 1; kind < NEREID_OP_COUNT; kind++)
    assert_int_equal(nereid_op_kind_from_name(text(nereid_op_kind_name((nereid_op_kind_t)kind))), kind);
}

/* llvm.add stores its flags in a property that is not an attribute. */
static void properties(void **state) {
  fixture_t *f = *state;
  MlirOperation plain = nereid_llvm_add_build(&f->b, f->one, f->one, NEREID_LLVM_INTEGER_OVERFLOW_FLAGS_NONE);
  MlirOperation flagged = nereid_llvm_add_build(&f->b, f->one, f->one, NEREID_LLVM_INTEGER_OVERFLOW_FLAGS_NUW);
  assert_int_equal(nereid_llvm_add_get_overflow_flags(plain), NEREID_LLVM_INTEGER_OVERFLOW_FLAGS_NONE);
  assert_int_equal(nereid_llvm_add_get_overflow_flags(flagged), NEREID_LLVM_INTEGER_OVERFLOW_FLAGS_NUW);
  assert_int_equal(mlirOperationGetNumDiscardableAttributes(flagged), 0);
}

static void segments_and_regions(void **state) {
  fixture_t *f = *state;
  MlirType pointer = nereid_tt_ptr_type_create(f->context, f->f32, 1), parts[] = {pointer};
  MlirLocation locations[] = {f->b.location};
  nereid_builder_t inside = nereid_builder_at_end(f->b.location, mlirBlockCreate(1, parts, locations));
  MlirValue address = mlirBlockGetArgument(inside.block, 0), none = {NULL};
  MlirOperation zero = nereid_arith_constant_build(&inside, mlirFloatAttrDoubleGet(f->context, f->f32, 0));
  MlirOperation yes = nereid_arith_constant_build(&inside, mlirBoolAttrGet(f->context, 1));
  MlirValue other = nereid_arith_constant_get_result(zero), mask = nereid_arith_constant_get_result(yes);
  MlirAttribute no_padding = {NULL};
  MlirOperation bare = nereid_tt_load_build(&inside, address, none, none, 0, NULL, no_padding,
                                            NEREID_TT_CACHE_MODIFIER_CA, NEREID_TT_EVICTION_POLICY_NORMAL, false);
  MlirOperation full = nereid_tt_load_build(&inside, address, mask, other, 0, NULL, no_padding,
                                            NEREID_TT_CACHE_MODIFIER_NONE, NEREID_TT_EVICTION_POLICY_EVICT_LAST, true);
  assert_int_equal(f->errors, 0);
  assert_true(mlirOperationVerify(bare) && mlirOperationVerify(full));
  assert_true(mlirValueIsNull(nereid_tt_load_get_mask(bare)) && mlirValueIsNull(nereid_tt_load_get_other(bare)));
  assert_true(mlirValueEqual(nereid_tt_load_get_mask(full), mask));
  assert_true(mlirValueEqual(nereid_tt_load_get_other(full), other));
  assert_int_equal(nereid_tt_load_get_cache(bare), NEREID_TT_CACHE_MODIFIER_CA);
  assert_int_equal(nereid_tt_load_get_evict(full), NEREID_TT_EVICTION_POLICY_EVICT_LAST);
  assert_true(nereid_tt_load_get_is_volatile(full) && !nereid_tt_load_get_is_volatile(bare));
  mlirBlockDestroy(inside.block);
  MlirOperation loop = nereid_scf_for_build(&f->b, 1, &f->i32, f->one, f->one, f->one, 1, &f->one, false);
  assert_int_equal(nereid_scf_for_get_init_args_count(loop), 1);
  assert_true(mlirValueEqual(nereid_scf_for_get_init_args(loop, 0), f->one));
  assert_int_equal(nereid_scf_for_get_results_count(loop), 1);
  assert_true(mlirBlockIsNull(mlirRegionGetFirstBlock(nereid_scf_for_get_region(loop))));
}

static void places(void **state) {
  fixture_t *f = *state;
  MlirOperation last = nereid_arith_constant_build(&f->b, mlirIntegerAttrGet(f->i32, 2));
  nereid_builder_t before = nereid_builder_before(last);
  MlirOperation earlier = nereid_arith_constant_build(&before, mlirIntegerAttrGet(f->i32, 3));
  assert_true(mlirOperationEqual(mlirOperationGetNextInBlock(earlier), last));
  nereid_builder_t nowhere = {.location = f->b.location};
  MlirOperation loose = nereid_arith_constant_build(&nowhere, mlirIntegerAttrGet(f->i32, 4));
  assert_true(mlirBlockIsNull(mlirOperationGetBlock(loose)));
  mlirOperationDestroy(loose);
}

static void missing_operand(void **state) {
  fixture_t *f = *state;
  MlirValue none = {NULL};
  assert_refused(f, nereid_arith_addi_build(&f->b, f->one, none, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE),
                 "'arith.addi' op requires operand 'rhs'");
}

static void missing_type(void **state) {
  fixture_t *f = *state;
  assert_refused(f, nereid_arith_extsi_build(&f->b, (MlirType){NULL}, f->one),
                 "'arith.extsi' op requires a type for result 'out'");
}

static void wrong_builtin_attribute(void **state) {
  fixture_t *f = *state;
  MlirAttribute unit = mlirUnitAttrGet(f->context);
  assert_refused(f, nereid_tt_func_build(&f->b, text("f"), unit, (MlirAttribute){NULL}, unit, unit),
                 "'tt.func' op attribute 'function_type' is of the wrong kind");
}

static void wrong_interface_attribute(void **state) {
  fixture_t *f = *state;
  assert_refused(f, nereid_arith_constant_build(&f->b, mlirUnitAttrGet(f->context)), "arith.constant");
}

static void missing_attribute(void **state) {
  fixture_t *f = *state;
  assert_refused(f, nereid_arith_constant_build(&f->b, (MlirAttribute){NULL}),
                 "'arith.constant' op requires attribute 'value'");
}

static void no_such_enum_value(void **state) {
  fixture_t *f = *state;
  MlirOperation op = nereid_gpu_thread_id_build(&f->b, (nereid_gpu_dimension_t)9, (MlirAttribute){NULL});
  assert_true(mlirOperationIsNull(op));
  assert_non_null(strstr(f->message, "'gpu.thread_id' op attribute 'dimension' has an invalid value"));
}

static void types_check_their_parameters(void **state) {
  fixture_t *f = *state;
  MlirType pointer = nereid_tt_ptr_type_create(f->context, f->f32, 3);
  assert_true(nereid_tt_ptr_type_isa(pointer) && !nereid_tt_ptr_type_isa(f->f32));
  assert_true(mlirTypeEqual(nereid_tt_ptr_type_get_pointee_type(pointer), f->f32));
  assert_int_equal(nereid_tt_ptr_type_get_address_space(pointer), 3);
  assert_true(mlirTypeIsNull(nereid_tt_ptr_type_create(f->context, (MlirType){NULL}, 1)));
  assert_int_equal(f->errors, 1);
  assert_true(mlirTypeIsNull(nereid_tt_tensordesc_type_create(f->context, f->f32)));
  assert_int_equal(f->errors, 2);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(values_and_enums),
      TEST(kinds_of_unknown_operations),
      TEST(properties),
      TEST(segments_and_regions),
      TEST(places),
      TEST(missing_operand),
      TEST(missing_type),
      TEST(wrong_builtin_attribute),
      TEST(wrong_interface_attribute),
      TEST(missing_attribute),
      TEST(no_such_enum_value),
      TEST(types_check_their_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
