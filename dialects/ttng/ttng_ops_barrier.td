// Fences, clusters and mbarriers (PTX ISA: "Parallel Synchronization and Communication Instructions: mbarrier").
#ifndef NEREID_TTNG_OPS_BARRIER_TD
#define NEREID_TTNG_OPS_BARRIER_TD

include "dialects/ttng/ttng_dialect.td"

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared"> {
  let summary = "orders this thread's shared-memory accesses before later accesses of the async proxy";
  let description = [{
    TMA and wgmma read shared memory through the async proxy; what ordinary stores wrote is visible to them after this
    fence (`fence.proxy.async`). `bCluster` widens it from the CTA's shared memory to the cluster's.
  }];
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterArriveOp : TTNG_Op<"cluster_arrive"> {
  let summary = "arrives at the barrier of the cluster";
  let description = [{
    The first half of a barrier over all threads of the cluster; `ttng.cluster_wait` is the second. `relaxed` orders no
    memory accesses.
  }];
  let arguments = (ins I1Attr:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterWaitOp : TTNG_Op<"cluster_wait"> {
  let summary = "waits until all threads of the cluster have arrived";
  let assemblyFormat = "attr-dict";
}

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier"> {
  let summary = "makes shared memory an mbarrier";
  let description = [{
    A phase of the barrier completes after `count` arrivals and when every byte that was announced has been copied. One
    thread does it; a CTA barrier must follow before others use the mbarrier.
  }];
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier"> {
  let summary = "ends the life of an mbarrier, so that its memory may be used otherwise";
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect"> {
  let summary = "arrives and announces bytes that asynchronous copies will deliver";
  let description = [{
    The current phase completes only after `size` more bytes were copied. Nothing happens where `pred` is false.
  }];
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$alloc, I32Attr:$size, I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments]> {
  let summary = "waits until a phase of an mbarrier completes";
  let description = [{
    `phase` is the parity, 0 or 1, of the phase that is waited for: the wait is over at once when the barrier is already
    in a phase of the other parity. `deps` are buffers that asynchronous operations tied to the barrier access until it
    completes; without a list nothing is known. Where `pred` is false there is no wait.
  }];
  let arguments = (ins
    TTNG_Barrier<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$alloc,
    I32:$phase,
    Optional<I1>:$pred,
    Variadic<TTG_MemDescType>:$deps
  );
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)?
    attr-dict `:` qualified(type($alloc)) (`,` type($deps)^)?
  }];
  let hasVerifier = 1;
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier"> {
  let summary = "arrives at an mbarrier";
  let description = [{
    Takes `count` from the arrivals that the current phase still waits for. Where `pred` is false nothing happens.

    ```mlir
    ttng.arrive_barrier %bar, 1, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins
    TTNG_Barrier<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>:$alloc,
    I32Attr:$count,
    Optional<I1>:$pred
  );
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive"> {
  let summary = "arrives at an mbarrier when all earlier cp.async copies of the thread are done";
  let description = [{
    With `noIncrement` the arrival is one of those that the barrier was made with; without, the pending count is raised
    first, so that the arrival changes nothing in total (PTX ISA: `cp.async.mbarrier.arrive`, `.noinc`).
  }];
  let arguments = (ins TTNG_Barrier<[MemWrite<TTG_SharedMemory>]>:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

#endif
