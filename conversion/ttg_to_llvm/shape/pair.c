/* Lowers tt.join, tt.split and tt.cat by renaming registers.
 *
 *   %y = tt.join %a, %b : tensor<64xf32> -> tensor<64x2xf32>      y0 = a0, y1 = b0
 *
 * Both elements of a pair are in the same thread, in the layouts of convert-triton-to-tritongpu: the layout of the
 * pairs is that of an operand with an additional register bit, for the last dimension. In other layouts lanes, warps or
 * CTAs may move along the last dimension, too. Then half of the threads have the elements of a pair exchanged, and each
 * selects. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

/* `half` with a last dimension of size 2, whose coordinate is the highest bit of the register. */
static nereid_layout_t pairs_of(const nereid_layout_t *half) {
  nereid_layout_t pairs = *half;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int bit = 0; bit < half->in_bits[in]; ++bit)
      pairs.bases[in][bit] = half->bases[in][bit] << 1;
  pairs.bases[NEREID_LAYOUT_REGISTER][pairs.in_bits[NEREID_LAYOUT_REGISTER]++] = 1;
  pairs.out_bits[pairs.rank++] = 1;
  return pairs;
}

/* The register of `from` in which a thread finds register `r` of what `map` leads to. */
static uint32_t source_register(const nereid_layout_t *from, const nereid_layout_t *map, intptr_t r) {
  const uint32_t all = (UINT32_C(1) << from->in_bits[NEREID_LAYOUT_REGISTER]) - 1;
  return nereid_layout_apply(map, (uint32_t)r, 0, 0, 0) & all;
}

/* Removes the last dimension, of size 2, from the images of threads. Returns an i1 that is set in the threads with an
 * odd number of removed ones; null if there are none. */
static MlirValue remove_thread_parts(nereid_lower_t *lower, nereid_layout_t *pairs) {
  const nereid_layout_t whole = *pairs;
  uint32_t removed = 0;
  for (int in = NEREID_LAYOUT_LANE; in < NEREID_LAYOUT_DIMS; ++in)
    for (int bit = 0; bit < pairs->in_bits[in]; ++bit) {
      removed |= pairs->bases[in][bit] & 1;
      pairs->bases[in][bit] &= ~UINT32_C(1);
    }
  if (!removed)
    return (MlirValue){NULL};
  const int last = pairs->rank - 1;
  MlirValue odd =
      nereid_lower_add_cta_coordinate(lower, &whole, last, nereid_lower_thread_coordinate(lower, &whole, last));
  return nereid_emit_icmp(lower, NEREID_ICMP_NE, odd, nereid_emit_i32(lower, 0));
}

/* `value`, or `other` in threads where `exchanged` is set. */
static MlirValue choose(nereid_lower_t *lower, MlirValue exchanged, MlirValue value, MlirValue other) {
  return mlirValueIsNull(exchanged) ? value : nereid_emit_select(lower, exchanged, other, value);
}

static bool refuse(MlirOperation op) {
  return nereid_lower_error(op, "has an operand in another layout than its result");
}

static bool lower_join(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = mlirOperationGetResult(op, 0);
  const nereid_layout_t *half = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *to = nereid_lower_layout(lower, mlirValueGetType(result));
  nereid_layout_t map;
  if (!half || !to)
    return false;
  const nereid_layout_t pairs = pairs_of(half);
  nereid_layout_t required = *to;
  const MlirValue exchanged = remove_thread_parts(lower, &required);
  if (nereid_layout_convert(&pairs, &required, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return refuse(op);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r) {
    const uint32_t from = source_register(&pairs, &map, r);
    const uint32_t which = from >> half->in_bits[NEREID_LAYOUT_REGISTER];
    const uint32_t own = from & ((UINT32_C(1) << half->in_bits[NEREID_LAYOUT_REGISTER]) - 1);
    lowered.values[r] = choose(lower, exchanged, nereid_lower_operand(lower, op, (intptr_t)which).values[own],
                               nereid_lower_operand(lower, op, (intptr_t)(which ^ 1)).values[own]);
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}

static bool lower_split(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const nereid_layout_t *from = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *half = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  nereid_lowered_t source = nereid_lower_operand(lower, op, 0);
  nereid_layout_t map;
  if (!from || !half)
    return false;
  const nereid_layout_t pairs = pairs_of(half);
  nereid_layout_t held = *from;
  const MlirValue exchanged = remove_thread_parts(lower, &held);
  if (nereid_layout_convert(&held, &pairs, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return refuse(op);
  const intptr_t registers = nereid_layout_registers(half);
  for (intptr_t i = 0; i < 2; ++i) {
    nereid_lowered_t lowered = nereid_lower_array(lower, registers);
    for (intptr_t r = 0; lowered.values && r < registers; ++r)
      lowered.values[r] = choose(lower, exchanged, source.values[source_register(&held, &map, r + i * registers)],
                                 source.values[source_register(&held, &map, r + (1 - i) * registers)]);
    nereid_lower_set(lower, mlirOperationGetResult(op, i), lowered);
  }
  return true;
}

/* The order of elements is unspecified: the registers of one operand follow those of the other, if the result and the
 * operands have the same replicas. */
static bool lower_cat(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = mlirOperationGetResult(op, 0);
  const nereid_layout_t *part = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *to = nereid_lower_layout(lower, mlirValueGetType(result));
  if (!part || !to)
    return false;
  nereid_layout_t flat = *part;
  nereid_layout_reshape(&flat, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(part)});
  const nereid_layout_t both = pairs_of(&flat);
  const intptr_t registers = nereid_layout_registers(part);
  if (!nereid_layout_same_replicas(&both, to))
    return nereid_lower_error(op, "has a result whose threads do not hold twice what they hold of each operand; "
                                  "convert-triton-to-tritongpu lays it out so");
  nereid_lowered_t lowered = nereid_lower_array(lower, 2 * registers);
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r)
    lowered.values[r] = nereid_lower_operand(lower, op, r / registers).values[r % registers];
  nereid_lower_set(lower, result, lowered);
  return true;
}

const nereid_lower_row_t nereid_lower_pair_rows[] = {
    {NEREID_OP_TT_JOIN, lower_join, NULL},
    {NEREID_OP_TT_SPLIT, lower_split, NULL},
    {NEREID_OP_TT_CAT, lower_cat, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
