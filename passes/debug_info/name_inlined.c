/* nereid-name-inlined: records function names in locations before inlining.
 *
 *   tt.func private @_sum(…) { %0 = arith.addf … loc("lib.py":7:3) }   →   … loc(fused<"_sum">["lib.py":7:3])
 *
 * A call-site location stores positions but no function. Debug information takes the names of inlined functions from
 * here (enable-line-info). Runs before inlining, and only when source lines are requested.
 *
 * Triton 3.6 builds a function name from its position, the types of its arguments and its constants, in this order and
 * separated by "__": `lib.sum__fp32S1024S__(1,)cconstexpr_0`. Readers know the first part. */
#include "dialects/ir.h"
#include "passes/pass.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>

/* Position of "__" in `name` from `start` on, except at the end of a word like __main__; the length when there is none.
 */
static size_t find_separator(MlirStringRef name, size_t start) {
  for (size_t i = start; i + 1 < name.length; i++) {
    const bool there = name.data[i] == '_' && name.data[i + 1] == '_';
    const bool begins = i == 0 || name.data[i - 1] == '.', ends = i + 2 < name.length && name.data[i + 2] == '.';
    if (there && !begins && !ends)
      return i;
  }
  return name.length;
}

/* The Python name, for names with both separators; other names do not change. */
static MlirStringRef readable(MlirStringRef name) {
  const size_t first = find_separator(name, 0);
  if (first == name.length || find_separator(name, first + 2) == name.length)
    return name;
  return mlirStringRefCreate(name.data, first);
}

static MlirWalkResult name_op(MlirOperation op, void *data) {
  const MlirAttribute *name = data;
  MlirLocation location = mlirOperationGetLocation(op);
  if (!mlirLocationIsAFused(location) || mlirAttributeIsNull(mlirLocationFusedGetMetadata(location)))
    mlirOperationSetLocation(op, mlirLocationFusedGet(mlirOperationGetContext(op), 1, &location, *name));
  return MlirWalkResultAdvance;
}

MlirLogicalResult nereid_pass_name_inlined(nereid_pass_t *pass) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(pass->op, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TT_FUNC || nereidMlirFunctionIsPublic(op))
      continue;
    MlirAttribute symbol = nereid_ir_attribute(op, NEREID_ATTR_SYMBOL_NAME);
    MlirAttribute name = mlirStringAttrGet(pass->context, readable(mlirStringAttrGetValue(symbol)));
    MlirLocation location = mlirOperationGetLocation(op);
    mlirOperationWalk(op, name_op, &name, MlirWalkPreOrder);
    mlirOperationSetLocation(op, location);
  }
  return mlirLogicalResultSuccess();
}
