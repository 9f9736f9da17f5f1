/* Slots of exchanges: each element has its own slot, accesses have the maximum width that the layouts allow, lanes of
 * one wavefront have no bank conflicts, and ldmatrix and stmatrix tiles match the slots. */
#include "layout/exchange.h"

#include "test/layout/random.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 2^bits elements: the index bits are distributed over registers, 5 bits of lanes and some of warps. The remaining bits
 * of lanes and warps hold copies. */
static nereid_layout_t random_layout(int bits, int warp_bits) {
  nereid_layout_t layout;
  int order[16];
  assert(bits >= 0 && bits <= 16);
  nereid_layout_initialize(&layout, 1);
  layout.out_bits[0] = (uint8_t)bits;
  layout.in_bits[NEREID_LAYOUT_LANE] = 5;
  layout.in_bits[NEREID_LAYOUT_WARP] = (uint8_t)warp_bits;
  for (int i = 0; i < bits; i++)
    order[i] = i;
  for (int i = bits - 1; i > 0; i--) {
    const int k = (int)random_below((uint32_t)i + 1), swapped = order[i];
    order[i] = order[k];
    order[k] = swapped;
  }
  for (int i = 0; i < bits; i++) {
    const uint32_t unit = UINT32_C(1) << order[i];
    if (i < 5)
      layout.bases[NEREID_LAYOUT_LANE][i] = unit;
    else if (i < 5 + warp_bits)
      layout.bases[NEREID_LAYOUT_WARP][i - 5] = unit;
    else
      layout.bases[NEREID_LAYOUT_REGISTER][layout.in_bits[NEREID_LAYOUT_REGISTER]++] = unit;
  }
  return layout;
}

/* Source and destination map an element to the same slot, and no slot holds two elements. */
static void check_slots(const nereid_layout_exchange_t *plan) {
  static int32_t slot_of[1 << 12], element_of[1 << 12];
  const uint32_t size = UINT32_C(1) << nereid_layout_out_total(&plan->from);
  memset(slot_of, -1, sizeof slot_of);
  memset(element_of, -1, sizeof element_of);
  for (uint32_t x = 0; x < UINT32_C(1) << nereid_layout_in_total(&plan->from); x++) {
    const uint32_t element = nereid_layout_apply_flat(&plan->from, x), slot = nereid_layout_apply_flat(&plan->store, x);
    assert_true(slot < size);
    assert_true(slot_of[element] == -1 || slot_of[element] == (int32_t)slot);
    assert_true(element_of[slot] == -1 || element_of[slot] == (int32_t)element);
    slot_of[element] = (int32_t)slot;
    element_of[slot] = (int32_t)element;
  }
  for (uint32_t x = 0; x < UINT32_C(1) << nereid_layout_in_total(&plan->to); x++)
    assert_int_equal(slot_of[nereid_layout_apply_flat(&plan->to, x)], nereid_layout_apply_flat(&plan->load, x));
}

/* Wavefronts of the first access of warp 0, and the minimum for its distinct words. */
static void check_banks(const nereid_layout_t *slots, int bytes) {
  int vector = nereid_layout_contiguity(slots, 0);
  while (vector * bytes > 16)
    vector /= 2;
  const int width = vector * bytes, lanes = width <= 4 ? 32 : 128 / width;
  for (int first = 0; first < 32; first += lanes) {
    uint32_t words[128], n = 0, in_bank[32] = {0}, worst = 0;
    for (int lane = first; lane < first + lanes; lane++)
      for (int byte = 0; byte < width; byte += width < 4 ? width : 4) {
        const uint32_t word =
            (nereid_layout_apply(slots, 0, (uint32_t)lane, 0, 0) * (uint32_t)bytes + (uint32_t)byte) / 4;
        uint32_t i = 0;
        while (i < n && words[i] != word)
          i++;
        if (i == n)
          words[n++] = word;
      }
    for (uint32_t i = 0; i < n; i++)
      if (++in_bank[words[i] % 32] > worst)
        worst = in_bank[words[i] % 32];
    assert_int_equal(worst, 1);
  }
}

