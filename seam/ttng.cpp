// The ttng dialect's classes: output of TableGen and ods-bindgen, and the parser hook for rejected names.
#include "seam/ttng.hpp"

#include "dialects/ttng/ttng_hooks.h"
#include "seam/dialect_interfaces.hpp"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/ttng/dialect.cpp.inc"

namespace nereid::ttng {
NEREID_ACCESS_ATTRIBUTES(TMACopyAttributes, "ttng.async_tma_copy_global_to_local")
} // namespace nereid::ttng

#define GET_OP_CLASSES
#include "dialects/ttng/ops.cpp.inc"

#include "bindings/ttng_thunks.inc"

namespace nereid::ttng {
using namespace ::mlir;

void TTNGDialect::addOwnInterfaces() { addInterfaces<InlinerInterface>(); }

static ParseResult refuseOperation(OpAsmParser &parser, OperationState &state) {
  return parser.emitError(parser.getNameLoc(), nereid_ttng_operation_refusal(wrap(state.name.getStringRef())));
}

std::optional<Dialect::ParseOpHook> TTNGDialect::getParseOperationHook(StringRef name) const {
  if (nereid_ttng_operation_refusal(wrap(name)))
    return ParseOpHook(refuseOperation);
  return Dialect::getParseOperationHook(name);
}

Attribute TTNGDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef mnemonic;
  if (failed(parser.parseKeyword(&mnemonic)))
    return {};
  const char *why = nereid_ttng_attribute_refusal(wrap(mnemonic));
  return parser.emitError(parser.getNameLoc(), why ? why : "the ttng dialect has no attributes"), Attribute();
}
} // namespace nereid::ttng
