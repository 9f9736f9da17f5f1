/* Descriptors of buffers for wgmma, by the walk that the PTX ISA defines: a tile read through its descriptor has the
 * elements that the layout of the buffer places there. */
#include "layout/matrix_descriptor.h"

#include "layout/shared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The byte of (row, k) in a tile at `start`, as an instruction addresses it: PTX ISA, "Matrix-Descriptor Format". */
static uint32_t address(const nereid_layout_matrix_t *matrix, int bytes, uint32_t start, uint32_t row, uint32_t k) {
  const uint32_t chunks = matrix->swizzle ? (uint32_t)matrix->swizzle / 16 : 1, width = chunks * 16;
  const uint32_t leading = matrix->leading, stride = matrix->stride;
  uint32_t at = start;
  if (!matrix->rows_contiguous) {
    const uint32_t byte = k * (uint32_t)bytes;
    at += row % 8 * width + row / 8 * stride + byte / 16 * (chunks > 1 ? 16 : leading) + byte % 16;
  } else {
    const uint32_t unit = row / 8;
    at += k % 8 * width + row % 8 * (uint32_t)bytes;
    at += chunks > 1 ? unit % chunks * 16 + unit / chunks * leading + k / 8 * stride : unit * stride + k / 8 * leading;
  }
  return at ^ (at >> 7 & (chunks - 1)) << 4;
}

/* Describes rows x k elements of a buffer in tiles of 2^tile_bits rows; compares every element of every tile. */
static bool describe(int rows, int k, int bytes, int swizzle, bool rows_contiguous, int tile_bits,
                     nereid_layout_matrix_t *out) {
  nereid_layout_operand_t operand = {
      .element_bytes = bytes, .row_bits = __builtin_ctz((unsigned)rows), .k_bits = __builtin_ctz((unsigned)k)};
  nereid_layout_t buffer, elements;
  const int row_dim = rows_contiguous ? 1 : 0; /* the last dimension is contiguous */
  const int64_t shape[] = {rows_contiguous ? k : rows, rows_contiguous ? rows : k};
  assert_int_equal(nereid_layout_nvmma_shared(2, shape, swizzle, false, bytes * 8, false, NULL, &buffer), 0);
  nereid_layout_initialize(&elements, 2);
  assert_true(nereid_layout_extend(&elements, NEREID_LAYOUT_REGISTER, row_dim, operand.row_bits));
  assert_true(nereid_layout_extend(&elements, NEREID_LAYOUT_REGISTER, 1 - row_dim, operand.k_bits));
  assert_true(nereid_layout_solve(&elements, &buffer, &operand.slots));
  const uint8_t flat[] = {(uint8_t)nereid_layout_out_total(&operand.slots)};
  assert_true(nereid_layout_reshape(&operand.slots, 1, flat));
  if (!nereid_layout_matrix_describe(&operand, tile_bits, out))
    return false;
  const int tile = 1 << tile_bits, step = NEREID_LAYOUT_MATRIX_K_BYTES / bytes;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < k; ++c) {
      const uint32_t start =
          nereid_layout_operand_offset(&operand, (uint32_t)(r / tile * tile), (uint32_t)(c / step * step));
      assert_int_equal(address(out, bytes, start, (uint32_t)(r % tile), (uint32_t)(c % step)),
                       nereid_layout_operand_offset(&operand, (uint32_t)r, (uint32_t)c));
    }
  return true;
}

static void k_contiguous(void **state) {
  nereid_layout_matrix_t matrix;
  (void)state;
  for (int bytes = 1; bytes <= 4; bytes *= 2)
    for (int swizzle = 32; swizzle <= 128; swizzle *= 2)
      for (int tile_bits = 3; tile_bits <= 8; ++tile_bits) {
        assert_true(describe(256, 256, bytes, swizzle, false, tile_bits, &matrix));
        assert_false(matrix.rows_contiguous);
        assert_int_equal(matrix.swizzle, swizzle);
        assert_int_equal(matrix.leading, 0);
        assert_int_equal(matrix.stride, tile_bits > 3 ? 8 * swizzle : 0);
      }
}

static void rows_contiguous(void **state) {
  nereid_layout_matrix_t matrix;
  (void)state;
  for (int swizzle = 32; swizzle <= 128; swizzle *= 2)
    for (int tile_bits = 3; tile_bits <= 8; ++tile_bits) {
      assert_true(describe(256, 64, 2, swizzle, true, tile_bits, &matrix));
      assert_true(matrix.rows_contiguous);
      assert_int_equal(matrix.swizzle, swizzle);
      assert_int_equal(matrix.stride, 8 * swizzle);
      assert_int_equal(matrix.leading, 2 << tile_bits > swizzle ? 64 * swizzle : 0);
    }
  assert_false(describe(64, 64, 4, 128, true, 6, &matrix));
  assert_false(describe(64, 64, 1, 64, true, 6, &matrix));
}

static void without_swizzle(void **state) {
  nereid_layout_matrix_t matrix;
  (void)state;
  assert_true(describe(8, 64, 2, 0, true, 3, &matrix));
  assert_int_equal(matrix.leading, 128);
  assert_false(describe(64, 64, 2, 0, false, 6, &matrix));
}

static void bits(void **state) {
  (void)state;
  const nereid_layout_matrix_t matrix = {.rows_contiguous = true, .swizzle = 128, .leading = 8192, .stride = 1024};
  assert_true(nereid_layout_matrix_bits(&matrix) == UINT64_C(0x4000004002000000));
  const nereid_layout_matrix_t half = {.swizzle = 64, .stride = 512}, quarter = {.swizzle = 32, .stride = 256};
  assert_true(nereid_layout_matrix_bits(&half) == UINT64_C(0x8000002000000000));
  assert_true(nereid_layout_matrix_bits(&quarter) == UINT64_C(0xc000001000000000));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(k_contiguous),
      cmocka_unit_test(rows_contiguous),
      cmocka_unit_test(without_swizzle),
      cmocka_unit_test(bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
