// RUN: nereid-opt %s --nereid-scalarize-carried-offsets --canonicalize | FileCheck %s

// The step differs between iterations: the loop carries its sum.
// CHECK-LABEL: @varying
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[C:.*]] = %c0_i32) -> (i32)
// CHECK: %[[S:.*]] = tt.splat %[[C]] : i32 -> tensor<64xi32>
// CHECK: %[[T:.*]] = arith.addi %[[FIRST]], %[[S]]
// CHECK: tt.addptr %{{.*}}, %[[T]]
// CHECK: %[[STEP:.*]] = tt.load
// CHECK: %[[D:.*]] = arith.addi %[[C]], %[[STEP]] : i32
// CHECK: scf.yield %[[D]] : i32
// CHECK: %[[E:.*]] = tt.splat %[[R]]
// CHECK: %[[U:.*]] = arith.addi %[[FIRST]], %[[E]]
// CHECK: tt.addptr %{{.*}}, %[[U]]
tt.func public @varying(%x: tensor<64x!tt.ptr<f32>>, %steps: !tt.ptr<i32>, %begin: i32, %n: i32, %v: tensor<64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %b = tt.splat %begin : i32 -> tensor<64xi32>
  %first = arith.addi %range, %b : tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (tensor<64xi32>) : i32 {
    %p = tt.addptr %x, %t : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %p, %v : tensor<64x!tt.ptr<f32>>
    %q = tt.addptr %steps, %i : !tt.ptr<i32>, i32
    %step = tt.load %q : !tt.ptr<i32>
    %s = tt.splat %step : i32 -> tensor<64xi32>
    %next = arith.addi %s, %t : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %p = tt.addptr %x, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %p, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A constant step, beside another carried value.
// CHECK-LABEL: @constant
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[C:.*]] = %c0_i64) -> (tensor<64xf32>, i64)
// CHECK: arith.addi %[[C]], %c-3_i64 : i64
tt.func public @constant(%x: tensor<64x!tt.ptr<f32>>, %n: i32, %v: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %minus = arith.constant dense<-3> : tensor<64xi64>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %first = arith.extsi %range : tensor<64xi32> to tensor<64xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first, %acc = %v) -> (tensor<64xi64>, tensor<64xf32>) : i32 {
    %p = tt.addptr %x, %t : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
    %y = tt.load %p : tensor<64x!tt.ptr<f32>>
    %sum = arith.addf %acc, %y : tensor<64xf32>
    %next = arith.addi %t, %minus : tensor<64xi64>
    scf.yield %next, %sum : tensor<64xi64>, tensor<64xf32>
  }
  tt.return %r#1 : tensor<64xf32>
}

// A loaded tensor occupies its registers in any case, and a step that is not a splat has one value per element.
// CHECK-LABEL: @unchanged
// CHECK: scf.for {{.*}} -> (tensor<64xi32>, tensor<64xi32>)
tt.func public @unchanged(%x: tensor<64x!tt.ptr<i32>>, %n: i32, %step: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1> : tensor<64xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %first = tt.load %x : tensor<64x!tt.ptr<i32>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first, %u = %range) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %next = arith.addi %t, %one : tensor<64xi32>
    %other = arith.addi %u, %step : tensor<64xi32>
    scf.yield %next, %other : tensor<64xi32>, tensor<64xi32>
  }
  tt.return %r#0, %r#1 : tensor<64xi32>, tensor<64xi32>
}
