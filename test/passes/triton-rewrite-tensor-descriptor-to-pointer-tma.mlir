// Descriptors that kernels receive as tensor maps from sm_90 on, and the reasons why others are rewritten.
// RUN: nereid-opt %s --triton-rewrite-tensor-descriptor-to-pointer=compute-capability=90 --remarks-filter-missed=triton-rewrite-tensor-descriptor-to-pointer -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: nereid-opt %s --triton-rewrite-tensor-descriptor-to-pointer=compute-capability=89 --remarks-filter-missed=triton-rewrite-tensor-descriptor-to-pointer 2>&1 | FileCheck %s --check-prefix=OLD

// A second run changes nothing.
// RUN: nereid-opt %t.mlir --triton-rewrite-tensor-descriptor-to-pointer=compute-capability=90 | FileCheck %s

// OLD-DAG: argument 0 is rewritten to a pointer: the target has no TMA
// OLD-DAG: tt.func public @maps(%arg0: !tt.ptr<f16>

// The first group is a tensor map, used or not; the second is rewritten, and the grid counts its arguments.
// CHECK-LABEL: tt.func public @maps(
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x32xf16>> {nereid.role = #nereid.role<descriptor, group = 0>}
// CHECK-SAME: %arg1: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}
// CHECK-SAME: %arg5: !tt.ptr<f32> {nereid.descriptor = {{[^}]*}}, nereid.role = #nereid.role<base, group = 1>
// CHECK-SAME: %arg11: !tt.tensordesc<tensor<8xf32>> {nereid.role = #nereid.role<descriptor, group = 2>}
// CHECK-SAME: %arg12: i32
// CHECK-SAME: nereid.grid = #nereid.grid<{{.*}}, args = [12]>
// CHECK: tt.descriptor_load %arg0
// CHECK: scf.for
// CHECK: tt.descriptor_load %arg0
// CHECK: tt.load
// REMARK: argument 5 is rewritten to a pointer: rows by index need sm_100
tt.func public @maps(%d: !tt.tensordesc<tensor<64x32xf16>> loc("d"), %m: i32 loc("d"), %n: i32 loc("d"), %s: i64 loc("d"), %t: i64 loc("d"),
                     %e: !tt.tensordesc<tensor<1x32xf32>>, %u: !tt.tensordesc<tensor<8xf32>>, %i: i32) -> (tensor<64x32xf16>, tensor<32x32xf32>)
    attributes {nereid.grid = #nereid.grid<affine_map<(d0) -> (d0)>, args = [7]>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  %y = scf.for %k = %c0 to %i step %c1 iter_args(%a = %x) -> (tensor<64x32xf16>) : i32 {
    %z = tt.descriptor_load %d[%k, %k] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %b = arith.addf %a, %z : tensor<64x32xf16>
    scf.yield %b : tensor<64x32xf16>
  }
  %g = tt.descriptor_gather %e[%rows, %i] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<32xi32>, i32) -> tensor<32x32xf32>
  tt.return %y, %g : tensor<64x32xf16>, tensor<32x32xf32>
}

// REMARK: argument 0 is rewritten to a pointer: the rows of its block have less than 16 bytes
// REMARK: argument 1 is rewritten to a pointer: it is not only accessed, but passed on as a value
// REMARK: argument 2 is rewritten to a pointer: the kernel reads and writes through it: TMA does not order these accesses
// CHECK-LABEL: tt.func public @others(
// CHECK-NOT: tensordesc
// CHECK: tt.return
tt.func public @others(%narrow: !tt.tensordesc<tensor<8x4xf16>>, %passed: !tt.tensordesc<tensor<8x8xf16>>, %both: !tt.tensordesc<tensor<8x8xf16>>, %i: i32) {
  %x = tt.descriptor_load %narrow[%i, %i] : !tt.tensordesc<tensor<8x4xf16>> -> tensor<8x4xf16>
  tt.descriptor_store %narrow[%i, %i], %x : !tt.tensordesc<tensor<8x4xf16>>, tensor<8x4xf16>
  tt.call @store(%passed, %i) : (!tt.tensordesc<tensor<8x8xf16>>, i32) -> ()
  %y = tt.descriptor_load %both[%i, %i] : !tt.tensordesc<tensor<8x8xf16>> -> tensor<8x8xf16>
  tt.descriptor_store %both[%i, %i], %y : !tt.tensordesc<tensor<8x8xf16>>, tensor<8x8xf16>
  tt.return
}
tt.func private @store(%d: !tt.tensordesc<tensor<8x8xf16>>, %i: i32) attributes {noinline = true} {
  %x = arith.constant dense<0.0> : tensor<8x8xf16>
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<8x8xf16>>, tensor<8x8xf16>
  tt.return
}

// Reductions: TMA adds floats and combines unsigned integers.
// REMARK: argument 2 is rewritten to a pointer: TMA does not have the reduction for its elements
// REMARK: argument 3 is rewritten to a pointer: TMA does not have the reduction for its elements
// CHECK-LABEL: tt.func public @reductions(
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<8x8xf32>>
// CHECK-SAME: %arg1: !tt.tensordesc<tensor<8x8xui32>>
// CHECK-SAME: %arg2: !tt.ptr<i32>
tt.func public @reductions(%a: !tt.tensordesc<tensor<8x8xf32>>, %b: !tt.tensordesc<tensor<8x8xui32>>, %c: !tt.tensordesc<tensor<8x8xsi32>>, %d: !tt.tensordesc<tensor<8x8xf32>>,
                           %i: i32, %f: tensor<8x8xf32>, %n: tensor<8x8xi32>) {
  tt.descriptor_reduce add, %a[%i, %i], %f : !tt.tensordesc<tensor<8x8xf32>>, tensor<8x8xf32>
  tt.descriptor_reduce max, %b[%i, %i], %n : !tt.tensordesc<tensor<8x8xui32>>, tensor<8x8xi32>
  tt.descriptor_reduce max, %c[%i, %i], %n : !tt.tensordesc<tensor<8x8xsi32>>, tensor<8x8xi32>
  tt.descriptor_reduce min, %d[%i, %i], %f : !tt.tensordesc<tensor<8x8xf32>>, tensor<8x8xf32>
  tt.return
}
