// Fences, clusters and mbarriers (PTX ISA: "Parallel Synchronization and Communication Instructions: mbarrier").
#ifndef NEREID_TTNG_OPS_BARRIER_TD
#define NEREID_TTNG_OPS_BARRIER_TD

include "dialects/ttng/ttng_dialect.td"

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared"> {
  let summary = "order this thread's accesses before later accesses of the async proxy";
  let description = [{
    TMA and wgmma read shared memory through the async proxy. Earlier ordinary stores are visible to them after this
    fence (`fence.proxy.async`). `bCluster` extends it from the CTA's shared memory to the cluster's.

    With `global_memory` it orders accesses to global memory instead of shared memory. `convert-triton-gpu-to-llvm`
    inserts such fences.
  }];
  let arguments = (ins BoolAttr:$bCluster, UnitAttr:$global_memory);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceMBarrierInitReleaseClusterOp : TTNG_Op<"fence_mbarrier_init_release_cluster"> {
  let summary = "make initialized mbarriers visible to the cluster";
  let description = [{
    Mbarriers that the CTA has initialized are visible to other CTAs that wait for a later `ttng.cluster_arrive
    {relaxed = true}` of this one; a `ttng.cluster_arrive` that is not relaxed includes the fence.
  }];
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterArriveOp : TTNG_Op<"cluster_arrive"> {
  let summary = "arrive at the barrier of the cluster";
  let description = [{
    The first half of a barrier over all threads of the cluster; `ttng.cluster_wait` is the second. `relaxed` does not
    order memory accesses. Triton 3.6 always prints it, later versions omit `relaxed = false`.
  }];
  let arguments = (ins OptionalAttr<BoolAttr>:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterWaitOp : TTNG_Op<"cluster_wait"> {
  let summary = "wait until all threads of the cluster have arrived";
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterBarrierOp : TTNG_Op<"cluster_barrier"> {
  let summary = "wait until all threads of the cluster have arrived";
  let description = [{
    The threads that run the op, outside of `ttg.warp_specialize`, arrive and wait; the warps of partitions take part.
    Accesses before it are visible to all threads of the cluster afterwards, unless it is `relaxed`.

    `deps` lists buffers that copies with `multicast` of other CTAs may fill until here.
    `nereid-insert-cluster-barriers` adds them.
  }];
  let arguments = (ins Variadic<TTG_MemDescType>:$deps, DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "(`deps` $deps^ `:` type($deps))? attr-dict";
}

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier"> {
  let summary = "initialize an mbarrier in shared memory";
  let description = [{
    A phase of the barrier completes after `count` arrivals and when all expected bytes have been copied. One thread
    initializes the mbarrier; a CTA barrier must follow before other threads use it.
  }];
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier"> {
  let summary = "invalidate an mbarrier, so that its memory may be reused";
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect"> {
  let summary = "arrive at an mbarrier and expect bytes of asynchronous copies";
  let description = [{
    The current phase completes only after `size` more bytes are copied. No effect where `pred` is false.
  }];
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$alloc, I32Attr:$size, I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments]> {
  let summary = "wait until a phase of an mbarrier completes";
  let description = [{
    `phase` is the parity, 0 or 1, of the awaited phase: the wait ends at once when the barrier is already in a phase of
    the other parity. `deps` lists the buffers that asynchronous operations of the barrier access until it completes;
    without a list they are unknown. No wait where `pred` is false. With `firstWarp`, only the first of the warps
    that run the op waits, which also issues TMA copies.
  }];
  let arguments = (ins
    TTNG_Barrier<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$alloc,
    I32:$phase,
    Optional<I1>:$pred,
    Variadic<TTG_MemDescType>:$deps,
    UnitAttr:$firstWarp
  );
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)?
    attr-dict `:` qualified(type($alloc)) (`,` type($deps)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier", [AttrSizedOperandSegments]> {
  let summary = "arrive at an mbarrier";
  let description = [{
    Subtracts `count` from the pending arrivals of the current phase, after the accesses of all warps that run the op.
    With `perWarp`, each of these warps subtracts `count`, after its own accesses. No effect where `pred` is false.
    `deps` lists the buffers that the arrival releases: asynchronous operations that access them must be complete.
    With `ctas`, arrivals are at the mbarriers of several CTAs of the cluster, at the same address: for each bit x of
    `ctas` at that of the CTA whose number is this one's xor x. They order accesses to the shared memory of the arriving
    CTA before the writes of TMA copies that the waiting thread issues.

    ```mlir
    ttng.arrive_barrier %bar, 1, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.arrive_barrier %empty, 1 deps %slot {perWarp} : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<…>
    ```
  }];
  let arguments = (ins
    TTNG_Barrier<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$alloc,
    I32Attr:$count,
    Optional<I1>:$pred,
    Variadic<TTG_MemDescType>:$deps,
    UnitAttr:$perWarp,
    OptionalAttr<I32Attr>:$ctas
  );
  let assemblyFormat = [{
    $alloc `,` $count (`,` $pred^)? (`deps` $deps^)?
    attr-dict `:` qualified(type($alloc)) (`,` type($deps)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive"> {
  let summary = "arrive at an mbarrier when all earlier cp.async copies of the thread are complete";
  let description = [{
    With `noIncrement` the arrival counts towards the barrier's initial count. Without, the pending count is incremented
    first, so that the net change is zero (PTX ISA: `cp.async.mbarrier.arrive`, `.noinc`).
  }];
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

#endif
