/* Linear layouts over F2: tables of bit vectors and XOR.
 *
 *   register [1, 8]  lane [2, 4, 16, 32, 64]   (packed bases of the 8x16 example in the header)
 *   apply(register 2, lane 5) = 8 ^ 2 ^ 16 = 26 = (1, 10)
 *
 * Elimination uses an XOR basis indexed by leading bit, which stores for each row the mask of its columns (flat input
 * bits). Columns are inserted in flat order, so a solution uses registers before lanes before warps before blocks,
 * which makes it the least expensive conversion. */
#include "layout/linear_layout.h"

#include <assert.h>
#include <string.h>

/* --- construction --- */

void nereid_layout_initialize(nereid_layout_t *layout, int rank) {
  assert(rank >= 0 && rank <= NEREID_LAYOUT_MAX_RANK);
  memset(layout, 0, sizeof *layout);
  layout->rank = (uint8_t)rank;
}

void nereid_layout_identity1d(nereid_layout_t *out, nereid_layout_dim_t in, int rank, int d, int bits) {
  assert(d >= 0 && d < rank && bits >= 0 && bits <= NEREID_LAYOUT_MAX_BITS);
  nereid_layout_initialize(out, rank);
  out->in_bits[in] = out->out_bits[d] = (uint8_t)bits;
  for (int i = 0; i < bits; i++)
    out->bases[in][i] = UINT32_C(1) << i;
}

void nereid_layout_zeros1d(nereid_layout_t *out, nereid_layout_dim_t in, int rank, int bits) {
  assert(bits >= 0 && bits <= NEREID_LAYOUT_MAX_BITS);
  nereid_layout_initialize(out, rank);
  out->in_bits[in] = (uint8_t)bits;
}

static uint32_t low_mask(int bits) {
  return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

/* Moves each field of `packed` from its position in `from` to that in `to`, shifted up by `raise[d]` bits. */
static uint32_t repack(uint32_t packed, const nereid_layout_t *from, const nereid_layout_t *to, const uint8_t *raise) {
  uint32_t result = 0;
  int shift = 0;
  for (int d = from->rank - 1; d >= 0; d--) {
    uint32_t field = packed & low_mask(from->out_bits[d]);
    packed = from->out_bits[d] >= 32 ? 0 : packed >> from->out_bits[d];
    if (field)
      result |= field << (shift + (raise ? raise[d] : 0));
    shift += to->out_bits[d];
  }
  return result;
}

bool nereid_layout_multiply(nereid_layout_t *layout, const nereid_layout_t *outer) {
  assert(layout->rank == outer->rank);
  nereid_layout_t result;
  nereid_layout_initialize(&result, layout->rank);
  for (int d = 0; d < layout->rank; d++)
    result.out_bits[d] = (uint8_t)(layout->out_bits[d] + outer->out_bits[d]);
  if (nereid_layout_out_total(&result) > NEREID_LAYOUT_MAX_BITS)
    return false;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    if (layout->in_bits[in] + outer->in_bits[in] > NEREID_LAYOUT_MAX_BITS)
      return false;
    uint32_t *bases = result.bases[in];
    for (int i = 0; i < layout->in_bits[in]; i++)
      bases[result.in_bits[in]++] = repack(layout->bases[in][i], layout, &result, NULL);
    for (int i = 0; i < outer->in_bits[in]; i++)
      bases[result.in_bits[in]++] = repack(outer->bases[in][i], outer, &result, layout->out_bits);
  }
  *layout = result;
  return true;
}

bool nereid_layout_extend(nereid_layout_t *layout, nereid_layout_dim_t in, int d, int bits) {
  nereid_layout_t factor;
  nereid_layout_identity1d(&factor, in, layout->rank, d, bits);
  return nereid_layout_multiply(layout, &factor);
}

bool nereid_layout_extend_zeros(nereid_layout_t *layout, nereid_layout_dim_t in, int bits) {
  if (layout->in_bits[in] + bits > NEREID_LAYOUT_MAX_BITS)
    return false;
  for (int i = 0; i < bits; i++)
    layout->bases[in][layout->in_bits[in]++] = 0;
  return true;
}

/* --- queries --- */

static uint32_t apply_dim(const nereid_layout_t *layout, int in, uint64_t value) {
  uint32_t result = 0;
  for (int i = 0; i < layout->in_bits[in]; i++)
    if (value >> i & 1)
      result ^= layout->bases[in][i];
  return result;
}

