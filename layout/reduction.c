/* Plans reductions along one dimension; see reduction.h.
 *
 * linear_layout.c returns the kernel in reduced form: no vector has the highest bit of another. So a coordinate with
 * these bits cleared represents its class, and the warp bits among them index the partial results in shared memory. */
#include "layout/reduction.h"

#include <assert.h>
#include <string.h>

static int input_of(const nereid_layout_t *layout, int *flat) {
  int in = 0;
  while (*flat >= layout->in_bits[in])
    *flat -= layout->in_bits[in++];
  return in;
}

static uint32_t part_of(const nereid_layout_t *layout, uint64_t flat, int in) {
  for (int lower = 0; lower < in; lower++)
    flat >>= layout->in_bits[lower];
  return (uint32_t)(flat & ((UINT64_C(1) << layout->in_bits[in]) - 1));
}

/* Adds `vector` to the echelon form `rows`; false when it is in their span. */
static bool add_row(uint32_t rows[NEREID_LAYOUT_MAX_BITS], uint32_t vector) {
  while (vector) {
    const int bit = 31 - __builtin_clz(vector);
    if (!rows[bit]) {
      rows[bit] = vector;
      return true;
    }
    vector ^= rows[bit];
  }
  return false;
}

static void add_generator(nereid_layout_reduction_t *out, uint64_t vector, int in, int bit) {
  const nereid_layout_t *layout = &out->projected;
  const nereid_layout_partner_t partner = {part_of(layout, vector, NEREID_LAYOUT_REGISTER),
                                           part_of(layout, vector, NEREID_LAYOUT_LANE)};
  if (in == NEREID_LAYOUT_REGISTER)
    out->registers[out->n_registers++] = partner.reg;
  else if (in == NEREID_LAYOUT_LANE)
    out->lanes[out->n_lanes++] = partner;
  else if (in == NEREID_LAYOUT_WARP)
    out->warps[out->n_warps++] = (uint8_t)bit;
  else
    out->blocks[out->n_blocks++] = part_of(layout, vector, NEREID_LAYOUT_BLOCK);
}

void nereid_layout_reduction(const nereid_layout_t *layout, int axis, nereid_layout_reduction_t *out) {
  uint64_t kernel[64];
  uint32_t rows[NEREID_LAYOUT_MAX_BITS] = {0};
  memset(out, 0, sizeof *out);
  out->projected = *layout;
  nereid_layout_drop_dim(&out->projected, axis);
  const int count = nereid_layout_kernel(&out->projected, kernel);
  for (int i = 0; i < count; i++) {
    int bit = 63 - __builtin_clzll(kernel[i]);
    const int in = input_of(layout, &bit);
    const bool adds = add_row(rows, nereid_layout_apply_flat(layout, kernel[i]));
    if (adds)
      add_generator(out, kernel[i], in, bit);
    if (!adds || in != NEREID_LAYOUT_WARP)
      out->fixed[in] |= UINT32_C(1) << bit;
    if (in == NEREID_LAYOUT_REGISTER)
      out->same[out->n_same++] = (uint32_t)kernel[i];
  }
}

uint32_t nereid_layout_reduction_register(const nereid_layout_reduction_t *reduction, uint32_t reg) {
  for (int i = 0; i < reduction->n_same; i++)
    if (reg >> (31 - __builtin_clz(reduction->same[i])) & 1)
      reg ^= reduction->same[i];
  return reg;
}

bool nereid_layout_reduction_deal(nereid_layout_reduction_t *reduction, int step) {
  nereid_layout_t *projected = &reduction->projected;
  const nereid_layout_partner_t partner = reduction->lanes[step];
  int bit = projected->in_bits[NEREID_LAYOUT_REGISTER] - 1;
  while (bit >= 0 && reduction->fixed[NEREID_LAYOUT_REGISTER] >> bit & 1)
    bit--;
  if (bit < 0 || partner.reg || (partner.lane & (partner.lane - 1)))
    return false;
  const int lane = __builtin_ctz(partner.lane);
  projected->bases[NEREID_LAYOUT_LANE][lane] = projected->bases[NEREID_LAYOUT_REGISTER][bit];
  projected->bases[NEREID_LAYOUT_REGISTER][bit] = 0;
  reduction->fixed[NEREID_LAYOUT_LANE] &= ~partner.lane;
  reduction->fixed[NEREID_LAYOUT_REGISTER] |= UINT32_C(1) << bit;
  return true;
}

