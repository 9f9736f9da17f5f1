/* Halves an extent in the whole module: tensors, descriptors, ranges, splat constants.
 *
 *   tt.make_range {start = 0, end = 128} : tensor<128xi32>   ->   tt.make_range {start = 0, end = 64} : tensor<64xi32>
 *   arith.constant 128 : i32                                 ->   arith.constant 64 : i32       (variant 0)
 *
 * Positions are the extents that are powers of two, the largest first. */
#include "base/bits.h"
#include "dialects/ir.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

typedef struct extents {
  int64_t limit, largest;
} extents_t;

static void find_largest(MlirType type, void *data) {
  extents_t *extents = data;
  if (!mlirTypeIsARankedTensor(type))
    return;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i) {
    const int64_t size = mlirShapedTypeGetDimSize(type, i);
    if (size > 1 && nereid_is_power_of_two(size) && size < extents->limit && size > extents->largest)
      extents->largest = size;
  }
}

static MlirWalkResult find_in_results(MlirOperation op, void *data) {
  const NereidMlirSubElementCallbacks callbacks = {.type = find_largest, .userData = data};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    nereidMlirTypeWalk(mlirValueGetType(mlirOperationGetResult(op, i)), callbacks);
  return MlirWalkResultAdvance;
}

/* The largest extent below `limit`; 0: there is none. */
static int64_t find_extent(MlirOperation module, int64_t limit) {
  extents_t extents = {limit, 0};
  mlirOperationWalk(module, find_in_results, &extents, MlirWalkPreOrder);
  return extents.largest;
}

/* --- the edit --- */

typedef struct halving {
  int64_t size;
  bool scalars; /* integer constants of this value too */
} halving_t;

enum { MAX_RANK = 8 };

static MlirType halve_type(MlirType type, void *data) {
  const int64_t size = ((const halving_t *)data)->size;
  int64_t shape[MAX_RANK];
  bool changed = false;
  const intptr_t rank = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetRank(type) : 0;
  for (intptr_t i = 0; i < rank && i < MAX_RANK; ++i) {
    shape[i] = mlirShapedTypeGetDimSize(type, i);
    changed |= shape[i] == size;
    shape[i] = shape[i] == size ? size / 2 : shape[i];
  }
  return changed && rank <= MAX_RANK ? mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(type),
                                                               mlirRankedTensorTypeGetEncoding(type))
                                     : (MlirType){NULL};
}

/* A splat has the new type; other dense constants stay, and the verifier rejects the module. */
static MlirAttribute halve_attribute(MlirAttribute attribute, void *data) {
  const halving_t *halving = data;
  if (halving->scalars && mlirAttributeIsAInteger(attribute) && mlirIntegerAttrGetValueInt(attribute) == halving->size)
    return mlirIntegerAttrGet(mlirAttributeGetType(attribute), halving->size / 2);
  if (!mlirAttributeIsADenseElements(attribute) || !mlirDenseElementsAttrIsSplat(attribute))
    return (MlirAttribute){NULL};
  const MlirType type = halve_type(mlirAttributeGetType(attribute), data);
  if (mlirTypeIsNull(type))
    return (MlirAttribute){NULL};
  const MlirAttribute value = mlirDenseElementsAttrGetSplatValue(attribute);
  const MlirAttribute halved = halving->scalars ? halve_attribute(value, data) : (MlirAttribute){NULL};
  return mlirDenseElementsAttrSplatGet(type, mlirAttributeIsNull(halved) ? value : halved);
}

static MlirWalkResult halve_range(MlirOperation op, void *data) {
  const int64_t size = ((const halving_t *)data)->size;
  if (!tool_edit_is(op, "tt.make_range"))
    return MlirWalkResultAdvance;
  const int64_t first = nereid_ir_integer(op, "start", 0);
  if (nereid_ir_integer(op, "end", 0) - first == size)
    nereid_ir_set_integer(op, "end", first + size / 2);
  return MlirWalkResultAdvance;
}

tool_edit_result_t tool_edit_halve(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  int64_t size = find_extent(candidate->module, INT64_MAX);
  for (size_t i = 0; size && i < place->position; ++i)
    size = find_extent(candidate->module, size);
  if (!size)
    return TOOL_EDIT_END;
  halving_t halving = {size, place->variant == 0};
  const NereidMlirReplacer replacer = {.attribute = halve_attribute, .type = halve_type, .userData = &halving};
  /* Ranges first: their ends are integers that the replacement would halve, whatever their start. */
  mlirOperationWalk(candidate->module, halve_range, &halving, MlirWalkPreOrder);
  nereidMlirOperationReplaceElements(candidate->module, replacer);
  return TOOL_EDIT_DONE;
}
