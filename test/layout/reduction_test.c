/* Elements combined by a reduction, checked pointwise on random layouts: each element of a result exactly once. */
#include "layout/reduction.h"

#include "test/layout/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every element has a hardware index; remaining input bits replicate elements. */
static nereid_layout_t random_layout(void) {
  nereid_layout_t layout;
  nereid_layout_initialize(&layout, 2);
  for (int n = 0; n < 8; n++) {
    const nereid_layout_dim_t in = (nereid_layout_dim_t)random_below(3);
    if (random_below(4) == 0)
      nereid_layout_extend_zeros(&layout, in, 1);
    else
      nereid_layout_extend(&layout, in, (int)random_below(2), 1);
  }
  for (int in = 0; in < 3; in++)
    for (int i = 0; i < layout.in_bits[in]; i++)
      if (!layout.bases[in][i] && random_below(2))
        layout.bases[in][i] = random_below(UINT32_C(1) << nereid_layout_out_total(&layout));
  return layout;
}

/* The elements, one bit each, that a thread has combined for a register. */
typedef struct cells {
  const nereid_layout_t *layout;
  uint8_t seen[1 << 8][1 << 8]; /* [flat coordinate][element]: how often */
} cells_t;

static uint32_t flat_of(const nereid_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp) {
  return reg | lane << layout->in_bits[0] | warp << (layout->in_bits[0] + layout->in_bits[1]);
}

static void combine_with(cells_t *cells, uint32_t mask) {
  static uint8_t before[1 << 8][1 << 8];
  memcpy(before, cells->seen, sizeof before);
  const uint32_t size = UINT32_C(1) << nereid_layout_in_total(cells->layout);
  for (uint32_t x = 0; x < size; x++)
    for (int e = 0; e < 1 << 8; e++)
      cells->seen[x][e] = (uint8_t)(before[x][e] + before[x ^ mask][e]);
}

/* The elements that share a result with `element`, from the partial results of the exchange. */
static void check_point(const cells_t *cells, const nereid_layout_reduction_t *r, int axis, uint32_t x, int spread) {
  const nereid_layout_t *layout = cells->layout;
  nereid_layout_t write, read;
  uint32_t masks[NEREID_LAYOUT_MAX_BITS];
  int count[1 << 8] = {0};
  assert_true(spread <= nereid_layout_reduction_spare_lanes(r, masks));
  const int vector = nereid_layout_reduction_exchange(r, spread, &write, &read);
  const uint32_t lane = x >> layout->in_bits[0] & ((1U << layout->in_bits[1]) - 1);
  const uint32_t warp = x >> (layout->in_bits[0] + layout->in_bits[1]);
  for (uint32_t part = 0; part < UINT32_C(1) << r->n_warps; part++) {
    uint32_t from = lane; /* the high bits of the part's index are those of a lane that shares the work */
    for (int i = 0; i < spread; i++)
      from = (from & ~masks[i]) | (part >> (r->n_warps - spread + i) & 1 ? masks[i] : 0);
    const uint32_t own = part & ((UINT32_C(1) << (r->n_warps - spread)) - 1);
    const uint32_t slot =
        nereid_layout_apply(&read, own << vector, from, warp, 0); /* the first representative register */
    int writers = 0;
    for (uint32_t y = 0; y < UINT32_C(1) << nereid_layout_in_total(layout); y++) {
      const uint32_t reg = y & ((1U << layout->in_bits[0]) - 1);
      const uint32_t from_lane = y >> layout->in_bits[0] & ((1U << layout->in_bits[1]) - 1);
      const uint32_t from_warp = y >> (layout->in_bits[0] + layout->in_bits[1]);
      if ((reg & r->fixed[0]) || (from_lane & r->fixed[1]) || (from_warp & r->fixed[2]))
        continue;
      uint32_t packed = 0; /* index of the register among the representatives */
      for (int bit = 0, at = 0; bit < layout->in_bits[0]; bit++)
        if (!(r->fixed[0] >> bit & 1))
          packed |= (reg >> bit & 1) << at++;
      if (nereid_layout_apply(&write, packed, from_lane, from_warp, 0) != slot)
        continue;
      writers++;
      for (int e = 0; e < 1 << 8; e++)
        count[e] += cells->seen[y][e];
    }
    assert_int_equal(writers, 1);
  }
  int32_t mine[NEREID_LAYOUT_MAX_RANK], other[NEREID_LAYOUT_MAX_RANK];
  nereid_layout_coordinates(layout, nereid_layout_apply(layout, 0, lane, warp, 0), mine);
  for (uint32_t e = 0; e < UINT32_C(1) << nereid_layout_out_total(layout); e++) {
    nereid_layout_coordinates(layout, e, other);
    assert_int_equal(count[e], other[1 - axis] == mine[1 - axis]);
  }
}

