/* Inferred encodings, as exact text: they appear in printed types, and Triton 3.6 infers the same ones. */
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/module.h"
#include "nereid/context.h"

#include <mlir-c/BuiltinAttributes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka requires the four above. */
#include <cmocka.h>

#define BLOCKED(size, threads, warps, order)                                                                           \
  "#ttg.blocked<{sizePerThread = [" size "], threadsPerWarp = [" threads "], warpsPerCTA = [" warps                    \
  "], order = [" order "]}>"
#define LINEAR(registers, lanes, warps)                                                                                \
  "#ttg.linear<{register = [" registers "], lane = [" lanes "], warp = [" warps "], block = []}>"
#define SLICE(dim, parent) "#ttg.slice<{dim = " dim ", parent = " parent "}>"
#define MMA2 "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
#define SWIZZLED(vec, order) "#ttg.swizzled_shared<{vec = " vec ", perPhase = 1, maxPhase = 8, order = [" order "]}>"
#define NVMMA(bytes, transposed, rest)                                                                                 \
  "#ttg.nvmma_shared<{swizzlingByteWidth = " bytes ", transposed = " transposed ", elementBitWidth = 16" rest "}>"

typedef struct fixture {
  MlirContext context;
  char text[1024];
} fixture_t;

static int setup(void **state) {
  fixture_t *fixture = calloc(1, sizeof *fixture);
  fixture->context = nereid_context_create();
  *state = fixture;
  return 0;
}

static int teardown(void **state) {
  fixture_t *fixture = *state;
  mlirContextDestroy(fixture->context);
  free(fixture);
  return 0;
}

static void append(MlirStringRef piece, void *user_data) {
  fixture_t *fixture = user_data;
  size_t used = strlen(fixture->text);
  assert_true(used + piece.length < sizeof fixture->text);
  memcpy(fixture->text + used, piece.data, piece.length);
}

static MlirAttribute parse(fixture_t *fixture, const char *text) {
  MlirAttribute made = mlirAttributeParseGet(fixture->context, mlirStringRefCreateFromCString(text));
  assert_false(mlirAttributeIsNull(made));
  return made;
}

/* Null `expected`: inference fails. */
static void expect(fixture_t *fixture, bool inferred, MlirAttribute actual, const char *expected) {
  memset(fixture->text, 0, sizeof fixture->text);
  assert_int_equal(inferred, expected != NULL);
  if (!expected)
    return;
  mlirAttributePrint(actual, append, fixture);
  assert_string_equal(fixture->text, expected);
}

static const MlirLocation quiet = {NULL};

/* Up to four dimensions; the first 0 ends a shape. */
typedef struct row {
  const char *encoding;
  int64_t shape[5], to[5];
  const char *expected;
} row_t;

static int rank_of(const int64_t *shape) {
  int rank = 0;
  while (shape[rank])
    rank++;
  return rank;
}

static void infers_reshapes(void **state) {
  static const row_t rows[] = {
      {BLOCKED("1, 8", "4, 8", "4, 1", "1, 0"), {128, 64}, {8192}, BLOCKED("8", "32", "4", "0")},
      {BLOCKED("4, 4", "32, 1", "4, 1", "1, 0"), {32, 4}, {128}, BLOCKED("16", "32", "4", "0")},
      {BLOCKED("1, 1", "1, 32", "1, 4", "1, 0"),
       {16, 256},
       {4, 4, 256},
       BLOCKED("1, 1, 1", "1, 1, 32", "1, 1, 4", "2, 1, 0")},
      {BLOCKED("1, 2, 1", "4, 1, 8", "1, 2, 2", "1, 2, 0"),
       {8, 2, 32},
       {8, 2, 4, 8},
       BLOCKED("1, 2, 1, 1", "4, 1, 1, 8", "1, 2, 2, 1", "1, 3, 2, 0")},
      /* A thread's 2x2 block is not contiguous. */
      {BLOCKED("2, 2", "4, 8", "4, 1", "1, 0"),
       {32, 32},
       {1024},
       LINEAR("[1], [32], [16]", "[2], [4], [8], [64], [128]", "[256], [512]")},
      /* Column-major. */
      {BLOCKED("1, 1", "32, 1", "1, 4", "0, 1"), {32, 4}, {128}, LINEAR("", "[4], [8], [16], [32], [64]", "[1], [2]")},
      {BLOCKED("1, 8", "4, 8", "4, 1", "1, 0"), {128, 64}, {128, 64}, BLOCKED("1, 8", "4, 8", "4, 1", "1, 0")},
      {BLOCKED("1", "32", "4", "0"), {128}, {64}, NULL},
  };
  fixture_t *fixture = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    MlirAttribute out;
    bool ok = nereid_ttg_infer_reshape_encoding(rank_of(rows[i].shape), rows[i].shape, parse(fixture, rows[i].encoding),
                                                rank_of(rows[i].to), rows[i].to, quiet, &out);
    expect(fixture, ok, out, rows[i].expected);
  }
}

