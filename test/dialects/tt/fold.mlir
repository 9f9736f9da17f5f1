// Folds, one function per rule; functions that must not fold end in _kept.
// RUN: nereid-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @splat
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.500000e+00> : tensor<8xf32>
// CHECK-NEXT: tt.return %[[C]]
tt.func @splat() -> tensor<8xf32> {
  %c = arith.constant 1.5 : f32
  %0 = tt.splat %c : f32 -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @unsplat_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant 7 : i32
// CHECK-NEXT: tt.return %[[C]]
tt.func @unsplat_constant() -> i32 {
  %c = arith.constant dense<7> : tensor<1x1xi32>
  %0 = tt.unsplat %c : tensor<1x1xi32>
  tt.return %0 : i32
}

// CHECK-LABEL: @unsplat_splat
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>
// CHECK-NEXT: tt.return %[[X]]
tt.func @unsplat_splat(%x: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %0 = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
  %1 = tt.unsplat %0 : tensor<1x!tt.ptr<f32>>
  tt.return %1 : !tt.ptr<f32>
}

// CHECK-LABEL: @make_range
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<5> : tensor<1xi32>
// CHECK-NEXT: tt.return %[[C]]
tt.func @make_range() -> tensor<1xi32> {
  %0 = tt.make_range {start = 5 : i32, end = 6 : i32} : tensor<1xi32>
  tt.return %0 : tensor<1xi32>
}

// CHECK-LABEL: @make_range_kept
// CHECK-NEXT: tt.make_range
tt.func @make_range_kept() -> tensor<2xi32> {
  %0 = tt.make_range {start = 5 : i32, end = 7 : i32} : tensor<2xi32>
  tt.return %0 : tensor<2xi32>
}

// CHECK-LABEL: @expand_dims
// CHECK-DAG: %[[S:.*]] = arith.constant dense<3> : tensor<1x2xi32>
// CHECK-DAG: %[[L:.*]] = arith.constant dense<{{\[\[}}1], [2]]> : tensor<2x1xi32>
// CHECK: tt.return %[[S]], %[[L]]
tt.func @expand_dims() -> (tensor<1x2xi32>, tensor<2x1xi32>) {
  %s = arith.constant dense<3> : tensor<2xi32>
  %l = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0 = tt.expand_dims %s {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %1 = tt.expand_dims %l {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  tt.return %0, %1 : tensor<1x2xi32>, tensor<2x1xi32>
}

// CHECK-LABEL: @reshape
// CHECK-DAG: %[[S:.*]] = arith.constant dense<true> : tensor<4xi1>
// CHECK-DAG: %[[L:.*]] = arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
// CHECK: tt.return %[[S]], %[[L]]
tt.func @reshape() -> (tensor<4xi1>, tensor<2x2xi32>) {
  %s = arith.constant dense<true> : tensor<2x2xi1>
  %l = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = tt.reshape %s : tensor<2x2xi1> -> tensor<4xi1>
  %1 = tt.reshape %l : tensor<4xi32> -> tensor<2x2xi32>
  tt.return %0, %1 : tensor<4xi1>, tensor<2x2xi32>
}

// CHECK-LABEL: @reshape_same
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: tt.return %[[X]]
tt.func @reshape_same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tt.reshape %x : tensor<4xf32> -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}

// A reshape with allow_reorder is not an identity: a later pass may reorder.
// CHECK-LABEL: @reshape_reorder_kept
// CHECK-NEXT: tt.reshape %{{.*}} allow_reorder
tt.func @reshape_reorder_kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tt.reshape %x allow_reorder : tensor<4xf32> -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @broadcast
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<-0.000000e+00> : tensor<8x4xf32>
// CHECK-NEXT: tt.return %[[C]]
tt.func @broadcast() -> tensor<8x4xf32> {
  %c = arith.constant dense<-0.0> : tensor<8x1xf32>
  %0 = tt.broadcast %c : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @broadcast_same
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: tt.return %[[X]]
tt.func @broadcast_same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tt.broadcast %x : tensor<4xf32> -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @broadcast_list_kept
// CHECK: tt.broadcast
tt.func @broadcast_list_kept() -> tensor<2x4xi32> {
  %c = arith.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %0 = tt.broadcast %c : tensor<2x1xi32> -> tensor<2x4xi32>
  tt.return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: @trans_identity
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: tt.return %[[X]]
tt.func @trans_identity(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tt.trans %x {order = array<i32: 0, 1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return %0 : tensor<4x8xf32>
}

// Dimension i of the result is dimension inner[outer[i]]: [1, 2, 0] after [2, 0, 1] is the identity.
// CHECK-LABEL: @trans_inverse
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
// CHECK-NEXT: tt.return %[[X]]
tt.func @trans_inverse(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tt.trans %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 2, 0>} : tensor<8x2x4xf32> -> tensor<2x4x8xf32>
  tt.return %1 : tensor<2x4x8xf32>
}

// The order of composition matters: 2x4x8 -> 8x2x4 -> 2x8x4 is [0, 2, 1].
// CHECK-LABEL: @trans_trans
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
// CHECK-NEXT: %[[T:.*]] = tt.trans %[[X]] {order = array<i32: 0, 2, 1>} : tensor<2x4x8xf32> -> tensor<2x8x4xf32>
// CHECK-NEXT: tt.return %[[T]]
tt.func @trans_trans(%x: tensor<2x4x8xf32>) -> tensor<2x8x4xf32> {
  %0 = tt.trans %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 0, 2>} : tensor<8x2x4xf32> -> tensor<2x8x4xf32>
  tt.return %1 : tensor<2x8x4xf32>
}

// CHECK-LABEL: @trans_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2> : tensor<8x4xi8>
// CHECK-NEXT: tt.return %[[C]]
tt.func @trans_constant() -> tensor<8x4xi8> {
  %c = arith.constant dense<2> : tensor<4x8xi8>
  %0 = tt.trans %c {order = array<i32: 1, 0>} : tensor<4x8xi8> -> tensor<8x4xi8>
  tt.return %0 : tensor<8x4xi8>
}

// The sign of a zero is kept.
// CHECK-LABEL: @fp_to_fp_zero
// CHECK-DAG: %[[P:.*]] = arith.constant 0.000000e+00 : f16
// CHECK-DAG: %[[N:.*]] = arith.constant dense<-0.000000e+00> : tensor<8xf8E5M2>
// CHECK: tt.return %[[P]], %[[N]]
tt.func @fp_to_fp_zero() -> (f16, tensor<8xf8E5M2>) {
  %p = arith.constant 0.0 : f32
  %n = arith.constant dense<-0.0> : tensor<8xf32>
  %0 = tt.fp_to_fp %p, rounding = rtne : f32 -> f16
  %1 = tt.fp_to_fp %n, rounding = rtz : tensor<8xf32> -> tensor<8xf8E5M2>
  tt.return %0, %1 : f16, tensor<8xf8E5M2>
}

// CHECK-LABEL: @fp_to_fp_same
// CHECK-SAME: %[[X:.*]]: f16
// CHECK-NEXT: tt.return %[[X]]
tt.func @fp_to_fp_same(%x: f16) -> f16 {
  %0 = tt.fp_to_fp %x : f16 -> f16
  tt.return %0 : f16
}

// CHECK-LABEL: @fp_to_fp_value_kept
// CHECK: tt.fp_to_fp
tt.func @fp_to_fp_value_kept() -> f16 {
  %c = arith.constant 0.1 : f32
  %0 = tt.fp_to_fp %c, rounding = rtz : f32 -> f16
  tt.return %0 : f16
}

// CHECK-LABEL: @addptr_zero
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[PS:.*]]: tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %[[P]], %[[PS]]
tt.func @addptr_zero(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>) -> (!tt.ptr<f32>, tensor<8x!tt.ptr<f32>>) {
  %c = arith.constant 0 : i64
  %cs = arith.constant dense<0> : tensor<8xi32>
  %0 = tt.addptr %p, %c : !tt.ptr<f32>, i64
  %1 = tt.addptr %ps, %cs : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.return %0, %1 : !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>
}

// CHECK-LABEL: @addptr_one_kept
// CHECK: tt.addptr
tt.func @addptr_one_kept(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %c = arith.constant 1 : i32
  %0 = tt.addptr %p, %c : !tt.ptr<f32>, i32
  tt.return %0 : !tt.ptr<f32>
}

// CHECK-LABEL: @advance_zero
// CHECK-SAME: %[[P:.*]]: !tt.ptr<tensor<8x8xf32>>
// CHECK-NEXT: tt.return %[[P]]
tt.func @advance_zero(%p: !tt.ptr<tensor<8x8xf32>>) -> !tt.ptr<tensor<8x8xf32>> {
  %c = arith.constant 0 : i32
  %0 = tt.advance %p, [%c, %c] : <tensor<8x8xf32>>
  tt.return %0 : !tt.ptr<tensor<8x8xf32>>
}

// CHECK-LABEL: @advance_one_kept
// CHECK: tt.advance
tt.func @advance_one_kept(%p: !tt.ptr<tensor<8x8xf32>>) -> !tt.ptr<tensor<8x8xf32>> {
  %c = arith.constant 0 : i32
  %d = arith.constant 1 : i32
  %0 = tt.advance %p, [%c, %d] : <tensor<8x8xf32>>
  tt.return %0 : !tt.ptr<tensor<8x8xf32>>
}

// A splat of a tensor of rank 0 is not a splat of a scalar.
// CHECK-LABEL: @rank_0
// CHECK: %[[POINT:.*]] = tt.splat %arg0 : tensor<f32> -> tensor<1x1xf32>
// CHECK: tt.unsplat %[[POINT]]
tt.func @rank_0(%x: tensor<f32>) -> f32 {
  %0 = tt.splat %x : tensor<f32> -> tensor<1xf32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<1xf32> -> tensor<1x1xf32>
  %2 = tt.unsplat %1 : tensor<1x1xf32>
  tt.return %2 : f32
}
