// Round trips of shape operations: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func @shapes
tt.func @shapes(%x: f32, %p: !tt.ptr<f32>, %v: tensor<16xf32>, %m: tensor<4x8xf32>, %one: tensor<1x1xf32>) {
  // CHECK: %{{.*}} = tt.make_range {end = 80 : i32, start = 16 : i32} : tensor<64xi32>
  %0 = tt.make_range {end = 80 : i32, start = 16 : i32} : tensor<64xi32>
  // CHECK: %{{.*}} = tt.splat %{{.*}} : f32 -> tensor<4x8xf32>
  %1 = tt.splat %x : f32 -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %2 = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.splat %{{.*}} : f32 -> tensor<f32>
  %3 = tt.splat %x : f32 -> tensor<f32>
  // CHECK: %{{.*}} = tt.unsplat %{{.*}} : tensor<1x1xf32>
  %4 = tt.unsplat %one : tensor<1x1xf32>
  // CHECK: %{{.*}} = tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %5 = tt.expand_dims %v {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  // CHECK: %{{.*}} = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  %6 = tt.expand_dims %m {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  // CHECK: %{{.*}} = tt.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
  %7 = tt.reshape %m : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: %{{.*}} = tt.reshape %{{.*}} allow_reorder : tensor<4x8xf32> -> tensor<2x16xf32>
  %8 = tt.reshape %m allow_reorder : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: %{{.*}} = tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<8x4xf32>
  %9 = tt.reshape %m allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: %{{.*}} = tt.reshape %{{.*}} efficient_layout : tensor<4x8xf32> -> tensor<8x4xf32>
  %10 = tt.reshape %m efficient_layout : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: %{{.*}} = tt.broadcast %{{.*}} : tensor<1x16xf32> -> tensor<8x16xf32>
  %11 = tt.broadcast %5 : tensor<1x16xf32> -> tensor<8x16xf32>
  // CHECK: %{{.*}} = tt.cat %{{.*}}, %{{.*}} : tensor<16xf32> -> tensor<32xf32>
  %12 = tt.cat %v, %v : tensor<16xf32> -> tensor<32xf32>
  // CHECK: %{{.*}} = tt.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %13 = tt.join %m, %m : tensor<4x8xf32> -> tensor<4x8x2xf32>
  // CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<4x8x2xf32> -> tensor<4x8xf32>
  %14, %15 = tt.split %13 : tensor<4x8x2xf32> -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %16 = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: %{{.*}} = tt.trans %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  %17 = tt.trans %13 {order = array<i32: 2, 0, 1>} : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  // CHECK: %[[POINT:.*]] = tt.splat %{{.*}} : f32 -> tensor<f32>
  %18 = tt.splat %x : f32 -> tensor<f32>
  // CHECK: tt.splat %[[POINT]] : tensor<f32> -> tensor<2x4xf32>
  %19 = tt.splat %18 : tensor<f32> -> tensor<2x4xf32>
  // CHECK: tt.return
  tt.return
}
