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
