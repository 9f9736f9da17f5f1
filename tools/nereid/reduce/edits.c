/* The table of edits, and what they share. */
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "passes/pass.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

#include <mlir-c/Pass.h>

enum { SMALL_GROUP = 8 };

/* What makes later candidates faster comes first. The compilation of many operations takes longer than a short run, so
 * that large groups go before the launch and the tensors become smaller. Few warps make large tensors slow to compile,
 * so they come late. */
const tool_edit_t tool_edits[] = {
    {.name = "grid", .apply = tool_edit_grid, .variants = 2, .launch = true, .shortens = true},
    {.name = "remove group",
     .apply = tool_edit_remove,
     .variants = 2,
     .shrinks = true,
     .largest = SIZE_MAX,
     .smallest = SMALL_GROUP},
    {.name = "scalar", .apply = tool_edit_scalar, .variants = 2, .launch = true, .shortens = true},
    {.name = "halve extent", .apply = tool_edit_halve, .variants = 2, .shortens = true},
    {.name = "remove",
     .apply = tool_edit_remove,
     .variants = TOOL_REPLACEMENT_COUNT,
     .shrinks = true,
     .largest = SMALL_GROUP - 1,
     .smallest = 1},
    {.name = "replace region", .apply = tool_edit_region, .variants = 2},
    {.name = "loop-carried value", .apply = tool_edit_carried, .variants = 3},
    {.name = "remove operand", .apply = tool_edit_operand, .variants = 2},
    {.name = "remove argument", .apply = tool_edit_argument, .variants = 3},
    {.name = "remove result", .apply = tool_edit_result, .variants = 1},
    {.name = "remove attribute", .apply = tool_edit_attribute, .variants = 1},
    {.name = "simplify constant", .apply = tool_edit_constant, .variants = 3},
    {.name = "constant operand", .apply = tool_edit_use, .variants = 2},
    {.name = "change type", .apply = tool_edit_type, .variants = 1},
    {.name = "merge encodings", .apply = tool_edit_merge_encodings, .variants = 1},
    {.name = "simplify encoding", .apply = tool_edit_simplify_encoding, .variants = 2},
    {.name = "options", .apply = tool_edit_options, .variants = 2, .launch = true},
    {.name = "tensor", .apply = tool_edit_tensor, .variants = 2, .launch = true},
    {.name = NULL},
};

bool tool_edit_is(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), mlirStringRefCreateFromCString(name));
}

typedef struct listing {
  nereid_arena_t *arena;
  tool_operations_t list;
} listing_t;

static MlirWalkResult collect(MlirOperation op, void *data) {
  listing_t *listing = data;
  if (!tool_edit_is(op, "builtin.module"))
    (void)nereid_vector_push(listing->arena, &listing->list, op);
  return MlirWalkResultAdvance;
}

tool_operations_t tool_edit_list(const tool_candidate_t *candidate) {
  listing_t listing = {.arena = candidate->arena};
  mlirOperationWalk(candidate->module, collect, &listing, MlirWalkPreOrder);
  return listing.list;
}

MlirOperation tool_edit_find(const tool_candidate_t *candidate, const char *name, size_t index) {
  const tool_operations_t list = tool_edit_list(candidate);
  for (size_t i = 0; i < list.size; ++i)
    if (tool_edit_is(list.data[i], name) && index-- == 0)
      return list.data[i];
  return (MlirOperation){NULL};
}

/* --- values without operands --- */

MlirAttribute tool_edit_constant_of(MlirType type, bool one) {
  if (mlirTypeIsARankedTensor(type)) {
    const MlirAttribute element = tool_edit_constant_of(mlirShapedTypeGetElementType(type), one);
    return mlirAttributeIsNull(element) ? element : mlirDenseElementsAttrSplatGet(type, element);
  }
  if (mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type))
    return mlirIntegerAttrGet(type, one);
  return mlirTypeIsAFloat(type) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, one) : (MlirAttribute){NULL};
}

/* An argument of the function around `op`. */
static MlirValue argument_of(MlirOperation op, MlirType type) {
  while (!mlirOperationIsNull(op) && !nereidMlirOperationIsFunction(op))
    op = mlirOperationGetParentOperation(op);
  const MlirBlock entry =
      mlirOperationIsNull(op) ? (MlirBlock){NULL} : mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); ++i)
    if (mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(entry, i)), type))
      return mlirBlockGetArgument(entry, i);
  return (MlirValue){NULL};
}

MlirValue tool_edit_default(MlirOperation op, MlirType type, bool one) {
  const nereid_builder_t builder = nereid_builder_before(op);
  const MlirAttribute constant = tool_edit_constant_of(type, one);
  if (!mlirAttributeIsNull(constant))
    return mlirOperationGetResult(nereid_arith_constant_build(&builder, constant), 0);
  if (!mlirTypeIsARankedTensor(type))
    return argument_of(op, type);
  const MlirValue scalar = argument_of(op, mlirShapedTypeGetElementType(type));
  return mlirValueIsNull(scalar) ? scalar : mlirOperationGetResult(nereid_tt_splat_build(&builder, type, scalar), 0);
}

/* --- sizes --- */

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

static MlirWalkResult weigh(MlirOperation op, void *data) {
  *(size_t *)data += tool_edit_is(op, "arith.constant") ? 1 : 4;
  return MlirWalkResultAdvance;
}

size_t tool_edit_weigh(MlirOperation module) {
  size_t weight = 0;
  mlirOperationWalk(module, weigh, &weight, MlirWalkPreOrder);
  return weight;
}

/* --- validity --- */

static MlirWalkResult check_combiner(MlirOperation op, void *data) {
  if (!tool_edit_is(op, "tt.reduce"))
    return MlirWalkResultAdvance;
  const MlirBlock combiner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  const MlirOperation end = mlirBlockGetTerminator(combiner);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(combiner); ++i)
    *(bool *)data &= !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(combiner, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    *(bool *)data &= !mlirValueIsABlockArgument(mlirOperationGetOperand(end, i));
  return MlirWalkResultAdvance;
}

bool tool_edit_is_defined(MlirOperation module) {
  bool is_defined = true;
  mlirOperationWalk(module, check_combiner, &is_defined, MlirWalkPreOrder);
  return is_defined;
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
