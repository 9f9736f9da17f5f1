// The ttg dialect's classes: output of TableGen and ods-bindgen, custom assembly formats (memdesc, warp_specialize;
// encodings are printed and parsed in C), and the dialects whose text is rejected.
#include "seam/ttg.hpp"

#include "dialects/ttg/ttg_hooks.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nereid::ttg {
static ::mlir::ParseResult parseOffsets(::mlir::OpAsmParser &parser, DenseI32ArrayAttr &offsets) {
  ::llvm::SmallVector<int32_t> values;
  auto one = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(one))
    return ::mlir::failure();
  offsets = parser.getBuilder().getDenseI32ArrayAttr(values);
  return ::mlir::success();
}

static void printOffsets(::mlir::OpAsmPrinter &printer, ::mlir::Operation *, DenseI32ArrayAttr offsets) {
  printer << offsets.asArrayRef();
}

// local|global_read
static ::mlir::ParseResult parseAddressSpaces(::mlir::OpAsmParser &parser, tt::AddressSpacesAttr &spaces) {
  auto all = tt::AddressSpaces::NONE;
  do {
    std::string keyword;
    ::mlir::SMLoc where = parser.getCurrentLocation();
    std::optional<tt::AddressSpaces> one;
    if (parser.parseKeywordOrString(&keyword) || !(one = tt::symbolizeAddressSpaces(keyword)))
      return parser.emitError(where,
                              "expected none, local, global_read, global_write, tensor_read, tensor_write or all");
    all = all | *one;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  spaces = tt::AddressSpacesAttr::get(parser.getContext(), all);
  return ::mlir::success();
}

static void printAddressSpaces(::mlir::OpAsmPrinter &printer, ::mlir::Operation *, tt::AddressSpacesAttr spaces) {
  printer << stringifyAddressSpaces(spaces.getValue());
}

NEREID_ACCESS_ATTRIBUTES(AsyncCopyAttributes, "ttg.async_copy_global_to_local")
} // namespace nereid::ttg

#include "dialects/ttg/dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/ttg/attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/ttg/types.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/ttg/ops.cpp.inc"

#include "bindings/ttg_thunks.inc"

namespace nereid::ttg {
using namespace ::mlir;

void TTGDialect::addOwnInterfaces() { addInterfaces<InlinerInterface, AliasInterface>(); }

static void refuse(AsmParser &parser, const Twine &name) {
  nereid_ttg_refuse(wrap(parser.getEncodedSourceLoc(parser.getNameLoc())), wrap(StringRef(name.str())));
}

Attribute TTGDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  if (generatedAttributeParser(parser, &mnemonic, type, attribute).has_value())
    return attribute;
  refuse(parser, "#ttg." + mnemonic);
  return {};
}

static void printEncoding(AsmPrinter &printer, Attribute encoding) {
  auto text = [](MlirStringRef text, void *to) { *static_cast<AsmPrinter *>(to) << unwrap(text); };
  auto attribute = [](MlirAttribute attribute, void *to) { *static_cast<AsmPrinter *>(to) << unwrap(attribute); };
  nereid_ttg_printer_t printers{text, attribute, &printer};
  nereid_ttg_encoding_print(wrap(encoding), &printers);
}

void TTGDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  if (const char *mnemonic = nereid_ttg_encoding_mnemonic(wrap(attribute)))
    printer << mnemonic, printEncoding(printer, attribute);
  else
    (void)generatedAttributePrinter(attribute, printer);
}

// --- encodings: `<` [intervals] {keys} [, alignment = n] `>`

