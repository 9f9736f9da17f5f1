/* The steps of a scan and the totals that its warps exchange, point by point on random layouts. */
#include "layout/scan.h"

#include "test/layout/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 1 << 11 };

/* Each index bit is the image of one input bit; the remaining of eleven input bits replicate elements. */
static nereid_layout_t random_layout(void) {
  nereid_layout_t layout;
  nereid_layout_initialize(&layout, 2);
  for (int n = 0; n < 11; n++) {
    const nereid_layout_dim_t in = (nereid_layout_dim_t)random_below(3);
    if (layout.in_bits[in] == 5 || random_below(6) == 0)
      nereid_layout_extend_zeros(&layout, (nereid_layout_dim_t)random_below(3), 1);
    else
      nereid_layout_extend(&layout, in, (int)random_below(2), 1);
  }
  return layout;
}

/* A hardware coordinate, by input. */
typedef struct point {
  uint32_t in[NEREID_LAYOUT_DIMS];
} point_t;

static point_t point_of(const nereid_layout_t *layout, uint32_t flat) {
  point_t point = {{0}};
  for (int in = 0; in < 3; in++) {
    point.in[in] = flat & ((UINT32_C(1) << layout->in_bits[in]) - 1);
    flat >>= layout->in_bits[in];
  }
  return point;
}

static uint32_t apply(const nereid_layout_t *layout, point_t at) {
  return nereid_layout_apply(layout, at.in[0], at.in[1], at.in[2], 0);
}

static void segments_make_the_index(void **unused) {
  (void)unused;
  for (int n = 0; n < 300; n++) {
    const nereid_layout_t layout = random_layout();
    const int axis = (int)random_below(2);
    nereid_layout_scan_t plan;
    assert_int_equal(nereid_layout_scan(&layout, axis, &plan), NEREID_LAYOUT_SCANNABLE);
    for (uint32_t flat = 0; flat < POINTS; flat++) {
      const point_t at = point_of(&layout, flat);
      int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
      uint32_t index = 0;
      nereid_layout_coordinates(&layout, apply(&layout, at), coordinates);
      for (int s = 0; s < plan.count; s++)
        for (int i = 0; i < plan.segments[s].count; i++)
          index |= (at.in[plan.segments[s].in] >> plan.segments[s].bits[i] & 1) << (plan.segments[s].first + i);
      assert_int_equal(index, coordinates[axis]);
    }
  }
}

/* Packs the bits of `value` outside of `mask`, or unpacks them. */
static uint32_t packed(uint32_t value, uint32_t mask, int bits, bool unpack) {
  uint32_t result = 0;
  for (int bit = 0, at = 0; bit < bits; bit++)
    if (!(mask >> bit & 1)) {
      result |= unpack ? (value >> at & 1) << bit : (value >> bit & 1) << at;
      at++;
    }
  return result;
}

/* Each reader computes the slots of the totals of its register, for each warp, as the writers of that block do. */
static void check_exchange(const nereid_layout_t *layout, const nereid_layout_scan_t *plan,
                           const nereid_layout_segment_t *segment, uint32_t done, nereid_layout_scan_lanes_t lanes) {
  static int32_t written[POINTS];
  nereid_layout_t write, read;
  const int bits = layout->in_bits[NEREID_LAYOUT_REGISTER], left = bits - __builtin_popcount(done);
  const int64_t slots =
      nereid_layout_scan_exchange(layout, plan, segment, done, (int)random_below(4), lanes, &write, &read);
  const uint32_t below = ((UINT32_C(1) << segment->first) - 1) << nereid_layout_out_shift(layout, plan->axis);
  const int in_lanes = lanes.count ? lanes.count - segment->count : 0;
  memset(written, -1, sizeof written);
  for (uint32_t flat = 0; flat < POINTS; flat++) {
    point_t at = point_of(layout, flat);
    const int32_t block = (int32_t)(apply(layout, at) & ~below);
    if (at.in[0] & done)
      continue;
    at.in[0] = packed(at.in[0], done, bits, false);
    const uint32_t slot = apply(&write, at);
    assert_true(slot < slots && (written[slot] == -1 || written[slot] == block));
    written[slot] = block;
  }
  for (uint32_t flat = 0; flat < POINTS; flat++)
    for (uint32_t place = 0; place < UINT32_C(1) << segment->count; place++) {
      point_t at = point_of(layout, flat), from = at;
      const uint32_t outer = packed(at.in[0], done, bits, false);
      if (at.in[0] & done)
        continue;
      from.in[0] = outer | place << left;
      if (lanes.count) {
        const uint32_t mask = ((UINT32_C(1) << lanes.count) - 1) << lanes.first;
        from.in[0] = outer & ((UINT32_C(1) << (left - in_lanes)) - 1);
        from.in[1] =
            (at.in[1] & ~mask) | place << lanes.first | outer >> (left - in_lanes) << (lanes.first + segment->count);
      }
      at.in[2] &= ~segment->mask;
      for (int i = 0; i < segment->count; i++)
        at.in[2] |= (place >> i & 1) << segment->bits[i];
      assert_int_equal(written[apply(&read, from)], apply(layout, at) & ~below);
    }
}

