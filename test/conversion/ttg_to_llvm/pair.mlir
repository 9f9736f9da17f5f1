// tt.join, tt.split and tt.cat rename registers.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#half = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pair = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#both = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @join(
// CHECK: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK: llvm.insertvalue %arg2, %{{.*}}[1]
// CHECK: llvm.insertvalue %arg1, %{{.*}}[2]
// CHECK: llvm.insertvalue %arg3, %{{.*}}[3]
tt.func private @join(%x: tensor<256xf32, #half>, %y: tensor<256xf32, #half>) -> tensor<256x2xf32, #pair> {
  %z = tt.join %x, %y : tensor<256xf32, #half> -> tensor<256x2xf32, #pair>
  tt.return %z : tensor<256x2xf32, #pair>
}

// CHECK-LABEL: llvm.func internal @split(
// CHECK: llvm.insertvalue %arg0, %{{.*}}[0]
// CHECK: llvm.insertvalue %arg2, %{{.*}}[1]
// CHECK: llvm.insertvalue %arg1, %{{.*}}[2]
// CHECK: llvm.insertvalue %arg3, %{{.*}}[3]
tt.func private @split(%z: tensor<256x2xf32, #pair>) -> (tensor<256xf32, #half>, tensor<256xf32, #half>) {
  %x, %y = tt.split %z : tensor<256x2xf32, #pair> -> tensor<256xf32, #half>
  tt.return %x, %y : tensor<256xf32, #half>, tensor<256xf32, #half>
}

// CHECK-LABEL: llvm.func internal @cat(
// CHECK: llvm.insertvalue %arg1, %{{.*}}[1]
// CHECK: llvm.insertvalue %arg2, %{{.*}}[2]
tt.func private @cat(%x: tensor<256xf32, #half>, %y: tensor<256xf32, #half>) -> tensor<512xf32, #both> {
  %z = tt.cat %x, %y : tensor<256xf32, #half> -> tensor<512xf32, #both>
  tt.return %z : tensor<512xf32, #both>
}
}
