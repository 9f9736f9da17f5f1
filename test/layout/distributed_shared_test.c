/* Encodings against definitions written independently of layout/: division and remainder on coordinates, and the
 * fragment tables of the PTX ISA. */
#include "layout/distributed.h"
#include "layout/shared.h"
#include "test/layout/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RANK = NEREID_LAYOUT_MAX_RANK };

static void random_order(int rank, int32_t *order) {
  for (int d = 0; d < rank; d++) {
    int other = (int)random_below((uint32_t)d + 1);
    order[d] = order[other];
    order[other] = d;
  }
}

/* Power-of-two sizes with product 2^bits. */
static void random_split(int rank, int bits, int32_t *sizes) {
  for (int d = 0; d < rank; d++)
    sizes[d] = 1;
  for (; bits > 0; bits--)
    sizes[random_below((uint32_t)rank)] *= 2;
}

/* Delinearizes `number` in a grid whose dimension order[0] is fastest; returns the quotient by the grid's size. */
static uint32_t delinearize(uint32_t number, int rank, const int32_t *grid, const int32_t *order, int32_t *digits) {
  for (int i = 0; i < rank; i++) {
    digits[order[i]] = (int32_t)(number % (uint32_t)grid[order[i]]);
    number /= (uint32_t)grid[order[i]];
  }
  return number;
}

typedef struct blocked {
  int rank;
  int64_t shape[RANK];
  int32_t size[RANK], threads[RANK], warps[RANK], order[RANK];
} blocked_t;

static blocked_t random_blocked(void) {
  blocked_t b = {.rank = 1 + (int)random_below(4)};
  for (int d = 0; d < b.rank; d++) {
    b.shape[d] = INT64_C(1) << random_below(6);
    b.size[d] = 1 << random_below(3);
  }
  random_split(b.rank, 5, b.threads);
  random_split(b.rank, (int)random_below(4), b.warps);
  random_order(b.rank, b.order);
  return b;
}

/* The element of a register by the definition of the encoding: blocks in grids in repetitions, wrapped at the shape. */
static void blocked_element(const blocked_t *b, uint32_t reg, uint32_t lane, uint32_t warp, int32_t *out) {
  int32_t box[RANK], thread[RANK], place[RANK], repetition[RANK], repetitions[RANK];
  for (int d = 0; d < b->rank; d++) {
    int64_t tile = (int64_t)b->size[d] * b->threads[d] * b->warps[d];
    repetitions[d] = (int32_t)(b->shape[d] > tile ? b->shape[d] / tile : 1);
  }
  reg = delinearize(reg, b->rank, b->size, b->order, box);
  assert_int_equal(delinearize(reg, b->rank, repetitions, b->order, repetition), 0);
  delinearize(lane, b->rank, b->threads, b->order, thread);
  delinearize(warp, b->rank, b->warps, b->order, place);
  for (int d = 0; d < b->rank; d++) {
    int64_t grid = (int64_t)repetition[d] * b->warps[d] + place[d];
    out[d] = (int32_t)(((grid * b->threads[d] + thread[d]) * b->size[d] + box[d]) % b->shape[d]);
  }
}

static nereid_layout_t make_blocked(const blocked_t *b, const int64_t *shape, const nereid_layout_cga_t *cga) {
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_blocked(b->rank, shape, b->size, b->threads, b->warps, b->order, cga, &layout),
                   NEREID_OK);
  return layout;
}

static void check_coordinates(const nereid_layout_t *layout, uint32_t packed, const int32_t *expected) {
  int32_t actual[RANK];
  nereid_layout_coordinates(layout, packed, actual);
  for (int d = 0; d < layout->rank; d++)
    assert_int_equal(actual[d], expected[d]);
}

