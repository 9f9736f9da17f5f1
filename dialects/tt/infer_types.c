/* Infers result types from operands and attributes, encodings included.
 *
 *   "tt.reduce"(%x) <{axis = 1}> : (tensor<4x8xf32, #e>)  ->  tensor<4xf32, #ttg.slice<{dim = 1, parent = #e}>>
 *   tt.trans %x {order = [1, 0]} : tensor<4x8xf32>        ->  tensor<8x4xf32>
 *
 * A hook may run before its operation is verified, or without an operation. It therefore checks the operands that it
 * reads and reports at the given location, which may be null. MLIR also compares inferred with written types, but
 * reports a difference by two errors; the verifiers of these operations compare first and report one. */
#include "dialects/tt/infer_types.h"
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/encoding/infer_encoding.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

#define FAIL(location, ...)                                                                                            \
  (mlirLocationIsNull(location) ? mlirLogicalResultFailure() : nereid_diagnose_at((location), __VA_ARGS__))

static MlirLogicalResult give(MlirType type, MlirTypesCallback callback, void *user_data) {
  callback(1, &type, user_data);
  return mlirLogicalResultSuccess();
}

/* Returns the integer attribute `name`, -1 when it is missing. */
static int64_t integer(MlirAttribute attributes, const char *name) {
  MlirAttribute value = {NULL};
  if (!mlirAttributeIsNull(attributes))
    value = mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString(name));
  return mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value) ? -1 : mlirIntegerAttrGetValueInt(value);
}

/* Reads operand `index` as a tensor of static shape. */
static bool read_operand(MlirLocation location, intptr_t count, MlirValue *operands, intptr_t index,
                         nereid_tt_tensor_t *out) {
  if (index < count && nereid_tt_tensor_read(mlirValueGetType(operands[index]), out))
    return true;
  FAIL(location, "expects operand #%ld to be a tensor of at most %d dimensions", (long)index, NEREID_TT_MAX_RANK);
  return false;
}

static bool axis_is_valid(MlirLocation location, int64_t axis, intptr_t limit) {
  if (axis >= 0 && axis < limit)
    return true;
  FAIL(location, "expects axis to be from 0 to %ld, got %ld", (long)limit - 1, (long)axis);
  return false;
}

/* Infers the type of one result of a reduction: one dimension less, a scalar when none is left. */
static bool infer_reduced(MlirLocation location, nereid_tt_tensor_t *tensor, int64_t axis, MlirType *out) {
  MlirAttribute encoding;
  if (!axis_is_valid(location, axis, tensor->rank))
    return false;
  *out = tensor->element;
  if (tensor->rank == 1)
    return true;
  if (!nereid_ttg_infer_reduce_encoding(tensor->encoding, (int)axis, &encoding)) {
    FAIL(location, "found no encoding for the result of reducing dimension %ld of %s", (long)axis,
         nereid_text_of_attribute(tensor->encoding).chars);
    return false;
  }
  tensor->rank--;
  memmove(tensor->shape + axis, tensor->shape + axis + 1, (size_t)(tensor->rank - axis) * sizeof *tensor->shape);
  tensor->encoding = encoding;
  *out = nereid_tt_tensor_type(tensor);
  return true;
}

MlirLogicalResult nereid_tt_reduce_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                               MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                               MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)region_count, (void)regions;
  int64_t axis = integer(attributes, "axis");
  for (intptr_t i = 0; i < operand_count; i++) {
    nereid_tt_tensor_t tensor;
    MlirType type;
    if (!read_operand(location, operand_count, operands, i, &tensor) || !infer_reduced(location, &tensor, axis, &type))
      return mlirLogicalResultFailure();
    give(type, callback, user_data);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_scan_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                             MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                             MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)location, (void)attributes, (void)region_count, (void)regions;
  for (intptr_t i = 0; i < operand_count; i++)
    give(mlirValueGetType(operands[i]), callback, user_data);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_dot_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                            MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                            MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)attributes, (void)region_count, (void)regions;
  nereid_tt_tensor_t part[3];
  for (intptr_t i = 0; i < 3; i++)
    if (!read_operand(location, operand_count, operands, i, &part[i]))
      return mlirLogicalResultFailure();
  for (int i = 0; i < 2; i++) {
    if (mlirAttributeIsNull(part[i].encoding))
      continue;
    if (mlirAttributeIsNull(part[2].encoding))
      return FAIL(location, "expects the accumulator to have an encoding when operand #%d has one", i);
    if (!nereid_ttg_dot_operand_encoding_verify(part[i].encoding, i, part[2].encoding, location))
      return mlirLogicalResultFailure();
  }
  return give(nereid_tt_tensor_type(&part[2]), callback, user_data);
}

