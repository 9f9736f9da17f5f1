// Values in registers: moving elements between threads, unpacking fp4.
#ifndef NEREID_TTG_OPS_LAYOUT
#define NEREID_TTG_OPS_LAYOUT

include "dialects/ttg/ttg_base.td"

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure, SameOperandsAndResultShape,
                                                    SameOperandsAndResultElementType]> {
  let summary = "convert a tensor to another encoding";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure]> {
  let summary = "unpack pairs of fp4 (e2m1) to f16 or bf16";
  let description = [{
    Each i8 holds two adjacent elements along `axis`, the first in its low four bits. Dimension `axis` of the result is
    twice as long as that of the operand.
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$src, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif
