/* tt.dot_scaled: dot of block-scaled operands.
 *
 *   d[i, j] = c[i, j] + sum over k of (a[i, k] * sa[i, k / g]) * (b[k, j] * sb[j, k / g])
 *
 * Elements and scales are widened exactly. Formats without an MLIR type are stored in bytes, two 4-bit floats per
 * byte, the first in the low half. A scale is a power of two (a byte s is 2^(s - 127), 255 is NaN) or an f8E4M3FN.
 * Scaled elements are rounded to f32 or, where the other operand is f16 and neither is bf16, as their scales to f16
 * (docs/numerics.md); the sum is that of tt.dot: in order of k, with a fused multiply-add each. */
#include "interpreter/machine.h"

#include "base/float.h"

#include <math.h>

/* An operand as a matrix [batch, rows, k]; b is read transposed. */
typedef struct operand {
  const nereid_slot_t *slot, *scale; /* scale: null: none */
  nereid_tt_scale_dot_elem_type_t format;
  size_t rows, k;
  bool k_last;   /* k is the last dimension in memory: operand a */
  bool k_packed; /* the two 4-bit elements of a byte are adjacent along k, not along rows */
  bool in_f16;   /* scales and scaled elements are rounded to f16 */
} operand_t;

/* A float of 1 sign, `exponent` and `mantissa` bits without infinities and NaN. */
static double small_float(unsigned bits, int exponent, int mantissa) {
  const int bias = (1 << (exponent - 1)) - 1, e = (int)(bits >> mantissa) & ((1 << exponent) - 1);
  const int m = (int)bits & ((1 << mantissa) - 1);
  const double value = e ? ldexp((1 << mantissa) + m, e - bias - mantissa) : ldexp(m, 1 - bias - mantissa);
  return bits >> (exponent + mantissa) & 1 ? -value : value;
}

static double element_of(nereid_tt_scale_dot_elem_type_t format, nereid_kind_t kind, uint64_t word) {
  const nereid_kind_t e4m3 = {.format = NEREID_FORMAT_F8E4M3FN, .bits = 8};
  const nereid_kind_t e5m2 = {.format = NEREID_FORMAT_F8E5M2, .bits = 8};
  if (nereid_kind_is_float(kind))
    return nereid_bits_to_double(kind, word);
  switch (format) {
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M1:
    return small_float((unsigned)word, 2, 1);
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M3:
    return small_float((unsigned)word & 63, 2, 3);
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E3M2:
    return small_float((unsigned)word & 63, 3, 2);
  default:
    return nereid_bits_to_double(format == NEREID_TT_SCALE_DOT_ELEM_TYPE_E5M2 ? e5m2 : e4m3, word);
  }
}

static double scale_of(const operand_t *operand, size_t batch, size_t row, size_t k) {
  const nereid_slot_t *scale = operand->scale;
  if (!scale)
    return 1;
  const size_t groups = (size_t)scale->shape.extent[scale->shape.rank - 1], group = k / (operand->k / groups);
  const uint64_t word = nereid_machine_word(scale, (batch * operand->rows + row) * groups + group);
  if (nereid_kind_is_float(scale->shape.element))
    return nereid_bits_to_double(scale->shape.element, word);
  return word == 255 ? NAN : ldexp(1, (int)word - 127);
}

static float to_f16(double value) {
  return nereid_float_from_f16(nereid_float_to_f16(value, NEREID_FLOAT_NEAREST));
}

static float scaled(const operand_t *operand, size_t batch, size_t row, size_t k) {
  const bool packed = operand->format == NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M1;
  const size_t half = packed ? (operand->k_packed ? k : row) % 2 : 0;
  size_t rows = operand->rows, columns = operand->k, r = row, c = k;
  if (packed && operand->k_packed)
    columns /= 2, c /= 2;
  else if (packed)
    rows /= 2, r /= 2;
  const size_t index = batch * rows * columns + (operand->k_last ? r * columns + c : c * rows + r);
  uint64_t word = nereid_machine_word(operand->slot, index);
  if (packed)
    word = word >> (4 * half) & 15;
  const double element = element_of(operand->format, operand->slot->shape.element, word);
  const double scale = scale_of(operand, batch, row, k);
  return operand->in_f16 ? to_f16(element * to_f16(scale)) : (float)(element * scale);
}

