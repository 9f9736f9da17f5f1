/* Extracts names, scopes and file positions from locations, for debug information; see debug_scope.h.
 *
 *   "v"(callsite(fused<#scope>["lib.py":7:3] at "k.py":20:5))      name "v", scope #scope, position "lib.py":7:3
 *
 * For a call site the callee counts. A name around a call site is the name of the callee's result. */
#include "passes/debug_info/debug_scope.h"

#include <mlir-c/BuiltinAttributes.h>

/* Unwraps one level: the first part of a fused location, the callee of a call site, the child of a name. Null when
 * there is none. */
static MlirLocation inner(MlirLocation location) {
  if (mlirLocationIsACallSite(location))
    return mlirLocationCallSiteGetCallee(location);
  if (mlirLocationIsAName(location))
    return mlirLocationNameGetChildLoc(location);
  MlirLocation first = {NULL};
  enum { LIMIT = 1024 };
  if (mlirLocationIsAFused(location) && mlirLocationFusedGetNumLocations(location) <= LIMIT) {
    MlirLocation parts[LIMIT] = {{NULL}};
    mlirLocationFusedGetLocations(location, parts);
    first = parts[0];
  }
  return first;
}

MlirLocation nereid_debug_place_of(MlirLocation location) {
  while (!mlirLocationIsNull(location) && !mlirLocationIsAFileLineColRange(location))
    location = inner(location);
  return location;
}

const char *nereid_debug_place_text(nereid_arena_t *arena, MlirLocation location) {
  location = nereid_debug_place_of(location);
  if (mlirLocationIsNull(location))
    return NULL;
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  return nereid_arena_format(arena, "%.*s:%d:%d", (int)file.length, file.data,
                             mlirLocationFileLineColRangeGetStartLine(location),
                             mlirLocationFileLineColRangeGetStartColumn(location));
}

MlirAttribute nereid_debug_scope_of(MlirLocation location) {
  MlirAttribute found = {NULL};
  for (; !mlirLocationIsNull(location); location = inner(location)) {
    if (!mlirLocationIsAFused(location))
      continue;
    MlirAttribute metadata = mlirLocationFusedGetMetadata(location);
    if (!mlirAttributeIsNull(metadata) && mlirStringRefEqual(mlirDialectGetNamespace(mlirAttributeGetDialect(metadata)),
                                                             mlirStringRefCreateFromCString("llvm")))
      found = metadata;
  }
  return found;
}

MlirAttribute nereid_debug_name_of(MlirLocation location) {
  for (; !mlirLocationIsNull(location); location = inner(location))
    if (mlirLocationIsAName(location))
      return mlirStringAttrGet(mlirLocationGetContext(location), mlirIdentifierStr(mlirLocationNameGetName(location)));
  return (MlirAttribute){NULL};
}

bool nereid_debug_is_declaration(MlirOperation function) {
  return mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
}
