// Accumulators of dots are rounded in pairs; between blocks the pairs are words.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#line = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @pairs(
// CHECK: %[[P:.*]] = llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK: %[[W:.*]] = llvm.bitcast %[[P]] : vector<2xf16> to i32
// CHECK-COUNT-3: llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.br ^{{.*}}(%[[W]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : i32, i32, i32, i32)
tt.func private @pairs(%x: tensor<64x16xf32, #mma>) -> tensor<64x16xf16, #mma> {
  %h = arith.truncf %x : tensor<64x16xf32, #mma> to tensor<64x16xf16, #mma>
  cf.br ^end(%h : tensor<64x16xf16, #mma>)
^end(%r: tensor<64x16xf16, #mma>):
  tt.return %r : tensor<64x16xf16, #mma>
}

// CHECK-LABEL: llvm.func internal @pairs_bf16(
// CHECK-COUNT-4: llvm.fptrunc %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: llvm.br ^{{.*}} : i32, i32, i32, i32)
tt.func private @pairs_bf16(%x: tensor<64x16xf32, #mma>) -> tensor<64x16xbf16, #mma> {
  %h = arith.truncf %x : tensor<64x16xf32, #mma> to tensor<64x16xbf16, #mma>
  cf.br ^end(%h : tensor<64x16xbf16, #mma>)
^end(%r: tensor<64x16xbf16, #mma>):
  tt.return %r : tensor<64x16xbf16, #mma>
}

// One conversion and one word for a value that all registers have.
// CHECK-LABEL: llvm.func internal @equal(
// CHECK: llvm.fptrunc %arg0 : f32 to f16
// CHECK-NOT: llvm.fptrunc
// CHECK: %[[W:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: llvm.br ^{{.*}}(%[[W]], %[[W]], %[[W]], %[[W]] : i32, i32, i32, i32)
tt.func private @equal(%x: f32) -> tensor<64x16xf16, #mma> {
  %s = tt.splat %x : f32 -> tensor<64x16xf32, #mma>
  %h = arith.truncf %s : tensor<64x16xf32, #mma> to tensor<64x16xf16, #mma>
  cf.br ^end(%h : tensor<64x16xf16, #mma>)
^end(%r: tensor<64x16xf16, #mma>):
  tt.return %r : tensor<64x16xf16, #mma>
}

// Other tensors: LLVM narrows operations around a conversion of one value.
// CHECK-LABEL: llvm.func internal @blocked(
// CHECK-COUNT-8: llvm.fptrunc %{{.*}} : f32 to f16
tt.func private @blocked(%x: tensor<64x16xf32, #line>) -> tensor<64x16xf16, #line> {
  %h = arith.truncf %x : tensor<64x16xf32, #line> to tensor<64x16xf16, #line>
  tt.return %h : tensor<64x16xf16, #line>
}

}