static float *widen(const operand_t *operand, size_t batch, nereid_arena_t *arena) {
  float *out = nereid_arena_new(arena, float, operand->rows * operand->k);
  for (size_t r = 0; out && r < operand->rows; ++r)
    for (size_t k = 0; k < operand->k; ++k)
      out[r * operand->k + k] = scaled(operand, batch, r, k);
  return out;
}

static bool multiply(nereid_machine_t *machine, const nereid_step_t *step, const operand_t *a, const operand_t *b,
                     size_t batch, nereid_arena_t *arena) {
  const float *x = widen(a, batch, arena), *y = widen(b, batch, arena);
  if (!x || !y)
    return nereid_machine_exhausted(machine);
  for (size_t i = 0; i < a->rows * b->rows; ++i) {
    const size_t at = batch * a->rows * b->rows + i;
    const float *row = x + i / b->rows * a->k, *column = y + i % b->rows * a->k;
    float sum = (float)nereid_bits_to_double(step->to, nereid_machine_word(step->operands[2], at));
    for (size_t k = 0; k < a->k; ++k)
      sum = fmaf(row[k], column[k], sum);
    step->results[0]->words[at] = nereid_bits_from_double(step->to, sum, false);
  }
  return true;
}

static bool has_number_scale(const operand_t *operand) {
  return operand->scale && nereid_kind_is_float(operand->scale->shape.element);
}

/* Whether the dot of these operands is one of f16. */
static bool multiplies_f16(const operand_t *a, const operand_t *b) {
  const bool a_half = a->format == NEREID_TT_SCALE_DOT_ELEM_TYPE_FP16;
  const bool b_half = b->format == NEREID_TT_SCALE_DOT_ELEM_TYPE_FP16;
  const bool any_bf16 =
      a->format == NEREID_TT_SCALE_DOT_ELEM_TYPE_BF16 || b->format == NEREID_TT_SCALE_DOT_ELEM_TYPE_BF16;
  return (a_half || b_half) && !any_bf16 && !(a_half && has_number_scale(a)) && !(b_half && has_number_scale(b));
}

static const nereid_slot_t *slot_of(const nereid_machine_t *machine, MlirValue value) {
  if (mlirValueIsNull(value))
    return NULL;
  return (const nereid_slot_t *)*nereid_map_find(&machine->slots, value.ptr);
}

static bool dot_scaled(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *d = &step->results[0]->shape, *left = &step->operands[0]->shape;
  const bool packed = nereid_tt_dot_scaled_get_a_elem_type(step->op) == NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M1;
  operand_t a = {.slot = step->operands[0],
                 .scale = slot_of(machine, nereid_tt_dot_scaled_get_a_scale(step->op)),
                 .format = nereid_tt_dot_scaled_get_a_elem_type(step->op),
                 .rows = (size_t)d->extent[d->rank - 2],
                 .k_last = true,
                 .k_packed = nereid_tt_dot_scaled_get_lhs_k_pack(step->op)};
  a.k = (size_t)left->extent[left->rank - 1] * (packed && a.k_packed ? 2 : 1);
  operand_t b = {.slot = step->operands[1],
                 .scale = slot_of(machine, nereid_tt_dot_scaled_get_b_scale(step->op)),
                 .format = nereid_tt_dot_scaled_get_b_elem_type(step->op),
                 .rows = (size_t)d->extent[d->rank - 1],
                 .k = a.k,
                 .k_packed = nereid_tt_dot_scaled_get_rhs_k_pack(step->op)};
  a.in_f16 = b.in_f16 = multiplies_f16(&a, &b);
  nereid_arena_t arena;
  bool done = nereid_machine_result(machine, step, 0) != NULL;
  nereid_arena_initialize(&arena);
  for (size_t batch = 0; done && batch < d->count / (a.rows * b.rows); ++batch)
    done = multiply(machine, step, &a, &b, batch, &arena);
  nereid_arena_deinitialize(&arena);
  return done;
}

const nereid_machine_row_t nereid_machine_dot_scaled_rows[] = {
    {.kind = NEREID_OP_TT_DOT_SCALED, .run = dot_scaled},
    {.kind = NEREID_OP_UNKNOWN},
};
