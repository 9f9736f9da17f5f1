// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm=compute-capability=90 | FileCheck %s
// Row indices times a stride: one multiplication, and one addition per further row.

#rows = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#spread = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#square = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
#column = #ttg.slice<{dim = 1, parent = #square}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: llvm.func @neighbours(
// CHECK-SAME: %[[STRIDE:[^:]*]]: i32
// CHECK: %[[P0:.*]] = llvm.mul %{{.*}}, %[[STRIDE]] : i32
// CHECK: %[[P1:.*]] = llvm.add %[[P0]], %[[STRIDE]] : i32
// CHECK: %[[P2:.*]] = llvm.add %[[P1]], %[[STRIDE]] : i32
// CHECK-COUNT-5: llvm.add %{{.*}}, %[[STRIDE]] : i32
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
// CHECK: %[[P1:.*]] = llvm.add %[[P0]], %[[STEP]] : i32
// CHECK: %[[P2:.*]] = llvm.add %[[P1]], %[[STEP]] : i32
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

// Registers that hold the same row share its product, wherever they are.
// CHECK-LABEL: llvm.func @copies(
// CHECK-SAME: %[[STRIDE:[^:]*]]: i32
// CHECK-COUNT-1: llvm.mul %{{.*}}, %[[STRIDE]] : i32
// CHECK-COUNT-3: llvm.add %{{.*}}, %[[STRIDE]] : i32
// CHECK-NOT: llvm.add %{{.*}}, %[[STRIDE]] : i32
// CHECK-NOT: llvm.mul
// CHECK: llvm.return
tt.func public @copies(%stride: i32) {
  %row = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #column>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<4xi32, #column> -> tensor<4x1xi32, #square>
  %strides = tt.splat %stride : i32 -> tensor<4x1xi32, #square>
  %offset = arith.muli %rows, %strides : tensor<4x1xi32, #square>
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %offset : tensor<4x1xi32, #square>
  tt.return
}

// Multiplications are unchanged with a constant factor, with no-wrap flags, and where registers differ by more than a
// constant.
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
