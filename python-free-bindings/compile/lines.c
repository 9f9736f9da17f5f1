/* Source lines for LLVM IR, PTX and cubin (--lineinfo).
 *
 *   loc(callsite(unknown at "k.py":7:3))   →   loc("k.py":7:3)   →   !DILocation(line: 7, …)   →   .loc 1 7 3
 *
 * MLIR's pass makes debug scopes from locations, but expects a file in every callee; constants that were inlined have
 * none, and take the place they were inlined at. */
#include "session.h"

#include "seam/llvm.h"

#include <mlir-c/Pass.h>

/* The location with nothing in it that has no file; null handle when nothing is left. */
static MlirLocation simplify(MlirLocation location) {
  MlirLocation none = {NULL};
  if (mlirLocationIsAFileLineColRange(location))
    return location;
  if (mlirLocationIsAName(location))
    return simplify(mlirLocationNameGetChildLoc(location));
  if (mlirLocationIsACallSite(location)) {
    MlirLocation callee = simplify(mlirLocationCallSiteGetCallee(location));
    MlirLocation caller = simplify(mlirLocationCallSiteGetCaller(location));
    if (mlirLocationIsNull(callee) || mlirLocationIsNull(caller))
      return mlirLocationIsNull(callee) ? caller : callee;
    return mlirLocationCallSiteGet(callee, caller);
  }
  if (!mlirLocationIsAFused(location))
    return none;
  enum { LIMIT = 16 };
  MlirLocation parts[LIMIT], found = none;
  unsigned count = mlirLocationFusedGetNumLocations(location);
  if (count > LIMIT)
    return none;
  mlirLocationFusedGetLocations(location, parts);
  for (unsigned i = 0; i < count && mlirLocationIsNull(found); i++)
    found = simplify(parts[i]);
  return found;
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  MlirLocation location = simplify(mlirOperationGetLocation(op));
  (void)user_data;
  mlirOperationSetLocation(op, mlirLocationIsNull(location) ? mlirLocationUnknownGet(mlirOperationGetContext(op))
                                                            : location);
  return MlirWalkResultAdvance;
}

nereid_status_t nereid_lines_keep(nereid_compilation_t *compilation) {
  mlirOperationWalk(compilation->module, visit, NULL, MlirWalkPreOrder);
  MlirPassManager manager = mlirPassManagerCreate(mlirOperationGetContext(compilation->module));
  mlirPassManagerAddOwnedPass(manager, nereidMlirCreateDebugScopePass());
  MlirLogicalResult done = mlirPassManagerRunOnOp(manager, compilation->module);
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(done) ? NEREID_OK : NEREID_ERROR_PROGRAM;
}
