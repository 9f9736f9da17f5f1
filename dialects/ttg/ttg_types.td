// Types of the ttg dialect: buffers in shared memory and tokens of asynchronous copies.
#ifndef NEREID_TTG_TYPES
#define NEREID_TTG_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "dialects/ttg/ttg_dialect.td"

class TTG_TypeDef<string name, string keyword, list<Trait> traits = []> : TypeDef<TTG_Dialect, name, traits> {
  let mnemonic = keyword;
}

def TTG_AsyncToken : TTG_TypeDef<"AsyncToken", "async.token"> {
  let summary = "token of asynchronous copies";
}

def TTG_MemDescType : TTG_TypeDef<"MemDesc", "memdesc", [ShapedTypeInterface]> {
  let summary = "view of a buffer in shared memory";
  let description = [{
    `!ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>`: shape, element type, encoding, memory space. A buffer that is
    not `mutable` is written once, by its defining op. `allocDims` is the shape of the buffer of which this is a view;
    it is printed, last, when it differs from the shape.
  }];
  let parameters = (ins "DenseI64ArrayAttr":$dims, "Type":$elementType, "Attribute":$encoding,
                        "Attribute":$memorySpace, "bool":$mutableMemory,
                        "DenseI64ArrayAttr":$allocDims);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  // ShapedTypeInterface: the shape of a memdesc is static.
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<int64_t> getShape() const { return getDims().asArrayRef(); }
    bool hasRank() const { return true; }
    MemDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const;
  }];
}

#endif
