// RUN: nereid-opt %s --triton-loop-aware-cse --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @twice(
// CHECK: scf.for %{{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: tt.store %{{.*}}, %[[P]]
// CHECK: tt.store %{{.*}}, %[[P]]
// CHECK: tt.store %{{.*}}, %[[Q]]
tt.func public @twice(%a: i32, %b: i32, %n: i32, %o: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %a, %s = %a) -> (i32, i32, i32) : i32 {
    tt.store %o, %p : !tt.ptr<i32>
    tt.store %o, %q : !tt.ptr<i32>
    tt.store %o, %s : !tt.ptr<i32>
    %x = arith.addi %p, %b : i32
    %y = arith.addi %q, %b : i32
    // The same initial value but another step.
    %z = arith.addi %s, %n : i32
    scf.yield %x, %y, %z : i32, i32, i32
  }
  tt.store %o, %r#0 : !tt.ptr<i32>
  tt.store %o, %r#1 : !tt.ptr<i32>
  tt.store %o, %r#2 : !tt.ptr<i32>
  tt.return
}

// Initial values that are equal constants, before cse: an accumulator that a loop carries twice.
// CHECK-LABEL: @constants(
// CHECK: iter_args(%{{.*}} = %{{.*}}) -> (tensor<8xf32>)
tt.func public @constants(%b: tensor<8xf32>, %n: i32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %also_zero = arith.constant dense<0.0> : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %also_zero) -> (tensor<8xf32>, tensor<8xf32>) : i32 {
    %x = arith.addf %q, %b : tensor<8xf32>
    scf.yield %x, %x : tensor<8xf32>, tensor<8xf32>
  }
  tt.return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Others differ.
// CHECK-LABEL: @other_constants(
// CHECK: iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
tt.func public @other_constants(%b: f32, %n: i32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %one) -> (f32, f32) : i32 {
    %x = arith.addf %q, %b : f32
    scf.yield %x, %x : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}

// Two iteration arguments that swap and start equal stay equal.
// CHECK-LABEL: @crossed(
// CHECK: iter_args(%{{.*}} = %{{.*}}) -> (i32)
tt.func public @crossed(%a: i32, %b: i32, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %a) -> (i32, i32) : i32 {
    %x = arith.addi %q, %b : i32
    %y = arith.addi %p, %b : i32
    scf.yield %x, %y : i32, i32
  }
  %s = arith.addi %r#0, %r#1 : i32
  tt.return %s : i32
}