static void no_conflicts(void **unused) {
  (void)unused;
  for (int n = 0; n < 2000; n++) {
    const int bits = (int)random_below(13), warp_bits = (int)random_below(4), bytes = 1 << random_below(4);
    const nereid_layout_t from = random_layout(bits, warp_bits), to = random_layout(bits, warp_bits);
    nereid_layout_exchange_t plan;
    nereid_layout_exchange(&from, &to, bytes, 0, &plan);
    check_slots(&plan);
    check_banks(&plan.store, bytes);
    check_banks(&plan.load, bytes);
  }
}

/* Adds to the images of warps those of lanes, which keeps the rest of the layout the same. */
static void swizzle_warps(nereid_layout_t *layout) {
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_WARP]; bit++)
    for (int lane = 0; lane < 5; lane++)
      if (random_below(2))
        layout->bases[NEREID_LAYOUT_WARP][bit] ^= layout->bases[NEREID_LAYOUT_LANE][lane];
}

/* Images of several bits of warps do not matter: a wavefront is of one warp. */
static void swizzled_warps_have_no_conflicts(void **unused) {
  (void)unused;
  for (int n = 0; n < 1000; n++) {
    const int bits = (int)random_below(13), warp_bits = (int)random_below(4), bytes = 1 << random_below(4);
    nereid_layout_t from = random_layout(bits, warp_bits), to = random_layout(bits, warp_bits);
    nereid_layout_exchange_t plan;
    swizzle_warps(&from);
    swizzle_warps(&to);
    nereid_layout_exchange(&from, &to, bytes, NEREID_LAYOUT_LOAD_MATRICES | NEREID_LAYOUT_STORE_MATRICES, &plan);
    check_slots(&plan);
    nereid_layout_exchange(&from, &to, bytes, 0, &plan);
    check_banks(&plan.store, bytes);
    check_banks(&plan.load, bytes);
  }
}

/* Registers of ldmatrix and stmatrix: each is in the row addressed by some lane, at the column of its slot. */
static void check_matrices(const nereid_layout_matrices_t *matrices, const nereid_layout_t *slots, uint32_t bytes) {
  const uint32_t in_word = 4 / bytes, in_instruction = in_word * (uint32_t)matrices->tiles;
  assert_int_equal(nereid_layout_registers(&matrices->rows) * (int32_t)in_instruction, nereid_layout_registers(slots));
  for (uint32_t reg = 0; reg < (uint32_t)nereid_layout_registers(slots); reg++)
    for (uint32_t lane = 0; lane < 32; lane++) {
      const uint32_t tile = reg % in_instruction / in_word, part = reg % in_word;
      const uint32_t row = matrices->transposed ? lane % 4 * 2 + part : lane / 4;
      const uint32_t at = matrices->transposed ? lane / 4 : lane % 4 * in_word + part;
      const uint32_t first = nereid_layout_apply(&matrices->rows, reg / in_instruction, 8 * tile + row, 1, 0);
      assert_int_equal(first * bytes % 16, 0);
      assert_int_equal(first + at, nereid_layout_apply(slots, reg, lane, 1, 0));
    }
}

/* The rows of a tile are in different banks. */
static void check_rows(const nereid_layout_matrices_t *matrices, uint32_t bytes) {
  for (uint32_t tile = 0; tile < (uint32_t)matrices->tiles; tile++)
    for (uint32_t a = 8 * tile; a < 8 * tile + 8; a++)
      for (uint32_t b = 8 * tile; b < a; b++) {
        const uint32_t one = nereid_layout_apply(&matrices->rows, 0, a, 0, 0) * bytes;
        const uint32_t other = nereid_layout_apply(&matrices->rows, 0, b, 0, 0) * bytes;
        assert_true(one == other || one % 128 != other % 128);
      }
}

