// Operations that create tensors and rearrange their elements.
#ifndef NEREID_TT_OPS_SHAPE
#define NEREID_TT_OPS_SHAPE

include "dialects/tt/tt_op.td"

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "create a tensor of the integers in [start, end)";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_SplatOp : TT_Op<"splat", [Pure, SameOperandsAndResultElementType, TT_SameOperandsAndResultEncoding]> {
  let summary = "create a tensor with a scalar in every element";
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "extract the element of a tensor with one element";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>, SameOperandsAndResultElementType]> {
  let summary = "insert a dimension of size 1";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "change the shape of a tensor";
  let description = [{
    Elements keep their row-major order, unless `allow_reorder` is set. `efficient_layout` marks a result encoding that
    a pass optimized and that should not be changed unnecessarily.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict `:` type($src) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast",
    [Pure, SameOperandsAndResultElementType]> {
  let summary = "repeat a tensor along its dimensions of size 1";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

// No memory effect, but not Pure: the compiler chooses the order of the elements, so two equal operations may differ.
def TT_CatOp : TT_Op<"cat", [NoMemoryEffect, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "concatenate two tensors, with elements in any order";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_JoinOp : TT_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "pair the elements of two tensors along a new last dimension";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_SplitOp : TT_Op<"split", [Pure, TT_InferUpToLayout, AllTypesMatch<["outLHS", "outRHS"]>]> {
  let summary = "split a tensor along its last dimension, of size 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
  // The interface declares only methods without a body of its own.
  let extraClassDeclaration = "static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r);";
}

def TT_TransOp : TT_Op<"trans", [Pure, TT_InferUpToLayout, SameOperandsAndResultElementType]> {
  let summary = "permute the dimensions of a tensor";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source. The result's encoding is the source's with its
    dimensions permuted in the same way, so every thread keeps its elements: only `ttg.convert_layout` moves data.
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  // The interface declares only methods without a body of its own.
  let extraClassDeclaration = "static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r);";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1; // dialects/ttg/canonicalize.c
}

#endif
