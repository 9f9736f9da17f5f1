// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm=compute-capability=90 | FileCheck %s
// The rows of a matrix times a stride: one product, and the other rows one addition away from a row that is there.

#rows = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#spread = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: llvm.func @neighbours(
// CHECK-SAME: %[[STRIDE:[^:]*]]: i32
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[P0:.*]] = llvm.mul %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[P1:.*]] = llvm.add %[[P0]], %[[STRIDE]] : i32
// CHECK: %[[BY2:.*]] = llvm.mul %[[STRIDE]], %[[TWO]] : i32
// CHECK: %[[P2:.*]] = llvm.add %[[P0]], %[[BY2]] : i32
// CHECK: llvm.add %[[P2]], %[[STRIDE]] : i32
// CHECK: %[[BY4:.*]] = llvm.mul %[[STRIDE]], %[[FOUR]] : i32
// CHECK: %[[P4:.*]] = llvm.add %[[P0]], %[[BY4]] : i32
// CHECK: llvm.add %[[P4]], %[[STRIDE]] : i32
// CHECK: %[[P6:.*]] = llvm.add %[[P4]], %[[BY2]] : i32
// CHECK: llvm.add %[[P6]], %[[STRIDE]] : i32
// CHECK-NOT: llvm.mul
// CHECK: llvm.return
tt.func public @neighbours(%stride: i32, %first: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #rows>
  %start = tt.splat %first : i32 -> tensor<1024xi32, #rows>
  %row = arith.addi %start, %range : tensor<1024xi32, #rows>
  %strides = tt.splat %stride : i32 -> tensor<1024xi32, #rows>
  %offset = arith.muli %row, %strides : tensor<1024xi32, #rows>
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %offset : tensor<1024xi32, #rows>
  tt.return
}

// The shared factor first, registers 128 apart.
// CHECK-LABEL: llvm.func @spread(
// CHECK-SAME: %[[STRIDE:[^:]*]]: i32
// CHECK: %[[P0:.*]] = llvm.mul %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[STEP:.*]] = llvm.mul %[[STRIDE]], %{{.*}} : i32
// CHECK: llvm.add %[[P0]], %[[STEP]] : i32
// CHECK: %[[STEP2:.*]] = llvm.mul %[[STRIDE]], %{{.*}} : i32
// CHECK: %[[P2:.*]] = llvm.add %[[P0]], %[[STEP2]] : i32
// CHECK: llvm.add %[[P2]], %[[STEP]] : i32
// CHECK-NOT: llvm.mul
// CHECK: llvm.return
tt.func public @spread(%stride: i32) {
  %row = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #spread>
  %strides = tt.splat %stride : i32 -> tensor<512xi32, #spread>
  %offset = arith.muli %strides, %row : tensor<512xi32, #spread>
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %offset : tensor<512xi32, #spread>
  tt.return
}

// Products stay what they are where the factor is known, where the program promises that they do not wrap, and where
// registers differ by more than a constant.
// CHECK-LABEL: llvm.func @apart(
// CHECK-COUNT-4: llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK-COUNT-4: llvm.mul %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK-COUNT-4: llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK: llvm.return
tt.func public @apart(%stride: i32) {
  %seven = arith.constant dense<7> : tensor<512xi32, #spread>
  %row = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #spread>
  %strides = tt.splat %stride : i32 -> tensor<512xi32, #spread>
  %a = arith.muli %row, %seven : tensor<512xi32, #spread>
  tt.print "a" {hex = false, isSigned = array<i32: 0>} : %a : tensor<512xi32, #spread>
  %b = arith.muli %row, %strides overflow<nsw> : tensor<512xi32, #spread>
  tt.print "b" {hex = false, isSigned = array<i32: 0>} : %b : tensor<512xi32, #spread>
  %other = arith.remsi %row, %seven : tensor<512xi32, #spread>
  %c = arith.muli %other, %strides : tensor<512xi32, #spread>
  tt.print "c" {hex = false, isSigned = array<i32: 0>} : %c : tensor<512xi32, #spread>
  tt.return
}
}
