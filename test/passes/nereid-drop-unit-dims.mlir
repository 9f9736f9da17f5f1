// RUN: nereid-opt %s --split-input-file --nereid-drop-unit-dims | FileCheck %s

// A tile of a batched product: loads, a transpose, the accumulator that the loop carries and the store have two
// dimensions, and no reshape remains.
// CHECK-LABEL: tt.func @batch_of_one
// CHECK-NOT: tt.reshape
// CHECK-NOT: 1x
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
// CHECK: tt.broadcast %{{.*}} : tensor<64x1xi32> -> tensor<64x16xi32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (tensor<64x32xf32>)
// CHECK: %[[A:.*]] = tt.load %{{.*}} : tensor<64x16x!tt.ptr<f16>>
// CHECK: %[[B:.*]] = tt.load %{{.*}} : tensor<32x16x!tt.ptr<f16>>
// CHECK: %[[T:.*]] = tt.trans %[[B]] {order = array<i32: 1, 0>} : tensor<32x16xf16> -> tensor<16x32xf16>
// CHECK: %[[D:.*]] = tt.dot %[[A]], %[[T]], %[[ACC]]
// CHECK: scf.yield %[[D]]
// CHECK: tt.store %{{.*}} : tensor<64x32x!tt.ptr<f32>>
tt.func @batch_of_one(%p: !tt.ptr<f16>, %q: !tt.ptr<f16>, %o: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.000000e+00> : tensor<1x64x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ks = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k1 = tt.expand_dims %ks {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %k2 = tt.expand_dims %k1 {axis = 0 : i32} : tensor<1x16xi32> -> tensor<1x1x16xi32>
  %r1 = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %r2 = tt.expand_dims %r1 {axis = 2 : i32} : tensor<1x64xi32> -> tensor<1x64x1xi32>
  %k3 = tt.broadcast %k2 : tensor<1x1x16xi32> -> tensor<1x64x16xi32>
  %r3 = tt.broadcast %r2 : tensor<1x64x1xi32> -> tensor<1x64x16xi32>
  %offset = arith.addi %r3, %k3 : tensor<1x64x16xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1x64x16x!tt.ptr<f16>>
  %pa = tt.addptr %ps, %offset : tensor<1x64x16x!tt.ptr<f16>>, tensor<1x64x16xi32>
  %pb = tt.splat %q : !tt.ptr<f16> -> tensor<1x32x16x!tt.ptr<f16>>
  %po = tt.splat %o : !tt.ptr<f32> -> tensor<1x64x32x!tt.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<1x64x32xf32>) : i32 {
    %a = tt.load %pa : tensor<1x64x16x!tt.ptr<f16>>
    %b = tt.load %pb : tensor<1x32x16x!tt.ptr<f16>>
    %t = tt.trans %b {order = array<i32: 0, 2, 1>} : tensor<1x32x16xf16> -> tensor<1x16x32xf16>
    %a2 = tt.reshape %a : tensor<1x64x16xf16> -> tensor<64x16xf16>
    %b2 = tt.reshape %t : tensor<1x16x32xf16> -> tensor<16x32xf16>
    %c2 = tt.reshape %acc : tensor<1x64x32xf32> -> tensor<64x32xf32>
    %d = tt.dot %a2, %b2, %c2 : tensor<64x16xf16> * tensor<16x32xf16> -> tensor<64x32xf32>
    %d3 = tt.reshape %d : tensor<64x32xf32> -> tensor<1x64x32xf32>
    scf.yield %d3 : tensor<1x64x32xf32>
  }
  tt.store %po, %sum : tensor<1x64x32x!tt.ptr<f32>>
  tt.return
}

// -----

// The axes of reductions, scans and expansions are those of the remaining dimensions. A trans that only moves the
// dropped dimension disappears.
// CHECK-LABEL: tt.func @axes
// CHECK: %[[D:.*]] = tt.dot
// CHECK: %[[M:.*]] = "tt.reduce"(%[[D]]) <{axis = 1 : i32}>
// CHECK: (tensor<16x16xf32>) -> tensor<16xf32>
// CHECK: %[[E:.*]] = tt.expand_dims %[[M]] {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
// CHECK: %[[B:.*]] = tt.broadcast %[[E]] : tensor<16x1xf32> -> tensor<16x16xf32>
// CHECK: %[[S:.*]] = arith.subf %[[D]], %[[B]] : tensor<16x16xf32>
// CHECK: %[[C:.*]] = "tt.scan"(%[[S]]) <{axis = 0 : i32, reverse = false}>
// CHECK-NOT: tt.trans
// CHECK: %[[J:.*]] = tt.join %[[C]], %[[S]] : tensor<16x16xf32> -> tensor<16x16x2xf32>
// CHECK: %[[L:.*]], %{{.*}} = tt.split %[[J]] : tensor<16x16x2xf32> -> tensor<16x16xf32>
// CHECK: tt.store %{{.*}}, %[[L]] : tensor<16x16x!tt.ptr<f32>>
tt.func @axes(%a: tensor<16x16xf16>, %o: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %x = tt.reshape %d : tensor<16x16xf32> -> tensor<16x1x16xf32>
  %m = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %g = arith.maxnumf %l, %r : f32
    tt.reduce.return %g : f32
  }) : (tensor<16x1x16xf32>) -> tensor<16x1xf32>
  %e = tt.expand_dims %m {axis = 2 : i32} : tensor<16x1xf32> -> tensor<16x1x1xf32>
  %b = tt.broadcast %e : tensor<16x1x1xf32> -> tensor<16x1x16xf32>
  %s = arith.subf %x, %b : tensor<16x1x16xf32>
  %t = tt.trans %s {order = array<i32: 1, 0, 2>} : tensor<16x1x16xf32> -> tensor<1x16x16xf32>
  %c = "tt.scan"(%t) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    %g = arith.addf %l, %r : f32
    tt.scan.return %g : f32
  }) : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %j = tt.join %c, %t : tensor<1x16x16xf32> -> tensor<1x16x16x2xf32>
  %h, %i = tt.split %j : tensor<1x16x16x2xf32> -> tensor<1x16x16xf32>
  %p = tt.splat %o : !tt.ptr<f32> -> tensor<1x16x16x!tt.ptr<f32>>
  tt.store %p, %h : tensor<1x16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Through a descriptor, a block has all its dimensions. A batch of one dot is a dot.