static void infers_buffer_reshapes(void **state) {
  static const row_t rows[] = {
      {NVMMA("128", "false", ""), {64, 64}, {4, 16, 64}, NVMMA("128", "false", ", rank = 3")},
      {NVMMA("32", "false", ""),
       {16, 16},
       {8, 32},
       "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 0]]}, alignment = "
       "256>"},
      {SWIZZLED("1", "1, 0"), {2, 2}, {4}, "#ttg.shared_linear<{offset = [[1], [3]]}, alignment = 16>"},
      {BLOCKED("1", "32", "4", "0"), {128}, {128}, NULL},
  };
  fixture_t *fixture = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    MlirAttribute out;
    bool ok = nereid_ttg_infer_memdesc_reshape_encoding(rank_of(rows[i].shape), rows[i].shape,
                                                        parse(fixture, rows[i].encoding), rank_of(rows[i].to),
                                                        rows[i].to, quiet, &out);
    expect(fixture, ok, out, rows[i].expected);
  }
}

/* `to` holds the order, with each index one too high. */
static void infers_transpositions(void **state) {
  static const row_t rows[] = {
      {BLOCKED("1, 8", "4, 8", "4, 1", "1, 0"), {128, 64}, {2, 1}, BLOCKED("8, 1", "8, 4", "1, 4", "0, 1")},
      {BLOCKED("1, 2, 4", "2, 4, 4", "4, 1, 1", "2, 0, 1"),
       {8, 8, 16},
       {2, 3, 1},
       BLOCKED("2, 4, 1", "4, 4, 2", "1, 1, 4", "1, 2, 0")},
      {SWIZZLED("8", "1, 0"), {64, 64}, {2, 1}, SWIZZLED("8", "0, 1")},
      {NVMMA("128", "false", ""), {64, 64}, {2, 1}, NVMMA("128", "true", "")},
      {NVMMA("128", "false", ", CGALayout = [[0, 1]]"),
       {64, 128},
       {2, 1},
       NVMMA("128", "true", ", CGALayout = [[1, 0]]")},
      {"#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>",
       {16, 32},
       {2, 1},
       "#ttg.padded_shared<[32:+4] {order = [0, 1], shape = [32, 16]}>"},
      {SLICE("0", BLOCKED("1, 1, 2", "2, 16, 1", "4, 1, 1", "2, 1, 0")),
       {16, 4},
       {2, 1},
       LINEAR("[1, 0], [2, 0]", "[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]", "[0, 0], [0, 0]")},
      {MMA2, {32, 16}, {1, 2}, MMA2},
      {MMA2, {32, 16}, {1, 1}, NULL},
      {MMA2, {32, 16, 2}, {3, 1, 2}, NULL},
  };
  fixture_t *fixture = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    MlirAttribute out;
    int32_t order[4];
    int rank = rank_of(rows[i].to);
    for (int d = 0; d < rank; d++)
      order[d] = (int32_t)rows[i].to[d] - 1;
    bool ok =
        nereid_ttg_infer_trans_encoding(parse(fixture, rows[i].encoding), rank, rows[i].shape, order, quiet, &out);
    expect(fixture, ok, out, rows[i].expected);
  }
}

