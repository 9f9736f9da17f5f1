/* Verification of pass contracts in builds with assertions: a violation is an error at the operation that names pass
 * and property. The contracts here are intentionally false. */
#include "passes/properties.h"

#include "nereid/context.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/IR.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka requires the four above. */
#include <cmocka.h>

static const char laid_out[] =
    "#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
    "module attributes {\"ttg.num-warps\" = 4 : i32} {\n"
    "  tt.func @f() {\n"
    "    %0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

static const char plain[] = "tt.func @f() {\n"
                            "  %0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
                            "  tt.return\n"
                            "}\n";

typedef struct seen {
  char text[1024];
  int64_t line;
} seen_t;

static void append(MlirStringRef part, void *user_data) {
  seen_t *seen = user_data;
  const size_t length = strlen(seen->text);
  snprintf(seen->text + length, sizeof seen->text - length, "%.*s", (int)part.length, part.data);
}

static MlirLogicalResult keep(MlirDiagnostic diagnostic, void *user_data) {
  seen_t *seen = user_data;
  mlirDiagnosticPrint(diagnostic, append, seen);
  seen->line = mlirLocationFileLineColRangeGetStartLine(mlirDiagnosticGetLocation(diagnostic));
  return mlirLogicalResultSuccess();
}

static MlirModule parse(MlirContext context, const char *text) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  return module;
}

/* Verifies `contract` for a pass that turned `before` into `after`. */
static bool verify(const char *before, const char *after, nereid_contract_t contract, seen_t *seen) {
  MlirContext context = nereid_context_create();
  MlirModule first = parse(context, before), second = parse(context, after);
  *seen = (seen_t){0};
  mlirContextAttachDiagnosticHandler(context, keep, seen, NULL);
  const nereid_properties_t found =
      nereid_properties_find(mlirModuleGetOperation(first), contract.requires | contract.preserves);
  const bool good = nereid_contract_verify(&contract, "a-pass", &found, mlirModuleGetOperation(second));
  mlirModuleDestroy(first);
  mlirModuleDestroy(second);
  mlirContextDestroy(context);
  return good;
}

static void test_requires(void **state) {
  (void)state;
  seen_t seen;
  const nereid_contract_t contract = {.requires = NEREID_IR_LAYOUTS | NEREID_IR_NO_SCF};
  assert_true(verify(laid_out, laid_out, contract, &seen));
  assert_string_equal(seen.text, "");
  assert_false(verify(plain, plain, contract, &seen));
  assert_non_null(strstr(seen.text, "pass 'a-pass' requires property 'layouts' of its input: Every tensor has an "
                                    "encoding. convert-triton-to-tritongpu establishes it"));
  assert_int_equal(seen.line, 2);
}

static void test_establishes(void **state) {
  (void)state;
  seen_t seen;
  const nereid_contract_t contract = {.establishes = NEREID_IR_LAYOUTS | NEREID_IR_THREAD_GRID};
  assert_true(verify(plain, laid_out, contract, &seen));
  assert_false(verify(laid_out, plain, contract, &seen));
  assert_non_null(strstr(seen.text, "pass 'a-pass' establishes property 'thread-grid', which does not hold after it"));
}

static void test_preserves(void **state) {
  (void)state;
  seen_t seen;
  const nereid_contract_t contract = {.preserves = NEREID_IR_LAYOUTS};
  assert_true(verify(plain, plain, contract, &seen)); /* a property that did not hold before need not hold after */
  assert_true(verify(plain, laid_out, contract, &seen));
  assert_false(verify(laid_out, plain, contract, &seen));
  assert_non_null(strstr(seen.text, "pass 'a-pass' preserves property 'layouts', which does not hold after it"));
  assert_int_equal(seen.line, 2);
}

/* Each property, satisfied and violated: one line of IR that violates it, in a function that otherwise satisfies
 * all. */
static void test_properties(void **state) {
  (void)state;
  static const struct {
    uint32_t property;
    const char *without;
  } cases[] = {
      {NEREID_IR_LAYOUTS, "%0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>"},
      {NEREID_IR_NO_BLOCK_POINTERS,
       "%0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<64xf32>>"},
      {NEREID_IR_NO_DESCRIPTORS, "%0 = tt.make_tensor_descriptor %p, [%i], [%n] : <f32>, <tensor<64xf32>>"},
      {NEREID_IR_NO_SCF, "scf.if %c { }"},
      {NEREID_IR_SCHEDULE, "scf.for %k = %i to %i step %i : i32 { %0 = arith.addi %k, %i {loop.stage = 2 : i32, "
                           "loop.cluster = 0 : i32} : i32 } {tt.scheduled_max_stage = 1 : i32}"},
      {NEREID_IR_SHARED_OFFSETS, "%0 = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>"},
      {NEREID_IR_SCRATCH_OFFSETS,
       "%0 = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>"},
      {NEREID_IR_WARP_GROUPS, "ttg.warp_specialize() default { ttg.warp_yield } : () -> ()"},
      {NEREID_IR_PER_THREAD, "ttg.local_barrier"},
      {NEREID_IR_LOWERED, "tt.assert %c, \"no\" : i1"},
  };
  MlirContext context = nereid_context_create();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
             "module attributes {\"ttg.num-warps\" = 4 : i32} {\n"
             "tt.func @f(%%p: !tt.ptr<f32>, %%n: i64, %%i: i32, %%c: i1) {\n%s\ntt.return\n}\n}\n",
             cases[i].without);
    MlirModule module = parse(context, text);
    const nereid_properties_t found = nereid_properties_find(mlirModuleGetOperation(module), NEREID_IR_ALL);
    assert_false(found.holding & cases[i].property);
    assert_true(found.holding & NEREID_IR_THREAD_GRID);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_requires), cmocka_unit_test(test_establishes),
                                     cmocka_unit_test(test_preserves), cmocka_unit_test(test_properties)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
