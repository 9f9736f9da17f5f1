// tt.gather: shuffles when each warp holds the source line of its elements, shared memory otherwise.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// 64 elements of a row: 16 lanes, each with an adjacent pair and another pair 32 elements further on.
// CHECK-LABEL: llvm.func internal @in_warp(
// CHECK-NOT: barrier
// CHECK: %[[LANE:.*]] = llvm.or disjoint
// CHECK-COUNT-4: shfl.sync.idx.f32"(%{{.*}}, %arg{{[0-3]}}, %[[LANE]]
// CHECK-COUNT-3: llvm.select
// CHECK: llvm.return
tt.func private @in_warp(%x: tensor<8x64xf32, #rows>, %i: tensor<8x64xi32, #rows>) -> tensor<8x64xf32, #rows> {
  %y = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8x64xf32, #rows>, tensor<8x64xi32, #rows>) -> tensor<8x64xf32, #rows>
  tt.return %y : tensor<8x64xf32, #rows>
}

// CHECK-LABEL: llvm.func internal @through_shared(
// CHECK: llvm.store
// CHECK: barrier
// CHECK: llvm.getelementptr %{{.*}}[%arg1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
// CHECK: llvm.load
tt.func private @through_shared(%x: tensor<128xf32, #line>, %i: tensor<128xi32, #line>) -> tensor<128xf32, #line> {
  %y = tt.gather %x[%i] {axis = 0 : i32} : (tensor<128xf32, #line>, tensor<128xi32, #line>) -> tensor<128xf32, #line>
  tt.return %y : tensor<128xf32, #line>
}
}
