// The tt dialect's classes: what TableGen and ods-bindgen wrote, and the few methods that have no C entry.
#include "seam/tt.hpp"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/tt/dialect.cpp.inc"
#include "dialects/tt/enums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tt/types.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/tt/ops.cpp.inc"

#include "bindings/tt_thunks.inc"

namespace nereid::tt {
using namespace ::mlir;

static Type withElement(Type type, function_ref<Type(Type)> change) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return change(type);
  Type element = change(tensor.getElementType());
  return TensorType::isValidElementType(element) ? tensor.clone(element) : type;
}

Type i1Like(Type type) {
  return withElement(type, [](Type element) { return IntegerType::get(element.getContext(), 1); });
}

Type pointeeLike(Type type) {
  return withElement(type, [](Type element) {
    auto pointer = dyn_cast<PointerType>(element);
    return pointer ? pointer.getPointeeType() : element;
  });
}

Type pointerLike(Type type) {
  return withElement(type, [](Type element) { return PointerType::get(element.getContext(), element, 1); });
}

Type blockBasePointer(Type type) {
  auto block = cast<PointerType>(type);
  return PointerType::get(type.getContext(), getElementTypeOrSelf(block.getPointeeType()), block.getAddressSpace());
}

struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    return nereid_tt_inlining_allowed(wrap(callable));
  }
  void handleTerminator(Operation *op, Block *destination) const final {
    nereid_tt_return_to_branch(wrap(op), wrap(destination));
  }
  void handleTerminator(Operation *op, ValueRange replaced) const final {
    for (auto [value, returned] : llvm::zip_equal(replaced, op->getOperands()))
      value.replaceAllUsesWith(returned);
  }
};

void TTDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tt/types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tt/ops.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return nereid::materializeConstant(builder, value, type, location);
}

LogicalResult TTDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return unwrap(
      nereid_tt_operation_attribute_verify(wrap(op), {wrap(attribute.getName()), wrap(attribute.getValue())}));
}

LogicalResult TTDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                  NamedAttribute attribute) {
  MlirNamedAttribute named{wrap(attribute.getName()), wrap(attribute.getValue())};
  return unwrap(nereid_tt_argument_attribute_verify(wrap(op), region, argument, named));
}

void CallOp::setCalleeFromCallable(CallInterfaceCallable callee) {
  setCalleeAttr(cast<FlatSymbolRefAttr>(cast<SymbolRefAttr>(callee)));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto signature = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), signature,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}
} // namespace nereid::tt
