/* Slots without bank conflicts; see exchange.h.
 *
 * Encodings move every bit of the packed coordinate by single bits of register, lane and warp, so the spaces are sets
 * of coordinate bits. Where P and Q are the bits that must be told apart within 128 bytes by the one side and by the
 * other, the common complement is spanned by the bits in neither and by sums p + q of one bit that only P has and one
 * that only Q has. In slots: p gets a bit within the 128 bytes, and q the same one together with a bit above. */
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

static bool moves_single_bits(const nereid_layout_t *layout) {
  for (int in = 0; in < NEREID_LAYOUT_BLOCK; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++)
      if (!is_unit(layout->bases[in][bit]))
        return false;
  return true;
}

/* The bits that lanes of one wavefront move, when a thread accesses 2^vector elements of 2^element bytes. */
static uint32_t wavefront(const nereid_layout_t *layout, int vector, int element) {
  const int wide = vector + element > WORD_BITS ? vector + element - WORD_BITS : 0;
  uint32_t bits = 0;
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_LANE] && bit < WAVEFRONT_BITS - wide; bit++)
    bits |= layout->bases[NEREID_LAYOUT_LANE][bit];
  return bits;
}

/* --- vectors --- */

/* The bits that move together, in order: those in registers of both sides, then more of one of them. */
typedef struct vectors {
  uint8_t bits[NEREID_LAYOUT_MAX_BITS];
  int from, to; /* how many of them each side moves at once */
} vectors_t;

static int append_bits(const nereid_layout_t *order, uint32_t wanted, int most, vectors_t *out, int count) {
  for (int i = 0; i < order->in_bits[NEREID_LAYOUT_REGISTER] && count < most; i++)
    if (order->bases[NEREID_LAYOUT_REGISTER][i] & wanted)
      out->bits[count++] = (uint8_t)__builtin_ctz(order->bases[NEREID_LAYOUT_REGISTER][i]);
  return count;
}

/* More of one side only where the lanes of the other side tell these bits apart anyway, or what is within one access of
 * the one would be a bank conflict of the other. */
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

/* Puts the register bits that move together first. */
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
  uint32_t of[NEREID_LAYOUT_MAX_BITS]; /* of each coordinate bit: the bits of the slot that it moves */
  uint32_t placed;                     /* coordinate bits that have some */
  uint32_t free;                       /* bits of the slot that none has as its own */
  int banks;                           /* bits of the slot within 128 bytes */
} slots_t;

/* Gives `bit` the lowest free bit of the slot from `first` on, and `with` it others. */
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

/* Sums of a bit that only `one` has and a bit that only `other` has, until all bits above 128 bytes are taken. What
 * picks a byte within a word tells no banks apart. */
static void place_sums(slots_t *slots, uint32_t one, uint32_t other, int element) {
  uint32_t p = one & ~other & ~slots->placed, q = other & ~one & ~slots->placed;
  for (; p && q && is_high_free(slots); p &= p - 1, q &= q - 1) {
    const int low = __builtin_ctz(p);
    place(slots, low, element < WORD_BITS ? WORD_BITS - element : 0, 0);
    place(slots, __builtin_ctz(q), slots->banks, slots->of[low]);
  }
}

static slots_t find_slots(const nereid_layout_t *from, const nereid_layout_t *to, const vectors_t *vectors,
                          int element) {
  const int total = nereid_layout_out_total(from), banks = BANKS_BITS - element;
  assert(banks >= 0 && total < 32);
  slots_t slots = {.free = (uint32_t)((UINT64_C(1) << total) - 1), .banks = banks < total ? banks : total};
  uint32_t p = wavefront(from, vectors->from, element), q = wavefront(to, vectors->to, element);
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

static nereid_layout_t slots_of(const nereid_layout_t *layout, const slots_t *slots) {
  nereid_layout_t result = *layout;
  nereid_layout_reshape(&result, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(layout)});
  result.in_bits[NEREID_LAYOUT_BLOCK] = 0;
  for (int in = 0; slots && in < NEREID_LAYOUT_BLOCK; in++)
    for (int bit = 0; bit < layout->in_bits[in]; bit++)
      result.bases[in][bit] = layout->bases[in][bit] ? slots->of[__builtin_ctz(layout->bases[in][bit])] : 0;
  return result;
}

void nereid_layout_exchange(const nereid_layout_t *from, const nereid_layout_t *to, int element_bytes,
                            nereid_layout_exchange_t *out) {
  const int element = log2_of(element_bytes);
  assert(element_bytes == 1 << element && element <= ACCESS_BITS);
  out->from = *from;
  out->to = *to;
  nereid_layout_drop_register_copies(&out->from);
  nereid_layout_drop_register_copies(&out->to);
  const bool single = moves_single_bits(from) && moves_single_bits(to);
  slots_t slots;
  if (single) {
    const vectors_t vectors = find_vectors(&out->from, &out->to, element);
    order_registers(&out->from, &vectors, vectors.from);
    order_registers(&out->to, &vectors, vectors.to);
    slots = find_slots(&out->from, &out->to, &vectors, element);
  }
  out->store = slots_of(&out->from, single ? &slots : NULL);
  out->load = slots_of(&out->to, single ? &slots : NULL);
}
