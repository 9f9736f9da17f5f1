// A dialect with one of each kind of record that ods-bindgen distinguishes.
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cup_Dialect : Dialect {
  let name = "cup";
  let cppNamespace = "::test::cup";
  let summary = "Cups of tea";
  let description = [{
    A cup holds tea.

    - indented `code`
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

def Cup_Kind : I32EnumAttr<"TeaKind", "kind of tea", [
  I32EnumAttrCase<"Green", 1, "green">, I32EnumAttrCase<"EarlGREY", 4, "earl_grey">
]> {
  let cppNamespace = "::test::cup";
}
def Cup_Flags : I32BitEnumAttr<"Extras", "what else is in the cup", [
  I32BitEnumAttrCaseNone<"none">, I32BitEnumAttrCaseBit<"milk", 0>, I32BitEnumAttrCaseBit<"sugar", 1>
]> {
  let cppNamespace = "::test::cup";
  let genSpecializedAttr = 0;
}
def Cup_ExtrasAttr : EnumAttr<Cup_Dialect, Cup_Flags, "extras">;

def Cup_Leaf : TypeDef<Cup_Dialect, "Leaf"> {
  let mnemonic = "leaf.dry";
  let summary = "dried leaves";
  let parameters = (ins "Type":$element, DefaultValuedParameter<"int", "1">:$harvestYear);
}
def Cup_Blend : AttrDef<Cup_Dialect, "Blend"> {
  let mnemonic = "blend";
  let genVerifyDecl = 1;
  let parameters = (ins "DenseI32ArrayAttr":$parts, OptionalParameter<"ArrayAttr">:$names, "bool":$register,
                        EnumParameter<Cup_Kind>:$kind, "Attribute":$whole);
}

class Cup_Op<string mnemonic, list<Trait> traits = []> : Op<Cup_Dialect, mnemonic, traits>;

def Cup_PourOp : Cup_Op<"pour.tea", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<InferTypeOpInterface, ["isCompatibleReturnTypes"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "pour tea from a pot into */ cups";
  let description = [{
    The pot is not empty afterwards.
  }];
  let arguments = (ins AnyType:$pot, Optional<AnyType>:$lid, Variadic<AnyType>:$cups, I32:$default,
                       Cup_Kind:$kind, DefaultValuedAttr<I64Attr, "3">:$spoonCount, OptionalAttr<StrAttr>:$label,
                       DefaultValuedAttr<Cup_ExtrasAttr, "::test::cup::Extras::none">:$extras, UnitAttr:$hot,
                       DenseI32ArrayAttr:$order, FlatSymbolRefAttr:$guest, ArrayAttr:$plates, Cup_Blend:$blend);
  let results = (outs AnyType:$tea);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = "static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r);";
}

def Cup_StirOp : Cup_Op<"stir", [SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$tea);
  let results = (outs AnyType:$result);
}

def Cup_DrinkOp : Cup_Op<"drink", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$sips, AnyType:$spoon, Variadic<AnyType>:$bites);
  let results = (outs Variadic<AnyType>:$dreams);
  let regions = (region AnyRegion:$before, VariadicRegion<AnyRegion>:$after);
  let successors = (successor AnySuccessor:$dest, VariadicSuccessor<AnySuccessor>:$others);
  let hasFolder = 1;
}
