/* tt.dot.
 *
 *   d[i, j] = c[i, j] + a[i, 0] b[0, j] + a[i, 1] b[1, j] + ...      accumulated in this order
 *
 * The accumulator is f32 (f64 for f64, i32 for integers, wrapping), each step a fused multiply-add rounded once; the
 * result is rounded to its type. f32 operands are split according to `inputPrecision`: of `tf32` the lower 13 bits are
 * ignored. With several parts, the products of small parts are added first, over all of k, and c and the product of the
 * large parts last. */
#include "interpreter/machine.h"

#include <math.h>
#include <string.h>

enum { PARTS = 3 };

/* --- parts of an operand --- */

static float itself(float value) {
  return value;
}

/* The bits that tensor cores read, also of a NaN. */
static float truncate_to_tf32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return nereid_bits_to_f32(bits & ~UINT32_C(0x1fff));
}

/* cvt.rna.tf32.f32: rounds to nearest, ties away from zero. */
static float to_tf32(float value) {
  if (!isfinite(value))
    return value;
  return nereid_bits_to_f32((nereid_bits_from_f32(value) + 0x1000) & ~UINT64_C(0x1fff));
}

static float to_bf16(float value) {
  const nereid_kind_t bf16 = {.format = NEREID_FORMAT_BF16, .bits = 16};
  return (float)nereid_bits_to_double(bf16, nereid_bits_from_double(bf16, value, false));
}

/* The products to compute: pairs of part indices of a and b, small ones first. */
typedef struct split {
  int parts;
  float (*part)(float); /* the largest part of a value; the next part is that of the rest */
  int n_products;
  unsigned char products[6][2];
} split_t;

static const split_t splits[] = {
    [NEREID_TT_INPUT_PRECISION_TF32] = {1, truncate_to_tf32, 1, {{0, 0}}},
    [NEREID_TT_INPUT_PRECISION_TF32X3] = {2, to_tf32, 3, {{1, 0}, {0, 1}, {0, 0}}},
    [NEREID_TT_INPUT_PRECISION_BF16X3] = {2, to_bf16, 3, {{1, 0}, {0, 1}, {0, 0}}},
    [NEREID_TT_INPUT_PRECISION_BF16X6] = {3, to_bf16, 6, {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}}},
};
static const split_t whole = {1, itself, 1, {{0, 0}}};

/* The shape of a dot: [batch, m, k] x [batch, k, n]. */
typedef struct extents {
  size_t batch, m, n, k;
} extents_t;

static extents_t extents_of(const nereid_step_t *step) {
  const nereid_shape_t *a = &step->operands[0]->shape, *d = &step->results[0]->shape;
  const int first = d->rank - 2;
  return (extents_t){.batch = first ? (size_t)d->extent[0] : 1,
                     .m = (size_t)d->extent[first],
                     .n = (size_t)d->extent[first + 1],
                     .k = (size_t)a->extent[first + 1]};
}

/* --- floats up to f32 --- */

/* The bits of an f32 stay, also those of a signaling NaN. */
static float element_as_f32(nereid_kind_t kind, uint64_t word) {
  return kind.format == NEREID_FORMAT_F32 ? nereid_bits_to_f32(word) : (float)nereid_bits_to_double(kind, word);
}

/* Computes each operand element as the sum of its parts. */
static bool split_operand(const nereid_slot_t *slot, const split_t *how, nereid_arena_t *arena, float **out_parts) {
  for (int p = 0; p < how->parts; ++p)
    out_parts[p] = nereid_arena_new(arena, float, slot->shape.count);
  if (arena->failed)
    return false;
  for (size_t i = 0; i < slot->shape.count; ++i) {
    float rest = element_as_f32(slot->shape.element, nereid_machine_word(slot, i));
    for (int p = 0; p < how->parts; ++p) {
      out_parts[p][i] = how->part(rest);
      rest -= out_parts[p][i];
    }
  }
  return true;
}

/* row[j] += a * b[j]; if f32 represents the product exactly, no fused operation is required. */
static void add_row(float *row, float a, const float *b, size_t n, bool exact) {
  if (exact)
    for (size_t j = 0; j < n; ++j)
      row[j] += a * b[j];
  else
    for (size_t j = 0; j < n; ++j)
      row[j] = fmaf(a, b[j], row[j]);
}

/* Small parts of an infinity are NaN; the large part alone determines the result. */
static void drop_nans(float *row, size_t n) {
  for (size_t j = 0; j < n; ++j)
    if (isnan(row[j]))
      row[j] = 0;
}

typedef struct dot {
  const split_t *how;
  extents_t e;
  bool exact;
  float *a[PARTS], *b[PARTS];
} dot_t;

