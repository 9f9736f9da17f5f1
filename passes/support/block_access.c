/* Pointers and masks of blocks; see block_access.h.
 *
 * The common part of the addresses is added to the base as a scalar; the remainder per element is the range along each
 * dimension times its stride. A position is in bounds if it is below the size as an unsigned integer. */
#include "passes/support/block_access.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

static MlirContext context_of(const nereid_block_access_t *access) {
  return mlirTypeGetContext(access->type);
}

static MlirType integer(const nereid_block_access_t *access, unsigned width) {
  return mlirIntegerTypeGet(context_of(access), width);
}

/* Dimensions of the block that the tensor lacks. */
static int missing(const nereid_block_access_t *access) {
  return access->rank - (int)mlirShapedTypeGetRank(access->type);
}

static MlirType like(const nereid_block_access_t *access, MlirType element) {
  int64_t shape[NEREID_BLOCK_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(access->type);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(access->type, d);
  return mlirRankedTensorTypeGet(rank, shape, element, mlirAttributeGetNull());
}

MlirValue nereid_block_integer(nereid_block_access_t *access, MlirType type, int64_t value) {
  return nereid_ir_result(nereid_arith_constant_build(&access->builder, mlirIntegerAttrGet(type, value)));
}

static MlirValue splat(nereid_block_access_t *access, MlirType tensor, MlirValue scalar) {
  return nereid_ir_result(nereid_tt_splat_build(&access->builder, tensor, scalar));
}

static MlirValue add(nereid_block_access_t *access, MlirValue a, MlirValue b) {
  return nereid_ir_result(nereid_arith_addi_build(&access->builder, a, b, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

static MlirValue multiply(nereid_block_access_t *access, MlirValue a, MlirValue b) {
  return nereid_ir_result(nereid_arith_muli_build(&access->builder, a, b, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

static MlirValue extend(nereid_block_access_t *access, MlirValue value) {
  MlirType type = mlirValueGetType(value), i64 = integer(access, 64);
  if (!mlirTypeIsARankedTensor(type))
    return nereid_ir_result(nereid_arith_extsi_build(&access->builder, i64, value));
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  return nereid_ir_result(nereid_arith_extsi_build(
      &access->builder, mlirRankedTensorTypeGet(1, &size, i64, mlirAttributeGetNull()), value));
}

/* i64 positions along the tensor's dimension `d`, relative to the start of the block, or its row indices. */
static MlirValue range(nereid_block_access_t *access, int d) {
  int64_t size = mlirShapedTypeGetDimSize(access->type, d);
  MlirType type = mlirRankedTensorTypeGet(1, &size, integer(access, 32), mlirAttributeGetNull());
  if (d == 0 && !mlirValueIsNull(access->rows))
    return extend(access, access->rows);
  return extend(access, nereid_ir_result(nereid_tt_make_range_build(&access->builder, type, 0, (int32_t)size)));
}

/* Broadcasts a vector along dimension `d` to the whole shape. */
static MlirValue spread(nereid_block_access_t *access, MlirValue vector, int d) {
  const int rank = (int)mlirShapedTypeGetRank(access->type);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(vector));
  for (int axis = 0; axis < rank; ++axis)
    if (axis != d)
      vector = nereid_ir_result(nereid_tt_expand_dims_build(&access->builder, vector, axis));
  MlirType whole = like(access, element);
  return mlirTypeEqual(mlirValueGetType(vector), whole)
             ? vector
             : nereid_ir_result(nereid_tt_broadcast_build(&access->builder, whole, vector));
}

static bool has_offset(const nereid_block_access_t *access, int d) {
  return d > 0 || mlirValueIsNull(access->rows);
}

MlirValue nereid_block_pointers(nereid_block_access_t *access) {
  const int skipped = missing(access);
  MlirValue base = access->base, sum = {NULL};
  for (int d = 0; d < access->rank; ++d) {
    if (!has_offset(access, d))
      continue;
    MlirValue offset = extend(access, access->offsets[d]);
    if (!mlirValueIsNull(access->strides[d]))
      offset = multiply(access, offset, access->strides[d]);
    base = nereid_ir_result(nereid_tt_addptr_build(&access->builder, base, offset));
  }
  for (int d = skipped; d < access->rank; ++d) {
    MlirValue part = range(access, d - skipped);
    if (!mlirValueIsNull(access->strides[d]))
      part = multiply(access, part, splat(access, mlirValueGetType(part), access->strides[d]));
    part = spread(access, part, d - skipped);
    sum = mlirValueIsNull(sum) ? part : add(access, sum, part);
  }
  MlirValue pointers = splat(access, like(access, mlirValueGetType(access->base)), base);
  return mlirValueIsNull(sum) ? pointers : nereid_ir_result(nereid_tt_addptr_build(&access->builder, pointers, sum));
}

static MlirValue both(nereid_block_access_t *access, MlirValue a, MlirValue b) {
  return mlirValueIsNull(a) ? b : nereid_ir_result(nereid_arith_andi_build(&access->builder, a, b));
}

static MlirValue below(nereid_block_access_t *access, MlirValue position, MlirValue size) {
  return nereid_ir_result(nereid_arith_cmpi_build(&access->builder, position, size, NEREID_ARITH_CMP_I_PREDICATE_ULT));
}

MlirValue nereid_block_mask(nereid_block_access_t *access) {
  const int skipped = missing(access);
  MlirValue mask = {NULL};
  for (int d = 0; d < access->rank; ++d) {
    if (!(access->checked >> d & 1))
      continue;
    MlirValue inside;
    if (d < skipped) {
      inside = below(access, extend(access, access->offsets[d]), access->shape[d]);
      inside = splat(access, like(access, integer(access, 1)), inside);
    } else {
      MlirValue position = range(access, d - skipped);
      MlirType type = mlirValueGetType(position);
      if (has_offset(access, d))
        position = add(access, position, splat(access, type, extend(access, access->offsets[d])));
      inside = spread(access, below(access, position, splat(access, type, access->shape[d])), d - skipped);
    }
    mask = both(access, mask, inside);
  }
  return mask;
}

MlirValue nereid_block_padding(nereid_block_access_t *access, bool nan) {
  MlirType element = mlirShapedTypeGetElementType(access->type);
  MlirAttribute value;
  if (mlirTypeIsAFloat(element))
    value = mlirFloatAttrDoubleGet(context_of(access), element, nan ? NAN : 0.0);
  else
    value = mlirIntegerAttrGet(element, 0);
  return nereid_ir_result(
      nereid_arith_constant_build(&access->builder, mlirDenseElementsAttrSplatGet(like(access, element), value)));
}
