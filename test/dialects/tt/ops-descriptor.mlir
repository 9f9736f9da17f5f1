// Round trips of descriptor operations: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func @descriptors
tt.func @descriptors(%p: !tt.ptr<i8>, %n: i32, %s: i64, %rows: tensor<32xi32>, %x: tensor<16x32xi8>, %line: tensor<32xi8>, %many: tensor<32x128xbf16>, %row: !tt.tensordesc<tensor<1x128xbf16>>) {
  // CHECK: %{{.*}} = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <i8>, <tensor<16x32xui8>>
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <i8>, <tensor<16x32xui8>>
  // CHECK: %{{.*}} = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <i8>, <tensor<1x32xsi8>>
  %1 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] {padding = 2 : i32} : <i8>, <tensor<1x32xsi8>>
  // CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<16x32xui8>> -> tensor<16x32xi8>
  %2 = tt.descriptor_load %0[%n, %n] : !tt.tensordesc<tensor<16x32xui8>> -> tensor<16x32xi8>
  // CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<1x32xsi8>> -> tensor<32xi8>
  %3 = tt.descriptor_load %1[%n, %n] : !tt.tensordesc<tensor<1x32xsi8>> -> tensor<32xi8>
  // CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<16x32xui8>> -> tensor<16x32xi8>
  %4 = tt.descriptor_load %0[%n, %n] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<16x32xui8>> -> tensor<16x32xi8>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xui8>>, tensor<16x32xi8>
  tt.descriptor_store %0[%n, %n], %x : !tt.tensordesc<tensor<16x32xui8>>, tensor<16x32xi8>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x32xsi8>>, tensor<32xi8>
  tt.descriptor_store %1[%n, %n], %line : !tt.tensordesc<tensor<1x32xsi8>>, tensor<32xi8>
  // CHECK: tt.descriptor_reduce add, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xui8>>, tensor<16x32xi8>
  tt.descriptor_reduce add, %0[%n, %n], %x : !tt.tensordesc<tensor<16x32xui8>>, tensor<16x32xi8>
  // CHECK: tt.descriptor_reduce min, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xui8>>, tensor<16x32xi8>
  tt.descriptor_reduce min, %0[%n, %n], %x : !tt.tensordesc<tensor<16x32xui8>>, tensor<16x32xi8>
  // CHECK: %{{.*}} = tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x128xbf16>>, tensor<32xi32>, i32) -> tensor<32x128xbf16>
  %5 = tt.descriptor_gather %row[%rows, %n] : (!tt.tensordesc<tensor<1x128xbf16>>, tensor<32xi32>, i32) -> tensor<32x128xbf16>
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x128xbf16>>, tensor<32xi32>, i32, tensor<32x128xbf16>
  tt.descriptor_scatter %row[%rows, %n], %many : !tt.tensordesc<tensor<1x128xbf16>>, tensor<32xi32>, i32, tensor<32x128xbf16>
  // CHECK: tt.return
  tt.return
}
