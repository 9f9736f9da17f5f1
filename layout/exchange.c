/* Slots without bank conflicts; see exchange.h.
 *
 * The image of a register or lane bit is a single bit of the packed coordinate, so the spaces are sets of coordinate
 * bits. Let P and Q be the lane bits of the two sides, which must differ within 128 bytes. The common
 * complement is spanned by the bits in neither and by sums p + q of one bit in P only and one in Q only. In slots: p
 * maps to a bit within the 128 bytes, and q to the same bit plus a higher one. */
#include "layout/exchange.h"

#include <assert.h>
#include <string.h>

enum { BANKS_BITS = 7, WORD_BITS = 2, ACCESS_BITS = 4, WAVEFRONT_BITS = 5 }; /* log2 of bytes; of lanes */

static int log2_of(int size) {
  return 31 - __builtin_clz((unsigned)size);
}

static bool is_unit(uint32_t basis) {
  return (basis & (basis - 1)) == 0;
}

/* Whether the image of each register and lane bit is a single bit. Those of warps do not matter: a wavefront is of one
 * warp. */
static bool moves_single_bits(const nereid_layout_t *layout) {
  for (int in = 0; in < NEREID_LAYOUT_WARP; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++)
      if (!is_unit(layout->bases[in][bit]))
        return false;
  return true;
}

/* The coordinate bits of the lanes of one wavefront, for accesses of 2^vector elements of 2^element bytes. */
static uint32_t wavefront(const nereid_layout_t *layout, int vector, int element) {
  const int wide = vector + element > WORD_BITS ? vector + element - WORD_BITS : 0;
  uint32_t bits = 0;
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_LANE] && bit < WAVEFRONT_BITS - wide; bit++)
    bits |= layout->bases[NEREID_LAYOUT_LANE][bit];
  return bits;
}

/* --- vectors --- */

/* The coordinate bits of vector accesses, in order: those in registers of both sides, then additional ones of one
 * side. */
typedef struct vectors {
  uint8_t bits[NEREID_LAYOUT_MAX_BITS];
  int from, to; /* the number of these in one access of each side */
} vectors_t;

static int append_bits(const nereid_layout_t *order, uint32_t required, int most, vectors_t *out, int count) {
  for (int i = 0; i < order->in_bits[NEREID_LAYOUT_REGISTER] && count < most; i++)
    if (order->bases[NEREID_LAYOUT_REGISTER][i] & required)
      out->bits[count++] = (uint8_t)__builtin_ctz(order->bases[NEREID_LAYOUT_REGISTER][i]);
  return count;
}

/* Adds bits of one side only if they do not cause bank conflicts for the lanes of the other side. */
static vectors_t find_vectors(const nereid_layout_t *from, const nereid_layout_t *to, int element) {
  vectors_t vectors = {.from = 0};
  const uint32_t in_from = nereid_layout_span(from, NEREID_LAYOUT_REGISTER);
  const uint32_t in_to = nereid_layout_span(to, NEREID_LAYOUT_REGISTER);
  const int most = ACCESS_BITS - element;
  vectors.from = vectors.to = append_bits(to, in_from, most, &vectors, 0);
  vectors.to = append_bits(to, ~in_from & wavefront(from, vectors.from, element), most, &vectors, vectors.to);
  if (vectors.to == vectors.from)
    vectors.from = append_bits(from, ~in_to & wavefront(to, vectors.to, element), most, &vectors, vectors.from);
  return vectors;
}

/* Puts the register bits of vector accesses first. */
static void order_registers(nereid_layout_t *layout, const vectors_t *vectors, int count) {
  uint32_t ordered[NEREID_LAYOUT_MAX_BITS], *bases = layout->bases[NEREID_LAYOUT_REGISTER], taken = 0;
  int n = 0;
  for (int i = 0; i < count; i++) {
    ordered[n++] = UINT32_C(1) << vectors->bits[i];
    taken |= ordered[i];
  }
  for (int i = 0; i < layout->in_bits[NEREID_LAYOUT_REGISTER]; i++)
    if (!(bases[i] & taken))
      ordered[n++] = bases[i];
  memcpy(bases, ordered, (size_t)n * sizeof *bases);
}

/* --- slots --- */