// CHECK-LABEL: tt.func @descriptors
// CHECK: %[[X:.*]] = tt.descriptor_load %{{.*}} : !tt.tensordesc<tensor<1x16x16xf16>> -> tensor<1x16x16xf16>
// CHECK: %[[Y:.*]] = tt.reshape %[[X]] : tensor<1x16x16xf16> -> tensor<16x16xf16>
// CHECK: %[[D:.*]] = tt.dot %[[Y]], %[[Y]], %{{.*}} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
// CHECK: %[[N:.*]] = arith.negf %[[D]] : tensor<16x16xf16>
// CHECK: %[[R:.*]] = tt.reshape %[[N]] : tensor<16x16xf16> -> tensor<1x16x16xf16>
// CHECK: tt.descriptor_store %{{.*}}, %[[R]]
tt.func @descriptors(%desc: !tt.tensordesc<tensor<1x16x16xf16>>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<1x16x16xf16>
  %c0 = arith.constant 0 : i32
  %x = tt.descriptor_load %desc[%c0, %c0, %c0] : !tt.tensordesc<tensor<1x16x16xf16>> -> tensor<1x16x16xf16>
  %d = tt.dot %x, %x, %zero : tensor<1x16x16xf16> * tensor<1x16x16xf16> -> tensor<1x16x16xf16>
  %n = arith.negf %d : tensor<1x16x16xf16>
  tt.descriptor_store %desc[%c0, %c0, %c0], %n : !tt.tensordesc<tensor<1x16x16xf16>>, tensor<1x16x16xf16>
  tt.return
}

// -----

// Dimensions stay that are broadcast or reduced, that a call or a dot needs, and the last one of a tensor.
// CHECK-LABEL: tt.func @needed
// CHECK: tt.load %{{.*}} : tensor<1x16x!tt.ptr<f16>>
// CHECK: tt.broadcast %{{.*}} : tensor<1x16xf16> -> tensor<16x16xf16>
// CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}>
// CHECK: (tensor<1x16xf16>) -> tensor<16xf16>
// CHECK: tt.call @callee(%{{.*}}) : (tensor<1x16xf32>) -> ()
// CHECK: tt.dot {{.*}} : tensor<1x16xf32> * tensor<16x16xf32> -> tensor<1x16xf32>
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<1x!tt.ptr<f16>>
tt.func @needed(%p: !tt.ptr<f16>, %f: tensor<1x16xf32>, %g: tensor<16x16xf32>, %s: f16) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %zero1 = arith.constant dense<0.000000e+00> : tensor<1x16xf32>
  %pr = tt.splat %p : !tt.ptr<f16> -> tensor<1x16x!tt.ptr<f16>>
  %row = tt.load %pr : tensor<1x16x!tt.ptr<f16>>
  %b = tt.broadcast %row : tensor<1x16xf16> -> tensor<16x16xf16>
  %d = tt.dot %b, %b, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %m = "tt.reduce"(%row) <{axis = 0 : i32}> ({
  ^bb0(%l: f16, %r: f16):
    %max = arith.maxnumf %l, %r : f16
    tt.reduce.return %max : f16
  }) : (tensor<1x16xf16>) -> tensor<16xf16>
  tt.call @callee(%f) : (tensor<1x16xf32>) -> ()
  %e = tt.dot %f, %g, %zero1 : tensor<1x16xf32> * tensor<16x16xf32> -> tensor<1x16xf32>
  %r = tt.reshape %f : tensor<1x16xf32> -> tensor<16xf32>
  %p1 = tt.splat %p : !tt.ptr<f16> -> tensor<1x1x!tt.ptr<f16>>
  %s1 = tt.splat %s : f16 -> tensor<1x1xf16>
  tt.store %p1, %s1 : tensor<1x1x!tt.ptr<f16>>
  tt.return
}

