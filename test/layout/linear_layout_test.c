/* Properties of operations on random linear layouts: each is checked pointwise against apply, which is checked against
 * an explicit sum. */
#include "layout/linear_layout.h"

#include "test/layout/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* An arbitrary layout: random sizes, random bases. */
static nereid_layout_t random_layout(void) {
  nereid_layout_t layout;
  nereid_layout_initialize(&layout, 1 + (int)random_below(4));
  for (int d = 0; d < layout.rank; d++)
    layout.out_bits[d] = (uint8_t)random_below(4);
  uint32_t size = UINT32_C(1) << nereid_layout_out_total(&layout);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    layout.in_bits[in] = (uint8_t)random_below(4);
    for (int i = 0; i < layout.in_bits[in]; i++)
      layout.bases[in][i] = random_below(size);
  }
  return layout;
}

/* A product of random identity and zero factors: surjective, as encodings are. */
static nereid_layout_t random_product(int rank) {
  nereid_layout_t layout;
  nereid_layout_initialize(&layout, rank);
  for (int n = (int)random_below(8); n > 0; n--) {
    nereid_layout_dim_t in = (nereid_layout_dim_t)random_below(NEREID_LAYOUT_DIMS);
    if (random_below(4) == 0)
      assert_true(nereid_layout_extend_zeros(&layout, in, 1));
    else
      assert_true(nereid_layout_extend(&layout, in, (int)random_below((uint32_t)rank), 1 + (int)random_below(2)));
  }
  return layout;
}

static void test_apply_is_the_sum_of_bases(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    nereid_layout_t layout = random_layout();
    uint64_t flat = random_below(UINT32_C(1) << nereid_layout_in_total(&layout));
    uint32_t parts[NEREID_LAYOUT_DIMS], expected = 0;
    uint64_t rest = flat;
    for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
      parts[in] = (uint32_t)(rest & ((UINT64_C(1) << layout.in_bits[in]) - 1));
      rest >>= layout.in_bits[in];
      for (int i = 0; i < layout.in_bits[in]; i++)
        expected ^= (parts[in] >> i & 1) ? layout.bases[in][i] : 0;
    }
    assert_int_equal(nereid_layout_apply_flat(&layout, flat), expected);
    assert_int_equal(nereid_layout_apply(&layout, parts[0], parts[1], parts[2], parts[3]), expected);
    int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
    nereid_layout_coordinates(&layout, expected, coordinates);
    assert_int_equal(nereid_layout_pack(&layout, coordinates), expected);
  }
}

static void test_image_bits_counts_the_image(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    nereid_layout_t layout = random_layout();
    static uint8_t seen[1 << 12];
    memset(seen, 0, sizeof seen);
    uint32_t distinct = 0, inputs = UINT32_C(1) << nereid_layout_in_total(&layout);
    for (uint32_t flat = 0; flat < inputs; flat++) {
      uint32_t packed = nereid_layout_apply_flat(&layout, flat);
      distinct += !seen[packed];
      seen[packed] = 1;
    }
    assert_int_equal(UINT32_C(1) << nereid_layout_image_bits(&layout), distinct);
    assert_int_equal(nereid_layout_injective(&layout), distinct == inputs);
    assert_int_equal(nereid_layout_surjective(&layout), distinct == UINT32_C(1) << nereid_layout_out_total(&layout));
  }
}

static void test_free_masks_leave_each_element_once(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    nereid_layout_t layout = random_layout();
    uint32_t masks[NEREID_LAYOUT_DIMS];
    nereid_layout_free_masks(&layout, masks);
    static uint8_t owners[1 << 12];
    memset(owners, 0, sizeof owners);
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat++) {
      uint32_t rest = flat;
      bool owner = true;
      for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
        owner &= (rest & ((1u << layout.in_bits[in]) - 1) & masks[in]) == 0;
        rest >>= layout.in_bits[in];
      }
      owners[nereid_layout_apply_flat(&layout, flat)] += owner;
    }
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat++)
      assert_int_equal(owners[nereid_layout_apply_flat(&layout, flat)], 1);
  }
}

