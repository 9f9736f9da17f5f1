/* The lattice of axis information; all values are logarithms of powers of two.
 *
 *   meet:  contiguity [3] divisibility [4]  with  contiguity [1] divisibility [3]
 *      ->  contiguity [1] divisibility [1]      (groups of 2 in the first start at multiples of 2 only)
 *
 * Every component is bounded and only decreases under meet, so the analysis terminates. */
#include "analysis/axis/axis_fact.h"

#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <inttypes.h>

static uint8_t smaller(uint8_t a, uint8_t b) {
  return a < b ? a : b;
}

/* log2 of the largest power of two that divides `value`, at most NEREID_AXIS_MAX_BITS. */
static uint8_t factor_bits(uint64_t value) {
  return value ? smaller((uint8_t)__builtin_ctzll(value), NEREID_AXIS_MAX_BITS) : NEREID_AXIS_MAX_BITS;
}

/* Bits of an integer or float type, at least 8; 0 for anything else. */
static unsigned storage_bits(MlirType type) {
  unsigned bits = 0;
  if (mlirTypeIsAInteger(type))
    bits = mlirIntegerTypeGetWidth(type);
  else if (mlirTypeIsAFloat(type))
    bits = mlirFloatTypeGetWidth(type);
  else if (nereid_tt_ptr_type_isa(type))
    bits = 64;
  return bits && bits < 8 ? 8 : bits;
}

nereid_axis_info_t nereid_axis_unknown(MlirType type) {
  nereid_axis_info_t info = {.rank = 1, .reached = true};
  MlirType element = type;
  if (nereid_tt_ptr_type_isa(type) && mlirTypeIsARankedTensor(nereid_tt_ptr_type_get_pointee_type(type)))
    type = nereid_tt_ptr_type_get_pointee_type(type);
  if (mlirTypeIsARankedTensor(type)) {
    int64_t rank = mlirShapedTypeGetRank(type);
    info.rank = rank <= NEREID_AXIS_MAX_RANK ? (uint8_t)rank : 0;
    for (int d = 0; d < info.rank; d++)
      info.size[d] = factor_bits((uint64_t)mlirShapedTypeGetDimSize(type, d));
    if (mlirTypeEqual(type, element))
      element = mlirShapedTypeGetElementType(type);
  }
  if (nereid_tt_ptr_type_isa(element)) {
    info.width = 64;
    MlirType pointee = nereid_tt_ptr_type_get_pointee_type(element);
    if (mlirTypeIsARankedTensor(pointee))
      pointee = mlirShapedTypeGetElementType(pointee);
    const unsigned bytes = storage_bits(pointee) / 8;
    info.unit = bytes ? factor_bits(bytes) : 0;
  } else if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) <= 64) {
    info.width = (uint8_t)mlirIntegerTypeGetWidth(element);
  } else if (mlirTypeIsAIndex(element)) {
    info.width = 64;
  }
  return info;
}

bool nereid_axis_is_numeric(MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    type = mlirShapedTypeGetElementType(type);
  if (nereid_tt_ptr_type_isa(type))
    return !mlirTypeIsARankedTensor(nereid_tt_ptr_type_get_pointee_type(type));
  return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) || mlirTypeIsAIndex(type);
}

uint8_t nereid_axis_weakened(const nereid_axis_info_t *info, int d, uint8_t contiguity) {
  if (info->contiguity[d] <= contiguity)
    return info->divisibility[d];
  return smaller(info->divisibility[d], (uint8_t)(contiguity + info->unit));
}

uint8_t nereid_axis_divides_all(const nereid_axis_info_t *info) {
  uint8_t best = 0;
  for (int d = 0; d < info->rank; d++) {
    uint8_t divides = nereid_axis_weakened(info, d, 0);
    best = divides > best ? divides : best;
  }
  return best;
}

void nereid_axis_set_constant(nereid_axis_info_t *info, uint64_t value) {
  if (!info->width)
    return;
  info->constant = info->width < 64 ? value & ((UINT64_C(1) << info->width) - 1) : value;
  info->has_constant = true;
  info->non_negative = nereid_axis_signed(info->constant, info->width) >= 0;
  for (int d = 0; d < info->rank; d++) {
    info->contiguity[d] = 0;
    info->divisibility[d] = factor_bits(info->constant);
    info->constancy[d] = info->size[d];
  }
}

int64_t nereid_axis_signed(uint64_t value, uint8_t width) {
  if (!width || width >= 64)
    return (int64_t)value;
  uint64_t sign = UINT64_C(1) << (width - 1);
  return (int64_t)((value ^ sign) - sign);
}

static bool equal(const nereid_axis_info_t *a, const nereid_axis_info_t *b) {
  return memcmp(a->contiguity, b->contiguity, a->rank) == 0 && memcmp(a->divisibility, b->divisibility, a->rank) == 0 &&
         memcmp(a->constancy, b->constancy, a->rank) == 0 && a->non_negative == b->non_negative &&
         a->has_constant == b->has_constant;
}