static void readers_find_totals(void **unused) {
  int alone = 0, shared = 0;
  (void)unused;
  for (int n = 0; n < 300; n++) {
    const nereid_layout_t layout = random_layout();
    nereid_layout_scan_t plan;
    assert_int_equal(nereid_layout_scan(&layout, (int)random_below(2), &plan), NEREID_LAYOUT_SCANNABLE);
    uint32_t done = plan.copies[NEREID_LAYOUT_REGISTER];
    for (int s = 0; s < plan.count; s++) {
      const nereid_layout_segment_t *segment = &plan.segments[s];
      if (segment->in == NEREID_LAYOUT_REGISTER)
        done |= segment->mask;
      if (segment->in != NEREID_LAYOUT_WARP)
        continue;
      check_exchange(&layout, &plan, segment, done, (nereid_layout_scan_lanes_t){0, 0});
      alone++;
      nereid_layout_scan_lanes_t lanes = nereid_layout_scan_spare_lanes(&layout, &plan, segment);
      const int most = segment->count + layout.in_bits[NEREID_LAYOUT_REGISTER] - __builtin_popcount(done);
      lanes.count = lanes.count < most ? lanes.count : most;
      for (; lanes.count >= segment->count; lanes.count--, shared++)
        check_exchange(&layout, &plan, segment, done, lanes);
    }
  }
  assert_true(alone > 100 && shared > 100);
}

/* An index bit that is the image of two input bits. */
static void copies_become_regular(void **unused) {
  (void)unused;
  for (int n = 0; n < 300; n++) {
    nereid_layout_t layout = random_layout(), regular;
    nereid_layout_scan_t plan;
    for (int in = 0; in < 3; in++)
      for (int bit = 0; bit < layout.in_bits[in]; bit++)
        if (!layout.bases[in][bit] && nereid_layout_out_total(&layout))
          layout.bases[in][bit] = UINT32_C(1) << random_below((uint32_t)nereid_layout_out_total(&layout));
    nereid_layout_scan_regular(&layout, &regular);
    for (int axis = 0; axis < 2; axis++)
      assert_int_equal(nereid_layout_scan(&regular, axis, &plan), NEREID_LAYOUT_SCANNABLE);
    for (int in = 0; in < 3; in++)
      for (int bit = 0; bit < layout.in_bits[in]; bit++)
        assert_true(!regular.bases[in][bit] || regular.bases[in][bit] == layout.bases[in][bit]);
  }
}

/* Images that are sums of others, as those of swizzled warps. */
static void sums_become_regular(void **unused) {
  (void)unused;
  for (int n = 0; n < 300; n++) {
    nereid_layout_t layout = random_layout(), regular;
    nereid_layout_scan_t plan;
    for (int in = 0; in < 3 && nereid_layout_out_total(&layout); in++)
      for (int bit = 0; bit < layout.in_bits[in]; bit++)
        layout.bases[in][bit] ^= in == 0 || random_below(2) ? nereid_layout_apply(&layout, bit ? 1 : 0, 0, 0, 0)
                                                            : nereid_layout_apply(&layout, 1, random_below(32), 0, 0);
    const bool surjective = nereid_layout_surjective(&layout);
    nereid_layout_scan_regular(&layout, &regular);
    for (int axis = 0; axis < 2 && surjective; axis++)
      assert_int_equal(nereid_layout_scan(&regular, axis, &plan), NEREID_LAYOUT_SCANNABLE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(segments_make_the_index), cmocka_unit_test(readers_find_totals),
                                     cmocka_unit_test(copies_become_regular), cmocka_unit_test(sums_become_regular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
