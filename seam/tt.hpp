// C++ of the tt dialect: the classes that TableGen writes, the traits they use and the type transformers that the
// declarations call. Verification and everything else that decides about a program is C (dialects/tt).
#ifndef NEREID_SEAM_TT_HPP
#define NEREID_SEAM_TT_HPP

#include "dialects/tt/tt_hooks.h"
#include "seam/dialect_interfaces.hpp"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <atomic>

namespace nereid::tt {
using ::mlir::Attribute;
using ::mlir::Type;

// A trait whose verification is the C function `verify`.
template <MlirLogicalResult (*verify)(MlirOperation)> struct VerifiedBy {
  template <typename Op, template <typename> class Trait> struct Base : ::mlir::OpTrait::TraitBase<Op, Trait> {
    static ::llvm::LogicalResult verifyTrait(::mlir::Operation *op) { return unwrap(verify(wrap(op))); }
  };
};
template <typename Op> struct ValidTensors : VerifiedBy<nereid_tt_valid_tensors_verify>::Base<Op, ValidTensors> {};
template <typename Op>
struct SameOperandsEncoding : VerifiedBy<nereid_tt_same_operands_encoding_verify>::Base<Op, SameOperandsEncoding> {};
template <typename Op>
struct SameOperandsAndResultEncoding
    : VerifiedBy<nereid_tt_same_operands_and_result_encoding_verify>::Base<Op, SameOperandsAndResultEncoding> {};
template <typename Op>
struct SameLoadStoreShape : VerifiedBy<nereid_tt_same_load_store_shape_verify>::Base<Op, SameLoadStoreShape> {};
template <typename Op> struct AsyncRegions : ::mlir::OpTrait::TraitBase<Op, AsyncRegions> {};

// Type transformers of TypesMatchWith. Each keeps a tensor's shape and encoding and changes the element.
::mlir::Type i1Like(::mlir::Type type);
::mlir::Type pointeeLike(::mlir::Type type);      // of a pointer, a tensor of pointers, a block pointer; else the type
::mlir::Type pointerLike(::mlir::Type type);      // pointer into global memory
::mlir::Type blockBasePointer(::mlir::Type type); // block pointer -> pointer to its element
} // namespace nereid::tt

#include "dialects/tt/dialect.h.inc"
#include "dialects/tt/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tt/attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tt/types.h.inc"
#define GET_OP_CLASSES
#include "dialects/tt/ops.h.inc"

namespace nereid::tt {
// The text of an access's attributes, cache modifier and eviction policy among them, in both spellings.
::mlir::ParseResult parseAccess(::mlir::OpAsmParser &parser, ::llvm::StringRef op, CacheModifierAttr &cache,
                                EvictionPolicyAttr &evict, ::mlir::NamedAttrList &attributes);
void printAccess(::mlir::OpAsmPrinter &printer, CacheModifierAttr cache, EvictionPolicyAttr evict,
                 ::mlir::DictionaryAttr attributes);
// The text of a block in descriptors of Triton 3.8 and later: 64x32xf16, #shared. Null after an error.
::mlir::Type parseBlock(::mlir::AsmParser &parser);
void printBlock(::mlir::AsmPrinter &printer, ::mlir::RankedTensorType block);
} // namespace nereid::tt

// The directive custom<Name>($cache, $evict, attr-dict) of operation `op`.
#define NEREID_ACCESS_ATTRIBUTES(Name, op)                                                                             \
  static ::mlir::ParseResult parse##Name(::mlir::OpAsmParser &parser, ::nereid::tt::CacheModifierAttr &cache,          \
                                         ::nereid::tt::EvictionPolicyAttr &evict, ::mlir::NamedAttrList &attributes) { \
    return ::nereid::tt::parseAccess(parser, op, cache, evict, attributes);                                            \
  }                                                                                                                    \
  static void print##Name(::mlir::OpAsmPrinter &printer, ::mlir::Operation *, ::nereid::tt::CacheModifierAttr cache,   \
                          ::nereid::tt::EvictionPolicyAttr evict, ::mlir::DictionaryAttr attributes) {                 \
    ::nereid::tt::printAccess(printer, cache, evict, attributes);                                                      \
  }

#endif
