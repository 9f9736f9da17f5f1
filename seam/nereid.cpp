// The nereid dialect's classes: output of TableGen and ods-bindgen, and the verifiers of the placement of its
// attributes.
#include "seam/nereid.hpp"

#include "dialects/nereid/nereid_hooks.h"
#include "seam/dialect_interfaces.hpp"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/nereid/dialect.cpp.inc"
#include "dialects/nereid/enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nereid/attrs.cpp.inc"

#include "bindings/nereid_thunks.inc"

namespace nereid::nereid_ {
using namespace ::mlir;

void NereidDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nereid/attrs.cpp.inc"
      >();
}

LogicalResult NereidDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return unwrap(nereid_nereid_operation_attribute_verify(wrap(op), wrapNamed(attribute)));
}

LogicalResult NereidDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                      NamedAttribute attribute) {
  return unwrap(nereid_nereid_argument_attribute_verify(wrap(op), region, argument, wrapNamed(attribute)));
}
} // namespace nereid::nereid_
