/* Buffers of dot operands: the encodings have layouts, and the loads of operands have no bank conflicts. */
#include "passes/dot/shared_encoding.h"

#include "layout/encoding.h"
#include "nereid/context.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants the four above. */
#include <cmocka.h>

static MlirContext context;

static MlirAttribute attribute(const char *text) {
  MlirAttribute parsed = mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text));
  if (mlirAttributeIsNull(parsed))
    fail_msg("does not parse: %s", text);
  return parsed;
}

static MlirType type(const char *text) {
  MlirType parsed = mlirTypeParseGet(context, mlirStringRefCreateFromCString(text));
  if (mlirTypeIsNull(parsed))
    fail_msg("does not parse: %s", text);
  return parsed;
}

static void check(MlirAttribute actual, const char *expected) {
  assert_false(mlirAttributeIsNull(actual));
  assert_true(mlirAttributeEqual(actual, attribute(expected)));
}

static const int32_t row_major[] = {1, 0}, column_major[] = {0, 1};

static void test_wgmma(void **unused) {
  (void)unused;
  check(nereid_dot_wgmma_shared(type("tensor<128x64xf16>"), row_major),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>");
  check(nereid_dot_wgmma_shared(type("tensor<128x64xf16>"), column_major),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>");
  check(nereid_dot_wgmma_shared(type("tensor<64x32xi8>"), row_major),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>");
  check(nereid_dot_wgmma_shared(type("tensor<64x16xf32>"), row_major),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 32}>");
  check(nereid_dot_wgmma_shared(type("tensor<16x8xbf16>"), row_major),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>");
}

static void test_wgmma_batch(void **unused) {
  (void)unused;
  static const int32_t rows[] = {2, 1, 0}, columns[] = {1, 2, 0}, matrices[] = {0, 2, 1};
  check(nereid_dot_wgmma_shared(type("tensor<4x16x64xf16>"), rows),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>");
  check(nereid_dot_wgmma_shared(type("tensor<2x16x8xf16>"), columns),
        "#ttg.shared_linear<{offset = [[0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [0, 0, 1], [0, 0, 2], [0, 8, 4], "
        "[1, 0, 0]]}, alignment = 256>");
  assert_true(mlirAttributeIsNull(nereid_dot_wgmma_shared(type("tensor<64x64x64xf16>"), matrices)));
  assert_true(mlirAttributeIsNull(nereid_dot_wgmma_shared(type("tensor<4x4x64xf16>"), rows)));
}

static void test_wgmma_refuses(void **unused) {
  (void)unused;
  assert_true(mlirAttributeIsNull(nereid_dot_wgmma_shared(type("tensor<4x64xf16>"), row_major)));
  assert_true(mlirAttributeIsNull(nereid_dot_wgmma_shared(type("tensor<64x4xf16>"), row_major)));
  assert_true(mlirAttributeIsNull(nereid_dot_wgmma_shared(type("tensor<64xf16>"), row_major)));
  assert_true(nereid_dot_wgmma_reads_transposed(type("bf16")));
  assert_false(nereid_dot_wgmma_reads_transposed(type("f32")));
  assert_false(nereid_dot_wgmma_reads_transposed(type("f8E4M3FN")));
}

static void test_order(void **unused) {
  (void)unused;
#define BLOCKED                                                                                                        \
  "#ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [1, 1, 4], order = [1, 2, 0]}>"
  int32_t order[3];
  nereid_dot_register_order(type("tensor<8x8x8xf16, " BLOCKED ">"), order);
  assert_true(order[0] == 1 && order[1] == 2 && order[2] == 0);
  nereid_dot_register_order(type("tensor<8x8xf16, #ttg.slice<{dim = 0, parent = " BLOCKED "}>>"), order);
  assert_true(order[0] == 0 && order[1] == 1);
  nereid_dot_register_order(type("tensor<8x8xf16>"), order);
  assert_true(order[0] == 1 && order[1] == 0);
#undef BLOCKED
}

/* Checks that the `lanes` first lanes, each reading `bytes` contiguous bytes of its register 0, use every bank once.
 * `stride` is the lane distance between consecutive readers: ldmatrix reads one row per lane group of 4. */
static void check_banks(const char *tensor, const char *dot_op, const int32_t *order, int lanes, int stride, int bytes,
                        int element_bytes) {
  char text[512];
  MlirType plain = type(tensor);
  (void)snprintf(text, sizeof text, "%.*s, %s>", (int)strlen(tensor) - 1, tensor, dot_op);
  nereid_layout_t registers, buffer, source;
  assert_int_equal(nereid_layout_from_type(type(text), &registers), NEREID_OK);
  MlirAttribute encoding = nereid_dot_mma_shared(plain, attribute(dot_op), order);
  assert_false(mlirAttributeIsNull(encoding));
  const int64_t shape[] = {mlirShapedTypeGetDimSize(plain, 0), mlirShapedTypeGetDimSize(plain, 1)};
  assert_int_equal(nereid_layout_from_encoding(encoding, 2, shape, &buffer), NEREID_OK);
  assert_true(nereid_layout_solve(&registers, &buffer, &source));
  uint32_t used = 0;
  for (int lane = 0; lane < lanes; lane++) {
    uint32_t offset = nereid_layout_apply(&source, 0, (uint32_t)(lane * stride), 0, 0) * (uint32_t)element_bytes;
    for (int byte = 0; byte < bytes; byte += 4) {
      const uint32_t bank = UINT32_C(1) << (((offset + (uint32_t)byte) / 4) % 32);
      if (used & bank)
        fail_msg("%s, %s: bank conflict at lane %d", tensor, dot_op, lane);
      used |= bank;
    }
  }
}

#define MMA "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
#define A(width) "#ttg.dot_op<{opIdx = 0, parent = " MMA ", kWidth = " width "}>"
#define B(width) "#ttg.dot_op<{opIdx = 1, parent = " MMA ", kWidth = " width "}>"

static void test_ldmatrix(void **unused) {
  (void)unused;
  check(nereid_dot_mma_shared(type("tensor<128x32xf16>"), attribute(A("2")), row_major),
        "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  check(nereid_dot_mma_shared(type("tensor<32x8xf16>"), attribute(B("2")), row_major),
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>");
  check_banks("tensor<64x64xf16>", A("2"), row_major, 8, 4, 16, 2);
  check_banks("tensor<64x32xbf16>", A("2"), row_major, 8, 4, 16, 2);
  check_banks("tensor<64x16xf16>", A("2"), row_major, 8, 4, 16, 2);
  check_banks("tensor<32x64xf16>", B("2"), column_major, 8, 4, 16, 2);
  check_banks("tensor<64x128xi8>", A("4"), row_major, 8, 4, 16, 1);
  check_banks("tensor<64x32xf32>", A("1"), row_major, 8, 4, 16, 4);
}

static void test_lane_loads(void **unused) {
  (void)unused;
  check_banks("tensor<32x128xf32>", B("1"), row_major, 32, 1, 4, 4);
  check_banks("tensor<32x64xf32>", A("1"), column_major, 32, 1, 4, 4);
  check_banks("tensor<32x128xi32>", B("2"), row_major, 32, 1, 4, 4);
  check_banks("tensor<32x128xi32>", B("4"), row_major, 32, 1, 4, 4);
  check_banks("tensor<64x32xi32>", A("2"), column_major, 32, 1, 4, 4);
  check_banks("tensor<64x32xf64>", A("1"), row_major, 16, 1, 8, 8);
  check_banks("tensor<32x64xf64>", B("1"), row_major, 16, 1, 8, 8);
  check_banks("tensor<64x64xf16>", A("4"), row_major, 16, 1, 8, 2);
  check_banks("tensor<64x64xf16>", A("8"), row_major, 8, 1, 16, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wgmma), cmocka_unit_test(test_wgmma_batch), cmocka_unit_test(test_wgmma_refuses),
      cmocka_unit_test(test_order), cmocka_unit_test(test_ldmatrix),    cmocka_unit_test(test_lane_loads),
  };
  context = nereid_context_create();
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  mlirContextDestroy(context);
  return failures;
}
