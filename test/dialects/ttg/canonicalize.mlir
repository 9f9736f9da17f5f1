// One function per pattern; functions that must not change end in `_kept`.
// RUN: nereid-opt %s --allow-unregistered-dialect --canonicalize | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#v = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#p = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// The same layout of 128x2 as #p.
#pl = #ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared_t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: tt.func @convert_to_itself
  // CHECK-NEXT: tt.return %arg0
  tt.func @convert_to_itself(%arg0: tensor<16x32xf32, #a>) -> tensor<16x32xf32, #a> {
    %0 = ttg.convert_layout %arg0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #a>
    tt.return %0 : tensor<16x32xf32, #a>
  }

  // CHECK-LABEL: tt.func @convert_convert
  // CHECK-NEXT: %[[R:.*]] = ttg.convert_layout %arg0 : tensor<16x32xf32, #blocked> -> tensor<16x32xf32, #[[C:blocked[0-9]+]]>
  // CHECK-NEXT: tt.return %[[R]] : tensor<16x32xf32, #[[C]]>
  tt.func @convert_convert(%arg0: tensor<16x32xf32, #a>) -> tensor<16x32xf32, #c> {
    %0 = ttg.convert_layout %arg0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #b>
    %1 = ttg.convert_layout %0 : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
    tt.return %1 : tensor<16x32xf32, #c>
  }

  // CHECK-LABEL: tt.func @convert_back
  // CHECK-NEXT: tt.return %arg0
  tt.func @convert_back(%arg0: tensor<16x32xf32, #a>) -> tensor<16x32xf32, #a> {
    %0 = ttg.convert_layout %arg0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #b>
    %1 = ttg.convert_layout %0 : tensor<16x32xf32, #b> -> tensor<16x32xf32, #a>
    tt.return %1 : tensor<16x32xf32, #a>
  }

  // CHECK-LABEL: tt.func @convert_splat
  // CHECK-NEXT: tt.splat %arg0 : f32 -> tensor<16x32xf32, #[[C]]>
  // CHECK-NEXT: tt.return
  tt.func @convert_splat(%arg0: f32) -> tensor<16x32xf32, #c> {
    %0 = tt.splat %arg0 : f32 -> tensor<16x32xf32, #a>
    %1 = ttg.convert_layout %0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #c>
    tt.return %1 : tensor<16x32xf32, #c>
  }

  // CHECK-LABEL: tt.func @convert_range
  // CHECK-NEXT: tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #[[W:blocked[0-9]+]]>
  // CHECK-NEXT: tt.return
  tt.func @convert_range() -> tensor<128xi32, #w> {
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #v>
    %1 = ttg.convert_layout %0 : tensor<128xi32, #v> -> tensor<128xi32, #w>
    tt.return %1 : tensor<128xi32, #w>
  }

  // CHECK-LABEL: tt.func @convert_constant
  // CHECK-NEXT: arith.constant dense<1.500000e+00> : tensor<16x32xf32, #[[C]]>
  // CHECK-NEXT: tt.return
  tt.func @convert_constant() -> tensor<16x32xf32, #c> {
    %0 = arith.constant dense<1.5> : tensor<16x32xf32, #a>
    %1 = ttg.convert_layout %0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #c>
    tt.return %1 : tensor<16x32xf32, #c>
  }

  // The load is not moved: the buffer is written after it.
  // CHECK-LABEL: tt.func @convert_load
  // CHECK-NEXT: %[[L:.*]] = ttg.local_load %arg0 : {{.*}} -> tensor<16x32xf32, #[[C]]>
  // CHECK-NEXT: ttg.local_store %arg1, %arg0
  // CHECK-NEXT: tt.return %[[L]]
  tt.func @convert_load(%arg0: !ttg.memdesc<16x32xf32, #shared, #smem, mutable>, %arg1: tensor<16x32xf32, #a>) -> tensor<16x32xf32, #c> {
    %0 = ttg.local_load %arg0 : !ttg.memdesc<16x32xf32, #shared, #smem, mutable> -> tensor<16x32xf32, #a>
    ttg.local_store %arg1, %arg0 : tensor<16x32xf32, #a> -> !ttg.memdesc<16x32xf32, #shared, #smem, mutable>
    %1 = ttg.convert_layout %0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #c>
    tt.return %1 : tensor<16x32xf32, #c>
  }

  // CHECK-LABEL: tt.func @convert_histogram
  // CHECK-NEXT: tt.histogram %arg0 : {{.*}} -> tensor<128xi32, #[[W]]>
  // CHECK-NEXT: tt.return
  tt.func @convert_histogram(%arg0: tensor<512xi32, #v>) -> tensor<128xi32, #w> {
    %0 = tt.histogram %arg0 : tensor<512xi32, #v> -> tensor<128xi32, #v>
    %1 = ttg.convert_layout %0 : tensor<128xi32, #v> -> tensor<128xi32, #w>
    tt.return %1 : tensor<128xi32, #w>
  }

  // CHECK-LABEL: tt.func @convert_cat
  // CHECK-NEXT: tt.cat %arg0, %arg0 : {{.*}} -> tensor<512xf32, #[[W]]>
  // CHECK-NEXT: tt.return
  tt.func @convert_cat(%arg0: tensor<256xf32, #v>) -> tensor<512xf32, #w> {
    %0 = tt.cat %arg0, %arg0 : tensor<256xf32, #v> -> tensor<512xf32, #v>
    %1 = ttg.convert_layout %0 : tensor<512xf32, #v> -> tensor<512xf32, #w>
    tt.return %1 : tensor<512xf32, #w>
  }

  // CHECK-LABEL: tt.func @convert_reordered
  // CHECK-NEXT: tt.reshape %arg0 allow_reorder : {{.*}} -> tensor<512xf32, #[[W]]>
  // CHECK-NEXT: tt.return
  tt.func @convert_reordered(%arg0: tensor<16x32xf32, #a>) -> tensor<512xf32, #w> {
    %0 = tt.reshape %arg0 allow_reorder : tensor<16x32xf32, #a> -> tensor<512xf32, #v>
    %1 = ttg.convert_layout %0 : tensor<512xf32, #v> -> tensor<512xf32, #w>
    tt.return %1 : tensor<512xf32, #w>
  }

  // The numbers of elements per thread differ: the conversion would only move into the reshape.
  // CHECK-LABEL: tt.func @convert_reordered_kept
  // CHECK: tt.reshape
  // CHECK-NEXT: ttg.convert_layout
  tt.func @convert_reordered_kept(%arg0: tensor<8x16xf32, #a>) -> tensor<128xf32, #w> {
    %0 = tt.reshape %arg0 allow_reorder : tensor<8x16xf32, #a> -> tensor<128xf32, #v>
    %1 = ttg.convert_layout %0 : tensor<128xf32, #v> -> tensor<128xf32, #w>
    tt.return %1 : tensor<128xf32, #w>
  }

  // CHECK-LABEL: tt.func @accumulator_to_operand_kept
  // CHECK: tt.splat
  // CHECK-NEXT: ttg.convert_layout
  tt.func @accumulator_to_operand_kept(%arg0: f16) -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
    %0 = tt.splat %arg0 : f16 -> tensor<64x64xf16, #mma>
    %1 = ttg.convert_layout %0 : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    tt.return %1 : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  }

  // CHECK-LABEL: tt.func @convert_unknown_kept
  // CHECK: ttg.convert_layout %arg0
  tt.func @convert_unknown_kept(%arg0: tensor<16x32xf32, #a>) -> tensor<16x32xf32, #b> {
    %0 = ttg.convert_layout %arg0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #b>
    tt.return %0 : tensor<16x32xf32, #b>
  }

  // CHECK-LABEL: tt.func @alloc_convert
  // CHECK-NEXT: ttg.local_alloc %arg0 {alignment = 64 : i32} : (tensor<16x32xf32, #blocked>)
  // CHECK-NEXT: tt.return
  tt.func @alloc_convert(%arg0: tensor<16x32xf32, #a>) -> !ttg.memdesc<16x32xf32, #shared, #smem> {
    %0 = ttg.convert_layout %arg0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #b>
    %1 = ttg.local_alloc %0 {alignment = 64 : i32} : (tensor<16x32xf32, #b>) -> !ttg.memdesc<16x32xf32, #shared, #smem>
    tt.return %1 : !ttg.memdesc<16x32xf32, #shared, #smem>
  }

  // CHECK-LABEL: tt.func @store_convert
  // CHECK-NEXT: ttg.local_store %arg0, %arg1
  // CHECK-NEXT: tt.return
  tt.func @store_convert(%arg0: tensor<16x32xf32, #a>, %arg1: !ttg.memdesc<16x32xf32, #shared, #smem, mutable>) {
    %0 = ttg.convert_layout %arg0 : tensor<16x32xf32, #a> -> tensor<16x32xf32, #b>
    ttg.local_store %0, %arg1 : tensor<16x32xf32, #b> -> !ttg.memdesc<16x32xf32, #shared, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: tt.func @gather_convert
  // CHECK-NEXT: tt.gather %arg0[%arg1] {axis = 0 : i32}
  // CHECK-NEXT: tt.return
  tt.func @gather_convert(%arg0: tensor<128xf32, #v>, %arg1: tensor<512xi32, #w>) -> tensor<512xf32, #w> {
    %0 = ttg.convert_layout %arg0 : tensor<128xf32, #v> -> tensor<128xf32, #w>
    %1 = tt.gather %0[%arg1] {axis = 0 : i32} : (tensor<128xf32, #w>, tensor<512xi32, #w>) -> tensor<512xf32, #w>
    tt.return %1 : tensor<512xf32, #w>
  }

  // CHECK-LABEL: tt.func @gather_convert_kept
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: tt.gather
  tt.func @gather_convert_kept(%arg0: tensor<128xf32, #v>, %arg1: tensor<512xi32, #w>) -> tensor<512xf32, #w> {
    %0 = ttg.convert_layout %arg0 : tensor<128xf32, #v> -> tensor<128xf32, #w>
    %1 = tt.gather %0[%arg1] {axis = 0 : i32, efficient_layout} : (tensor<128xf32, #w>, tensor<512xi32, #w>) -> tensor<512xf32, #w>
    tt.return %1 : tensor<512xf32, #w>
  }

  // CHECK-LABEL: tt.func @histogram_convert
  // CHECK-NEXT: %[[M:.*]] = ttg.convert_layout %arg1 : tensor<512xi1, #[[W]]> -> tensor<512xi1, #[[V:blocked[0-9]+]]>
  // CHECK-NEXT: tt.histogram %arg0, %[[M]] : tensor<512xi32, #[[V]]>
  // CHECK-NEXT: tt.return
  tt.func @histogram_convert(%arg0: tensor<512xi32, #v>, %arg1: tensor<512xi1, #w>) -> tensor<128xi32, #v> {
    %0 = ttg.convert_layout %arg0 : tensor<512xi32, #v> -> tensor<512xi32, #w>
    %1 = tt.histogram %0, %arg1 : tensor<512xi32, #w> -> tensor<128xi32, #v>
    tt.return %1 : tensor<128xi32, #v>
  }

  // Two spellings of one layout.
  // CHECK-LABEL: tt.func @trans_convert
  // CHECK-NEXT: tt.trans %arg0
  // CHECK-NEXT: tt.return
  tt.func @trans_convert(%arg0: tensor<128x2xf32, #pl>) -> tensor<2x128xf32, #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>> {
    %0 = ttg.convert_layout %arg0 : tensor<128x2xf32, #pl> -> tensor<128x2xf32, #p>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<128x2xf32, #p> -> tensor<2x128xf32, #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>>
    tt.return %1 : tensor<2x128xf32, #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>>
  }

  // CHECK-LABEL: tt.func @trans_of_nothing
  // CHECK-NEXT: ttg.convert_layout %arg0 : tensor<128x2xf32, #linear> -> tensor<128x2xf32, #blocked{{[0-9]+}}>
  // CHECK-NEXT: tt.return
  tt.func @trans_of_nothing(%arg0: tensor<128x2xf32, #pl>) -> tensor<128x2xf32, #p> {
    %0 = tt.trans %arg0 {order = array<i32: 0, 1>} : tensor<128x2xf32, #pl> -> tensor<128x2xf32, #p>
    tt.return %0 : tensor<128x2xf32, #p>
  }

  // CHECK-LABEL: tt.func @reshape_convert
  // CHECK-NEXT: tt.reshape %arg0 : {{.*}} -> tensor<256xf32
  // CHECK-NEXT: tt.return
  tt.func @reshape_convert(%arg0: tensor<128x2xf32, #pl>) -> tensor<256xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>> {
    %0 = ttg.convert_layout %arg0 : tensor<128x2xf32, #pl> -> tensor<128x2xf32, #p>
    %1 = tt.reshape %0 : tensor<128x2xf32, #p> -> tensor<256xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
    tt.return %1 : tensor<256xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>
  }

  // The encodings of the two halves are equal.
  // CHECK-LABEL: tt.func @split_convert
  // CHECK-NEXT: tt.split %arg0
  // CHECK-NEXT: tt.return
  tt.func @split_convert(%arg0: tensor<128x2xf32, #p>) -> tensor<128xf32, #v> {
    %0 = ttg.convert_layout %arg0 : tensor<128x2xf32, #p> -> tensor<128x2xf32, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>>
    %1, %2 = tt.split %0 : tensor<128x2xf32, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>> -> tensor<128xf32, #v>
    tt.return %1 : tensor<128xf32, #v>
  }

  // CHECK-LABEL: tt.func @alloc_of_load
  // CHECK-NEXT: tt.return %arg0
  tt.func @alloc_of_load(%arg0: !ttg.memdesc<16x32xf32, #shared, #smem>) -> !ttg.memdesc<16x32xf32, #shared, #smem> {
    %0 = ttg.local_load %arg0 : !ttg.memdesc<16x32xf32, #shared, #smem> -> tensor<16x32xf32, #a>
    %1 = ttg.local_alloc %0 : (tensor<16x32xf32, #a>) -> !ttg.memdesc<16x32xf32, #shared, #smem>
    tt.return %1 : !ttg.memdesc<16x32xf32, #shared, #smem>
  }

  // A mutable allocation is a copy; another encoding requires another buffer.
  // CHECK-LABEL: tt.func @alloc_of_load_kept
  // CHECK: ttg.local_alloc
  // CHECK: ttg.local_alloc
  tt.func @alloc_of_load_kept(%arg0: !ttg.memdesc<16x32xf32, #shared, #smem>) -> (!ttg.memdesc<16x32xf32, #shared, #smem, mutable>, !ttg.memdesc<16x32xf32, #shared_t, #smem>) {
    %0 = ttg.local_load %arg0 : !ttg.memdesc<16x32xf32, #shared, #smem> -> tensor<16x32xf32, #a>
    %1 = ttg.local_alloc %0 : (tensor<16x32xf32, #a>) -> !ttg.memdesc<16x32xf32, #shared, #smem, mutable>
    %2 = ttg.local_alloc %0 : (tensor<16x32xf32, #a>) -> !ttg.memdesc<16x32xf32, #shared_t, #smem>
    tt.return %1, %2 : !ttg.memdesc<16x32xf32, #shared, #smem, mutable>, !ttg.memdesc<16x32xf32, #shared_t, #smem>
  }

  // CHECK-LABEL: tt.func @trans_trans
  // CHECK-NEXT: tt.return %arg0
  tt.func @trans_trans(%arg0: !ttg.memdesc<16x32xf32, #shared, #smem>) -> !ttg.memdesc<16x32xf32, #shared, #smem> {
    %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf32, #shared, #smem> -> !ttg.memdesc<32x16xf32, #shared_t, #smem>
    %1 = ttg.memdesc_trans %0 {order = array<i32: 1, 0>} : !ttg.memdesc<32x16xf32, #shared_t, #smem> -> !ttg.memdesc<16x32xf32, #shared, #smem>
    tt.return %1 : !ttg.memdesc<16x32xf32, #shared, #smem>
  }

  // CHECK-LABEL: tt.func @trans_trans_3d
  // CHECK-NEXT: ttg.memdesc_trans %arg0 {order = array<i32: 2, 0, 1>}
  // CHECK-NEXT: tt.return
  tt.func @trans_trans_3d(%arg0: !ttg.memdesc<2x16x32xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>, #smem>) -> !ttg.memdesc<32x2x16xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 2, 1]}>, #smem> {
    %0 = ttg.memdesc_trans %arg0 {order = array<i32: 0, 2, 1>} : !ttg.memdesc<2x16x32xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>, #smem> -> !ttg.memdesc<2x32x16xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 2, 0]}>, #smem>
    %1 = ttg.memdesc_trans %0 {order = array<i32: 1, 0, 2>} : !ttg.memdesc<2x32x16xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 2, 0]}>, #smem> -> !ttg.memdesc<32x2x16xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 2, 1]}>, #smem>
    tt.return %1 : !ttg.memdesc<32x2x16xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 2, 1]}>, #smem>
  }

  // CHECK-LABEL: tt.func @reinterpret_as_itself
  // CHECK-NEXT: tt.return %arg0
  tt.func @reinterpret_as_itself(%arg0: !ttg.memdesc<16x32xf32, #shared, #smem>) -> !ttg.memdesc<16x32xf32, #shared, #smem> {
    %0 = ttg.memdesc_reinterpret %arg0 : !ttg.memdesc<16x32xf32, #shared, #smem> -> !ttg.memdesc<16x32xf32, #shared, #smem>
    tt.return %0 : !ttg.memdesc<16x32xf32, #shared, #smem>
  }

  // CHECK-LABEL: tt.func @unused_buffers
  // CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %arg0 : {{.*}} mutable>
  // CHECK-NEXT: ttg.local_dealloc %[[M]]
  // CHECK-NEXT: tt.return
  tt.func @unused_buffers(%arg0: tensor<16x32xf32, #a>) {
    %0 = ttg.local_alloc %arg0 : (tensor<16x32xf32, #a>) -> !ttg.memdesc<16x32xf32, #shared, #smem>
    %1 = ttg.local_alloc %arg0 : (tensor<16x32xf32, #a>) -> !ttg.memdesc<16x32xf32, #shared, #smem, mutable>
    ttg.local_dealloc %1 : !ttg.memdesc<16x32xf32, #shared, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: tt.func @captures
  // CHECK-NEXT: %[[R:.*]] = ttg.warp_specialize(%arg0, %arg1)
  // CHECK: ttg.warp_yield %arg1 : i64
  // CHECK: partition0(%[[A:.*]]: i32, %[[B:.*]]: i64) num_warps(4)
  // CHECK-NEXT: "test.use"(%[[A]], %[[A]], %[[B]])
  // CHECK: partition1(%[[C:.*]]: i32, %{{.*}}: i64) num_warps(4)
  // CHECK-NEXT: "test.use"(%[[C]])
  // CHECK: } : (i32, i64) -> i64
  // CHECK-NEXT: tt.return %[[R]] : i64
  tt.func @captures(%arg0: i32, %arg1: i64) -> i64 {
    %0:2 = ttg.warp_specialize(%arg0, %arg0, %arg1, %arg1)
    default {
      ttg.warp_yield %arg0, %arg1 : i32, i64
    }
    partition0(%arg2: i32, %arg3: i32, %arg4: i64, %arg5: i64) num_warps(4) {
      "test.use"(%arg2, %arg3, %arg4) : (i32, i32, i64) -> ()
      ttg.warp_return
    }
    partition1(%arg2: i32, %arg3: i32, %arg4: i64, %arg5: i64) num_warps(4) {
      "test.use"(%arg3) : (i32) -> ()
      ttg.warp_return
    } : (i32, i32, i64, i64) -> (i32, i64)
    tt.return %0#1 : i64
  }

  // CHECK-LABEL: tt.func @specialized_for_nothing
  // CHECK-NEXT: tt.return
  tt.func @specialized_for_nothing(%arg0: i32) {
    %0 = ttg.warp_specialize(%arg0)
    default {
      %1 = arith.addi %arg0, %arg0 : i32
      ttg.warp_yield %1 : i32
    }
    partition0(%arg1: i32) num_warps(4) {
      %1 = arith.addi %arg1, %arg1 : i32
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}
