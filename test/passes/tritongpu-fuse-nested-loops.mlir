// RUN: nereid-opt %s --tritongpu-fuse-nested-loops --canonicalize --remarks-filter-passed=tritongpu-fuse-nested-loops --remarks-filter-missed=tritongpu-fuse-nested-loops -o %t.mlir 2> %t.log
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --input-file=%t.log --check-prefix=REMARK

// Later loops come first.
// REMARK: not fused: no loop is directly in its body
// REMARK: not fused: the inner loop may have no iteration, and its body cannot be executed without effect
// REMARK: not fused: the bounds of the inner loop depend on values that earlier iterations of the outer loop compute
// REMARK: not fused: its body contains several loops
// REMARK: fused with the loop in its body
// REMARK: not fused: no load of the inner loop can be executed before the outer iteration that precedes it ends
// REMARK: fused with the loop in its body
// REMARK: fused with the loop in its body
// REMARK: fused with the loop in its body
// REMARK-NOT: fused

// The loads use counters of their own; the epilogue computes the row again; an empty inner loop is a case of its own. The
// inner loop's stages stay.
// CHECK-LABEL: tt.func public @tiles
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %arg3, %c0_i32
// CHECK: scf.if %[[SOME]] {
// CHECK: scf.for %{{.*}} = %c0_i64 to %{{.*}} iter_args(%[[K:.*]] = %c0_i32, %[[FIRST:.*]] = %true, %[[TILE:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}}, %[[KC:.*]] = %c0_i32, %[[TILEC:.*]] = %{{.*}}, %[[ACC:.*]] = %cst) -> (i32, i1, i32, tensor<32x1xi32>, i32, i32, tensor<32x32xf32>)
// CHECK: %[[ROW:.*]] = scf.if %[[FIRST]] -> (tensor<32x1xi32>) {
// CHECK: arith.muli %[[TILE]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[OLD]]
// CHECK: }
// CHECK-NOT: scf.if
// CHECK: tt.splat %[[K]]
// CHECK: tt.load
// CHECK: %[[D:.*]] = tt.dot {{.*}}, %[[ACC]]
// CHECK: %[[LASTC:.*]] = arith.cmpi eq, %[[KC]]
// CHECK: scf.if %[[LASTC]]
// CHECK: arith.muli %[[TILEC]]
// CHECK: tt.store %{{.*}}, %[[D]]
// CHECK: scf.yield
// CHECK: {tt.num_stages = 4 : i32}
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.store
tt.func public @tiles(%a: !tt.ptr<f16>, %c: !tt.ptr<f32>, %tiles: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %places = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %pid = tt.get_program_id x : i32
  scf.for %tile = %pid to %tiles step %c32 : i32 {
    %start = arith.muli %tile, %c32 : i32
    %starts = tt.splat %start : i32 -> tensor<32x1xi32>
    %row = arith.addi %rows, %starts : tensor<32x1xi32>
    %scaled = arith.muli %row, %pitch : tensor<32x1xi32>
    %wide = tt.broadcast %scaled : tensor<32x1xi32> -> tensor<32x32xi32>
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
      %shift = tt.splat %k : i32 -> tensor<32x32xi32>
      %at = arith.addi %wide, %shift : tensor<32x32xi32>
      %base = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
      %p = tt.addptr %base, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      %x = tt.load %p : tensor<32x32x!tt.ptr<f16>>
      %d = tt.dot %x, %x, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    } {tt.num_stages = 4 : i32}
    %out = arith.addi %wide, %places : tensor<32x32xi32>
    %base = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %q = tt.addptr %base, %out : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    tt.store %q, %sum : tensor<32x32x!tt.ptr<f32>>
  } {tt.flatten}
  tt.return
}

// Three loops, of constant counts: one loop of 2 * 3 * 4 iterations.
// CHECK-LABEL: tt.func public @deep
// CHECK: scf.for %{{.*}} = %c0_i32 to %c24_i32 step %c1_i32
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @deep(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %i) -> (i32) : i32 {
      %u = scf.for %k = %c0 to %c4 step %c1 iter_args(%v = %t) -> (i32) : i32 {
        %p = tt.addptr %x, %k : !tt.ptr<i32>, i32
        %z = tt.load %p : !tt.ptr<i32>
        %w = arith.addi %v, %z : i32
        scf.yield %w : i32
      }
      scf.yield %u : i32
    }
    %q = tt.addptr %y, %i : !tt.ptr<i32>, i32
    tt.store %q, %s : !tt.ptr<i32>
  } {tt.flatten}
  tt.return
}

// Loops without the attribute stay.
// CHECK-LABEL: tt.func public @unrequested
// CHECK: scf.for
// CHECK: scf.for
tt.func public @unrequested(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %p = tt.addptr %x, %j : !tt.ptr<i32>, i32
      tt.store %p, %i : !tt.ptr<i32>
    }
  }
  tt.return
}

// CHECK-LABEL: tt.func public @not_fused
tt.func public @not_fused(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // The next tile's loads read what the epilogue of this one stores, unless the program asserts otherwise.
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%t = %c0) -> (i32) : i32 {
      %p = tt.addptr %x, %j : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      %w = arith.addi %t, %v : i32
      scf.yield %w : i32
    }
    %q = tt.addptr %x, %i : !tt.ptr<i32>, i32
    tt.store %q, %s : !tt.ptr<i32>
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%t = %c0) -> (i32) : i32 {
      %p = tt.addptr %x, %j : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      %w = arith.addi %t, %v : i32
      scf.yield %w : i32
    }
    %q = tt.addptr %x, %i : !tt.ptr<i32>, i32
    tt.store %q, %s : !tt.ptr<i32>
  } {tt.flatten, tt.num_stages = 3 : i32}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tt.store %y, %j : !tt.ptr<i32>
    }
    scf.for %j = %c0 to %n step %c1 : i32 {
      tt.store %y, %i : !tt.ptr<i32>
    }
  } {tt.flatten}
  tt.return
}

// Bounds that the outer loop carries, an op that cannot be executed without effect, and a loop without an inner one.
// CHECK-LABEL: tt.func public @bounds
tt.func public @bounds(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %n) -> (i32) : i32 {
    scf.for %j = %c0 to %m step %c1 : i32 {
      tt.store %x, %j : !tt.ptr<i32>
    }
    %half = arith.shrsi %m, %c1 : i32
    scf.yield %half : i32
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      %old = tt.atomic_rmw add, relaxed, gpu, %x, %j : (!tt.ptr<i32>, i32) -> i32
    }
  } {tt.flatten}
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  } {tt.flatten}
  tt.return
}

// Nothing uses the result of the outer loop: the branch that excludes an inner loop without iterations has no results.
// CHECK-LABEL: tt.func public @unused_result
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tt.store
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @unused_result(%x: !tt.ptr<i32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %unused = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> i32 : i32 {
    %sum = arith.addi %i, %m : i32
    scf.for %j = %c0 to %m step %c1 : i32 {
      tt.store %x, %j : !tt.ptr<i32>
    }
    tt.store %x, %sum : !tt.ptr<i32>
    scf.yield %sum : i32
  } {tt.flatten}
  tt.return
}