bool nereid_axis_meet(nereid_axis_info_t *into, const nereid_axis_info_t *other) {
  if (!other->reached || (into->reached && into->rank != other->rank))
    return false;
  if (!into->reached) {
    *into = *other;
    return true;
  }
  nereid_axis_info_t met = *into;
  for (int d = 0; d < met.rank; d++) {
    met.contiguity[d] = smaller(into->contiguity[d], other->contiguity[d]);
    met.divisibility[d] =
        smaller(nereid_axis_weakened(into, d, met.contiguity[d]), nereid_axis_weakened(other, d, met.contiguity[d]));
    met.constancy[d] = smaller(into->constancy[d], other->constancy[d]);
  }
  met.non_negative &= other->non_negative;
  if (!other->has_constant || other->constant != met.constant) {
    met.has_constant = false;
    met.constant = 0;
  }
  bool changed = !equal(&met, into);
  *into = met;
  return changed;
}

/* Entry `d` of a hint: an integer holds for a single dimension (`any`: for every dimension), a dense attribute has one
 * per dimension. 0 when there is none. */
static uint64_t hint_number(MlirAttribute hint, int rank, int d, bool any) {
  if (mlirAttributeIsNull(hint))
    return 0;
  if (mlirAttributeIsAInteger(hint))
    return rank == 1 || any ? (uint64_t)mlirIntegerAttrGetValueInt(hint) : 0;
  if (!mlirAttributeIsADenseElements(hint) || d >= mlirElementsAttrGetNumElements(hint))
    return 0;
  MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(hint));
  if (!mlirTypeIsAInteger(element))
    return 0;
  if (mlirIntegerTypeGetWidth(element) == 32)
    return (uint64_t)mlirDenseElementsAttrGetInt32Value(hint, d);
  return mlirIntegerTypeGetWidth(element) == 64 ? (uint64_t)mlirDenseElementsAttrGetInt64Value(hint, d) : 0;
}

void nereid_axis_raise(nereid_axis_info_t *info, nereid_axis_hint_t get, const void *data) {
  MlirAttribute contiguity = get(data, mlirStringRefCreateFromCString("tt.contiguity"));
  MlirAttribute divisibility = get(data, mlirStringRefCreateFromCString("tt.divisibility"));
  MlirAttribute constancy = get(data, mlirStringRefCreateFromCString("tt.constancy"));
  for (int d = 0; d < info->rank; d++) {
    uint64_t c = hint_number(contiguity, info->rank, d, false), k = hint_number(constancy, info->rank, d, false);
    uint64_t v = hint_number(divisibility, info->rank, d, true);
    if (c && smaller(factor_bits(c), info->size[d]) > info->contiguity[d])
      info->contiguity[d] = smaller(factor_bits(c), info->size[d]);
    if (v && factor_bits(v) > info->divisibility[d])
      info->divisibility[d] = factor_bits(v);
    if (k && smaller(factor_bits(k), info->size[d]) > info->constancy[d])
      info->constancy[d] = smaller(factor_bits(k), info->size[d]);
  }
}

int64_t nereid_axis_info_contiguity(const nereid_axis_info_t *info, int d) {
  return INT64_C(1) << (info->reached ? info->contiguity[d] : info->size[d]);
}

int64_t nereid_axis_info_divisibility(const nereid_axis_info_t *info, int d) {
  return INT64_C(1) << (info->reached ? info->divisibility[d] : NEREID_AXIS_MAX_BITS);
}

int64_t nereid_axis_info_constancy(const nereid_axis_info_t *info, int d) {
  return INT64_C(1) << (info->reached ? info->constancy[d] : info->size[d]);
}

int64_t nereid_axis_info_aligned_run(const nereid_axis_info_t *pointers, int d) {
  if (!pointers || d >= pointers->rank)
    return 1;
  int64_t run = nereid_axis_info_contiguity(pointers, d);
  int64_t aligned = nereid_axis_info_divisibility(pointers, d) >> pointers->unit;
  return aligned < 1 ? 1 : run < aligned ? run : aligned;
}

/* "name = [1, 2], " at the end of `text`. */
static char *append_numbers(nereid_arena_t *arena, char *text, const char *name, const nereid_axis_info_t *info,
                            int64_t (*number)(const nereid_axis_info_t *, int)) {
  text = nereid_arena_format(arena, "%s%s = [", text ? text : "", name);
  for (int d = 0; text && d < info->rank; d++)
    text = nereid_arena_format(arena, "%s%s%" PRId64, text, d ? ", " : "", number(info, d));
  return text ? nereid_arena_format(arena, "%s], ", text) : NULL;
}

char *nereid_axis_info_format(const nereid_axis_info_t *info, nereid_arena_t *arena) {
  char *text = append_numbers(arena, NULL, "contiguity", info, nereid_axis_info_contiguity);
  text = append_numbers(arena, text, "divisibility", info, nereid_axis_info_divisibility);
  text = append_numbers(arena, text, "constancy", info, nereid_axis_info_constancy);
  if (!text)
    return NULL;
  return info->has_constant ? nereid_arena_format(arena, "%sconstant_value = %" PRId64, text, (int64_t)info->constant)
                            : nereid_arena_format(arena, "%sconstant_value = <none>", text);
}
