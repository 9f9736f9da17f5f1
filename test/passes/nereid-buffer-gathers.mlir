// A tensor of which a loop gathers elements between warps is in a buffer during the outermost loop that does not change it.
// RUN: nereid-opt %s --nereid-buffer-gathers --remarks-filter-passed=nereid-buffer-gathers 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
// REMARK-COUNT-3: its operand is in a buffer of 2048 bytes during the loop
// CHECK: #[[PLAIN:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK: #[[SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 32, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Two gathers of one tensor share a buffer. The other tensor changes in the inner loop only. The last one changes.
  // CHECK-LABEL: @rows
  // CHECK: %[[X:.*]] = ttg.local_alloc %arg0 : (tensor<16x32xf32, #blocked>) -> !ttg.memdesc<16x32xf32, #[[PLAIN]], #smem>
  // CHECK: scf.for
  // CHECK: %[[Y:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<16x32xf32, #[[PLAIN]], #smem>
  // CHECK-NEXT: scf.for
  // CHECK: ttg.local_gather %[[X]][%arg1] {axis = 0 : i32}
  // CHECK: ttg.local_gather %[[X]][%arg1] {axis = 0 : i32}
  // CHECK: ttg.local_gather %[[Y]][%arg1] {axis = 0 : i32}
  // CHECK: tt.gather
  tt.func public @rows(%x: tensor<16x32xf32, #b>, %i: tensor<1x32xi32, #b>, %n: i32, %c0: i32, %c1: i32) -> tensor<16x32xf32, #b> {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<16x32xf32, #b>) : i32 {
      %s = scf.for %l = %c0 to %n step %c1 iter_args(%z = %y) -> (tensor<16x32xf32, #b>) : i32 {
        %a = tt.gather %x[%i] {axis = 0 : i32} : (tensor<16x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
        %c = tt.gather %x[%i] {axis = 0 : i32} : (tensor<16x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
        %d = tt.gather %y[%i] {axis = 0 : i32} : (tensor<16x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
        %e = tt.gather %z[%i] {axis = 0 : i32} : (tensor<16x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
        %f = arith.addf %a, %c : tensor<1x32xf32, #b>
        %g = arith.addf %d, %e : tensor<1x32xf32, #b>
        %h = arith.addf %f, %g : tensor<1x32xf32, #b>
        %w = tt.broadcast %h : tensor<1x32xf32, #b> -> tensor<16x32xf32, #b>
        scf.yield %w : tensor<16x32xf32, #b>
      }
      scf.yield %s : tensor<16x32xf32, #b>
    }
    tt.return %r : tensor<16x32xf32, #b>
  }

  // Lanes read a column: different rows in different banks.
  // CHECK-LABEL: @column
  // CHECK: %[[X:.*]] = ttg.local_alloc %arg0 : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #[[SWIZZLED]], #smem>
  // CHECK-NEXT: scf.for
  // CHECK: ttg.local_gather %[[X]][%arg1] {axis = 1 : i32}
  tt.func public @column(%x: tensor<32x32xf32, #b>, %i: tensor<32x1xi32, #columns>, %zero: tensor<32x1xf32, #columns>, %n: i32, %c0: i32, %c1: i32) -> tensor<32x1xf32, #columns> {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%y = %zero) -> (tensor<32x1xf32, #columns>) : i32 {
      %a = tt.gather %x[%i] {axis = 1 : i32} : (tensor<32x32xf32, #b>, tensor<32x1xi32, #columns>) -> tensor<32x1xf32, #columns>
      %s = arith.addf %y, %a : tensor<32x1xf32, #columns>
      scf.yield %s : tensor<32x1xf32, #columns>
    }
    tt.return %r : tensor<32x1xf32, #columns>
  }

  // Outside of loops nothing changes.
  // CHECK-LABEL: @once
  // CHECK: tt.gather
  tt.func public @once(%x: tensor<16x32xf32, #b>, %i: tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b> {
    %a = tt.gather %x[%i] {axis = 0 : i32} : (tensor<16x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
    tt.return %a : tensor<1x32xf32, #b>
  }

  // 64 KiB would leave a multiprocessor three CTAs.
  // CHECK-LABEL: @large
  // CHECK-NOT: ttg.local_alloc
  // CHECK: tt.gather
  tt.func public @large(%x: tensor<512x32xf32, #b>, %i: tensor<1x32xi32, #b>, %zero: tensor<1x32xf32, #b>, %n: i32, %c0: i32, %c1: i32) -> tensor<1x32xf32, #b> {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%y = %zero) -> (tensor<1x32xf32, #b>) : i32 {
      %a = tt.gather %x[%i] {axis = 0 : i32} : (tensor<512x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
      %s = arith.addf %y, %a : tensor<1x32xf32, #b>
      scf.yield %s : tensor<1x32xf32, #b>
    }
    tt.return %r : tensor<1x32xf32, #b>
  }
}
