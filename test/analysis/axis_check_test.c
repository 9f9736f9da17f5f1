/* The check of axis information against values: true for values that satisfy it, and false, with the property, the
 * element and the value, for each kind of violation. */
#include "analysis/axis/axis_check.h"
#include "nereid/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka requires the four above. */
#include <cmocka.h>

typedef struct fixture {
  MlirContext context;
  MlirModule module;
  nereid_arena_t arena;
  nereid_axis_result_t result;
} fixture_t;

static const char *const text = "tt.func public @f(%n: i32 {tt.divisibility = 8 : i32}) {\n"
                                "  %0 = tt.make_range {start = 8 : i32, end = 16 : i32} : tensor<8xi32>\n"
                                "  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>\n"
                                "  %2 = tt.broadcast %1 : tensor<1x8xi32> -> tensor<2x8xi32>\n"
                                "  %3 = arith.constant dense<5> : tensor<8xi8>\n"
                                "  %4 = arith.addi %n, %n {tt.divisibility = 16 : i32} : i32\n"
                                "  %5 = arith.constant 2.0 : f32\n"
                                "  tt.return\n"
                                "}\n";

static int set_up(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  f->context = nereid_context_create();
  nereid_arena_initialize(&f->arena);
  f->module = mlirModuleCreateParse(f->context, mlirStringRefCreateFromCString(text));
  *state = f;
  return mlirModuleIsNull(f->module) ||
         nereid_axis_info_run(mlirModuleGetOperation(f->module), &f->arena, &f->result) != NEREID_OK;
}

static int tear_down(void **state) {
  fixture_t *f = *state;
  mlirModuleDestroy(f->module);
  nereid_arena_deinitialize(&f->arena);
  mlirContextDestroy(f->context);
  free(f);
  return 0;
}

static MlirBlock body(const fixture_t *f) {
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(f->module));
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

static MlirValue value(const fixture_t *f, int number) {
  MlirOperation op = mlirBlockGetFirstOperation(body(f));
  while (number-- > 0)
    op = mlirOperationGetNextInBlock(op);
  return mlirOperationGetResult(op, 0);
}

/* Null: the values satisfy the axis information. */
static void expect(const fixture_t *f, MlirValue of, size_t count, const uint64_t *words, const char *message) {
  nereid_message_t said = {0};
  const bool good = nereid_axis_check(&f->result, of, count, words, &said);
  assert_int_equal(good, message == NULL);
  assert_string_equal(said.text, message ? message : "");
}

static void test_groups_count(void **state) {
  expect(*state, value(*state, 0), 8, (uint64_t[]){8, 9, 10, 11, 12, 13, 14, 15}, NULL);
  expect(*state, value(*state, 0), 8, (uint64_t[]){8, 9, 10, 12, 12, 13, 14, 15},
         "result 0: a claim of the axis analysis is false: contiguity 8 along dimension 0; its element (3) is 12, "
         "expected 11");
  expect(*state, value(*state, 0), 8, (uint64_t[]){9, 10, 11, 12, 13, 14, 15, 16},
         "result 0: a claim of the axis analysis is false: divisibility 8 along dimension 0; its element (0) is 9");
}

static void test_two_dimensions(void **state) {
  uint64_t words[16];
  for (int i = 0; i < 16; i++)
    words[i] = 8 + (uint64_t)(i % 8);
  expect(*state, value(*state, 2), 16, words, NULL);
  words[8 + 5] = 14;
  expect(*state, value(*state, 2), 16, words,
         "result 0: a claim of the axis analysis is false: constancy 2 along dimension 0; its element (1, 5) is 14, "
         "expected 13");
}

/* One word stands for all elements of a tensor. */
static void test_constants(void **state) {
  expect(*state, value(*state, 3), 1, (uint64_t[]){5}, NULL);
  expect(*state, value(*state, 3), 1, (uint64_t[]){6},
         "result 0: a claim of the axis analysis is false: constant 5; its element (0) is 6");
}

/* Words of a scalar are values of different runs, and may differ. An attribute is an assertion of the program. */
static void test_scalars_and_assertions(void **state) {
  expect(*state, value(*state, 4), 3, (uint64_t[]){16, 64, 0}, NULL);
  expect(*state, value(*state, 4), 3, (uint64_t[]){16, 64, 24},
         "result 0: an assertion of the program is false: divisibility 16; its element is 24");
  expect(*state, mlirBlockGetArgument(body(*state), 0), 1, (uint64_t[]){12},
         "argument 0: an assertion of the program is false: divisibility 8; its element is 12");
  expect(*state, value(*state, 5), 1, (uint64_t[]){0x40000001}, NULL); /* floats have no divisors */
}

static void test_unknown_values(void **state) {
  fixture_t *f = *state;
  MlirModule other = mlirModuleCreateParse(f->context, mlirStringRefCreateFromCString(text));
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(other));
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  expect(f, mlirBlockGetArgument(block, 0), 1, (uint64_t[]){3}, NULL);
  mlirModuleDestroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_count),   cmocka_unit_test(test_two_dimensions),
      cmocka_unit_test(test_constants),      cmocka_unit_test(test_scalars_and_assertions),
      cmocka_unit_test(test_unknown_values),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
