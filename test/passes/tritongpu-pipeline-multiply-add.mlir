// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize | FileCheck %s

// Operands of a dot by multiply-add: its lowering reads the slots a few columns at a time, so the loads are directly
// before it. It takes longer than the copies, which follow it: threads issue them between multiply-adds, and two slots suffice.
// CHECK-LABEL: @sums
// CHECK: scf.for
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK-NEXT: %[[P:.*]] = ttg.memdesc_index {{.*}}<2x32x16xf32
// CHECK-NEXT: %[[X:.*]] = ttg.local_load %[[P]] {{.*}} -> tensor<32x16xf32, #ttg.dot_op<{opIdx = 0
// CHECK-NEXT: %[[Q:.*]] = ttg.memdesc_index
// CHECK-NEXT: %[[Y:.*]] = ttg.local_load %[[Q]] {{.*}} -> tensor<16x32xf32, #ttg.dot_op<{opIdx = 1
// CHECK-NEXT: tt.dot %[[X]], %[[Y]],
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: scf.yield
#blocked = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @sums(%p: tensor<32x16x!tt.ptr<f32>, #rows> {tt.divisibility = dense<[4, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 16]> : tensor<2xi32>}, %q: tensor<16x32x!tt.ptr<f32>, #wide> {tt.divisibility = dense<[4, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}, %n: i32) -> tensor<32x32xf32, #blocked> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %da = arith.constant dense<16> : tensor<32x16xi32, #rows>
  %db = arith.constant dense<512> : tensor<16x32xi32, #wide>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %u = %p, %v = %q) -> (tensor<32x32xf32, #blocked>, tensor<32x16x!tt.ptr<f32>, #rows>, tensor<16x32x!tt.ptr<f32>, #wide>) : i32 {
    %x = tt.load %u : tensor<32x16x!tt.ptr<f32>, #rows>
    %y = tt.load %v : tensor<16x32x!tt.ptr<f32>, #wide>
    %xa = ttg.convert_layout %x : tensor<32x16xf32, #rows> -> tensor<32x16xf32, #a>
    %yb = ttg.convert_layout %y : tensor<16x32xf32, #wide> -> tensor<16x32xf32, #b>
    %d = tt.dot %xa, %yb, %s : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
    %u2 = tt.addptr %u, %da : tensor<32x16x!tt.ptr<f32>, #rows>, tensor<32x16xi32, #rows>
    %v2 = tt.addptr %v, %db : tensor<16x32x!tt.ptr<f32>, #wide>, tensor<16x32xi32, #wide>
    scf.yield %d, %u2, %v2 : tensor<32x32xf32, #blocked>, tensor<32x16x!tt.ptr<f32>, #rows>, tensor<16x32x!tt.ptr<f32>, #wide>
  }
  tt.return %r#0 : tensor<32x32xf32, #blocked>
}
}
