/* Conversion of encodings in IR to linear layouts: every parameter is used. distributed_shared_test checks the layouts
 * themselves. */
#include "layout/encoding.h"
#include "layout/shared.h"
#include "nereid/context.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
/* cmocka requires the three above. */
#include <cmocka.h>

static MlirContext context;

static MlirAttribute parse(const char *text) {
  MlirAttribute attribute = mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text));
  if (mlirAttributeIsNull(attribute))
    fail_msg("does not parse: %s", text);
  return attribute;
}

static nereid_layout_t of(const char *text, int rank, const int64_t *shape) {
  nereid_layout_t layout;
  nereid_status_t status = nereid_layout_from_encoding(parse(text), rank, shape, &layout);
  if (status != NEREID_OK)
    fail_msg("%s: %s", text, nereid_status_string(status));
  return layout;
}

static void check_equal(nereid_layout_t actual, nereid_status_t status, nereid_layout_t expected) {
  assert_int_equal(status, NEREID_OK);
  assert_true(nereid_layout_equal(&actual, &expected));
}

#define BLOCKED "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>"
#define MMA2 "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
#define MMA_F64 "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [8, 8]}>"
#define MMA3 "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>"

static const int32_t size[] = {1, 2}, threads[] = {8, 4}, warps[] = {2, 2}, order[] = {1, 0}, tall[] = {4, 1};
static const int64_t square[] = {64, 64};

static void test_distributed(void **unused) {
  (void)unused;
  nereid_layout_t e;
  nereid_status_t status = nereid_layout_blocked(2, square, size, threads, warps, order, NULL, &e);
  check_equal(of(BLOCKED, 2, square), status, e);
  int32_t m16n8[] = {16, 8}, m64n64k16[] = {16, 64, 16};
  status = nereid_layout_nvidia_mma(2, square, 2, warps, 2, m16n8, NULL, &e);
  check_equal(of(MMA2, 2, square), status, e);
  status = nereid_layout_nvidia_mma(2, square, 3, tall, 3, m64n64k16, NULL, &e);
  check_equal(of(MMA3, 2, square), status, e);
  status = nereid_layout_dot_of_mma(2, square, 1, 4, 2, 16, warps, NULL, &e);
  check_equal(of("#ttg.dot_op<{opIdx = 1, parent = " MMA2 ", kWidth = 4}>", 2, square), status, e);
  status = nereid_layout_dot_of_mma(2, square, 0, 1, 2, 8, warps, NULL, &e);
  check_equal(of("#ttg.dot_op<{opIdx = 0, parent = " MMA_F64 ", kWidth = 1}>", 2, square), status, e);
  status = nereid_layout_dot_of_mma(2, square, 0, 2, 3, 16, tall, NULL, &e);
  check_equal(of("#ttg.dot_op<{opIdx = 0, parent = " MMA3 ", kWidth = 2}>", 2, square), status, e);
  status = nereid_layout_dot_of_blocked(2, square, 0, size, threads, warps, order, NULL, &e);
  check_equal(of("#ttg.dot_op<{opIdx = 0, parent = " BLOCKED "}>", 2, square), status, e);
}

static void test_slice_and_linear(void **unused) {
  (void)unused;
  int64_t row[] = {64}, parent[] = {64, 1};
  nereid_layout_t e;
  nereid_status_t status = nereid_layout_blocked(2, parent, size, threads, warps, order, NULL, &e);
  nereid_layout_slice(&e, 1);
  check_equal(of("#ttg.slice<{dim = 1, parent = " BLOCKED "}>", 1, row), status, e);
  int64_t small[] = {16, 8};
  nereid_layout_t linear = of("#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, "
                              "0]], warp = [], block = []}>",
                              2, small);
  int32_t element[2];
  nereid_layout_coordinates(&linear, nereid_layout_apply(&linear, 2, 6, 0, 0), element);
  assert_int_equal(element[0], 9);
  assert_int_equal(element[1], 4);
  nereid_layout_t swizzled = of("#ttg.generic_linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], "
                                "[2, 0], [4, 0]], warp = [[12, 3]], block = []}>",
                                2, small);
  nereid_layout_coordinates(&swizzled, nereid_layout_apply(&swizzled, 2, 6, 1, 0), element);
  assert_int_equal(element[0], 9 ^ 12);
  assert_int_equal(element[1], 4 ^ 3);
}

