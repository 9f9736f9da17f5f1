// RUN: nereid-opt %s --tritongpu-optimize-partition-warps | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @scalars
// CHECK: ttg.warp_specialize(%{{.*}}) attributes {requestedRegisters = array<i32: 24>}
// CHECK: partition0(%{{.*}}) num_warps(1)
tt.func public @scalars(%p: !tt.ptr<i32>) {
  ttg.warp_specialize(%p)
  default {
    ttg.warp_yield
  }
  partition0(%a: !tt.ptr<i32>) num_warps(4) {
    %c1 = arith.constant 1 : i32
    tt.store %a, %c1 : !tt.ptr<i32>
    ttg.warp_return
  } : (!tt.ptr<i32>) -> ()
  tt.return
}

// Layouts refer to the warps of a partition with tensors, which also needs its registers.
// CHECK-LABEL: @tensors
// CHECK-NOT: requestedRegisters
// CHECK: partition0(%{{.*}}) num_warps(4)
tt.func public @tensors(%p: !tt.ptr<i32>) {
  ttg.warp_specialize(%p)
  default {
    ttg.warp_yield
  }
  partition0(%a: !tt.ptr<i32>) num_warps(4) {
    %x = tt.splat %a : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #line>
    %y = tt.load %x : tensor<128x!tt.ptr<i32>, #line>
    ttg.warp_return
  } : (!tt.ptr<i32>) -> ()
  tt.return
}
}
