// Accesses of TMA to global memory follow program order: waits for writes of TMA, proxy fences and barriers.
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --test-print-membar=global-order=false | FileCheck %s --check-prefix=OFF
// OFF-NOT: writes
// OFF-NOT: global_memory

#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 1}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64xf32, #flat>>
!buffer = !ttg.memdesc<64xf32, #flat, #smem, mutable>
!barrier = !ttg.memdesc<1xi64, #bar, #smem, mutable>
!map = !tt.ptr<i8>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90"} {

// Other arguments are other memory.
// CHECK-LABEL: @other_arguments
// CHECK-NOT: writes
// CHECK-NOT: global_memory
// CHECK: tt.return
tt.func public @other_arguments(%d: !desc, %e: !map {tt.nv_tma_desc = 1 : i32}, %x: !tt.ptr<f32>, %i: i32, %p: i1, %v: f32) {
  %f = ttng.reinterpret_tensor_descriptor %e : !map to !desc
  %b = ttg.local_alloc : () -> !buffer
  %m = ttg.local_alloc : () -> !barrier
  tt.store %x, %v : !tt.ptr<f32>
  ttng.async_tma_copy_global_to_local %d[%i] %b, %m, %p : !desc, !barrier -> !buffer
  ttng.async_tma_copy_local_to_global %f[%i] %b : !desc, !buffer
  %w = tt.load %x : !tt.ptr<f32>
  tt.return
}

// A store of TMA, then a load of the same memory: by a load of TMA in the same thread, no barrier is required.
// CHECK-LABEL: @store_load
// CHECK: ttng.async_tma_copy_local_to_global
// CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NOT: fence
// CHECK: tt.return
tt.func public @store_load(%d: !desc, %i: i32, %p: i1) {
  %b = ttg.local_alloc : () -> !buffer
  %c = ttg.local_alloc : () -> !buffer
  %m = ttg.local_alloc : () -> !barrier
  ttng.async_tma_copy_local_to_global %d[%i] %b : !desc, !buffer
  ttng.async_tma_copy_global_to_local %d[%i] %c, %m, %p : !desc, !barrier -> !buffer
  tt.return
}

// Loads before stores: the data of the load is used after the wait for its mbarrier.
// CHECK-LABEL: @load_store
// CHECK-NOT: writes
// CHECK-NOT: global_memory
// CHECK: tt.return
tt.func public @load_store(%d: !desc, %i: i32, %p: i1, %phase: i32) {
  %b = ttg.local_alloc : () -> !buffer
  %c = ttg.local_alloc : () -> !buffer
  %m = ttg.local_alloc : () -> !barrier
  ttng.async_tma_copy_global_to_local %d[%i] %b, %m, %p : !desc, !barrier -> !buffer
  ttng.wait_barrier %m, %phase : !barrier
  ttng.async_tma_copy_local_to_global %d[%i] %c : !desc, !buffer
  tt.return
}

// Tiles that are apart, and reductions of one kind, are not ordered; equal tiles and different kinds are.
// CHECK-LABEL: @tiles
// CHECK: ttng.async_tma_copy_local_to_global
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
// CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttng.async_tma_reduce add
// CHECK-NEXT: ttng.async_tma_reduce add
// CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttng.async_tma_reduce max
// CHECK-NEXT: tt.return
tt.func public @tiles(%d: !desc, %i: i32) {
  %c64 = arith.constant 64 : i32
  %j = arith.addi %i, %c64 : i32
  %b = ttg.local_alloc : () -> !buffer
  ttng.async_tma_copy_local_to_global %d[%i] %b : !desc, !buffer
  ttng.async_tma_copy_local_to_global %d[%j] %b : !desc, !buffer
  ttng.async_tma_reduce add, %d[%i] %b : !desc, !buffer
  ttng.async_tma_reduce add, %d[%i] %b : !desc, !buffer
  ttng.async_tma_reduce max, %d[%i] %b : !desc, !buffer
  tt.return
}

// The tiles of iterations are apart if the coordinate advances by the tile's extent, but not if it advances by half, or
// by an argument.
// CHECK-LABEL: @iterations
// CHECK: scf.for
// CHECK-NOT: writes
// CHECK: scf.for
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
// CHECK: scf.for
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
tt.func public @iterations(%d: !desc, %e: !desc, %f: !desc, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %b = ttg.local_alloc : () -> !buffer
  scf.for %i = %c0 to %n step %c1 : i32 {
    %j = arith.muli %i, %c64 : i32
    ttng.async_tma_copy_local_to_global %d[%j] %b : !desc, !buffer
  }
  scf.for %i = %c0 to %n step %c32 : i32 {
    ttng.async_tma_copy_local_to_global %e[%i] %b : !desc, !buffer
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %j = arith.muli %i, %n : i32
    ttng.async_tma_copy_local_to_global %f[%j] %b : !desc, !buffer
  }
  tt.return
}

// A descriptor of a pointer argument has its root. An ordinary store before a load of TMA: the storing threads fence. A
// store of TMA before an ordinary load: the issuing thread waits.
// CHECK-LABEL: @device_made
// CHECK: tt.store
// CHECK: ttng.fence_async_shared {bCluster = false, global_memory}
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NOT: global_memory
// CHECK: ttng.async_tma_copy_local_to_global
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: tt.load
// CHECK-NOT: writes
// CHECK: tt.load
tt.func public @device_made(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %i: i32, %p: i1, %phase: i32, %v: tensor<64xf32, #line>) {
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %map = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !map
  ttng.tensormap_create %map, %x, [%c64], [%i], [], [%c1] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!map, !tt.ptr<f32>, i32, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %map : !map
  %d = ttng.reinterpret_tensor_descriptor %map : !map to !desc
  %b = ttg.local_alloc : () -> !buffer
  %c = ttg.local_alloc : () -> !buffer
  %m = ttg.local_alloc : () -> !barrier
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
  %q = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>, #line>
  ttng.async_tma_copy_global_to_local %d[%i] %b, %m, %p : !desc, !barrier -> !buffer
  ttng.wait_barrier %m, %phase : !barrier
  ttng.async_tma_copy_local_to_global %d[%i] %c : !desc, !buffer
  %w = tt.load %q : tensor<64x!tt.ptr<f32>, #line>
  %u = tt.load %y : !tt.ptr<f32>
  tt.return
}

// A load before a store of TMA requires a barrier, no fence. An atomic update is a write.
// CHECK-LABEL: @load_then_store
// CHECK: tt.load
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, writes}
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: tt.atomic_rmw
// CHECK-NEXT: ttng.fence_async_shared {bCluster = false, global_memory}
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.async_tma_reduce
tt.func public @load_then_store(%x: !tt.ptr<f32>, %d: !desc, %i: i32, %v: f32, %t: i1) {
  %one64 = arith.constant 1 : i64
  %at = tt.make_tensor_descriptor %x, [%i], [%one64] : !tt.ptr<f32>, !desc
  %b = ttg.local_alloc : () -> !buffer
  %w = tt.load %x : !tt.ptr<f32>
  ttng.async_tma_copy_local_to_global %at[%i] %b : !desc, !buffer
  %old = tt.atomic_rmw fadd, relaxed, gpu, %x, %v, %t : (!tt.ptr<f32>, f32, i1) -> f32
  ttng.async_tma_reduce add, %at[%i] %b : !desc, !buffer
  tt.return
}
}
