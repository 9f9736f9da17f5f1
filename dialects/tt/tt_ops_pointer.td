// Pointers and conversions between element types.
#ifndef NEREID_TT_OPS_POINTER
#define NEREID_TT_OPS_POINTER

include "dialects/tt/tt_op.td"

def TT_IntToPtrOp : TT_ElementwiseOp<"int_to_ptr"> {
  let summary = "convert a 64-bit address to a pointer";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_PtrToIntOp : TT_ElementwiseOp<"ptr_to_int"> {
  let summary = "convert a pointer to a 64-bit address";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_BitcastOp : TT_ElementwiseOp<"bitcast"> {
  let summary = "reinterpret the bits as another type of the same width";
  let description = [{
    Like `arith.bitcast`, but also changes the pointee type of pointers; a pointer keeps its address space.
  }];
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TT_FpToFpOp : TT_ElementwiseOp<"fp_to_fp"> {
  let summary = "convert between float types, 8-bit ones included, with a chosen rounding";
  let description = [{
    A conversion to fewer bits requires a rounding mode: `rtne`, to nearest with ties to even, or `rtz`, toward zero.
  }];
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_AddPtrOp : TT_ElementwiseOp<"addptr", [AllTypesMatch<["ptr", "result"]>]> {
  let summary = "advance pointers by signed element offsets";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "move the block that a block pointer points to";
  let description = [{
    Adds one signed element offset per dimension to the block pointer's offsets.
  }];
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr",
    [Pure, SameVariadicOperandSize,
     TypesMatchWith<"base points to the block's element type", "result", "base",
                    "::nereid::tt::blockBasePointer($_self)">]> {
  let summary = "create a pointer to a block of a strided tensor";
  let description = [{
    The parent tensor starts at `base` and has a shape and strides in elements; the block of the result type begins at
    `offsets`. `order` lists the dimensions, beginning with the one that is contiguous in memory.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
