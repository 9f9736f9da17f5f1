/* Generic edits of tt and ttg.
 *
 *   %v = tt.load %p, %m, %zero   ->   (uses of %v become uses of %zero)
 *   %s = scf.for ... iter_args(%a = %i)   ->   (uses of %s become uses of %i)
 *   %x = math.exp %y   ->   (uses of %x become uses of %y) */
#include "tools/nereid/reduce/edit.h"

#include "base/bits.h"
#include "base/vector.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/scf.h"
#include "passes/pass.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Pass.h>

typedef struct operations {
  nereid_arena_t *arena;
  NEREID_VECTOR(MlirOperation) list;
} operations_t;

static bool has_name(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), mlirStringRefCreateFromCString(name));
}

static MlirWalkResult collect(MlirOperation op, void *data) {
  operations_t *operations = data;
  if (!has_name(op, "builtin.module"))
    (void)nereid_vector_push(operations->arena, &operations->list, op);
  return MlirWalkResultAdvance;
}

static MlirWalkResult count(MlirOperation op, void *data) {
  (void)op;
  ++*(size_t *)data;
  return MlirWalkResultAdvance;
}

size_t tool_edit_count(MlirOperation module) {
  size_t n = 0;
  mlirOperationWalk(module, count, &n, MlirWalkPreOrder);
  return n - 1;
}

/* --- removal --- */

/* The attribute of zero of an integer, a float or a tensor of them; null for other types. */
static MlirAttribute zero_of(MlirType type) {
  if (mlirTypeIsARankedTensor(type)) {
    const MlirAttribute element = zero_of(mlirShapedTypeGetElementType(type));
    return mlirAttributeIsNull(element) ? element : mlirDenseElementsAttrSplatGet(type, element);
  }
  if (mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type))
    return mlirIntegerAttrGet(type, 0);
  return mlirTypeIsAFloat(type) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, 0) : (MlirAttribute){NULL};
}

static bool has_type(MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type);
}

/* An operand that replaces result `i`: of a loop the initial value. Null: none. */
static MlirValue operand_for(MlirOperation op, intptr_t i, tool_replacement_t replacement) {
  const MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
  const intptr_t n = mlirOperationGetNumOperands(op);
  const intptr_t carried = n - mlirOperationGetNumResults(op) + i;
  if (nereidMlirOperationIsLoopLike(op) && carried >= 0 && has_type(mlirOperationGetOperand(op, carried), type))
    return mlirOperationGetOperand(op, carried);
  for (intptr_t k = 0; replacement != TOOL_REPLACE_BY_ZERO && k < n; ++k) {
    const MlirValue operand = mlirOperationGetOperand(op, replacement == TOOL_REPLACE_BY_FIRST ? k : n - 1 - k);
    if (has_type(operand, type))
      return operand;
  }
  return (MlirValue){NULL};
}

static bool is_replaceable(MlirOperation op, tool_replacement_t replacement) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirValueIsNull(operand_for(op, i, replacement)) &&
        (replacement == TOOL_REPLACE_BY_FIRST ||
         mlirAttributeIsNull(zero_of(mlirValueGetType(mlirOperationGetResult(op, i))))))
      return false;
  return true;
}

/* A constant is not replaced by itself, and the kernel stays. */
static bool is_removable(MlirOperation op, tool_replacement_t replacement) {
  return !nereidMlirOperationHasTrait(op, NereidMlirTraitIsTerminator) && !has_name(op, "arith.constant") &&
         !(nereidMlirOperationIsFunction(op) && nereidMlirFunctionIsPublic(op)) && is_replaceable(op, replacement);
}

static void remove_op(MlirOperation op, tool_replacement_t replacement) {
  const nereid_builder_t builder = nereid_builder_before(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    const MlirValue result = mlirOperationGetResult(op, i), operand = operand_for(op, i, replacement);
    const MlirValue value =
        mlirValueIsNull(operand)
            ? mlirOperationGetResult(nereid_arith_constant_build(&builder, zero_of(mlirValueGetType(result))), 0)
            : operand;
    mlirValueReplaceAllUsesOfWith(result, value);
  }
  nereidMlirOperationErase(op);
}

