// Attribute constraints with the defaults that several operations share, in ttg and ttng too. The tt dialect has no
// attribute classes besides its enums.
#ifndef NEREID_TT_ATTRS
#define NEREID_TT_ATTRS

include "mlir/IR/CommonAttrConstraints.td"
include "dialects/tt/tt_dialect.td"
include "dialects/tt/tt_enums.td"

def TT_CacheAttr : DefaultValuedAttr<TT_CacheModifierAttr, "::nereid::tt::CacheModifier::NONE">;
def TT_EvictAttr : DefaultValuedAttr<TT_EvictionPolicyAttr, "::nereid::tt::EvictionPolicy::NORMAL">;
def TT_PrecisionAttr : DefaultValuedAttr<TT_InputPrecisionAttr, "::nereid::tt::InputPrecision::IEEE">;
// Dimensions of a block pointer's access that are checked against the parent tensor's shape.
def TT_BoundaryCheckAttr : DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">;

#endif