static void test_blocked_holds_its_boxes(void **unused) {
  (void)unused;
  for (int round = 0; round < 300; round++) {
    blocked_t b = random_blocked();
    nereid_layout_t layout = make_blocked(&b, b.shape, NULL);
    assert_true(nereid_layout_surjective(&layout));
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat += 1 + random_below(7)) {
      uint32_t reg = flat & ((1u << layout.in_bits[0]) - 1), lane = flat >> layout.in_bits[0] & 31;
      uint32_t warp = flat >> layout.in_bits[0] >> 5;
      int32_t expected[RANK];
      blocked_element(&b, reg, lane, warp, expected);
      check_coordinates(&layout, nereid_layout_apply(&layout, reg, lane, warp, 0), expected);
    }
  }
}

static void test_ctas_hold_their_parts(void **unused) {
  (void)unused;
  for (int round = 0; round < 100; round++) {
    blocked_t b = random_blocked();
    int split = (int)random_below((uint32_t)b.rank);
    /* CTA bit 0 holds the same elements, bit 1 the other half along `split`. */
    nereid_layout_cga_t cga = {.bits = 2};
    cga.bases[1][split] = 1;
    int64_t part[RANK];
    memcpy(part, b.shape, sizeof part);
    b.shape[split] *= 2;
    nereid_layout_t whole = make_blocked(&b, b.shape, &cga), one = make_blocked(&b, part, NULL);
    assert_int_equal(whole.in_bits[NEREID_LAYOUT_BLOCK], 2);
    for (uint32_t block = 0; block < 4; block++)
      for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&one); flat += 1 + random_below(9)) {
        uint32_t reg = flat & ((1u << one.in_bits[0]) - 1), thread = flat >> one.in_bits[0];
        int32_t expected[RANK];
        nereid_layout_coordinates(&one, nereid_layout_apply_flat(&one, flat), expected);
        expected[split] += (int32_t)((block >> 1) * part[split]);
        check_coordinates(&whole, nereid_layout_apply(&whole, reg, thread & 31, thread >> 5, block), expected);
      }
  }
}

static void test_slice_drops_a_dimension_and_its_copies(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    blocked_t b = random_blocked();
    if (b.rank < 2)
      continue;
    int dim = (int)random_below((uint32_t)b.rank);
    b.shape[dim] = 1;
    nereid_layout_t parent = make_blocked(&b, b.shape, NULL), slice = parent;
    nereid_layout_slice(&slice, dim);
    assert_int_equal(slice.rank, b.rank - 1);
    for (uint32_t thread = 0; thread < 32u << parent.in_bits[2]; thread++) {
      /* The thread's elements in the order of the parent's registers, without duplicates. */
      int32_t last = -1;
      uint32_t next = 0;
      for (uint32_t reg = 0; reg < UINT32_C(1) << parent.in_bits[0]; reg++) {
        uint32_t element = nereid_layout_apply(&parent, reg, thread & 31, thread >> 5, 0);
        bool copy = false;
        for (int i = 0; i < parent.in_bits[0]; i++)
          copy |= (reg >> i & 1) && parent.bases[0][i] == 0;
        if (copy)
          continue;
        assert_int_equal(nereid_layout_apply(&slice, next++, thread & 31, thread >> 5, 0), element);
        last = (int32_t)element;
      }
      assert_true(last >= 0 && next == UINT32_C(1) << slice.in_bits[0]);
    }
  }
}

/* PTX ISA, accumulator of mma.m16n8: c0, c1 in row lane / 4; c2, c3 in row lane / 4 + 8; columns 2 (lane % 4) + {0, 1}.
 */
static void accumulator(uint32_t i, uint32_t lane, int32_t *row, int32_t *column) {
  *row = (int32_t)(lane / 4 + 8 * (i / 2));
  *column = (int32_t)(lane % 4 * 2 + i % 2);
}