static void infers_joins(void **state) {
  static const row_t rows[] = {
      {BLOCKED("4", "32", "4", "0"), {512}, {0}, BLOCKED("4, 2", "32, 1", "4, 1", "1, 0")},
      {BLOCKED("1, 4", "4, 8", "4, 1", "0, 1"), {16, 32}, {0}, BLOCKED("1, 4, 2", "4, 8, 1", "4, 1, 1", "2, 0, 1")},
      /* The parent splits back into the slice. */
      {SLICE("1", BLOCKED("1, 2", "32, 1", "4, 1", "1, 0")), {128}, {0}, BLOCKED("1, 2", "32, 1", "4, 1", "1, 0")},
      {SLICE("1", BLOCKED("1, 1", "16, 2", "4, 1", "1, 0")),
       {64},
       {0},
       LINEAR("[0, 1]", "[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]", "[16, 0], [32, 0]")},
      {SLICE("0", BLOCKED("1, 1", "1, 32", "1, 4", "1, 0")),
       {128},
       {0},
       LINEAR("[0, 1]", "[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]", "[32, 0], [64, 0]")},
  };
  fixture_t *fixture = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    MlirAttribute out;
    bool ok = nereid_ttg_infer_join_encoding(parse(fixture, rows[i].encoding), rank_of(rows[i].shape), rows[i].shape,
                                             quiet, &out);
    expect(fixture, ok, out, rows[i].expected);
  }
}

static void infers_splits(void **state) {
  static const row_t rows[] = {
      {BLOCKED("4, 2", "32, 1", "4, 1", "1, 0"), {512, 2}, {0}, BLOCKED("4", "32", "4", "0")},
      {BLOCKED("2, 2", "16, 2", "4, 1", "0, 1"),
       {128, 2},
       {0},
       LINEAR("[1]", "[2], [4], [8], [16], [0]", "[32], [64]")},
      {SLICE("0", BLOCKED("1, 1, 2", "2, 16, 1", "4, 1, 1", "2, 1, 0")),
       {32, 2},
       {0},
       LINEAR("[16]", "[1], [2], [4], [8], [0]", "[0], [0]")},
      /* Different threads hold the halves. */
      {BLOCKED("4, 1", "16, 2", "4, 1", "1, 0"), {256, 2}, {0}, NULL},
      {SLICE("0", BLOCKED("1, 1, 4", "2, 16, 1", "4, 1, 1", "2, 1, 0")), {32, 4}, {0}, NULL},
  };
  fixture_t *fixture = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    MlirAttribute out;
    bool ok = nereid_ttg_infer_split_encoding(parse(fixture, rows[i].encoding), rank_of(rows[i].shape), rows[i].shape,
                                              quiet, &out);
    expect(fixture, ok, out, rows[i].expected);
  }
}

static void infers_fp4(void **state) {
  fixture_t *fixture = *state;
  const int64_t packed[] = {16, 32}, unpacked[] = {16, 64};
  MlirAttribute out;
  bool ok = nereid_ttg_infer_fp4_to_fp_encoding(parse(fixture, BLOCKED("1, 4", "4, 8", "4, 1", "1, 0")), 2, packed, 1,
                                                true, quiet, &out);
  expect(fixture, ok, out, BLOCKED("1, 8", "4, 8", "4, 1", "1, 0"));
  ok = nereid_ttg_infer_fp4_to_fp_encoding(out, 2, unpacked, 1, false, quiet, &out);
  expect(fixture, ok, out, BLOCKED("1, 4", "4, 8", "4, 1", "1, 0"));
  ok = nereid_ttg_infer_fp4_to_fp_encoding(parse(fixture, "#ttg.dot_op<{opIdx = 0, parent = " MMA2 ", kWidth = 2}>"), 2,
                                           packed, 1, true, quiet, &out);
  expect(fixture, ok, out, "#ttg.dot_op<{opIdx = 0, parent = " MMA2 ", kWidth = 4}>");
  ok = nereid_ttg_infer_fp4_to_fp_encoding(parse(fixture, BLOCKED("1, 1", "4, 8", "4, 1", "1, 0")), 2, unpacked, 1,
                                           false, quiet, &out);
  expect(fixture, ok, out, NULL);
}

