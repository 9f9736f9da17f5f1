// Buffers: allocation, views, loads and stores of shared memory, scratch in global memory, the CTA's barrier.
#ifndef NEREID_TTG_OPS_MEMORY
#define NEREID_TTG_OPS_MEMORY

include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialects/ttg/ttg_base.td"

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate a buffer in shared memory";
  let description = [{
    The buffer is initialized with `src` if there is one; without it the buffer must be mutable. It is live until its
    `ttg.local_dealloc`, or, without one, until the last use of it or of a view of it. An immutable buffer without an
    offset (`allocation.offset`) has no effects, so equal buffers are merged and unused ones removed, unless dots in
    flight read them.
  }];
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let summary = "deallocate a buffer";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemFree<TTG_SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_MemDescIndexOp : TTG_Op<"memdesc_index", [Pure]> {
  let summary = "create a view of element `index` along dimension 0";
  let arguments = (ins TTG_MemDescType:$src, I32:$index);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescSubsliceOp : TTG_Op<"memdesc_subslice", [Pure]> {
  let summary = "create a view of a box of the buffer";
  let description = [{
    The box begins at `offsets` and has the result's shape. In each dimension that is smaller than the operand's, the
    offset is a multiple of the box's size, and the box must not divide a swizzle pattern.

    `%1 = ttg.memdesc_subslice %0[0, 16] : !ttg.memdesc<16x32xf16, ...> -> !ttg.memdesc<16x16xf16, ..., 16x32>`
  }];
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src `[` custom<Offsets>($offsets) `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTG_MemDescTransOp : TTG_Op<"memdesc_trans", [Pure, SameOperandsAndResultElementType,
    DeclareOpInterfaceMethods<InferTypeOpInterface, ["isCompatibleReturnTypes"]>]> {
  let summary = "create a view with permuted dimensions";
  let description = "Dimension i of the result is dimension `order[i]` of the operand.";
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  // The interface declares only methods without a body of its own.
  let extraClassDeclaration = "static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r);";
  let hasFolder = 1;
}

def TTG_MemDescReshapeOp : TTG_Op<"memdesc_reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "create a view with another shape, elements in the same row-major order";
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescReinterpretOp : TTG_Op<"memdesc_reinterpret", [Pure]> {
  let summary = "create a view of the same bytes with another shape, element type or encoding";
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasFolder = 1;
}

def TTG_LocalLoadOp : TTG_Op<"local_load"> {
  let summary = "load a tensor from a buffer";
  let description = "With `token`, the load is ordered after the asynchronous copies of the token.";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>]>:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store"> {
  let summary = "store a tensor to a mutable buffer";
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def TTG_LocalGatherOp : TTG_Op<"local_gather"> {
  let summary = "load elements of a buffer at indices along one dimension";
  let description = [{
    The element of the result at I is the buffer's element at I with coordinate `axis` replaced by the index at I. The
    other dimensions of the indices are not larger than the buffer's. Indices narrower than 32 bits are unsigned, of
    wider ones the lower 32 bits are used. An index outside of the buffer is an error in the program: the load then
    reads another element of the same buffer. With `token`, the load is ordered after the asynchronous copies of the
    token. Of Triton 3.7.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>]>:$src, TT_IntTensor:$indices,
                       I32Attr:$axis, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` (`token` $token^)? attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalScatterOp : TTG_Op<"local_scatter"> {
  let summary = "store elements to a mutable buffer at indices along one dimension";
  let description = [{
    The value at I is stored to the buffer's element at I with coordinate `axis` replaced by the index at I; indices are
    those of `ttg.local_gather`. Of different values for one element, any may remain. Of Triton 3.7.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$dst, TT_Tensor:$values,
                       TT_IntTensor:$indices, I32Attr:$axis, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict `:` qualified(type($dst)) `,` type($indices) `,`
    type($values)
  }];
  let hasVerifier = 1;
}

def TTG_LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw", [
    OptionalTypesMatchWith<"mask is i1 of the shape and encoding of values", "values", "mask",
                           "::nereid::tt::i1Like($_self)">,
    AllTypesMatch<["values", "result"]>]> {
  let summary = "atomically replace elements of a buffer at indices along one dimension";
  let description = [{
    `ttg.local_scatter` with the functions of `tt.atomic_rmw`, for the threads of the CTA and without an order of other
    accesses. Returns the previous elements. Where `mask` is false the buffer is not accessed and the result is
    undefined. Of Triton 3.9.
  }];
  let arguments = (ins TT_AtomicRMWAttr:$atomic_rmw_op,
                       Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$dst,
                       TT_Tensor:$values, TT_IntTensor:$indices, Optional<TT_BoolTensor>:$mask, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc"> {
  let summary = "allocate bytes of global memory for this program instance";
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs Res<TT_Ptr, "", [MemAlloc<TT_GlobalMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_LocalBarrierOp : TTG_Op<"local_barrier"> {
  let summary = "synchronize threads and order their accesses to shared memory";
  let description = [{
    Synchronizes the threads of the partition inside of a `ttg.warp_specialize`, elsewhere those of the CTA (of the
    default warps, when the CTA is warp-specialized). It does not order global memory. With `warp` only the threads
    within each warp are synchronized.
  }];
  let arguments = (ins UnitAttr:$warp);
  let assemblyFormat = "(`warp` $warp^)? attr-dict";
}

def TTG_BarrierOp : TTG_Op<"barrier"> {
  let summary = "synchronize threads and order their accesses to the listed kinds of memory";
  let description = [{
    The barrier of Triton 3.7 and later: `ttg.barrier local` is `ttg.local_barrier` of 3.6, `ttg.barrier all` is
    `gpu.barrier`. The threads are those of `ttg.local_barrier`. Every form is compiled to a barrier that orders shared
    and global memory of the CTA. Tensor memory, a feature of later hardware, is ignored.
  }];
  let arguments = (ins TT_AddressSpacesAttr:$addrSpace);
  let assemblyFormat = "custom<AddressSpaces>($addrSpace) attr-dict";
}

#endif