int64_t nereid_layout_reduction_slots(const nereid_layout_reduction_t *reduction) {
  return INT64_C(1) << (nereid_layout_out_total(&reduction->projected) + reduction->n_warps);
}

static bool lanes_differ(const nereid_layout_t *projected) {
  return nereid_layout_span(projected, NEREID_LAYOUT_LANE) != 0;
}

/* Where the bits of a slot are. */
typedef struct places {
  uint8_t results[NEREID_LAYOUT_MAX_BITS], parts[NEREID_LAYOUT_MAX_BITS]; /* by bit of the result, of the part */
  uint32_t placed;                                                        /* bits of results that have a place */
  uint8_t count;
  int vector; /* the lowest ones: bits of representative registers whose results a thread accesses at once */
} places_t;

static uint32_t slot_of(const places_t *places, uint32_t result) {
  uint32_t slot = 0;
  for (int bit = 0; result >> bit; bit++)
    slot |= (result >> bit & 1) << places->results[bit];
  return slot;
}

/* The results of the representative registers, by register bit; returns their number. */
static int register_bases(const nereid_layout_reduction_t *reduction, uint32_t out[NEREID_LAYOUT_MAX_BITS]) {
  int n = 0;
  for (int bit = 0; bit < reduction->projected.in_bits[NEREID_LAYOUT_REGISTER]; bit++)
    if (!(reduction->fixed[NEREID_LAYOUT_REGISTER] >> bit & 1))
      out[n++] = reduction->projected.bases[NEREID_LAYOUT_REGISTER][bit];
  return n;
}

/* Adds the representative registers from bit `first` to before bit `last`. */
static void append_registers(const nereid_layout_reduction_t *reduction, const places_t *places, int first, int last,
                             nereid_layout_t *out) {
  uint32_t results[NEREID_LAYOUT_MAX_BITS];
  const int n = register_bases(reduction, results);
  for (int bit = first; bit < last && bit < n; bit++)
    out->bases[NEREID_LAYOUT_REGISTER][out->in_bits[NEREID_LAYOUT_REGISTER]++] = slot_of(places, results[bit]);
}

static void append_threads(const nereid_layout_t *projected, const places_t *places, nereid_layout_t *out) {
  for (int in = NEREID_LAYOUT_LANE; in <= NEREID_LAYOUT_WARP; in++) {
    out->in_bits[in] = projected->in_bits[in];
    for (int bit = 0; bit < projected->in_bits[in]; bit++)
      out->bases[in][bit] = slot_of(places, projected->bases[in][bit]);
  }
}

/* The first lane bit from `bit` on that no result depends on; past the last one when there is none. */
static int spare_bit(const nereid_layout_t *projected, int bit) {
  while (bit < projected->in_bits[NEREID_LAYOUT_LANE] && projected->bases[NEREID_LAYOUT_LANE][bit])
    bit++;
  return bit;
}

int nereid_layout_reduction_spare_lanes(const nereid_layout_reduction_t *reduction,
                                        uint32_t out_masks[NEREID_LAYOUT_MAX_BITS]) {
  const nereid_layout_t *projected = &reduction->projected;
  int n = 0;
  for (int bit = spare_bit(projected, 0); bit < projected->in_bits[NEREID_LAYOUT_LANE] && n < reduction->n_warps;
       bit = spare_bit(projected, bit + 1))
    out_masks[n++] = UINT32_C(1) << bit;
  return n;
}

static void place_results(places_t *places, uint32_t results) {
  results &= ~places->placed;
  for (int bit = 0; results >> bit; bit++)
    if (results >> bit & 1)
      places->results[bit] = places->count++;
  places->placed |= results;
}

static void place_parts(places_t *places, int first, int last) {
  for (int i = first; i < last; i++)
    places->parts[i] = places->count++;
}

/* Up to four results of a thread are adjacent, then those of the lanes, so that wide accesses of a warp are without
 * bank conflicts. If all lanes have the same results, partial results of one are adjacent, for wide loads. */
