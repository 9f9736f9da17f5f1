// The ttg dialect record. ttg_types.td and ttg_attrs.td include it and may be included by other dialects; operations
// are in ttg_ops_<family>.td, and ttg.td includes all files.
#ifndef NEREID_TTG_DIALECT
#define NEREID_TTG_DIALECT

include "mlir/IR/OpBase.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::nereid::ttg";
  let summary = "Tensors distributed over threads, shared memory and warp groups";
  let description = [{
    The programs of `tt` with an encoding on each tensor type, which assigns the elements to threads, warps and CTAs.
    Buffers in shared memory are values of type `!ttg.memdesc`, whose encoding assigns an offset to each element. Warps,
    threads per warp and CTAs of a cluster are attributes of the module (`ttg.num-warps`, `ttg.threads-per-warp`,
    `ttg.num-ctas`). The text and the generic form are those of Triton 3.6.
  }];
  let dependentDialects = ["::nereid::tt::TTDialect", "::mlir::gpu::GPUDialect"];
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  // Attributes of other vendors are rejected by name, so the attribute parser is in seam/ttg.cpp.
  let extraClassDeclaration = [{
    void addOwnInterfaces();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

#endif