static void infers_slices(void **state) {
  fixture_t *fixture = *state;
  MlirAttribute blocked = parse(fixture, BLOCKED("1, 8", "4, 8", "4, 1", "1, 0")), slice, out;
  expect(fixture, nereid_ttg_infer_reduce_encoding(blocked, 1, &slice), slice,
         SLICE("1", BLOCKED("1, 8", "4, 8", "4, 1", "1, 0")));
  assert_true(nereid_ttg_infer_expand_dims_encoding(slice, 1, quiet, &out));
  assert_true(mlirAttributeEqual(out, blocked));
  assert_false(nereid_ttg_infer_expand_dims_encoding(slice, 0, quiet, &out));
  assert_false(nereid_ttg_infer_expand_dims_encoding(blocked, 0, quiet, &out));
  assert_false(nereid_ttg_infer_reduce_encoding(slice, 0, &out));
}

static void checks_dot_operands(void **state) {
  fixture_t *fixture = *state;
  MlirAttribute mma = parse(fixture, MMA2);
  MlirAttribute wgmma =
      parse(fixture,
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>");
  MlirAttribute a = parse(fixture, "#ttg.dot_op<{opIdx = 0, parent = " MMA2 ", kWidth = 2}>");
  MlirAttribute b = parse(fixture, "#ttg.dot_op<{opIdx = 1, parent = " MMA2 ", kWidth = 2}>");
  MlirAttribute wide = parse(fixture, "#ttg.dot_op<{opIdx = 1, parent = " MMA2 ", kWidth = 4}>");
  MlirAttribute shared = parse(fixture, NVMMA("128", "false", "")), none = mlirAttributeGetNull();
  assert_true(nereid_ttg_dot_operand_encoding_verify(a, 0, mma, quiet));
  assert_false(nereid_ttg_dot_operand_encoding_verify(a, 1, mma, quiet));
  assert_false(nereid_ttg_dot_operand_encoding_verify(b, 1, wgmma, quiet));
  assert_false(nereid_ttg_dot_operand_encoding_verify(mma, 0, mma, quiet));
  assert_true(nereid_ttg_dot_operand_encoding_verify(shared, 1, wgmma, quiet));
  assert_true(nereid_ttg_dot_operand_encoding_verify(none, 1, wgmma, quiet));
  assert_true(nereid_ttg_dot_operand_encodings_verify(a, b, quiet));
  assert_false(nereid_ttg_dot_operand_encodings_verify(a, wide, quiet));
  assert_false(nereid_ttg_dot_operand_encodings_verify(a, none, quiet));
  assert_true(nereid_ttg_dot_operand_encodings_verify(none, none, quiet));
}

static void compares_layouts(void **state) {
  fixture_t *fixture = *state;
  const int64_t shape[] = {128}, wider[] = {256};
  MlirAttribute blocked = parse(fixture, BLOCKED("1", "32", "4", "0"));
  MlirAttribute linear = parse(fixture, LINEAR("", "[1], [2], [4], [8], [16]", "[32], [64]"));
  MlirAttribute other = parse(fixture, BLOCKED("2", "32", "4", "0"));
  assert_true(nereid_ttg_encodings_equivalent(blocked, linear, 1, shape));
  assert_true(nereid_ttg_encodings_equivalent(blocked, linear, 1, wider));
  assert_false(nereid_ttg_encodings_equivalent(blocked, other, 1, wider));
  assert_false(nereid_ttg_encodings_equivalent(blocked, mlirAttributeGetNull(), 1, shape));
  assert_true(nereid_ttg_encodings_equivalent(mlirAttributeGetNull(), mlirAttributeGetNull(), 1, shape));
}

static void fits_blocked_encodings(void **state) {
  fixture_t *fixture = *state;
  const int64_t matrix[] = {64, 32}, row[] = {1, 4096}, cube[] = {2, 4, 8};
  const int32_t eight[] = {1, 8}, order[] = {1, 0};
  nereid_thread_grid_t four = {4, 32, 1}, pair = {4, 32, 2};
  expect(fixture, true, nereid_ttg_blocked_default(fixture->context, 2, matrix, four),
         BLOCKED("1, 1", "1, 32", "4, 1", "1, 0"));
  expect(fixture, true, nereid_ttg_blocked_default(fixture->context, 2, row, four),
         BLOCKED("1, 1", "1, 32", "1, 4", "1, 0"));
  expect(fixture, true, nereid_ttg_blocked_default(fixture->context, 3, cube, four),
         BLOCKED("1, 1, 1", "1, 4, 8", "4, 1, 1", "2, 1, 0"));
  expect(fixture, true, nereid_ttg_blocked_make(fixture->context, 2, matrix, eight, order, four),
         BLOCKED("1, 8", "8, 4", "4, 1", "1, 0"));
  expect(fixture, true, nereid_ttg_blocked_default(fixture->context, 2, matrix, pair),
         "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], "
         "CGALayout = [[1, 0]]}>");
  assert_true(mlirAttributeIsNull(nereid_ttg_blocked_default(fixture->context, 0, matrix, four)));
}

static const char source[] =
    "module attributes {\"ttg.num-warps\" = 4 : i32, \"ttg.num-ctas\" = 2 : i32, \"ttg.threads-per-warp\" = 32 : i32,\n"
    "                   \"ttg.total-num-warps\" = 6 : i32, ttg.maxnreg = 168 : i32, ttg.target = \"cuda:90\"} {\n"
    "  tt.func @f() {\n"
    "    ttg.warp_specialize() default {\n"
    "      ttg.warp_yield\n"
    "    } partition0() num_warps(2) {\n"
    "      ttg.warp_return\n"
    "    } : () -> ()\n"
    "    tt.return\n"
    "  }\n"
    "  tt.func @g() attributes {\"ttg.num-warps\" = 8 : i32} {\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

static MlirOperation first_in(MlirOperation op, intptr_t region) {
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region)));
}