typedef struct slots {
  uint32_t of[NEREID_LAYOUT_MAX_BITS]; /* the image of each coordinate bit in the bits of the slot */
  uint32_t placed;                     /* coordinate bits with an image */
  uint32_t free;                       /* unassigned bits of the slot */
  int banks;                           /* bits of the slot within 128 bytes */
} slots_t;

/* Maps `bit` to the lowest free bit of the slot from `first` on, plus `with`. */
static void place(slots_t *slots, int bit, int first, uint32_t with) {
  const uint32_t from = slots->free & ~((UINT32_C(1) << first) - 1);
  const uint32_t own = from ? from & -from : slots->free & -slots->free;
  slots->of[bit] = own | with;
  slots->placed |= UINT32_C(1) << bit;
  slots->free &= ~own;
}

static bool is_high_free(const slots_t *slots) {
  return slots->free >> slots->banks != 0;
}

/* Assigns sums of a bit only in `one` and a bit only in `other`, until all bits above 128 bytes are assigned. Bits that
 * select a byte within a word do not select a bank. */
static void place_sums(slots_t *slots, uint32_t one, uint32_t other, int element) {
  uint32_t p = one & ~other & ~slots->placed, q = other & ~one & ~slots->placed;
  for (; p && q && is_high_free(slots); p &= p - 1, q &= q - 1) {
    const int low = __builtin_ctz(p);
    place(slots, low, element < WORD_BITS ? WORD_BITS - element : 0, 0);
    place(slots, __builtin_ctz(q), slots->banks, slots->of[low]);
  }
}

/* `p` and `q` are the coordinate bits of the lanes of one wavefront on the two sides. */
static slots_t find_slots(int total, const vectors_t *vectors, uint32_t p, uint32_t q, int element) {
  const int banks = BANKS_BITS - element;
  assert(banks >= 0 && total < 32);
  slots_t slots = {.free = (uint32_t)((UINT64_C(1) << total) - 1), .banks = banks < total ? banks : total};
  const int n = vectors->from > vectors->to ? vectors->from : vectors->to;
  for (int i = 0; i < n; i++) {
    place(&slots, vectors->bits[i], i, 0);
    p |= i < vectors->from ? UINT32_C(1) << vectors->bits[i] : 0;
    q |= i < vectors->to ? UINT32_C(1) << vectors->bits[i] : 0;
  }
  for (int bit = total - 1; bit >= 0 && is_high_free(&slots); bit--)
    if (!((p | q | slots.placed) >> bit & 1))
      place(&slots, bit, slots.banks, 0);
  place_sums(&slots, p, q, element);
  for (int bit = 0; bit < total; bit++)
    if (!(slots.placed >> bit & 1))
      place(&slots, bit, 0, 0);
  return slots;
}

static uint32_t slot_of(const slots_t *slots, uint32_t image) {
  uint32_t slot = 0;
  for (; image; image &= image - 1)
    slot ^= slots->of[__builtin_ctz(image)];
  return slot;
}

static nereid_layout_t slots_of(const nereid_layout_t *layout, const slots_t *slots) {
  nereid_layout_t result = *layout;
  nereid_layout_reshape(&result, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(layout)});
  result.in_bits[NEREID_LAYOUT_BLOCK] = 0;
  for (int in = 0; slots && in < NEREID_LAYOUT_BLOCK; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++)
      result.bases[in][bit] = slot_of(slots, layout->bases[in][bit]);
  return result;
}

/* --- matrices --- */

enum { TILE_BITS = 3, MAX_TILES = 2, LANE_BITS = 5 }; /* log2 of rows of a tile, and of tiles at once */

/* A candidate for matrix accesses of one side. */
typedef struct tiling {
  vectors_t row;    /* the bits of 16 bytes */
  int word, tiles;  /* register bits within a word, and those that tell tiles apart */
  uint32_t in_tile; /* the bits of a tile: those of its rows and those within a row */
  bool transposed;
} tiling_t;

/* Whether no bit of the packed coordinate is the image of two input bits. */
static bool moves_apart(const nereid_layout_t *layout) {
  uint32_t seen = 0;
  for (int in = 0; in < NEREID_LAYOUT_BLOCK; in++)
    for (int bit = 0; bit < layout->in_bits[in]; seen |= layout->bases[in][bit++])
      if (layout->bases[in][bit] & seen)
        return false;
  return true;
}

