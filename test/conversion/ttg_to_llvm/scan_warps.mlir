// tt.scan over many warps: the lanes of each warp read the totals of all warps, one each, and scan them.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm --remarks-filter-missed=convert-triton-gpu-to-llvm --remarks-filter-passed=convert-triton-gpu-to-llvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [16], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 16], order = [1, 0]}>
#down = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [16, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 16 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @line(
// CHECK-COUNT-5: shfl.sync.up.i32
// CHECK: barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-COUNT-4: shfl.sync.up.i32
// CHECK: shfl.sync.idx.i32
// CHECK: llvm.add
// CHECK-NOT: {{barrier|shfl}}
// CHECK: llvm.return
tt.func private @line(%x: tensor<512xi32, #line>) -> tensor<512xi32, #line> {
  // COST: [[@LINE+1]]:{{.*}}across warps: 10 combinations, 10 shuffles, 64 bytes of shared memory, 1 barrier per thread
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<512xi32, #line>) -> tensor<512xi32, #line>
  tt.return %y : tensor<512xi32, #line>
}

// 32 lanes read the totals of both rows: one scan of four steps.
tt.func private @two_rows(%x: tensor<2x1024xi32, #two>) -> tensor<2x1024xi32, #two> {
  // Combinations: thread 2, lanes 10, warps 4, elements 4; shuffles: 10, 4, and per row one for the warps and one for the lane.
  // COST: [[@LINE+1]]:{{.*}}across warps: 20 combinations, 18 shuffles, 128 bytes of shared memory, 1 barrier per thread
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<2x1024xi32, #two>) -> tensor<2x1024xi32, #two>
  tt.return %y : tensor<2x1024xi32, #two>
}

// Lanes hold different columns: every thread combines the totals that it reads.
tt.func private @columns(%x: tensor<16x32xi32, #down>) -> tensor<16x32xi32, #down> {
  // COST: [[@LINE+1]]:{{.*}}across warps: 15 combinations, 2048 bytes of shared memory, 1 barrier per thread
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<16x32xi32, #down>) -> tensor<16x32xi32, #down>
  tt.return %y : tensor<16x32xi32, #down>
}
}
