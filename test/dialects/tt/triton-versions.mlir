// IR of Triton 3.6 to 3.9 is printed in the spelling of its input. Each section has its own context.
// RUN: nereid-opt %s --split-input-file > %t && nereid-opt %t --split-input-file | diff %t -
// RUN: FileCheck %s --input-file=%t
// RUN: nereid-opt %s --split-input-file --mlir-print-op-generic | nereid-opt --split-input-file | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: @v36
// CHECK-SAME: !tt.tensordesc<tensor<32x64xf16>>
// CHECK: tt.load %{{.*}} cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>
// CHECK: tt.store %{{.*}}, %{{.*}} evictionPolicy = evict_last : !tt.ptr<f32>
// CHECK: ttg.local_barrier
// GENERIC-LABEL: @v36
// GENERIC: cacheModifier = cg
tt.func @v36(%d: !tt.tensordesc<tensor<32x64xf16>>, %p: !tt.ptr<f32>, %i: i32) {
  %0 = tt.load %p evictionPolicy = evict_first cacheModifier = cg {isVolatile = true} : !tt.ptr<f32>
  tt.store %p, %0 evictionPolicy = evict_last : !tt.ptr<f32>
  %1 = tt.descriptor_load %d[%i, %i] cacheModifier = ca : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  ttg.local_barrier
  tt.return
}

// -----

// CHECK-LABEL: @v37
// CHECK: ttg.barrier local
// CHECK: ttg.barrier global_read|global_write
// CHECK: ttg.barrier local|tensor_read|tensor_write
// CHECK: ttg.barrier all
// CHECK: ttg.barrier none
tt.func @v37() {
  ttg.barrier local
  ttg.barrier global_write|global_read
  ttg.barrier local|tensor_read|tensor_write
  ttg.barrier local|global_read|global_write|tensor_read|tensor_write
  ttg.barrier none
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-LABEL: @v38
// CHECK-SAME: !tt.tensordesc<32x64xf16>
// CHECK-SAME: !tt.tensordesc<8xui8>
// CHECK-SAME: !tt.tensordesc<32x64xf16, #shared>
// CHECK: tt.descriptor_load %{{.*}} evictionPolicy = evict_first : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
tt.func @v38(%d: !tt.tensordesc<32x64xf16>, %e: !tt.tensordesc<8xui8>, %f: !tt.tensordesc<32x64xf16, #shared>, %i: i32) {
  %0 = tt.descriptor_load %d[%i, %i] evictionPolicy = evict_first : !tt.tensordesc<32x64xf16> -> tensor<32x64xf16>
  tt.return
}

// -----

// The newest spelling in the input determines the printed version.
// CHECK-LABEL: @v39
// CHECK-SAME: !tt.tensordesc<16x16xf32>
// CHECK: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>, isVolatile = true} : !tt.ptr<f32>
// CHECK: tt.load %{{.*}} : !tt.ptr<f32>
// CHECK: tt.store %{{.*}}, %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : !tt.ptr<f32>
// CHECK: tt.descriptor_load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_normal>} : !tt.tensordesc<16x16xf32>
// CHECK: tt.approx_divf %{{.*}}, %{{.*}} : f32
// CHECK: tt.grid_dependency_wait
// CHECK: tt.grid_dependency_launch_dependents
tt.func @v39(%d: !tt.tensordesc<tensor<16x16xf32>>, %p: !tt.ptr<f32>, %i: i32) {
  %0 = tt.load %p {isVolatile = true, cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_normal>} : !tt.ptr<f32>
  tt.store %p, %0 {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : !tt.ptr<f32>
  %2 = tt.descriptor_load %d[%i, %i] cacheModifier = ca : !tt.tensordesc<tensor<16x16xf32>> -> tensor<16x16xf32>
  %3 = tt.approx_divf %0, %1 : f32
  tt.grid_dependency_wait
  tt.grid_dependency_launch_dependents
  tt.return
}

// -----

// Encodings that agree up to the position of repeated or broadcast elements (3.9).
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#line = #ttg.linear<{register = [[8, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0]], block = []}>
#cube = #ttg.linear<{register = [[0, 0, 4], [8, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 0], [1, 0, 0], [2, 0, 0]], warp = [[4, 0, 0]], block = []}>
module attributes {"ttg.num-warps" = 2 : i32, "ttng.two-ctas" = false} {
  // CHECK-LABEL: @encodings
  // CHECK: tt.broadcast %{{.*}} : tensor<16x1xf32, #{{.*}}> -> tensor<16x64xf32, #{{.*}}>
  // CHECK: tt.reshape %{{.*}} : tensor<16x1xf32, #{{.*}}> -> tensor<16x1x1xf32, #{{.*}}>
  tt.func @encodings(%x: tensor<16x1xf32, #narrow>, %y: tensor<16x1xf32, #line>) {
    %0 = tt.broadcast %x : tensor<16x1xf32, #narrow> -> tensor<16x64xf32, #wide>
    %1 = tt.reshape %y : tensor<16x1xf32, #line> -> tensor<16x1x1xf32, #cube>
    tt.return
  }
}

// -----

// In a cluster, each CTA has its own mbarrier (3.7).
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @cluster_barrier
  tt.func @cluster_barrier() {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #bars, #smem, mutable>
    // CHECK: ttng.init_barrier %{{.*}}, 1 : !ttg.memdesc<2xi64,
    ttng.init_barrier %0, 1 : !ttg.memdesc<2xi64, #bars, #smem, mutable>
    tt.return
  }
}
