/* Names for what will be inlined (nereid-name-inlined).
 *
 *   tt.func private @_sum(…) { %0 = arith.addf … loc("lib.py":7:3) }   →   … loc(fused<"_sum">["lib.py":7:3])
 *
 * A call site in a location knows places but no function; this is where debug information gets names of inlined
 * functions from (enable-line-info). Runs before inlining, and only for those who asked for source lines. */
#include "passes/pass.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>

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
    MlirAttribute name = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
    MlirLocation location = mlirOperationGetLocation(op);
    mlirOperationWalk(op, name_op, &name, MlirWalkPreOrder);
    mlirOperationSetLocation(op, location);
  }
  return mlirLogicalResultSuccess();
}