uint32_t nereid_layout_apply(const nereid_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp,
                             uint32_t block) {
  return apply_dim(layout, NEREID_LAYOUT_REGISTER, reg) ^ apply_dim(layout, NEREID_LAYOUT_LANE, lane) ^
         apply_dim(layout, NEREID_LAYOUT_WARP, warp) ^ apply_dim(layout, NEREID_LAYOUT_BLOCK, block);
}

uint32_t nereid_layout_apply_flat(const nereid_layout_t *layout, uint64_t flat) {
  uint32_t result = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    result ^= apply_dim(layout, in, flat);
    flat >>= layout->in_bits[in];
  }
  return result;
}

void nereid_layout_coordinates(const nereid_layout_t *layout, uint32_t packed, int32_t *out_coordinates) {
  for (int d = layout->rank - 1; d >= 0; d--) {
    out_coordinates[d] = (int32_t)(packed & low_mask(layout->out_bits[d]));
    packed = layout->out_bits[d] >= 32 ? 0 : packed >> layout->out_bits[d];
  }
}

uint32_t nereid_layout_pack(const nereid_layout_t *layout, const int32_t *coordinates) {
  uint32_t packed = 0;
  for (int d = 0; d < layout->rank; d++) {
    packed = layout->out_bits[d] >= 32 ? 0 : packed << layout->out_bits[d];
    packed |= (uint32_t)coordinates[d] & low_mask(layout->out_bits[d]);
  }
  return packed;
}

int nereid_layout_out_shift(const nereid_layout_t *layout, int d) {
  int shift = 0;
  for (int i = layout->rank - 1; i > d; i--)
    shift += layout->out_bits[i];
  return shift;
}

uint32_t nereid_layout_out_mask(const nereid_layout_t *layout, int d) {
  return layout->out_bits[d] ? low_mask(layout->out_bits[d]) << nereid_layout_out_shift(layout, d) : 0;
}

int nereid_layout_in_total(const nereid_layout_t *layout) {
  int total = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    total += layout->in_bits[in];
  return total;
}

int nereid_layout_out_total(const nereid_layout_t *layout) {
  int total = 0;
  for (int d = 0; d < layout->rank; d++)
    total += layout->out_bits[d];
  return total;
}

int32_t nereid_layout_registers(const nereid_layout_t *layout) {
  return (int32_t)1 << layout->in_bits[NEREID_LAYOUT_REGISTER];
}

int32_t nereid_layout_contiguity(const nereid_layout_t *layout, int d) {
  int shift = nereid_layout_out_shift(layout, d), run = 0;
  const uint32_t *registers = layout->bases[NEREID_LAYOUT_REGISTER];
  while (run < layout->in_bits[NEREID_LAYOUT_REGISTER] && run < layout->out_bits[d] &&
         registers[run] == UINT32_C(1) << (shift + run))
    run++;
  /* No other bit may map into a run: an aligned run must be contiguous. */
  uint32_t others = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = in == NEREID_LAYOUT_REGISTER ? run : 0; i < layout->in_bits[in]; i++)
      others |= layout->bases[in][i];
  while (run > 0 && (others >> shift & low_mask(run)) != 0)
    run--;
  return (int32_t)1 << run;
}

uint32_t nereid_layout_span(const nereid_layout_t *layout, nereid_layout_dim_t in) {
  uint32_t bits = 0;
  for (int i = 0; i < layout->in_bits[in]; i++)
    bits |= layout->bases[in][i];
  return bits;
}

bool nereid_layout_equal(const nereid_layout_t *a, const nereid_layout_t *b) {
  if (a->rank != b->rank || memcmp(a->in_bits, b->in_bits, sizeof a->in_bits) != 0 ||
      memcmp(a->out_bits, b->out_bits, a->rank) != 0)
    return false;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    if (memcmp(a->bases[in], b->bases[in], a->in_bits[in] * sizeof a->bases[in][0]) != 0)
      return false;
  return true;
}

/* --- algebra --- */

/* Rows in echelon form: rows[i] has leading bit i (0 when absent) and is the XOR of the columns in columns[i]. */
typedef struct elimination {
  uint32_t rows[NEREID_LAYOUT_MAX_BITS];
  uint64_t columns[NEREID_LAYOUT_MAX_BITS];
  uint64_t pivots; /* flat input bits whose columns are independent of the earlier ones */
} elimination_t;

static int leading_bit(uint32_t value) {
  return 31 - __builtin_clz(value);
}