static void test_mma_sync_accumulator(void **unused) {
  (void)unused;
  int64_t shape[] = {64, 32};
  int32_t warps[] = {2, 2}, instruction[] = {16, 8};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_nvidia_mma(2, shape, 2, warps, 2, instruction, NULL, &layout), NEREID_OK);
  assert_int_equal(nereid_layout_registers(&layout), 16);
  for (uint32_t reg = 0; reg < 16; reg++)
    for (uint32_t thread = 0; thread < 128; thread++) {
      int32_t row, column;
      accumulator(reg % 4, thread % 32, &row, &column);
      /* Warps are numbered along N first; registers repeat along N before M. */
      uint32_t warp = thread / 32, tile = reg / 4;
      int32_t expected[] = {row + (int32_t)(warp / 2 * 16 + tile / 2 * 32),
                            column + (int32_t)(warp % 2 * 8 + tile % 2 * 16)};
      check_coordinates(&layout, nereid_layout_apply(&layout, reg, thread % 32, warp, 0), expected);
    }
}

static void test_wgmma_accumulator(void **unused) {
  (void)unused;
  int64_t shape[] = {128, 64};
  int32_t warps[] = {4, 1}, instruction[] = {16, 32, 16};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_nvidia_mma(2, shape, 3, warps, 3, instruction, NULL, &layout), NEREID_OK);
  for (uint32_t reg = 0; reg < 64; reg++)
    for (uint32_t thread = 0; thread < 128; thread++) {
      int32_t row, column;
      accumulator(reg % 4, thread % 32, &row, &column);
      uint32_t along = reg / 4 % 4, tile = reg / 16;
      int32_t expected[] = {row + (int32_t)(thread / 32 * 16 + tile / 2 * 64),
                            column + (int32_t)(along * 8 + tile % 2 * 32)};
      check_coordinates(&layout, nereid_layout_apply(&layout, reg, thread % 32, thread / 32, 0), expected);
    }
}

static void test_mma_operands(void **unused) {
  (void)unused;
  /* m16n8k16 with 16-bit elements: kWidth 2. PTX ISA: a0, a1 in row lane / 4; a2, a3 in row lane / 4 + 8; a4.. eight
   * columns further. */
  int64_t a_shape[] = {16, 16}, b_shape[] = {16, 8};
  int32_t warps[] = {1, 2};
  nereid_layout_t a, b;
  assert_int_equal(nereid_layout_dot_of_mma(2, a_shape, 0, 2, 2, 16, warps, NULL, &a), NEREID_OK);
  assert_int_equal(nereid_layout_dot_of_mma(2, b_shape, 1, 2, 2, 16, warps, NULL, &b), NEREID_OK);
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t warp = 0; warp < 2; warp++) {
      for (uint32_t i = 0; i < 8; i++) {
        int32_t expected[] = {(int32_t)(lane / 4 + (i / 2 % 2) * 8), (int32_t)(lane % 4 * 2 + i % 2 + i / 4 * 8)};
        check_coordinates(&a, nereid_layout_apply(&a, i, lane, warp, 0), expected);
      }
      /* N is 8: the second warp along N holds replicated elements. */
      for (uint32_t i = 0; i < 4; i++) {
        int32_t expected[] = {(int32_t)(lane % 4 * 2 + i % 2 + i / 2 * 8), (int32_t)(lane / 4)};
        check_coordinates(&b, nereid_layout_apply(&b, i, lane, warp, 0), expected);
      }
    }
  assert_int_equal(nereid_layout_dot_of_mma(2, b_shape, 1, 2, 3, 16, warps, NULL, &b), NEREID_ERROR_ARGUMENT);
}

/* PTX ISA, m8n8k4 of f64: a in row lane / 4, column lane % 4; b in row lane % 4, column lane / 4; c0, c1 in row
 * lane / 4, columns 2 (lane % 4) + {0, 1}. */
