// Values that go to shared memory in any case: loads of loops with dots, and what buffers are filled with.
// RUN: nereid-opt %s --tritongpu-remove-layout-conversions=mma-only=1 | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#square = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{{.*}} instrShape = [16, 64, 16]

// The operand of the first dot is not loaded a second time, in its layout: the pipelined loop would copy it to a second
// ring.
// CHECK-LABEL: @two_uses
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NOT: tt.load
// CHECK: ttg.convert_layout %{{.*}} -> tensor<64x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// CHECK: ttng.warp_group_dot
tt.func public @two_uses(%base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !ttg.memdesc<16x64xbf16, #wide, #smem>, %t: !ttg.memdesc<64x64xbf16, #wide, #smem>, %q: tensor<64x16x!tt.ptr<f32>, #mma1>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma1>
  %stride = arith.constant dense<16> : tensor<64x1xi32, #rows>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
  %j = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #rows}>>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
  %column = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x16xi32, #rows>
  %offset = arith.muli %row, %stride : tensor<64x1xi32, #rows>
  %offsets = tt.broadcast %offset : tensor<64x1xi32, #rows> -> tensor<64x16xi32, #rows>
  %columns = tt.broadcast %column : tensor<1x16xi32, #rows> -> tensor<64x16xi32, #rows>
  %at = arith.addi %offsets, %columns : tensor<64x16xi32, #rows>
  %pointers = tt.splat %base : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>, #rows>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %step = tt.splat %k : i32 -> tensor<64x16xi32, #rows>
    %here = arith.addi %at, %step : tensor<64x16xi32, #rows>
    %p = tt.addptr %pointers, %here : tensor<64x16x!tt.ptr<f32>, #rows>, tensor<64x16xi32, #rows>
    %x = tt.load %p : tensor<64x16x!tt.ptr<f32>, #rows>
    %h = arith.truncf %x : tensor<64x16xf32, #rows> to tensor<64x16xbf16, #rows>
    %xa = ttg.convert_layout %h : tensor<64x16xbf16, #rows> -> tensor<64x16xbf16, #a>
    %d = ttng.warp_group_dot %xa, %b, %acc {inputPrecision = 0 : i32} : tensor<64x16xbf16, #a> * !ttg.memdesc<16x64xbf16, #wide, #smem> -> tensor<64x64xf32, #mma>
    %xb = ttg.local_alloc %h : (tensor<64x16xbf16, #rows>) -> !ttg.memdesc<64x16xbf16, #shared, #smem>
    %e = ttng.warp_group_dot %t, %xb, %none {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xbf16, #wide, #smem> * !ttg.memdesc<64x16xbf16, #shared, #smem> -> tensor<64x16xf32, #mma1>
    tt.store %q, %e : tensor<64x16x!tt.ptr<f32>, #mma1>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// The loop carries the result of the dot in its own layout; buffers are filled from any.
// CHECK-LABEL: @powers
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[MMA]]>)
// CHECK: scf.yield %{{.*}} : tensor<64x64xf32, #[[MMA]]>
tt.func public @powers(%x: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<64x64xf32, #blocked>) : i32 {
    %a = ttg.local_alloc %s : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #square, #smem>
    %b = ttg.local_alloc %s : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #columns, #smem>
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf32, #square, #smem> * !ttg.memdesc<64x64xf32, #columns, #smem> -> tensor<64x64xf32, #mma>
    %e = ttg.convert_layout %d : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    scf.yield %e : tensor<64x64xf32, #blocked>
  }
  %y = ttg.convert_layout %r : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #mma>
  tt.return %y : tensor<64x64xf32, #mma>
}
}
