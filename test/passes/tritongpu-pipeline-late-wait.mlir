// Where a step copies after its uses, the wait is before the first use: the store of what the step before computed overlaps the
// copies.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @state
  // CHECK: scf.for
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: [[TOKEN:%.*]] = ttg.async_wait {num = 0 : i32}
  // CHECK-NOT: ttg.async_wait
  // CHECK: ttg.local_load {{.*}} token [[TOKEN]] {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
  // CHECK: tt.dot
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.yield
  tt.func public @state(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<32x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %out: tensor<64x32x!tt.ptr<f32>, #mma>, %n: i32, %c0: i32, %c1: i32) {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #mma>) : i32 {
      tt.store %out, %h : tensor<64x32x!tt.ptr<f32>, #mma>
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %y = tt.load %q : tensor<32x32x!tt.ptr<f16>, #rows>
      %a = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #a>
      %b = ttg.convert_layout %y : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #b>
      %d = tt.dot %a, %b, %h : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
      scf.yield %d : tensor<64x32xf32, #mma>
    } {tt.num_stages = 2 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // Other warps read what a warp copied, so that there is a slot more: a step copies before its uses, and the wait precedes both.
  // CHECK-LABEL: tt.func public @ahead
  // CHECK: scf.for
  // CHECK: ttg.async_wait {num = 1 : i32}
  // CHECK: ttg.async_commit_group
  // CHECK: tt.store
  // CHECK: scf.yield
  tt.func public @ahead(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<32x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %out: tensor<64x32x!tt.ptr<f32>, #mma>, %n: i32, %c0: i32, %c1: i32) {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<64x32xf32, #mma>) : i32 {
      tt.store %out, %h : tensor<64x32x!tt.ptr<f32>, #mma>
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %y = tt.load %q : tensor<32x32x!tt.ptr<f16>, #rows>
      %a = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #a>
      %b = ttg.convert_layout %y : tensor<32x32xf16, #rows> -> tensor<32x32xf16, #b>
      %d = tt.dot %a, %b, %h : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
      scf.yield %d : tensor<64x32xf32, #mma>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
}