static void every_element_once(void **unused) {
  (void)unused;
  static cells_t cells;
  for (int n = 0; n < 200; n++) {
    const nereid_layout_t layout = random_layout();
    const int axis = (int)random_below(2);
    nereid_layout_reduction_t r;
    nereid_layout_reduction(&layout, axis, &r);
    assert_int_equal(r.n_blocks, 0);
    memset(&cells, 0, sizeof cells);
    cells.layout = &layout;
    const uint32_t size = UINT32_C(1) << nereid_layout_in_total(&layout);
    for (uint32_t x = 0; x < size; x++)
      cells.seen[x][nereid_layout_apply_flat(&layout, x)] = 1;
    for (int g = 0; g < r.n_registers; g++)
      combine_with(&cells, r.registers[g]);
    for (int g = 0; g < r.n_lanes; g++)
      combine_with(&cells, flat_of(&layout, r.lanes[g].reg, r.lanes[g].lane, 0));
    uint32_t masks[NEREID_LAYOUT_MAX_BITS];
    const int spare = nereid_layout_reduction_spare_lanes(&r, masks);
    for (uint32_t x = 0; x < size; x += UINT32_C(1) << layout.in_bits[0])
      for (int spread = 0; spread <= spare; spread++)
        check_point(&cells, &r, axis, x, spread);
  }
}

static void blocks_are_seen(void **unused) {
  (void)unused;
  nereid_layout_t layout;
  nereid_layout_reduction_t r;
  nereid_layout_initialize(&layout, 2);
  nereid_layout_extend(&layout, NEREID_LAYOUT_LANE, 0, 2);
  nereid_layout_extend(&layout, NEREID_LAYOUT_BLOCK, 1, 1);
  nereid_layout_reduction(&layout, 0, &r);
  assert_int_equal(r.n_blocks, 0);
  nereid_layout_reduction(&layout, 1, &r);
  assert_int_equal(r.n_blocks, 1);
  assert_int_equal(r.blocks[0], 1);
}

/* A layout in which CTAs have elements, too. */
static nereid_layout_t random_cluster(void) {
  nereid_layout_t layout;
  nereid_layout_initialize(&layout, 2);
  for (int n = 0; n < 8; n++)
    nereid_layout_extend(&layout, (nereid_layout_dim_t)random_below(4), (int)random_below(2), 1);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    if (random_below(2))
      nereid_layout_extend_zeros(&layout, (nereid_layout_dim_t)in, 1);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < layout.in_bits[in]; i++)
      if (!layout.bases[in][i] && random_below(2))
        layout.bases[in][i] = random_below(UINT32_C(1) << nereid_layout_out_total(&layout));
  return layout;
}

/* Counts the elements of CTA `cta` whose result is `slot`, each once however many threads have it. */
static void count_elements(const nereid_layout_t *layout, const nereid_layout_t *projected, uint32_t cta, uint32_t slot,
                           uint8_t count[1 << 8]) {
  bool seen[1 << 8] = {false};
  const int in_cta = nereid_layout_in_total(layout) - layout->in_bits[NEREID_LAYOUT_BLOCK];
  for (uint32_t x = 0; x < UINT32_C(1) << in_cta; x++) {
    const uint32_t flat = x | cta << in_cta, element = nereid_layout_apply_flat(layout, flat);
    if (nereid_layout_apply_flat(projected, flat) == slot && !seen[element])
      count[element]++;
    seen[element] |= nereid_layout_apply_flat(projected, flat) == slot;
  }
}

/* The CTAs that a thread reads have each element of its result once, and the thread's own CTA is one of them. All
 * readers of a slot of a CTA read the same CTAs in the same order. */
static void check_cluster(const nereid_layout_t *layout, const nereid_layout_reduction_t *r) {
  static uint32_t first[1 << 8][1 << 8]; /* [slot][CTA]: the first CTA of its readers, plus 1 */
  nereid_layout_t write, read;
  memset(first, 0, sizeof first);
  nereid_layout_reduction_cluster(r, &write, &read);
  const int bits = nereid_layout_out_total(&r->projected),
            in_cta = write.in_bits[0] + write.in_bits[1] + write.in_bits[2];
  for (uint32_t x = 0; x < UINT32_C(1) << nereid_layout_in_total(&write); x++) {
    const uint32_t own = nereid_layout_apply_flat(&write, x), cta = x >> in_cta;
    uint8_t count[1 << 8] = {0};
    bool reads_itself = false;
    for (uint32_t part = 0; part < UINT32_C(1) << r->n_blocks; part++) {
      const uint32_t image = nereid_layout_apply_flat(&read, (uint64_t)x << r->n_blocks | part), from = image >> bits;
      const uint32_t start = nereid_layout_apply_flat(&read, (uint64_t)x << r->n_blocks) >> bits;
      assert_int_equal(image & ((UINT32_C(1) << bits) - 1), own);
      count_elements(layout, &r->projected, from, own, count);
      assert_true(!first[own][from] || first[own][from] == start + 1);
      first[own][from] = start + 1;
      reads_itself |= from == cta;
    }
    assert_true(reads_itself);
    for (uint32_t e = 0; e < UINT32_C(1) << nereid_layout_out_total(layout); e++)
      assert_true(count[e] <= 1);
    int elements = 0;
    for (int e = 0; e < 1 << 8; e++)
      elements += count[e];
    assert_int_equal(elements, 1 << (nereid_layout_out_total(layout) - bits));
  }
}

