// tt.scan: an upsweep computes totals, a downsweep applies prefixes: one combination per element after the thread's own scan.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm --remarks-filter-missed=convert-triton-gpu-to-llvm --remarks-filter-passed=convert-triton-gpu-to-llvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST

#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#chunks = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @sums(
// CHECK: llvm.fadd %arg0, %arg1
// CHECK-COUNT-5: shfl.sync.up.f32
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// The totals of three warps, then the last register, whose result the next lane adds to its first.
// CHECK-COUNT-3: llvm.fadd
// CHECK: shfl.sync.up.f32
// CHECK: llvm.fadd
// CHECK-NOT: {{barrier|shfl|fadd}}
// CHECK: llvm.return
tt.func private @sums(%x: tensor<256xf32, #line>) -> tensor<256xf32, #line> {
  // Combinations: within the thread 1, lanes 5, warps 2, elements 2.
  // COST: [[@LINE+1]]:{{.*}}across warps: 10 combinations, 6 shuffles, 16 bytes of shared memory, 1 barrier per thread
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<256xf32, #line>) -> tensor<256xf32, #line>
  tt.return %y : tensor<256xf32, #line>
}

// A warp scans a row in four chunks.
tt.func private @in_chunks(%x: tensor<4x512xf32, #chunks>) -> tensor<4x512xf32, #chunks> {
  // Combinations: in the thread 4 x 3, lanes 4 x 5, chunks 2, elements 3 x 4 + 3; a shuffle for the prefix of each lane, and one
  // for the total of each chunk.
  // COST: [[@LINE+1]]:{{.*}}within the warp: 49 combinations, 28 shuffles per thread
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<4x512xf32, #chunks>) -> tensor<4x512xf32, #chunks>
  tt.return %y : tensor<4x512xf32, #chunks>
}

// An expensive combination: chunks are transposed with lanes: 9 combinations instead of 20 for the lanes of four chunks,
// for eight additional shuffles.
tt.func private @costly(%x: tensor<4x512xi32, #chunks>) -> tensor<4x512xi32, #chunks> {
  // COST: [[@LINE+1]]:{{.*}}within the warp: 38 combinations, 20 shuffles per thread
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %0 = arith.muli %a, %b : i32
    %1 = arith.addi %0, %a : i32
    %2 = arith.addi %1, %b : i32
    %3 = arith.muli %a, %b : i32
    %4 = arith.subi %3, %0 : i32
    %5 = arith.maxsi %4, %a : i32
    %6 = arith.minsi %5, %b : i32
    %7 = arith.maxui %6, %2 : i32
    %8 = arith.xori %7, %2 : i32
    %9 = arith.andi %8, %a : i32
    %10 = arith.ori %9, %b : i32
    %11 = arith.xori %10, %2 : i32
    tt.scan.return %11 : i32
  }) : (tensor<4x512xi32, #chunks>) -> tensor<4x512xi32, #chunks>
  tt.return %y : tensor<4x512xi32, #chunks>
}

// Values of 16 bits are shuffled in pairs.
tt.func private @halves(%x: tensor<4x512xi16, #chunks>) -> tensor<4x512xi16, #chunks> {
  // COST: [[@LINE+1]]:{{.*}}within the warp: 49 combinations, 14 shuffles per thread
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i16, %b: i16):
    %c = arith.addi %a, %b : i16
    tt.scan.return %c : i16
  }) : (tensor<4x512xi16, #chunks>) -> tensor<4x512xi16, #chunks>
  tt.return %y : tensor<4x512xi16, #chunks>
}

// In reverse from the last lane down; each row is in one warp.
// CHECK-LABEL: llvm.func internal @reverse(
// CHECK-NOT: barrier
// CHECK: llvm.mul %arg1, %arg0
// CHECK-COUNT-5: shfl.sync.down.i32
// CHECK-NOT: {{barrier|shfl}}
// CHECK: llvm.return
tt.func private @reverse(%x: tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows> {
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows>
  tt.return %y : tensor<8x32xi32, #rows>
}

// A region with an effect does not run for the first element.
// CHECK-LABEL: llvm.func internal @checked(
// CHECK: llvm.call @__assertfail
// CHECK: shfl.sync.up.i32
// CHECK: llvm.cond_br
// CHECK: llvm.call @__assertfail
// CHECK: llvm.return
tt.func private @checked(%x: tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows> {
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    tt.assert %less, "not sorted" : i1
    tt.scan.return %b : i32
  }) : (tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows>
  tt.return %y : tensor<8x32xi32, #rows>
}
}
