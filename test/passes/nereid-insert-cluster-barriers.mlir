// Barriers of the cluster between the initialization of mbarriers and copies that other CTAs signal there, and at the end.
// RUN: nereid-opt %s --nereid-insert-cluster-barriers | FileCheck %s
// RUN: nereid-opt %s --nereid-insert-cluster-barriers --nereid-insert-cluster-barriers | FileCheck %s
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!tile = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!b = !ttg.memdesc<1xi64, #bar, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// One barrier for both mbarriers, and one that keeps the buffers.
// CHECK-LABEL: @straight
// CHECK: %[[X:.*]] = ttg.local_alloc
// CHECK: %[[Y:.*]] = ttg.local_alloc
// CHECK: ttng.init_barrier
// CHECK: ttng.init_barrier
// CHECK: ttng.barrier_expect
// CHECK-NEXT: ttng.fence_mbarrier_init_release_cluster
// CHECK-NEXT: ttng.cluster_barrier{{$}}
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NOT: cluster_barrier
// CHECK: ttng.wait_barrier
// CHECK: ttng.cluster_barrier deps %[[X]], %[[Y]] : !ttg.memdesc<{{.*}}>, !ttg.memdesc<{{.*}}>
// CHECK-NEXT: tt.return
tt.func public @straight(%d: !desc, %i: i32) {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %x = ttg.local_alloc : () -> !tile
  %y = ttg.local_alloc : () -> !tile
  %m = ttg.local_alloc : () -> !b
  %n = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  ttng.init_barrier %n, 1 : !b
  ttng.barrier_expect %m, 8192, %true : !b
  ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true {multicast} : !desc, !b -> !tile
  ttng.async_tma_copy_global_to_local %d[%i, %i] %y, %n, %true {multicast} : !desc, !b -> !tile
  ttng.wait_barrier %m, %c0 deps %x : !b, !tile
  tt.return
}

// Barriers of the program serve as well.
// CHECK-LABEL: @own_barriers
// CHECK: ttng.init_barrier
// CHECK-NEXT: ttng.cluster_barrier
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: ttng.wait_barrier
// CHECK-NEXT: ttng.cluster_barrier deps
// CHECK-NEXT: tt.return
tt.func public @own_barriers(%d: !desc, %i: i32) {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %x = ttg.local_alloc : () -> !tile
  %m = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  ttng.cluster_barrier
  ttng.barrier_expect %m, 8192, %true : !b
  ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true {multicast} : !desc, !b -> !tile
  ttng.wait_barrier %m, %c0 deps %x : !b, !tile
  ttng.cluster_barrier
  tt.return
}

// Before the loop around the copies; in the loop that initializes the mbarrier, whose buffer moves out of it.
// CHECK-LABEL: @loops
// CHECK-NEXT: %[[Y:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64
// CHECK: ttng.init_barrier
// CHECK-NEXT: ttng.fence_mbarrier_init_release_cluster
// CHECK-NEXT: ttng.cluster_barrier{{$}}
// CHECK-NEXT: scf.for
// CHECK-NOT: cluster_barrier
// CHECK: scf.for
// CHECK: ttng.init_barrier
// CHECK: ttng.cluster_barrier{{$}}
// CHECK-NEXT: ttng.async_tma_copy_global_to_local %{{.*}} %[[Y]],
// CHECK: ttng.cluster_barrier deps
tt.func public @loops(%d: !desc, %i: i32) {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = ttg.local_alloc : () -> !tile
  %m = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  %q = scf.for %k = %c0 to %i step %c1 iter_args(%p = %c0) -> (i32) : i32 {
    ttng.barrier_expect %m, 8192, %true : !b
    ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true {multicast} : !desc, !b -> !tile
    ttng.wait_barrier %m, %p deps %x : !b, !tile
    %r = arith.xori %p, %c1 : i32
    scf.yield %r : i32
  }
  scf.for %k = %c0 to %i step %c1 : i32 {
    %y = ttg.local_alloc : () -> !tile
    %n = ttg.local_alloc : () -> !b
    ttng.init_barrier %n, 1 : !b
    ttng.barrier_expect %n, 8192, %true : !b
    ttng.async_tma_copy_global_to_local %d[%i, %i] %y, %n, %true {multicast} : !desc, !b -> !tile
    ttng.wait_barrier %n, %c0 deps %y : !b, !tile
  }
  tt.return
}

// Copies that are divided, and copies for one CTA.
// CHECK-LABEL: @others
// CHECK-NOT: cluster_barrier
// CHECK: tt.return
tt.func public @others(%d: !desc, %i: i32) {
  %true = arith.constant true
  %x = ttg.local_alloc : () -> !tile
  %m = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true {multicast, divided} : !desc, !b -> !tile
  ttng.async_tma_copy_global_to_local %d[%i, %i] %x, %m, %true : !desc, !b -> !tile
  tt.return
}

// The warps of partitions take part.
// CHECK-LABEL: @partitions
// CHECK: ttng.init_barrier
// CHECK-NEXT: ttg.warp_specialize() attributes {ttg.cluster_barrier}
// CHECK-NEXT: default {
// CHECK-NEXT: ttg.warp_yield
// CHECK: ttg.warp_specialize(
// CHECK: ttng.async_tma_copy_global_to_local
// CHECK-NOT: cluster_barrier
// CHECK: tt.return
tt.func public @partitions(%d: !desc, %i: i32) {
  %x = ttg.local_alloc : () -> !tile
  %m = ttg.local_alloc : () -> !b
  ttng.init_barrier %m, 1 : !b
  ttng.cluster_barrier
  ttg.warp_specialize(%d, %i, %x, %m)
  default {
    ttg.warp_yield
  }
  partition0(%e: !desc, %j: i32, %y: !tile, %n: !b) num_warps(4) {
    %true = arith.constant true
    ttng.async_tma_copy_global_to_local %e[%j, %j] %y, %n, %true {multicast} : !desc, !b -> !tile
    ttg.warp_return
  } : (!desc, i32, !tile, !b) -> ()
  tt.return
}
}