static void test_same_replicas_compares_each_pair_of_inputs(void **unused) {
  (void)unused;
  for (int round = 0; round < 400; round++) {
    nereid_layout_t a = random_layout(), b = a;
    if (round % 4) /* another image of one bit */
      b.bases[NEREID_LAYOUT_LANE][0] = b.bases[NEREID_LAYOUT_REGISTER][round % 3];
    const uint32_t inputs = UINT32_C(1) << nereid_layout_in_total(&a);
    bool same = true;
    for (uint32_t x = 0; x < inputs; x++) /* both are linear: pairs with the first input suffice */
      same &= !nereid_layout_apply_flat(&a, x) == !nereid_layout_apply_flat(&b, x);
    assert_int_equal(nereid_layout_same_replicas(&a, &b), same);
  }
}

static void test_inverse_after_layout_is_the_identity(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    nereid_layout_t layout = random_product(1 + (int)random_below(3)), inverse, both;
    assert_true(nereid_layout_invert(&layout, &inverse));
    for (uint32_t packed = 0; packed < UINT32_C(1) << nereid_layout_out_total(&layout); packed++)
      assert_int_equal(nereid_layout_apply_flat(&layout, nereid_layout_apply_flat(&inverse, packed)), packed);
    if (!nereid_layout_injective(&layout))
      continue;
    assert_true(nereid_layout_compose(&layout, &inverse, &both));
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat++)
      assert_int_equal(nereid_layout_apply_flat(&both, flat), flat);
  }
}

static void test_solve_finds_every_element(void **unused) {
  (void)unused;
  int solved = 0;
  for (int round = 0; round < 400; round++) {
    nereid_layout_t target = random_layout(), outer = random_layout(), x;
    if (nereid_layout_out_total(&target) != nereid_layout_out_total(&outer)) {
      assert_false(nereid_layout_solve(&target, &outer, &x));
      continue;
    }
    if (!nereid_layout_solve(&target, &outer, &x)) {
      assert_false(nereid_layout_surjective(&outer));
      continue;
    }
    solved++;
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&target); flat++)
      assert_int_equal(nereid_layout_apply_flat(&outer, nereid_layout_apply_flat(&x, flat)),
                       nereid_layout_apply_flat(&target, flat));
  }
  assert_true(solved > 20);
}

static void test_divide_undoes_multiply(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    int rank = 1 + (int)random_below(3);
    nereid_layout_t tile = random_product(rank), outer = random_product(rank), product = tile, quotient;
    if (!nereid_layout_multiply(&product, &outer))
      continue;
    assert_true(nereid_layout_divide(&product, &tile, &quotient));
    assert_true(nereid_layout_equal(&quotient, &outer));
  }
  nereid_layout_t layout, tile, quotient;
  nereid_layout_identity1d(&layout, NEREID_LAYOUT_LANE, 1, 0, 3);
  nereid_layout_identity1d(&tile, NEREID_LAYOUT_REGISTER, 1, 0, 1);
  assert_false(nereid_layout_divide(&layout, &tile, &quotient));
}

static void test_transpose_permutes_coordinates(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    nereid_layout_t layout = random_layout(), transposed;
    int32_t order[NEREID_LAYOUT_MAX_RANK];
    for (int d = 0; d < layout.rank; d++)
      order[d] = d;
    for (int d = layout.rank - 1; d > 0; d--) {
      int other = (int)random_below((uint32_t)d + 1);
      int32_t held = order[d];
      order[d] = order[other];
      order[other] = held;
    }
    nereid_layout_transpose(&layout, order, &transposed);
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat += 3) {
      int32_t a[NEREID_LAYOUT_MAX_RANK], b[NEREID_LAYOUT_MAX_RANK];
      nereid_layout_coordinates(&layout, nereid_layout_apply_flat(&layout, flat), a);
      nereid_layout_coordinates(&transposed, nereid_layout_apply_flat(&transposed, flat), b);
      for (int d = 0; d < layout.rank; d++)
        assert_int_equal(b[d], a[order[d]]);
    }
  }
}