static void test_clusters(void **unused) {
  (void)unused;
  nereid_layout_cga_t cga = {.bits = 1, .bases = {{1, 0}}};
  nereid_layout_t e;
  nereid_status_t status = nereid_layout_blocked(2, square, size, threads, warps, order, &cga, &e);
  check_equal(of("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0], "
                 "CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>",
                 2, square),
              status, e);
  assert_int_equal(e.in_bits[NEREID_LAYOUT_BLOCK], 1);
}

static void test_shared(void **unused) {
  (void)unused;
  nereid_layout_t e;
  nereid_status_t status = nereid_layout_swizzled_shared(2, square, 8, 1, 4, order, NULL, &e);
  check_equal(of("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>", 2, square), status, e);
  status = nereid_layout_nvmma_shared(2, square, 64, true, 16, false, NULL, &e);
  check_equal(of("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>", 2, square),
              status, e);
  int64_t tiny[] = {2, 4};
  nereid_layout_t linear = of("#ttg.shared_linear<{offset = [[1, 0], [0, 1], [0, 2]]}, alignment = 16>", 2, tiny);
  assert_int_equal(nereid_layout_apply(&linear, 3, 0, 0, 0), 5);
}

static void test_a_ring_of_stages_is_stacked(void **unused) {
  (void)unused;
  int64_t ring[] = {4, 64, 64}, *stage = ring + 1;
  nereid_layout_t e;
  nereid_status_t status = nereid_layout_swizzled_shared(2, stage, 8, 1, 4, order, NULL, &e);
  assert_int_equal(nereid_layout_stack(&e, 1, ring), NEREID_OK);
  check_equal(of("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>", 3, ring), status, e);
}

static nereid_layout_t of_type(const char *text) {
  MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(text));
  nereid_layout_t layout;
  if (mlirTypeIsNull(type) || nereid_layout_from_type(type, &layout) != NEREID_OK)
    fail_msg("no layout: %s", text);
  return layout;
}

static void test_types(void **unused) {
  (void)unused;
#define SWIZZLED "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory"
  nereid_layout_t tensor = of_type("tensor<64x64xf16, " BLOCKED ">"), blocked = of(BLOCKED, 2, square);
  assert_true(nereid_layout_equal(&tensor, &blocked));
  /* A view keeps the row stride of its allocation. */
  nereid_layout_t view = of_type("!ttg.memdesc<64x32xf16, " SWIZZLED ", mutable, 64x64>");
  nereid_layout_t whole = of_type("!ttg.memdesc<64x64xf16, " SWIZZLED ", mutable>");
  assert_true(nereid_layout_equal(&view, &whole));
}

static void test_what_has_no_layout(void **unused) {
  (void)unused;
  nereid_layout_t layout;
  int64_t odd[] = {12, 64};
  assert_int_equal(nereid_layout_from_encoding(mlirAttributeGetNull(), 2, square, &layout), NEREID_ERROR_UNSUPPORTED);
  assert_int_equal(nereid_layout_from_encoding(parse("7 : i32"), 2, square, &layout), NEREID_ERROR_UNSUPPORTED);
  MlirAttribute padded = parse("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [64, 64]}>");
  assert_int_equal(nereid_layout_from_encoding(padded, 2, square, &layout), NEREID_ERROR_UNSUPPORTED);
  assert_int_equal(nereid_layout_from_encoding(parse(BLOCKED), 1, square, &layout), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_from_encoding(parse(BLOCKED), 2, odd, &layout), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_from_type(mlirIntegerTypeGet(context, 32), &layout), NEREID_ERROR_UNSUPPORTED);
}

int main(void) {
  context = nereid_context_create();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distributed),
      cmocka_unit_test(test_slice_and_linear),
      cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_shared),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_a_ring_of_stages_is_stacked),
      cmocka_unit_test(test_what_has_no_layout),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mlirContextDestroy(context);
  return failed;
}
