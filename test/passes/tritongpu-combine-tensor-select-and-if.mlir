// RUN: nereid-opt %s --tritongpu-combine-tensor-select-and-if | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Users in the branches get the selected value; an `if` without `else` gets one.
// CHECK-LABEL: @merged(
// CHECK-NOT: arith.select
// CHECK: %[[R:.*]] = scf.if %arg0 -> (tensor<128xf32, #{{.*}}>) {
// CHECK: tt.store %arg1, %arg2
// CHECK: scf.yield %arg2
// CHECK: } else {
// CHECK: scf.yield %arg3
// CHECK: tt.return %[[R]]
tt.func public @merged(%c: i1, %p: tensor<128x!tt.ptr<f32>, #line>, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #line>) -> tensor<128xf32, #line> {
  %s = arith.select %c, %x, %y : tensor<128xf32, #line>
  scf.if %c {
    tt.store %p, %s : tensor<128x!tt.ptr<f32>, #line>
  }
  tt.return %s : tensor<128xf32, #line>
}

// CHECK-LABEL: @with_results(
// CHECK: %[[R:.*]]:2 = scf.if %arg0 -> (i32, tensor<128xf32, #{{.*}}>) {
// CHECK: scf.yield %arg3, %arg1
// CHECK: scf.yield %arg4, %arg2
// CHECK: tt.return %[[R]]#1, %[[R]]#0
tt.func public @with_results(%c: i1, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #line>, %i: i32, %j: i32) -> (tensor<128xf32, #line>, i32) {
  %s = arith.select %c, %x, %y : tensor<128xf32, #line>
  %r = scf.if %c -> (i32) {
    scf.yield %i : i32
  } else {
    scf.yield %j : i32
  }
  tt.return %s, %r : tensor<128xf32, #line>, i32
}

// Several selects; existing results of the `if` are kept.
// CHECK-LABEL: @several(
// CHECK-NOT: arith.select
// CHECK: %[[R:.*]]:3 = scf.if %arg0 -> (i32, tensor<128xf32, #{{.*}}>, tensor<128xf32, #{{.*}}>) {
// CHECK: scf.yield %arg3, %arg2, %arg1
// CHECK: scf.yield %arg4, %arg1, %arg2
// CHECK: } {note}
// CHECK: tt.return %[[R]]#1, %[[R]]#2, %[[R]]#0
tt.func public @several(%c: i1, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #line>, %i: i32, %j: i32) -> (tensor<128xf32, #line>, tensor<128xf32, #line>, i32) {
  %s = arith.select %c, %x, %y : tensor<128xf32, #line>
  %t = arith.select %c, %y, %x : tensor<128xf32, #line>
  %r = scf.if %c -> (i32) {
    scf.yield %i : i32
  } else {
    scf.yield %j : i32
  } {note}
  tt.return %t, %s, %r : tensor<128xf32, #line>, tensor<128xf32, #line>, i32
}

// A select with a use before the `if` stays.
// CHECK-LABEL: @early(
// CHECK: arith.select
tt.func public @early(%c: i1, %p: tensor<128x!tt.ptr<f32>, #line>, %x: tensor<128xf32, #line>, %y: tensor<128xf32, #line>) {
  %s = arith.select %c, %x, %y : tensor<128xf32, #line>
  tt.store %p, %s : tensor<128x!tt.ptr<f32>, #line>
  scf.if %c {
    tt.store %p, %x : tensor<128x!tt.ptr<f32>, #line>
  }
  tt.return
}
}
