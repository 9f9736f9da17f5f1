// tt.scan: registers one after the other, lanes by shuffles, warps through shared memory.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @sums(
// CHECK: llvm.fadd %arg0, %arg1
// CHECK-COUNT-5: shfl.sync.up.f32
// The lane before: what it has goes to the first register.
// CHECK: shfl.sync.up.f32
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: barrier
// CHECK: llvm.return
tt.func private @sums(%x: tensor<256xf32, #line>) -> tensor<256xf32, #line> {
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<256xf32, #line>) -> tensor<256xf32, #line>
  tt.return %y : tensor<256xf32, #line>
}

// In reverse from the last lane down; a row lies in one warp.
// CHECK-LABEL: llvm.func internal @reverse(
// CHECK-NOT: barrier
// CHECK: llvm.mul %arg1, %arg0
// CHECK-COUNT-5: shfl.sync.down.i32
// CHECK-NOT: {{barrier|shfl}}
// CHECK: llvm.return
tt.func private @reverse(%x: tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows> {
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows>
  tt.return %y : tensor<8x32xi32, #rows>
}

// Code with an effect runs only where there is something before.
// CHECK-LABEL: llvm.func internal @checked(
// CHECK: llvm.call @__assertfail
// CHECK: shfl.sync.up.i32
// CHECK: llvm.cond_br
// CHECK: llvm.call @__assertfail
// CHECK: llvm.return
tt.func private @checked(%x: tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows> {
  %y = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    tt.assert %less, "not sorted" : i1
    tt.scan.return %b : i32
  }) : (tensor<8x32xi32, #rows>) -> tensor<8x32xi32, #rows>
  tt.return %y : tensor<8x32xi32, #rows>
}
}
