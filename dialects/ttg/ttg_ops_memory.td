// Buffers: allocation, views, loads and stores of shared memory, scratch in global memory, the CTA's barrier.
#ifndef NEREID_TTG_OPS_MEMORY
#define NEREID_TTG_OPS_MEMORY

include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialects/ttg/ttg_base.td"

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer in shared memory";
  let description = [{
    Written with `src` at once if there is one; without it the buffer must be mutable. The buffer lives until its
    `ttg.local_dealloc`, or, without one, until the last use of it or of a view of it. An immutable buffer that has no
    address yet (`allocation.offset`) has no effects, so equal ones are one and unused ones go away.
  }];
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let summary = "ends the life of a buffer";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemFree<TTG_SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_MemDescIndexOp : TTG_Op<"memdesc_index", [Pure]> {
  let summary = "view of element `index` along dimension 0";
  let arguments = (ins TTG_MemDescType:$src, I32:$index);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescSubsliceOp : TTG_Op<"memdesc_subslice", [Pure]> {
  let summary = "view of a box of the buffer";
  let description = [{
    The box begins at `offsets` and has the result's shape; offsets are multiples of the box's size in each dimension
    that is cut, and the cut must not divide a swizzle pattern.

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
  let summary = "view with permuted dimensions";
  let description = "Dimension i of the result is dimension `order[i]` of the operand.";
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  // The interface declares only methods without a body of its own.
  let extraClassDeclaration = "static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r);";
  let hasFolder = 1;
}

def TTG_MemDescReshapeOp : TTG_Op<"memdesc_reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "view with another shape, elements in the same row-major order";
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescReinterpretOp : TTG_Op<"memdesc_reinterpret", [Pure]> {
  let summary = "view of the same bytes with another shape, element type or encoding";
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasFolder = 1;
}

def TTG_LocalLoadOp : TTG_Op<"local_load"> {
  let summary = "the tensor that a buffer holds";
  let description = "With `token`, the load comes after the asynchronous copies that the token stands for.";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>]>:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store"> {
  let summary = "writes a tensor to a mutable buffer";
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc"> {
  let summary = "bytes of global memory that belong to this program instance";
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs Res<TT_Ptr, "", [MemAlloc<TT_GlobalMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_LocalBarrierOp : TTG_Op<"local_barrier"> {
  let summary = "all threads arrive before one goes on; shared memory written before is seen after";
  let description = [{
    Inside a partition of `ttg.warp_specialize` the threads of the partition, elsewhere those of the CTA (of the default
    warps, when the CTA is specialised). It says nothing about global memory. With `warp` the threads of each warp wait
    for each other only.
  }];
  let arguments = (ins UnitAttr:$warp);
  let assemblyFormat = "(`warp` $warp^)? attr-dict";
}

def TTG_BarrierOp : TTG_Op<"barrier"> {
  let summary = "all threads arrive before one continues; memory of the listed kinds is ordered";
  let description = [{
    The barrier of Triton 3.7 and later: `ttg.barrier local` is `ttg.local_barrier` of 3.6, `ttg.barrier all` is
    `gpu.barrier`. The threads are those of `ttg.local_barrier`. Every form is compiled to a barrier that orders shared
    and global memory of the CTA. Tensor memory, which later hardware has, is empty here.
  }];
  let arguments = (ins TT_AddressSpacesAttr:$addrSpace);
  let assemblyFormat = "custom<AddressSpaces>($addrSpace) attr-dict";
}

#endif