/* Reduces *vector by the rows and XORs the columns used into *columns; a nonzero result is outside the span. */
static void reduce(const elimination_t *e, uint32_t *vector, uint64_t *columns) {
  uint32_t left = 0;
  while (*vector) {
    int bit = leading_bit(*vector);
    if (e->rows[bit]) {
      *columns ^= e->columns[bit];
      *vector ^= e->rows[bit];
    } else {
      left |= UINT32_C(1) << bit;
      *vector ^= UINT32_C(1) << bit;
    }
  }
  *vector = left;
}

static void eliminate(const nereid_layout_t *layout, elimination_t *out) {
  assert(nereid_layout_in_total(layout) <= 64);
  memset(out, 0, sizeof *out);
  int flat = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < layout->in_bits[in]; i++, flat++) {
      uint32_t vector = layout->bases[in][i];
      uint64_t columns = UINT64_C(1) << flat;
      reduce(out, &vector, &columns);
      if (!vector)
        continue;
      int bit = leading_bit(vector);
      out->rows[bit] = vector;
      out->columns[bit] = columns;
      out->pivots |= UINT64_C(1) << flat;
    }
}

int nereid_layout_image_bits(const nereid_layout_t *layout) {
  elimination_t e;
  eliminate(layout, &e);
  return __builtin_popcountll(e.pivots);
}

bool nereid_layout_surjective(const nereid_layout_t *layout) {
  return nereid_layout_image_bits(layout) == nereid_layout_out_total(layout);
}

bool nereid_layout_injective(const nereid_layout_t *layout) {
  return nereid_layout_image_bits(layout) == nereid_layout_in_total(layout);
}

void nereid_layout_free_masks(const nereid_layout_t *layout, uint32_t out_masks[NEREID_LAYOUT_DIMS]) {
  elimination_t e;
  eliminate(layout, &e);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    out_masks[in] = (uint32_t)~e.pivots & low_mask(layout->in_bits[in]);
    e.pivots >>= layout->in_bits[in];
  }
}

/* A dependent column and the independent ones that sum up to it are a vector of the kernel. */
int nereid_layout_kernel(const nereid_layout_t *layout, uint64_t *out) {
  elimination_t e;
  eliminate(layout, &e);
  int count = 0;
  for (int flat = 0; flat < nereid_layout_in_total(layout); flat++) {
    if (e.pivots >> flat & 1)
      continue;
    uint64_t columns = UINT64_C(1) << flat;
    uint32_t vector = nereid_layout_apply_flat(layout, columns);
    reduce(&e, &vector, &columns);
    out[count++] = columns;
  }
  return count;
}

/* The kernel has one basis in which no vector has the highest bit of another. */
bool nereid_layout_same_replicas(const nereid_layout_t *a, const nereid_layout_t *b) {
  uint64_t of_a[64], of_b[64];
  const int count = nereid_layout_kernel(a, of_a);
  return memcmp(a->in_bits, b->in_bits, sizeof a->in_bits) == 0 && nereid_layout_kernel(b, of_b) == count &&
         memcmp(of_a, of_b, (size_t)count * sizeof *of_a) == 0;
}

bool nereid_layout_compose(const nereid_layout_t *inner, const nereid_layout_t *outer, nereid_layout_t *out) {
  if (nereid_layout_out_total(inner) != nereid_layout_in_total(outer))
    return false;
  nereid_layout_t result = *inner;
  result.rank = outer->rank;
  memcpy(result.out_bits, outer->out_bits, sizeof result.out_bits);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < inner->in_bits[in]; i++)
      result.bases[in][i] = nereid_layout_apply_flat(outer, inner->bases[in][i]);
  *out = result;
  return true;
}

/* Gives `out` the hardware dimensions of `layout`, in flat order, as its tensor dimensions. */
static bool hardware_dims(const nereid_layout_t *layout, nereid_layout_t *out) {
  if (nereid_layout_in_total(layout) > NEREID_LAYOUT_MAX_BITS)
    return false;
  out->rank = NEREID_LAYOUT_DIMS;
  memset(out->out_bits, 0, sizeof out->out_bits);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    out->out_bits[NEREID_LAYOUT_DIMS - 1 - in] = layout->in_bits[in];
  return true;
}