static void asks_the_module(void **state) {
  fixture_t *fixture = *state;
  MlirModule module = mlirModuleCreateParse(fixture->context, mlirStringRefCreateFromCString(source));
  assert_false(mlirModuleIsNull(module));
  MlirOperation root = mlirModuleGetOperation(module), f = first_in(root, 0), specialize = first_in(f, 0);
  MlirOperation partition = first_in(first_in(specialize, 1), 0), g = mlirOperationGetNextInBlock(f);
  assert_int_equal(nereid_ttg_num_warps(root), 4);
  assert_int_equal(nereid_ttg_num_warps(specialize), 4);
  assert_int_equal(nereid_ttg_num_warps(first_in(specialize, 0)), 4);
  assert_int_equal(nereid_ttg_num_warps(partition), 2);
  assert_int_equal(nereid_ttg_region_num_warps(mlirOperationGetRegion(first_in(specialize, 1), 0)), 2);
  assert_int_equal(nereid_ttg_num_warps(first_in(g, 0)), 8);
  assert_int_equal(nereid_ttg_total_num_warps(partition), 6);
  assert_int_equal(nereid_ttg_num_ctas(partition), 2);
  assert_int_equal(nereid_ttg_threads_per_warp(partition), 32);
  assert_int_equal(nereid_ttg_maxnreg(partition), 168);
  assert_int_equal(nereid_ttg_compute_capability(partition), 90);
  assert_true(mlirStringRefEqual(nereid_ttg_target(partition), mlirStringRefCreateFromCString("cuda:90")));
  mlirModuleDestroy(module);
}

static void asks_a_bare_module(void **state) {
  fixture_t *fixture = *state;
  MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(fixture->context));
  MlirOperation root = mlirModuleGetOperation(module);
  assert_int_equal(nereid_ttg_num_warps(root), -1);
  assert_int_equal(nereid_ttg_num_ctas(root), 1);
  assert_int_equal(nereid_ttg_threads_per_warp(root), 32);
  assert_int_equal(nereid_ttg_maxnreg(root), 0);
  assert_int_equal(nereid_ttg_compute_capability(root), 90); /* the default target */
  mlirModuleDestroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(infers_reshapes),       cmocka_unit_test(infers_buffer_reshapes),
      cmocka_unit_test(infers_transpositions), cmocka_unit_test(infers_joins),
      cmocka_unit_test(infers_splits),         cmocka_unit_test(infers_fp4),
      cmocka_unit_test(infers_slices),         cmocka_unit_test(checks_dot_operands),
      cmocka_unit_test(compares_layouts),      cmocka_unit_test(fits_blocked_encodings),
      cmocka_unit_test(asks_the_module),       cmocka_unit_test(asks_a_bare_module),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
