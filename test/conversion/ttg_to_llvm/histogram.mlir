// tt.histogram: counters in shared memory, and an additional one for masked-off elements.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK: ttg.shared = 260 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @masked(
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: barrier
// CHECK: %[[BIN:.*]] = llvm.intr.umin(%arg0, %{{.*}}) : (i32, i32) -> i32
// CHECK: %[[COUNTED:.*]] = llvm.select %arg1, %[[BIN]], %{{.*}} : i1, i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[COUNTED]]]
// CHECK: red.shared.add.u32 {{.*}} %[[AT]],
// CHECK: barrier
// CHECK: llvm.load
// CHECK: llvm.return
tt.func private @masked(%x: tensor<128xi32, #line>, %m: tensor<128xi1, #line>) -> tensor<64xi32, #line> {
  %h = tt.histogram %x, %m : tensor<128xi32, #line> -> tensor<64xi32, #line>
  tt.return %h : tensor<64xi32, #line>
}

// CHECK-LABEL: llvm.func internal @long(
// CHECK: llvm.intr.umin(%arg0, %{{.*}}) : (i64, i64) -> i64
// CHECK: llvm.zext %{{.*}} : i32 to i64
tt.func private @long(%x: tensor<128xi64, #line>) -> tensor<64xi64, #line> {
  %h = tt.histogram %x : tensor<128xi64, #line> -> tensor<64xi64, #line>
  tt.return %h : tensor<64xi64, #line>
}
}