static ParseResult parseIntervals(AsmParser &parser, NamedAttrList &outside) {
  SmallVector<int32_t> intervals, paddings;
  auto pair = [&] {
    return failure(parser.parseInteger(intervals.emplace_back()) || parser.parseColon() || parser.parsePlus() ||
                   parser.parseInteger(paddings.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(pair) || parser.parseRSquare())
    return failure();
  outside.set("intervals", parser.getBuilder().getDenseI32ArrayAttr(intervals));
  outside.set("paddings", parser.getBuilder().getDenseI32ArrayAttr(paddings));
  return success();
}

static ParseResult parseAlignment(AsmParser &parser, NamedAttrList &outside) {
  int32_t alignment;
  if (parser.parseKeyword("alignment") || parser.parseEqual() || parser.parseInteger(alignment))
    return failure();
  outside.set("alignment", parser.getBuilder().getI32IntegerAttr(alignment));
  return success();
}

static Attribute parseEncoding(AsmParser &parser, StringRef mnemonic) {
  SMLoc where = parser.getCurrentLocation();
  NamedAttrList outside;
  DictionaryAttr inside;
  if (parser.parseLess() || (succeeded(parser.parseOptionalLSquare()) && parseIntervals(parser, outside)) ||
      parser.parseAttribute(inside) || (succeeded(parser.parseOptionalComma()) && parseAlignment(parser, outside)) ||
      parser.parseGreater())
    return {};
  auto emit = [&] { return parser.emitError(where); };
  function_ref<InFlightDiagnostic()> sink = emit;
  return unwrap(nereid_ttg_encoding_parse({&sink}, wrap(mnemonic), wrap(inside),
                                          wrap(outside.getDictionary(parser.getContext()))));
}

#define NEREID_ENCODING(Class)                                                                                         \
  Attribute Class::parse(AsmParser &parser, Type) { return parseEncoding(parser, getMnemonic()); }                     \
  void Class::print(AsmPrinter &printer) const { printEncoding(printer, *this); }
NEREID_ENCODING(BlockedEncodingAttr)
NEREID_ENCODING(LinearEncodingAttr)
NEREID_ENCODING(GenericLinearEncodingAttr)
NEREID_ENCODING(SliceEncodingAttr)
NEREID_ENCODING(DotOperandEncodingAttr)
NEREID_ENCODING(NvidiaMmaEncodingAttr)
NEREID_ENCODING(SwizzledSharedEncodingAttr)
NEREID_ENCODING(NvmmaSharedEncodingAttr)
NEREID_ENCODING(PaddedSharedEncodingAttr)
NEREID_ENCODING(SharedLinearEncodingAttr)

// --- !ttg.memdesc<3x64xf16, #encoding, #space[, mutable][, 4x64]>

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> dims, allocDims;
  Type elementType;
  Attribute encoding, memorySpace;
  bool isMutable = false;
  if (parser.parseLess() || parser.parseDimensionList(dims, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(encoding) || parser.parseComma() ||
      parser.parseAttribute(memorySpace))
    return {};
  bool more = succeeded(parser.parseOptionalComma());
  if (more && succeeded(parser.parseOptionalKeyword("mutable"))) {
    isMutable = true;
    more = succeeded(parser.parseOptionalComma());
  }
  if ((more && parser.parseDimensionList(allocDims, /*allowDynamic=*/false, /*withTrailingX=*/false)) ||
      parser.parseGreater())
    return {};
  Builder &builder = parser.getBuilder();
  return parser.getChecked<MemDescType>(parser.getContext(), builder.getDenseI64ArrayAttr(dims), elementType, encoding,
                                        memorySpace, isMutable, builder.getDenseI64ArrayAttr(more ? allocDims : dims));
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t dim : getShape())
    printer << dim << 'x';
  printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocDims() != getDims()) {
    printer << ", ";
    llvm::interleave(getAllocDims().asArrayRef(), printer, "x");
  }
  printer << '>';
}

MemDescType MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  auto dims = shape ? DenseI64ArrayAttr::get(getContext(), *shape) : getDims();
  return get(getContext(), dims, elementType, getEncoding(), getMemorySpace(), getMutableMemory(), getAllocDims());
}

// --- ttg.warp_specialize

void WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getDefaultRegion());
  else
    successors.emplace_back(getOperation(), getResults());
}

static ParseResult parsePartition(OpAsmParser &parser, OperationState &partitions, int32_t &numWarps) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
                 parser.parseKeyword("num_warps") || parser.parseLParen() || parser.parseInteger(numWarps) ||
                 parser.parseRParen() || parser.parseRegion(*partitions.addRegion(), arguments));
}

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SMLoc where = parser.getCurrentLocation();
  OperationState partitions(parser.getEncodedSourceLoc(where), WarpSpecializePartitionsOp::getOperationName());
  SmallVector<int32_t> numWarps;
  FunctionType types;
  if (parser.parseOperandList(captures, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("default") ||
      parser.parseRegion(*result.addRegion()))
    return failure();
  while (succeeded(parser.parseOptionalKeyword(("partition" + Twine(numWarps.size())).str())))
    if (parsePartition(parser, partitions, numWarps.emplace_back()))
      return failure();
  if (parser.parseColonType(types) || parser.resolveOperands(captures, types.getInputs(), where, result.operands))
    return failure();
  result.addTypes(types.getResults());
  result.addAttribute(getPartitionNumWarpsAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(numWarps));
  result.addRegion()->emplaceBlock().push_back(Operation::create(partitions));
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer << '(' << getOperands() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getPartitionNumWarpsAttrName()});
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  auto partitions = (*this)->getRegion(1).front().front().getRegions();
  for (auto [i, region, numWarps] : llvm::enumerate(partitions, getPartitionNumWarps())) {
    printer.printNewline();
    printer << "partition" << i << '(';
    llvm::interleaveComma(region.getArguments(), printer, [&](BlockArgument a) { printer.printRegionArgument(a); });
    printer << ") num_warps(" << numWarps << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(*this);
}

// --- dialects that are rejected by name

static ParseResult refuseOperation(OpAsmParser &parser, OperationState &state) {
  refuse(parser, state.name.getStringRef());
  return failure();
}

template <const char *dialectName> struct RefusedDialect : Dialect {
  static StringRef getDialectNamespace() { return dialectName; }
  explicit RefusedDialect(MLIRContext *context) : Dialect(dialectName, context, TypeID::get<RefusedDialect>()) {}
  Attribute parseAttribute(DialectAsmParser &parser, Type) const final {
    return refuse(parser, "#" + getNamespace() + "." + parser.getFullSymbolSpec()), Attribute();
  }
  Type parseType(DialectAsmParser &parser) const final {
    return refuse(parser, "!" + getNamespace() + "." + parser.getFullSymbolSpec()), Type();
  }
  std::optional<ParseOpHook> getParseOperationHook(StringRef) const final { return ParseOpHook(refuseOperation); }
};

static constexpr char nvws[] = "nvws", gluon[] = "gluon", amdg[] = "amdg", proton[] = "proton";

void registerRefusedDialects(DialectRegistry &registry) {
  registry.insert<RefusedDialect<nvws>, RefusedDialect<gluon>, RefusedDialect<amdg>, RefusedDialect<proton>>();
}
} // namespace nereid::ttg
