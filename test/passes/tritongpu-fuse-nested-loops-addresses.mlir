// The addresses of rows in a fused nest: the prologue of the inner loop computes them, later iterations use them.
// RUN: nereid-opt %s --split-input-file --tritongpu-fuse-nested-loops --canonicalize | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#column = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // 64 registers of results and 32 of addresses: the loop carries the addresses.
  // CHECK-LABEL: @carries_addresses
  // CHECK: scf.for
  // CHECK: scf.if {{.*}} -> (tensor<128x1x!tt.ptr<f16>, #blocked>, tensor<128x1x!tt.ptr<f16>, #blocked>)
  // CHECK: tt.addptr
  // CHECK: tt.addptr
  // CHECK: } else {
  tt.func public @carries_addresses(%a: !tt.ptr<f16>, %c: tensor<128x128x!tt.ptr<f32>, #mma>, %pitch: tensor<128x1xi32, #rows>, %tiles: i32, %steps: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #column>
    %base = tt.splat %a : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #rows>
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %start = arith.muli %tile, %c128 : i32
      %starts = tt.splat %start : i32 -> tensor<128xi32, #column>
      %numbers = arith.addi %range, %starts : tensor<128xi32, #column>
      %row = tt.expand_dims %numbers {axis = 1 : i32} : tensor<128xi32, #column> -> tensor<128x1xi32, #rows>
      %offsets = arith.muli %row, %pitch : tensor<128x1xi32, #rows>
      %others = arith.addi %offsets, %row : tensor<128x1xi32, #rows>
      %p = tt.addptr %base, %offsets : tensor<128x1x!tt.ptr<f16>, #rows>, tensor<128x1xi32, #rows>
      %q = tt.addptr %base, %others : tensor<128x1x!tt.ptr<f16>, #rows>, tensor<128x1xi32, #rows>
      %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
        %shift = tt.splat %k : i32 -> tensor<128x128xi32, #rows>
        %wide = tt.broadcast %p : tensor<128x1x!tt.ptr<f16>, #rows> -> tensor<128x128x!tt.ptr<f16>, #rows>
        %at = tt.addptr %wide, %shift : tensor<128x128x!tt.ptr<f16>, #rows>, tensor<128x128xi32, #rows>
        %x = tt.load %at : tensor<128x128x!tt.ptr<f16>, #rows>
        %wide2 = tt.broadcast %q : tensor<128x1x!tt.ptr<f16>, #rows> -> tensor<128x128x!tt.ptr<f16>, #rows>
        %at2 = tt.addptr %wide2, %shift : tensor<128x128x!tt.ptr<f16>, #rows>, tensor<128x128xi32, #rows>
        %y = tt.load %at2 : tensor<128x128x!tt.ptr<f16>, #rows>
        %xs = ttg.local_alloc %x : (tensor<128x128xf16, #rows>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
        %ys = ttg.local_alloc %y : (tensor<128x128xf16, #rows>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
        %yt = ttg.memdesc_trans %ys {order = array<i32: 1, 0>} : !ttg.memdesc<128x128xf16, #shared, #smem> -> !ttg.memdesc<128x128xf16, #shared1, #smem>
        %d = ttng.warp_group_dot %xs, %yt, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
        scf.yield %d : tensor<128x128xf32, #mma>
      }
      tt.store %c, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    } {tt.flatten}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#column = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // 128 registers of results and 64 of addresses would leave too few: the loop carries the offsets, of half the size, and adds them
  // to the base in each iteration.
  // CHECK-LABEL: @carries_offsets
  // CHECK: scf.for
  // CHECK: %[[OFFSETS:.*]]:2 = scf.if {{.*}} -> (tensor<128x1xi32, #blocked>, tensor<128x1xi32, #blocked>)
  // CHECK-NOT: tt.addptr
  // CHECK: } else {
  // CHECK: tt.addptr %{{.*}}, %[[OFFSETS]]#0
  // CHECK: tt.addptr %{{.*}}, %[[OFFSETS]]#1
  // CHECK: ttng.warp_group_dot
  tt.func public @carries_offsets(%a: !tt.ptr<f16>, %c: tensor<128x128x!tt.ptr<f32>, #mma>, %pitch: tensor<128x1xi32, #rows>, %tiles: i32, %steps: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #column>
    %base = tt.splat %a : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #rows>
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %start = arith.muli %tile, %c128 : i32
      %starts = tt.splat %start : i32 -> tensor<128xi32, #column>
      %numbers = arith.addi %range, %starts : tensor<128xi32, #column>
      %row = tt.expand_dims %numbers {axis = 1 : i32} : tensor<128xi32, #column> -> tensor<128x1xi32, #rows>
      %offsets = arith.muli %row, %pitch : tensor<128x1xi32, #rows>
      %others = arith.addi %offsets, %row : tensor<128x1xi32, #rows>
      %p = tt.addptr %base, %offsets : tensor<128x1x!tt.ptr<f16>, #rows>, tensor<128x1xi32, #rows>
      %q = tt.addptr %base, %others : tensor<128x1x!tt.ptr<f16>, #rows>, tensor<128x1xi32, #rows>
      %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
        %shift = tt.splat %k : i32 -> tensor<128x128xi32, #rows>
        %wide = tt.broadcast %p : tensor<128x1x!tt.ptr<f16>, #rows> -> tensor<128x128x!tt.ptr<f16>, #rows>
        %at = tt.addptr %wide, %shift : tensor<128x128x!tt.ptr<f16>, #rows>, tensor<128x128xi32, #rows>
        %x = tt.load %at : tensor<128x128x!tt.ptr<f16>, #rows>
        %wide2 = tt.broadcast %q : tensor<128x1x!tt.ptr<f16>, #rows> -> tensor<128x128x!tt.ptr<f16>, #rows>
        %at2 = tt.addptr %wide2, %shift : tensor<128x128x!tt.ptr<f16>, #rows>, tensor<128x128xi32, #rows>
        %y = tt.load %at2 : tensor<128x128x!tt.ptr<f16>, #rows>
        %xs = ttg.local_alloc %x : (tensor<128x128xf16, #rows>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
        %ys = ttg.local_alloc %y : (tensor<128x128xf16, #rows>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
        %yt = ttg.memdesc_trans %ys {order = array<i32: 1, 0>} : !ttg.memdesc<128x128xf16, #shared, #smem> -> !ttg.memdesc<128x128xf16, #shared1, #smem>
        %d = ttng.warp_group_dot %xs, %yt, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
        scf.yield %d : tensor<128x128xf32, #mma>
      }
      tt.store %c, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    } {tt.flatten}
    tt.return
  }
}
