// Round trips of pointer operations and casts, scalar and tensor: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func @casts
tt.func @casts(%p: !tt.ptr<f32>, %n: i64, %x: f32, %ps: tensor<16x!tt.ptr<f32>>, %ns: tensor<16xi64>, %xs: tensor<16xf32>) {
  // CHECK: %{{.*}} = tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
  %0 = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.int_to_ptr %{{.*}} : tensor<16xi64> -> tensor<16x!tt.ptr<f32>>
  %1 = tt.int_to_ptr %ns : tensor<16xi64> -> tensor<16x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
  %2 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  // CHECK: %{{.*}} = tt.ptr_to_int %{{.*}} : tensor<16x!tt.ptr<f32>> -> tensor<16xi64>
  %3 = tt.ptr_to_int %ps : tensor<16x!tt.ptr<f32>> -> tensor<16xi64>
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : f32 -> i32
  %4 = tt.bitcast %x : f32 -> i32
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : tensor<16xf32> -> tensor<16xi32>
  %5 = tt.bitcast %xs : tensor<16xf32> -> tensor<16xi32>
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i8>
  %6 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i32>>
  %7 = tt.bitcast %ps : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i32>>
  // CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f16
  %8 = tt.fp_to_fp %x, rounding = rtne : f32 -> f16
  // CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<16xf32> -> tensor<16xf8E5M2>
  %9 = tt.fp_to_fp %xs, rounding = rtz : tensor<16xf32> -> tensor<16xf8E5M2>
  // CHECK: %{{.*}} = tt.fp_to_fp %{{.*}} : tensor<16xf8E5M2> -> tensor<16xf32>
  %10 = tt.fp_to_fp %9 : tensor<16xf8E5M2> -> tensor<16xf32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @address_spaces
tt.func @address_spaces(%global: !tt.ptr<f16>, %shared: !tt.ptr<f16, 3>, %nested: !tt.ptr<!tt.ptr<i8>>) {
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : !tt.ptr<f16, 3> -> !tt.ptr<i16, 3>
  %0 = tt.bitcast %shared : !tt.ptr<f16, 3> -> !tt.ptr<i16, 3>
  // CHECK: %{{.*}} = tt.load %{{.*}} : !tt.ptr<!tt.ptr<i8>>
  %1 = tt.load %nested : !tt.ptr<!tt.ptr<i8>>
  // CHECK: %{{.*}} = tt.bitcast %{{.*}} : !tt.ptr<f16> -> !tt.ptr<tensor<8x8xf16>>
  %2 = tt.bitcast %global : !tt.ptr<f16> -> !tt.ptr<tensor<8x8xf16>>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @arithmetic
tt.func @arithmetic(%p: !tt.ptr<f32>, %i: i32, %j: i64, %ps: tensor<16x!tt.ptr<f32>>, %is: tensor<16xi32>) {
  // CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  // CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
  %1 = tt.addptr %p, %j : !tt.ptr<f32>, i64
  // CHECK: %{{.*}} = tt.addptr %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %2 = tt.addptr %ps, %is : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @block_pointers
tt.func @block_pointers(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // CHECK: %{{.*}} = tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<128x32xf16>>
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<128x32xf16>>
  // CHECK: %{{.*}} = tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<128x32xf16>>
  %1 = tt.advance %0, [%i, %i] : <tensor<128x32xf16>>
  // CHECK: tt.return
  tt.return
}
