// Buffers that share bytes, which the fence pass before allocation treats as disjoint.
// RUN: nereid-opt %s --triton-nvidia-gpu-fence-insertion | FileCheck %s --check-prefix=BEFORE
// RUN: nereid-opt %s --allocate-shared-memory --triton-nvidia-gpu-proxy-fence-insertion | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --triton-nvidia-gpu-proxy-fence-insertion --test-print-membar | FileCheck %s --check-prefix=MEMBAR

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:90"} {

// The second buffer reuses the bytes of the first. A read needs no fence before a TMA write.
// BEFORE-NOT: fence_async_shared
// CHECK-LABEL: @reuse
// CHECK: local_alloc %
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: local_load
// CHECK: async_tma_copy_global_to_local
// CHECK-NEXT: wait_barrier
// CHECK-NEXT: local_load
// CHECK-NEXT: async_tma_copy_global_to_local
tt.func @reuse(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %x: tensor<64x64xf16, #rows>, %b: !ttg.memdesc<1xi64, #plain, #smem, mutable>) {
  %true = arith.constant true
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #rows>
  %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.wait_barrier %b, %i : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  %z = ttg.local_load %e : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #rows>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// The second buffer reuses the bytes of an mbarrier.
// CHECK-LABEL: @after_mbarrier
// CHECK: inval_barrier
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: async_tma_copy_global_to_local
// CHECK-NOT: ttng.fence_async_shared
tt.func @after_mbarrier(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %b: !ttg.memdesc<1xi64, #plain, #smem, mutable>) {
  %true = arith.constant true
  %a = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.wait_barrier %a, %i : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.inval_barrier %a : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// The buffer of the next iteration reuses the bytes of a reduction's scratch, which the reduction itself reads after a barrier.
// CHECK-LABEL: @after_scratch
// CHECK: scf.for
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: async_tma_copy_global_to_local
// CHECK: "tt.reduce"
tt.func @after_scratch(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %n: i32, %b: !ttg.memdesc<1xi64, #plain, #smem, mutable>) -> tensor<64xf16, #ttg.slice<{dim = 0, parent = #rows}>> {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf16, #ttg.slice<{dim = 0, parent = #rows}>>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64xf16, #ttg.slice<{dim = 0, parent = #rows}>>) : i32 {
    %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %i] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.wait_barrier %b, %i : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    %x = ttg.local_load %e : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16, #rows>
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%p: f16, %q: f16):
      %m = arith.maxnumf %p, %q : f16
      tt.reduce.return %m : f16
    }) : (tensor<64x64xf16, #rows>) -> tensor<64xf16, #ttg.slice<{dim = 0, parent = #rows}>>
    scf.yield %r : tensor<64xf16, #ttg.slice<{dim = 0, parent = #rows}>>
  }
  tt.return %s : tensor<64xf16, #ttg.slice<{dim = 0, parent = #rows}>>
}

// The write is on all paths to the copy, in an earlier node: the fence follows the write, so the barrier between the
// initialization of the mbarrier and the copies orders it, too, and the loop has no barrier before the dot.
// CHECK-LABEL: @on_all_paths
// CHECK: ttng.tensormap_create
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: async_tma_copy_global_to_local
// CHECK-NOT: ttng.fence_async_shared
// MEMBAR-LABEL: @on_all_paths
// MEMBAR: ttng.init_barrier
// MEMBAR: ttg.local_barrier
// MEMBAR: ttng.async_tma_copy_global_to_local
// MEMBAR-NOT: ttg.local_barrier
// MEMBAR: ttng.warp_group_dot
tt.func @on_all_paths(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %p: !tt.ptr<f16>, %map: !tt.ptr<i8>, %n: i32, %long: i64, %any: i1) {
  %true = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  ttng.tensormap_create %map, %p, [%n, %n], [%n, %n], [%long], [%c1, %c1] {elem_type = 6 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32, fill_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  cf.cond_br %any, ^copy, ^end
^copy:
  %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.barrier_expect %b, 8192, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%n, %n] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttng.wait_barrier %b, %c0 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  %r = ttng.warp_group_dot %e, %e, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> * !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf32, #mma>
  ttng.inval_barrier %b : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  cf.br ^end
^end:
  tt.return
}

// A write on one of the paths: the fence precedes the copy.
// CHECK-LABEL: @on_one_path
// CHECK: ttng.tensormap_create
// CHECK-NOT: ttng.fence_async_shared
// CHECK: init_barrier
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: async_tma_copy_global_to_local
tt.func @on_one_path(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %p: !tt.ptr<f16>, %map: !tt.ptr<i8>, %n: i32, %long: i64, %any: i1) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  cf.cond_br %any, ^create, ^copy
^create:
  ttng.tensormap_create %map, %p, [%n, %n], [%n, %n], [%long], [%c1, %c1] {elem_type = 6 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32, fill_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  cf.br ^copy
^copy:
  %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%n, %n] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// A buffer of the default region reuses the bytes of the captures, which are written before the regions.
// CHECK-LABEL: @after_captures
// CHECK: ttg.warp_specialize(%{{.*}}) attributes {allocation.offset = [[OFFSET:[0-9]+]] : i32
// CHECK-NEXT: default {
// CHECK-NEXT: ttng.fence_async_shared
// CHECK: local_alloc {allocation.offset = [[OFFSET]] : i32}
// CHECK: async_tma_copy_global_to_local
// CHECK-NOT: ttng.fence_async_shared
tt.func @after_captures(%d: !tt.tensordesc<tensor<64x64xf16, #nvmma>>, %i: i32, %b: !ttg.memdesc<1xi64, #plain, #smem, mutable>) {
  ttg.warp_specialize(%i)
  default {
    %true = arith.constant true
    %e = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttng.async_tma_copy_global_to_local %d[%i, %i] %e, %b, %true : !tt.tensordesc<tensor<64x64xf16, #nvmma>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    ttg.warp_yield
  }
  partition0(%k: i32) num_warps(1) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}
}
