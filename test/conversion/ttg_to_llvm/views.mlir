// Constants, ranges, splats and views: registers are renamed, with little computation.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#square = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [0, 1]}>
#across = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#slots = #ttg.linear<{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []}>
#lanes = #ttg.linear<{register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]], block = []}>
#rows = #ttg.slice<{dim = 1, parent = #square}>
// Two of the lane's bits are exchanged.
#swapped = #ttg.linear<{register = [[1]], lane = [[4], [2], [8], [16], [32]], warp = [[64], [128]], block = []}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @constants(
// CHECK-DAG: llvm.mlir.constant(7 : i32) : i32
// CHECK-DAG: llvm.mlir.constant(1.500000e+00 : bf16) : bf16
// CHECK-DAG: llvm.mlir.constant(true) : i1
// CHECK-DAG: llvm.mlir.constant(57 : i8) : i8
// CHECK-DAG: llvm.mlir.constant(-64 : i8) : i8
// CHECK-DAG: llvm.mlir.constant(12 : i32) : i32
// CHECK-NOT: llvm.mlir.constant
// CHECK: llvm.return
tt.func private @constants() -> (i32, tensor<128xbf16, #line>, i1, f8E4M3FN, f8E5M2, index) {
  %a = arith.constant 7 : i32
  %b = arith.constant dense<1.5> : tensor<128xbf16, #line>
  %c = arith.constant true
  %d = arith.constant 1.125 : f8E4M3FN
  %e = arith.constant -2.0 : f8E5M2
  %f = arith.constant 12 : index
  tt.return %a, %b, %c, %d, %e, %f : i32, tensor<128xbf16, #line>, i1, f8E4M3FN, f8E5M2, index
}

// CHECK-LABEL: llvm.func internal @poison(
// CHECK: llvm.mlir.poison : f32
tt.func private @poison() -> f32 {
  %a = ub.poison : f32
  tt.return %a : f32
}

// A splat is its scalar in four registers; a tensor of one element gives its scalar.
// CHECK-LABEL: llvm.func internal @splat(%arg0: f32)
// CHECK: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK: llvm.insertvalue %arg0, %{{.*}}[3]
// CHECK: llvm.insertvalue %arg0, %{{.*}}[4]
tt.func private @splat(%x: f32) -> (tensor<512xf32, #line>, f32) {
  %a = tt.splat %x : f32 -> tensor<512xf32, #line>
  %b = tt.splat %x : f32 -> tensor<1xf32, #line>
  %c = tt.unsplat %b : tensor<1xf32, #line>
  tt.return %a, %c : tensor<512xf32, #line>, f32
}

// The thread's part is computed once, in the prologue; a register adds a constant.
// CHECK-LABEL: llvm.func internal @range(
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIELD:.*]] = llvm.and %[[TID]]
// CHECK: %[[BASE:.*]] = llvm.shl %[[FIELD]]
// CHECK: llvm.br
// CHECK: %[[R1:.*]] = llvm.or disjoint %[[BASE]], %{{.*}} : i32
// CHECK: %[[R3:.*]] = llvm.or disjoint %[[BASE]]
// CHECK-NOT: llvm.shl
// CHECK: llvm.add
tt.func private @range() -> (tensor<512xi32, #line>, tensor<512xi32, #line>) {
  %a = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %b = tt.make_range {end = 1024 : i32, start = 512 : i32} : tensor<512xi32, #line>
  tt.return %a, %b : tensor<512xi32, #line>, tensor<512xi32, #line>
}

// Bits of the thread id with a common shift form one field: bit 0, bit 1, and the upper five.
// CHECK-LABEL: llvm.func internal @linear(
// CHECK-COUNT-3: llvm.and %
// CHECK-NOT: llvm.and
// CHECK: llvm.xor
// CHECK: llvm.br
tt.func private @linear() -> tensor<256xi32, #swapped> {
  %a = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #swapped>
  tt.return %a : tensor<256xi32, #swapped>
}

// expand_dims and reshape of unit dimensions need no instruction.
// CHECK-LABEL: llvm.func internal @dimensions(%arg0: i32, %arg1: i32
// CHECK: llvm.br
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: llvm.mlir.undef
// CHECK-NEXT: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK-NEXT: llvm.insertvalue %arg0, %{{.*}}[1]
// CHECK-NEXT: llvm.insertvalue %arg1, %{{.*}}[2]
// CHECK-NEXT: llvm.insertvalue %arg1, %{{.*}}[3]
tt.func private @dimensions(%x: tensor<16xi32, #rows>) -> tensor<16x32xi32, #square> {
  %a = tt.expand_dims %x {axis = 1 : i32} : tensor<16xi32, #rows> -> tensor<16x1xi32, #square>
  %b = tt.broadcast %a : tensor<16x1xi32, #square> -> tensor<16x32xi32, #square>
  tt.return %b : tensor<16x32xi32, #square>
}

// CHECK-LABEL: llvm.func internal @turn(%arg0: i32, %arg1: i32
// CHECK: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK: llvm.insertvalue %arg1, %{{.*}}[1]
tt.func private @turn(%x: tensor<8x32xi32, #square>) -> tensor<32x8xi32, #turned> {
  %a = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x32xi32, #square> -> tensor<32x8xi32, #turned>
  tt.return %a : tensor<32x8xi32, #turned>
}

// CHECK-LABEL: llvm.func internal @reshape(%arg0: i32, %arg1: i32, %arg2: i32, %arg3: i32
// CHECK-NOT: llvm.store
// CHECK: llvm.insertvalue %arg3, %{{.*}}[3]
tt.func private @reshape(%x: tensor<512xi32, #line>) -> tensor<4x128xi32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> {
  %a = tt.reshape %x : tensor<512xi32, #line> -> tensor<4x128xi32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
  tt.return %a : tensor<4x128xi32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
}

// A reshape with allow_reorder keeps elements in their threads and renames registers.
// CHECK-LABEL: llvm.func internal @any_order(
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK: llvm.insertvalue %arg3, %{{.*}}[3]
tt.func private @any_order(%x: tensor<512xf32, #line>) -> tensor<128x4xf32, #across> {
  %a = tt.reshape %x allow_reorder : tensor<512xf32, #line> -> tensor<128x4xf32, #across>
  tt.return %a : tensor<128x4xf32, #across>
}

// Elements are immediate values if every thread holds all of them; otherwise they are loaded.
// CHECK-LABEL: llvm.func internal @different(
// CHECK-DAG: llvm.mlir.constant(5 : i32)
// CHECK-DAG: llvm.mlir.constant(3 : i32)
// CHECK: llvm.mlir.addressof @nereid$text_0
// CHECK: llvm.load
tt.func private @different() -> (tensor<2xi32, #slots>, tensor<4xi16, #line>) {
  %a = arith.constant dense<[5, 3]> : tensor<2xi32, #slots>
  %b = arith.constant dense<[1, 2, 4, 8]> : tensor<4xi16, #lanes>
  %c = ttg.convert_layout %b : tensor<4xi16, #lanes> -> tensor<4xi16, #line>
  tt.return %a, %c : tensor<2xi32, #slots>, tensor<4xi16, #line>
}
}
