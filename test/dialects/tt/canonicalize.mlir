// Canonicalization patterns, one function per pattern; functions that must not change end in _kept.
// RUN: nereid-opt %s --canonicalize | FileCheck %s

// Discardable attributes stay on the load.
// CHECK-LABEL: @load_all
// CHECK-NEXT: %[[L:.*]] = tt.load %{{.*}} cacheModifier = cg {isVolatile = true, tt.latency = 3 : i32} : tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %[[L]]
tt.func @load_all(%p: tensor<8x!tt.ptr<f32>>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %m = arith.constant dense<true> : tensor<8xi1>
  %0 = tt.load %p, %m, %other cacheModifier = cg {isVolatile = true, tt.latency = 3 : i32} : tensor<8x!tt.ptr<f32>>
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_all_scalar
// CHECK-NEXT: tt.load %{{[^,]*}} : !tt.ptr<f32>
tt.func @load_all_scalar(%p: !tt.ptr<f32>) -> f32 {
  %m = arith.constant true
  %0 = tt.load %p, %m : !tt.ptr<f32>
  tt.return %0 : f32
}

// CHECK-LABEL: @load_none
// CHECK-SAME: %[[OTHER:[^ ]*]]: tensor<8xf32>
// CHECK-NEXT: tt.return %[[OTHER]]
tt.func @load_none(%p: tensor<8x!tt.ptr<f32>>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tt.load %p, %m, %other : tensor<8x!tt.ptr<f32>>
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_none_undefined_kept
// CHECK: tt.load
tt.func @load_none_undefined_kept(%p: tensor<8x!tt.ptr<f32>>) -> tensor<8xf32> {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_some_kept
// CHECK: tt.load %{{.*}}, %{{.*}} : tensor<2x!tt.ptr<f32>>
tt.func @load_some_kept(%p: tensor<2x!tt.ptr<f32>>) -> tensor<2xf32> {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = tt.load %p, %m : tensor<2x!tt.ptr<f32>>
  tt.return %0 : tensor<2xf32>
}

// CHECK-LABEL: @store_all
// CHECK-NEXT: tt.store %{{[^,]*}}, %{{[^,]*}} evictionPolicy = evict_first {ttg.partition = 1 : i32} : tensor<8x!tt.ptr<f32>>
tt.func @store_all(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>) {
  %m = arith.constant dense<true> : tensor<8xi1>
  tt.store %p, %x, %m evictionPolicy = evict_first {ttg.partition = 1 : i32} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @store_none
// CHECK-NEXT: tt.return
tt.func @store_none(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>, %q: !tt.ptr<f32>, %y: f32) {
  %m = arith.constant dense<false> : tensor<8xi1>
  %n = arith.constant false
  tt.store %p, %x, %m : tensor<8x!tt.ptr<f32>>
  tt.store %q, %y, %n : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @expand_dims_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : f32 -> tensor<8x1xf32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @expand_dims_splat(%x: f32) -> tensor<8x1xf32> {
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return %1 : tensor<8x1xf32>
}

// CHECK-LABEL: @expand_dims_broadcast
// CHECK-NEXT: %[[E:.*]] = tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<8x1xf32> -> tensor<1x8x1xf32>
// CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[E]] : tensor<1x8x1xf32> -> tensor<2x8x4xf32>
// CHECK-NEXT: tt.return %[[B]]
tt.func @expand_dims_broadcast(%x: tensor<8x1xf32>) -> tensor<2x8x4xf32> {
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8x4xf32> -> tensor<1x8x4xf32>
  %2 = tt.broadcast %1 : tensor<1x8x4xf32> -> tensor<2x8x4xf32>
  tt.return %2 : tensor<2x8x4xf32>
}

// CHECK-LABEL: @broadcast_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %[[S]]
tt.func @broadcast_splat(%x: !tt.ptr<f32>) -> tensor<8x4x!tt.ptr<f32>> {
  %0 = tt.splat %x : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %1 = tt.broadcast %0 : tensor<8x1x!tt.ptr<f32>> -> tensor<8x4x!tt.ptr<f32>>
  tt.return %1 : tensor<8x4x!tt.ptr<f32>>
}

// CHECK-LABEL: @reshape_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : f32 -> tensor<2x4xf32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @reshape_splat(%x: f32) -> tensor<2x4xf32> {
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.reshape %0 : tensor<8xf32> -> tensor<2x4xf32>
  tt.return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @reshape_reshape
// CHECK-NEXT: %[[R:.*]] = tt.reshape %{{.*}} : tensor<8xf32> -> tensor<4x2xf32>
// CHECK-NEXT: tt.return %[[R]]
tt.func @reshape_reshape(%x: tensor<8xf32>) -> tensor<4x2xf32> {
  %0 = tt.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
  %1 = tt.reshape %0 : tensor<2x4xf32> -> tensor<4x2xf32>
  tt.return %1 : tensor<4x2xf32>
}

// The inner one may reorder, and so may the one that replaces both.
// CHECK-LABEL: @reshape_reorder
// CHECK-NEXT: tt.reshape %{{.*}} allow_reorder : tensor<8xf32> -> tensor<4x2xf32>
tt.func @reshape_reorder(%x: tensor<8xf32>) -> tensor<4x2xf32> {
  %0 = tt.reshape %x allow_reorder : tensor<8xf32> -> tensor<2x4xf32>
  %1 = tt.reshape %0 : tensor<2x4xf32> -> tensor<4x2xf32>
  tt.return %1 : tensor<4x2xf32>
}

// An efficient_layout is kept.
// CHECK-LABEL: @reshape_efficient_kept
// CHECK-NEXT: tt.splat
// CHECK-NEXT: tt.reshape %{{.*}} efficient_layout
tt.func @reshape_efficient_kept(%x: f32) -> tensor<2x4xf32> {
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.reshape %0 efficient_layout : tensor<8xf32> -> tensor<2x4xf32>
  tt.return %1 : tensor<2x4xf32>
}