static void test_mma_m8n8k4(void **unused) {
  (void)unused;
  int64_t a_shape[] = {16, 8}, b_shape[] = {8, 16}, shape[] = {16, 16};
  int32_t warps[] = {2, 1}, instruction[] = {8, 8};
  nereid_layout_t a, b, sum;
  assert_int_equal(nereid_layout_dot_of_mma(2, a_shape, 0, 1, 2, 8, warps, NULL, &a), NEREID_OK);
  assert_int_equal(nereid_layout_dot_of_mma(2, b_shape, 1, 1, 2, 8, warps, NULL, &b), NEREID_OK);
  assert_int_equal(nereid_layout_nvidia_mma(2, shape, 2, warps, 2, instruction, NULL, &sum), NEREID_OK);
  assert_int_equal(nereid_layout_registers(&a), 2);
  assert_int_equal(nereid_layout_registers(&b), 4);
  assert_int_equal(nereid_layout_registers(&sum), 4);
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t warp = 0; warp < 2; warp++) {
      const int32_t first = (int32_t)(lane / 4), second = (int32_t)(lane % 4), row = first + (int32_t)warp * 8;
      for (uint32_t i = 0; i < 4; i++) {
        int32_t of_a[] = {row, second + (int32_t)(i % 2) * 4};
        int32_t of_b[] = {second + (int32_t)(i % 2) * 4, first + (int32_t)(i / 2) * 8};
        int32_t of_sum[] = {row, second * 2 + (int32_t)(i % 2 + i / 2 * 8)};
        check_coordinates(&a, nereid_layout_apply(&a, i % 2, lane, warp, 0), of_a);
        check_coordinates(&b, nereid_layout_apply(&b, i, lane, warp, 0), of_b);
        check_coordinates(&sum, nereid_layout_apply(&sum, i, lane, warp, 0), of_sum);
      }
    }
}

static void test_dot_of_blocked_holds_all_of_k(void **unused) {
  (void)unused;
  for (int round = 0; round < 100; round++) {
    blocked_t b = random_blocked();
    if (b.rank != 2)
      continue;
    nereid_layout_t left, right, whole = make_blocked(&b, b.shape, NULL);
    assert_int_equal(nereid_layout_dot_of_blocked(2, b.shape, 0, b.size, b.threads, b.warps, b.order, NULL, &left),
                     NEREID_OK);
    assert_int_equal(nereid_layout_dot_of_blocked(2, b.shape, 1, b.size, b.threads, b.warps, b.order, NULL, &right),
                     NEREID_OK);
    for (uint32_t thread = 0; thread < 32u << whole.in_bits[2]; thread++)
      for (uint32_t reg = 0; reg < UINT32_C(1) << whole.in_bits[0]; reg++) {
        int32_t c[2];
        nereid_layout_coordinates(&whole, nereid_layout_apply(&whole, reg, thread & 31, thread >> 5, 0), c);
        bool row = false, column = false;
        for (uint32_t i = 0; i < UINT32_C(1) << left.in_bits[0]; i++)
          row |= nereid_layout_apply(&left, i, thread & 31, thread >> 5, 0) == (uint32_t)(c[0] * b.shape[1]);
        for (uint32_t i = 0; i < UINT32_C(1) << right.in_bits[0]; i++)
          column |= nereid_layout_apply(&right, i, thread & 31, thread >> 5, 0) == (uint32_t)c[1];
        assert_true(row && column);
      }
  }
}

static void test_linear_covers_other_shapes(void **unused) {
  (void)unused;
  static nereid_layout_vectors_t tables[NEREID_LAYOUT_DIMS];
  memset(tables, 0, sizeof tables);
  tables[0] = (nereid_layout_vectors_t){2, {{0, 1}, {8, 0}}};
  tables[1] = (nereid_layout_vectors_t){5, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}};
  int64_t same[] = {16, 8}, larger[] = {16, 32}, smaller[] = {8, 4};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_linear(2, same, tables, &layout), NEREID_OK);
  assert_true(nereid_layout_surjective(&layout) && nereid_layout_injective(&layout));
  assert_int_equal(nereid_layout_linear(2, larger, tables, &layout), NEREID_OK);
  assert_int_equal(nereid_layout_registers(&layout), 16);
  check_coordinates(&layout, nereid_layout_apply(&layout, 4, 0, 0, 0), (int32_t[]){0, 8});
  assert_int_equal(nereid_layout_linear(2, smaller, tables, &layout), NEREID_OK);
  assert_int_equal(nereid_layout_registers(&layout), 2);
  check_coordinates(&layout, nereid_layout_apply(&layout, 0, 2, 0, 0), (int32_t[]){0, 0});
}

