// ttg.fp4_to_fp: the two elements of a byte go to adjacent registers of its thread; bits are shifted and scaled by a power of two.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#bytes = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#halves = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @f16(
// CHECK-DAG: llvm.mlir.constant(1.638400e+04 : f16)
// CHECK: %[[LOW:.*]] = llvm.fmul
// CHECK: %[[HIGH:.*]] = llvm.fmul
// CHECK: llvm.insertvalue %[[LOW]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[HIGH]], %{{.*}}[1]
tt.func private @f16(%x: tensor<16x8xi8, #bytes>) -> tensor<16x16xf16, #halves> {
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<16x8xi8, #bytes> -> tensor<16x16xf16, #halves>
  tt.return %y : tensor<16x16xf16, #halves>
}
}
