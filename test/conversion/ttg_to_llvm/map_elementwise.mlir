// tt.map_elementwise: one copy of the region per pack of registers, with its control flow as blocks.
// RUN: nereid-opt %s --convert-scf-to-cf --convert-triton-gpu-to-llvm | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @pairs(
// CHECK: llvm.add %arg0, %arg1
// CHECK: llvm.add %arg2, %arg3
// CHECK-NOT: llvm.add
// CHECK: llvm.return
tt.func private @pairs(%x: tensor<512xi32, #line>) -> tensor<512xi32, #line> {
  %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.map_elementwise.return %c, %a : i32, i32
  }) : (tensor<512xi32, #line>) -> tensor<512xi32, #line>
  tt.return %y : tensor<512xi32, #line>
}

// CHECK-LABEL: llvm.func internal @branches(
// CHECK-COUNT-4: llvm.cond_br
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
tt.func private @branches(%x: tensor<512xi32, #line>) -> tensor<512xi32, #line> {
  %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %zero = arith.constant 0 : i32
    %less = arith.cmpi slt, %a, %zero : i32
    %c = scf.if %less -> (i32) {
      %n = arith.subi %zero, %a : i32
      scf.yield %n : i32
    } else {
      scf.yield %a : i32
    }
    tt.map_elementwise.return %c : i32
  }) : (tensor<512xi32, #line>) -> tensor<512xi32, #line>
  tt.return %y : tensor<512xi32, #line>
}
}
