// Attribute constraints with the defaults that several operations share, in ttg and ttng too, and the attribute that
// Triton 3.9 prints for two of them.
#ifndef NEREID_TT_ATTRS
#define NEREID_TT_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "dialects/tt/tt_dialect.td"
include "dialects/tt/tt_enums.td"

def TT_CacheAttr : DefaultValuedAttr<TT_CacheModifierAttr, "::nereid::tt::CacheModifier::NONE">;
def TT_EvictAttr : DefaultValuedAttr<TT_EvictionPolicyAttr, "::nereid::tt::EvictionPolicy::NORMAL">;
def TT_PrecisionAttr : DefaultValuedAttr<TT_InputPrecisionAttr, "::nereid::tt::InputPrecision::IEEE">;
// Dimensions of a block pointer's access that are checked against the parent tensor's shape.
def TT_BoundaryCheckAttr : DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">;

def TT_CachePolicyAttr : AttrDef<TT_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "cache modifier and eviction policy of a memory access, as Triton 3.9 prints them";
  let description = [{
    `{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>}` on a load or store is text
    only: it is parsed into the attributes `cache` and `evict`, and printed for them in the spelling of Triton 3.9.
  }];
  let parameters = (ins EnumParameter<TT_CacheModifierAttr>:$cache_modifier,
                        EnumParameter<TT_EvictionPolicyAttr>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