static void ctas_have_every_element_once(void **unused) {
  int crossing = 0;
  (void)unused;
  for (int n = 0; n < 100; n++) {
    const nereid_layout_t layout = random_cluster();
    nereid_layout_reduction_t r;
    nereid_layout_reduction(&layout, (int)random_below(2), &r);
    check_cluster(&layout, &r);
    crossing += r.n_blocks > 0;
  }
  assert_true(crossing > 30);
}

/* 4 rows in each thread, 8 lanes along them: two steps distribute the rows, the highest register bit first. */
static void registers_are_dealt_out(void **unused) {
  (void)unused;
  nereid_layout_t layout;
  nereid_layout_reduction_t r;
  uint32_t masks[NEREID_LAYOUT_MAX_BITS];
  nereid_layout_initialize(&layout, 2);
  nereid_layout_extend(&layout, NEREID_LAYOUT_REGISTER, 0, 2);
  nereid_layout_extend(&layout, NEREID_LAYOUT_LANE, 1, 3);
  nereid_layout_extend(&layout, NEREID_LAYOUT_WARP, 1, 2);
  nereid_layout_reduction(&layout, 1, &r);
  assert_int_equal(nereid_layout_reduction_spare_lanes(&r, masks), 2);
  const uint32_t low = r.projected.bases[NEREID_LAYOUT_REGISTER][0],
                 high = r.projected.bases[NEREID_LAYOUT_REGISTER][1];
  assert_true(nereid_layout_reduction_deal(&r, 0));
  assert_true(nereid_layout_reduction_deal(&r, 1));
  assert_false(nereid_layout_reduction_deal(&r, 2));
  assert_int_equal(r.projected.bases[NEREID_LAYOUT_LANE][0], high);
  assert_int_equal(r.projected.bases[NEREID_LAYOUT_LANE][1], low);
  assert_int_equal(r.projected.bases[NEREID_LAYOUT_REGISTER][0] | r.projected.bases[NEREID_LAYOUT_REGISTER][1], 0);
  assert_int_equal(r.fixed[NEREID_LAYOUT_REGISTER], 3);
  assert_int_equal(r.fixed[NEREID_LAYOUT_LANE], 4);
  assert_int_equal(nereid_layout_reduction_spare_lanes(&r, masks), 1);
  assert_int_equal(masks[0], 4);
  nereid_layout_t write, read;
  nereid_layout_reduction_exchange(&r, 1, &write, &read);
  bool written[16] = {false};
  for (uint32_t thread = 0; thread < 32; thread++)
    if (!(thread & 4)) { /* each slot by one thread */
      const uint32_t slot = nereid_layout_apply(&write, 0, thread & 7, thread >> 3, 0);
      assert_false(written[slot]);
      written[slot] = true;
    }
}

/* 64x128 over 32 warps, eight columns per thread: the lanes of a wavefront of 16 bytes each access different banks. */
static void wide_accesses_without_conflicts(void **unused) {
  (void)unused;
  enum { VECTOR = 4, LANES = 8 };
  nereid_layout_t layout, write, read;
  nereid_layout_reduction_t r;
  nereid_layout_identity1d(&layout, NEREID_LAYOUT_REGISTER, 2, 1, 3);
  assert_true(nereid_layout_extend(&layout, NEREID_LAYOUT_LANE, 1, 4));
  assert_true(nereid_layout_extend(&layout, NEREID_LAYOUT_LANE, 0, 1));
  assert_true(nereid_layout_extend(&layout, NEREID_LAYOUT_WARP, 0, 5));
  nereid_layout_reduction(&layout, 0, &r);
  assert_int_equal(nereid_layout_reduction_exchange(&r, 0, &write, &read), 2);
  const nereid_layout_t *sides[] = {&write, &read};
  for (int side = 0; side < 2; side++) {
    assert_true(nereid_layout_contiguity(sides[side], 0) >= VECTOR);
    uint32_t groups = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
      groups |= 1U << nereid_layout_apply(sides[side], 0, lane, 0, 0) / VECTOR % LANES;
    assert_int_equal(groups, (1 << LANES) - 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_element_once), cmocka_unit_test(blocks_are_seen),
                                     cmocka_unit_test(ctas_have_every_element_once),
                                     cmocka_unit_test(registers_are_dealt_out),
                                     cmocka_unit_test(wide_accesses_without_conflicts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
