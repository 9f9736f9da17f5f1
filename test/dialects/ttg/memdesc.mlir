// Round trips of buffers and their views: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#trans = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#wgmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#wgmma_t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#wgmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#padded = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
#padded_t = #ttg.padded_shared<[32:+4] {order = [0, 1], shape = [32, 16]}>
#lin = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 16>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @types
  // CHECK-SAME: %arg0: !ttg.memdesc<16x32xf16, #shared, #smem>,
  // CHECK-SAME: %arg1: !ttg.memdesc<3x16x32x!tt.ptr<f16>, #shared, #smem, mutable>,
  // CHECK-SAME: %arg2: !ttg.memdesc<16x32xf16, #shared, #smem, 16x64>,
  // CHECK-SAME: %arg3: !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 3x16x32>,
  // CHECK-SAME: %arg4: !ttg.memdesc<16x32xf8E4M3FN, #shared{{[0-9]*}}, #smem>,
  // CHECK-SAME: %arg5: !ttg.async.token
  tt.func @types(%arg0: !ttg.memdesc<16x32xf16, #shared, #smem>,
                 %arg1: !ttg.memdesc<3x16x32x!tt.ptr<f16>, #shared, #smem, mutable>,
                 %arg2: !ttg.memdesc<16x32xf16, #shared, #smem, 16x64>,
                 %arg3: !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 3x16x32>,
                 %arg4: !ttg.memdesc<16x32xf8E4M3FN, #padded, #smem, 16x32>,
                 %arg5: !ttg.async.token) {
    tt.return
  }

  // CHECK-LABEL: tt.func @allocate
  tt.func @allocate(%arg0: tensor<16x32xf16, #blocked>, %arg1: !ttg.async.token) {
    // CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>
    %0 = ttg.local_alloc : () -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.local_alloc %arg0 {alignment = 128 : i32} : (tensor<16x32xf16, #blocked>) -> !ttg.memdesc<16x32xf16, #shared, #smem>
    %1 = ttg.local_alloc %arg0 {alignment = 128 : i32} : (tensor<16x32xf16, #blocked>) -> !ttg.memdesc<16x32xf16, #shared, #smem>
    // CHECK: ttg.local_store %arg0, %[[A]] : tensor<16x32xf16, #blocked> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>
    ttg.local_store %arg0, %0 : tensor<16x32xf16, #blocked> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.local_load %[[A]] : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #blocked>
    %2 = ttg.local_load %0 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #blocked>
    // CHECK: ttg.local_load %[[A]] token %arg1 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #blocked>
    %3 = ttg.local_load %0 token %arg1 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #blocked>
    // CHECK: ttg.local_barrier
    ttg.local_barrier
    // CHECK: ttg.local_dealloc %[[A]] : !ttg.memdesc<16x32xf16, #shared, #smem, mutable>
    ttg.local_dealloc %0 : !ttg.memdesc<16x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 384 : i32} : !tt.ptr<i8>
    %4 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 384 : i32} : !tt.ptr<i8>
    tt.return
  }

  // CHECK-LABEL: tt.func @views
  tt.func @views(%arg0: !ttg.memdesc<3x64x64xf16, #wgmma, #smem, mutable>, %arg1: i32,
                 %arg2: !ttg.memdesc<16x32xf16, #padded, #smem>, %arg3: !ttg.memdesc<16x64xf32, #plain, #smem, mutable>,
                 %arg4: !ttg.memdesc<64x64xf16, #shared, #smem>) {
    // CHECK: %[[TILE:.*]] = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<3x64x64xf16, #[[N:shared[0-9]*]], #smem, mutable> -> !ttg.memdesc<64x64xf16, #[[N]], #smem, mutable>
    %0 = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<3x64x64xf16, #wgmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #wgmma, #smem, mutable>
    // CHECK: ttg.memdesc_trans %[[TILE]] {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #[[N]], #smem, mutable> -> !ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>
    %1 = ttg.memdesc_trans %0 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #wgmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #wgmma_t, #smem, mutable>
    // CHECK: ttg.memdesc_subslice %[[TILE]][32, 0] : !ttg.memdesc<64x64xf16, #[[N]], #smem, mutable> -> !ttg.memdesc<32x64xf16, #[[N]], #smem, mutable, 64x64>
    %2 = ttg.memdesc_subslice %0[32, 0] : !ttg.memdesc<64x64xf16, #wgmma, #smem, mutable> -> !ttg.memdesc<32x64xf16, #wgmma, #smem, mutable, 64x64>
    // CHECK: ttg.memdesc_reshape %[[TILE]] : !ttg.memdesc<64x64xf16, #[[N]], #smem, mutable> -> !ttg.memdesc<4x16x64xf16, #{{.*}}, #smem, mutable>
    %3 = ttg.memdesc_reshape %0 : !ttg.memdesc<64x64xf16, #wgmma, #smem, mutable> -> !ttg.memdesc<4x16x64xf16, #wgmma3, #smem, mutable>
    // CHECK: ttg.memdesc_reinterpret %[[TILE]] : !ttg.memdesc<64x64xf16, #[[N]], #smem, mutable> -> !ttg.memdesc<128x64xi8, #{{.*}}, #smem, mutable>
    %4 = ttg.memdesc_reinterpret %0 : !ttg.memdesc<64x64xf16, #wgmma, #smem, mutable> -> !ttg.memdesc<128x64xi8, #plain, #smem, mutable>
    // CHECK: ttg.memdesc_trans %arg2
    %5 = ttg.memdesc_trans %arg2 {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf16, #padded, #smem> -> !ttg.memdesc<32x16xf16, #padded_t, #smem>
    // CHECK: ttg.memdesc_subslice %arg3[8, 32]
    %6 = ttg.memdesc_subslice %arg3[8, 32] : !ttg.memdesc<16x64xf32, #plain, #smem, mutable> -> !ttg.memdesc<8x32xf32, #plain, #smem, mutable, 16x64>
    // CHECK: ttg.memdesc_subslice %arg2[0, 16]
    %7 = ttg.memdesc_subslice %arg2[0, 16] : !ttg.memdesc<16x32xf16, #padded, #smem> -> !ttg.memdesc<16x16xf16, #padded, #smem, 16x32>
    // A subslice may drop whole rows of swizzle patterns.
    // CHECK: ttg.memdesc_subslice %arg4[8, 0]
    %8 = ttg.memdesc_subslice %arg4[8, 0] : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<8x64xf16, #shared, #smem, 64x64>
    // CHECK: ttg.memdesc_trans %arg4
    %9 = ttg.memdesc_trans %arg4 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #trans, #smem>
    tt.return
  }

  // CHECK-LABEL: tt.func @async
  tt.func @async(%arg0: tensor<16x32x!tt.ptr<f16>, #blocked>, %arg1: !ttg.memdesc<16x32xf16, #shared, #smem, mutable>,
                 %arg2: tensor<16x32xi1, #blocked>, %arg3: tensor<16x32xf16, #blocked>) {
    // CHECK: %[[C:.*]] = ttg.async_copy_global_to_local %arg0, %arg1 : tensor<16x32x!tt.ptr<f16>, #blocked> -> <16x32xf16, #shared, #smem, mutable>
    %0 = ttg.async_copy_global_to_local %arg0, %arg1 : tensor<16x32x!tt.ptr<f16>, #blocked> -> <16x32xf16, #shared, #smem, mutable>
    // CHECK: %[[D:.*]] = ttg.async_copy_global_to_local %arg0, %arg1 mask %arg2 other %arg3 cacheModifier = ca evictionPolicy = evict_last {contiguity = 8 : i32, isVolatile = true} : tensor
    %1 = ttg.async_copy_global_to_local %arg0, %arg1 mask %arg2 other %arg3 cacheModifier = ca evictionPolicy = evict_last {contiguity = 8 : i32, isVolatile = true} : tensor<16x32x!tt.ptr<f16>, #blocked> -> <16x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.async_copy_global_to_local %arg0, %arg1 mask %arg2 : tensor
    %2 = ttg.async_copy_global_to_local %arg0, %arg1 mask %arg2 {contiguity = 1 : i32} : tensor<16x32x!tt.ptr<f16>, #blocked> -> <16x32xf16, #shared, #smem, mutable>
    // CHECK: %[[G:.*]] = ttg.async_commit_group tokens %[[C]], %[[D]]
    %3 = ttg.async_commit_group tokens %0, %1
    // CHECK: %[[H:.*]] = ttg.async_commit_group
    %4 = ttg.async_commit_group
    // CHECK: ttg.async_wait %[[G]], %[[H]] {num = 2 : i32}
    %5 = ttg.async_wait %3, %4 {num = 2 : i32}
    // CHECK: ttg.async_wait {num = 0 : i32}
    %6 = ttg.async_wait {num = 0 : i32}
    tt.return
  }
}