MlirLogicalResult nereid_tt_gather_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                               MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                               MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)attributes, (void)region_count, (void)regions;
  nereid_tt_tensor_t src, indices;
  if (!read_operand(location, operand_count, operands, 0, &src) ||
      !read_operand(location, operand_count, operands, 1, &indices))
    return mlirLogicalResultFailure();
  indices.element = src.element;
  return give(nereid_tt_tensor_type(&indices), callback, user_data);
}

MlirLogicalResult nereid_tt_unsplat_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                                MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                                MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)attributes, (void)region_count, (void)regions;
  nereid_tt_tensor_t src;
  if (!read_operand(location, operand_count, operands, 0, &src))
    return mlirLogicalResultFailure();
  return give(src.element, callback, user_data);
}

MlirLogicalResult nereid_tt_expand_dims_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                                    MlirValue *operands, MlirAttribute attributes,
                                                    intptr_t region_count, MlirRegion *regions,
                                                    MlirTypesCallback callback, void *user_data) {
  (void)context, (void)region_count, (void)regions;
  nereid_tt_tensor_t tensor;
  MlirAttribute encoding;
  int64_t axis = integer(attributes, "axis");
  if (!read_operand(location, operand_count, operands, 0, &tensor) || !axis_is_valid(location, axis, tensor.rank + 1))
    return mlirLogicalResultFailure();
  if (tensor.rank == NEREID_TT_MAX_RANK)
    return FAIL(location, "expects an operand of at most %d dimensions", NEREID_TT_MAX_RANK - 1);
  if (!nereid_ttg_infer_expand_dims_encoding(tensor.encoding, (int)axis, location, &encoding))
    return mlirLogicalResultFailure();
  memmove(tensor.shape + axis + 1, tensor.shape + axis, (size_t)(tensor.rank - axis) * sizeof *tensor.shape);
  tensor.shape[axis] = 1;
  tensor.rank++;
  tensor.encoding = encoding;
  return give(nereid_tt_tensor_type(&tensor), callback, user_data);
}

/* Reads `order` into an array; false after an error unless it is a permutation of 0 .. rank-1. */
static bool read_order(MlirLocation location, MlirAttribute order, intptr_t rank, int32_t *out) {
  bool seen[NEREID_TT_MAX_RANK] = {false};
  bool ok = !mlirAttributeIsNull(order) && mlirAttributeIsADenseI32Array(order) &&
            mlirDenseArrayGetNumElements(order) == rank;
  for (intptr_t i = 0; ok && i < rank; i++) {
    out[i] = mlirDenseI32ArrayGetElement(order, i);
    ok = out[i] >= 0 && out[i] < rank && !seen[out[i]];
    if (ok)
      seen[out[i]] = true;
  }
  if (!ok)
    FAIL(location, "expects order to be a permutation of the operand's %ld dimensions, got %s", (long)rank,
         mlirAttributeIsNull(order) ? "none" : nereid_text_of_attribute(order).chars);
  return ok;
}

MlirLogicalResult nereid_tt_trans_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                              MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                              MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)region_count, (void)regions;
  nereid_tt_tensor_t src, result;
  int32_t order[NEREID_TT_MAX_RANK];
  MlirAttribute given = {NULL};
  if (!mlirAttributeIsNull(attributes))
    given = mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString("order"));
  if (!read_operand(location, operand_count, operands, 0, &src) || !read_order(location, given, src.rank, order))
    return mlirLogicalResultFailure();
  result = src;
  if (!nereid_ttg_infer_trans_encoding(src.encoding, src.rank, src.shape, order, location, &result.encoding))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < src.rank; i++)
    result.shape[i] = src.shape[order[i]];
  return give(nereid_tt_tensor_type(&result), callback, user_data);
}

MlirLogicalResult nereid_tt_split_infer_types(MlirContext context, MlirLocation location, intptr_t operand_count,
                                              MlirValue *operands, MlirAttribute attributes, intptr_t region_count,
                                              MlirRegion *regions, MlirTypesCallback callback, void *user_data) {
  (void)context, (void)attributes, (void)region_count, (void)regions;
  nereid_tt_tensor_t tensor;
  MlirAttribute encoding;
  if (!read_operand(location, operand_count, operands, 0, &tensor))
    return mlirLogicalResultFailure();
  if (tensor.rank == 0 || tensor.shape[tensor.rank - 1] != 2)
    return FAIL(location, "expects the last dimension to have size 2, got %s",
                nereid_text_of_type(nereid_tt_tensor_type(&tensor)).chars);
  if (!nereid_ttg_infer_split_encoding(tensor.encoding, tensor.rank, tensor.shape, location, &encoding))
    return mlirLogicalResultFailure();
  tensor.rank--;
  tensor.encoding = encoding;
  MlirType types[2] = {nereid_tt_tensor_type(&tensor), nereid_tt_tensor_type(&tensor)};
  callback(2, types, user_data);
  return mlirLogicalResultSuccess();
}

