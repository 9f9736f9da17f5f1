/* The order of elements along one dimension; see scan.h. */
#include "layout/scan.h"

#include <assert.h>
#include <string.h>

/* The input bit whose image is exactly bit `packed` of the packed coordinate; false when there is none, or another
 * image includes it. */
static bool find_holder(const nereid_layout_t *layout, uint32_t packed, int *out_in, int *out_bit) {
  int found = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++)
      if (layout->bases[in][bit] & packed) {
        found += layout->bases[in][bit] == packed ? 1 : 2;
        *out_in = in;
        *out_bit = bit;
      }
  return found == 1;
}

static bool continues(const nereid_layout_segment_t *segment, int in, int bit) {
  return (int)segment->in == in && (in != NEREID_LAYOUT_LANE || segment->bits[segment->count - 1] < bit);
}

nereid_layout_scannable_t nereid_layout_scan(const nereid_layout_t *layout, int axis, nereid_layout_scan_t *out) {
  const int shift = nereid_layout_out_shift(layout, axis);
  int in = 0, at = 0;
  memset(out, 0, sizeof *out);
  out->axis = axis;
  nereid_layout_free_masks(layout, out->copies);
  out->copies[NEREID_LAYOUT_REGISTER] = 0;
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_REGISTER]; bit++)
    if (!layout->bases[NEREID_LAYOUT_REGISTER][bit])
      out->copies[NEREID_LAYOUT_REGISTER] |= UINT32_C(1) << bit;
  for (int i = 0; i < nereid_layout_out_total(layout); i++)
    if (!find_holder(layout, UINT32_C(1) << i, &in, &at))
      return NEREID_LAYOUT_SCAN_IRREGULAR;
  for (int i = 0; i < layout->out_bits[axis]; i++) {
    find_holder(layout, UINT32_C(1) << (shift + i), &in, &at);
    if (in == NEREID_LAYOUT_BLOCK)
      return NEREID_LAYOUT_SCAN_BLOCKS;
    if (!out->count || !continues(&out->segments[out->count - 1], in, at))
      out->segments[out->count++] = (nereid_layout_segment_t){.in = (nereid_layout_dim_t)in, .first = i};
    nereid_layout_segment_t *last = &out->segments[out->count - 1];
    last->bits[last->count++] = (uint8_t)at;
    last->mask |= UINT32_C(1) << at;
  }
  return NEREID_LAYOUT_SCANNABLE;
}

/* Gaussian elimination: an image that is independent of the earlier ones has a leading bit of its own. */
void nereid_layout_scan_regular(const nereid_layout_t *layout, nereid_layout_t *out) {
  uint32_t rows[NEREID_LAYOUT_MAX_BITS] = {0};
  *out = *layout;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++) {
      uint32_t image = layout->bases[in][bit], leading = 0;
      while (image && rows[leading = 31 - (uint32_t)__builtin_clz(image)])
        image ^= rows[leading];
      out->bases[in][bit] = image ? UINT32_C(1) << leading : 0;
      if (image)
        rows[leading] = image;
    }
}

/* Removes the bits of the index below `segment`. */
static nereid_layout_t above(const nereid_layout_t *layout, int axis, int first) {
  nereid_layout_t result = *layout;
  uint8_t bits[NEREID_LAYOUT_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < layout->rank; d++) {
    bits[rank++] = (uint8_t)(layout->out_bits[d] - (d == axis ? first : 0));
    if (d == axis)
      bits[rank++] = (uint8_t)first;
  }
  nereid_layout_reshape(&result, rank, bits);
  nereid_layout_drop_dim(&result, axis + 1);
  nereid_layout_reshape(&result, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(&result)});
  return result;
}

/* Reassigns the bits of a slot, from the lowest. */
typedef struct numbering {
  uint32_t names[NEREID_LAYOUT_MAX_BITS]; /* new names of the old bits; 0: none yet */
  int count;
} numbering_t;

static void number_next(numbering_t *numbering, uint32_t basis) {
  uint32_t *name = basis ? &numbering->names[__builtin_ctz(basis)] : NULL;
  if (name && !*name)
    *name = UINT32_C(1) << numbering->count++;
}

/* Renumbers the slots: first `vector` bits of a thread's registers, then lanes, then warps, so that the vectors of
 * adjacent lanes are adjacent. */
static void number_slots(nereid_layout_t *layout, int vector) {
  static const nereid_layout_dim_t order[] = {NEREID_LAYOUT_LANE, NEREID_LAYOUT_WARP, NEREID_LAYOUT_REGISTER};
  numbering_t numbering = {{0}, 0};
  for (int bit = 0; bit < vector && bit < layout->in_bits[NEREID_LAYOUT_REGISTER]; bit++)
    number_next(&numbering, layout->bases[NEREID_LAYOUT_REGISTER][bit]);
  for (int i = 0; i < 3; i++)
    for (int bit = 0; bit < layout->in_bits[order[i]]; bit++)
      number_next(&numbering, layout->bases[order[i]][bit]);
  for (int in = 0; in < 3; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++) {
      uint32_t *basis = &layout->bases[in][bit];
      *basis = *basis ? numbering.names[__builtin_ctz(*basis)] : 0;
    }
}

nereid_layout_scan_lanes_t nereid_layout_scan_spare_lanes(const nereid_layout_t *layout,
                                                          const nereid_layout_scan_t *scan,
                                                          const nereid_layout_segment_t *segment) {
  const nereid_layout_t all = above(layout, scan->axis, segment->first);
  nereid_layout_scan_lanes_t best = {0, 0}, run = {0, 0};
  for (int bit = 0; bit < all.in_bits[NEREID_LAYOUT_LANE]; bit++) {
    run.count = all.bases[NEREID_LAYOUT_LANE][bit] ? 0 : run.count + 1;
    run.first = bit + 1 - run.count;
    best = run.count > best.count ? run : best;
  }
  return best;
}

/* Only the registers without `done`. */
static void keep_registers(nereid_layout_t *layout, uint32_t done) {
  uint32_t *bases = layout->bases[NEREID_LAYOUT_REGISTER];
  int count = 0;
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_REGISTER]; bit++)
    if (!(done >> bit & 1))
      bases[count++] = bases[bit];
  layout->in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)count;
}

int64_t nereid_layout_scan_exchange(const nereid_layout_t *layout, const nereid_layout_scan_t *scan,
                                    const nereid_layout_segment_t *segment, uint32_t done, int vector,
                                    nereid_layout_scan_lanes_t lanes, nereid_layout_t *out_write,
                                    nereid_layout_t *out_read) {
  *out_write = above(layout, scan->axis, segment->first);
  out_write->in_bits[NEREID_LAYOUT_BLOCK] = 0;
  keep_registers(out_write, done);
  number_slots(out_write, vector);
  *out_read = *out_write;
  uint8_t *registers = &out_read->in_bits[NEREID_LAYOUT_REGISTER];
  uint32_t *lane_bases = &out_read->bases[NEREID_LAYOUT_LANE][lanes.first];
  for (int i = lanes.count - 1; i >= segment->count; i--) {
    assert(*registers > 0); /* lanes take no more than there are */
    lane_bases[i] = out_read->bases[NEREID_LAYOUT_REGISTER][--*registers];
  }
  for (int i = 0; i < segment->count; i++) {
    uint32_t *basis = &out_read->bases[NEREID_LAYOUT_WARP][segment->bits[i]];
    *(lanes.count ? &lane_bases[i] : &out_read->bases[NEREID_LAYOUT_REGISTER][(*registers)++]) = *basis;
    *basis = 0;
  }
  return INT64_C(1) << nereid_layout_out_total(out_write);
}