static void test_swizzled_shared_rows(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    int rank = 2 + (int)random_below(2);
    int32_t order[RANK];
    int64_t shape[RANK];
    random_order(rank, order);
    for (int d = 0; d < rank; d++)
      shape[d] = INT64_C(1) << random_below(5);
    int vec = 1 << random_below(4), per_phase = 1 << random_below(3), max_phase = 1 << random_below(4);
    nereid_layout_t layout;
    assert_int_equal(nereid_layout_swizzled_shared(rank, shape, vec, per_phase, max_phase, order, NULL, &layout),
                     NEREID_OK);
    int64_t columns = shape[order[0]], rows = shape[order[1]];
    for (uint32_t offset = 0; offset < UINT32_C(1) << nereid_layout_out_total(&layout); offset++) {
      int32_t expected[RANK] = {0};
      int64_t row = offset / columns % rows, phase = row / per_phase % max_phase;
      expected[order[0]] = (int32_t)((offset % columns) ^ (vec * phase % columns));
      expected[order[1]] = (int32_t)row;
      if (rank == 3)
        expected[order[2]] = (int32_t)(offset / columns / rows);
      check_coordinates(&layout, nereid_layout_apply(&layout, offset, 0, 0, 0), expected);
    }
  }
}

/* The byte offset of element (row, column) of one box: consecutive atoms of swizzle_bytes columns, 16-byte groups
 * xor'ed with the row (PTX ISA, swizzling modes: bits 4.. with bits 7.. of the address). */
static int64_t nvmma_byte(int64_t row, int64_t column, int64_t rows, int swizzle_bytes, int element_bytes) {
  int64_t atom = column * element_bytes / swizzle_bytes, in_atom = column * element_bytes % swizzle_bytes;
  int64_t address = (atom * rows + row) * swizzle_bytes + in_atom;
  return address ^ ((address >> 7 & (swizzle_bytes / 16 - 1)) << 4);
}

static void test_nvmma_shared_swizzles_addresses(void **unused) {
  (void)unused;
  int modes[] = {32, 64, 128};
  for (int round = 0; round < 60; round++) {
    int swizzle = modes[random_below(3)], element_bytes = 1 << random_below(3);
    bool transposed = random_below(2);
    int64_t rows = INT64_C(8) << random_below(6), columns = (int64_t)swizzle / element_bytes << random_below(3);
    if (rows > 256)
      continue;
    int64_t shape[] = {transposed ? columns : rows, transposed ? rows : columns};
    nereid_layout_t layout, inverse;
    assert_int_equal(nereid_layout_nvmma_shared(2, shape, swizzle, transposed, element_bytes * 8, false, NULL, &layout),
                     NEREID_OK);
    assert_true(nereid_layout_invert(&layout, &inverse));
    for (int64_t row = 0; row < rows; row++)
      for (int64_t column = 0; column < columns; column++) {
        int32_t element[] = {(int32_t)(transposed ? column : row), (int32_t)(transposed ? row : column)};
        uint32_t offset = nereid_layout_apply_flat(&inverse, nereid_layout_pack(&layout, element));
        assert_int_equal(offset * (uint32_t)element_bytes, nvmma_byte(row, column, rows, swizzle, element_bytes));
      }
  }
}

