/* The seam's functions on upstream dialects: each has the effect of the C++ function that it wraps. */
#include "dialects/diagnose.h"
#include "seam/context.h"
#include "seam/effects.h"
#include "seam/ir.h"
#include "seam/llvm.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* cmocka requires the four above. */
#include <cmocka.h>

static const char source[] = "func.func @f(%a: i32 {x.y = 1 : i32}, %c: i1) -> i32 {\n"
                             "  %two = arith.constant 2 : i32\n"
                             "  %three = arith.constant 3 : i32\n"
                             "  %five = arith.addi %two, %three : i32\n"
                             "  %0 = scf.if %c -> (i32) {\n"
                             "    scf.yield %five : i32\n"
                             "  } else {\n"
                             "    scf.yield %a : i32\n"
                             "  }\n"
                             "  %1 = func.call @g(%0, %a) : (i32, i32) -> i32\n"
                             "  cf.cond_br %c, ^bb1(%1 : i32), ^bb2\n"
                             "^bb1(%x: i32):\n"
                             "  return %x : i32\n"
                             "^bb2:\n"
                             "  return %five : i32\n"
                             "^bb3:\n"
                             "  return %a : i32\n"
                             "}\n"
                             "func.func private @g(i32, i32) -> i32\n"
                             "func.func @loop(%n: index, %a: i32) -> i32 {\n"
                             "  %0 = arith.constant 0 : index\n"
                             "  %1 = arith.constant 1 : index\n"
                             "  %s = scf.for %i = %0 to %n step %1 iter_args(%t = %a) -> i32 {\n"
                             "    scf.yield %t : i32\n"
                             "  }\n"
                             "  return %s : i32\n"
                             "}\n";

typedef struct fixture {
  MlirContext context;
  MlirModule module;
  MlirOperation f, g, loop;
} fixture_t;

static MlirOperation find(fixture_t *fixture, const char *name) {
  MlirAttribute symbol = mlirFlatSymbolRefAttrGet(fixture->context, mlirStringRefCreateFromCString(name));
  return nereidMlirSymbolTableLookupNearestFrom(mlirModuleGetOperation(fixture->module), symbol);
}

static int setup(void **state) {
  fixture_t *fixture = calloc(1, sizeof *fixture);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  fixture->context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextSetAllowUnregisteredDialects(fixture->context, true);
  fixture->module = mlirModuleCreateParse(fixture->context, mlirStringRefCreateFromCString(source));
  if (mlirModuleIsNull(fixture->module))
    return -1;
  fixture->f = find(fixture, "f");
  fixture->g = find(fixture, "g");
  fixture->loop = find(fixture, "loop");
  *state = fixture;
  return mlirOperationIsNull(fixture->f) || mlirOperationIsNull(fixture->loop);
}

static int teardown(void **state) {
  fixture_t *fixture = *state;
  mlirModuleDestroy(fixture->module);
  mlirContextDestroy(fixture->context);
  free(fixture);
  return 0;
}

static MlirBlock block(MlirOperation op, int index) {
  MlirBlock found = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  while (index--)
    found = mlirBlockGetNextInRegion(found);
  return found;
}

