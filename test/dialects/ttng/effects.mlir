// Ops with effects are kept, ops without are merged and erased; calls of functions with ttng operations are inlined.
// RUN: nereid-opt %s --cse --canonicalize | FileCheck %s
// RUN: nereid-opt %s --inline | FileCheck %s --check-prefix=INLINE

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @descriptors
  // CHECK-NEXT: %[[D:.+]] = ttng.reinterpret_tensor_descriptor
  // CHECK-NEXT: tt.return %[[D]], %[[D]]
  tt.func @descriptors(%p: !tt.ptr<i8>) -> (!tt.tensordesc<tensor<64x64xf16>>, !tt.tensordesc<tensor<64x64xf16>>) {
    %a = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16>>
    %b = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16>>
    %c = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<32x64xf16>>
    tt.return %a, %b : !tt.tensordesc<tensor<64x64xf16>>, !tt.tensordesc<tensor<64x64xf16>>
  }

  // Fences, waits and accesses without uses are kept, both copies.
  // CHECK-LABEL: tt.func @kept
  // CHECK-COUNT-2: ttng.fence_async_shared
  // CHECK-COUNT-2: ttng.wait_barrier
  // CHECK-COUNT-2: ttng.async_tma_store_wait
  // CHECK-COUNT-2: ttng.tensormap_fenceproxy_acquire
  tt.func @kept(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %phase: i32, %p: !tt.ptr<i8>) {
    ttng.fence_async_shared {bCluster = false}
    ttng.fence_async_shared {bCluster = false}
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
    ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>
    tt.return
  }

  // A dot reads shared memory: an unused one is erased, but two with a fence between them are not merged. Waits count
  // asynchronous ones: they are kept.
  // CHECK-LABEL: tt.func @products
  // CHECK-NEXT: %[[D:.+]] = ttng.warp_group_dot
  // CHECK-NEXT: ttng.fence_async_shared
  // CHECK-NEXT: %[[E:.+]] = ttng.warp_group_dot
  // CHECK-NEXT: ttng.warp_group_dot {{.*}} {isAsync = true}
  // CHECK-NEXT: ttng.warp_group_dot {{.*}} {isAsync = true}
  // CHECK-NEXT: tt.return %[[D]], %[[E]]
  tt.func @products(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    ttng.fence_async_shared {bCluster = false}
    %e = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %u = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %g = ttng.warp_group_dot %a, %a, %c {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %f = ttng.warp_group_dot %a, %a, %c {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // INLINE-LABEL: tt.func public @caller
  // INLINE-NEXT: ttg.local_alloc
  // INLINE-NEXT: ttng.init_barrier
  // INLINE-NEXT: tt.return
  tt.func public @caller() {
    tt.call @callee() : () -> ()
    tt.return
  }

  tt.func private @callee() {
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tt.return
  }
}
