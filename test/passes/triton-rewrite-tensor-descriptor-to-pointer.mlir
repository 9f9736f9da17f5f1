// RUN: nereid-opt %s --split-input-file --verify-diagnostics --triton-rewrite-tensor-descriptor-to-pointer --canonicalize | FileCheck %s

// A kernel's descriptor becomes a pointer, shape, strides and padding; the arguments that the front end adds after it
// keep their roles, and so do those of the grid.
// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME: !tt.ptr<f16> {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 32]>, nereid.role = #nereid.role<base, group = 0>, tt.divisibility = 16 : i32}
// CHECK-SAME: i64 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}
// CHECK-SAME: i64 {nereid.role = #nereid.role<shape, group = 0, dim = 1>}
// CHECK-SAME: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 0>, tt.divisibility = 8 : i32}
// CHECK-SAME: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 1>}
// CHECK-SAME: i1 {nereid.role = #nereid.role<padding, group = 0>}
// CHECK-SAME: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}
// CHECK-SAME: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 1>}
// CHECK-SAME: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 0>}
// CHECK-SAME: i64 {nereid.role = #nereid.role<stride, group = 0, dim = 1>}
// CHECK-SAME: i32, %{{[^:]*}}: !tt.ptr<f16>) attributes {nereid.grid = #nereid.grid<{{.*}}, args = [10]>}
// CHECK: arith.select %{{.*}} : f16
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32x!tt.ptr<f16>>
tt.func public @kernel(%d: !tt.tensordesc<tensor<64x32xf16>>, %m: i32, %n: i32, %s: i64, %t: i64, %i: i32, %o: !tt.ptr<f16>) attributes {nereid.grid = #nereid.grid<affine_map<(d0) -> (d0)>, args = [5]>} {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

// -----

// A descriptor created in the kernel: constant padding; leading unit dimensions are dropped from the tensor and checked once.
// CHECK-LABEL: tt.func public @made(
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<32xf32>
// CHECK: arith.cmpi ult, %{{.*}} : i64
// CHECK: tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<32x!tt.ptr<f32>>
tt.func public @made(%p: !tt.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32) -> tensor<32xf32> {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] {padding = 2 : i32} : <f32>, <tensor<1x32xf32>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  tt.return %x : tensor<32xf32>
}

// -----

// Gather, scatter and reductions.
// CHECK-LABEL: tt.func public @others(
// CHECK: tt.load
// CHECK: tt.store
// CHECK: tt.atomic_rmw fadd, relaxed, gpu
// CHECK: tt.atomic_rmw umin, relaxed, gpu
tt.func public @others(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %m: i32, %n: i32, %s: i64, %i: i32, %rows: tensor<32xi32>) {
  %c1 = arith.constant 1 : i64
  %v = arith.constant dense<1> : tensor<8x16xi32>
  %f = arith.constant dense<1.0> : tensor<8x16xf32>
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <tensor<1x32xf32>>
  %x = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<32xi32>, i32) -> tensor<32x32xf32>
  tt.descriptor_scatter %d[%rows, %i], %x : !tt.tensordesc<tensor<1x32xf32>>, tensor<32xi32>, i32, tensor<32x32xf32>
  %g = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : <f32>, <tensor<8x16xf32>>
  tt.descriptor_reduce add, %g[%i, %i], %f : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  %u = tt.make_tensor_descriptor %q, [%m, %n], [%s, %c1] : <i32>, <tensor<8x16xui32>>
  tt.descriptor_reduce min, %u[%i, %i], %v : !tt.tensordesc<tensor<8x16xui32>>, tensor<8x16xi32>
  tt.return
}

// -----

// CHECK-LABEL: tt.func public @extrema
// CHECK: tt.atomic_rmw max, relaxed, gpu, %{{.*}} : (tensor<8x16x!tt.ptr<f16>>, tensor<8x16xf16>, tensor<8x16xi1>)
tt.func public @extrema(%p: !tt.ptr<f16>, %m: i32, %s: i64, %i: i32) {
  %f = arith.constant dense<1.0> : tensor<8x16xf16>
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%s, %c1] : <f16>, <tensor<8x16xf16>>
  tt.descriptor_reduce max, %d[%i, %i], %f : !tt.tensordesc<tensor<8x16xf16>>, tensor<8x16xf16>
  tt.return
}

// -----

// CHECK-LABEL: tt.func public @counts
// CHECK: tt.atomic_rmw inc, relaxed, gpu, %{{.*}} : (tensor<8x16x!tt.ptr<i32>>, tensor<8x16xi32>, tensor<8x16xi1>)
// CHECK: tt.atomic_rmw dec, relaxed, gpu, %{{.*}} : (tensor<8x16x!tt.ptr<i32>>, tensor<8x16xi32>, tensor<8x16xi1>)
tt.func public @counts(%p: !tt.ptr<i32>, %m: i32, %s: i64, %i: i32) {
  %f = arith.constant dense<1> : tensor<8x16xi32>
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : <i32>, <tensor<8x16xi32>>
  tt.descriptor_reduce inc, %d[%i, %i], %f : !tt.tensordesc<tensor<8x16xi32>>, tensor<8x16xi32>
  tt.descriptor_reduce dec, %d[%i, %i], %f : !tt.tensordesc<tensor<8x16xi32>>, tensor<8x16xi32>
  tt.return
}