/* One row of d. With several products, c is added before the last one. */
static void multiply_row(const dot_t *dot, size_t batch, size_t i, const float *c, float *row) {
  const extents_t *e = &dot->e;
  for (size_t j = 0; j < e->n; ++j)
    row[j] = 0;
  for (int p = 0; p < dot->how->n_products; ++p) {
    const float *a = dot->a[dot->how->products[p][0]] + (batch * e->m + i) * e->k;
    const float *b = dot->b[dot->how->products[p][1]] + batch * e->k * e->n;
    if (p + 1 == dot->how->n_products) {
      drop_nans(row, e->n);
      for (size_t j = 0; j < e->n; ++j)
        row[j] += c[j];
    }
    for (size_t k = 0; k < e->k; ++k)
      add_row(row, a[k], b + k * e->n, e->n, dot->exact);
  }
}

/* Products of two such values do not overflow, underflow or exceed f32's precision. */
static bool is_short(nereid_kind_t kind) {
  return kind.format == NEREID_FORMAT_F16 || kind.format == NEREID_FORMAT_F8E4M3FN ||
         kind.format == NEREID_FORMAT_F8E5M2;
}

static bool dot_f32(nereid_machine_t *machine, const nereid_step_t *step, nereid_tt_input_precision_t precision,
                    nereid_arena_t *arena) {
  const bool ieee = step->from.format != NEREID_FORMAT_F32 || precision == NEREID_TT_INPUT_PRECISION_IEEE;
  dot_t dot = {.how = ieee ? &whole : &splits[precision], .e = extents_of(step)};
  const extents_t *e = &dot.e;
  dot.exact = is_short(step->operands[0]->shape.element) && is_short(step->operands[1]->shape.element);
  float *c = nereid_arena_new(arena, float, e->n), *row = nereid_arena_new(arena, float, e->n);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (!out || !c || !row || !split_operand(step->operands[0], dot.how, arena, dot.a) ||
      !split_operand(step->operands[1], dot.how, arena, dot.b))
    return nereid_machine_exhausted(machine);
  for (size_t r = 0; r < e->batch * e->m; ++r) {
    for (size_t j = 0; j < e->n; ++j)
      c[j] = (float)nereid_bits_to_double(step->to, nereid_machine_word(step->operands[2], r * e->n + j));
    multiply_row(&dot, r / e->m, r % e->m, c, row);
    for (size_t j = 0; j < e->n; ++j)
      out[r * e->n + j] = nereid_bits_from_double(step->to, row[j], false);
  }
  return true;
}

/* --- f64 and integers --- */

static uint64_t cell_f64(const nereid_step_t *step, const extents_t *e, size_t a, size_t b, uint64_t c) {
  for (size_t k = 0; k < e->k; ++k)
    c = nereid_bits_fma(step->to, nereid_machine_word(step->operands[0], a + k),
                        nereid_machine_word(step->operands[1], b + k * e->n), c);
  return c;
}

static uint64_t cell_integer(const nereid_step_t *step, const extents_t *e, size_t a, size_t b, uint64_t c) {
  const unsigned bits = step->from.bits;
  for (size_t k = 0; k < e->k; ++k)
    c += (uint64_t)nereid_bits_signed(nereid_machine_word(step->operands[0], a + k), bits) *
         (uint64_t)nereid_bits_signed(nereid_machine_word(step->operands[1], b + k * e->n), bits);
  return nereid_bits_cut(c, step->to.bits);
}

static bool dot_cells(nereid_machine_t *machine, const nereid_step_t *step) {
  const extents_t e = extents_of(step);
  const bool integer = step->from.format == NEREID_FORMAT_INTEGER;
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < e.batch * e.m * e.n; ++i) {
    const size_t row = i / e.n, b = row / e.m * e.k * e.n + i % e.n;
    const uint64_t c = nereid_machine_word(step->operands[2], i);
    out[i] = (integer ? cell_integer : cell_f64)(step, &e, row * e.k, b, c);
  }
  return out != NULL;
}

bool nereid_machine_dot(nereid_machine_t *machine, const nereid_step_t *step, nereid_tt_input_precision_t precision) {
  nereid_arena_t arena;
  if (step->from.format == NEREID_FORMAT_INTEGER || step->from.format == NEREID_FORMAT_F64)
    return dot_cells(machine, step);
  nereid_arena_initialize(&arena);
  const bool done = dot_f32(machine, step, precision, &arena);
  nereid_arena_deinitialize(&arena);
  return done;
}

static bool dot(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_dot(machine, step, nereid_tt_dot_get_input_precision(step->op));
}

const nereid_machine_row_t nereid_machine_dot_rows[] = {
    {.kind = NEREID_OP_TT_DOT, .run = dot},
    {.kind = NEREID_OP_UNKNOWN},
};
