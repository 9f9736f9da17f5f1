// Branches carry tensors register by register.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#v2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#no_unroll = #llvm.loop_annotation<unroll = <disable = true>>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: llvm.func internal @branch(%arg0: f32, %arg1: f32
// CHECK: llvm.br ^[[NEXT:bb[0-9]+]](%arg0, %arg1, %arg2 : f32, f32, i32)
// CHECK: ^[[NEXT]](%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i32):
tt.func private @branch(%x: tensor<256xf32, #v2>, %i: i32) -> tensor<256xf32, #v2> {
  cf.br ^next(%x, %i : tensor<256xf32, #v2>, i32)
^next(%y: tensor<256xf32, #v2>, %j: i32):
  tt.return %y : tensor<256xf32, #v2>
}

// CHECK-LABEL: llvm.func internal @condition(
// CHECK: llvm.cond_br %arg0, ^[[A:bb[0-9]+]](%arg1, %arg2 : f32, f32), ^[[B:bb[0-9]+]](%arg3 : i32)
// CHECK: ^[[A]](%{{.*}}: f32, %{{.*}}: f32):
// CHECK: llvm.return
tt.func private @condition(%c: i1, %x: tensor<256xf32, #v2>, %i: i32) -> i32 {
  cf.cond_br %c, ^a(%x : tensor<256xf32, #v2>), ^b(%i : i32)
^a(%y: tensor<256xf32, #v2>):
  tt.return %i : i32
^b(%j: i32):
  tt.return %j : i32
}

// CHECK-LABEL: llvm.func internal @switch(
// CHECK: llvm.switch %arg0 : i32, ^{{.*}}(%arg1, %arg2 : f32, f32) [
// CHECK-NEXT: 42: ^{{.*}}(%arg1, %arg2 : f32, f32),
// CHECK-NEXT: -1: ^{{bb[0-9]+$}}
tt.func private @switch(%i: i32, %x: tensor<256xf32, #v2>) -> i32 {
  cf.switch %i : i32, [
    default: ^a(%x : tensor<256xf32, #v2>),
    42: ^a(%x : tensor<256xf32, #v2>),
    -1: ^b
  ]
^a(%y: tensor<256xf32, #v2>):
  tt.return %i : i32
^b:
  tt.return %i : i32
}

// Unreachable ops are not lowered, not even unsupported ones.
// CHECK-LABEL: llvm.func internal @unreachable(
// CHECK-NOT: llvm.mul
// CHECK: llvm.return
tt.func private @unreachable(%i: i32) -> i32 {
  tt.return %i : i32
^nobody:
  %x = arith.constant 1.0 : f128
  %y = arith.muli %i, %i : i32
  tt.return %y : i32
}

// A block that precedes its dominator in the block list.
// CHECK-LABEL: llvm.func internal @order(
// CHECK: llvm.add
// CHECK: llvm.mul
tt.func private @order(%i: i32) -> i32 {
  cf.br ^first
^second:
  %y = arith.muli %x, %i : i32
  tt.return %y : i32
^first:
  %x = arith.addi %i, %i : i32
  cf.br ^second
}

// CHECK-LABEL: llvm.func internal @annotation(
// CHECK: llvm.cond_br %{{.*}} {loop_annotation = #[[LOOP:.*]]}
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[LOOP]]}
tt.func private @annotation(%c: i1) {
  cf.br ^head
^head:
  cf.cond_br %c, ^body, ^end {llvm.loop_annotation = #no_unroll}
^body:
  cf.br ^head {llvm.loop_annotation = #no_unroll}
^end:
  tt.return
}
}
