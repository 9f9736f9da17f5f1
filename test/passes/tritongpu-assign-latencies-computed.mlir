// Operands are computed in the iteration of their dot, not one ahead, where the loop would carry other tensors of the computation
// in registers that a thread does not have, and the dots of an iteration are short.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s

// CHECK: :[[# @LINE + 16]]:{{.*}}operands are not computed ahead: they take 32 registers of a thread, tensors that later ops use 64, other tensors 288, and 215 are available

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The sum uses %f, too.
  // CHECK-LABEL: @two_warps
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} : (tensor<
  tt.func public @two_warps(%p: tensor<64x64x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: tensor<64x64xbf16, #a>, %scale: f32, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #rows>
    %factor = tt.splat %scale : f32 -> tensor<64x64xf32, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #rows>
      %f = arith.extf %x : tensor<64x64xbf16, #rows> to tensor<64x64xf32, #rows>
      %y = arith.mulf %f, %factor : tensor<64x64xf32, #rows>
      %h = arith.truncf %y : tensor<64x64xf32, #rows> to tensor<64x64xbf16, #rows>
      %b = ttg.convert_layout %h : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #mma>
      %s = arith.addf %sum, %f : tensor<64x64xf32, #rows>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Half as many registers per thread.
  // CHECK-LABEL: @four_warps
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32} : (tensor<
  tt.func public @four_warps(%p: tensor<64x64x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: tensor<64x64xbf16, #a>, %scale: f32, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #rows>
    %factor = tt.splat %scale : f32 -> tensor<64x64xf32, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #rows>
      %f = arith.extf %x : tensor<64x64xbf16, #rows> to tensor<64x64xf32, #rows>
      %y = arith.mulf %f, %factor : tensor<64x64xf32, #rows>
      %h = arith.truncf %y : tensor<64x64xf32, #rows> to tensor<64x64xbf16, #rows>
      %b = ttg.convert_layout %h : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #mma>
      %s = arith.addf %sum, %f : tensor<64x64xf32, #rows>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Dots of 2^20 multiply-adds hide the spills.
  // CHECK-LABEL: @long_dots
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32} : (tensor<
  tt.func public @long_dots(%p: tensor<256x64x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: tensor<64x256xbf16, #a>, %scale: f32, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<256x64xf32, #rows>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %none = arith.constant dense<0.0> : tensor<256x64xf32, #rows>
    %factor = tt.splat %scale : f32 -> tensor<256x64xf32, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (tensor<64x64xf32, #mma>, tensor<256x64xf32, #rows>) : i32 {
      %x = tt.load %p : tensor<256x64x!tt.ptr<bf16>, #rows>
      %f = arith.extf %x : tensor<256x64xbf16, #rows> to tensor<256x64xf32, #rows>
      %y = arith.mulf %f, %factor : tensor<256x64xf32, #rows>
      %h = arith.truncf %y : tensor<256x64xf32, #rows> to tensor<256x64xbf16, #rows>
      %b = ttg.convert_layout %h : tensor<256x64xbf16, #rows> -> tensor<256x64xbf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x256xbf16, #a> * tensor<256x64xbf16, #b> -> tensor<64x64xf32, #mma>
      %s = arith.addf %sum, %f : tensor<256x64xf32, #rows>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<256x64xf32, #rows>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<256x64xf32, #rows>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // 64 * 16 further registers are spilled anyway.
  // CHECK-LABEL: @many_tensors
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32} : (tensor<
  tt.func public @many_tensors(%p: tensor<64x64x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: tensor<64x64xbf16, #a>, %scale: f32, %n: i32, %t0: tensor<64x64xf32, #mma>, %t1: tensor<64x64xf32, #mma>, %t2: tensor<64x64xf32, #mma>, %t3: tensor<64x64xf32, #mma>, %t4: tensor<64x64xf32, #mma>, %t5: tensor<64x64xf32, #mma>, %t6: tensor<64x64xf32, #mma>, %t7: tensor<64x64xf32, #mma>, %t8: tensor<64x64xf32, #mma>, %t9: tensor<64x64xf32, #mma>, %t10: tensor<64x64xf32, #mma>, %t11: tensor<64x64xf32, #mma>, %t12: tensor<64x64xf32, #mma>, %t13: tensor<64x64xf32, #mma>, %t14: tensor<64x64xf32, #mma>, %t15: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #rows>
    %factor = tt.splat %scale : f32 -> tensor<64x64xf32, #rows>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #rows>
      %f = arith.extf %x : tensor<64x64xbf16, #rows> to tensor<64x64xf32, #rows>
      %y = arith.mulf %f, %factor : tensor<64x64xf32, #rows>
      %h = arith.truncf %y : tensor<64x64xf32, #rows> to tensor<64x64xbf16, #rows>
      %b = ttg.convert_layout %h : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #mma>
      %s = arith.addf %sum, %f : tensor<64x64xf32, #rows>
      scf.yield %d, %s : tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>
    }
    tt.return %r#0, %r#1, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9, %t10, %t11, %t12, %t13, %t14, %t15 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #rows>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}