/* --- encodings that are written differently and mean the same --- */

static bool all_equivalent(intptr_t n_inferred, const MlirType *inferred, intptr_t n_actual, const MlirType *actual) {
  for (intptr_t i = 0; n_inferred == n_actual && i < n_actual; i++)
    if (!nereid_tt_types_equivalent(inferred[i], actual[i]))
      return false;
  return n_inferred == n_actual;
}

bool nereid_tt_trans_compatible_types(intptr_t n_inferred, const MlirType *inferred, intptr_t n_actual,
                                      const MlirType *actual) {
  return all_equivalent(n_inferred, inferred, n_actual, actual);
}

bool nereid_tt_split_compatible_types(intptr_t n_inferred, const MlirType *inferred, intptr_t n_actual,
                                      const MlirType *actual) {
  return all_equivalent(n_inferred, inferred, n_actual, actual);
}

/* --- verifiers: inferred against written types --- */

typedef MlirLogicalResult (*infer_t)(MlirContext, MlirLocation, intptr_t, MlirValue *, MlirAttribute, intptr_t,
                                     MlirRegion *, MlirTypesCallback, void *);

typedef struct comparison {
  MlirOperation op;
  intptr_t index; /* index of the next result */
  bool exact;     /* compare encodings exactly, not by their layout */
  bool ok;
} comparison_t;

static void compare(intptr_t count, MlirType *inferred, void *user_data) {
  comparison_t *c = user_data;
  for (intptr_t i = 0; i < count && c->ok; i++, c->index++) {
    MlirType got = {NULL};
    if (c->index < mlirOperationGetNumResults(c->op))
      got = mlirValueGetType(mlirOperationGetResult(c->op, c->index));
    c->ok = !mlirTypeIsNull(got) &&
            (c->exact ? mlirTypeEqual(inferred[i], got) : nereid_tt_types_equivalent(inferred[i], got));
    if (!c->ok)
      nereid_diagnose(c->op, "expects result #%ld to be %s, got %s", (long)c->index,
                      nereid_text_of_type(inferred[i]).chars,
                      mlirTypeIsNull(got) ? "none" : nereid_text_of_type(got).chars);
  }
}

/* Compares the results, from `first` on, with the types that `infer` computes from `count` operands from `first` on.
 * `name` is the attribute that it reads, or null. */
static MlirLogicalResult verify_results(MlirOperation op, infer_t infer, intptr_t first, intptr_t count,
                                        const char *name, bool exact) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute attributes = {NULL};
  MlirValue operands[3];
  for (intptr_t i = 0; i < count && i < 3; i++)
    operands[i] = mlirOperationGetOperand(op, first + i);
  if (name) {
    MlirStringRef key = mlirStringRefCreateFromCString(name);
    MlirNamedAttribute entry = {mlirIdentifierGet(context, key), mlirOperationGetInherentAttributeByName(op, key)};
    attributes = mlirDictionaryAttrGet(context, 1, &entry);
  }
  comparison_t comparison = {op, first, exact, true};
  MlirLogicalResult inferred =
      infer(context, mlirOperationGetLocation(op), count, operands, attributes, 0, NULL, compare, &comparison);
  return comparison.ok ? inferred : mlirLogicalResultFailure();
}

MlirLogicalResult nereid_tt_trans_verify(MlirOperation op) {
  return verify_results(op, nereid_tt_trans_infer_types, 0, 1, "order", false);
}

MlirLogicalResult nereid_tt_split_verify(MlirOperation op) {
  return verify_results(op, nereid_tt_split_infer_types, 0, 1, NULL, false);
}

MlirLogicalResult nereid_tt_expand_dims_verify(MlirOperation op) {
  return verify_results(op, nereid_tt_expand_dims_infer_types, 0, 1, "axis", true);
}

MlirLogicalResult nereid_tt_unsplat_types_verify(MlirOperation op) {
  return verify_results(op, nereid_tt_unsplat_infer_types, 0, 1, NULL, true);
}

MlirLogicalResult nereid_tt_dot_types_verify(MlirOperation op) {
  return verify_results(op, nereid_tt_dot_infer_types, 0, 3, NULL, true);
}

MlirLogicalResult nereid_tt_gather_types_verify(MlirOperation op) {
  return verify_results(op, nereid_tt_gather_infer_types, 0, 2, NULL, true);
}

/* Compares one operand at a time: each determines one result. */
MlirLogicalResult nereid_tt_reduce_types_verify(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirLogicalResultIsFailure(verify_results(op, nereid_tt_reduce_infer_types, i, 1, "axis", true)))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}