static places_t places_of(const nereid_layout_reduction_t *reduction, int spread) {
  enum { VECTOR_BITS = 2 };
  const nereid_layout_t *projected = &reduction->projected;
  const int n = reduction->n_warps;
  const bool apart = lanes_differ(projected);
  uint32_t results[NEREID_LAYOUT_MAX_BITS];
  const int registers = register_bases(reduction, results);
  places_t places = {.vector = 0};
  if (!apart)
    place_parts(&places, 0, n - spread);
  for (int bit = 0; apart && bit < registers && bit < VECTOR_BITS && !(results[bit] & (results[bit] - 1)) &&
                    !(results[bit] & places.placed);
       bit++, places.vector++)
    place_results(&places, results[bit]);
  place_results(&places, nereid_layout_span(projected, NEREID_LAYOUT_LANE));
  place_parts(&places, n - spread, n);
  place_results(&places, (uint32_t)((UINT64_C(1) << nereid_layout_out_total(projected)) - 1));
  if (apart)
    place_parts(&places, 0, n - spread);
  return places;
}

int nereid_layout_reduction_exchange(const nereid_layout_reduction_t *reduction, int spread, nereid_layout_t *out_write,
                                     nereid_layout_t *out_read) {
  const nereid_layout_t *projected = &reduction->projected;
  const places_t places = places_of(reduction, spread);
  const int n = reduction->n_warps;
  nereid_layout_initialize(out_write, 1);
  out_write->out_bits[0] = places.count;
  *out_read = *out_write;
  append_registers(reduction, &places, 0, NEREID_LAYOUT_MAX_BITS, out_write);
  append_threads(projected, &places, out_write);
  append_threads(projected, &places, out_read);
  append_registers(reduction, &places, 0, places.vector, out_read);
  for (int i = 0, lane = spare_bit(projected, 0); i < n; i++) {
    const uint32_t part = UINT32_C(1) << places.parts[i];
    out_write->bases[NEREID_LAYOUT_WARP][reduction->warps[i]] ^= part;
    if (i < n - spread) {
      out_read->bases[NEREID_LAYOUT_REGISTER][out_read->in_bits[NEREID_LAYOUT_REGISTER]++] = part;
    } else {
      assert(lane < projected->in_bits[NEREID_LAYOUT_LANE]);
      out_read->bases[NEREID_LAYOUT_LANE][lane] ^= part;
      lane = spare_bit(projected, lane + 1);
    }
  }
  append_registers(reduction, &places, places.vector, NEREID_LAYOUT_MAX_BITS, out_read);
  return places.vector;
}

int64_t nereid_layout_reduction_results(const nereid_layout_reduction_t *reduction) {
  return INT64_C(1) << nereid_layout_out_total(&reduction->projected);
}

/* The first CTA of those that hold partial results of the same result as CTA 2^bit. */
static uint32_t first_cta(const nereid_layout_reduction_t *reduction, int bit) {
  for (int i = 0; i < reduction->n_blocks; i++)
    if (31 - __builtin_clz(reduction->blocks[i]) == bit)
      return reduction->blocks[i] ^ UINT32_C(1) << bit;
  return UINT32_C(1) << bit;
}

void nereid_layout_reduction_cluster(const nereid_layout_reduction_t *reduction, nereid_layout_t *out_write,
                                     nereid_layout_t *out_read) {
  const nereid_layout_t *projected = &reduction->projected;
  const int result_bits = nereid_layout_out_total(projected), ctas = projected->in_bits[NEREID_LAYOUT_BLOCK];
  places_t places = {.vector = 0};
  place_results(&places, (uint32_t)((UINT64_C(1) << result_bits) - 1));
  nereid_layout_initialize(out_write, 1);
  out_write->out_bits[0] = (uint8_t)result_bits;
  *out_read = *out_write;
  out_read->out_bits[0] = (uint8_t)(result_bits + ctas);
  for (int i = 0; i < reduction->n_blocks; i++)
    out_read->bases[NEREID_LAYOUT_REGISTER][out_read->in_bits[NEREID_LAYOUT_REGISTER]++] = reduction->blocks[i]
                                                                                           << result_bits;
  append_registers(reduction, &places, 0, NEREID_LAYOUT_MAX_BITS, out_write);
  append_registers(reduction, &places, 0, NEREID_LAYOUT_MAX_BITS, out_read);
  append_threads(projected, &places, out_write);
  append_threads(projected, &places, out_read);
  out_write->in_bits[NEREID_LAYOUT_BLOCK] = out_read->in_bits[NEREID_LAYOUT_BLOCK] = (uint8_t)ctas;
  for (int bit = 0; bit < ctas; bit++) {
    const uint32_t slot = projected->bases[NEREID_LAYOUT_BLOCK][bit];
    out_write->bases[NEREID_LAYOUT_BLOCK][bit] = slot;
    out_read->bases[NEREID_LAYOUT_BLOCK][bit] = first_cta(reduction, bit) << result_bits | slot;
  }
}
