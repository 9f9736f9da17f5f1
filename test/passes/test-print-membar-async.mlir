// Operations in flight: cp.async, wgmma, TMA and mbarriers; partitions of warps.
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90"} {

// A copy is visible to its thread after the wait, to its warp after a warp barrier, to other warps after a CTA barrier.
// The wait for the older group does not make the younger one visible.
// CHECK-LABEL: @groups
// CHECK: async_wait {{.*}}num = 1
// CHECK-NEXT: ttg.local_barrier warp
// CHECK-NEXT: local_load
// CHECK-NEXT: addi
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: async_wait {{.*}}num = 0
// CHECK-NEXT: addi
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
tt.func @groups(%p: tensor<512x!tt.ptr<i32>, #line>, %n: i32) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %s = ttg.async_copy_global_to_local %p, %a : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %g = ttg.async_commit_group tokens %s
  %t = ttg.async_copy_global_to_local %p, %b : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %h = ttg.async_commit_group tokens %t
  %w = ttg.async_wait {num = 1 : i32}
  %x = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  %m = arith.addi %n, %n : i32
  %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  %v = ttg.async_wait {num = 0 : i32}
  %k = arith.addi %n, %n : i32
  %z = ttg.local_load %b : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
  tt.return
}

// No operation is in flight: a wait alone requires no barrier.
// CHECK-LABEL: @nothing
// CHECK: local_alloc
// CHECK-NEXT: async_wait
// CHECK-NEXT: async_tma_store_wait
// CHECK-NEXT: local_store
tt.func @nothing(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %w = ttg.async_wait {num = 0 : i32}
  ttng.async_tma_store_wait {pendings = 0 : i32}
  ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}

// One thread waits for the store that it issued; a barrier makes the others wait for that thread.
// CHECK-LABEL: @tma_store
// CHECK: local_alloc
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
// CHECK-NEXT: ttng.async_tma_store_wait
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_store
tt.func @tma_store(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %x: tensor<64x64xf16, #rows>) {
  %c64 = arith.constant 64 : i32
  %next = arith.addi %i, %c64 : i32
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%next, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  ttg.local_store %x, %a : tensor<64x64xf16, #rows> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// A barrier before the fence does not replace the one after it.
// CHECK-LABEL: @late_fence
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
tt.func @late_fence(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %x: tensor<64x64xf16, #rows>) {
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttg.local_barrier
  ttng.fence_async_shared {bCluster = false}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// The barrier that a copy by TMA requires precedes the arrival that expects its bytes: one thread executes both.
// CHECK-LABEL: @expected_copy
// CHECK: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: return
tt.func @expected_copy(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32) {
  %true = arith.constant true
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttg.local_barrier
  %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #rows>
  ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// One thread initializes an mbarrier, all use it. A thread that waits for it sees the TMA data. The mbarrier must not
// enter its next phase while others still poll this one, and no copy may overwrite bytes that others still read.
// CHECK-LABEL: @tma_load
// CHECK: ttng.init_barrier
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: ttng.wait_barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: ttng.wait_barrier
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.inval_barrier
tt.func @tma_load(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32) {
  %true = arith.constant true
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.wait_barrier %b, %i : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  %x = ttg.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #rows>
  ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.wait_barrier %b, %i : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.inval_barrier %b : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  tt.return
}

// After the wait, the dots of the previous iteration are complete in this warp; after the next barrier, in all warps.
// So a copy two slots back needs no barrier of its own.
// CHECK-LABEL: @products
// CHECK: scf.for
// CHECK: async_wait
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.warp_group_dot
// CHECK-NOT: local_barrier
// CHECK: scf.yield
tt.func @products(%p: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%get = %c0, %put = %c2, %sum = %zero) -> (i32, i32, tensor<64x64xf32, #mma>) : i32 {
    %w = ttg.async_wait {num = 1 : i32}
    ttng.fence_async_shared {bCluster = false}
    %from = ttg.memdesc_index %ring[%get] : !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %e = ttng.warp_group_dot %from, %from, %sum {isAsync = true} : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : tensor<64x64xf32, #mma>
    %into = ttg.memdesc_index %ring[%put] : !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %into : tensor<64x64x!tt.ptr<f16>, #rows> -> <64x64xf16, #nvmma, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %get1 = arith.addi %get, %c1 : i32
    %get_last = arith.cmpi sge, %get1, %c4 : i32
    %get_next = arith.select %get_last, %c0, %get1 : i32
    %put1 = arith.addi %put, %c1 : i32
    %put_last = arith.cmpi sge, %put1, %c4 : i32
    %put_next = arith.select %put_last, %c0, %put1 : i32
    scf.yield %get_next, %put_next, %d : i32, i32, tensor<64x64xf32, #mma>
  }
  tt.return
}

// Nor may an arrive precede the operations that it signals. Partitions start with no operations pending.
// CHECK-LABEL: @partitions
// CHECK: partition0
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: ttng.arrive_barrier
// CHECK-NEXT: ttng.arrive_barrier
// CHECK-NEXT: warp_return
tt.func @partitions(%x: tensor<512xi32, #line>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.init_barrier %b, 2 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttg.warp_specialize(%a, %b)
  default {
    ttg.warp_yield
  }
  partition0(%c: !ttg.memdesc<512xi32, #plain, #smem, mutable>, %d: !ttg.memdesc<1xi64, #plain, #smem, mutable>) num_warps(4) {
    %y = ttg.local_load %c : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    ttng.arrive_barrier %d, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    ttng.arrive_barrier %d, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    ttg.warp_return
  } : (!ttg.memdesc<512xi32, #plain, #smem, mutable>, !ttg.memdesc<1xi64, #plain, #smem, mutable>) -> ()
  tt.return
}

// The default region starts and ends at a barrier, too: writes before and in it require none. Copies of its warps are
// visible to them after their own wait.
// CHECK-LABEL: @default_region
// CHECK: default
// CHECK-NEXT: local_load
// CHECK-NEXT: async_wait
// CHECK-NEXT: ttg.local_barrier{{$}}
// CHECK-NEXT: local_load
// CHECK-NEXT: local_store
// CHECK-NEXT: warp_yield
// CHECK: () -> ()
// CHECK-NEXT: local_load
// CHECK-NEXT: ttg.local_barrier warp
// CHECK-NEXT: local_store
// CHECK-NEXT: tt.return
tt.func @default_region(%x: tensor<512xi32, #line>, %p: tensor<512x!tt.ptr<i32>, #line>) {
  %a = ttg.local_alloc %x : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %c = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  %s = ttg.async_copy_global_to_local %p, %c : tensor<512x!tt.ptr<i32>, #line> -> <512xi32, #plain, #smem, mutable>
  %g = ttg.async_commit_group tokens %s
  ttg.warp_specialize()
  default {
    %y = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    %w = ttg.async_wait {num = 0 : i32}
    %z = ttg.local_load %c : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #single>
    ttg.local_store %z, %a : tensor<512xi32, #single> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  %v = ttg.local_load %a : !ttg.memdesc<512xi32, #plain, #smem, mutable> -> tensor<512xi32, #line>
  ttg.local_store %x, %a : tensor<512xi32, #line> -> !ttg.memdesc<512xi32, #plain, #smem, mutable>
  tt.return
}
}
