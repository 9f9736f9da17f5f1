// The ttng dialect's classes: output of TableGen and ods-bindgen, and the parser hook for rejected names.
#include "seam/ttng.hpp"

#include "dialects/ttng/ttng_hooks.h"
#include "seam/dialect_interfaces.hpp"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/ttng/dialect.cpp.inc"

namespace nereid::ttng {
NEREID_ACCESS_ATTRIBUTES(TMACopyAttributes, "ttng.async_tma_copy_global_to_local")

using Operands = ::llvm::SmallVectorImpl<::mlir::OpAsmParser::UnresolvedOperand>;

// [%i, %j] and [%n, %w, %c] offsets = [%s], whose types are i32 and i16.
static ::mlir::ParseResult parseCoordinates(::mlir::OpAsmParser &parser, Operands &operands,
                                            ::llvm::SmallVectorImpl<::mlir::Type> &types) {
  const auto square = ::mlir::OpAsmParser::Delimiter::Square;
  if (parser.parseOperandList(operands, square))
    return ::mlir::failure();
  types.assign(operands.size(), parser.getBuilder().getI32Type());
  if (failed(parser.parseOptionalKeyword("offsets")))
    return ::mlir::success();
  if (parser.parseEqual() || parser.parseOperandList(operands, square))
    return ::mlir::failure();
  types.resize(operands.size(), parser.getBuilder().getI16Type());
  return ::mlir::success();
}

static void printCoordinates(::mlir::OpAsmPrinter &printer, ::mlir::Operation *, ::mlir::OperandRange operands,
                             ::mlir::TypeRange types) {
  const size_t n = ::llvm::find_if(types, [](::mlir::Type type) { return type.isInteger(16); }) - types.begin();
  printer << '[' << operands.take_front(n) << ']';
  if (n < operands.size())
    printer << " offsets = [" << operands.drop_front(n) << ']';
}
} // namespace nereid::ttng

#define GET_TYPEDEF_CLASSES
#include "dialects/ttng/types.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/ttng/ops.cpp.inc"

#include "bindings/ttng_thunks.inc"

namespace nereid::ttng {
using namespace ::mlir;

void TTNGDialect::addOwnInterfaces() { addInterfaces<InlinerInterface>(); }

Type TensorDescIm2ColType::parse(AsmParser &parser) {
  SMLoc where = parser.getCurrentLocation();
  Type block;
  if (parser.parseLess() || !(block = tt::parseBlock(parser)) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); }, parser.getContext(), block);
}

void TensorDescIm2ColType::print(AsmPrinter &printer) const {
  printer << '<';
  tt::printBlock(printer, cast<RankedTensorType>(getBlockType()));
  printer << '>';
}

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
