// Operations that combine elements: dots, reductions, scans, histograms, gathers.
#ifndef NEREID_TT_OPS_REDUCE
#define NEREID_TT_OPS_REDUCE

include "dialects/tt/tt_op.td"
include "dialects/tt/tt_ops_memory.td"

def TT_DotOp : TT_Op<"dot",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
     TypesMatchWith<"result's type matches accumulator's type", "d", "c", "$_self">]> {
  let summary = "multiply matrices and accumulate: d = a x b + c";
  let description = [{
    Operands are matrices, or batches of matrices in a first dimension. `inputPrecision` specifies the rounding of f32
    operands: `ieee` none, `tf32` to tf32, `tf32x3`, `bf16x3` and `bf16x6` as a sum of several products of narrower
    parts. `maxNumImpreciseAcc` is the number of products of 8-bit floats that may be summed in the tensor core's own
    accumulator.
  }];
  let arguments = (ins TT_FpIntTensor:$a, TT_FpIntTensor:$b, TT_FpIntTensor:$c, TT_PrecisionAttr:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a`,` $b`,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

// An operand of a block-scaled dot: floats, or bytes that hold formats without an MLIR type.
def TT_ScaledTensor : RankedTensorOf<[TT_Float, I8]>;

def TT_DotScaledOp : TT_Op<"dot_scaled",
    [Pure, AttrSizedOperandSegments,
     TypesMatchWith<"result's type matches accumulator's type", "d", "c", "$_self">]> {
  let summary = "multiply matrices of block-scaled operands and accumulate";
  let description = [{
    Groups of 32 elements along K (16 when the scales are e4m3) share a scale. Elements of 4-bit formats are packed in
    pairs into bytes, along K, or along the other dimension when `lhs_k_pack` or `rhs_k_pack` is false.
  }];
  let arguments = (ins TT_ScaledTensor:$a, TT_ScaledTensor:$b, TT_FloatTensor:$c, Optional<TT_ScaledTensor>:$a_scale,
                       Optional<TT_ScaledTensor>:$b_scale, TT_ScaleDotElemTypeAttr:$a_elem_type,
                       TT_ScaleDotElemTypeAttr:$b_elem_type, BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_ReduceOp : TT_Op<"reduce",
    [Pure, SameOperandsShape, TT_SameOperandsEncoding, SingleBlock, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "combine all elements along a dimension";
  let description = [{
    The region combines two tuples of scalars, with one element of every operand each, into one. It must be associative
    and is applied in any order. Reducing a vector returns scalars.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Type>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [HasParent<"ReduceOp">, Pure, Terminator, ReturnLike]> {
  let summary = "terminate a tt.reduce region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan",
    [Pure, TT_SameOperandsAndResultEncoding, SameOperandsAndResultShape, SingleBlock,
     DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "combine all prefixes along a dimension (inclusive scan)";
  let description = [{
    Like `tt.reduce`, but returns every intermediate result; from the last element to the first with `reverse`.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [HasParent<"ScanOp">, Pure, Terminator, ReturnLike]> {
  let summary = "terminate a tt.scan region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_HistogramOp : TT_Op<"histogram", [Pure, TT_MaskOf<"src", "mask">]> {
  let summary = "count the occurrences of each integer in 0 .. N-1";
  let description = [{
    The result has N bins. Elements whose mask is false are not counted.
  }];
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolLike>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TT_GatherOp : TT_Op<"gather", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "select elements along one dimension by index";
  let description = [{
    `result[.., i, ..] = src[.., indices[.., i, ..], ..]` along `axis`. The other dimensions of `src` and `indices`
    agree. Indices below 32 bits are unsigned. `efficient_layout` marks encodings that a pass optimized.
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