static void test_drop_dim_forgets_one_coordinate(void **unused) {
  (void)unused;
  for (int round = 0; round < 200; round++) {
    nereid_layout_t layout = random_layout(), dropped = layout;
    int dim = (int)random_below(layout.rank);
    nereid_layout_drop_dim(&dropped, dim);
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat += 3) {
      int32_t a[NEREID_LAYOUT_MAX_RANK], b[NEREID_LAYOUT_MAX_RANK];
      nereid_layout_coordinates(&layout, nereid_layout_apply_flat(&layout, flat), a);
      nereid_layout_coordinates(&dropped, nereid_layout_apply_flat(&dropped, flat), b);
      for (int d = 0; d < dropped.rank; d++)
        assert_int_equal(b[d], a[d + (d >= dim)]);
    }
  }
}

/* Another layout of the same tensor: some bases swapped or added to one another. */
static nereid_layout_t related(const nereid_layout_t *from) {
  nereid_layout_t to = *from;
  for (int n = (int)random_below(4); n > 0; n--) {
    uint32_t in = random_below(NEREID_LAYOUT_DIMS), other = random_below(2) ? in : random_below(NEREID_LAYOUT_DIMS);
    if (!to.in_bits[in] || !to.in_bits[other])
      continue;
    uint32_t *a = &to.bases[in][random_below(to.in_bits[in])], *b = &to.bases[other][random_below(to.in_bits[other])];
    uint32_t held = *a;
    *a = *b;
    *b = random_below(4) ? held : held ^ *a;
  }
  return to;
}

/* The least expensive kind, by trying every hardware index that holds each element. */
static nereid_layout_conversion_t brute_force(const nereid_layout_t *from, const nereid_layout_t *to) {
  nereid_layout_conversion_t worst = NEREID_LAYOUT_CONVERSION_SELECT;
  for (uint32_t there = 0; there < UINT32_C(1) << nereid_layout_in_total(to); there++) {
    nereid_layout_conversion_t best = NEREID_LAYOUT_CONVERSION_INVALID;
    uint32_t thread = there >> to->in_bits[0], lane = thread & ((1u << to->in_bits[1]) - 1);
    uint32_t warp = thread >> to->in_bits[1] & ((1u << to->in_bits[2]) - 1);
    uint32_t block = thread >> (to->in_bits[1] + to->in_bits[2]);
    for (uint32_t here = 0; here < UINT32_C(1) << nereid_layout_in_total(from); here++) {
      if (nereid_layout_apply_flat(from, here) != nereid_layout_apply_flat(to, there))
        continue;
      uint32_t rest = here >> from->in_bits[0];
      nereid_layout_conversion_t kind = NEREID_LAYOUT_CONVERSION_SELECT;
      if ((rest & ((1u << from->in_bits[1]) - 1)) != lane)
        kind = NEREID_LAYOUT_CONVERSION_WARP;
      rest >>= from->in_bits[1];
      if ((rest & ((1u << from->in_bits[2]) - 1)) != warp)
        kind = NEREID_LAYOUT_CONVERSION_SHARED;
      if (rest >> from->in_bits[2] != block)
        kind = NEREID_LAYOUT_CONVERSION_CLUSTER;
      best = kind < best ? kind : best;
    }
    worst = best > worst ? best : worst;
  }
  return worst;
}

static void test_convert_finds_the_cheapest_kind(void **unused) {
  (void)unused;
  int seen[NEREID_LAYOUT_CONVERSION_INVALID + 1] = {0};
  for (int round = 0; round < 3000; round++) {
    nereid_layout_t from = random_product(1), to = related(&from), source;
    if (nereid_layout_out_total(&from) != nereid_layout_out_total(&to) || nereid_layout_in_total(&from) > 9 ||
        nereid_layout_in_total(&to) > 9 || memcmp(&from.in_bits[1], &to.in_bits[1], 3) != 0)
      continue;
    nereid_layout_conversion_t kind = nereid_layout_convert(&from, &to, &source), expected = brute_force(&from, &to);
    if (kind <= NEREID_LAYOUT_CONVERSION_SELECT)
      assert_int_equal(expected, NEREID_LAYOUT_CONVERSION_SELECT);
    else
      assert_int_equal(kind, expected);
    seen[kind]++;
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&to); flat++)
      assert_int_equal(nereid_layout_apply_flat(&from, nereid_layout_apply_flat(&source, flat)),
                       nereid_layout_apply_flat(&to, flat));
    if (kind == NEREID_LAYOUT_CONVERSION_NONE)
      assert_true(nereid_layout_equal(&from, &to));
  }
  assert_true(seen[NEREID_LAYOUT_CONVERSION_NONE] && seen[NEREID_LAYOUT_CONVERSION_REGISTER] &&
              seen[NEREID_LAYOUT_CONVERSION_WARP] && seen[NEREID_LAYOUT_CONVERSION_SHARED] &&
              seen[NEREID_LAYOUT_CONVERSION_CLUSTER]);
}

static void test_contiguity_is_the_aligned_run(void **unused) {
  (void)unused;
  for (int round = 0; round < 300; round++) {
    int rank = 1 + (int)random_below(2), d = (int)random_below((uint32_t)rank);
    nereid_layout_t layout = random_product(rank);
    int32_t run = nereid_layout_contiguity(&layout, d);
    for (uint32_t flat = 0; flat < UINT32_C(1) << nereid_layout_in_total(&layout); flat++) {
      int32_t first[NEREID_LAYOUT_MAX_RANK], here[NEREID_LAYOUT_MAX_RANK];
      uint32_t step = flat % (uint32_t)run;
      nereid_layout_coordinates(&layout, nereid_layout_apply_flat(&layout, flat - step), first);
      nereid_layout_coordinates(&layout, nereid_layout_apply_flat(&layout, flat), here);
      assert_int_equal(first[d] % run, 0);
      for (int i = 0; i < rank; i++)
        assert_int_equal(here[i], first[i] + (i == d ? (int32_t)step : 0));
    }
  }
}

static void test_sizes_are_checked(void **unused) {
  (void)unused;
  nereid_layout_t layout, before;
  nereid_layout_identity1d(&layout, NEREID_LAYOUT_REGISTER, 2, 0, 20);
  before = layout;
  assert_false(nereid_layout_extend(&layout, NEREID_LAYOUT_LANE, 1, 13));
  assert_false(nereid_layout_extend_zeros(&layout, NEREID_LAYOUT_REGISTER, 13));
  assert_true(nereid_layout_equal(&layout, &before));
  assert_true(nereid_layout_extend(&layout, NEREID_LAYOUT_LANE, 1, 12));
  uint8_t flat[1] = {32}, wrong[1] = {31};
  assert_false(nereid_layout_reshape(&layout, 1, wrong));
  assert_true(nereid_layout_reshape(&layout, 1, flat));
}

int main(void) {
  random_state = 20261121;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_apply_is_the_sum_of_bases),
      cmocka_unit_test(test_image_bits_counts_the_image),
      cmocka_unit_test(test_free_masks_leave_each_element_once),
      cmocka_unit_test(test_same_replicas_compares_each_pair_of_inputs),
      cmocka_unit_test(test_inverse_after_layout_is_the_identity),
      cmocka_unit_test(test_solve_finds_every_element),
      cmocka_unit_test(test_divide_undoes_multiply),
      cmocka_unit_test(test_transpose_permutes_coordinates),
      cmocka_unit_test(test_drop_dim_forgets_one_coordinate),
      cmocka_unit_test(test_convert_finds_the_cheapest_kind),
      cmocka_unit_test(test_contiguity_is_the_aligned_run),
      cmocka_unit_test(test_sizes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
