// Fences between writes of threads and accesses by wgmma or TMA: early, once, outside of loops where possible.
// RUN: nereid-opt %s --triton-nvidia-gpu-fence-insertion | FileCheck %s
// RUN: nereid-opt %s --triton-nvidia-gpu-fence-insertion=compute-capability=80 | FileCheck %s --check-prefix=OLD

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain2 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
// OLD-NOT: fence_async_shared
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90"} {

// cp.async writes through the generic proxy: the fence is after the wait.
// CHECK-LABEL: @copies
// CHECK: scf.for
// CHECK: async_wait
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: local_load
// CHECK-NEXT: warp_group_dot
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func @copies(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32, %c: tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = ttg.async_copy_global_to_local %p, %a : tensor<64x64x!tt.ptr<f16>, #rows> -> <64x64xf16, #nvmma, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %w = ttg.async_wait {num = 0 : i32}
    %x = ttg.local_load %b : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #rows>
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  }
  tt.return
}

// The fence for the first dot precedes the store that the second one needs, which gets its own.
// CHECK-LABEL: @one_after_the_other
// CHECK: local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: warp_group_dot
// CHECK-NEXT: warp_group_dot
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func @one_after_the_other(%x: tensor<64x64xf16, #rows>, %c: tensor<64x64xf32, #mma>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttg.local_store %x, %a : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttg.local_store %x, %b : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  %e = ttng.warp_group_dot %b, %b, %d : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}

// A fence before a loop does not order what the loop stores.
// CHECK-LABEL: @before_and_inside
// CHECK: local_alloc %arg0
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: scf.for
// CHECK-NEXT: local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: warp_group_dot
// CHECK-NEXT: warp_group_dot
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func @before_and_inside(%x: tensor<64x64xf16, #rows>, %n: i32, %c: tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
  scf.for %i = %c0 to %n step %c1 : i32 {
    ttg.local_store %x, %b : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %b, %b, %d : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  }
  tt.return
}

// Two stores and one fence, before the loops that only read.
// CHECK-LABEL: @outside
// CHECK: local_alloc
// CHECK-NEXT: local_alloc
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: scf.for
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func @outside(%x: tensor<64x64xf16, #rows>, %n: i32, %c: tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
  %b = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
      %e = ttng.warp_group_dot %b, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem> * !ttg.memdesc<64x64xf16, #nvmma, #smem> -> tensor<64x64xf32, #mma>
    }
  }
  tt.return
}

// TMA loads and stores; data written by TMA needs no fence.
// CHECK-LABEL: @tma
// CHECK: local_alloc
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: async_tma_copy_local_to_global
// CHECK-NEXT: local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: async_tma_copy_global_to_local
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func @tma(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %x: tensor<64x64xf16, #rows>, %b: !ttg.memdesc<1xi64, #plain, #smem, mutable>, %c: tensor<64x64xf32, #mma>) {
  %true = arith.constant true
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttg.local_store %x, %a : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.wait_barrier %b, %i : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  %e = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}

// CHECK-LABEL: @multiplies
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func private @multiplies(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %c: tensor<64x64xf32, #mma>) attributes {noinline = true} {
  %e = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return
}

// CHECK-LABEL: @stores
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func private @stores(%x: tensor<64x64xf16, #rows>, %a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) attributes {noinline = true} {
  ttg.local_store %x, %a : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// Across calls: one function writes, the other reads. A call with another buffer needs no fence.
// CHECK-LABEL: @calls
// CHECK: call @stores
// CHECK-NEXT: call @multiplies
// CHECK-NEXT: call @stores
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: call @multiplies
// CHECK-NEXT: tt.return
tt.func @calls(%x: tensor<64x64xf16, #rows>, %c: tensor<64x64xf32, #mma>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.call @stores(%x, %a) : (tensor<64x64xf16, #rows>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.call @multiplies(%b, %c) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32, #mma>) -> ()
  tt.call @stores(%x, %b) : (tensor<64x64xf16, #rows>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.call @multiplies(%b, %c) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32, #mma>) -> ()
  tt.return
}

// A ring that cp.async fills: the wait is the write, so the fence precedes the barrier after it, and not the dot.
// CHECK-LABEL: @ring
// CHECK: scf.for
// CHECK-NEXT: ttg.async_wait
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NOT: ttng.fence_async_shared
// CHECK: tt.return
tt.func @ring(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %c: tensor<64x64xf32, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %into = %c1, %from = %c0) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %t = ttg.async_wait {num = 0 : i32}
    %w = ttg.memdesc_index %a[%into] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %k = ttg.async_copy_global_to_local %p, %w : tensor<64x64x!tt.ptr<f16>, #rows> -> <64x64xf16, #nvmma, #smem, mutable>
    %g = ttg.async_commit_group tokens %k
    %x = ttg.memdesc_index %a[%from] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %e = ttng.warp_group_dot %x, %x, %acc : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
    %j = arith.addi %into, %c1 : i32
    %last = arith.cmpi sge, %j, %c2 : i32
    %next = arith.select %last, %c0, %j : i32
    scf.yield %e, %next, %into : tensor<64x64xf32, #mma>, i32, i32
  }
  %d = ttg.async_wait {num = 0 : i32}
  tt.return
}

// Scatters and atomics write through the generic proxy.
// CHECK-LABEL: @indices
// CHECK: local_scatter
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: async_tma_copy_local_to_global
// CHECK-NEXT: async_tma_store_wait
// CHECK-NEXT: local_atomic_scatter_rmw
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: async_tma_copy_local_to_global
tt.func @indices(%d: !tt.tensordesc<tensor<64x64xi32, #plain2>>, %x: tensor<64x64xi32, #rows>) {
  %c0 = arith.constant 0 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xi32, #plain2, #smem, mutable>
  ttg.local_scatter %a[%x], %x {axis = 0 : i32} : !ttg.memdesc<64x64xi32, #plain2, #smem, mutable>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows>
  ttng.async_tma_copy_local_to_global %d[%c0, %c0] %a : !tt.tensordesc<tensor<64x64xi32, #plain2>>, !ttg.memdesc<64x64xi32, #plain2, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  %r = ttg.local_atomic_scatter_rmw add, %a[%x], %x {axis = 0 : i32} : (!ttg.memdesc<64x64xi32, #plain2, #smem, mutable>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows>) -> tensor<64x64xi32, #rows>
  ttng.async_tma_copy_local_to_global %d[%c0, %c0] %a : !tt.tensordesc<tensor<64x64xi32, #plain2>>, !ttg.memdesc<64x64xi32, #plain2, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return
}
}