static MlirOperation nth(MlirBlock in, int index) {
  MlirOperation op = mlirBlockGetFirstOperation(in);
  while (index--)
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void test_clone(void **state) {
  fixture_t *fixture = *state;
  MlirOperation add = nth(block(fixture->f, 0), 2);
  MlirValue two = mlirOperationGetOperand(add, 0), three = mlirOperationGetOperand(add, 1);
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  nereidMlirIRMappingMapValue(mapping, two, three);
  MlirOperation copy = nereidMlirOperationCloneWithMapping(add, mapping);
  assert_true(mlirValueEqual(mlirOperationGetOperand(copy, 0), three));
  assert_true(mlirValueEqual(nereidMlirIRMappingLookupValue(mapping, mlirOperationGetResult(add, 0)),
                             mlirOperationGetResult(copy, 0)));
  assert_null(nereidMlirIRMappingLookupValue(mapping, three).ptr);
  mlirOperationDestroy(copy);
  nereidMlirIRMappingDestroy(mapping);
}

static void test_blocks(void **state) {
  fixture_t *fixture = *state;
  MlirBlock entry = block(fixture->f, 0);
  MlirOperation add = nth(entry, 2);
  assert_true(mlirOperationEqual(nereidMlirOperationGetPrevInBlock(add), nth(entry, 1)));
  MlirBlock unreachable = block(fixture->f, 3);
  MlirOperation moved = mlirBlockGetFirstOperation(unreachable);
  nereidMlirBlockSplice(entry, add, unreachable);
  assert_true(mlirOperationEqual(nth(entry, 2), moved));
  nereidMlirOperationErase(moved);
  assert_true(mlirOperationEqual(nth(entry, 2), add));
  nereidMlirBlockSplice(unreachable, (MlirOperation){NULL}, block(fixture->f, 2));
  assert_false(mlirOperationIsNull(mlirBlockGetFirstOperation(unreachable)));
  assert_true(mlirOperationIsNull(mlirBlockGetFirstOperation(block(fixture->f, 2))));
  assert_true(nereidMlirOperationIsProperAncestor(fixture->f, add));
  assert_false(nereidMlirOperationIsProperAncestor(add, add));
}

static void test_fold_and_constants(void **state) {
  fixture_t *fixture = *state;
  MlirOperation add = nth(block(fixture->f, 0), 2);
  assert_null(nereidMlirValueGetConstant(mlirOperationGetResult(add, 0)).ptr);
  MlirValue folded;
  assert_true(nereidMlirOperationTryFold(add, &folded));
  assert_int_equal(mlirIntegerAttrGetValueInt(nereidMlirValueGetConstant(folded)), 5);
  assert_false(nereidMlirOperationTryFold(mlirOpResultGetOwner(folded), &folded));
}

static void test_symbols_calls_functions(void **state) {
  fixture_t *fixture = *state;
  assert_null(find(fixture, "nowhere").ptr);
  MlirOperation call = nth(block(fixture->f, 0), 4);
  intptr_t first, n;
  nereidMlirCallGetArguments(call, &first, &n);
  assert_int_equal(first, 0);
  assert_int_equal(n, 2);
  assert_null(nereidMlirCallGetCallee(fixture->f).ptr);
  assert_true(nereidMlirOperationIsFunction(fixture->f));
  assert_true(nereidMlirFunctionIsPublic(fixture->f));
  assert_false(nereidMlirFunctionIsPublic(fixture->g));
  MlirStringRef name = mlirStringRefCreateFromCString("x.y");
  assert_int_equal(mlirIntegerAttrGetValueInt(nereidMlirFunctionGetArgAttr(fixture->f, 0, name)), 1);
  assert_int_equal(mlirDictionaryAttrGetNumElements(nereidMlirFunctionGetArgAttrs(fixture->f, 0)), 1);
  nereidMlirFunctionSetArgAttr(fixture->f, 0, name, (MlirAttribute){NULL});
  nereidMlirFunctionSetArgAttr(fixture->f, 1, name, mlirUnitAttrGet(fixture->context));
  assert_int_equal(mlirDictionaryAttrGetNumElements(nereidMlirFunctionGetArgAttrs(fixture->f, 0)), 0);
  assert_true(mlirAttributeIsAUnit(nereidMlirFunctionGetArgAttr(fixture->f, 1, name)));
}

typedef struct edges {
  int to_region, to_parent;
  intptr_t operands;
} edges_t;

static void count_edge(MlirRegion region, intptr_t n, const MlirValue *operands, const MlirValue *inputs, void *data) {
  edges_t *edges = data;
  *(mlirRegionIsNull(region) ? &edges->to_parent : &edges->to_region) += 1;
  edges->operands += n;
  for (intptr_t i = 0; i < n; i++)
    assert_true(mlirTypeEqual(mlirValueGetType(operands[i]), mlirValueGetType(inputs[i])));
}

static void test_control_flow(void **state) {
  fixture_t *fixture = *state;
  MlirOperation loop = nth(block(fixture->loop, 0), 2), branch = nth(block(fixture->f, 0), 3);
  assert_true(nereidMlirOperationIsLoopLike(loop));
  assert_true(nereidMlirOperationIsRegionBranch(branch));
  assert_int_equal(nereidMlirRegionGetNumber(mlirOperationGetRegion(branch, 1)), 1);
  assert_true(mlirOperationEqual(nereidMlirRegionGetParentOperation(mlirOperationGetRegion(branch, 1)), branch));
  edges_t edges = {0};
  assert_true(nereidMlirRegionBranchWalkEdges(loop, count_edge, &edges));
  assert_int_equal(edges.to_region, 1);
  assert_int_equal(edges.to_parent, 1);
  assert_int_equal(edges.operands, 2);
  edges = (edges_t){0};
  assert_true(nereidMlirRegionBranchWalkEdges(mlirBlockGetTerminator(block(branch, 0)), count_edge, &edges));
  assert_int_equal(edges.to_region, 0);
  assert_int_equal(edges.operands, 1);
  assert_false(nereidMlirRegionBranchWalkEdges(nth(block(fixture->f, 0), 0), count_edge, &edges));
  intptr_t produced, first, n;
  MlirOperation jump = mlirBlockGetTerminator(block(fixture->f, 0));
  assert_true(nereidMlirBranchGetSuccessorOperands(jump, 0, &produced, &first, &n));
  assert_int_equal(produced, 0);
  assert_int_equal(first, 1);
  assert_int_equal(n, 1);
  assert_true(nereidMlirBranchGetSuccessorOperands(jump, 1, &produced, &first, &n));
  assert_int_equal(n, 0);
  assert_false(nereidMlirBranchGetSuccessorOperands(loop, 0, &produced, &first, &n));
}

static void test_traits_and_effects(void **state) {
  fixture_t *fixture = *state;
  MlirOperation constant = nth(block(fixture->f, 0), 0), add = nth(block(fixture->f, 0), 2);
  MlirOperation call = nth(block(fixture->f, 0), 4), last = nth(block(fixture->f, 1), 0);
  assert_true(nereidMlirOperationHasTrait(constant, NereidMlirTraitConstantLike));
  assert_true(nereidMlirOperationHasTrait(add, NereidMlirTraitCommutative));
  assert_true(nereidMlirOperationHasTrait(add, NereidMlirTraitElementwise));
  assert_true(nereidMlirOperationHasTrait(add, NereidMlirTraitSameOperandsAndResultType));
  assert_true(nereidMlirOperationHasTrait(last, NereidMlirTraitIsTerminator));
  assert_true(nereidMlirOperationHasTrait(last, NereidMlirTraitReturnLike));
  assert_false(nereidMlirOperationHasTrait(add, NereidMlirTraitIsTerminator));
  assert_true(nereidMlirOperationHasTrait(fixture->f, NereidMlirTraitIsolatedFromAbove));
  assert_true(nereidMlirOperationHasTrait(mlirModuleGetOperation(fixture->module), NereidMlirTraitSymbolTable));
  assert_true(nereidMlirOperationIsPure(add));
  assert_true(nereidMlirOperationIsMemoryEffectFree(add));
  assert_false(nereidMlirOperationIsTriviallyDead(add));
  assert_false(nereidMlirOperationIsPure(call));
  assert_false(nereidMlirOperationWalkEffects(call, NULL, NULL));
  assert_true(nereidMlirOperationWalkEffects(add, NULL, NULL));
}

static void count_type(MlirType type, void *data) {
  (void)type;
  ++*(int *)data;
}

static MlirType widen(MlirType type, void *data) {
  (void)data;
  bool i32 = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32;
  return i32 ? mlirIntegerTypeGet(mlirTypeGetContext(type), 64) : (MlirType){NULL};
}

static void test_attributes_and_types(void **state) {
  fixture_t *fixture = *state;
  MlirType type = mlirTypeParseGet(fixture->context, mlirStringRefCreateFromCString("tensor<4xvector<2xi32>>"));
  assert_true(mlirStringRefEqual(nereidMlirAttributeGetName(mlirUnitAttrGet(fixture->context)),
                                 mlirStringRefCreateFromCString("builtin.unit")));
  int types = 0;
  nereidMlirTypeWalk(type, (NereidMlirSubElementCallbacks){NULL, count_type, &types});
  assert_int_equal(types, 3);
  NereidMlirReplacer replacer = {NULL, widen, NULL};
  MlirType wide = mlirTypeParseGet(fixture->context, mlirStringRefCreateFromCString("tensor<4xvector<2xi64>>"));
  assert_true(mlirTypeEqual(nereidMlirTypeReplace(type, replacer), wide));
  nereidMlirOperationReplaceElements(mlirModuleGetOperation(fixture->module), replacer);
  assert_true(mlirOperationVerify(mlirModuleGetOperation(fixture->module)));
  assert_int_equal(mlirIntegerTypeGetWidth(mlirValueGetType(mlirBlockGetArgument(block(fixture->f, 0), 0))), 64);
}

static void test_operands(void **state) {
  fixture_t *fixture = *state;
  MlirOperation call = nth(block(fixture->f, 0), 4);
  MlirValue argument = mlirBlockGetArgument(block(fixture->f, 0), 0);
  nereidMlirOperationInsertOperands(call, 1, 1, &argument);
  assert_int_equal(mlirOperationGetNumOperands(call), 3);
  nereidMlirOperationEraseOperand(call, 2);
  assert_int_equal(mlirOperationGetNumOperands(call), 2);
  assert_true(mlirValueEqual(mlirOperationGetOperand(call, 1), argument));
}

typedef struct heard {
  MlirDiagnosticSeverity severity;
  intptr_t notes;
  int count;
} heard_t;

static MlirLogicalResult hear(MlirDiagnostic diagnostic, void *data) {
  heard_t *heard = data;
  *heard = (heard_t){mlirDiagnosticGetSeverity(diagnostic), mlirDiagnosticGetNumNotes(diagnostic), heard->count + 1};
  return mlirLogicalResultSuccess();
}

static void test_diagnostics(void **state) {
  fixture_t *fixture = *state;
  heard_t heard = {0};
  MlirLocation location = mlirOperationGetLocation(fixture->f);
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(fixture->context, hear, &heard, NULL);
  nereidMlirEmitWithNotes(MlirDiagnosticWarning, location, "3 is odd", 0, NULL);
  assert_int_equal(heard.severity, MlirDiagnosticWarning);
  nereid_remark_at(location, "%s", "so it is");
  assert_int_equal(heard.severity, MlirDiagnosticRemark);
  NereidMlirNote notes[] = {{location, "here"}, {location, "and here"}};
  nereidMlirEmitWithNotes(MlirDiagnosticError, location, "twice", 2, notes);
  assert_int_equal(heard.severity, MlirDiagnosticError);
  assert_int_equal(heard.notes, 2);
  assert_int_equal(heard.count, 3);
  assert_false(nereidMlirRemarksEnabled(fixture->context));
  mlirContextDetachDiagnosticHandler(fixture->context, id);
}

static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *data) {
  (void)diagnostic;
  (void)data;
  return mlirLogicalResultSuccess();
}

/* A view need not be NUL-terminated; bytes after it are not read. */
static void test_parser_stays_in_the_view(void **state) {
  fixture_t *fixture = *state;
  const char *const texts[] = {"module { } // comment", "\"open", "\"x\"() {a = \"open", "module {} {-#", "#a = \"\\"};
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(pages, MAP_FAILED);
  assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(fixture->context, swallow, NULL, NULL);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t size = strlen(texts[i]);
    char *end = memcpy(pages + page - size, texts[i], size);
    MlirModule module = nereidMlirModuleCreateParse(fixture->context, mlirStringRefCreate(end, size),
                                                    mlirStringRefCreateFromCString("view"));
    assert_int_equal(mlirModuleIsNull(module), i > 0);
    if (!mlirModuleIsNull(module))
      mlirModuleDestroy(module);
  }
  mlirContextDetachDiagnosticHandler(fixture->context, id);
  munmap(pages, 2 * page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_clone, setup, teardown),
      cmocka_unit_test_setup_teardown(test_blocks, setup, teardown),
      cmocka_unit_test_setup_teardown(test_fold_and_constants, setup, teardown),
      cmocka_unit_test_setup_teardown(test_symbols_calls_functions, setup, teardown),
      cmocka_unit_test_setup_teardown(test_control_flow, setup, teardown),
      cmocka_unit_test_setup_teardown(test_traits_and_effects, setup, teardown),
      cmocka_unit_test_setup_teardown(test_attributes_and_types, setup, teardown),
      cmocka_unit_test_setup_teardown(test_operands, setup, teardown),
      cmocka_unit_test_setup_teardown(test_diagnostics, setup, teardown),
      cmocka_unit_test_setup_teardown(test_parser_stays_in_the_view, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
