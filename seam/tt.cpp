// The tt dialect's classes: output of TableGen and ods-bindgen, and the few methods without a C hook.
#include "seam/tt.hpp"

#include "seam/tt.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/tt/dialect.cpp.inc"
#include "dialects/tt/enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tt/attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tt/types.cpp.inc"

namespace nereid::tt {
NEREID_ACCESS_ATTRIBUTES(LoadAttributes, "tt.load")
NEREID_ACCESS_ATTRIBUTES(StoreAttributes, "tt.store")
NEREID_ACCESS_ATTRIBUTES(DescriptorLoadAttributes, "tt.descriptor_load")
} // namespace nereid::tt

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

struct Inliner : InlinerInterface {
  using InlinerInterface::InlinerInterface;
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

// The bytecode keeps the Triton version of the text that was read.
struct TritonVersion : DialectVersion {};
struct Bytecode : BytecodeDialectInterface {
  explicit Bytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  TTDialect *dialect() const { return static_cast<TTDialect *>(getDialect()); }
  void writeVersion(DialectBytecodeWriter &writer) const final { writer.writeVarInt(dialect()->getTritonMinor()); }
  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const final {
    uint64_t minor;
    if (failed(reader.readVarInt(minor)))
      return nullptr;
    dialect()->raiseTritonMinor(std::min<uint64_t>(minor, 9));
    return std::make_unique<TritonVersion>();
  }
};

void TTDialect::addOwnInterfaces() { addInterfaces<Inliner, Bytecode>(); }

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  if (auto poison = dyn_cast<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, location, type, poison);
  return arith::ConstantOp::materialize(builder, value, type, location);
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

// --- spellings of Triton 3.6 to 3.9

static TTDialect *dialectOf(MLIRContext *context) { return context->getOrLoadDialect<TTDialect>(); }

Type parseBlock(AsmParser &parser) {
  SmallVector<int64_t> dims;
  Type element;
  Attribute encoding;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false) || parser.parseType(element) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding)))
    return {};
  return RankedTensorType::getChecked([&] { return parser.emitError(where); }, dims, element, encoding);
}

void printBlock(AsmPrinter &printer, RankedTensorType block) {
  printer.printDimensionList(block.getShape());
  printer << 'x' << block.getElementType();
  if (block.getEncoding())
    printer << ", " << block.getEncoding();
}

// !tt.tensordesc<tensor<64x32xf16, #shared>>; since 3.8 !tt.tensordesc<64x32xf16, #shared>
Type TensorDescType::parse(AsmParser &parser) {
  Type type;
  SMLoc where = parser.getCurrentLocation();
  auto emit = [&] { return parser.emitError(where); };
  if (parser.parseLess())
    return {};
  if (OptionalParseResult block = parser.parseOptionalType(type); !block.has_value()) {
    dialectOf(parser.getContext())->raiseTritonMinor(8);
    type = parseBlock(parser);
  }
  return !type || parser.parseGreater() ? Type() : getChecked(emit, parser.getContext(), type);
}

void TensorDescType::print(AsmPrinter &printer) const {
  auto block = dyn_cast<RankedTensorType>(getBlockType());
  printer << '<';
  if (block && dialectOf(getContext())->getTritonMinor() >= 8) {
    printBlock(printer, block);
  } else {
    printer << getBlockType();
  }
  printer << '>';
}

template <typename Enum> static ParseResult parsePolicy(OpAsmParser &parser, StringRef keyword, Enum &value) {
  using Value = decltype(value.getValue());
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  FailureOr<Value> parsed = failure();
  if (parser.parseEqual() || failed(parsed = FieldParser<Value>::parse(parser)))
    return failure();
  value = Enum::get(parser.getContext(), *parsed);
  return success();
}

ParseResult parseAccess(OpAsmParser &parser, StringRef op, CacheModifierAttr &cache, EvictionPolicyAttr &evict,
                        NamedAttrList &attributes) {
  if (parsePolicy(parser, "cacheModifier", cache) || parsePolicy(parser, "evictionPolicy", evict) ||
      parsePolicy(parser, "cacheModifier", cache))
    return failure();
  SMLoc where = parser.getCurrentLocation();
  auto emit = [&] { return parser.emitError(where) << "'" << op << "' op "; };
  if (parser.parseOptionalAttrDict(attributes) ||
      OperationName(op, parser.getContext()).verifyInherentAttrs(attributes, emit).failed())
    return failure();
  if (auto policy = dyn_cast_or_null<CachePolicyAttr>(attributes.get("cachePolicy"))) {
    dialectOf(parser.getContext())->raiseTritonMinor(9);
    attributes.erase("cachePolicy");
    cache = CacheModifierAttr::get(parser.getContext(), policy.getCacheModifier());
    evict = EvictionPolicyAttr::get(parser.getContext(), policy.getEvictionPolicy());
  }
  return success();
}

static bool isPrintedAccess(NamedAttribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
  return StringSwitch<bool>(attribute.getName())
      .Cases({"operandSegmentSizes", "cache", "evict"}, false)
      .Case("isVolatile", !integer || !integer.getValue().isZero())
      .Case("contiguity", !integer || !integer.getValue().isOne())
      .Case("boundaryCheck", attribute.getValue() != DenseI32ArrayAttr::get(attribute.getValue().getContext(), {}))
      .Default(true);
}

void printAccess(OpAsmPrinter &printer, CacheModifierAttr cache, EvictionPolicyAttr evict, DictionaryAttr attributes) {
  CacheModifier modifier = cache ? cache.getValue() : CacheModifier::NONE;
  EvictionPolicy policy = evict ? evict.getValue() : EvictionPolicy::NORMAL;
  NamedAttrList printed(llvm::filter_to_vector(attributes, isPrintedAccess));
  bool joined = dialectOf(attributes.getContext())->getTritonMinor() >= 9;
  if (joined && (modifier != CacheModifier::NONE || policy != EvictionPolicy::NORMAL))
    printed.set("cachePolicy", CachePolicyAttr::get(attributes.getContext(), modifier, policy));
  if (!joined && modifier != CacheModifier::NONE)
    printer << " cacheModifier = " << stringifyCacheModifier(modifier);
  if (!joined && policy != EvictionPolicy::NORMAL)
    printer << " evictionPolicy = " << stringifyEvictionPolicy(policy);
  printer.printOptionalAttrDict(printed.getDictionary(attributes.getContext()).getValue());
}
} // namespace nereid::tt

void nereidMlirContextSetTritonMinor(MlirContext context, int32_t minor, bool fixed) {
  nereid::tt::dialectOf(unwrap(context))->tritonMinor = fixed ? 100 + minor : minor;
}

void nereidMlirContextRaiseTritonMinor(MlirContext context, int32_t minor) {
  nereid::tt::dialectOf(unwrap(context))->raiseTritonMinor(minor);
}

int32_t nereidMlirContextGetTritonMinor(MlirContext context) {
  return nereid::tt::dialectOf(unwrap(context))->getTritonMinor();
}
