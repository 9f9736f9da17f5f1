// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#large = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.shared = 0 : i32} {
// Two tensors of 256 elements per thread need 512 registers: elements are selected, and stored, one after the other.
// CHECK-LABEL: llvm.func @large
// CHECK: llvm.fcmp
// CHECK-NOT: llvm.fcmp
// CHECK: llvm.select
// CHECK-NOT: llvm.select
// CHECK: llvm.fcmp
tt.func public @large(%p: tensor<32768x!tt.ptr<f32>, #large>, %q: tensor<32768x!tt.ptr<f32>, #large>) {
  %zero = arith.constant dense<0.0> : tensor<32768xf32, #large>
  %x = tt.load %p : tensor<32768x!tt.ptr<f32>, #large>
  %y = tt.load %q : tensor<32768x!tt.ptr<f32>, #large>
  %c = arith.cmpf ogt, %x, %zero : tensor<32768xf32, #large>
  %s = arith.select %c, %x, %y : tensor<32768xi1, #large>, tensor<32768xf32, #large>
  tt.store %p, %s : tensor<32768x!tt.ptr<f32>, #large>
  tt.return
}

// Few elements are compared first.
// CHECK-LABEL: llvm.func @small
// CHECK: llvm.fcmp
// CHECK-NOT: llvm.select
// CHECK: llvm.fcmp
tt.func public @small(%p: tensor<1024x!tt.ptr<f32>, #large>, %q: tensor<1024x!tt.ptr<f32>, #large>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #large>
  %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #large>
  %y = tt.load %q : tensor<1024x!tt.ptr<f32>, #large>
  %c = arith.cmpf ogt, %x, %zero : tensor<1024xf32, #large>
  %s = arith.select %c, %x, %y : tensor<1024xi1, #large>, tensor<1024xf32, #large>
  tt.store %p, %s : tensor<1024x!tt.ptr<f32>, #large>
  tt.return
}
}
