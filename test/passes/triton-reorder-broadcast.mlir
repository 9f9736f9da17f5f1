// RUN: nereid-opt %s --triton-reorder-broadcast --canonicalize | FileCheck %s

// CHECK-LABEL: @scalars(
// CHECK: %[[S:.*]] = arith.addf %arg0, %{{.*}} : f32
// CHECK: %[[E:.*]] = math.exp %[[S]] : f32
// CHECK: %[[T:.*]] = tt.splat %[[E]] : f32 -> tensor<64xf32>
// CHECK: tt.return %[[T]]
tt.func public @scalars(%a: f32) -> tensor<64xf32> {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tt.splat %a : f32 -> tensor<64xf32>
  %s = arith.addf %x, %one : tensor<64xf32>
  %e = math.exp %s : tensor<64xf32>
  tt.return %e : tensor<64xf32>
}

// CHECK-LABEL: @columns(
// CHECK: %[[N:.*]] = tt.splat %arg2 : i32 -> tensor<64x1xi32>
// CHECK: %[[P:.*]] = arith.muli %arg0, %[[N]] : tensor<64x1xi32>
// CHECK: %[[C:.*]] = arith.cmpi slt, %[[P]], %arg1 : tensor<64x1xi32>
// CHECK: tt.broadcast %[[C]] : tensor<64x1xi1> -> tensor<64x32xi1>
tt.func public @columns(%a: tensor<64x1xi32>, %b: tensor<64x1xi32>, %n: i32) -> tensor<64x32xi1> {
  %x = tt.broadcast %a : tensor<64x1xi32> -> tensor<64x32xi32>
  %y = tt.broadcast %b : tensor<64x1xi32> -> tensor<64x32xi32>
  %z = tt.splat %n : i32 -> tensor<64x32xi32>
  %p = arith.muli %x, %z : tensor<64x32xi32>
  %c = arith.cmpi slt, %p, %y : tensor<64x32xi32>
  tt.return %c : tensor<64x32xi1>
}

// A broadcast row and a broadcast column stay broadcast.
// CHECK-LABEL: @crossed(
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<64x32xi32>
tt.func public @crossed(%a: tensor<64x1xi32>, %b: tensor<1x32xi32>) -> tensor<64x32xi32> {
  %x = tt.broadcast %a : tensor<64x1xi32> -> tensor<64x32xi32>
  %y = tt.broadcast %b : tensor<1x32xi32> -> tensor<64x32xi32>
  %s = arith.addi %x, %y : tensor<64x32xi32>
  tt.return %s : tensor<64x32xi32>
}

// A splat of a rank-0 tensor has no scalar operand.
// CHECK-LABEL: @rank_0(
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<32xf32>
tt.func public @rank_0(%a: tensor<f32>, %b: f32) -> tensor<32xf32> {
  %x = tt.splat %a : tensor<f32> -> tensor<32xf32>
  %y = tt.splat %b : f32 -> tensor<32xf32>
  %s = arith.addf %x, %y : tensor<32xf32>
  tt.return %s : tensor<32xf32>
}

// The halves of a result are rounded before they are views.
// CHECK-LABEL: @halves(
// CHECK: %[[H:.*]] = arith.truncf %arg0 : tensor<64x128xf32> to tensor<64x128xf16>
// CHECK: %[[R:.*]] = tt.reshape %[[H]] : tensor<64x128xf16> -> tensor<64x2x64xf16>
// CHECK: %[[T:.*]] = tt.trans %[[R]] {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf16> -> tensor<64x64x2xf16>
// CHECK: %[[L:.*]], %[[U:.*]] = tt.split %[[T]] : tensor<64x64x2xf16> -> tensor<64x64xf16>
// CHECK: tt.return %[[L]], %[[U]]
tt.func public @halves(%x: tensor<64x128xf32>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %r = tt.reshape %x : tensor<64x128xf32> -> tensor<64x2x64xf32>
  %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x64xf32> -> tensor<64x64x2xf32>
  %l, %u = tt.split %t : tensor<64x64x2xf32> -> tensor<64x64xf32>
  %a = arith.truncf %l : tensor<64x64xf32> to tensor<64x64xf16>
  %b = arith.truncf %u : tensor<64x64xf32> to tensor<64x64xf16>
  tt.return %a, %b : tensor<64x64xf16>, tensor<64x64xf16>
}

// One half is also used in f32, or the halves are rounded in different ways.
// CHECK-LABEL: @kept(
// CHECK: tt.split %arg0 : tensor<64x2xf32>
// CHECK: tt.split %arg1 : tensor<64x2xf32>
// CHECK: arith.truncf %{{.*}} to_nearest_even : tensor<64xf32>
// CHECK: arith.truncf %{{.*}} toward_zero : tensor<64xf32>
tt.func public @kept(%x: tensor<64x2xf32>, %y: tensor<64x2xf32>)
    -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf32>, tensor<64xf16>, tensor<64xf16>) {
  %l, %u = tt.split %x : tensor<64x2xf32> -> tensor<64xf32>
  %a = arith.truncf %l : tensor<64xf32> to tensor<64xf16>
  %b = arith.truncf %u : tensor<64xf32> to tensor<64xf16>
  %v, %w = tt.split %y : tensor<64x2xf32> -> tensor<64xf32>
  %c = arith.truncf %v to_nearest_even : tensor<64xf32> to tensor<64xf16>
  %d = arith.truncf %w toward_zero : tensor<64xf32> to tensor<64xf16>
  tt.return %a, %b, %u, %c, %d : tensor<64xf16>, tensor<64xf16>, tensor<64xf32>, tensor<64xf16>, tensor<64xf16>
}