bool nereid_layout_solve(const nereid_layout_t *target, const nereid_layout_t *outer, nereid_layout_t *out) {
  nereid_layout_t result = *target;
  if (nereid_layout_out_total(target) != nereid_layout_out_total(outer) || !hardware_dims(outer, &result))
    return false;
  elimination_t e;
  eliminate(outer, &e);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < target->in_bits[in]; i++) {
      uint32_t vector = target->bases[in][i];
      uint64_t columns = 0;
      reduce(&e, &vector, &columns);
      if (vector)
        return false;
      result.bases[in][i] = (uint32_t)columns;
    }
  *out = result;
  return true;
}

bool nereid_layout_invert(const nereid_layout_t *layout, nereid_layout_t *out) {
  nereid_layout_t identity;
  nereid_layout_identity1d(&identity, NEREID_LAYOUT_REGISTER, 1, 0, nereid_layout_out_total(layout));
  return nereid_layout_solve(&identity, layout, out);
}

/* Coordinates of `packed` in units of the tile, packed for the quotient; false if it is not a multiple of the tile. */
static bool divide_basis(const nereid_layout_t *layout, const nereid_layout_t *tile, const nereid_layout_t *quotient,
                         uint32_t packed, uint32_t *out) {
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
  nereid_layout_coordinates(layout, packed, coordinates);
  for (int d = 0; d < layout->rank; d++) {
    if ((uint32_t)coordinates[d] & low_mask(tile->out_bits[d]))
      return false;
    coordinates[d] = tile->out_bits[d] >= 32 ? 0 : (int32_t)((uint32_t)coordinates[d] >> tile->out_bits[d]);
  }
  *out = nereid_layout_pack(quotient, coordinates);
  return true;
}

bool nereid_layout_divide(const nereid_layout_t *layout, const nereid_layout_t *tile, nereid_layout_t *out_quotient) {
  nereid_layout_t quotient;
  if (layout->rank != tile->rank)
    return false;
  nereid_layout_initialize(&quotient, layout->rank);
  for (int d = 0; d < layout->rank; d++) {
    if (tile->out_bits[d] > layout->out_bits[d])
      return false;
    quotient.out_bits[d] = (uint8_t)(layout->out_bits[d] - tile->out_bits[d]);
  }
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    int low = tile->in_bits[in];
    if (low > layout->in_bits[in])
      return false;
    for (int i = 0; i < low; i++)
      if (layout->bases[in][i] != repack(tile->bases[in][i], tile, layout, NULL))
        return false;
    quotient.in_bits[in] = (uint8_t)(layout->in_bits[in] - low);
    for (int i = low; i < layout->in_bits[in]; i++)
      if (!divide_basis(layout, tile, &quotient, layout->bases[in][i], &quotient.bases[in][i - low]))
        return false;
  }
  *out_quotient = quotient;
  return true;
}

/* --- changing the tensor side --- */

void nereid_layout_transpose(const nereid_layout_t *layout, const int32_t *order, nereid_layout_t *out) {
  nereid_layout_t result = *layout;
  for (int d = 0; d < layout->rank; d++)
    result.out_bits[d] = layout->out_bits[order[d]];
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < layout->in_bits[in]; i++) {
      int32_t old[NEREID_LAYOUT_MAX_RANK], permuted[NEREID_LAYOUT_MAX_RANK];
      nereid_layout_coordinates(layout, layout->bases[in][i], old);
      for (int d = 0; d < layout->rank; d++)
        permuted[d] = old[order[d]];
      result.bases[in][i] = nereid_layout_pack(&result, permuted);
    }
  *out = result;
}

bool nereid_layout_reshape(nereid_layout_t *layout, int rank, const uint8_t *out_bits) {
  int total = 0;
  for (int d = 0; d < rank; d++)
    total += out_bits[d];
  if (rank > NEREID_LAYOUT_MAX_RANK || total != nereid_layout_out_total(layout))
    return false;
  memset(layout->out_bits, 0, sizeof layout->out_bits);
  for (int d = 0; d < rank; d++)
    layout->out_bits[d] = out_bits[d];
  layout->rank = (uint8_t)rank;
  return true;
}

void nereid_layout_drop_dim(nereid_layout_t *layout, int d) {
  int shift = nereid_layout_out_shift(layout, d), bits = layout->out_bits[d];
  uint32_t below = low_mask(shift);
  assert(shift >= 0);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < layout->in_bits[in]; i++) {
      uint32_t basis = layout->bases[in][i];
      uint32_t above = shift + bits >= 32 ? 0 : basis >> (shift + bits);
      layout->bases[in][i] = (basis & below) | (shift < 32 ? above << shift : 0);
    }
  for (int i = d; i + 1 < layout->rank; i++)
    layout->out_bits[i] = layout->out_bits[i + 1];
  layout->out_bits[--layout->rank] = 0;
}

