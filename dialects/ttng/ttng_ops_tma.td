// The tensor memory accelerator: copies of boxes between global and shared memory, and descriptors created on the
// device (PTX ISA: "cp.async.bulk.tensor", "tensormap.replace").
#ifndef NEREID_TTNG_OPS_TMA_TD
#define NEREID_TTNG_OPS_TMA_TD

include "dialects/ttng/ttng_types.td"

class TTNG_Descriptor<list<OpVariableDecorator> effects> : Arg<TT_TensorDescType, "tensor in global memory", effects>;

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local"> {
  let summary = "start a copy of a box from global to shared memory";
  let description = [{
    Copies the box at `coord`, outermost dimension first, of the tensor that `desc` describes to `result`; elements
    outside of the tensor read as the descriptor's padding. The bytes count towards the current phase of `barrier`, for
    which `ttng.barrier_expect` expects them.

    In a cluster each CTA copies its part of the box to its own buffer. With `multicast`, the first of the CTAs with the
    same part copies it to the buffers of all, at the same address, where the bytes count towards the mbarrier at the
    address of `barrier`. With `divided`, too, each of these CTAs copies some boxes of the tensor map to all; passes of
    Nereid emit this form, with waits of each CTA for the others.

    Through a `!ttng.tensordesc_im2col`, `coord` has a coordinate, i32, for each dimension of the tensor, images first
    and channels last, then an offset, i16, for each dimension of pixels. The text lists them apart:
    `%desc[%n, %h, %w, %c] offsets = [%r, %s]`. Row i of `result` is the i-th pixel from these coordinates on, in the
    order of memory within the box of pixels of each image, moved by the offsets.

    ```mlir
    ttng.async_tma_copy_global_to_local %desc[%i, %k] %buffer, %bar, %pred
      : !tt.tensordesc<tensor<128x64xf16, #shared>>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
        -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins
    Arg<TTNG_AnyTensorDescType, "tensor in global memory", [MemRead<TT_GlobalMemory>]>:$desc,
    Variadic<AnyTypeOf<[I32, I16]>>:$coord,
    TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$barrier,
    Arg<TTG_MemDescType, "destination of the box", [MemWrite<TTG_SharedMemory>]>:$result,
    I1:$pred,
    TT_CacheAttr:$cache,
    TT_EvictAttr:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
    UnitAttr:$multicast,
    UnitAttr:$divided
  );
  let assemblyFormat = [{
    $desc `` custom<Coordinates>($coord, type($coord)) $result `,` $barrier `,` $pred
    `` custom<TMACopyAttributes>($cache, $evict, attr-dict)
    `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTNG_AsyncTMACopyLocalToGlobalOp : TTNG_Op<"async_tma_copy_local_to_global"> {
  let summary = "start a copy of a buffer to a box of a tensor in global memory";
  let description = [{
    Elements outside of the tensor are not stored. `src` must be visible to the async proxy (`ttng.fence_async_shared`)
    and may be overwritten after a `ttng.async_tma_store_wait`.
  }];
  let arguments = (ins
    TTNG_Descriptor<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$desc,
    Variadic<I32>:$coord,
    Arg<TTG_MemDescType, "buffer to store", [MemRead<TTG_SharedMemory>]>:$src
  );
  let assemblyFormat = [{
    $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAReduceOp : TTNG_Op<"async_tma_reduce", [
  MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>
]> {
  let summary = "start an atomic reduction of a buffer into a box of a tensor in global memory";
  let description = [{
    Each element is combined by `kind` in a separate relaxed atomic operation.
  }];
  let arguments = (ins
    TT_DescriptorReduceKindAttr:$kind,
    TTNG_Descriptor<[MemRead<TT_GlobalMemory>]>:$desc,
    Variadic<I32>:$coord,
    Arg<TTG_MemDescType, "buffer to reduce", [MemRead<TTG_SharedMemory>]>:$src
  );
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAGatherOp : TTNG_Op<"async_tma_gather"> {
  let summary = "start a copy of rows given by indices from global to shared memory";
  let description = [{
    Row i of `result` is row `x_offsets[i]` of the matrix, from column `y_offset` on. The hardware of sm_80 and sm_90
    does not have this instruction: the operation is parsed and verified, but lowering it is an error.
  }];
  let arguments = (ins
    TTNG_Descriptor<[MemRead<TT_GlobalMemory>]>:$desc,
    RankedTensorOf<[I32]>:$x_offsets,
    I32:$y_offset,
    TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$barrier,
    Arg<TTG_MemDescType, "destination of the rows", [MemWrite<TTG_SharedMemory>]>:$result,
    I1:$pred
  );
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMAScatterOp : TTNG_Op<"async_tma_scatter"> {
  let summary = "start a copy of rows in shared memory to rows of global memory given by indices";
  let description = [{
    Row i of `src` is stored to row `x_offsets[i]` of the matrix, from column `y_offset` on. Like
    `ttng.async_tma_gather`, it is not supported by the hardware of sm_80 and sm_90.
  }];
  let arguments = (ins
    TTNG_Descriptor<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$desc,
    RankedTensorOf<[I32]>:$x_offsets,
    I32:$y_offset,
    Arg<TTG_MemDescType, "buffer to store", [MemRead<TTG_SharedMemory>]>:$src
  );
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

def TTNG_TMAStoreWaitOp : TTNG_Op<"async_tma_store_wait"> {
  let summary = "wait until at most `pendings` stores of the thread still read shared memory";
  let description = [{
    With `writes` it also waits until these stores have written global memory. Their writes are then visible to the
    thread. `convert-triton-gpu-to-llvm` inserts such waits.

    Triton 3.9 prints waits for reads with `read_only` and those for writes without an attribute; `nereid compile` sets
    `writes` where it reads the latter.
  }];
  let arguments = (ins I32Attr:$pendings, UnitAttr:$writes, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "interpret the 128 bytes at an address as a tensor descriptor";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))";
}

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [
  MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>, AttrSizedOperandSegments
]> {
  let summary = "write a tensor descriptor to global memory";
  let description = [{
    Lists begin with the innermost dimension. `global_stride` is in bytes and omits the innermost dimension. The values
    of the four modes are those of `tensormap.replace` in the PTX ISA.
  }];
  let arguments = (ins
    TT_PtrType:$desc_ptr,
    TT_PtrType:$global_address,
    Variadic<I32>:$box_dim,
    Variadic<I32>:$global_dim,
    Variadic<I64>:$global_stride,
    Variadic<I32>:$element_stride,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<15>]>:$elem_type,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$interleave_layout,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<3>]>:$swizzle_mode,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>:$fill_mode
  );
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` $global_stride `]` `,`
    `[` $element_stride `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [
  MemoryEffects<[MemWrite<TT_GlobalMemory>]>
]> {
  let summary = "make a descriptor in global memory visible to TMA";
  let arguments = (ins TT_PtrType:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

#endif