// -----

tt.func public @no_such_atomic(%p: !tt.ptr<f32>, %m: i32, %s: i64, %i: i32) {
  %f = arith.constant dense<1.0> : tensor<8x16xf32>
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : <f32>, <tensor<8x16xf32>>
  // expected-error @below {{combines f32 in a way that pointer atomics do not support}}
  tt.descriptor_reduce inc, %d[%i, %i], %f : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.return
}

// -----

// A descriptor without uses is rewritten as well: the parameters of a kernel do not depend on its body.
// CHECK-LABEL: tt.func public @unused(
// CHECK-SAME: !tt.ptr<f16> {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 32]>
// CHECK-SAME: i1 {nereid.role = #nereid.role<padding, group = 0>})
tt.func public @unused(%d: !tt.tensordesc<tensor<64x32xf16>>) {
  tt.return
}

// -----

// The limit of 256 is that of a TMA box, not of a block.
// CHECK-LABEL: tt.func public @tall(
// CHECK-SAME: !tt.ptr<i8> {nereid.descriptor = #nereid.descriptor<element = i8, block = [1, 1024]>
// CHECK: tt.load %{{.*}} : tensor<1024x!tt.ptr<i8>>
tt.func public @tall(%d: !tt.tensordesc<tensor<1x1024xui8>>, %i: i32, %o: !tt.ptr<i8>) -> tensor<1024xi8> {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<1x1024xui8>> -> tensor<1024xi8>
  tt.return %x : tensor<1024xi8>
}

// -----

// expected-error @below {{argument of type !tt.tensordesc<tensor<64xi1>>, expected a descriptor of 1 to 5 dimensions with elements of 8, 16, 32 or 64 bits}}
tt.func public @bits(%d: !tt.tensordesc<tensor<64xi1>>) {
  tt.return
}

// -----

// expected-error @below {{argument of type !tt.tensordesc<tensor<1x1x1x1x1x8xf32>>, expected a descriptor of 1 to 5 dimensions}}
tt.func public @deep(%d: !tt.tensordesc<tensor<1x1x1x1x1x8xf32>>) {
  tt.return
}

// -----

tt.func public @every_other(%p: !tt.ptr<f32>, %m: i32, %s: i64, %i: i32) -> tensor<8x16xf32> {
  %c2 = arith.constant 2 : i64
  // expected-error @below {{has 2 as its last stride, expected 1: elements of the last dimension must be contiguous}}
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%s, %c2] : <f32>, <tensor<8x16xf32>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.return %x : tensor<8x16xf32>
}

// -----

tt.func public @odd_rows(%p: !tt.ptr<f16>, %m: i32, %i: i32) -> tensor<8x16xf16> {
  %c1 = arith.constant 1 : i64
  %c100 = arith.constant 100 : i64
  // expected-error @below {{has stride 100 of 16-bit elements in dimension 0, expected a multiple of 16 bytes from 0 to less than 2^40 bytes, as TMA requires: pad the rows, or access the tensor through pointers}}
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%c100, %c1] : <f16>, <tensor<8x16xf16>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x16xf16>> -> tensor<8x16xf16>
  tt.return %x : tensor<8x16xf16>
}

// -----

tt.func public @backward(%p: !tt.ptr<f32>, %m: i32, %i: i32) -> tensor<8x16xf32> {
  %c1 = arith.constant 1 : i64
  %c = arith.constant -128 : i64
  // expected-error @below {{has stride -128 of 32-bit elements in dimension 0, expected a multiple of 16 bytes from 0}}
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%c, %c1] : <f32>, <tensor<8x16xf32>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.return %x : tensor<8x16xf32>
}

// -----

tt.func public @empty(%p: !tt.ptr<f32>, %m: i32, %s: i64, %i: i32) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  // expected-error @below {{has 0 elements in dimension 1, expected at least 1}}
  %d = tt.make_tensor_descriptor %p, [%m, %c0], [%s, %c1] : <f32>, <tensor<8x16xf32>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.return %x : tensor<8x16xf32>
}

// -----

// The stride of a dimension with one element is not used.
// CHECK-LABEL: @one_row(
tt.func public @one_row(%p: !tt.ptr<f16>, %m: i32, %i: i32) -> tensor<1x16xf16> {
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %c100 = arith.constant 100 : i64
  %d = tt.make_tensor_descriptor %p, [%one, %m], [%c100, %c1] : <f16>, <tensor<1x16xf16>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<1x16xf16>> -> tensor<1x16xf16>
  tt.return %x : tensor<1x16xf16>
}