/* From the last to the first, so that an operation goes before those that contain or define its operands. */
size_t tool_edit_remove(MlirOperation module, nereid_arena_t *scratch, size_t first, size_t end,
                        tool_replacement_t replacement) {
  operations_t operations = {.arena = scratch};
  size_t removed = 0;
  mlirOperationWalk(module, collect, &operations, MlirWalkPreOrder);
  end = end < operations.list.size ? end : operations.list.size;
  for (size_t i = end; i-- > first;)
    if (is_removable(operations.list.data[i], replacement)) {
      remove_op(operations.list.data[i], replacement);
      ++removed;
    }
  return removed;
}

/* --- loops --- */

static void run_once(MlirOperation loop) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  const MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetOperand(yield, i));
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), mlirOperationGetOperand(loop, 0));
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirOperationGetOperand(loop, i + 2));
  nereidMlirOperationErase(yield);
  nereidMlirBlockSplice(mlirOperationGetBlock(loop), loop, body);
  nereidMlirOperationErase(loop);
}

bool tool_edit_run_loop_once(MlirOperation module, nereid_arena_t *scratch, size_t index) {
  operations_t operations = {.arena = scratch};
  mlirOperationWalk(module, collect, &operations, MlirWalkPreOrder);
  for (size_t i = 0; i < operations.list.size; ++i)
    if (has_name(operations.list.data[i], "scf.for") && index-- == 0) {
      run_once(operations.list.data[i]);
      return true;
    }
  return false;
}

/* --- shapes --- */

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

int64_t tool_edit_find_extent(MlirOperation module, int64_t limit) {
  extents_t extents = {limit, 0};
  mlirOperationWalk(module, find_in_results, &extents, MlirWalkPreOrder);
  return extents.largest;
}

static MlirType halve_type(MlirType type, void *data) {
  const int64_t size = *(const int64_t *)data;
  int64_t shape[8];
  bool changed = false;
  const intptr_t rank = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetRank(type) : 0;
  for (intptr_t i = 0; i < rank && i < 8; ++i) {
    shape[i] = mlirShapedTypeGetDimSize(type, i);
    changed |= shape[i] == size;
    shape[i] = shape[i] == size ? size / 2 : shape[i];
  }
  return changed && rank <= 8 ? mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(type),
                                                        mlirRankedTensorTypeGetEncoding(type))
                              : (MlirType){NULL};
}

/* A splat has the new type; other dense constants stay, and the verifier rejects the module. */
static MlirAttribute halve_attribute(MlirAttribute attribute, void *data) {
  if (!mlirAttributeIsADenseElements(attribute) || !mlirDenseElementsAttrIsSplat(attribute))
    return (MlirAttribute){NULL};
  const MlirType type = halve_type(mlirAttributeGetType(attribute), data);
  return mlirTypeIsNull(type) ? (MlirAttribute){NULL}
                              : mlirDenseElementsAttrSplatGet(type, mlirDenseElementsAttrGetSplatValue(attribute));
}

static MlirWalkResult halve_range(MlirOperation op, void *data) {
  const int64_t size = *(const int64_t *)data;
  if (!has_name(op, "tt.make_range"))
    return MlirWalkResultAdvance;
  const MlirAttribute start = nereid_ir_attribute(op, "start"), end = nereid_ir_attribute(op, "end");
  const int64_t first = mlirIntegerAttrGetValueInt(start);
  if (mlirIntegerAttrGetValueInt(end) - first == size)
    mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString("end"),
                                    mlirIntegerAttrGet(mlirAttributeGetType(end), first + size / 2));
  return MlirWalkResultAdvance;
}

void tool_edit_halve(MlirOperation module, int64_t size) {
  const NereidMlirReplacer replacer = {.attribute = halve_attribute, .type = halve_type, .userData = &size};
  mlirOperationWalk(module, halve_range, &size, MlirWalkPreOrder);
  nereidMlirOperationReplaceElements(module, replacer);
}

/* --- cleaning --- */

static void ignore(MlirStringRef text, void *data) {
  (void)text;
  (void)data;
}

bool tool_edit_clean(MlirOperation module) {
  static const char passes[] = "builtin.module(canonicalize,cse,symbol-dce)";
  nereid_passes_register();
  MlirPassManager manager = mlirPassManagerCreate(mlirOperationGetContext(module));
  const bool good =
      mlirLogicalResultIsSuccess(mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                                       mlirStringRefCreateFromCString(passes), ignore, NULL)) &&
      mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, module));
  mlirPassManagerDestroy(manager);
  return good;
}