tt.func private @callee(%f: tensor<1x16xf32>) attributes {noinline = true} {
  tt.return
}

// -----

// Functions without a dot keep their shapes, and so do those in which no reshape drops a dimension.
// CHECK-LABEL: tt.func @no_dot
// CHECK: tt.load %{{.*}} : tensor<1x16x!tt.ptr<f16>>
tt.func @no_dot(%p: !tt.ptr<f16>, %q: !tt.ptr<f16>) {
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1x16x!tt.ptr<f16>>
  %x = tt.load %ps : tensor<1x16x!tt.ptr<f16>>
  %y = tt.reshape %x : tensor<1x16xf16> -> tensor<16xf16>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  tt.store %qs, %y : tensor<16x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: tt.func @no_reshape
// CHECK: tt.load %{{.*}} : tensor<1x16x!tt.ptr<f16>>
tt.func @no_reshape(%p: !tt.ptr<f16>, %a: tensor<16x16xf16>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1x16x!tt.ptr<f16>>
  %x = tt.load %ps : tensor<1x16x!tt.ptr<f16>>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.store %ps, %x : tensor<1x16x!tt.ptr<f16>>
  tt.return
}

// -----

// A use that needs the dimension decides for no other use of a splat, a constant or an expansion; the index of a batch
// is a tensor of one element.
// CHECK-LABEL: tt.func @shared_ops
// CHECK-DAG: tt.broadcast %{{.*}} : tensor<1x16xi32> -> tensor<16x16xi32>
// CHECK-DAG: %[[ROWS:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
// CHECK: %[[S:.*]] = tt.reshape %{{.*}} : tensor<1xi32> -> tensor<1x1xi32>
// CHECK: %[[I:.*]] = tt.broadcast %[[S]] : tensor<1x1xi32> -> tensor<16x1xi32>
// CHECK: %[[J:.*]] = arith.addi %[[I]], %[[ROWS]] : tensor<16x1xi32>
// CHECK: tt.load %{{.*}} : tensor<16x16x!tt.ptr<f16>>
// CHECK-NOT: 1x16x16
// CHECK: tt.dot
tt.func @shared_ops(%p: !tt.ptr<f16>, %q: !tt.ptr<i32>, %batch: i32) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %all = tt.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %rows = tt.expand_dims %row {axis = 2 : i32} : tensor<1x16xi32> -> tensor<1x16x1xi32>
  %b = tt.splat %batch : i32 -> tensor<1xi32>
  %b2 = tt.expand_dims %b {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %b3 = tt.expand_dims %b2 {axis = 2 : i32} : tensor<1x1xi32> -> tensor<1x1x1xi32>
  %b4 = tt.broadcast %b3 : tensor<1x1x1xi32> -> tensor<1x16x1xi32>
  %sum = arith.addi %b4, %rows : tensor<1x16x1xi32>
  %offset = tt.broadcast %sum : tensor<1x16x1xi32> -> tensor<1x16x16xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1x16x16x!tt.ptr<f16>>
  %pa = tt.addptr %ps, %offset : tensor<1x16x16x!tt.ptr<f16>>, tensor<1x16x16xi32>
  %x = tt.load %pa : tensor<1x16x16x!tt.ptr<f16>>
  %a = tt.reshape %x : tensor<1x16x16xf16> -> tensor<16x16xf16>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  tt.store %qs, %all : tensor<16x16x!tt.ptr<i32>>
  %o = tt.fp_to_fp %d, rounding = rtne : tensor<16x16xf32> -> tensor<16x16xf16>
  %po = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  tt.store %po, %o : tensor<16x16x!tt.ptr<f16>>
  tt.return
}

// -----

// Control flow, and tensors with layouts, which an earlier run of the pipeline has assigned.
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: tt.func @branches
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : tensor<16x16xf16>), ^bb2
// CHECK: ^bb1(%[[A:.*]]: tensor<16x16xf16>
// CHECK: scf.if
// CHECK: scf.yield %{{.*}} : tensor<16x16xf16>
// CHECK: tt.dot
// CHECK: ^bb2
// CHECK: arith.addf {{.*}} : tensor<1x32xf32, #blocked>
tt.func @branches(%x: tensor<16x16xf16>, %c: i1, %e: tensor<1x32xf32, #blocked>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %x3 = tt.reshape %x : tensor<16x16xf16> -> tensor<1x16x16xf16>
  cf.cond_br %c, ^bb1(%x3 : tensor<1x16x16xf16>), ^bb2
^bb1(%a: tensor<1x16x16xf16>):
  %i = scf.if %c -> (tensor<1x16x16xf16>) {
    %n = arith.negf %a : tensor<1x16x16xf16>
    scf.yield %n : tensor<1x16x16xf16>
  } else {
    scf.yield %a : tensor<1x16x16xf16>
  }
  %i2 = tt.reshape %i : tensor<1x16x16xf16> -> tensor<16x16xf16>
  %d = tt.dot %i2, %i2, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  cf.br ^bb2
^bb2:
  %s = arith.addf %e, %e : tensor<1x32xf32, #blocked>
  tt.return
}
}
