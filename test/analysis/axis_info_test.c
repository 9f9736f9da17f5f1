/* Axis information against computed values: random programs over ranges, splats and constants, half of them called
 * twice with different arguments, are executed by a small interpreter, and contiguity, divisibility, constancy and
 * constants are checked for each element. */
#include "analysis/axis/axis_info.h"
#include "nereid/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka requires the four above. */
#include <cmocka.h>

enum { NODES = 22, ELEMENTS = 128, ARGUMENTS = 3, ROWS = 8, COLUMNS = 16, LENGTH = 64 };

typedef enum shape { SCALAR, LINE, GRID } shape_t;

typedef enum code {
  ARGUMENT,
  CONSTANT,
  RANGE,
  SPLAT,
  ROW_NUMBERS, /* range, expand_dims, broadcast */
  COLUMN_NUMBERS,
  CMPI,
  SELECT,
  BINARY,
} code_t;

static const char *const binaries[] = {"addi",  "subi", "muli",  "andi",  "ori",   "xori",  "minsi", "maxsi", "minui",
                                       "maxui", "shli", "shrui", "shrsi", "divui", "remui", "divsi", "remsi"};
enum { BINARIES = sizeof binaries / sizeof *binaries, SHIFT = 10, UNSIGNED_DIVISION = 13, SIGNED_DIVISION = 15 };
static const char *const predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};

typedef struct node {
  code_t code;
  int binary, predicate;
  int a, b, c; /* operands */
  shape_t shape;
  bool is_bool;
  int32_t number; /* value of a constant, start of a range, or divisibility of an argument */
} node_t;

typedef struct program {
  node_t nodes[NODES];
  int count;
  bool has_signed_division;
  bool is_called;           /* twice, by a kernel; else it is the kernel */
  int32_t other[ARGUMENTS]; /* divisibility of the second call's arguments; the first one has that of the nodes */
} program_t;

static uint64_t state;

static uint32_t random_below(uint32_t limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % limit;
}

static void add(program_t *p, node_t node) {
  assert_true(p->count < NODES);
  p->nodes[p->count++] = node;
}

/* A random earlier node of this shape and kind; -1 when there is none. */
static int pick(const program_t *p, shape_t shape, bool is_bool) {
  int found = -1, seen = 0;
  for (int i = 0; i < p->count; i++)
    if (p->nodes[i].shape == shape && p->nodes[i].is_bool == is_bool && random_below((uint32_t)++seen) == 0)
      found = i;
  return found;
}

static void add_random(program_t *p) {
  shape_t shape = (shape_t)random_below(3);
  node_t node = {.shape = shape, .a = pick(p, shape, false), .b = pick(p, shape, false)};
  switch (random_below(8)) {
  case 0:
    node.code = CONSTANT;
    node.number = random_below(3) ? (int32_t)(1u << random_below(7)) : (int32_t)random_below(100) - 20;
    break;
  case 1:
    node.code = CMPI;
    node.is_bool = true;
    node.predicate = (int)random_below(10);
    break;
  case 2:
    node.code = SELECT;
    node.c = pick(p, random_below(2) ? shape : SCALAR, true);
    if (node.c < 0)
      return;
    break;
  case 3:
    node.code = SPLAT;
    node.a = pick(p, SCALAR, false);
    if (shape == SCALAR)
      return;
    break;
  default:
    node.code = BINARY;
    node.binary = (int)random_below(BINARIES);
    p->has_signed_division |= node.binary >= SIGNED_DIVISION;
  }
  add(p, node);
}

static program_t random_program(void) {
  program_t p = {.is_called = random_below(2) == 0};
  for (int i = 0; i < ARGUMENTS; i++)
    p.other[i] = 1 << random_below(7);
  for (int i = 0; i < ARGUMENTS; i++)
    add(&p, (node_t){.code = ARGUMENT, .shape = SCALAR, .number = 1 << random_below(7)});
  add(&p, (node_t){.code = RANGE, .shape = LINE, .number = random_below(2) ? 0 : (int32_t)random_below(40)});
  add(&p, (node_t){.code = SPLAT, .shape = LINE, .a = 0});
  add(&p, (node_t){.code = ROW_NUMBERS, .shape = GRID});
  add(&p, (node_t){.code = COLUMN_NUMBERS, .shape = GRID});
  while (p.count < NODES)
    add_random(&p);
  return p;
}

/* --- text --- */