/* Appends lane bits `first` to `end` of `side` to the bits of a row; false if one of them has image 0. */
static bool append_lanes(const nereid_layout_t *side, int first, int end, vectors_t *row) {
  for (int i = first; i < end; i++) {
    if (!side->bases[NEREID_LAYOUT_LANE][i])
      return false;
    row->bits[row->from++] = (uint8_t)__builtin_ctz(side->bases[NEREID_LAYOUT_LANE][i]);
  }
  return true;
}

/* Puts the register bits within a word first; the others keep their order, and the first of them select the tile. */
static bool find_tiling(nereid_layout_t *side, const nereid_layout_t *other, int element, bool transposed,
                        tiling_t *out) {
  const uint32_t in_other = nereid_layout_span(other, NEREID_LAYOUT_REGISTER), *lanes = side->bases[NEREID_LAYOUT_LANE];
  const int registers = side->in_bits[NEREID_LAYOUT_REGISTER], word = WORD_BITS - element;
  *out = (tiling_t){.word = word, .transposed = transposed};
  if (word < 0 || registers < word || (transposed && word != 1))
    return false;
  if (!transposed) {
    out->row.from = append_bits(side, in_other, word, &out->row, 0);
    if (out->row.from != word || !append_lanes(side, 0, 2, &out->row))
      return false;
    order_registers(side, &out->row, word);
    out->in_tile = lanes[2] | lanes[3] | lanes[4];
  } else {
    if (!append_lanes(side, 2, LANE_BITS, &out->row))
      return false;
    out->in_tile = side->bases[NEREID_LAYOUT_REGISTER][0] | lanes[0] | lanes[1];
  }
  for (int i = 0; i < out->row.from; i++) {
    out->in_tile |= UINT32_C(1) << out->row.bits[i];
    if (!(in_other >> out->row.bits[i] & 1))
      return false;
  }
  out->tiles = registers - word < MAX_TILES ? registers - word : MAX_TILES;
  return true;
}

/* The slots of the row addresses that lanes provide; `slots` are those of the elements. */
static void find_rows(const nereid_layout_t *slots, const tiling_t *tiling, nereid_layout_matrices_t *out) {
  const uint32_t *registers = slots->bases[NEREID_LAYOUT_REGISTER], *lanes = slots->bases[NEREID_LAYOUT_LANE];
  const int moved = tiling->word + tiling->tiles, rest = slots->in_bits[NEREID_LAYOUT_REGISTER] - moved;
  out->tiles = 1 << tiling->tiles;
  out->transposed = tiling->transposed;
  out->rows = *slots;
  out->rows.in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)rest;
  memcpy(out->rows.bases[NEREID_LAYOUT_REGISTER], registers + moved, (size_t)rest * sizeof *registers);
  uint32_t *rows = out->rows.bases[NEREID_LAYOUT_LANE];
  for (int i = 0; i < TILE_BITS; i++)
    rows[i] = !tiling->transposed ? lanes[i + 2] : i == 0 ? registers[0] : lanes[i - 1];
  for (int i = 0; i < MAX_TILES; i++)
    rows[TILE_BITS + i] = i < tiling->tiles ? registers[tiling->word + i] : 0;
}

/* Whether lanes and warps hold no replicated elements: no two store the same row. */
static bool threads_differ(const nereid_layout_t *layout) {
  for (int in = NEREID_LAYOUT_LANE; in <= NEREID_LAYOUT_WARP; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++)
      if (!layout->bases[in][bit])
        return false;
  return true;
}

/* The number of instructions for the registers of `layout` with 2^bits registers per instruction. */
static int instructions(const nereid_layout_t *layout, int bits) {
  return 1 << (layout->in_bits[NEREID_LAYOUT_REGISTER] - bits);
}

/* Selects matrix accesses for `side` if they take fewer instructions than `*least`. */
static void try_matrices(nereid_layout_t *side, nereid_layout_t *other, int element, int *least, tiling_t *out) {
  if (!moves_apart(side) || !moves_apart(other) || side->in_bits[NEREID_LAYOUT_LANE] != LANE_BITS)
    return;
  for (int transposed = 0; transposed < 2; transposed++) {
    nereid_layout_t ordered = *side;
    tiling_t tiling;
    if (!find_tiling(&ordered, other, element, transposed, &tiling))
      continue;
    const int count = instructions(side, tiling.word + tiling.tiles) + instructions(other, ACCESS_BITS - element);
    if (count >= *least)
      continue;
    *least = count;
    *out = tiling;
  }
}

