/* Iterations of loops; see loop_range.h. */
#include "passes/pipelining/expansion/loop_range.h"

#include "dialects/constant_integer.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/scf.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* The product of a step and a distance is at most this, so that constant bounds do not overflow. */
static const int64_t max_product = (int64_t)1 << 28;

enum { INDEX_WIDTH = 32 }; /* bits of an index on the device */

void nereid_loop_range_read(MlirOperation loop, nereid_arena_t *arena, nereid_loop_range_t *out) {
  *out = (nereid_loop_range_t){.loop = loop,
                               .arena = arena,
                               .lower = nereid_scf_for_get_lower_bound(loop),
                               .upper = nereid_scf_for_get_upper_bound(loop),
                               .step = nereid_scf_for_get_step(loop),
                               .is_unsigned = nereid_scf_for_get_unsigned_cmp(loop)};
  out->has_lower = nereid_constant_integer(out->lower, &out->constant_lower);
  out->has_upper = nereid_constant_integer(out->upper, &out->constant_upper);
  out->has_step = nereid_constant_integer(out->step, &out->constant_step) && out->constant_step > 0;
  const int64_t count = nereid_loop_range_count(out);
  out->known = count > 0 ? count : 0;
}

int64_t nereid_loop_range_count(const nereid_loop_range_t *range) {
  const bool ordinary = range->has_lower && range->has_upper && range->has_step &&
                        (!range->is_unsigned || (range->constant_lower >= 0 && range->constant_upper >= 0));
  int64_t span;
  if (!ordinary || __builtin_sub_overflow(range->constant_upper, range->constant_lower, &span))
    return -1;
  return span <= 0 ? 0 : (span - 1) / range->constant_step + 1;
}

/* Whether `distance` steps can be added to the lower bound, and subtracted from an upper bound that is not below it,
 * without wrapping around. */
static bool is_small(const nereid_loop_range_t *range, int32_t distance) {
  return range->has_lower && range->has_step && range->constant_lower >= 0 && range->constant_lower < max_product &&
         range->constant_step <= max_product / (distance + 1) && !range->is_unsigned;
}

/* `distance` constant steps, which may wrap around. */
static uint64_t constant_product(const nereid_loop_range_t *range, int32_t distance) {
  return (uint64_t)range->constant_step * (uint64_t)distance;
}

/* `distance` steps, which may wrap around. */
static MlirValue product(const nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t distance) {
  MlirType type = mlirValueGetType(range->lower);
  if (range->has_step)
    return nereid_scalar_constant(builder, type, (int64_t)constant_product(range, distance));
  MlirValue times = nereid_scalar_constant(builder, type, distance);
  return distance == 1 ? range->step : nereid_scalar_multiply(builder, range->step, times);
}

MlirValue nereid_loop_range_advance(nereid_loop_range_t *range, const nereid_builder_t *builder, MlirValue from,
                                    int32_t distance) {
  if (distance == 0)
    return from;
  if (mlirValueEqual(from, range->lower) && range->has_lower && range->has_step)
    return nereid_scalar_constant(builder, mlirValueGetType(from),
                                  (int64_t)((uint64_t)range->constant_lower + constant_product(range, distance)));
  return nereid_scalar_add(builder, from, product(range, builder, distance));
}

static MlirValue compare(const nereid_builder_t *builder, MlirValue a, MlirValue b,
                         nereid_arith_cmp_i_predicate_t predicate) {
  return nereid_ir_result(nereid_arith_cmpi_build(builder, a, b, predicate));
}

/* upper - lower, or 0 for an empty range. As an unsigned number it is exact. */
static MlirValue span_of(nereid_loop_range_t *range, const nereid_builder_t *builder) {
  if (mlirValueIsNull(range->span)) {
    MlirValue some = compare(builder, range->lower, range->upper, nereid_loop_less_than(range->loop));
    MlirValue difference = nereid_scalar_subtract(builder, range->upper, range->lower);
    MlirValue zero = nereid_scalar_constant(builder, mlirValueGetType(range->lower), 0);
    range->span = nereid_ir_result(nereid_arith_select_build(builder, some, difference, zero));
  }
  return range->span;
}

/* The largest unsigned step of which `distance`, at least 2, do not wrap around. */
static uint64_t max_step(const nereid_loop_range_t *range, int32_t distance) {
  MlirType type = mlirValueGetType(range->lower);
  const unsigned width = mlirTypeIsAIndex(type) ? INDEX_WIDTH : mlirIntegerTypeGetWidth(type);
  return (UINT64_MAX >> (64 - width)) / (uint64_t)distance;
}

/* An i1: the range is longer than `distance` steps. Their product counts only where it does not wrap around. */
static MlirValue is_longer(nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t distance) {
  MlirValue longer =
      compare(builder, span_of(range, builder), product(range, builder, distance), NEREID_ARITH_CMP_I_PREDICATE_UGT);
  if (distance < 2 || (range->has_step && (uint64_t)range->constant_step <= max_step(range, distance)))
    return longer;
  MlirValue limit = nereid_scalar_constant(builder, mlirValueGetType(range->lower), (int64_t)max_step(range, distance));
  MlirValue fits = compare(builder, range->step, limit, NEREID_ARITH_CMP_I_PREDICATE_ULE);
  return nereid_ir_result(nereid_arith_andi_build(builder, longer, fits));
}

MlirValue nereid_loop_range_contains(nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t number) {
  if (range->known > number)
    return (MlirValue){NULL};
  if (number == 0 || is_small(range, number))
    return compare(builder, nereid_loop_range_advance(range, builder, range->lower, number), range->upper,
                   nereid_loop_less_than(range->loop));
  return is_longer(range, builder, number);
}

/* The counter of an iteration has one `distance` after it exactly if it is below this bound. In an empty range the
 * bound does not matter. */
static MlirValue bound_of(nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t distance) {
  MlirValue bound = nereid_scalar_subtract(builder, range->upper, product(range, builder, distance));
  if (is_small(range, distance))
    return bound;
  return nereid_ir_result(nereid_arith_select_build(builder, is_longer(range, builder, distance), bound, range->lower));
}

MlirValue nereid_loop_range_shortened(nereid_loop_range_t *range, const nereid_builder_t *builder, int32_t distance) {
  return distance ? bound_of(range, builder, distance) : range->upper;
}

bool nereid_loop_range_prepare(nereid_loop_range_t *range, MlirOperation before, int32_t max_distance) {
  range->outside = nereid_builder_before(before);
  range->bounds = nereid_arena_new(range->arena, MlirValue, (size_t)max_distance + 1);
  return range->bounds != NULL;
}

MlirValue nereid_loop_range_continues(nereid_loop_range_t *range, const nereid_builder_t *builder, MlirValue counter,
                                      int32_t distance) {
  MlirValue *bound = &range->bounds[distance];
  if (mlirValueIsNull(*bound))
    *bound = bound_of(range, &range->outside, distance);
  return compare(builder, counter, *bound, nereid_loop_less_than(range->loop));
}