static void swap_bits(uint32_t *a, uint32_t *b) {
  const uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

/* `side` with lane bits from `first` on exchanged with the register bits from `registers` on. */
static nereid_layout_t near(const nereid_layout_t *side, int registers, int first) {
  nereid_layout_t other = *side;
  for (int i = registers; i < side->in_bits[NEREID_LAYOUT_REGISTER]; i++)
    swap_bits(&other.bases[NEREID_LAYOUT_REGISTER][i], &other.bases[NEREID_LAYOUT_LANE][(first + i - registers) % 5]);
  return other;
}

static void matrices(void **unused) {
  (void)unused;
  for (int n = 0; n < 500; n++) {
    const int warp_bits = (int)random_below(3), bits = 9 + warp_bits + (int)random_below(2), log = (int)random_below(3);
    const bool transposed = log == 1 && random_below(2), loads = random_below(2);
    const nereid_layout_t one = random_layout(bits, warp_bits);
    const nereid_layout_t other = transposed ? near(&one, 0, 2) : near(&one, 2 - log, 0);
    const nereid_layout_matrices_t *moved;
    nereid_layout_exchange_t plan;
    nereid_layout_exchange(loads ? &other : &one, loads ? &one : &other, 1 << log,
                           loads ? NEREID_LAYOUT_LOAD_MATRICES : NEREID_LAYOUT_STORE_MATRICES, &plan);
    moved = loads ? &plan.load_matrices : &plan.store_matrices;
    assert_true(moved->tiles > 0);
    assert_int_equal(moved->transposed, transposed);
    check_slots(&plan);
    check_matrices(moved, loads ? &plan.load : &plan.store, UINT32_C(1) << log);
    check_rows(moved, UINT32_C(1) << log);
    check_banks(loads ? &plan.store : &plan.load, 1 << log);
  }
}

/* Common registers form one vector access, and so do registers of one side that are lanes of the other. */
static void wide(void **unused) {
  (void)unused;
  nereid_layout_t from, to;
  nereid_layout_exchange_t plan;
  nereid_layout_initialize(&from, 1);
  nereid_layout_extend(&from, NEREID_LAYOUT_REGISTER, 0, 2);
  nereid_layout_extend(&from, NEREID_LAYOUT_LANE, 0, 5);
  nereid_layout_extend(&from, NEREID_LAYOUT_WARP, 0, 2);
  nereid_layout_initialize(&to, 1);
  nereid_layout_extend(&to, NEREID_LAYOUT_REGISTER, 0, 2);
  nereid_layout_extend(&to, NEREID_LAYOUT_WARP, 0, 2);
  nereid_layout_extend(&to, NEREID_LAYOUT_LANE, 0, 5);
  nereid_layout_exchange(&from, &to, 4, 0, &plan);
  assert_int_equal(nereid_layout_contiguity(&plan.store, 0), 4);
  assert_int_equal(nereid_layout_contiguity(&plan.load, 0), 4);
  nereid_layout_initialize(&to, 1);
  nereid_layout_extend(&to, NEREID_LAYOUT_LANE, 0, 2);
  nereid_layout_extend(&to, NEREID_LAYOUT_REGISTER, 0, 2);
  nereid_layout_extend(&to, NEREID_LAYOUT_LANE, 0, 3);
  nereid_layout_extend(&to, NEREID_LAYOUT_WARP, 0, 2);
  nereid_layout_exchange(&from, &to, 4, 0, &plan);
  assert_int_equal(nereid_layout_contiguity(&plan.store, 0), 1);
  assert_int_equal(nereid_layout_contiguity(&plan.load, 0), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_conflicts), cmocka_unit_test(swizzled_warps_have_no_conflicts),
                                     cmocka_unit_test(matrices), cmocka_unit_test(wide)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