/* --- both --- */

static void plan_slots(const slots_t *slots, nereid_layout_exchange_t *out) {
  out->store = slots_of(&out->from, slots);
  out->load = slots_of(&out->to, slots);
}

static void plan_vectors(const vectors_t *vectors, int element, nereid_layout_exchange_t *out) {
  order_registers(&out->from, vectors, vectors->from);
  order_registers(&out->to, vectors, vectors->to);
  const slots_t slots =
      find_slots(nereid_layout_out_total(&out->from), vectors, wavefront(&out->from, vectors->from, element),
                 wavefront(&out->to, vectors->to, element), element);
  plan_slots(&slots, out);
}

static void plan_matrices(tiling_t *tiling, bool loads, int element, nereid_layout_exchange_t *out) {
  nereid_layout_t *side = loads ? &out->to : &out->from, *other = loads ? &out->from : &out->to;
  find_tiling(side, other, element, tiling->transposed, tiling);
  order_registers(other, &tiling->row, tiling->row.from);
  const slots_t slots = find_slots(nereid_layout_out_total(side), &tiling->row, tiling->in_tile,
                                   wavefront(other, tiling->row.from, element), element);
  plan_slots(&slots, out);
  if (loads)
    find_rows(&out->load, tiling, &out->load_matrices);
  else
    find_rows(&out->store, tiling, &out->store_matrices);
}

void nereid_layout_exchange(const nereid_layout_t *from, const nereid_layout_t *to, int element_bytes, unsigned allowed,
                            nereid_layout_exchange_t *out) {
  const int element = log2_of(element_bytes);
  assert(element_bytes == 1 << element && element <= ACCESS_BITS);
  *out = (nereid_layout_exchange_t){.from = *from, .to = *to};
  nereid_layout_drop_register_copies(&out->from);
  nereid_layout_drop_register_copies(&out->to);
  if (!moves_single_bits(from) || !moves_single_bits(to)) {
    plan_slots(NULL, out);
    return;
  }
  const vectors_t vectors = find_vectors(&out->from, &out->to, element);
  const int by_vectors = instructions(&out->from, vectors.from) + instructions(&out->to, vectors.to);
  tiling_t tiling;
  int least = by_vectors;
  if (allowed & NEREID_LAYOUT_LOAD_MATRICES)
    try_matrices(&out->to, &out->from, element, &least, &tiling);
  const int by_loads = least;
  if (allowed & NEREID_LAYOUT_STORE_MATRICES && threads_differ(&out->from))
    try_matrices(&out->from, &out->to, element, &least, &tiling);
  if (least == by_vectors)
    plan_vectors(&vectors, element, out);
  else
    plan_matrices(&tiling, least == by_loads, element, out);
}

/* --- given slots --- */

/* The bit of the inputs `in` of `slots` whose image is exactly `slot`, from `first` on; -1 when there is none. */
static int bit_of_slot(const nereid_layout_t *slots, nereid_layout_dim_t in, int first, uint32_t slot) {
  for (int bit = first; bit < slots->in_bits[in]; bit++)
    if (slots->bases[in][bit] == slot)
      return bit;
  return -1;
}

/* Orders the registers of `slots`, those of a word first, without replicated ones. False unless the lanes of a row
 * follow the word in slots. */
static bool order_slots(nereid_layout_t *slots, int word, bool transposed, uint8_t *out_order) {
  const nereid_layout_t old = *slots;
  const uint32_t *lanes = slots->bases[NEREID_LAYOUT_LANE];
  const int first_lane = transposed ? 2 : 0, row_lanes = transposed ? TILE_BITS : 2;
  const int in_row = transposed ? 0 : word;
  int count = 0, next = 0;
  for (int bit = 0; bit < in_row; bit++)
    if ((next = bit_of_slot(&old, NEREID_LAYOUT_REGISTER, 0, UINT32_C(1) << bit)) < 0)
      return false;
    else
      out_order[count++] = (uint8_t)next;
  for (int i = 0; i < row_lanes; i++)
    if (lanes[first_lane + i] != UINT32_C(1) << (in_row + i))
      return false;
  for (int bit = 0; bit < old.in_bits[NEREID_LAYOUT_REGISTER]; bit++)
    if (old.bases[NEREID_LAYOUT_REGISTER][bit] && old.bases[NEREID_LAYOUT_REGISTER][bit] >> in_row)
      out_order[count++] = (uint8_t)bit;
  for (int bit = 0; bit < count; bit++)
    slots->bases[NEREID_LAYOUT_REGISTER][bit] = old.bases[NEREID_LAYOUT_REGISTER][out_order[bit]];
  slots->in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)count;
  return count >= word;
}

/* Whether all rows, `bits` slots long, start at multiples of their length. */
static bool rows_are_aligned(const nereid_layout_t *rows, int bits) {
  const uint32_t low = (UINT32_C(1) << bits) - 1;
  for (int in = 0; in < NEREID_LAYOUT_BLOCK; in++)
    for (int bit = 0; bit < rows->in_bits[in]; bit++)
      if (rows->bases[in][bit] & low)
        return false;
  return true;
}

bool nereid_layout_matrices_of_slots(const nereid_layout_t *slots, int element_bytes, bool stores,
                                     uint8_t out_order[NEREID_LAYOUT_MAX_BITS], nereid_layout_matrices_t *out) {
  const int element = log2_of(element_bytes), word = WORD_BITS - element;
  int vector = log2_of(nereid_layout_contiguity(slots, 0));
  vector = vector < ACCESS_BITS - element ? vector : ACCESS_BITS - element;
  *out = (nereid_layout_matrices_t){0};
  if (word < 0 || slots->in_bits[NEREID_LAYOUT_LANE] != LANE_BITS || (stores && !threads_differ(slots)))
    return false;
  for (int transposed = 0; transposed <= (word == 1); transposed++) {
    nereid_layout_t ordered = *slots;
    if (!order_slots(&ordered, word, transposed, out_order))
      continue;
    const int rest = ordered.in_bits[NEREID_LAYOUT_REGISTER] - word;
    const tiling_t tiling = {.word = word, .tiles = rest < MAX_TILES ? rest : MAX_TILES, .transposed = transposed};
    find_rows(&ordered, &tiling, out);
    if (rows_are_aligned(&out->rows, ACCESS_BITS - element) && word + tiling.tiles > vector)
      return true;
  }
  out->tiles = 0;
  return false;
}

bool nereid_layout_exchange_in_warp(const nereid_layout_t *from, const nereid_layout_t *to) {
  uint32_t copies[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(from, copies);
  return !copies[NEREID_LAYOUT_WARP] && nereid_layout_convert(from, to, NULL) <= NEREID_LAYOUT_CONVERSION_WARP;
}

/* --- halves --- */

/* The register bit that alone selects bit `bit` of packed coordinates; -1 if there is none. */
static int selecting_register(const nereid_layout_t *layout, int bit) {
  int found = -1;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int i = 0; i < layout->in_bits[in]; ++i) {
      if (!(layout->bases[in][i] >> bit & 1))
        continue;
      if (found >= 0 || in != NEREID_LAYOUT_REGISTER || layout->bases[in][i] != UINT32_C(1) << bit)
        return -1;
      found = i;
    }
  return found;
}

/* `layout` without register bit `register_bit`, which alone selects bit `bit` of packed coordinates. */
static nereid_layout_half_t half_of(const nereid_layout_t *layout, int register_bit, int bit) {
  nereid_layout_half_t half = {.register_bit = register_bit};
  const uint32_t low = (UINT32_C(1) << bit) - 1;
  nereid_layout_initialize(&half.layout, 1);
  half.layout.out_bits[0] = (uint8_t)(nereid_layout_out_total(layout) - 1);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int i = 0; i < layout->in_bits[in]; ++i) {
      const uint32_t basis = layout->bases[in][i];
      if (in != NEREID_LAYOUT_REGISTER || i != register_bit)
        half.layout.bases[in][half.layout.in_bits[in]++] = (basis & low) | (basis >> 1 & ~low);
    }
  return half;
}

bool nereid_layout_exchange_halve(const nereid_layout_t *from, const nereid_layout_t *to,
                                  nereid_layout_half_t *out_from, nereid_layout_half_t *out_to) {
  for (int bit = nereid_layout_out_total(from) - 1; bit >= 0; --bit) {
    const int from_register = selecting_register(from, bit), to_register = selecting_register(to, bit);
    if (from_register < 0 || to_register < 0)
      continue;
    *out_from = half_of(from, from_register, bit);
    *out_to = half_of(to, to_register, bit);
    return true;
  }
  return false;
}
