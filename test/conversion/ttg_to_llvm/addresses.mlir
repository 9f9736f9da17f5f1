// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm=compute-capability=90 | FileCheck %s
// Contiguous registers share a base address with constant offsets, also with interleaved lanes.

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#column = #ttg.slice<{dim = 1, parent = #rows}>
#row = #ttg.slice<{dim = 0, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: llvm.func @line(
// CHECK: %[[A:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : {{.*}}, i32
// CHECK: llvm.getelementptr %[[A]][512] : {{.*}}, i8
// CHECK: llvm.getelementptr %[[A]][1024] : {{.*}}, i8
// CHECK: llvm.getelementptr %[[A]][1536] : {{.*}}, i8
// CHECK-COUNT-4: llvm.load
tt.func public @line(%p: !tt.ptr<f32>, %start: i32) {
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #line>
  %first = tt.splat %start : i32 -> tensor<512xi32, #line>
  %index = arith.addi %first, %range : tensor<512xi32, #line>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #line>
  %pointers = tt.addptr %base, %index : tensor<512x!tt.ptr<f32>, #line>, tensor<512xi32, #line>
  %x = tt.load %pointers : tensor<512x!tt.ptr<f32>, #line>
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<512xf32, #line>
  tt.return
}

// Each row has its own address; registers with the same element share one.
// CHECK-LABEL: llvm.func @rows(
// CHECK: %[[A:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : {{.*}}, i16
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : {{.*}}, i16
// CHECK: llvm.getelementptr %[[A]][256] : {{.*}}, i8
// CHECK: llvm.getelementptr %[[B]][256] : {{.*}}, i8
// CHECK-NOT: llvm.getelementptr
// CHECK-COUNT-4: llvm.load
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func public @rows(%p: !tt.ptr<f16>, %stride: i32) -> () {
  %i0 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #column>
  %i1 = tt.expand_dims %i0 {axis = 1 : i32} : tensor<2xi32, #column> -> tensor<2x1xi32, #rows>
  %s = tt.splat %stride : i32 -> tensor<2x1xi32, #rows>
  %i2 = arith.muli %i1, %s : tensor<2x1xi32, #rows>
  %i = tt.broadcast %i2 : tensor<2x1xi32, #rows> -> tensor<2x256xi32, #rows>
  %j0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #row>
  %j1 = tt.expand_dims %j0 {axis = 0 : i32} : tensor<256xi32, #row> -> tensor<1x256xi32, #rows>
  %j = tt.broadcast %j1 : tensor<1x256xi32, #rows> -> tensor<2x256xi32, #rows>
  %ij = arith.addi %i, %j : tensor<2x256xi32, #rows>
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<2x256x!tt.ptr<f16>, #rows>
  %pointers = tt.addptr %base, %ij : tensor<2x256x!tt.ptr<f16>, #rows>, tensor<2x256xi32, #rows>
  %x = tt.load %pointers : tensor<2x256x!tt.ptr<f16>, #rows>
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<2x256xf16, #rows>
  tt.return
}
}
