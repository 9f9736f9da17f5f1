// Accesses to global memory through pointers, and output to the host.
#ifndef NEREID_TT_OPS_MEMORY
#define NEREID_TT_OPS_MEMORY

include "dialects/tt/tt_op.td"

// `$x` has the result type of a load through `$ptr`; `$mask` has one bit for each of its elements.
class TT_PointeeOf<string ptr, string x>
    : OptionalTypesMatchWith<x # " has the pointee type of " # ptr, ptr, x, "::nereid::tt::pointeeLike($_self)">;
class TT_MaskOf<string x, string mask, string transform = "::nereid::tt::i1Like($_self)">
    : OptionalTypesMatchWith<mask # " is i1 in the shape of " # x, x, mask, transform>;
class TT_MaskOfPointee<string ptr, string mask>
    : TT_MaskOf<ptr, mask, "::nereid::tt::i1Like(::nereid::tt::pointeeLike($_self))">;
class TT_PointerTo<string x, string ptr>
    : TypesMatchWith<ptr # " points to the type of " # x, x, ptr, "::nereid::tt::pointerLike($_self)">;

def TT_LoadOp : TT_Op<"load",
    [TT_SameLoadStoreShape, TT_SameOperandsAndResultEncoding, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     TT_PointeeOf<"ptr", "result">, TT_MaskOfPointee<"ptr", "mask">, TT_PointeeOf<"ptr", "other">]> {
  let summary = "load through a pointer, a tensor of pointers or a block pointer";
  let description = [{
    Where `mask` is false no memory is read and the element is that of `other`, or undefined without one. For a block
    pointer, elements out of bounds in a dimension of `boundaryCheck` are replaced by `padding` (1 zero, 2 NaN). A
    volatile load is not merged, moved or removed: it also has a write effect.

    Triton 3.6 to 3.8 print `cacheModifier = cg evictionPolicy = evict_first`; 3.9 prints both as the attribute
    `cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>`. Both forms are parsed.
  }];
  let arguments = (ins AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr, Optional<TT_BoolLike>:$mask,
                       Optional<TT_Type>:$other, TT_BoundaryCheckAttr:$boundaryCheck,
                       OptionalAttr<TT_PaddingOptionAttr>:$padding, TT_CacheAttr:$cache, TT_EvictAttr:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)? `` custom<LoadAttributes>($cache, $evict, attr-dict) `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_StoreOp : TT_Op<"store",
    [TT_SameLoadStoreShape, TT_SameOperandsEncoding, TT_PointeeOf<"ptr", "value">, TT_MaskOfPointee<"ptr", "mask">]> {
  let summary = "store through a pointer, a tensor of pointers or a block pointer";
  let description = [{
    No memory is written where `mask` is false, or out of bounds in a dimension of `boundaryCheck`.
  }];
  let arguments = (ins Arg<AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>, "", [MemWrite<TT_GlobalMemory>]>:$ptr, TT_Type:$value,
                       Optional<TT_BoolLike>:$mask, TT_BoundaryCheckAttr:$boundaryCheck, TT_CacheAttr:$cache,
                       TT_EvictAttr:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)? `` custom<StoreAttributes>($cache, $evict, attr-dict) `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw",
    [SameOperandsAndResultShape, TT_SameOperandsAndResultEncoding, TT_PointerTo<"val", "ptr">, TT_MaskOf<"val", "mask">,
     AllTypesMatch<["val", "result"]>]> {
  let summary = "atomically replace each element in memory by a function of itself and a value";
  let description = [{
    Returns the previous value in memory. Where `mask` is false no memory is accessed and the result is undefined.
  }];
  let arguments = (ins TT_AtomicRMWAttr:$atomic_rmw_op,
                       Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr, TT_Type:$val,
                       Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas",
    [SameOperandsAndResultShape, TT_SameOperandsAndResultEncoding, TT_PointerTo<"cmp", "ptr">,
     TT_PointerTo<"val", "ptr">, AllTypesMatch<["val", "result"]>]> {
  let summary = "atomically replace each element in memory that equals a value";
  let description = [{
    Elements that are bitwise equal to `cmp` are replaced by `val`. Returns the previous value in memory.
  }];
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr, TT_Type:$cmp,
                       TT_Type:$val, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicLoadOp : TT_Op<"atomic_load",
    [TT_SameOperandsAndResultEncoding, TT_PointerTo<"result", "ptr">, TT_MaskOf<"result", "mask">]> {
  let summary = "atomically load each element";
  let description = [{
    The order is relaxed or acquire. An acquire orders the load before all later accesses of the program. Where `mask`
    is false no memory is read and the element is undefined. Of Triton 3.9.
  }];
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
                       Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store",
    [TT_SameOperandsEncoding, TT_PointeeOf<"ptr", "val">, TT_MaskOfPointee<"ptr", "mask">]> {
  let summary = "atomically store each element";
  let description = [{
    The order is relaxed or release. A release orders all earlier accesses of the program before the store. No memory is
    written where `mask` is false. Of Triton 3.9.
  }];
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr, TT_Type:$val,
                       Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` type($ptr)";
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [TT_PointerTo<"expected", "ptr">, TT_MaskOf<"expected", "result">]> {
  let summary = "wait until each element in memory has an expected value";
  let description = [{
    Each element is loaded at least once, and again until it equals `expected` or until the operation has taken
    `timeout_ns` nanoseconds. Returns whether the value was observed. The order is relaxed or acquire; an acquire orders
    the loads that observed the value before all later accesses of the program. Of Triton 3.9.
  }];
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>:$ptr,
                       TT_IntLike:$expected, Optional<I64>:$timeout_ns, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout_ns^)? attr-dict `:` type($ptr) `,` type($expected) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def TT_PrintOp : TT_Op<"print", [SameVariadicOperandSize, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "print scalars and every element of tensors to the host's standard output";
  let description = [{
    One line per element, with the program id, the element's indices and the prefix. `isSigned` specifies for each
    argument whether integers are signed; `hex` prints the bits.
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Type>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "stop the launch with a message if a condition is false for any element";
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif
