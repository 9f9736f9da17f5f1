// Operands of mma.sync stay words of 32 bits from ldmatrix to the instruction, also those that a loop carries.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#c = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #c, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #c, kWidth = 2}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: llvm.func internal @direct(
// CHECK: ldmatrix
// CHECK-NOT: {{bitcast|extractelement|insertelement}}
// CHECK: mma.sync
// CHECK: llvm.return
tt.func private @direct(%x: !ttg.memdesc<64x16xf16, #rows, #smem>, %y: !ttg.memdesc<16x16xf16, #rows, #smem>, %z: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %a = ttg.local_load %x : !ttg.memdesc<64x16xf16, #rows, #smem> -> tensor<64x16xf16, #a>
  %b = ttg.local_load %y : !ttg.memdesc<16x16xf16, #rows, #smem> -> tensor<16x16xf16, #b>
  %d = tt.dot %a, %b, %z : tensor<64x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<64x16xf32, #c>
  tt.return %d : tensor<64x16xf32, #c>
}

// Four words of a and two sums of a pair each; the elements of none are needed.
// CHECK-LABEL: llvm.func internal @carried(
// CHECK: llvm.br ^[[LOOP:bb[0-9]+]](%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : i32, i32, i32, i32, i32, i32, i32)
// CHECK: ^[[LOOP]](%{{[0-9]+}}: i32, %[[A0:[0-9]+]]: i32, %[[A1:[0-9]+]]: i32, %[[A2:[0-9]+]]: i32, %[[A3:[0-9]+]]: i32, %[[D0:[0-9]+]]: i32, %[[D1:[0-9]+]]: i32)
// CHECK-NOT: {{extractelement|insertelement}}
// CHECK: mma.sync{{.*}} %[[D0]], %[[D1]], %[[A0]], %[[A1]], %[[A2]], %[[A3]],
tt.func private @carried(%x: !ttg.memdesc<64x16xf16, #rows, #smem>, %y: !ttg.memdesc<16x8xf16, #line, #smem>, %n: i32) -> tensor<64x8xf16, #c> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x8xf16, #c>
  %b = ttg.local_load %y : !ttg.memdesc<16x8xf16, #line, #smem> -> tensor<16x8xf16, #b>
  %first = ttg.local_load %x : !ttg.memdesc<64x16xf16, #rows, #smem> -> tensor<64x16xf16, #a>
  cf.br ^loop(%zero, %first, %none : i32, tensor<64x16xf16, #a>, tensor<64x8xf16, #c>)
^loop(%i: i32, %a: tensor<64x16xf16, #a>, %c: tensor<64x8xf16, #c>):
  %d = tt.dot %a, %b, %c : tensor<64x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<64x8xf16, #c>
  %next = ttg.local_load %x : !ttg.memdesc<64x16xf16, #rows, #smem> -> tensor<64x16xf16, #a>
  %j = arith.addi %i, %one : i32
  %more = arith.cmpi slt, %j, %n : i32
  cf.cond_br %more, ^loop(%j, %next, %d : i32, tensor<64x16xf16, #a>, tensor<64x8xf16, #c>), ^done
^done:
  tt.return %d : tensor<64x8xf16, #c>
}
}
