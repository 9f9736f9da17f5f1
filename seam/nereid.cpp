// The nereid dialect's classes: output of TableGen and ods-bindgen.
#include "seam/nereid.hpp"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/nereid/dialect.cpp.inc"
#include "dialects/nereid/enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nereid/attrs.cpp.inc"

#include "bindings/nereid_thunks.inc"
