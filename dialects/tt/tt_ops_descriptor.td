// Accesses to blocks of tensors in global memory through descriptors (TMA descriptors on hardware with TMA).
#ifndef NEREID_TT_OPS_DESCRIPTOR
#define NEREID_TT_OPS_DESCRIPTOR

include "dialects/tt/tt_op.td"

def TT_DescriptorRead : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>]>;
def TT_DescriptorWrite : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>;

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "create a descriptor of a strided tensor and of the blocks by which it is accessed";
  let description = [{
    `padding` is the value that a load returns outside of the tensor: 1 zero, 2 NaN.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOptionAttr, "::nereid::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load"> {
  let summary = "load the block that begins at the indices";
  let description = [{
    The result has the block's type, optionally without leading dimensions of size 1.
  }];
  let arguments = (ins TT_DescriptorRead:$desc, Variadic<I32>:$indices, TT_CacheAttr:$cache, TT_EvictAttr:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` `` custom<DescriptorLoadAttributes>($cache, $evict, attr-dict)
    `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store"> {
  let summary = "store a block, without elements outside of the tensor";
  let arguments = (ins TT_DescriptorWrite:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce"> {
  let summary = "combine a block with the values in memory, element by element";
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind, TT_DescriptorWrite:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather"> {
  let summary = "load the rows given by a vector of indices";
  let description = [{
    The descriptor's block is one row; row `i` of the result starts at column `y_offset` of row `x_offsets[i]`.
  }];
  let arguments = (ins TT_DescriptorRead:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter"> {
  let summary = "store the rows of a block to the rows given by a vector of indices";
  let arguments = (ins TT_DescriptorWrite:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

#endif