void nereid_layout_drop_register_copies(nereid_layout_t *layout) {
  elimination_t e;
  eliminate(layout, &e);
  uint32_t *registers = layout->bases[NEREID_LAYOUT_REGISTER];
  int kept = 0, bits = layout->in_bits[NEREID_LAYOUT_REGISTER];
  for (int i = 0; i < bits; i++)
    if (e.pivots >> i & 1)
      registers[kept++] = registers[i];
  layout->in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)kept;
}

void nereid_layout_drop_blocks(nereid_layout_t *layout) {
  layout->in_bits[NEREID_LAYOUT_BLOCK] = 0;
}

static uint32_t block_basis(const nereid_layout_t *layout, int bit) {
  return bit < layout->in_bits[NEREID_LAYOUT_BLOCK] ? layout->bases[NEREID_LAYOUT_BLOCK][bit] : 0;
}

bool nereid_layout_same_parts(const nereid_layout_t *a, const nereid_layout_t *b) {
  for (int i = 0; i < a->in_bits[NEREID_LAYOUT_BLOCK] || i < b->in_bits[NEREID_LAYOUT_BLOCK]; i++)
    if (block_basis(a, i) != block_basis(b, i))
      return false;
  return true;
}

/* --- conversions --- */

/* The flat bit of bit `i` of input `in`. */
static int flat_bit(const nereid_layout_t *layout, int in, int i) {
  for (int lower = 0; lower < in; lower++)
    i += layout->in_bits[lower];
  return i;
}

/* The least expensive kind that reads from `columns` of `from`; `own` (0 or one bit) is the reader's own index. */
static nereid_layout_conversion_t kind_of_move(const nereid_layout_t *from, int in, uint64_t moved) {
  static const nereid_layout_conversion_t kinds[NEREID_LAYOUT_DIMS] = {
      NEREID_LAYOUT_CONVERSION_SELECT, NEREID_LAYOUT_CONVERSION_WARP, NEREID_LAYOUT_CONVERSION_SHARED,
      NEREID_LAYOUT_CONVERSION_CLUSTER};
  nereid_layout_conversion_t worst = NEREID_LAYOUT_CONVERSION_REGISTER;
  for (int dim = 0; dim < NEREID_LAYOUT_DIMS; dim++) {
    uint64_t bits = (moved >> flat_bit(from, dim, 0)) & low_mask(from->in_bits[dim]);
    if (bits && !(dim == NEREID_LAYOUT_REGISTER && in == NEREID_LAYOUT_REGISTER))
      worst = kinds[dim];
  }
  return worst;
}

nereid_layout_conversion_t nereid_layout_convert(const nereid_layout_t *from, const nereid_layout_t *to,
                                                 nereid_layout_t *out_source) {
  nereid_layout_t source = *to;
  if (nereid_layout_out_total(from) != nereid_layout_out_total(to) || !hardware_dims(from, &source))
    return NEREID_LAYOUT_CONVERSION_INVALID;
  elimination_t e;
  eliminate(from, &e);
  bool same = nereid_layout_equal(from, to);
  nereid_layout_conversion_t kind = same ? NEREID_LAYOUT_CONVERSION_NONE : NEREID_LAYOUT_CONVERSION_REGISTER;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++)
    for (int i = 0; i < to->in_bits[in]; i++) {
      /* Starts at the reader's own index and searches for a correction, in lower dimensions first. */
      bool own = i < from->in_bits[in] && (same || in != NEREID_LAYOUT_REGISTER);
      uint32_t vector = to->bases[in][i] ^ (own ? from->bases[in][i] : 0);
      uint64_t moved = 0;
      reduce(&e, &vector, &moved);
      if (vector)
        return NEREID_LAYOUT_CONVERSION_INVALID;
      nereid_layout_conversion_t needed = moved ? kind_of_move(from, in, moved) : NEREID_LAYOUT_CONVERSION_NONE;
      kind = needed > kind ? needed : kind;
      source.bases[in][i] = (uint32_t)(moved ^ (own ? UINT64_C(1) << flat_bit(from, in, i) : 0));
    }
  if (out_source)
    *out_source = source;
  return kind;
}
