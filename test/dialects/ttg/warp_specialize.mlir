// Round trips of warp specialization: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-debuginfo %s | nereid-opt | FileCheck %s

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.total-num-warps" = 10 : i32} {
  // CHECK-LABEL: tt.func @partitions
  tt.func @partitions(%arg0: i32, %arg1: tensor<128xi32, #four>) -> i32 {
    // CHECK: %[[R:.*]]:2 = ttg.warp_specialize(%arg0, %arg0) attributes {requestedRegisters = array<i32: 24, 32>, warpGroupStartIds = array<i32: 4, 6>}
    // CHECK-NEXT: default {
    %0:2 = ttg.warp_specialize(%arg0, %arg0) attributes {requestedRegisters = array<i32: 24, 32>, warpGroupStartIds = array<i32: 4, 6>}
    default {
      // Only the default region may use values from above.
      // CHECK: %[[SUM:.*]] = arith.addi %arg1, %arg1 : tensor<128xi32, #blocked>
      %1 = arith.addi %arg1, %arg1 : tensor<128xi32, #four>
      // CHECK: ttg.warp_yield %arg0, %[[SUM]] : i32, tensor<128xi32, #blocked>
      ttg.warp_yield %arg0, %1 : i32, tensor<128xi32, #four>
    }
    // CHECK: partition0(%[[A:.*]]: i32, %[[B:.*]]: i32) num_warps(2) {
    partition0(%arg2: i32, %arg3: i32) num_warps(2) {
      // CHECK: tt.splat %[[A]] : i32 -> tensor<64xi32, #blocked1>
      %1 = tt.splat %arg2 : i32 -> tensor<64xi32, #two>
      // CHECK: ttg.warp_return
      ttg.warp_return
    }
    // CHECK: partition1(%[[C:.*]]: i32, %{{.*}}: i32) num_warps(4) {
    partition1(%arg2: i32, %arg3: i32) num_warps(4) {
      // CHECK: tt.splat %[[C]] : i32 -> tensor<128xi32, #blocked>
      %1 = tt.splat %arg2 : i32 -> tensor<128xi32, #four>
      ttg.warp_return
    // CHECK: } : (i32, i32) -> (i32, tensor<128xi32, #blocked>)
    } : (i32, i32) -> (i32, tensor<128xi32, #four>)
    // CHECK: tt.return %[[R]]#0
    tt.return %0#0 : i32
  }

  // CHECK-LABEL: tt.func @none
  tt.func @none() {
    // CHECK: ttg.warp_specialize()
    // CHECK-NEXT: default {
    ttg.warp_specialize()
    default {
      // CHECK: ttg.warp_yield{{$}}
      ttg.warp_yield
    // CHECK: } : () -> ()
    } : () -> ()
    tt.return
  }

  // CHECK-LABEL: tt.func @control_flow
  tt.func @control_flow(%arg0: i1) -> i32 {
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    // CHECK: ttg.warp_specialize(%arg0)
    %0 = ttg.warp_specialize(%arg0)
    default {
      // CHECK: cf.cond_br %arg0
      cf.cond_br %arg0, ^bb1, ^bb2
    ^bb1:
      ttg.warp_yield %c1_i32 : i32
    ^bb2:
      ttg.warp_yield %c2_i32 : i32
    }
    partition0(%arg1: i1) num_warps(1) {
      cf.cond_br %arg1, ^bb1, ^bb2
    ^bb1:
      ttg.warp_return
    // CHECK: ^bb2:
    ^bb2:
      ttg.warp_return
    } : (i1) -> i32
    tt.return %0 : i32
  }
}