static const char *type_of(const node_t *node) {
  static const char *const names[2][3] = {{"i32", "tensor<64xi32>", "tensor<8x16xi32>"},
                                          {"i1", "tensor<64xi1>", "tensor<8x16xi1>"}};
  return names[node->is_bool][node->shape];
}

static int print_numbers(int i, bool rows, char *out, size_t size) {
  int length = rows ? ROWS : COLUMNS;
  const char *expanded = rows ? "8x1" : "1x16";
  return snprintf(out, size,
                  "%%r%d = tt.make_range {start = 0 : i32, end = %d : i32} : tensor<%dxi32>\n"
                  "%%e%d = tt.expand_dims %%r%d {axis = %d : i32} : tensor<%dxi32> -> tensor<%sxi32>\n"
                  "%%v%d = tt.broadcast %%e%d : tensor<%sxi32> -> tensor<8x16xi32>\n",
                  i, length, length, i, i, rows, length, expanded, i, i, expanded);
}

static int print_node(const program_t *p, int i, char *out, size_t size) {
  const node_t *n = &p->nodes[i];
  const char *type = type_of(n), *operand = type_of(&p->nodes[n->a]), *condition = type_of(&p->nodes[n->c]);
  switch (n->code) {
  case CONSTANT:
    return n->shape == SCALAR ? snprintf(out, size, "%%v%d = arith.constant %d : i32\n", i, n->number)
                              : snprintf(out, size, "%%v%d = arith.constant dense<%d> : %s\n", i, n->number, type);
  case RANGE:
    return snprintf(out, size, "%%v%d = tt.make_range {start = %d : i32, end = %d : i32} : %s\n", i, n->number,
                    n->number + LENGTH, type);
  case SPLAT:
    return snprintf(out, size, "%%v%d = tt.splat %%v%d : i32 -> %s\n", i, n->a, type);
  case ROW_NUMBERS:
  case COLUMN_NUMBERS:
    return print_numbers(i, n->code == ROW_NUMBERS, out, size);
  case CMPI:
    return snprintf(out, size, "%%v%d = arith.cmpi %s, %%v%d, %%v%d : %s\n", i, predicates[n->predicate], n->a, n->b,
                    operand);
  case SELECT:
    return p->nodes[n->c].shape == n->shape && n->shape != SCALAR
               ? snprintf(out, size, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s\n", i, n->c, n->a, n->b,
                          condition, type)
               : snprintf(out, size, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s\n", i, n->c, n->a, n->b, type);
  case BINARY:
    return snprintf(out, size, "%%v%d = arith.%s %%v%d, %%v%d : %s\n", i, binaries[n->binary], n->a, n->b, type);
  default:
    return 0;
  }
}

/* "%v0: i32 {tt.divisibility = 8 : i32}, ..." with `of`, else without the attribute. */
static int print_arguments(const char *name, const int32_t *of, char *out, size_t size) {
  int at = 0;
  for (int i = 0; i < ARGUMENTS; i++) {
    at += snprintf(out + at, size - (size_t)at, "%s%%%s%d: i32", i ? ", " : "", name, i);
    if (of)
      at += snprintf(out + at, size - (size_t)at, " {tt.divisibility = %d : i32}", of[i]);
  }
  return at;
}

static void first_divisibility(const program_t *p, int32_t out[ARGUMENTS]) {
  for (int i = 0; i < ARGUMENTS; i++)
    out[i] = p->nodes[i].number;
}

static void print_kernel(const program_t *p, char *out, size_t size) {
  int32_t first[ARGUMENTS];
  first_divisibility(p, first);
  int at = snprintf(out, size, "tt.func public @k(");
  at += print_arguments("a", first, out + at, size - (size_t)at);
  at += snprintf(out + at, size - (size_t)at, ", ");
  at += print_arguments("b", p->other, out + at, size - (size_t)at);
  snprintf(out + at, size - (size_t)at,
           ") {\n  tt.call @f(%%a0, %%a1, %%a2) : (i32, i32, i32) -> ()\n"
           "  tt.call @f(%%b0, %%b1, %%b2) : (i32, i32, i32) -> ()\n  tt.return\n}\n");
}

static void print_program(const program_t *p, char *out, size_t size) {
  int32_t first[ARGUMENTS];
  first_divisibility(p, first);
  int at = snprintf(out, size, "tt.func %s @f(", p->is_called ? "private" : "public");
  at += print_arguments("v", p->is_called ? NULL : first, out + at, size - (size_t)at);
  at += snprintf(out + at, size - (size_t)at, ") {\n");
  for (int i = ARGUMENTS; i < p->count; i++)
    at += print_node(p, i, out + at, size - (size_t)at);
  at += snprintf(out + at, size - (size_t)at, "tt.return\n}\n");
  if (p->is_called)
    print_kernel(p, out + at, size - (size_t)at);
}

/* --- numbers --- */

typedef struct run {
  int32_t values[NODES][ELEMENTS];
  bool overflowed, undefined;
} run_t;

static int element_count(shape_t shape) {
  return shape == SCALAR ? 1 : shape == LINE ? LENGTH : ROWS * COLUMNS;
}

static bool compare(int predicate, int32_t a, int32_t b) {
  uint32_t x = (uint32_t)a, y = (uint32_t)b;
  bool answers[] = {a == b, a != b, a<b, a <= b, a> b, a >= b, x<y, x <= y, x> y, x >= y};
  return answers[predicate];
}

static int32_t narrow(run_t *run, int64_t exact) {
  run->overflowed |= exact != (int32_t)exact;
  return (int32_t)(uint32_t)(uint64_t)exact;
}

static int32_t run_division(run_t *run, int binary, int32_t a, int32_t b) {
  if (b == 0 || (a == INT32_MIN && b == -1)) {
    run->undefined = true;
    return 0;
  }
  /* The analysis assumes that unknown divisors are positive. */
  run->undefined |= binary >= SIGNED_DIVISION && b < 0;
  int32_t answers[] = {(int32_t)((uint32_t)a / (uint32_t)b), (int32_t)((uint32_t)a % (uint32_t)b), a / b, a % b};
  return answers[binary - UNSIGNED_DIVISION];
}

static int32_t run_shift(run_t *run, int binary, int32_t a, uint32_t by) {
  if (by >= 32) {
    run->undefined = true;
    return 0;
  }
  return binary == SHIFT       ? narrow(run, (int64_t)a * (INT64_C(1) << by))
         : binary == SHIFT + 1 ? (int32_t)((uint32_t)a >> by)
                               : a >> by;
}

static int32_t run_binary(run_t *run, int binary, int32_t a, int32_t b) {
  uint32_t x = (uint32_t)a, y = (uint32_t)b;
  if (binary >= UNSIGNED_DIVISION)
    return run_division(run, binary, a, b);
  if (binary >= SHIFT)
    return run_shift(run, binary, a, y);
  switch (binary) {
  case 0:
    return narrow(run, (int64_t)a + b);
  case 1:
    return narrow(run, (int64_t)a - b);
  case 2:
    return narrow(run, (int64_t)a * b);
  case 3:
    return a & b;
  case 4:
    return a | b;
  case 5:
    return a ^ b;
  case 6:
    return a < b ? a : b;
  case 7:
    return a > b ? a : b;
  case 8:
    return x < y ? a : b;
  default:
    return x > y ? a : b;
  }
}

static int32_t run_element(run_t *run, const program_t *p, const node_t *n, int e) {
  switch (n->code) {
  case CONSTANT:
    return n->number;
  case RANGE:
    return n->number + e;
  case SPLAT:
    return run->values[n->a][0];
  case ROW_NUMBERS:
    return e / COLUMNS;
  case COLUMN_NUMBERS:
    return e % COLUMNS;
  case CMPI:
    return compare(n->predicate, run->values[n->a][e], run->values[n->b][e]);
  case SELECT:
    return run->values[n->c][p->nodes[n->c].shape == SCALAR ? 0 : e] ? run->values[n->a][e] : run->values[n->b][e];
  default:
    return run_binary(run, n->binary, run->values[n->a][e], run->values[n->b][e]);
  }
}

static void run_program(const program_t *p, run_t *run) {
  run->overflowed = run->undefined = false;
  const bool second = p->is_called && random_below(2);
  for (int i = 0; i < ARGUMENTS; i++)
    run->values[i][0] = ((int32_t)random_below(64) - 16) * (second ? p->other[i] : p->nodes[i].number);
  for (int i = ARGUMENTS; i < p->count; i++)
    for (int e = 0; e < element_count(p->nodes[i].shape); e++)
      run->values[i][e] = run_element(run, p, &p->nodes[i], e);
}

/* --- claims --- */

static void fail_claim(const program_t *p, int node, const char *claim, int d) {
  static char text[16384];
  print_program(p, text, sizeof text);
  fputs(text, stderr);
  fail_msg("%%v%d: %s along %d does not hold", node, claim, d);
}

static void check_dim(const program_t *p, const run_t *run, int node, const nereid_axis_info_t *info, int d) {
  const node_t *n = &p->nodes[node];
  int size = n->shape == SCALAR ? 1 : n->shape == LINE ? LENGTH : d == 0 ? ROWS : COLUMNS;
  int stride = n->shape == GRID && d == 0 ? COLUMNS : 1;
  int64_t contiguity = nereid_axis_info_contiguity(info, d), constancy = nereid_axis_info_constancy(info, d);
  int64_t divisibility = nereid_axis_info_divisibility(info, d);
  for (int e = 0; e < element_count(n->shape); e++) {
    int at = e / stride % size;
    int32_t value = run->values[node][e];
    uint32_t first = (uint32_t)run->values[node][e - at % contiguity * stride];
    if ((uint32_t)value != first + (uint32_t)(at % contiguity))
      fail_claim(p, node, "contiguity", d);
    if (value != run->values[node][e - at % constancy * stride])
      fail_claim(p, node, "constancy", d);
    if (at % contiguity == 0 && (int64_t)(uint32_t)value % divisibility != 0)
      fail_claim(p, node, "divisibility", d);
    if (info->has_constant && (uint32_t)value != info->constant)
      fail_claim(p, node, "constant", d);
    if (info->non_negative && !n->is_bool && !run->overflowed && value < 0)
      fail_claim(p, node, "sign", d);
  }
}

static int check_program(const program_t *p, MlirModule module, const nereid_axis_result_t *result) {
  static run_t run;
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  int checked = 0;
  for (int sample = 0; sample < 6; sample++) {
    run_program(p, &run);
    if (run.undefined || (run.overflowed && p->has_signed_division))
      continue;
    checked++;
    MlirOperation op = mlirBlockGetFirstOperation(body);
    for (int i = ARGUMENTS; i < p->count; i++, op = mlirOperationGetNextInBlock(op)) {
      for (int skip = p->nodes[i].code == ROW_NUMBERS || p->nodes[i].code == COLUMN_NUMBERS ? 2 : 0; skip > 0; skip--)
        op = mlirOperationGetNextInBlock(op);
      const nereid_axis_info_t *info = nereid_axis_info_get(result, mlirOperationGetResult(op, 0));
      assert_non_null(info);
      assert_int_equal(info->rank, p->nodes[i].shape == GRID ? 2 : 1);
      for (int d = 0; d < info->rank; d++)
        check_dim(p, &run, i, info, d);
    }
  }
  return checked;
}

static void test_claims_hold(void **unused) {
  (void)unused;
  static char text[16384];
  MlirContext context = nereid_context_create();
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const char *seed = getenv("NEREID_TEST_SEED");
  state = seed ? strtoull(seed, NULL, 10) : 7;
  int checked = 0;
  for (int round = 0; round < 1500; round++) {
    program_t p = random_program();
    print_program(&p, text, sizeof text);
    MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
    if (mlirModuleIsNull(module))
      fail_msg("does not parse:\n%s", text);
    nereid_axis_result_t result;
    assert_int_equal(nereid_axis_info_run(mlirModuleGetOperation(module), &arena, &result), NEREID_OK);
    checked += check_program(&p, module, &result);
    mlirModuleDestroy(module);
  }
  assert_true(checked > 1000);
  nereid_arena_deinitialize(&arena);
  mlirContextDestroy(context);
}

static void test_values_outside_have_no_answer(void **unused) {
  (void)unused;
  MlirContext context = nereid_context_create();
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  MlirStringRef text = mlirStringRefCreateFromCString("tt.func @f(%a: i32) { tt.return }");
  MlirModule modules[] = {mlirModuleCreateParse(context, text), mlirModuleCreateParse(context, text)};
  nereid_axis_result_t result;
  assert_int_equal(nereid_axis_info_run(mlirModuleGetOperation(modules[0]), &arena, &result), NEREID_OK);
  for (int i = 0; i < 2; i++) {
    MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(modules[i]));
    MlirValue argument = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)), 0);
    assert_int_equal(nereid_axis_info_get(&result, argument) != NULL, i == 0);
  }
  mlirModuleDestroy(modules[0]);
  mlirModuleDestroy(modules[1]);
  nereid_arena_deinitialize(&arena);
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_claims_hold),
      cmocka_unit_test(test_values_outside_have_no_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
