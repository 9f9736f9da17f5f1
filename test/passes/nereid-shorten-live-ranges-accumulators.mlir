// RUN: nereid-opt %s --nereid-shorten-live-ranges | FileCheck %s

// The accumulator of 128 registers ends with the epilogue of its tile, which needs as many for a loaded tensor: after the branch the
// flag of the dot is false, so zeros take its place.
// CHECK-LABEL: @tiles(
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x256xf32
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tt.store
// CHECK-NEXT: scf.yield %[[ZEROS]]
// CHECK: else
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @tiles(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x256xf16, #shared, #smem>, %p: tensor<64x256x!tt.ptr<f32>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %true = arith.constant true
  %false = arith.constant false
  %none = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none, %keep = %false) -> (tensor<64x256xf32, #mma>, i1) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc, %keep {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x256xf16, #shared, #smem> -> tensor<64x256xf32, #mma>
    %step = arith.andi %i, %c7 : i32
    %last = arith.cmpi eq, %step, %c7 : i32
    %e = scf.if %last -> (tensor<64x256xf32, #mma>) {
      %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x256xf32, #mma>
      %x = tt.load %p : tensor<64x256x!tt.ptr<f32>, #rows>
      %h = arith.truncf %w : tensor<64x256xf32, #mma> to tensor<64x256xf16, #mma>
      %y = ttg.convert_layout %h : tensor<64x256xf16, #mma> -> tensor<64x256xf16, #rows>
      %z = arith.extf %y : tensor<64x256xf16, #rows> to tensor<64x256xf32, #rows>
      %s = arith.addf %x, %z : tensor<64x256xf32, #rows>
      tt.store %p, %s : tensor<64x256x!tt.ptr<f32>, #rows>
      scf.yield %w : tensor<64x256xf32, #mma>
    } else {
      scf.yield %d : tensor<64x256xf32, #mma>
    }
    %keeps = arith.xori %last, %true : i1
    scf.yield %e, %keeps : tensor<64x256xf32, #mma>, i1
  }
  %r = ttng.warp_group_dot_wait %l#0 {pendings = 0 : i32} : tensor<64x256xf32, #mma>
  tt.return
}

// The accumulator is stored after the loop.
// CHECK-LABEL: @stored(
// CHECK: scf.if
// CHECK: %[[W:.*]] = ttng.warp_group_dot_wait
// CHECK: tt.store
// CHECK-NEXT: scf.yield %[[W]]
tt.func public @stored(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x256xf16, #shared, #smem>, %p: tensor<64x256x!tt.ptr<f32>, #rows>, %n: i32) -> tensor<64x256xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %true = arith.constant true
  %false = arith.constant false
  %none = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none, %keep = %false) -> (tensor<64x256xf32, #mma>, i1) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc, %keep {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x256xf16, #shared, #smem> -> tensor<64x256xf32, #mma>
    %step = arith.andi %i, %c7 : i32
    %last = arith.cmpi eq, %step, %c7 : i32
    %e = scf.if %last -> (tensor<64x256xf32, #mma>) {
      %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x256xf32, #mma>
      %x = tt.load %p : tensor<64x256x!tt.ptr<f32>, #rows>
      %y = ttg.convert_layout %w : tensor<64x256xf32, #mma> -> tensor<64x256xf32, #rows>
      %s = arith.addf %x, %y : tensor<64x256xf32, #rows>
      tt.store %p, %s : tensor<64x256x!tt.ptr<f32>, #rows>
      scf.yield %w : tensor<64x256xf32, #mma>
    } else {
      scf.yield %d : tensor<64x256xf32, #mma>
    }
    %keeps = arith.xori %last, %true : i1
    scf.yield %e, %keeps : tensor<64x256xf32, #mma>, i1
  }
  %r = ttng.warp_group_dot_wait %l#0 {pendings = 0 : i32} : tensor<64x256xf32, #mma>
  tt.return %r : tensor<64x256xf32, #mma>
}
}
