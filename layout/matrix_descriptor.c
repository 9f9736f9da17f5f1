/* Matrix descriptors of wgmma; see the header.
 *
 * With W chunks of 16 bytes per swizzled row (8, 4 or 2; 1 without swizzle), bit i moves, in bytes:
 *
 *                 k contiguous                          rows contiguous
 *   row           0-2: W*16 << i, swizzled              within 16 bytes, then 16 << i up to W*16, then leading << i
 *                 then stride << i                      (W = 1: stride << i)
 *   k             within 16 bytes, then 16              0-2: W*16 << i, swizzled; then stride
 *                 (W = 1: leading)                      (W = 1: leading)
 *
 * The swizzle xors address bits 7 to 9 (as many as W requires) into bits 4 to 6. The other bits of the operand select
 * the tile. The instruction adds the start of the tile, so their images must not include bits used within the tile. */
#include "layout/matrix_descriptor.h"

enum {
  CHUNK_BITS = 4, /* 16 bytes */
  ATOM_BITS = 3,  /* 8 rows of an atom */
  MAX_CHUNKS = 8,
  MAX_DISTANCE = 0x3fff << CHUNK_BITS,
};

/* A comparison of the slots with one form of descriptor. */
typedef struct attempt {
  const nereid_layout_operand_t *operand;
  nereid_layout_matrix_t matrix;
  uint32_t chunks; /* W */
  uint32_t used;   /* address bits within the tile, without the swizzle */
  bool matches;
} attempt_t;

static uint32_t row_basis(const nereid_layout_operand_t *operand, int bit) {
  return operand->slots.bases[NEREID_LAYOUT_REGISTER][bit] * (uint32_t)operand->element_bytes;
}

static uint32_t k_basis(const nereid_layout_operand_t *operand, int bit) {
  return row_basis(operand, operand->row_bits + bit);
}

static int log2_of(uint32_t value) {
  return __builtin_ctz(value);
}

static void use(attempt_t *attempt, uint32_t bytes) {
  attempt->matches &= bytes && !(bytes & (bytes - 1)) && !(attempt->used & bytes);
  attempt->used |= bytes;
}

static void expect(attempt_t *attempt, uint32_t basis, uint32_t bytes) {
  use(attempt, bytes);
  attempt->matches &= basis == bytes;
}

/* A step of an atom, which the swizzle mixes into the chunk. */
static void expect_swizzled(attempt_t *attempt, uint32_t basis, int bit) {
  const uint32_t bytes = attempt->chunks << (CHUNK_BITS + bit);
  use(attempt, bytes);
  attempt->matches &= basis == (bytes ^ (bytes >> 7 & (attempt->chunks - 1)) << CHUNK_BITS);
}

/* A step by `distance`, which the descriptor contains; its first bit defines it. */
static void expect_distance(attempt_t *attempt, uint32_t *distance, uint32_t basis, int bit) {
  if (!bit)
    *distance = basis;
  expect(attempt, basis, *distance << bit);
  attempt->matches &= *distance <= MAX_DISTANCE;
}

static void match_k_contiguous(attempt_t *attempt, int tile_bits) {
  const nereid_layout_operand_t *operand = attempt->operand;
  const int within = CHUNK_BITS - log2_of((uint32_t)operand->element_bytes);
  for (int bit = 0; bit < within; ++bit)
    expect(attempt, k_basis(operand, bit), (uint32_t)operand->element_bytes << bit);
  if (attempt->chunks > 1)
    expect(attempt, k_basis(operand, within), 1 << CHUNK_BITS);
  else
    expect_distance(attempt, &attempt->matrix.leading, k_basis(operand, within), 0);
  for (int bit = 0; bit < ATOM_BITS; ++bit)
    expect_swizzled(attempt, row_basis(operand, bit), bit);
  for (int bit = ATOM_BITS; bit < tile_bits; ++bit)
    expect_distance(attempt, &attempt->matrix.stride, row_basis(operand, bit), bit - ATOM_BITS);
}

static void match_rows_contiguous(attempt_t *attempt, int tile_bits) {
  const nereid_layout_operand_t *operand = attempt->operand;
  nereid_layout_matrix_t *matrix = &attempt->matrix;
  const bool swizzled = attempt->chunks > 1;
  const int within = CHUNK_BITS - log2_of((uint32_t)operand->element_bytes);
  const int across = within + log2_of(attempt->chunks);
  matrix->rows_contiguous = true;
  for (int bit = 0; bit < tile_bits && bit < across; ++bit)
    expect(attempt, row_basis(operand, bit), (uint32_t)operand->element_bytes << bit);
  for (int bit = across; bit < tile_bits; ++bit)
    expect_distance(attempt, swizzled ? &matrix->leading : &matrix->stride, row_basis(operand, bit), bit - across);
  for (int bit = 0; bit < ATOM_BITS; ++bit)
    expect_swizzled(attempt, k_basis(operand, bit), bit);
  expect_distance(attempt, swizzled ? &matrix->stride : &matrix->leading, k_basis(operand, ATOM_BITS), 0);
}

/* The bits that select the tile: their images are disjoint. */
static void match_tiles(attempt_t *attempt, int tile_bits, int tile_k_bits) {
  const nereid_layout_operand_t *operand = attempt->operand;
  uint32_t used = attempt->used;
  for (int bit = 0; bit < operand->row_bits + operand->k_bits; ++bit) {
    if (bit < tile_bits || (bit >= operand->row_bits && bit < operand->row_bits + tile_k_bits))
      continue;
    const uint32_t basis = row_basis(operand, bit);
    attempt->matches &= basis && !(basis & used);
    used |= basis;
  }
}

bool nereid_layout_matrix_describe(const nereid_layout_operand_t *operand, int tile_bits, nereid_layout_matrix_t *out) {
  const int tile_k_bits = log2_of(NEREID_LAYOUT_MATRIX_K_BYTES) - log2_of((uint32_t)operand->element_bytes);
  if (tile_bits < ATOM_BITS || operand->row_bits < tile_bits || operand->k_bits < tile_k_bits)
    return false;
  for (uint32_t chunks = MAX_CHUNKS; chunks; chunks /= 2)
    for (int rows_contiguous = 0; rows_contiguous < 2; ++rows_contiguous) {
      attempt_t attempt = {.operand = operand, .chunks = chunks, .matches = true};
      attempt.matrix.swizzle = chunks > 1 ? (int32_t)(chunks << CHUNK_BITS) : 0;
      if (!rows_contiguous)
        match_k_contiguous(&attempt, tile_bits);
      else if (operand->element_bytes == 2) /* the only size with a transposed form */
        match_rows_contiguous(&attempt, tile_bits);
      else
        continue;
      match_tiles(&attempt, tile_bits, tile_k_bits);
      if (!attempt.matches)
        continue;
      *out = attempt.matrix;
      return true;
    }
  return false;
}

uint64_t nereid_layout_matrix_bits(const nereid_layout_matrix_t *matrix) {
  const uint64_t mode = matrix->swizzle == 128 ? 1 : matrix->swizzle == 64 ? 2 : matrix->swizzle == 32 ? 3 : 0;
  return (uint64_t)(matrix->leading >> CHUNK_BITS) << 16 | (uint64_t)(matrix->stride >> CHUNK_BITS) << 32 | mode << 62;
}

uint32_t nereid_layout_operand_offset(const nereid_layout_operand_t *operand, uint32_t row, uint32_t k) {
  const uint32_t number = row | k << operand->row_bits;
  return nereid_layout_apply(&operand->slots, number, 0, 0, 0) * (uint32_t)operand->element_bytes;
}
