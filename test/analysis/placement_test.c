/* Placement of random items, checked for each pair, with few and many items; and the time for many. */
#include "analysis/allocation/placement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
/* cmocka requires the four above. */
#include <cmocka.h>

enum { MEMBERS = 3, REGION = 20 }; /* regions of a group, and the times of each */

static uint64_t state = 1;

static uint32_t below(uint32_t limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % limit;
}

static nereid_placement_item_t *make_items(nereid_arena_t *arena, size_t n) {
  nereid_placement_item_t *items = nereid_arena_new(arena, nereid_placement_item_t, n);
  assert_non_null(items);
  for (size_t i = 0; i < n; ++i) {
    items[i].bytes = 1 + below(below(4) ? 64 : 4096);
    items[i].alignment = INT64_C(1) << below(8);
  }
  return items;
}

static void set_ranges(nereid_arena_t *arena, nereid_placement_item_t *item, uint32_t first, uint32_t end, uint32_t n) {
  nereid_live_range_t *ranges = nereid_arena_new(arena, nereid_live_range_t, n);
  assert_non_null(ranges);
  const uint32_t part = (end - first) / n;
  for (uint32_t r = 0; r < n; ++r) {
    ranges[r].first = first + r * part + below(part / 2 + 1);
    ranges[r].last = ranges[r].first + below(part / 2 + 1);
    ranges[r].last = ranges[r].last >= first + (r + 1) * part ? first + (r + 1) * part - 1 : ranges[r].last;
  }
  item->live.ranges = ranges;
  item->live.count = n;
}

static bool at_once(const nereid_live_t *a, const nereid_live_t *b) {
  if (a->group && a->group == b->group && a->member != b->member)
    return true;
  for (uint32_t i = 0; i < a->count; ++i)
    for (uint32_t j = 0; j < b->count; ++j)
      if (a->ranges[i].first <= b->ranges[j].last && b->ranges[j].first <= a->ranges[i].last)
        return true;
  return false;
}

/* The largest sum of the items live at one time: the lower bound of any placement. */
static void check(const nereid_placement_item_t *items, size_t n, int64_t total) {
  int64_t highest = 0;
  for (size_t i = 0; i < n; ++i) {
    assert_int_equal(items[i].offset % items[i].alignment, 0);
    assert_true(items[i].offset >= 0);
    highest = items[i].offset + items[i].bytes > highest ? items[i].offset + items[i].bytes : highest;
    for (size_t j = 0; j < i; ++j)
      if (items[i].offset < items[j].offset + items[j].bytes && items[j].offset < items[i].offset + items[i].bytes &&
          at_once(&items[i].live, &items[j].live))
        fail_msg("items %zu and %zu of %zu share bytes", i, j, n);
  }
  assert_int_equal(total, highest);
}

/* A group covers three time intervals with one member each; items outside of groups are arbitrary. */
static void test_few(void **unused) {
  (void)unused;
  const nereid_live_range_t spans[] = {{100, 100 + MEMBERS * REGION - 1}, {300, 300 + MEMBERS * REGION - 1}};
  for (int round = 0; round < 3000; ++round) {
    nereid_arena_t arena;
    nereid_arena_initialize(&arena);
    const size_t n = 1 + below(40);
    nereid_placement_item_t *items = make_items(&arena, n);
    for (size_t i = 0; i < n; ++i) {
      nereid_live_t *live = &items[i].live;
      live->group = below(2) ? below(3) : 0;
      live->member = live->group ? below(MEMBERS) : 0;
      const uint32_t start = live->group ? spans[live->group - 1].first + live->member * REGION : 0;
      set_ranges(&arena, &items[i], start, live->group ? start + REGION : 100, 1 + below(3));
    }
    const int64_t total = nereid_placement_run(items, n, spans, 2, &arena);
    const int64_t bound = nereid_placement_bound(items, n, spans, 2, &arena);
    check(items, n, total);
    assert_true(bound >= 0);
    check(items, n, nereid_placement_sweep(items, n, spans, 2, &arena));
    nereid_arena_deinitialize(&arena);
  }
}

/* By hand: the bound is for one time, with rounded sizes, and the sum of all members of a group. */
static void test_bound(void **unused) {
  (void)unused;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  const nereid_live_range_t early = {0, 4}, late = {5, 9}, in_first = {10, 11}, in_second = {12, 13}, span = {10, 13};
  nereid_placement_item_t items[] = {{100, 16, {&early, 1, 0, 0}, 0},   {50, 1, {&late, 1, 0, 0}, 0},
                                     {40, 1, {&in_first, 1, 1, 0}, 0},  {30, 1, {&in_first, 1, 1, 0}, 0},
                                     {60, 1, {&in_second, 1, 1, 1}, 0}, {20, 1, {&span, 1, 0, 0}, 0}};
  assert_int_equal(nereid_placement_bound(items, 2, &span, 1, &arena), 112);
  assert_int_equal(nereid_placement_bound(items, 6, &span, 1, &arena), 40 + 30 + 60 + 20);
  assert_int_equal(nereid_placement_run(items, 6, &span, 1, &arena), 150);
  assert_int_equal(nereid_placement_run(items, 0, &span, 1, &arena), 0);
  nereid_arena_deinitialize(&arena);
}

/* `life` is the length of live ranges, out of `end` times; pairs are checked when there are few enough. */
static double place_many(size_t n, uint32_t end, uint32_t life, int64_t *out_bound, int64_t *out_total) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_placement_item_t *items = make_items(&arena, n);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t first = life < end ? below(end - life) : 0;
    set_ranges(&arena, &items[i], first, first + life, 1);
  }
  const clock_t start = clock();
  *out_total = nereid_placement_run(items, n, NULL, 0, &arena);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  *out_bound = nereid_placement_bound(items, n, NULL, 0, &arena);
  if (n <= 4000)
    check(items, n, *out_total);
  nereid_arena_deinitialize(&arena);
  return seconds;
}

/* Few items live at once, all live at once, and in between: more pairs than are checked. */
static void test_many(void **unused) {
  (void)unused;
  static const struct {
    size_t n;
    uint32_t end, life;
  } cases[] = {{3000, 1000, 900},  {3000, 1000, 1000},    {3000, 100000, 20},
               {30000, 100000, 8}, {30000, 100000, 4000}, {30000, 1000, 1000}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    int64_t bound, total;
    const double seconds = place_many(cases[c].n, cases[c].end, cases[c].life, &bound, &total);
    print_message("%zu items, %u of %u times each: %lld bytes, bound %lld, %.3f s\n", cases[c].n, cases[c].life,
                  cases[c].end, (long long)total, (long long)bound, seconds);
    assert_true(total <= 3 * bound);
    assert_true(seconds <
                5); /* A quadratic algorithm would take a minute for the largest; sanitizer builds are slow. */
  }
}

/* The same items get the same offsets. */
static void test_again(void **unused) {
  (void)unused;
  int64_t bounds[2], totals[2];
  for (int i = 0; i < 2; ++i) {
    state = 42;
    place_many(500, 1000, 300, &bounds[i], &totals[i]);
  }
  assert_int_equal(totals[0], totals[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_few), cmocka_unit_test(test_bound),
                                     cmocka_unit_test(test_many), cmocka_unit_test(test_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