static void test_nvmma_shared_without_swizzle_is_plain(void **unused) {
  (void)unused;
  int64_t shape[] = {4, 512};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_nvmma_shared(2, shape, 0, false, 16, false, NULL, &layout), NEREID_OK);
  /* A TMA box has at most 256 columns: the second half follows the four rows of the first. */
  check_coordinates(&layout, nereid_layout_apply(&layout, 256, 0, 0, 0), (int32_t[]){1, 0});
  check_coordinates(&layout, nereid_layout_apply(&layout, 1024, 0, 0, 0), (int32_t[]){0, 256});
  int64_t turned[] = {512, 4}; /* the same memory, transposed */
  assert_int_equal(nereid_layout_nvmma_shared(2, turned, 0, true, 16, false, NULL, &layout), NEREID_OK);
  check_coordinates(&layout, nereid_layout_apply(&layout, 1, 0, 0, 0), (int32_t[]){1, 0});
  check_coordinates(&layout, nereid_layout_apply(&layout, 256, 0, 0, 0), (int32_t[]){0, 1});
  check_coordinates(&layout, nereid_layout_apply(&layout, 1024, 0, 0, 0), (int32_t[]){256, 0});
  int64_t small[] = {4, 64};
  assert_int_equal(nereid_layout_nvmma_shared(2, small, 128, false, 16, false, NULL, &layout), NEREID_ERROR_ARGUMENT);
}

static void test_padded_fp4_aliases_its_gaps(void **unused) {
  (void)unused;
  int64_t shape[] = {8, 64};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_nvmma_shared(2, shape, 128, false, 8, true, NULL, &layout), NEREID_OK);
  assert_int_equal(layout.in_bits[NEREID_LAYOUT_OFFSET], 10);
  for (uint32_t offset = 0; offset < 1024; offset++)
    assert_int_equal(nereid_layout_apply(&layout, offset, 0, 0, 0),
                     nereid_layout_apply(&layout, offset & ~8u, 0, 0, 0));
  assert_true(nereid_layout_surjective(&layout));
}

static void test_stack_repeats_a_buffer(void **unused) {
  (void)unused;
  int64_t shape[] = {8, 8}, stages[] = {4};
  int32_t order[] = {1, 0};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_swizzled_shared(2, shape, 1, 1, 1, order, NULL, &layout), NEREID_OK);
  assert_int_equal(nereid_layout_stack(&layout, 1, stages), NEREID_OK);
  check_coordinates(&layout, nereid_layout_apply(&layout, 64 * 3 + 8 + 5, 0, 0, 0), (int32_t[]){3, 1, 5});
}

static void test_wrong_sizes_are_refused(void **unused) {
  (void)unused;
  int64_t odd[] = {12}, huge[] = {INT64_C(1) << 32}, fine[] = {16};
  int32_t one[] = {1}, lanes[] = {32}, three[] = {3}, order[] = {0}, wrong[] = {1};
  nereid_layout_t layout;
  assert_int_equal(nereid_layout_blocked(1, odd, one, lanes, one, order, NULL, &layout), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_blocked(1, huge, one, lanes, one, order, NULL, &layout), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_blocked(1, fine, three, lanes, one, order, NULL, &layout), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_blocked(1, fine, one, lanes, one, wrong, NULL, &layout), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_blocked(NEREID_LAYOUT_MAX_RANK + 1, fine, one, lanes, one, order, NULL, &layout),
                   NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_layout_blocked(1, fine, one, lanes, one, order, NULL, &layout), NEREID_OK);
}

int main(void) {
  random_state = 42;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocked_holds_its_boxes),
      cmocka_unit_test(test_ctas_hold_their_parts),
      cmocka_unit_test(test_slice_drops_a_dimension_and_its_copies),
      cmocka_unit_test(test_mma_sync_accumulator),
      cmocka_unit_test(test_wgmma_accumulator),
      cmocka_unit_test(test_mma_operands),
      cmocka_unit_test(test_mma_m8n8k4),
      cmocka_unit_test(test_dot_of_blocked_holds_all_of_k),
      cmocka_unit_test(test_linear_covers_other_shapes),
      cmocka_unit_test(test_swizzled_shared_rows),
      cmocka_unit_test(test_nvmma_shared_swizzles_addresses),
      cmocka_unit_test(test_nvmma_shared_without_swizzle_is_plain),
      cmocka_unit_test(test_padded_fp4_aliases_its_gaps),
      cmocka_unit_test(test_stack_repeats_a_buffer),
      cmocka_unit_test(test_wrong_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
