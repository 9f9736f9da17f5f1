// Types of the ttng dialect.
#ifndef NEREID_TTNG_TYPES
#define NEREID_TTNG_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "dialects/ttng/ttng_dialect.td"

def TTNG_TensorDescIm2ColType : TypeDef<TTNG_Dialect, "TensorDescIm2Col"> {
  let mnemonic = "tensordesc_im2col";
  let summary = "descriptor of images whose pixels TMA copies as rows of a matrix";
  let description = [{
    `!ttng.tensordesc_im2col<256x64xf16, #shared>`: a tensor map in im2col mode (PTX ISA, "Im2col mode") of a tensor of
    3 to 5 dimensions, images first and channels last. A block has a row of channels for each pixel. The tensor map has
    the corners of the box of pixels and their strides; the host encodes it. Triton 3.7 and later print this type.
  }];
  let parameters = (ins "Type":$blockType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTNG_AnyTensorDescType : AnyTypeOf<[TT_TensorDescType, TTNG_TensorDescIm2ColType], "tensor descriptor">;

#endif
