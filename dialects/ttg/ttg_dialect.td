// The ttg dialect itself. ttg_types.td and ttg_attrs.td build on it and may be included by other dialects; operations
// are in ttg_ops_<family>.td, and ttg.td is the whole.
#ifndef NEREID_TTG_DIALECT
#define NEREID_TTG_DIALECT

include "mlir/IR/OpBase.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::nereid::ttg";
  let summary = "Tensors spread over threads, shared memory and warp groups";
  let description = [{
    The same programs as in `tt`, after it was decided which thread of which warp of which CTA holds which elements:
    the encoding of a tensor type says so. Buffers in shared memory are values of type `!ttg.memdesc`, whose encoding
    says at which offset an element lies. Warps, threads per warp and CTAs of a cluster are attributes of the module
    (`ttg.num-warps`, `ttg.threads-per-warp`, `ttg.num-ctas`). The text and the generic form are those of Triton 3.6.
  }];
  let dependentDialects = ["::nereid::tt::TTDialect", "::mlir::gpu::GPUDialect"];
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  // Attributes of other vendors are refused by name, so the attribute parser is in seam/ttg.cpp.
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

#endif
