// Asynchronous copies from global to shared memory (cp.async, sm_80 and later).
#ifndef NEREID_TTG_OPS_ASYNC
#define NEREID_TTG_OPS_ASYNC

include "dialects/ttg/ttg_base.td"

def TTG_AsyncWaitOp : TTG_Op<"async_wait"> {
  let summary = "wait until at most `num` of this thread's groups are in flight";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group"> {
  let summary = "commit this thread's copies since the last group as a group";
  let arguments = (ins Variadic<TTG_AsyncToken>:$inputTokens);
  let results = (outs TTG_AsyncToken:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [
    AttrSizedOperandSegments,
    OptionalTypesMatchWith<"mask is i1 of the shape and encoding of src", "src", "mask",
                           "::nereid::tt::i1Like($_self)">,
    OptionalTypesMatchWith<"other is what src points to", "src", "other", "::nereid::tt::pointeeLike($_self)">]> {
  let summary = "start a copy from a tensor of pointers to a buffer";
  let description = [{
    Like `tt.load` followed by `ttg.local_store`, but the elements do not pass through registers, and the copy is
    complete only after a `ttg.async_wait` for its group. Where `mask` is false, `other` (or nothing) is stored.
    `contiguity` is the number of adjacent elements that a thread may copy in one access.
  }];
  let arguments = (ins Arg<TT_PtrTensor, "", [MemRead<TT_GlobalMemory>]>:$src,
                       Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$result,
                       Optional<TT_BoolTensor>:$mask, Optional<TT_Type>:$other,
                       TT_CacheAttr:$cache, TT_EvictAttr:$evict, DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    `` custom<AsyncCopyAttributes>($cache, $evict, attr-dict) `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
